// Lines and terms of arrays as blocks of tiles (tile_kernels.h), of elements of one byte or two.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_TILE_PACKING_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_TILE_PACKING_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "interp/simd/product/product_dimensions.h"
#include "interp/simd/product/tile_kernels.h"

namespace hlo::simd {

// Where some lines or terms lie, and whether they are neighbours there, or as far from each other.
template <size_t kCapacity>
class Offsets {
 public:
  Offsets(const ProductDimensions& dimensions, int64_t ProductDimension::*stride, int64_t begin,
          int64_t capacity)
      : count(std::min(capacity, dimensions.count() - begin)) {
    if (dimensions.dimensions().size() <= 1) {
      first = dimensions.Offset(begin, stride);
      if (count > 1) distance = dimensions.Distance(stride);
    } else {
      dimensions.Offsets(begin, count, stride, values_);
      first = values_[0];
      if (count > 1) distance = values_[1] - first;
      for (int64_t i = 1; i < count; ++i) is_even &= values_[i] == first + i * distance;
    }
    is_dense = is_even && distance == 1;
  }

  int64_t operator[](int64_t i) const { return is_even ? first + i * distance : values_[i]; }
  // The same where they are not even.
  const int64_t* uneven() const { return values_; }

  const int64_t count;
  int64_t first;
  int64_t distance = 1;  // of the second from the first
  bool is_even = true, is_dense;

 private:
  int64_t values_[kCapacity];  // where they are not even
};
using LineOffsets = Offsets<kPanelLines>;
using TermOffsets = Offsets<kTileLineByteSize>;  // of a block

// Puts one block of a panel of rows, or of columns, at `to`, which is 0 beforehand where the block
// is not full.
void PackRowBlock(int64_t element_size, const std::byte* from, const LineOffsets& lines,
                  const TermOffsets& terms, std::byte* to);
void PackColumnBlock(int64_t element_size, const std::byte* from, const LineOffsets& lines,
                     const TermOffsets& terms, std::byte* to);
// The same of as many panels of columns that all lie side by side, the first of them at `lines`,
// and of terms as far from each other that fill groups (term_groups.h). Panels are put
// panel_byte_size apart.
void PackColumnPanels(int64_t element_size, const std::byte* from, const LineOffsets& lines,
                      const TermOffsets& terms, int64_t panel_count, std::byte* to,
                      int64_t panel_byte_size);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_TILE_PACKING_H_
