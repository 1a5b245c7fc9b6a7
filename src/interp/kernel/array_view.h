// Arrays as kernels see them: dense, row-major, with the sizes they have at run time.
#ifndef HLOKIT_INTERP_KERNEL_ARRAY_VIEW_H_
#define HLOKIT_INTERP_KERNEL_ARRAY_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "ir/element_type.h"
#include "ir/index_space.h"
#include "support/check.h"

namespace hlo {

// The product of `dims`. A size of 0 makes it 0, whatever the others would make before.
inline int64_t CountElements(std::span<const int64_t> dims) {
  uint64_t count = 1;
  for (int64_t dim : dims) count *= static_cast<uint64_t>(dim);
  return static_cast<int64_t>(count);
}

// The elements of an array as Ts (const T for operands).
template <typename T>
class ArrayView {
 public:
  ArrayView(std::span<const int64_t> dims, T* data) : dims_(dims), data_(data) {}

  std::span<const int64_t> dims() const { return dims_; }
  int64_t rank() const { return static_cast<int64_t>(dims_.size()); }
  int64_t dim(int64_t d) const { return dims_[d]; }
  int64_t size() const { return CountElements(dims_); }
  T* data() const { return data_; }
  T& operator[](int64_t linear) const { return data_[linear]; }
  T& operator[](const Index& index) const {
    return data_[LinearIndex(dims_, std::span<const int64_t>(index.data(), index.size()))];
  }
  std::span<T> elements() const { return {data_, static_cast<size_t>(size())}; }

 private:
  std::span<const int64_t> dims_;
  T* data_;
};

// One array leaf of an operand or a result, element type not resolved. `dims` are the sizes at
// run time: for a dynamic dimension the true size, and the elements are dense over these sizes.
template <typename Byte>
struct BasicArrayRef {
  ElementType element_type = ElementType::kF32;
  std::span<const int64_t> dims;
  Byte* bytes = nullptr;

  int64_t element_count() const { return CountElements(dims); }
  int64_t byte_size() const { return element_count() * ElementByteSize(element_type); }
};

using ArrayRef = BasicArrayRef<const std::byte>;
using MutableArrayRef = BasicArrayRef<std::byte>;

template <typename T>
ArrayView<const T> View(const ArrayRef& array) {
  HLO_CHECK(array.element_type == kElementTypeOf<T>);
  return {array.dims, reinterpret_cast<const T*>(array.bytes)};
}
template <typename T>
ArrayView<T> View(const MutableArrayRef& array) {
  HLO_CHECK(array.element_type == kElementTypeOf<T>);
  return {array.dims, reinterpret_cast<T*>(array.bytes)};
}

}  // namespace hlo

#endif  // HLOKIT_INTERP_KERNEL_ARRAY_VIEW_H_
