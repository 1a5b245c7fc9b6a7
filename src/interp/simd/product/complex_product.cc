// The dimensions of such products follow from those of numbers: a number is two parts in its own
// array, and four where it is expanded.
#include "interp/simd/product/complex_product.h"

#include <algorithm>

#include "interp/simd/base/parallel.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kPartCount = int64_t{1} << 15;  // numbers that are expanded by a part

}  // namespace

ProductDimensions InParts(const ProductDimensions& from, ProductDimension factors) {
  ProductDimensions result;
  if (from.count() == 0) result.Add({0});
  for (const ProductDimension& d : from.dimensions()) {
    result.Add({d.size, factors.row_stride * d.row_stride, factors.column_stride * d.column_stride,
                factors.out_stride * d.out_stride});
  }
  return result;
}

ProductDimensions WithInner(ProductDimensions dimensions, ProductDimension inner) {
  if (dimensions.count() != 0) dimensions.Add(inner);
  return dimensions;
}

bool HasDenseTerms(const ProductShape& product) {
  return product.sum.IsDense(kInRows) && product.sum.IsDense(kInColumns);
}

ExpandedColumns::ExpandedColumns(const ProductShape& product, int64_t count)
    : has_dense_terms_(HasDenseTerms(product)), count_(count) {}

ProductShape ExpandedColumns::Product(const ProductShape& product) const {
  const int64_t factor = Offset(1);
  const int64_t term = has_dense_terms_ ? 1 : 2;
  const int64_t result = has_dense_terms_ ? 2 * count_ : 1;
  return {InParts(product.batch, {0, 2, factor, 2}), InParts(product.rows, {0, 2, 0, 2}),
          WithInner(InParts(product.sum, {0, 2, factor, 0}), {2, 1, term, 0}),
          WithInner(InParts(product.columns, {0, 0, factor, 2}), {2, 0, result, 1})};
}

template <typename T>
absl::Status ExpandedColumns::Expand(const DeviceContext& device, const T* parts, T* to) const {
  return ForEachPart(device, CeilDiv(count_, kPartCount), [&](int64_t part) {
    const int64_t end = std::min(count_, (part + 1) * kPartCount);
    for (int64_t i = part * kPartCount; i < end; ++i) {
      const T real = parts[2 * i], imaginary = parts[2 * i + 1];
      T* terms_of_real = to + Offset(i);
      T* terms_of_imaginary = has_dense_terms_ ? terms_of_real + 2 * count_ : terms_of_real + 1;
      const int64_t step = has_dense_terms_ ? 1 : 2;
      terms_of_real[0] = real;
      terms_of_real[step] = -imaginary;
      terms_of_imaginary[0] = imaginary;
      terms_of_imaginary[step] = real;
    }
  });
}

template absl::Status ExpandedColumns::Expand(const DeviceContext&, const float*, float*) const;
template absl::Status ExpandedColumns::Expand(const DeviceContext&, const double*, double*) const;

}  // namespace hlo::simd
