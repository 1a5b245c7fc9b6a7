// Device assignments and shardings in the form XLA gives them while building (grammar.md 5.9).
#ifndef HLOKIT_IR_CANONICAL_SHARDING_H_
#define HLOKIT_IR_CANONICAL_SHARDING_H_

#include "ir/attribute_values.h"
#include "ir/shape.h"
#include "support/arena.h"

namespace hlo {

// Without dimensions of size 1 and with neighbours merged that stay neighbours:
// [2,3,5]T(1,2,0) is [2,15]T(1,0).
IotaDevices CanonicalIota(const IotaDevices& iota, Arena& arena);
ReplicaGroups CanonicalReplicaGroups(const ReplicaGroups& groups, Arena& arena);
// Canonical leaves; the leaf of an instruction whose shape is a tuple repeats for every leaf.
Sharding CanonicalSharding(const Sharding& sharding, const Shape& shape, Arena& arena);

// Whether two shardings put the same parts of `shape` on the same devices, however they say so.
// Metadata takes no part.
bool SameSharding(const Sharding& a, const Sharding& b, const Shape& shape);

}  // namespace hlo

#endif  // HLOKIT_IR_CANONICAL_SHARDING_H_
