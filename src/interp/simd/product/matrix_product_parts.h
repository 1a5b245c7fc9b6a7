// How a product is cut into parts, and the memory these take.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_MATRIX_PRODUCT_PARTS_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_MATRIX_PRODUCT_PARTS_H_

#include <cstdint>
#include <optional>

#include "interp/simd/product/column_panels.h"
#include "interp/simd/product/matrix_kernels.h"
#include "interp/simd/product/product_dimensions.h"
#include "ir/element_type.h"

namespace hlo::simd {

// Elements between the panels of a block that a part packs: lines go to all of these, which a power
// of two apart would push each other out of the first-level cache.
template <typename T>
inline constexpr int64_t kPanelGap = 128 / static_cast<int64_t>(sizeof(T));

enum class ProductMode : uint8_t {
  kPacked,  // columns are packed
  kWide,    // columns lie side by side in memory already, and there are few rows
  kDot,     // the terms of both sides lie side by side, and one side is small: sums in lanes
};

// Of a product of carriers T, as in MatrixProduct, which is one.
template <typename T>
class MatrixProductParts {
 public:
  // The elements that packed columns take, of all batch entries.
  int64_t PackedSize() const { return shape_.batch.count() * panels_.PackedSize(); }
  // Whether rows had better be multiplied by the columns as they lie (kWide) in every run that
  // would have to pack these, though packed ones are faster.
  static bool ReadsColumns(const ProductShape& shape) {
    return ReadsFewRows(shape, shape.rows.count()) || ReadsManyColumns(shape);
  }
  // The same of columns that are so many that even more than a few rows take no longer than these.
  static bool ReadsManyColumns(const ProductShape& shape);
  // Whether packing ahead is of use: when the columns of many runs are the same.
  bool HasPackedForm() const { return mode_ == ProductMode::kPacked && !IsSmall(); }
  // Whether a run packs columns by itself. `has_packed`: it gets packed ones.
  bool PacksColumns(bool has_packed) const { return mode_ == ProductMode::kPacked && !has_packed; }
  // Whether columns, or rows, may be elements of other types that parts convert for themselves.
  bool ConvertsColumns() const;
  bool ConvertsRows() const { return mode_ == ProductMode::kDot && ConvertsColumns(); }
  // Whether rows and columns that are stored as these types are multiplied as they are, neither
  // widened nor converted (line_products.h).
  bool HasLineProducts(std::optional<ElementType> rows, std::optional<ElementType> columns) const;
  // The bytes that a run takes: columns that it packs by itself, and the work arrays of its parts.
  // `widens_rows`: parts widen or convert them.
  int64_t ScratchByteSize(ElementType out_type, bool widens_rows,
                          bool converts_columns = false) const;
  // The same of a range (MatrixProduct::RunRange).
  double RangeByteSize(int64_t row_count, int64_t column_count, ElementType out_type,
                       bool widens_rows) const;
  // The elements of a row of the product in `out`, where a run finishes a few of them at a time; 0
  // where rows do not lie one behind the other, or are all done at once.
  int64_t FinishedRowSize(bool has_packed) const;

 protected:
  MatrixProductParts(ProductShape shape, int64_t rows_at_once, std::optional<ProductMode> mode);

  // How a run goes about its batch: entry by entry, whose parts are shared out, or many small
  // entries, of which each part of the run has some as a whole.
  int64_t PartWork() const;
  bool IsSharedByEntries() const;
  // Whether entries are no work beside what finds their parts (MatrixKernels::multiply_small).
  bool IsSmall() const;
  // Whether that is so of the rows of the only entry.
  bool HasSmallRows() const;
  int64_t EntriesOfPart() const;
  // Rows and columns of the parts of an entry. `packs`: each packs its columns, all rows being its.
  struct Sizes {
    int64_t rows, columns;
  };
  Sizes SizesOfParts(bool packs) const;
  // Whether parts pack the columns they need, block by block of the sum, where nobody has yet.
  // Otherwise all are packed before the first part.
  bool PacksInParts() const;
  // How many columns of a range are made together.
  int64_t ColumnsOfRange() const;
  // Whether elements of `out_type` are carriers, for which sums need not be rounded or cut.
  static bool IsCarrier(ElementType out_type);
  // Whether sums go straight to where they belong.
  bool IsDirect(ElementType out_type) const;
  // How many rows a part does at a time.
  int64_t RowStep(bool widens_rows) const;
  // From row to row of sums that do not go straight to where they belong.
  int64_t SumsPitch(int64_t column_count) const;
  // Whether a part of so many rows and columns brings the terms of its rows together (row_lines.h).
  // Narrow ones are widened, one row behind the other, if not.
  bool BringsRowsTogether(int64_t row_count, int64_t column_count, bool widens_rows) const;
  // Whether columns that are read as they lie are more than caches hold, in runs too short for
  // processors to fetch ahead by themselves.
  bool HasShortRuns() const;
  // The elements of a packed block of so many columns.
  int64_t BlockSize(int64_t column_count) const;
  // The most elements of the block that a part of so many columns converts these to.
  int64_t ConvertedSize(int64_t column_count) const;
  // The most runs that a block of the sum has.
  int64_t MostRuns() const;

  const MatrixKernels<T>& kernels_;
  ProductShape shape_;
  ColumnPanels<T> panels_;
  ProductMode mode_;
  int64_t sum_part_;                         // terms whose columns stay in the cache
  int64_t packing_columns_, packing_terms_;  // of the block that a part packs at a time
  int64_t sum_split_ = 1;                    // parts of the sum that are added in the end

 private:
  // Whether rows are few beside columns that lie in lines.
  static bool ReadsFewRows(const ProductShape& shape, int64_t row_count);
  ProductMode ChooseMode(int64_t row_count) const;
  int64_t EntryWork() const;
  // Whether rows lie side by side, all or some at a time, and their terms in lines of their own.
  bool HasFarTerms() const;
  bool SharesColumns() const;
  // How many parts the sum of wide columns is cut into: their lines are as long as they can be
  // then.
  int64_t SumSplit() const;
  int64_t SplitOfLongSums() const;  // the same of packed ones
  // The columns of a part that packs them, which has all rows, of which so many are made at once.
  int64_t PackingColumns(int64_t row_count) const;
  // The bytes that a part of so many rows and columns takes, without those of columns it packs.
  double PartByteSize(int64_t row_count, int64_t column_count, ElementType out_type,
                      bool widens_rows, bool converts_columns = false, bool packs = false) const;

  int64_t row_part_, column_part_;  // sizes of parts
};

extern template class MatrixProductParts<float>;
extern template class MatrixProductParts<double>;
extern template class MatrixProductParts<uint32_t>;
extern template class MatrixProductParts<uint64_t>;

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_MATRIX_PRODUCT_PARTS_H_
