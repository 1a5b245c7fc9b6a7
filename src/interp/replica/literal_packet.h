// Literals in and out of packets.
#ifndef HLOKIT_INTERP_REPLICA_LITERAL_PACKET_H_
#define HLOKIT_INTERP_REPLICA_LITERAL_PACKET_H_

#include "absl/status/statusor.h"
#include "interp/replica/packet.h"
#include "ir/literal.h"

namespace hlo {

// Literals whose elements are stored.
void AddLiteral(const Literal& literal, PacketWriter& writer);

// The shape does not travel: `shape` is that of the literal that was added, but for dimensions that
// only its sizes make dynamic. Fails with kResourceExhausted when the memory is not to be had.
absl::StatusOr<Literal> TakeLiteral(const Shape& shape, PacketReader& reader);

}  // namespace hlo

#endif  // HLOKIT_INTERP_REPLICA_LITERAL_PACKET_H_
