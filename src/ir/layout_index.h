// Where the elements of an array stand in memory: the index arithmetic of layouts, both ways.
// Source: semantics.md 16.
#ifndef HLOKIT_IR_LAYOUT_INDEX_H_
#define HLOKIT_IR_LAYOUT_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "ir/index_space.h"
#include "ir/layout.h"
#include "ir/literal.h"

namespace hlo {

// Order, tiles and tail padding of one layout, for an array of given sizes.
class LayoutIndex {
 public:
  // Fails with kInvalidArgument when the layout does not fit the rank or a tile has a size below
  // 1, with kResourceExhausted when the padded size leaves int64.
  static absl::StatusOr<LayoutIndex> Make(std::span<const int64_t> dims, const Layout& layout);

  // Elements of memory, padding included.
  int64_t element_count() const { return element_count_; }

  // The position of the element with logical index `index`.
  int64_t Position(std::span<const int64_t> index) const;

  // The inverse: false when nothing but padding stands at `position`.
  bool IndexAt(int64_t position, std::span<int64_t> index) const;

 private:
  using Coordinates = absl::InlinedVector<int64_t, 8>;

  // Rewrites the coordinates from dimension `first` on.
  struct Step {
    size_t first;
    // Tile sizes: each coordinate is split into tile number and place in the tile. Empty: two
    // coordinates become one, the tile entry `*`.
    DimensionVector tile;
    Coordinates dims;  // before the step
  };

  absl::Status AddTile(const Tile& tile);
  void AddStep(Step step, Coordinates new_dims);
  static void Apply(const Step& step, Coordinates& coordinates);
  static void Undo(const Step& step, Coordinates& coordinates);

  DimensionVector minor_to_major_;
  size_t leading_ones_ = 0;  // dimensions added in front for tiles longer than the rank
  std::vector<Step> steps_;
  Coordinates dims_;  // after all steps
  int64_t element_count_ = 0;
};

// The multi-index of the element at `linear` in a dense row-major array of sizes `dims`: the
// inverse of LinearIndex in index_space.h. 0 <= linear < the product of the sizes.
Index MultiIndex(std::span<const int64_t> dims, int64_t linear);

// The same elements in an array with another layout, which may change the memory image but no
// element. Fails with kInvalidArgument when the literal is no array or the layout does not fit it.
absl::StatusOr<Literal> Relayout(const Literal& literal, const Layout& layout);

// The older padded layout (semantics.md 16.2): memory is that of an array with larger sizes.
struct LegacyPadding {
  std::vector<int64_t> padded_dims;
  Literal value;  // a scalar of the array's element type
};

// The bytes of an array as its layout has them (row-major without one): tiles and their padding,
// elements packed where E(n) says so, little endian. Padding is zero, or the value of `padding`.
// Dynamic arrays take the memory of their bounds. Fails with kInvalidArgument for tuples and
// layouts that do not fit, with kResourceExhausted when the memory is not to be had.
absl::StatusOr<std::vector<std::byte>> MemoryImage(const Literal& literal,
                                                   const LegacyPadding* padding = nullptr);

// The array of `shape` whose memory image is `image`: the inverse of MemoryImage. What stands in
// the padding is passed over; any byte of a pred but 0 is true. Fails as MemoryImage does, and with
// kInvalidArgument when the image has another size or the shape dynamic dimensions, whose sizes at
// run time no image tells.
absl::StatusOr<Literal> FromMemoryImage(const Shape& shape, std::span<const std::byte> image,
                                        const LegacyPadding* padding = nullptr);

// Elements of `bit_width` bits, a byte (or more) each, as a bit stream, least significant bits
// first; a last incomplete byte is filled with zeros. And back: bits above the width are zero, or
// copies of the top bit where `sign_extend`.
std::vector<std::byte> PackBits(int bit_width, int64_t byte_size, const std::byte* elements,
                                int64_t count);
void UnpackBits(int bit_width, int64_t byte_size, bool sign_extend, const std::byte* packed,
                std::byte* elements, int64_t count);

}  // namespace hlo

#endif  // HLOKIT_IR_LAYOUT_INDEX_H_
