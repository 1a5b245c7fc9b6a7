// Dimensions that are walked alike in both arrays are joined first, so that a copy of a block, a
// row or the whole array is one memcpy. A transposition of large arrays goes by square tiles:
// otherwise every element would touch a cache line of its own.
#include "interp/reference/strided_copy.h"

#include <algorithm>
#include <cstring>

#include "interp/reference/element_size.h"

namespace hlo::reference {
namespace {

using Dimension = StridedCopy::Dimension;
using Dimensions = StridedCopy::Dimensions;

// Drops dimensions of size 1 and joins a dimension with the next more minor one where stepping
// over the whole of the latter is one step of the former.
Dimensions Simplify(std::span<const int64_t> dims, std::span<const int64_t> from_strides,
                    std::span<const int64_t> to_strides) {
  Dimensions result;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 1) continue;
    const Dimension dimension{dims[d], from_strides[d], to_strides[d]};
    if (!result.empty() && result.back().from == dimension.from * dimension.size &&
        result.back().to == dimension.to * dimension.size) {
      result.back() = {result.back().size * dimension.size, dimension.from, dimension.to};
    } else {
      result.push_back(dimension);
    }
  }
  return result;
}

template <typename T>
void CopyRow(const Dimension& row, const T* from, T* to) {
  if (row.to == 1 && row.from == 1) {
    std::memcpy(to, from, row.size * sizeof(T));
  } else if (row.to == 1 && row.from == 0) {
    std::fill_n(to, row.size, *from);
  } else if (row.to == 1) {
    for (int64_t i = 0; i < row.size; ++i) to[i] = from[i * row.from];
  } else {
    for (int64_t i = 0; i < row.size; ++i) to[i * row.to] = from[i * row.from];
  }
}

template <typename T>
void CopyPlane(const Dimension& outer, const Dimension& inner, const T* from, T* to) {
  // Only where one array is contiguous along `inner` and the other along `outer` do tiles help.
  const bool transposes = inner.to == 1 && inner.from != 1 && outer.from == 1;
  const int64_t tile = transposes ? 32 : std::max(outer.size, inner.size);
  for (int64_t i = 0; i < outer.size; i += tile) {
    for (int64_t j = 0; j < inner.size; j += tile) {
      const Dimension row{std::min(tile, inner.size - j), inner.from, inner.to};
      const int64_t rows_end = std::min(i + tile, outer.size);
      for (int64_t k = i; k < rows_end; ++k) {
        CopyRow(row, from + k * outer.from + j * inner.from, to + k * outer.to + j * inner.to);
      }
    }
  }
}

template <typename T>
void CopyDimensions(std::span<const Dimension> dimensions, const T* from, T* to) {
  if (dimensions.empty()) {
    *to = *from;
  } else if (dimensions.size() == 1) {
    CopyRow(dimensions[0], from, to);
  } else if (dimensions.size() == 2) {
    CopyPlane(dimensions[0], dimensions[1], from, to);
  } else {
    for (int64_t i = 0; i < dimensions[0].size; ++i) {
      CopyDimensions(dimensions.subspan(1), from + i * dimensions[0].from,
                     to + i * dimensions[0].to);
    }
  }
}

// Puts the dimension along which `from` is contiguous next to the innermost one, where CopyPlane
// expects it.
void BringTransposedDimensionInside(Dimensions& dimensions) {
  if (dimensions.size() < 3 || dimensions.back().from == 1) return;
  for (auto it = dimensions.begin(); it != dimensions.end() - 1; ++it) {
    if (it->from == 1) {
      std::rotate(it, it + 1, dimensions.end() - 1);
      return;
    }
  }
}

}  // namespace

Strides DenseStrides(std::span<const int64_t> dims) {
  Strides strides(dims.size());
  uint64_t stride = 1;  // those of an array without elements may wrap around: nobody uses them
  for (size_t d = dims.size(); d-- > 0;) {
    strides[d] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(dims[d]);
  }
  return strides;
}

StridedCopy::StridedCopy(int64_t element_size, std::span<const int64_t> dims,
                         std::span<const int64_t> from_strides, std::span<const int64_t> to_strides)
    : element_size_(element_size),
      is_empty_(std::find(dims.begin(), dims.end(), 0) != dims.end()),
      dimensions_(is_empty_ ? Dimensions() : Simplify(dims, from_strides, to_strides)) {
  BringTransposedDimensionInside(dimensions_);
}

void StridedCopy::operator()(const std::byte* from, std::byte* to) const {
  if (is_empty_) return;
  DispatchElementSize(element_size_, [&]<typename T>() {
    CopyDimensions<T>(dimensions_, reinterpret_cast<const T*>(from), reinterpret_cast<T*>(to));
  });
}

void FillElements(int64_t element_size, const std::byte* value, std::byte* to, int64_t count) {
  DispatchElementSize(element_size, [&]<typename T>() {
    std::fill_n(reinterpret_cast<T*>(to), count, *reinterpret_cast<const T*>(value));
  });
}

}  // namespace hlo::reference
