// A sharding (grammar.md 5.9) becomes, for each array, the number of tiles along each dimension and
// the tile of each partition. Shapes and values are walked in the order of leaves, with a counter
// that says which array it is. Cutting and joining are one strided copy in two directions;
// partitions that have the same tile must agree in every bit.
#include "interp/replica/shards.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interp/reference/strided.h"
#include "ir/leaves.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo {
namespace {

using reference::CopyStrided;
using reference::DenseStrides;

absl::Status WholeShape(Shape& shape, std::span<const TileAssignment> leaves, size_t& leaf) {
  if (shape.IsTuple()) {
    for (size_t i = 0; i < shape.elements().size(); ++i) {
      HLO_RETURN_IF_ERROR(WholeShape(shape.mutable_element(static_cast<int64_t>(i)), leaves, leaf));
    }
    return absl::OkStatus();
  }
  const std::vector<int64_t>& counts = leaves[leaf++].counts;
  for (size_t d = 0; d < counts.size(); ++d) {
    const auto dim = static_cast<int64_t>(d);
    const std::optional<int64_t> size = CheckedMul(shape.dim(dim), counts[d]);
    if (!size) return absl::InvalidArgumentError("its whole has sizes beyond 2^63");
    shape.set_dim(dim, *size);
  }
  return absl::OkStatus();
}

// Dimensions that are cut may be smaller.
void BoundCutDims(Shape& shape, std::span<const TileAssignment> leaves, size_t& leaf) {
  if (shape.IsTuple()) {
    for (size_t i = 0; i < shape.elements().size(); ++i) {
      BoundCutDims(shape.mutable_element(static_cast<int64_t>(i)), leaves, leaf);
    }
    return;
  }
  const std::vector<int64_t>& counts = leaves[leaf++].counts;
  for (size_t d = 0; d < counts.size(); ++d) {
    if (counts[d] > 1) shape.set_dynamic(static_cast<int64_t>(d), true);
  }
}

// Whether sizes of a given array make tiles as large as those that a whole of `dims` has.
absl::Status CheckFilling(std::span<const int64_t> sizes, std::span<const int64_t> dims,
                          std::span<const int64_t> counts) {
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == dims[d]) continue;
    if (counts[d] == 1) {
      return absl::UnimplementedError("it is cut and has sizes that only the run knows");
    }
    const int64_t needed = (sizes[d] + counts[d] - 1) / counts[d];
    if (needed == dims[d] / counts[d]) continue;
    return absl::InvalidArgumentError(
        fmt::format("dimension {} of size {} makes {} tiles of {}, and tiles have {}", d, sizes[d],
                    counts[d], needed, dims[d] / counts[d]));
  }
  return absl::OkStatus();
}

absl::StatusOr<Literal> FillLeaves(Literal given, const Shape& whole,
                                   std::span<const TileAssignment> leaves, size_t& leaf) {
  if (whole.IsTuple()) {
    std::vector<Literal> elements;
    for (size_t i = 0; i < whole.elements().size(); ++i) {
      HLO_ASSIGN_OR_RETURN(Literal element, FillLeaves(std::move(given.tuple_elements()[i]),
                                                       whole.elements()[i], leaves, leaf));
      elements.push_back(std::move(element));
    }
    return Literal::Tuple(std::move(elements));
  }
  const std::vector<int64_t>& counts = leaves[leaf++].counts;
  const bool is_cut = std::ranges::any_of(counts, [](int64_t count) { return count > 1; });
  if (!is_cut || given.dynamic_sizes().empty()) {
    given.set_shape(whole);
    return given;
  }
  const std::span<const int64_t> sizes = given.dynamic_sizes();
  HLO_RETURN_IF_ERROR(CheckFilling(sizes, whole.dims(), counts));
  HLO_ASSIGN_OR_RETURN(Literal filled, Literal::Zeros(whole));
  CopyStrided(ElementByteSize(whole.element_type()), sizes, given.bytes(), DenseStrides(sizes),
              filled.bytes(), DenseStrides(whole.dims()));
  return filled;
}

absl::StatusOr<TileAssignment> LeafTiles(const ShardingLeaf* leaf, const Shape& shape,
                                         int64_t partitions) {
  const int64_t rank = shape.IsArray() ? shape.rank() : 0;
  if (leaf == nullptr) return AssignTiles(ShardingLeaf(), rank, partitions);
  if (leaf->kind == ShardingLeaf::Kind::kUnreduced || !leaf->unreduced_axes.empty() ||
      leaf->whole == ShardingLeaf::Whole::kUnreduced) {
    return absl::UnimplementedError("its sharding is unreduced: the whole is a sum of parts");
  }
  return AssignTiles(*leaf, rank, partitions);
}

// Copies between the tile at `index` of a whole array and that tile as an array.
enum class Direction { kCut, kJoin };
void CopyTile(std::span<const int64_t> index, const Literal& from, Literal& to,
              Direction direction) {
  const Shape& tile = direction == Direction::kCut ? to.shape() : from.shape();
  const Shape& whole = direction == Direction::kCut ? from.shape() : to.shape();
  const int64_t size = ElementByteSize(whole.element_type());
  const reference::Strides strides = DenseStrides(whole.dims());
  int64_t start = 0;
  for (size_t d = 0; d < index.size(); ++d) start += index[d] * tile.dims()[d] * strides[d];
  if (direction == Direction::kCut) {
    CopyStrided(size, tile.dims(), from.bytes() + start * size, strides, to.bytes(),
                DenseStrides(tile.dims()));
  } else {
    CopyStrided(size, tile.dims(), from.bytes(), DenseStrides(tile.dims()),
                to.bytes() + start * size, strides);
  }
}

// Puts the leaves of one kind of value together, as tiles of `whole`.
class TileJoiner {
 public:
  TileJoiner(std::span<const Literal> tiles, std::span<const TileAssignment> leaves)
      : leaves_(leaves) {
    for (const Literal& tile : tiles) tiles_.push_back(&tile);
  }

  absl::StatusOr<Literal> Join(const Shape& whole) { return JoinValue(tiles_, whole); }

 private:
  using Tiles = std::vector<const Literal*>;

  absl::StatusOr<Literal> JoinValue(const Tiles& tiles, const Shape& whole) {
    if (!whole.IsTuple()) return JoinLeaf(tiles, whole);
    std::vector<Literal> elements;
    for (size_t i = 0; i < whole.elements().size(); ++i) {
      Tiles parts;
      for (const Literal* tile : tiles) parts.push_back(&tile->tuple_elements()[i]);
      HLO_ASSIGN_OR_RETURN(Literal element, JoinValue(parts, whole.elements()[i]));
      elements.push_back(std::move(element));
    }
    return Literal::Tuple(std::move(elements));
  }

  absl::StatusOr<Literal> JoinLeaf(const Tiles& tiles, const Shape& whole) {
    const size_t number = leaf_++;
    const TileAssignment& assignment = leaves_[number];
    HLO_ASSIGN_OR_RETURN(Literal joined, Literal::Zeros(whole));
    if (!whole.IsArray()) return joined;
    for (size_t p = 0; p < tiles.size(); ++p) {
      if (!tiles[p]->dynamic_sizes().empty()) {
        return absl::UnimplementedError(
            fmt::format("array {} of the result has sizes that only the run knows", number));
      }
      const std::vector<int64_t>& index = assignment.tiles[p];
      const size_t first = static_cast<size_t>(std::ranges::find(assignment.tiles, index) -
                                               assignment.tiles.begin());
      if (first == p) {
        CopyTile(index, *tiles[p], joined, Direction::kJoin);
      } else if (std::memcmp(tiles[first]->bytes(), tiles[p]->bytes(),
                             static_cast<size_t>(tiles[p]->byte_size())) != 0) {
        return absl::FailedPreconditionError(
            fmt::format("partitions {} and {} have different values of tile {{{}}} of array {} of "
                        "the result",
                        first, p, fmt::join(index, ","), number));
      }
    }
    return joined;
  }

  std::span<const TileAssignment> leaves_;
  Tiles tiles_;
  size_t leaf_ = 0;
};

}  // namespace

absl::StatusOr<ShardMap> ShardMap::Make(const Shape& tile, const Sharding* sharding,
                                        int64_t partitions) {
  ShardMap map;
  map.tile_ = tile;
  map.whole_ = tile;
  const auto leaf_count = static_cast<size_t>(tile.LeafCount());
  const size_t given = sharding == nullptr ? 0 : sharding->leaves.size();
  if (given > 1 && given != leaf_count) {
    return absl::InvalidArgumentError(
        fmt::format("its sharding is for {} arrays, and it has {}", given, leaf_count));
  }
  for (const Shape* array : LeavesOf(tile)) {
    const size_t i = given == 1 ? 0 : map.leaves_.size();
    HLO_ASSIGN_OR_RETURN(
        TileAssignment tiles,
        LeafTiles(given == 0 ? nullptr : &sharding->leaves[i], *array, partitions));
    for (int64_t count : tiles.counts) map.is_whole_ &= count == 1;
    map.leaves_.push_back(std::move(tiles));
  }
  size_t leaf = 0;
  HLO_RETURN_IF_ERROR(WholeShape(map.whole_, map.leaves_, leaf));
  return map;
}

Shape ShardMap::Given() const {
  Shape given = whole_;
  size_t leaf = 0;
  BoundCutDims(given, leaves_, leaf);
  return given;
}

absl::StatusOr<Literal> ShardMap::Fill(Literal given) const {
  size_t leaf = 0;
  return FillLeaves(std::move(given), whole_, leaves_, leaf);
}

absl::StatusOr<Literal> ShardMap::Cut(const Literal& whole, int64_t partition) const {
  const std::vector<const Literal*> arrays = LeavesOf(whole);
  size_t leaf = 0;
  return LiteralOfLeaves(tile_, [&](const Shape& tile) -> absl::StatusOr<Literal> {
    const size_t i = leaf++;
    HLO_ASSIGN_OR_RETURN(Literal cut, Literal::Zeros(tile));
    if (tile.IsArray()) {
      CopyTile(leaves_[i].tiles[static_cast<size_t>(partition)], *arrays[i], cut, Direction::kCut);
    }
    return cut;
  });
}

absl::StatusOr<Literal> ShardMap::Join(std::span<const Literal> tiles) const {
  return TileJoiner(tiles, leaves_).Join(whole_);
}

}  // namespace hlo
