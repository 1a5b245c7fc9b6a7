// Dimensions that are one in all three arrays are joined as they are added, and those of size 1
// left out, so few remain to divide an index by. Offsets of neighbours go in runs along the
// innermost dimension, with the divisions once for each run.
#include "interp/simd/product/product_dimensions.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace hlo::simd {

void ProductDimensions::Add(ProductDimension dimension) {
  count_ *= dimension.size;
  if (dimension.size == 1) return;
  if (!dimensions_.empty()) {
    ProductDimension& outer = dimensions_.back();
    if (outer.row_stride == dimension.size * dimension.row_stride &&
        outer.column_stride == dimension.size * dimension.column_stride &&
        outer.out_stride == dimension.size * dimension.out_stride) {
      dimension.size *= outer.size;
      outer = dimension;
      return;
    }
  }
  dimensions_.push_back(dimension);
}

void ProductDimensions::SortForRows() {
  std::vector<ProductDimension> sorted = std::exchange(dimensions_, {});
  std::ranges::stable_sort(sorted, std::ranges::greater(), &ProductDimension::row_stride);
  count_ = 1;
  for (const ProductDimension& dimension : sorted) Add(dimension);
}

bool ProductDimensions::IsDense(int64_t ProductDimension::*stride) const {
  return dimensions_.empty() || (dimensions_.size() == 1 && dimensions_[0].*stride == 1);
}

bool ProductDimensions::IsEven(int64_t ProductDimension::*stride) const {
  for (size_t d = 1; d < dimensions_.size(); ++d) {
    const ProductDimension& inner = dimensions_[d];
    if (dimensions_[d - 1].*stride != inner.size * inner.*stride) return false;
  }
  return true;
}

int64_t ProductDimensions::Offset(int64_t index, int64_t ProductDimension::*stride) const {
  int64_t offset = 0;
  for (size_t d = dimensions_.size(); d-- > 0;) {
    offset += index % dimensions_[d].size * (dimensions_[d].*stride);
    index /= dimensions_[d].size;
  }
  return offset;
}

void ProductDimensions::Offsets(int64_t begin, int64_t count, int64_t ProductDimension::*stride,
                                int64_t* offsets) const {
  if (dimensions_.empty()) {
    std::fill_n(offsets, count, 0);
    return;
  }
  const ProductDimension& inner = dimensions_.back();
  while (count > 0) {
    const int64_t first = begin % inner.size;
    const int64_t run = std::min(count, inner.size - first);
    const int64_t base = Offset(begin, stride);
    for (int64_t i = 0; i < run; ++i) *offsets++ = base + i * (inner.*stride);
    begin += run;
    count -= run;
  }
}

int64_t ProductShape::DenseRowSize() const {
  const int64_t row_size = columns.count();
  const bool is_dense = columns.IsDense(kInOut) && rows.IsEven(kInOut) &&
                        (rows.count() == 1 || rows.Distance(kInOut) == row_size);
  return is_dense && rows.count() > 0 ? row_size : 0;
}

namespace {

ProductDimensions Turned(const ProductDimensions& dimensions) {
  ProductDimensions turned;
  for (ProductDimension d : dimensions.dimensions()) {
    std::swap(d.row_stride, d.column_stride);
    turned.Add(d);
  }
  if (dimensions.count() == 0) turned.Add({0});
  return turned;
}

}  // namespace

ProductShape Turned(const ProductShape& shape) {
  ProductShape turned = shape;
  turned.batch = Turned(shape.batch);
  turned.rows = Turned(shape.columns);
  turned.sum = Turned(shape.sum);
  turned.columns = Turned(shape.rows);
  return turned;
}

}  // namespace hlo::simd
