// The dimensions of a product of strided arrays (matrix_product.h), by role.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_PRODUCT_DIMENSIONS_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_PRODUCT_DIMENSIONS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/checked_math.h"

namespace hlo::simd {

// One dimension, with the distance between neighbours in each array it runs through; 0 in others.
struct ProductDimension {
  int64_t size;
  int64_t row_stride = 0;     // in the array that gives the rows
  int64_t column_stride = 0;  // in the one that gives the columns
  int64_t out_stride = 0;
};

// Which array is meant.
inline constexpr auto kInRows = &ProductDimension::row_stride;
inline constexpr auto kInColumns = &ProductDimension::column_stride;
inline constexpr auto kInOut = &ProductDimension::out_stride;

// a * b, at most 2^60, so that a few of them have a sum; both at least 0.
inline int64_t Times(int64_t a, int64_t b) {
  return std::min(CheckedMul(a, b).value_or(INT64_MAX), int64_t{1} << 60);
}

// Dimensions of one role, outermost first.
class ProductDimensions {
 public:
  // Adds an inner dimension, which becomes part of the one before where these are one in memory.
  void Add(ProductDimension dimension);
  // The same for sums, whose order is free: those far apart in the rows come first.
  void SortForRows();

  int64_t count() const { return count_; }
  const std::vector<ProductDimension>& dimensions() const { return dimensions_; }
  bool IsDense(int64_t ProductDimension::*stride) const;
  // Whether all elements are as far from each other as the first two, and how far; 0 for one.
  bool IsEven(int64_t ProductDimension::*stride) const;
  // How many elements lie side by side from each multiple of that number on: all of dense ones.
  int64_t RunSize(int64_t ProductDimension::*stride) const {
    return dimensions_.empty() || dimensions_.back().*stride != 1 ? 1 : dimensions_.back().size;
  }
  int64_t Distance(int64_t ProductDimension::*stride) const {
    return dimensions_.empty() ? 0 : dimensions_.back().*stride;
  }

  // Where element `index`, counted through all dimensions, lies.
  int64_t Offset(int64_t index, int64_t ProductDimension::*stride) const;
  // The same for `count` elements from `begin` on.
  void Offsets(int64_t begin, int64_t count, int64_t ProductDimension::*stride,
               int64_t* offsets) const;

 private:
  std::vector<ProductDimension> dimensions_;
  int64_t count_ = 1;
};

// What the elements of a product's operands are in memory, where the other operand's are less.
enum class OperandForm : uint8_t {
  kCarriers,
  kNarrow,     // bf16, widened where it is loaded
  kConverted,  // parts convert them, if few rows are multiplied by what lies there
};

struct ProductShape {
  ProductDimensions batch, rows, sum, columns;
  // Of the columns' out strides only the last counts: they must be one dimension there.

  // Whether sums of integers are cut to the range of narrower results (StoreSaturated), which they
  // otherwise wrap to.
  bool saturates = false;
  OperandForm form = OperandForm::kCarriers;

  // The elements of a row in `out`, where the rows of a batch entry lie there one behind the other;
  // 0 where they do not.
  int64_t DenseRowSize() const;
};

// The same product with what were rows as columns, and the other way round.
ProductShape Turned(const ProductShape& shape);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_PRODUCT_DIMENSIONS_H_
