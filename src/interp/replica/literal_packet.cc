// Only what the receiver does not know travels: of each array, in the order of leaves, its run-time
// sizes and its bytes as they lie in memory. A size that is smaller than written makes its
// dimension dynamic at the other end.
#include "interp/replica/literal_packet.h"

#include <cstring>
#include <utility>
#include <vector>

#include "ir/leaves.h"
#include "support/status_macros.h"

namespace hlo {

void AddLiteral(const Literal& literal, PacketWriter& writer) {
  ForEachLeaf(literal, [&](const Literal& leaf) {
    if (!leaf.shape().IsArray()) return;
    writer.AddNumbers(leaf.dynamic_sizes()).Add(leaf.byte_size());
    writer.AddBytes(leaf.bytes(), static_cast<size_t>(leaf.byte_size()));
  });
}

absl::StatusOr<Literal> TakeLiteral(const Shape& shape, PacketReader& reader) {
  return LiteralOfLeaves(shape, [&](const Shape& leaf) -> absl::StatusOr<Literal> {
    if (!leaf.IsArray()) return Literal::Zeros(leaf);  // tokens have no elements
    std::vector<int64_t> sizes = reader.TakeNumbers();
    Shape own = leaf;
    // What turned out smaller than it is written (Executor::Result).
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] != leaf.dims()[d]) own.set_dynamic(static_cast<int64_t>(d), true);
    }
    HLO_ASSIGN_OR_RETURN(Literal literal, Literal::Uninitialized(own));
    literal.set_dynamic_sizes(std::move(sizes));
    HLO_CHECK(reader.Take<int64_t>() == literal.byte_size());
    const std::span<const std::byte> bytes =
        reader.TakeBytes(static_cast<size_t>(literal.byte_size()));
    if (!bytes.empty()) std::memcpy(literal.bytes(), bytes.data(), bytes.size());
    return literal;
  });
}

}  // namespace hlo
