// Products of strided arrays: what dot and convolution of any dimension numbers come down to.
//   out[b, r, c] = sum over k of rows[b, r, k] * columns[b, k, c]
// where b, r, k and c each stand for any number of dimensions. Operands are read where they are, by
// strides; only columns are packed into panels, where that pays.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_MATRIX_PRODUCT_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_MATRIX_PRODUCT_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/product/matrix_kernels.h"
#include "interp/simd/product/matrix_product_parts.h"
#include "interp/simd/product/product_dimensions.h"
#include "interp/simd/product/product_watch.h"
#include "ir/element_type.h"

namespace hlo::simd {

// A product of carriers T: float, double, uint32_t or uint64_t (semantics.md 10.1).
template <typename T>
class MatrixProduct : public MatrixProductParts<T> {
 public:
  // `rows_at_once`: where others cut it into ranges, about so many rows are in one. `mode`: the one
  // to take, not the best.
  explicit MatrixProduct(ProductShape shape, int64_t rows_at_once = INT64_MAX,
                         std::optional<ProductMode> mode = std::nullopt)
      : MatrixProductParts<T>(std::move(shape), rows_at_once, mode) {}

  // `packed` receives PackedSize() elements.
  absl::Status Pack(const DeviceContext& device, ProductData<T> columns, T* packed) const;

  // Whether there is one result, of terms that lie side by side on both sides. Small ones are not
  // worth what Run looks at.
  bool IsInnerProduct() const;
  void RunInnerProduct(const T* row, const T* column, T* out) const;

  // `packed` is null or what Pack made of `columns`. `out` has elements of type `out_type`, to
  // which sums are rounded or cut once. watch.finish is for products whose FinishedRowSize is not
  // 0.
  absl::Status Run(const DeviceContext& device, ProductData<T> rows, ProductData<T> columns,
                   const T* packed, ElementType out_type, std::byte* out,
                   const ProductWatch& watch = {}) const;

  // For those who cut it themselves: some rows of an entry of the batch, and some of the terms of
  // their sums, which are 0 if there are none.
  struct Range {
    int64_t entry = 0;
    int64_t row_begin = 0, row_end = 0;
    int64_t term_begin = 0, term_end = 0;
  };
  // Makes columns [column_begin, column_end) of a range. Packs what it needs for itself.
  void RunRange(ScratchPool& pool, const Range& range, int64_t column_begin, int64_t column_end,
                ProductData<T> rows, ProductData<T> columns, ElementType out_type,
                std::byte* out) const;

 private:
  using Base = MatrixProductParts<T>;
  using Base::kernels_;
  using Base::mode_;
  using Base::packing_terms_;
  using Base::panels_;
  using Base::shape_;
  using Base::sum_part_;
  using Base::sum_split_;

  struct Part {
    int64_t row_begin, row_end, column_begin, column_end, term_begin, term_end;
    // Of the part that is likely to be next on the same thread.
    int64_t next_column_begin = 0;
  };
  struct Entry {
    ProductData<T> rows;
    ProductData<T> columns;
    const T* packed;
    std::byte* out;
    int64_t out_begin;  // elements, of all entries, before those of `out`
  };

  // Whether parts pack the columns they need.
  bool IsPackedByParts(const Entry& entry) const {
    return Base::PacksColumns(/*has_packed=*/entry.packed != nullptr);
  }
  // Whether rows and columns are multiplied as they lie, and whether parts widen the rows.
  bool ReadsLines(const Entry& entry) const;
  bool WidensRows(const Entry& entry) const;
  // Where a block of packed columns is: of the panel that begins with `column`, from `term` on.
  const T* PackedBlock(const Entry& entry, int64_t column, int64_t term) const;
  std::span<const SumRun> FillRuns(int64_t begin, int64_t end, SumRun* runs) const;
  Entry EntryAt(int64_t index, ProductData<T> rows, ProductData<T> columns, const T* packed,
                std::byte* out, ElementType out_type) const;
  absl::Status RunEntry(const DeviceContext& device, const Entry& entry, ElementType out_type,
                        const ProductWatch& watch) const;
  absl::Status RunSmall(const DeviceContext& device, ProductData<T> rows, ProductData<T> columns,
                        ElementType out_type, std::byte* out, const ProductWatch& watch) const;
  absl::Status RunSplitSum(const DeviceContext& device, const Entry& entry, ElementType out_type,
                           const ProductWatch& watch) const;
  // Adds those of all parts of the sum, `size` apart, and stores them: of some rows.
  void FinishSplitRows(T* sums, int64_t size, int64_t row_begin, int64_t row_end,
                       ElementType out_type, std::byte* out) const;
  void RunPart(ScratchPool& pool, const Entry& entry, const Part& part, ElementType out_type,
               const ProductWatch& watch) const;
  void StoreSums(const T* sums, int64_t pitch, int64_t width, std::span<const int64_t> row_offsets,
                 int64_t column_begin, ElementType out_type, std::byte* out) const;
  void PackPanel(const Entry& entry, int64_t panel, T* packed, const ProductWatch& watch) const;
  void MultiplyPart(ScratchPool& pool, const Entry& entry, const Part& part,
                    const int64_t* row_offsets, T* out, int64_t out_stride,
                    const ProductWatch& watch) const;
  void MultiplyRuns(TileArguments<T> tile, ProductData<T> columns, const Part& part, T* out,
                    T* block) const;
  void DotPart(ScratchPool& pool, const Entry& entry, const Part& part, const int64_t* row_offsets,
               T* out, int64_t out_stride) const;
};

extern template class MatrixProduct<float>;
extern template class MatrixProduct<double>;
extern template class MatrixProduct<uint32_t>;
extern template class MatrixProduct<uint64_t>;

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_MATRIX_PRODUCT_H_
