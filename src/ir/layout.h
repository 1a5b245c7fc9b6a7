// The physical side of an array: order of dimensions in memory, tiles, and the rest of what the
// braces behind a shape can say (grammar.md 2.8).
#ifndef HLOKIT_IR_LAYOUT_H_
#define HLOKIT_IR_LAYOUT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "ir/element_type.h"

namespace hlo {

class Shape;

using DimensionVector = absl::InlinedVector<int64_t, 4>;

// One level of tiling; applies to the minor-most dimensions.
struct Tile {
  // Written `*`: this dimension is combined with the next more minor one before tiling.
  static constexpr int64_t kCombineDimension = INT64_MIN;
  DimensionVector dims;

  bool operator==(const Tile&) const = default;
  template <typename H>
  friend H AbslHashValue(H h, const Tile& tile) {
    return H::combine(std::move(h), tile.dims);
  }
};

// Where one dimension is split over memories: SC(dimension:indices).
struct SplitConfig {
  int64_t dimension = 0;
  DimensionVector split_indices;

  bool operator==(const SplitConfig&) const = default;
};

// What only accelerator dumps say. Kept apart so that an ordinary layout stays small.
struct LayoutExtras {
  int64_t tail_padding_alignment = 1;               // L(n), in elements
  std::optional<ElementType> index_type;            // #(u32)
  std::optional<ElementType> pointer_type;          // *(u32)
  int64_t element_size_in_bits = 0;                 // E(n); 0: the type's own
  std::vector<SplitConfig> splits;                  // SC(...)
  std::shared_ptr<const Shape> physical_shape;      // P(shape); stand-alone layouts only
  int64_t dynamic_shape_metadata_prefix_bytes = 0;  // M(n)

  bool operator==(const LayoutExtras& other) const;
};

struct Layout {
  // Dimension numbers from the fastest varying one to the slowest.
  DimensionVector minor_to_major;
  absl::InlinedVector<Tile, 1> tiles;
  int64_t memory_space = 0;                    // S(n)
  std::shared_ptr<const LayoutExtras> extras;  // null: all default

  // {rank-1, ..., 1, 0}: row-major.
  static Layout Default(int64_t rank);
  bool IsDefault() const;
  // Whether minor_to_major names each of `rank` dimensions once. The text may say anything.
  bool IsOrderOf(int64_t rank) const;
  // Whether anything but the order of dimensions is given.
  bool HasTail() const { return !tiles.empty() || memory_space != 0 || extras != nullptr; }

  bool operator==(const Layout& other) const;
  template <typename H>
  friend H AbslHashValue(H h, const Layout& layout) {
    return H::combine(std::move(h), layout.minor_to_major, layout.tiles, layout.memory_space);
  }
};

}  // namespace hlo

#endif  // HLOKIT_IR_LAYOUT_H_
