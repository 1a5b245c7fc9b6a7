// Values as the author of a program sees them, and the tiles of their arrays that partitions have:
// what a sharding says of a parameter or a result of a partitioned program.
//
//   p = f32[2,3] parameter(0), sharding={devices=[4,1]<=[4]}     the whole is f32[8,3]
//
// Where sizes do not divide, tiles have as many elements as the first one needs: seven rows in four
// tiles have two in each, and the last row of the last tile is filling, here zeros. How much of a
// whole is filling is nowhere in the program.
#ifndef HLOKIT_INTERP_REPLICA_SHARDS_H_
#define HLOKIT_INTERP_REPLICA_SHARDS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/attribute_values.h"
#include "ir/literal.h"
#include "ir/shape.h"
#include "ir/tile_assignment.h"

namespace hlo {

class ShardMap {
 public:
  // `tile` is the shape that every partition has; null: every partition has the whole. Fails when
  // the sharding is for other arrays or partitions, and for values that are sums over partitions.
  static absl::StatusOr<ShardMap> Make(const Shape& tile, const Sharding* sharding,
                                       int64_t partitions);

  const Shape& whole() const { return whole_; }
  // The same without filling: sizes of bounded dimensions may be smaller.
  Shape Given() const;
  // Every partition has all of it.
  bool IsWhole() const { return is_whole_; }

  // A value of the shape Given() with its filling. Fails when its tiles would be smaller.
  absl::StatusOr<Literal> Fill(Literal given) const;

  // The tiles of partition `partition`, of a value of the shape whole().
  absl::StatusOr<Literal> Cut(const Literal& whole, int64_t partition) const;

  // The value of which partition i has tiles[i]. Fails when partitions that have the same tile have
  // different ones, and for sizes that only the run knew.
  absl::StatusOr<Literal> Join(std::span<const Literal> tiles) const;

 private:
  ShardMap() = default;

  Shape tile_;
  Shape whole_;
  bool is_whole_ = true;
  std::vector<TileAssignment> leaves_;  // of the shape, in order
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_REPLICA_SHARDS_H_
