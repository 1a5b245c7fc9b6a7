// Which part of an array each device has, whichever way its sharding says so.
#ifndef HLOKIT_IR_TILE_ASSIGNMENT_H_
#define HLOKIT_IR_TILE_ASSIGNMENT_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/attribute_values.h"

namespace hlo {

struct TileAssignment {
  std::vector<int64_t> counts;              // by dimension: into how many tiles it is cut
  std::vector<std::vector<int64_t>> tiles;  // by device: the index of its tile
};

// The tiles of an array of `rank` dimensions on devices 0 ... device_count - 1. Arrays that are
// whole on each device have one tile; dimensions of a sharding that are no array's (replicated,
// manual) cut nothing. Fails when the sharding is for another rank or other devices.
absl::StatusOr<TileAssignment> AssignTiles(const ShardingLeaf& leaf, int64_t rank,
                                           int64_t device_count);

}  // namespace hlo

#endif  // HLOKIT_IR_TILE_ASSIGNMENT_H_
