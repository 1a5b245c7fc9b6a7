// The columns of a product as its kernels take them: in panels of a few vectors, term after term.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_COLUMN_PANELS_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_COLUMN_PANELS_H_

#include <cstdint>

#include "interp/simd/product/matrix_kernels.h"
#include "interp/simd/product/product_dimensions.h"

namespace hlo::simd {

// T: float, double, uint32_t or uint64_t, as in MatrixProduct.
template <typename T>
class ColumnPanels {
 public:
  // Some columns and some terms of the sum.
  struct Block {
    int64_t column_begin, column_end, term_begin, term_end;
    int64_t gap = 0;  // elements between panels
  };
  static constexpr int64_t kMostBlockColumns = 1024;

  ColumnPanels(const MatrixKernels<T>& kernels, const ProductShape& shape)
      : kernels_(kernels), columns_(shape.columns), sum_(shape.sum) {}

  int64_t PanelCount() const;
  // All terms of a panel.
  Block PanelAt(int64_t number) const;
  // The elements that so many columns, from a panel's begin on, take with so many terms.
  int64_t PackedSize(int64_t column_count, int64_t term_count, int64_t gap = 0) const;
  // The same of all columns and terms.
  int64_t PackedSize() const { return PackedSize(columns_.count(), sum_.count()); }
  // Panels lie one behind the other, [k, c] within; what is beyond the last column is 0. A block
  // begins with a panel and has kMostBlockColumns at most.
  void Pack(ProductData<T> columns, const Block& block, T* packed) const;
  // The same of all terms of a panel, to where it belongs among all.
  void PackPanel(ProductData<T> columns, int64_t number, T* packed) const;

  // Terms that lie evenly in both operands.
  int64_t RunSize() const;

 private:
  int64_t WidthOf(int64_t column_count) const;

  const MatrixKernels<T>& kernels_;
  ProductDimensions columns_, sum_;
};

extern template class ColumnPanels<float>;
extern template class ColumnPanels<double>;
extern template class ColumnPanels<uint32_t>;
extern template class ColumnPanels<uint64_t>;

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_COLUMN_PANELS_H_
