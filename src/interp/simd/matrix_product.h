// Products of strided arrays: what dot and convolution of any dimension numbers come down to.
//   out[b, r, c] = sum over k of rows[b, r, k] * columns[b, k, c]
// where b, r, k and c each stand for any number of dimensions. Operands are read where they are, by
// strides; only columns are packed into panels, where that pays.
#ifndef HLOKIT_INTERP_SIMD_MATRIX_PRODUCT_H_
#define HLOKIT_INTERP_SIMD_MATRIX_PRODUCT_H_

#include <algorithm>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "interp/simd/column_panels.h"
#include "interp/simd/matrix_kernels.h"
#include "interp/simd/parallel.h"
#include "interp/simd/product_dimensions.h"
#include "interp/simd/product_watch.h"
#include "ir/element_type.h"

namespace hlo::simd {

// A product of carriers T: float, double, uint32_t or uint64_t (semantics.md 10.1).
template <typename T>
class MatrixProduct {
 public:
  // `rows_at_once`: where others cut it into ranges, about so many rows are in one.
  explicit MatrixProduct(ProductShape shape, int64_t rows_at_once = INT64_MAX);

  // The elements that packed columns take, of all batch entries.
  int64_t PackedSize() const { return shape_.batch.count() * panels_.PackedSize(); }
  // Whether packing ahead is of use: when the columns of many runs are the same.
  bool HasPackedForm() const { return mode_ == Mode::kPacked; }
  // The bytes that a run takes: columns that it packs by itself, and the work arrays of its parts.
  int64_t ScratchByteSize(ElementType out_type, bool has_narrow_rows) const;
  absl::Status Pack(const DeviceContext& device, ProductData<T> columns, T* packed) const;

  // Whether a run packs columns by itself. `has_packed`: it gets packed ones.
  bool PacksColumns(bool has_packed) const { return mode_ == Mode::kPacked && !has_packed; }
  // The elements of a row of the product in `out`, where a run finishes a few of them at a time; 0
  // where rows do not lie one behind the other, or are all done at once.
  int64_t FinishedRowSize(bool has_packed) const;

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
  // The bytes that takes.
  double RangeByteSize(int64_t row_count, int64_t column_count, ElementType out_type,
                       bool has_narrow_rows) const;

 private:
  enum class Mode : uint8_t {
    kPacked,  // columns are packed
    kWide,    // columns lie side by side in memory already, and there are few rows
    kDot,     // the terms of both sides lie side by side, and one side is small: sums in lanes
  };
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

  // How a run goes about its batch: entry by entry, whose parts are shared out, or many small
  // entries, of which each part of the run has some as a whole.
  int64_t EntryWork() const;
  bool IsSharedByEntries() const;
  int64_t EntriesOfPart() const;

  bool SharesColumns() const;
  // How many parts the sum of wide columns is cut into: their lines are as long as they can be
  // then.
  int64_t SumSplit() const;

  // Whether parts pack the columns they need, block by block of the sum, where nobody has yet.
  // Otherwise all are packed before the first part.
  bool PacksInParts() const;
  bool IsPackedByParts(const Entry& entry) const {
    return mode_ == Mode::kPacked && entry.packed == nullptr;
  }
  // The columns of such a part, which has all rows.
  int64_t PackingColumns() const;
  // How many columns of a range are made together.
  int64_t ColumnsOfRange() const;

  // Whether sums go straight to where they belong.
  bool IsDirect(ElementType out_type) const;
  // How many rows a part does at a time.
  int64_t RowStep(bool has_narrow_rows) const;
  // The bytes that a part of so many rows and columns takes.
  double PartByteSize(int64_t row_count, int64_t column_count, ElementType out_type,
                      bool has_narrow_rows) const;

  // Where a block of packed columns is: of the panel that begins with `column`, from `term` on.
  const T* PackedBlock(const Entry& entry, int64_t column, int64_t term) const;
  // The elements of a packed block of so many columns.
  int64_t BlockSize(int64_t column_count) const;
  Mode ChooseMode(int64_t row_count) const;
  // The most runs that a block of the sum has.
  int64_t MostRuns() const;
  std::span<const SumRun> FillRuns(int64_t begin, int64_t end, SumRun* runs) const;
  Entry EntryAt(int64_t index, ProductData<T> rows, ProductData<T> columns, const T* packed,
                std::byte* out, ElementType out_type) const;
  // Rows and columns of the parts of an entry.
  struct PartSizes {
    int64_t rows, columns;
  };
  PartSizes SizesOfParts(bool packs) const;
  absl::Status RunEntry(const DeviceContext& device, const Entry& entry, ElementType out_type,
                        const ProductWatch& watch) const;
  absl::Status RunSplitSum(const DeviceContext& device, const Entry& entry,
                           ElementType out_type) const;
  void RunPart(ScratchPool& pool, const Entry& entry, const Part& part, ElementType out_type,
               const ProductWatch& watch) const;
  void StoreSums(const T* sums, int64_t width, std::span<const int64_t> row_offsets,
                 int64_t column_begin, ElementType out_type, std::byte* out) const;
  void PackPanel(const Entry& entry, int64_t panel, T* packed, const ProductWatch& watch) const;
  void MultiplyPart(ScratchPool& pool, const Entry& entry, const Part& part,
                    const int64_t* row_offsets, T* out, int64_t out_stride,
                    const ProductWatch& watch) const;
  void DotPart(ScratchPool& pool, const Entry& entry, const Part& part, const int64_t* row_offsets,
               T* out, int64_t out_stride) const;

  const MatrixKernels<T>& kernels_;
  ProductShape shape_;
  ColumnPanels<T> panels_;
  Mode mode_;
  int64_t row_part_, column_part_;  // sizes of parts
  int64_t sum_part_;                // terms whose columns stay in the cache
  int64_t sum_split_ = 1;           // parts of the sum that are added in the end
};

extern template class MatrixProduct<float>;
extern template class MatrixProduct<double>;
extern template class MatrixProduct<uint32_t>;
extern template class MatrixProduct<uint64_t>;

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_MATRIX_PRODUCT_H_
