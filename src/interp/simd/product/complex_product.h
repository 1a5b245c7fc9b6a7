// Products of complex numbers as real ones. The parts of a number are an inner dimension of the sum
// on the side of the rows and of the columns in the result, and a number c on the side of the
// columns stands for
//   real(c)   imag(c)
//   -imag(c)  real(c)
// with a row for each part of the other factor and a column for each part of the product. Infinite
// factors, whose products are more than that, give results that are not finite.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_COMPLEX_PRODUCT_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_COMPLEX_PRODUCT_H_

#include <cstdint>

#include "absl/status/status.h"
#include "interp/kernel/device.h"
#include "interp/simd/product/product_dimensions.h"

namespace hlo::simd {

// `from` with strides that count parts, `factors` times those of each array.
ProductDimensions InParts(const ProductDimensions& from, ProductDimension factors);
// `dimensions` and an inner one, if there are any.
ProductDimensions WithInner(ProductDimensions dimensions, ProductDimension inner);

// Columns as they are expanded: numbers of rows by pairs, those for real and for imaginary results
// side by side, or, if terms lie side by side and so stay there, one behind the others.
class ExpandedColumns {
 public:
  // `count`: the numbers of the array that gives the columns. Strides of `product` count numbers.
  ExpandedColumns(const ProductShape& product, int64_t count);
  // Expanded by pairs: part p of a term and part r of its result are [number, p, r].
  explicit ExpandedColumns(int64_t count) : has_dense_terms_(false), count_(count) {}

  // The product of parts; may be none where columns of `product` are no one dimension in the result
  // whose elements are one number apart.
  ProductShape Product(const ProductShape& product) const;
  // The parts that all take, and where those of number `i` begin.
  int64_t part_count() const { return Times(4, count_); }
  int64_t Offset(int64_t i) const { return (has_dense_terms_ ? 2 : 4) * i; }
  // Expands the numbers of an array, given by their parts.
  template <typename T>
  absl::Status Expand(const DeviceContext& device, const T* parts, T* to) const;

 private:
  bool has_dense_terms_;
  int64_t count_;
};

// Whether terms lie side by side in both operands.
bool HasDenseTerms(const ProductShape& product);

extern template absl::Status ExpandedColumns::Expand(const DeviceContext&, const float*,
                                                     float*) const;
extern template absl::Status ExpandedColumns::Expand(const DeviceContext&, const double*,
                                                     double*) const;

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_COMPLEX_PRODUCT_H_
