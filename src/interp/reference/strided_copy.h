// Elements moved from one strided index space to another: what broadcast, transpose, slice, pad
// and their kind have in common. Bits are moved, types do not matter.
#ifndef HLOKIT_INTERP_REFERENCE_STRIDED_COPY_H_
#define HLOKIT_INTERP_REFERENCE_STRIDED_COPY_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "ir/index_space.h"

namespace hlo::reference {

// Distances between neighbours along each dimension, in elements; 0 repeats, negative ones run
// backwards.
using Strides = absl::InlinedVector<int64_t, 6>;

// The strides of a dense row-major array.
Strides DenseStrides(std::span<const int64_t> dims);

// A copy of a box of elements, prepared once and made between any number of places:
// to[sum i_k * to_strides_k] = from[sum i_k * from_strides_k] for every index i in `dims`.
// `element_size` is 1, 2, 4, 8 or 16 bytes. The pointers are at the elements of index 0; no element
// of `to` may be one of `from`.
class StridedCopy {
 public:
  struct Dimension {
    int64_t size;
    int64_t from;
    int64_t to;
  };
  using Dimensions = absl::InlinedVector<Dimension, 6>;

  StridedCopy(int64_t element_size, std::span<const int64_t> dims,
              std::span<const int64_t> from_strides, std::span<const int64_t> to_strides);
  void operator()(const std::byte* from, std::byte* to) const;

 private:
  int64_t element_size_;
  bool is_empty_;
  Dimensions dimensions_;
};

// One StridedCopy, made at once.
inline void CopyStrided(int64_t element_size, std::span<const int64_t> dims, const std::byte* from,
                        std::span<const int64_t> from_strides, std::byte* to,
                        std::span<const int64_t> to_strides) {
  StridedCopy(element_size, dims, from_strides, to_strides)(from, to);
}

// Sets `count` elements to the one at `value`.
void FillElements(int64_t element_size, const std::byte* value, std::byte* to, int64_t count);

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_STRIDED_COPY_H_
