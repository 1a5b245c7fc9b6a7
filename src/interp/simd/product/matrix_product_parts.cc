// Parts depend on sizes alone. Each is worth handing to a thread and takes some 10 ms at most; its
// panel of columns stays in the second-level cache for a block of the sum.
#include "interp/simd/product/matrix_product_parts.h"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>

#include "interp/reference/scratch.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/base/work_array.h"
#include "interp/simd/product/converted_product.h"
#include "interp/simd/product/line_products.h"
#include "interp/simd/product/product_watch.h"
#include "interp/simd/product/row_lines.h"
#include "interp/simd/product/wide_rows.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kPanelByteSize = 128 << 10;  // of a panel's part in a block of the sum
constexpr int64_t kRowPart = 192;              // rows, about
// Terms in lines of their own, which rows that lie side by side share: half of what the first-level
// cache holds.
constexpr int64_t kFarTerms = 256;
constexpr int64_t kLeastToBringTogether = 128;  // columns, for which that is next to nothing
// What a part packs for itself: lines of at least so many bytes, of so many columns at most, which
// memory gives the faster the longer they are; blocks of so many bytes, whose sums take so many at
// most.
constexpr int64_t kPackingLine = 256, kMostPackingColumns = 1024;
constexpr int64_t kPackedBlockByteSize = 256 << 10;
constexpr int64_t kPackingSumsByteSize = 128 << 10;
constexpr int64_t kLeastPackingParts = 4;
// Products that are worth a part of their own: some 10 us.
template <typename T>
constexpr int64_t kPartWork = (int64_t{1} << 22) / static_cast<int64_t>(sizeof(T));
// Of columns, for which few rows wait: some 5 us.
constexpr int64_t kPartByteSize = 256 << 10;
constexpr int64_t kFewParts = 4;
// Rows of sums that are a power of two apart push each other out of the first-level cache, if they
// are more than these.
constexpr int64_t kMostDirectRows = 4;
template <typename T>
constexpr int64_t kSumsLine = 64 / static_cast<int64_t>(sizeof(T));
constexpr int64_t kSmallWork = 512;  // products
constexpr int64_t kFewColumns = 4, kFewTerms = 16;
constexpr int64_t kEntryWork = 1024;  // that take as long as it does to begin with an entry
constexpr int64_t kMaxPartWork = int64_t{1} << 28;  // products: some 10 ms
constexpr int64_t kSharedByteSize = 256 << 10;      // of columns that all parts go through
constexpr int64_t kLeastWideRun = 512;              // columns
// Columns that memory or the third-level cache gives as slowly as some rows are multiplied by them.
constexpr int64_t kManyColumns = 1024, kLeastRunToRead = 128;
// By columns in several runs; for more rows those that are always the same are better packed.
constexpr int64_t kMostRowsOfRuns = 4;
constexpr int64_t kManyToRead = int64_t{1} << 21;  // elements
// Runs of columns that the caches are asked for: carriers take so little time that more costs more.
template <typename T>
constexpr int64_t kShortRunOfCarriers = (int64_t{2} << 10) / static_cast<int64_t>(sizeof(T));
constexpr int64_t kShortRunOfOthers = int64_t{2} << 10;
// Of a part that reads columns as they lie: they stay in the second-level cache.
template <typename T>
constexpr int64_t kWideSums = (int64_t{256} << 10) / static_cast<int64_t>(sizeof(T));
constexpr int64_t kLeastSummedRun = 128;  // columns that parts are cut into for that
// Of fewer columns sums are cut, so that parts read whole lines.
constexpr int64_t kMostSplitColumns = 3072;
constexpr int64_t kMostLargeSplitColumns = 8192;  // of more elements than caches hold
constexpr int64_t kMostLargeSplitSums = 32768;    // the same, of all rows, if that is more
constexpr int64_t kLargeSplitElements = int64_t{1} << 24;
constexpr int64_t kMostSplits = 8;
constexpr int64_t kMostSplitSums = int64_t{1} << 16;  // of a part
constexpr int64_t kLongSum = 32;                      // times as many terms as rows, or columns
constexpr int64_t kSplitByteSize = 256 << 10;         // of the columns' part in a part of the sum
constexpr int64_t kWideSize = int64_t{1} << 18;       // elements of rows that are widened at a time
constexpr int64_t kCachedWideSize = int64_t{1} << 15;      // that stay in the second-level cache
constexpr int64_t kMostConvertedTerms = int64_t{1} << 16;  // of a column that becomes one line

ProductShape WithSortedSum(ProductShape shape) {
  shape.sum.SortForRows();
  return shape;
}

}  // namespace

template <typename T>
MatrixProductParts<T>::MatrixProductParts(ProductShape shape, int64_t rows_at_once,
                                          std::optional<ProductMode> mode)
    : kernels_(GetMatrixKernels<T>()),
      shape_(WithSortedSum(std::move(shape))),
      panels_(kernels_, shape_) {
  mode_ = mode ? *mode : ChooseMode(std::min(rows_at_once, shape_.rows.count()));
  sum_part_ = kPanelByteSize / (kernels_.panel_width * static_cast<int64_t>(sizeof(T)));
  const int64_t row_count = shape_.rows.count();
  packing_columns_ = PackingColumns(std::min(rows_at_once, row_count));
  packing_terms_ = kPackedBlockByteSize / (packing_columns_ * static_cast<int64_t>(sizeof(T)));
  if (HasFarTerms()) {
    sum_part_ = std::min(sum_part_, kFarTerms);
    packing_terms_ = std::min(packing_terms_, kFarTerms);
  }
  row_part_ = row_count;
  if (row_count > kRowPart) {  // evenly
    row_part_ = RoundUp(CeilDiv(row_count, CeilDiv(row_count, kRowPart)), kernels_.tile_height);
  } else if (SharesColumns()) {
    row_part_ = row_count / kernels_.tile_height / kLeastFinished * kernels_.tile_height;
  }
  column_part_ = shape_.columns.count();
  sum_split_ = SumSplit();
  const int64_t width = kernels_.panel_width;
  const auto work = [&] { return Times(Times(row_part_, column_part_), shape_.sum.count()); };
  const auto part_count = [&] {
    return CeilDiv(row_count, std::max<int64_t>(1, row_part_)) *
           CeilDiv(shape_.columns.count(), std::max<int64_t>(1, column_part_));
  };
  // Memory gives long runs faster than short ones, and few parts keep it busy.
  const bool is_wide = mode_ == ProductMode::kWide;
  const int64_t least_run = is_wide ? kLeastWideRun : width;
  const int64_t enough_parts = is_wide ? 4 : 16;
  // Sums are read and written again and again.
  const auto has_large_sums = [&] {
    return is_wide && column_part_ > kLeastSummedRun &&
           Times(row_part_, column_part_) > kWideSums<T>;
  };
  const auto may_gain = [&] {
    const int64_t few = is_wide ? kFewParts : 2;
    const int64_t most_work = part_count() < few ? PartWork() : kPartWork<T>;
    return column_part_ > least_run && part_count() < enough_parts && work() > most_work;
  };
  while (column_part_ > width && (work() > kMaxPartWork || may_gain() || has_large_sums())) {
    column_part_ = RoundUp(CeilDiv(column_part_, 2), width);
    if (column_part_ == width) break;
  }
  const auto is_worth_two = [&] { return work() > (part_count() < 2 ? PartWork() : kPartWork<T>); };
  while (row_part_ > 8 && (work() > kMaxPartWork || (part_count() < 4 && is_worth_two()))) {
    row_part_ = RoundUp(CeilDiv(row_part_, 2), kernels_.tile_height);
  }
}

// Whether parts are some of the rows and all of the columns, so that they can be finished by
// themselves: of little work, and where columns stay in the caches.
template <typename T>
bool MatrixProductParts<T>::SharesColumns() const {
  const int64_t columns = Times(shape_.columns.count(), shape_.sum.count());
  return mode_ == ProductMode::kPacked && EntryWork() >= kPartWork<T> / 2 &&
         EntryWork() < 4 * kPartWork<T> &&
         shape_.rows.count() >= kLeastFinished * kernels_.tile_height &&
         columns <= kSharedByteSize / static_cast<int64_t>(sizeof(T));
}

template <typename T>
int64_t MatrixProductParts<T>::SumSplit() const {
  const int64_t column_count = shape_.columns.count();
  const int64_t elements = Times(column_count, shape_.sum.count());
  if (mode_ == ProductMode::kPacked) return SplitOfLongSums();
  const int64_t most_columns =
      elements < kLargeSplitElements
          ? kMostSplitColumns
          : std::max(kMostLargeSplitColumns,
                     kMostLargeSplitSums / std::max<int64_t>(1, shape_.rows.count()));
  if (mode_ != ProductMode::kWide || column_count > most_columns ||
      Times(shape_.rows.count(), column_count) > kWideSums<T>) {
    return 1;
  }
  const int64_t size = shape_.form == OperandForm::kNarrow ? sizeof(T) / 2 : sizeof(T);
  const int64_t splits = elements / (kSplitByteSize / size);
  // As many for each thread.
  const auto even = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(splits)));
  return std::max(std::clamp<int64_t>(even, 1, kMostSplits),
                  CeilDiv(Times(elements, shape_.rows.count()), kMaxPartWork));
}

// Of sums that are long beside rows and columns, parts that are some terms of all sums read each
// element of both sides once, as parts of rows and columns do not. Of few rows enough parts of
// columns, which they pack, do that with all that is large.
template <typename T>
int64_t MatrixProductParts<T>::SplitOfLongSums() const {
  const int64_t sums = Times(shape_.rows.count(), shape_.columns.count());
  const int64_t lines = std::max(shape_.rows.count(), shape_.columns.count());
  if (sums > kMostSplitSums || shape_.sum.count() / kLongSum < lines) return 1;
  const int64_t column_parts = CeilDiv(shape_.columns.count(), packing_columns_);
  if (PacksInParts() && column_parts >= kLeastPackingParts) return 1;
  const auto parts = static_cast<uint64_t>(EntryWork() / (4 * kPartWork<T>));
  const auto even = static_cast<int64_t>(std::bit_floor(parts));
  return even < 2 ? 1 : std::max(std::min(even, kMostSplits), CeilDiv(EntryWork(), kMaxPartWork));
}

template <typename T>
bool MatrixProductParts<T>::ReadsManyColumns(const ProductShape& shape) {
  return shape.rows.count() <= GetMatrixKernels<T>().most_rows_by_many.Of(shape.form) &&
         shape.columns.RunSize(kInColumns) >= kLeastRunToRead &&
         shape.sum.dimensions().size() == 1 && shape.columns.count() >= kManyColumns &&
         Times(shape.columns.count(), shape.sum.count()) >= kManyToRead;
}

template <typename T>
bool MatrixProductParts<T>::ReadsFewRows(const ProductShape& shape, int64_t row_count) {
  const MatrixKernels<T>& kernels = GetMatrixKernels<T>();
  return row_count <= kernels.most_wide_rows.Of(shape.form) && shape.sum.dimensions().size() <= 1 &&
         shape.columns.RunSize(kInColumns) >= kernels.panel_width;
}

template <typename T>
ProductMode MatrixProductParts<T>::ChooseMode(int64_t row_count) const {
  const int64_t column_count = shape_.columns.count();
  const bool are_sums_dense =
      shape_.sum.count() > 1 && shape_.sum.IsDense(kInRows) && shape_.sum.IsDense(kInColumns);
  const int64_t lines = std::min(row_count, column_count);
  const bool fills_lanes = shape_.sum.count() >= 4 * kernels_.vector_width;
  const bool is_small = std::max(row_count, column_count) <= kMaxDotLines;
  const int64_t most_lines =
      is_small ? kMaxDotLines : kernels_.MostDotLines(shape_.form, shape_.sum.count());
  if (are_sums_dense && (lines <= 2 || (lines <= most_lines && fills_lanes)))
    return ProductMode::kDot;
  const bool are_runs_faster = shape_.columns.IsDense(kInColumns) || row_count <= kMostRowsOfRuns;
  if (are_runs_faster && ReadsFewRows(shape_, row_count)) return ProductMode::kWide;
  return ProductMode::kPacked;
}

template <typename T>
int64_t MatrixProductParts<T>::MostRuns() const {
  const int64_t terms = std::min(std::max(sum_part_, packing_terms_), shape_.sum.count());
  return terms / std::max<int64_t>(1, panels_.RunSize()) + 2;
}

template <typename T>
int64_t MatrixProductParts<T>::EntryWork() const {
  return Times(Times(shape_.rows.count(), shape_.columns.count()), shape_.sum.count());
}

// Products that are worth a part of their own where there are few parts.
template <typename T>
int64_t MatrixProductParts<T>::PartWork() const {
  if (mode_ == ProductMode::kPacked) return kPartWork<T> / 2;
  constexpr int64_t kElements = kPartByteSize / static_cast<int64_t>(sizeof(T));
  return std::min(kPartWork<T>, Times(shape_.rows.count(), kElements));
}

template <typename T>
bool MatrixProductParts<T>::IsSharedByEntries() const {
  const int64_t work = EntryWork();
  return work < 4 * kPartWork<T> &&
         (shape_.batch.count() > 1 || (work < PartWork() && !SharesColumns()));
}

template <typename T>
bool MatrixProductParts<T>::IsSmall() const {
  const auto is_one = [](const ProductDimensions& d) { return d.dimensions().size() <= 1; };
  if (!is_one(shape_.rows) || !is_one(shape_.sum) || !is_one(shape_.columns)) return false;
  return HasSmallRows() || (shape_.batch.count() > 1 && EntryWork() <= kSmallWork);
}

template <typename T>
bool MatrixProductParts<T>::HasSmallRows() const {
  return shape_.batch.count() == 1 && shape_.rows.count() > kMaxWideRows &&
         shape_.columns.count() <= kFewColumns && shape_.sum.count() <= kFewTerms;
}

template <typename T>
int64_t MatrixProductParts<T>::EntriesOfPart() const {
  const int64_t batch_count = std::max<int64_t>(1, shape_.batch.count());
  const int64_t entry_work = EntryWork() + kEntryWork;
  const int64_t entries = kPartWork<T> / entry_work;
  if (entries >= batch_count) {
    // Less is not worth waking another thread.
    const bool is_worth_two = Times(batch_count, entry_work) >= kPartWork<T> / 2;
    return is_worth_two ? CeilDiv(batch_count, 2) : batch_count;
  }
  return std::clamp<int64_t>(entries, 1, std::max<int64_t>(1, batch_count / 16));
}

template <typename T>
bool MatrixProductParts<T>::PacksInParts() const {
  if (mode_ != ProductMode::kPacked) return false;
  if (sum_split_ > 1) return true;
  return shape_.rows.count() <= kMostRows &&
         Times(Times(shape_.rows.count(), packing_columns_), shape_.sum.count()) <= kMaxPartWork;
}

// More than the least only of columns whose terms are lines in memory.
template <typename T>
int64_t MatrixProductParts<T>::PackingColumns(int64_t row_count) const {
  constexpr auto kSize = static_cast<int64_t>(sizeof(T));
  const int64_t width = kernels_.panel_width;
  const int64_t least = std::max(kPackingLine / kSize, width);
  if (!shape_.columns.IsDense(kInColumns)) return least;
  const int64_t most =
      std::min({kMostPackingColumns, kPackingSumsByteSize / kSize / std::max<int64_t>(1, row_count),
                kMaxPartWork / std::max<int64_t>(1, Times(row_count, shape_.sum.count())),
                CeilDiv(shape_.columns.count(), kLeastPackingParts)});
  return std::max(least, most / width * width);
}

template <typename T>
typename MatrixProductParts<T>::Sizes MatrixProductParts<T>::SizesOfParts(bool packs) const {
  if (packs) return {shape_.rows.count(), packing_columns_};
  return {row_part_, column_part_};
}

template <typename T>
int64_t MatrixProductParts<T>::FinishedRowSize(bool has_packed) const {
  const int64_t row_size = shape_.DenseRowSize();
  if (row_size == 0 || sum_split_ > 1) return 0;
  const int64_t batch_count = shape_.batch.count();
  if (IsSharedByEntries()) {
    return CeilDiv(batch_count, EntriesOfPart()) >= kLeastFinished ? row_size : 0;
  }
  const bool packs = PacksColumns(has_packed) && PacksInParts();
  const int64_t bands = CeilDiv(shape_.rows.count(), SizesOfParts(packs).rows);
  return Times(batch_count, bands) >= kLeastFinished ? row_size : 0;
}

template <typename T>
int64_t MatrixProductParts<T>::ColumnsOfRange() const {
  return mode_ == ProductMode::kPacked ? packing_columns_ : kLeastWideRun;
}

template <typename T>
bool MatrixProductParts<T>::IsCarrier(ElementType out_type) {
  return std::is_floating_point_v<T>
             ? out_type == (sizeof(T) == 4 ? ElementType::kF32 : ElementType::kF64)
             : ElementByteSize(out_type) == static_cast<int64_t>(sizeof(T));
}

// Rows of the result are rows of carriers there.
template <typename T>
bool MatrixProductParts<T>::IsDirect(ElementType out_type) const {
  const auto& out_columns = shape_.columns.dimensions();
  const bool has_dense_columns = out_columns.empty() || out_columns.back().out_stride == 1;
  const bool is_apart = mode_ == ProductMode::kWide && shape_.rows.count() > kMostDirectRows;
  return IsCarrier(out_type) && has_dense_columns && shape_.rows.IsEven(kInOut) && !is_apart;
}

template <typename T>
int64_t MatrixProductParts<T>::RowStep(bool widens_rows) const {
  if (!widens_rows || mode_ == ProductMode::kWide) return kMostRows;
  const int64_t term_count = std::max<int64_t>(1, shape_.sum.count());
  if (mode_ == ProductMode::kDot) {
    return std::clamp<int64_t>(kWideSize / term_count, 1, kMostRows);
  }
  // Few columns stay in the caches, so that they may be read again and again. Fewer rows may be
  // those of a part that packs for itself, and would do so for each step.
  if (shape_.columns.count() > 2 * kernels_.panel_width || shape_.rows.count() <= kMostRows) {
    return kMostRows;
  }
  const int64_t rows = kCachedWideSize / std::min(sum_part_, term_count);
  return std::clamp(rows / kernels_.tile_height, int64_t{1}, kMostRows / kernels_.tile_height) *
         kernels_.tile_height;
}

template <typename T>
bool MatrixProductParts<T>::HasFarTerms() const {
  constexpr int64_t kLine = RowLines<T>::kLine;
  const auto& rows = shape_.rows.dimensions();
  return mode_ == ProductMode::kPacked && !rows.empty() && rows.back().row_stride == 1 &&
         rows.back().size >= kLine && shape_.sum.count() > 1 &&
         shape_.sum.Distance(kInRows) >= kLine;
}

template <typename T>
int64_t MatrixProductParts<T>::SumsPitch(int64_t column_count) const {
  return mode_ == ProductMode::kWide ? RoundUp(column_count, kSumsLine<T>) + kSumsLine<T>
                                     : column_count;
}

template <typename T>
bool MatrixProductParts<T>::BringsRowsTogether(int64_t row_count, int64_t column_count,
                                               bool widens_rows) const {
  if (mode_ == ProductMode::kWide) return row_count > 1;
  return HasFarTerms() && (widens_rows || column_count >= kLeastToBringTogether);
}

template <typename T>
bool MatrixProductParts<T>::HasShortRuns() const {
  const int64_t most =
      shape_.form == OperandForm::kCarriers ? kShortRunOfCarriers<T> : kShortRunOfOthers;
  return shape_.columns.RunSize(kInColumns) <= most &&
         Times(shape_.columns.count(), shape_.sum.count()) >= kManyToRead;
}

template <typename T>
int64_t MatrixProductParts<T>::BlockSize(int64_t column_count) const {
  return panels_.PackedSize(column_count, std::min(packing_terms_, shape_.sum.count()),
                            kPanelGap<T>);
}

template <typename T>
bool MatrixProductParts<T>::HasLineProducts(std::optional<ElementType> rows,
                                            std::optional<ElementType> columns) const {
  return mode_ == ProductMode::kDot && simd::HasLineProducts<T>(rows, columns, shape_.rows.count(),
                                                                shape_.sum.count() / sum_split_);
}

// Few rows: otherwise it is nothing beside the product to convert all columns first, and would be
// done again for the rows of other parts.
template <typename T>
bool MatrixProductParts<T>::ConvertsColumns() const {
  return mode_ == ProductMode::kWide ||
         (mode_ == ProductMode::kDot && shape_.sum.count() <= kMostConvertedTerms);
}

template <typename T>
int64_t MatrixProductParts<T>::ConvertedSize(int64_t column_count) const {
  return mode_ == ProductMode::kDot ? DotBlockSize(column_count, shape_.sum.count())
                                    : WideBlockSize(column_count);
}

template <typename T>
double MatrixProductParts<T>::PartByteSize(int64_t row_count, int64_t column_count,
                                           ElementType out_type, bool widens_rows,
                                           bool converts_columns, bool packs) const {
  using Array = WorkArray<T>;
  const int64_t sum_part = packs ? packing_terms_ : sum_part_;
  const int64_t most_rows = std::min(kMostRows, row_count);
  const auto rows = static_cast<double>(most_rows);
  const auto wide_rows = static_cast<double>(std::min(RowStep(widens_rows), row_count));
  const auto sum_count = static_cast<double>(shape_.sum.count());
  const double terms =
      mode_ == ProductMode::kDot ? sum_count : std::min(static_cast<double>(sum_part), sum_count);
  const bool brings_together = BringsRowsTogether(most_rows, column_count, widens_rows);
  return Array::ByteSize(IsDirect(out_type) ? 0
                                            : rows * static_cast<double>(SumsPitch(column_count))) +
         Array::ByteSize(widens_rows && !brings_together ? wide_rows * terms : 0) +
         Array::ByteSize(
             brings_together ? static_cast<double>(RowLines<T>::Size(most_rows, 1)) * terms : 0) +
         Array::ByteSize(converts_columns ? static_cast<double>(ConvertedSize(column_count)) : 0) +
         WorkArray<SumRun>::ByteSize(static_cast<double>(MostRuns()));
}

template <typename T>
int64_t MatrixProductParts<T>::ScratchByteSize(ElementType out_type, bool widens_rows,
                                               bool converts_columns) const {
  const int64_t row_count = shape_.rows.count(), column_count = shape_.columns.count();
  const int64_t batch_count = shape_.batch.count();
  if (batch_count == 0 || row_count == 0 || column_count == 0) return 0;
  const double packed = HasPackedForm() ? static_cast<double>(panels_.PackedSize()) * sizeof(T) : 0;
  if (IsSharedByEntries()) {
    const int64_t parts = PartsAtOnce(CeilDiv(batch_count, EntriesOfPart()));
    return reference::ByteSizeOf(
        static_cast<double>(parts) *
        (packed + PartByteSize(row_count, column_count, out_type, widens_rows, converts_columns)));
  }
  if (sum_split_ > 1) {
    const double sums =
        static_cast<double>(sum_split_) * static_cast<double>(row_count * column_count) * sizeof(T);
    const bool packs = mode_ == ProductMode::kPacked;
    const double part =
        PartByteSize(row_count, column_count, out_type, widens_rows, converts_columns, packs) +
        WorkArray<T>::ByteSize(packs ? static_cast<double>(BlockSize(column_count)) : 0);
    return reference::ByteSizeOf(sums + static_cast<double>(PartsAtOnce(sum_split_)) * part);
  }
  const int64_t parts =
      PartsAtOnce(Times(CeilDiv(row_count, row_part_), CeilDiv(column_count, column_part_)));
  const double with_packed =
      static_cast<double>(parts) *
      PartByteSize(row_part_, column_part_, out_type, widens_rows, converts_columns);
  // Of what is finished band by band.
  const double done =
      WorkArray<int32_t>::ByteSize(static_cast<double>(CeilDiv(row_count, row_part_)));
  if (!PacksInParts()) return reference::ByteSizeOf(packed + with_packed + done);
  const int64_t columns = std::min(packing_columns_, column_count);
  const double packing = PartByteSize(row_count, columns, out_type, widens_rows,
                                      /*converts_columns=*/false, /*packs=*/true) +
                         WorkArray<T>::ByteSize(static_cast<double>(BlockSize(columns)));
  const int64_t packing_parts = PartsAtOnce(CeilDiv(column_count, packing_columns_));
  return reference::ByteSizeOf(
      std::max(with_packed + done, static_cast<double>(packing_parts) * packing));
}

template <typename T>
double MatrixProductParts<T>::RangeByteSize(int64_t row_count, int64_t column_count,
                                            ElementType out_type, bool widens_rows) const {
  column_count = std::min(column_count, ColumnsOfRange());
  const bool packs = mode_ == ProductMode::kPacked;
  return PartByteSize(row_count, column_count, out_type, widens_rows,
                      /*converts_columns=*/false, packs) +
         WorkArray<T>::ByteSize(packs ? static_cast<double>(BlockSize(column_count)) : 0);
}

template class MatrixProductParts<float>;
template class MatrixProductParts<double>;
template class MatrixProductParts<uint32_t>;
template class MatrixProductParts<uint64_t>;

}  // namespace hlo::simd
