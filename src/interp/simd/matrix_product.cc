// An entry of the batch is cut into parts of rows by columns, each with sums of its own, so that
// parts are independent of each other and of who computes them; where there are few rows and
// columns into parts of the sum, which are added in order. Within a part the sum goes in
// blocks whose panel of columns stays in the second-level cache while all rows of the part pass by:
// it is read fast enough from there, and sums leave their registers less often.
#include "interp/simd/matrix_product.h"

#include <algorithm>
#include <atomic>

#include "interp/reference/scratch.h"
#include "interp/simd/are_finite.h"
#include "interp/simd/carrier_array.h"
#include "interp/simd/wide_rows.h"
#include "interp/simd/work_array.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::simd {
namespace {

constexpr int64_t kPanelByteSize = 128 << 10;  // of a panel's part in a block of the sum
constexpr int64_t kRowPart = 192;              // rows, about
constexpr int64_t kPackingLine = 256;          // bytes of a line that a part packs for itself
// Products that are worth a part of their own: some 10 us.
template <typename T>
constexpr int64_t kPartWork = (int64_t{1} << 22) / static_cast<int64_t>(sizeof(T));
constexpr int64_t kMaxPartWork = int64_t{1} << 28;  // products: some 10 ms
constexpr int64_t kSharedByteSize = 256 << 10;      // of columns that all parts go through
constexpr int64_t kMaxWideRows = 16;
constexpr int64_t kLeastWideRun = 512;  // columns
// Of fewer columns sums are cut, so that parts read whole lines.
constexpr int64_t kMostSplitColumns = 2048;
constexpr int64_t kMostSplits = 8;
constexpr int64_t kSplitByteSize = 256 << 10;    // of the columns' part in a part of the sum
constexpr int64_t kWideSize = int64_t{1} << 18;  // elements of rows that are widened at a time
constexpr int64_t kMaxDotLines = 48;             // rows or columns, whichever are fewer

int64_t RoundUp(int64_t value, int64_t multiple) { return CeilDiv(value, multiple) * multiple; }

ProductShape WithSortedSum(ProductShape shape) {
  shape.sum.SortForRows();
  return shape;
}

}  // namespace

// --- Shape

template <typename T>
MatrixProduct<T>::MatrixProduct(ProductShape shape, int64_t rows_at_once)
    : kernels_(GetMatrixKernels<T>()),
      shape_(WithSortedSum(std::move(shape))),
      panels_(kernels_, shape_) {
  mode_ = ChooseMode(std::min(rows_at_once, shape_.rows.count()));
  sum_part_ = kPanelByteSize / (kernels_.panel_width * static_cast<int64_t>(sizeof(T)));
  const int64_t row_count = shape_.rows.count();
  row_part_ = row_count;
  if (row_count > kRowPart) {  // evenly
    row_part_ = RoundUp(CeilDiv(row_count, CeilDiv(row_count, kRowPart)), kernels_.tile_height);
  } else if (SharesColumns()) {
    const int64_t tiles = row_count / kernels_.tile_height;
    row_part_ = tiles / (EntryWork() < 2 * kPartWork<T> ? 2 : 4) * kernels_.tile_height;
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
  const bool is_wide = mode_ == Mode::kWide;
  const int64_t least_run = is_wide ? kLeastWideRun : width;
  const int64_t enough_parts = is_wide ? 4 : 16;
  const auto may_gain = [&] {
    return column_part_ > least_run && part_count() < enough_parts && work() > kPartWork<T>;
  };
  while (column_part_ > width && (work() > kMaxPartWork || may_gain())) {
    column_part_ = RoundUp(CeilDiv(column_part_, 2), width);
    if (column_part_ == width) break;
  }
  while (row_part_ > 8 && (work() > kMaxPartWork || (part_count() < 4 && work() > kPartWork<T>))) {
    row_part_ = RoundUp(CeilDiv(row_part_, 2), kernels_.tile_height);
  }
}

// Whether parts are some of the rows and all of the columns, so that they can be finished by
// themselves: of little work, and where columns stay in the caches.
template <typename T>
bool MatrixProduct<T>::SharesColumns() const {
  const int64_t columns = Times(shape_.columns.count(), shape_.sum.count());
  return mode_ == Mode::kPacked && EntryWork() >= kPartWork<T> / 2 &&
         EntryWork() < 4 * kPartWork<T> && shape_.rows.count() >= 4 * kernels_.tile_height &&
         columns <= kSharedByteSize / static_cast<int64_t>(sizeof(T));
}

template <typename T>
int64_t MatrixProduct<T>::SumSplit() const {
  const int64_t column_count = shape_.columns.count();
  if (mode_ != Mode::kWide || column_count > kMostSplitColumns) return 1;
  const int64_t elements = Times(column_count, shape_.sum.count());
  const int64_t splits = elements / (kSplitByteSize / static_cast<int64_t>(sizeof(T)));
  return std::max(std::clamp<int64_t>(splits, 1, kMostSplits),
                  CeilDiv(Times(elements, shape_.rows.count()), kMaxPartWork));
}

template <typename T>
typename MatrixProduct<T>::Mode MatrixProduct<T>::ChooseMode(int64_t row_count) const {
  const int64_t column_count = shape_.columns.count();
  const bool are_sums_dense =
      shape_.sum.count() > 1 && shape_.sum.IsDense(kInRows) && shape_.sum.IsDense(kInColumns);
  const int64_t lines = std::min(row_count, column_count);
  const bool fills_lanes = shape_.sum.count() >= 4 * kernels_.vector_width;
  if (are_sums_dense && (lines <= 2 || (lines <= kMaxDotLines && fills_lanes))) return Mode::kDot;
  if (row_count <= kMaxWideRows && shape_.columns.IsDense(kInColumns) &&
      shape_.sum.dimensions().size() <= 1 && column_count >= kernels_.panel_width) {
    return Mode::kWide;
  }
  return Mode::kPacked;
}

template <typename T>
int64_t MatrixProduct<T>::MostRuns() const {
  return std::min(sum_part_, shape_.sum.count()) / std::max<int64_t>(1, panels_.RunSize()) + 2;
}

// The terms from `begin` to `end`, in rows; at `runs`.
template <typename T>
std::span<const SumRun> MatrixProduct<T>::FillRuns(int64_t begin, int64_t end, SumRun* runs) const {
  const int64_t run_size = panels_.RunSize();
  size_t count = 0;
  for (int64_t k = begin; k < end;) {
    const int64_t length = std::min(run_size - k % run_size, end - k);
    runs[count++] = {shape_.sum.Offset(k, kInRows), length};
    k += length;
  }
  return {runs, count};
}

template <typename T>
int64_t MatrixProduct<T>::EntryWork() const {
  return Times(Times(shape_.rows.count(), shape_.columns.count()), shape_.sum.count());
}

template <typename T>
bool MatrixProduct<T>::IsSharedByEntries() const {
  const int64_t work = EntryWork();
  return work < 4 * kPartWork<T> &&
         (shape_.batch.count() > 1 || (work < kPartWork<T> && !SharesColumns()));
}

template <typename T>
int64_t MatrixProduct<T>::EntriesOfPart() const {
  const int64_t batch_count = std::max<int64_t>(1, shape_.batch.count());
  const int64_t entries = kPartWork<T> / std::max<int64_t>(1, EntryWork());
  if (entries >= batch_count) return batch_count;  // not worth waking other threads
  return std::clamp<int64_t>(entries, 1, std::max<int64_t>(1, batch_count / 16));
}

// --- Memory

// Rows of the result are rows of carriers there.
template <typename T>
bool MatrixProduct<T>::IsDirect(ElementType out_type) const {
  const auto& out_columns = shape_.columns.dimensions();
  const bool has_dense_columns = out_columns.empty() || out_columns.back().out_stride == 1;
  const bool is_carrier = std::is_floating_point_v<T>
                              ? out_type == (sizeof(T) == 4 ? ElementType::kF32 : ElementType::kF64)
                              : ElementByteSize(out_type) == static_cast<int64_t>(sizeof(T));
  return is_carrier && has_dense_columns && shape_.rows.IsEven(kInOut);
}

template <typename T>
int64_t MatrixProduct<T>::RowStep(bool has_narrow_rows) const {
  if (mode_ != Mode::kDot || !has_narrow_rows) return kMostRows;
  return std::clamp<int64_t>(kWideSize / std::max<int64_t>(1, shape_.sum.count()), 1, kMostRows);
}

template <typename T>
double MatrixProduct<T>::PartByteSize(int64_t row_count, int64_t column_count, ElementType out_type,
                                      bool has_narrow_rows) const {
  using Array = WorkArray<T>;
  const auto rows = static_cast<double>(std::min(kMostRows, row_count));
  const auto wide_rows = static_cast<double>(std::min(RowStep(has_narrow_rows), row_count));
  const auto sum_count = static_cast<double>(shape_.sum.count());
  const double terms =
      mode_ == Mode::kDot ? sum_count : std::min(static_cast<double>(sum_part_), sum_count);
  return Array::ByteSize(IsDirect(out_type) ? 0 : rows * static_cast<double>(column_count)) +
         Array::ByteSize(has_narrow_rows ? wide_rows * terms : 0) +
         WorkArray<SumRun>::ByteSize(static_cast<double>(MostRuns()));
}

template <typename T>
int64_t MatrixProduct<T>::ScratchByteSize(ElementType out_type, bool has_narrow_rows) const {
  const int64_t row_count = shape_.rows.count(), column_count = shape_.columns.count();
  const int64_t batch_count = shape_.batch.count();
  if (batch_count == 0 || row_count == 0 || column_count == 0) return 0;
  const double packed = HasPackedForm() ? static_cast<double>(panels_.PackedSize()) * sizeof(T) : 0;
  if (IsSharedByEntries()) {
    const int64_t parts = PartsAtOnce(CeilDiv(batch_count, EntriesOfPart()));
    return reference::ByteSizeOf(
        static_cast<double>(parts) *
        (packed + PartByteSize(row_count, column_count, out_type, has_narrow_rows)));
  }
  if (sum_split_ > 1) {
    const double sums =
        static_cast<double>(sum_split_) * static_cast<double>(row_count * column_count) * sizeof(T);
    return reference::ByteSizeOf(
        sums + static_cast<double>(PartsAtOnce(sum_split_)) *
                   PartByteSize(row_count, column_count, out_type, has_narrow_rows));
  }
  const int64_t parts =
      PartsAtOnce(Times(CeilDiv(row_count, row_part_), CeilDiv(column_count, column_part_)));
  const double with_packed =
      static_cast<double>(parts) * PartByteSize(row_part_, column_part_, out_type, has_narrow_rows);
  // Of what is finished band by band.
  const double done =
      WorkArray<int32_t>::ByteSize(static_cast<double>(CeilDiv(row_count, row_part_)));
  if (!PacksInParts()) return reference::ByteSizeOf(packed + with_packed + done);
  const int64_t columns = std::min(PackingColumns(), column_count);
  const double packing = PartByteSize(row_count, columns, out_type, has_narrow_rows) +
                         WorkArray<T>::ByteSize(static_cast<double>(BlockSize(columns)));
  const int64_t packing_parts = PartsAtOnce(CeilDiv(column_count, PackingColumns()));
  return reference::ByteSizeOf(
      std::max(with_packed + done, static_cast<double>(packing_parts) * packing));
}

// --- Packing

template <typename T>
bool MatrixProduct<T>::PacksInParts() const {
  return mode_ == Mode::kPacked && shape_.rows.count() <= kMostRows &&
         Times(Times(shape_.rows.count(), PackingColumns()), shape_.sum.count()) <= kMaxPartWork;
}

template <typename T>
int64_t MatrixProduct<T>::PackingColumns() const {
  return std::max(kPackingLine / static_cast<int64_t>(sizeof(T)), kernels_.panel_width);
}

template <typename T>
int64_t MatrixProduct<T>::BlockSize(int64_t column_count) const {
  return panels_.PackedSize(column_count, std::min(sum_part_, shape_.sum.count()));
}

template <typename T>
absl::Status MatrixProduct<T>::Pack(const DeviceContext& device, ProductData<T> columns,
                                    T* packed) const {
  const int64_t panel_count = panels_.PanelCount();
  return ForEachPart(device, shape_.batch.count() * panel_count, [&](int64_t part) {
    const int64_t entry = part / panel_count;
    panels_.PackPanel(columns + shape_.batch.Offset(entry, kInColumns), part % panel_count,
                      packed + entry * panels_.PackedSize());
  });
}

// What has just been packed is in the caches.
template <typename T>
void Look(const ProductWatch& watch, const T* packed, int64_t count) {
  if (watch.are_columns_finite != nullptr && !AreFinite(packed, count)) {
    *watch.are_columns_finite = false;
  }
}

template <typename T>
void MatrixProduct<T>::PackPanel(const Entry& entry, int64_t panel, T* packed,
                                 const ProductWatch& watch) const {
  panels_.PackPanel(entry.columns, panel, packed);
  const auto block = panels_.PanelAt(panel);
  const int64_t term_count = shape_.sum.count();
  Look(watch, packed + block.column_begin * term_count,
       panels_.PackedSize(block.column_end - block.column_begin, term_count));
}

// --- Running

template <typename T>
typename MatrixProduct<T>::Entry MatrixProduct<T>::EntryAt(int64_t index, ProductData<T> rows,
                                                           ProductData<T> columns, const T* packed,
                                                           std::byte* out,
                                                           ElementType out_type) const {
  return {rows + shape_.batch.Offset(index, kInRows),
          columns.is_valid() ? columns + shape_.batch.Offset(index, kInColumns) : columns,
          packed == nullptr ? nullptr : packed + index * panels_.PackedSize(),
          out + shape_.batch.Offset(index, kInOut) * ElementByteSize(out_type),
          shape_.batch.Offset(index, kInOut)};
}

template <typename T>
int64_t MatrixProduct<T>::FinishedRowSize(bool has_packed) const {
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
bool MatrixProduct<T>::IsInnerProduct() const {
  return mode_ == Mode::kDot && shape_.batch.count() == 1 && shape_.rows.count() == 1 &&
         shape_.columns.count() == 1;
}

template <typename T>
void MatrixProduct<T>::RunInnerProduct(const T* row, const T* column, T* out) const {
  const int64_t count = shape_.sum.count();
  if (count < kernels_.vector_width) {  // as the kernel does it then
    T sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += row[i] * column[i];
    *out = sum;
    return;
  }
  static constexpr int64_t kNoOffset = 0;
  kernels_.dot({row, {&kNoOffset, 1}, {column}, {&kNoOffset, 1}, count, out, 1});
}

template <typename T>
absl::Status MatrixProduct<T>::Run(const DeviceContext& device, ProductData<T> rows,
                                   ProductData<T> columns, const T* packed, ElementType out_type,
                                   std::byte* out, const ProductWatch& watch) const {
  const int64_t batch_count = shape_.batch.count();
  if (batch_count == 0 || shape_.rows.count() == 0 || shape_.columns.count() == 0) {
    return absl::OkStatus();
  }
  const bool needs_packing = packed == nullptr && mode_ == Mode::kPacked;
  if (IsSharedByEntries()) {
    const int64_t entries = EntriesOfPart();
    const Part whole = {0, shape_.rows.count(), 0, shape_.columns.count(), 0, shape_.sum.count()};
    return ForEachPart(device, CeilDiv(batch_count, entries), [&](int64_t part) {
      ScratchArray<T> storage;
      if (needs_packing) storage = ScratchArray<T>(device.scratch(), panels_.PackedSize());
      const int64_t end = std::min(batch_count, (part + 1) * entries);
      for (int64_t i = part * entries; i < end; ++i) {
        Entry entry = EntryAt(i, rows, columns, packed, out, out_type);
        if (needs_packing) {
          for (int64_t panel = 0; panel < panels_.PanelCount(); ++panel) {
            PackPanel(entry, panel, storage.get(), watch);
          }
          entry.packed = storage.get();
        }
        RunPart(device.scratch(), entry, whole, out_type, watch);
        if (watch.finish == nullptr) continue;
        (*watch.finish)(entry.out_begin, entry.out_begin + whole.row_end * whole.column_end);
      }
    });
  }
  ScratchArray<T> storage;
  const bool packs_ahead = needs_packing && !PacksInParts();
  if (packs_ahead) storage = ScratchArray<T>(device.scratch(), panels_.PackedSize());
  for (int64_t i = 0; i < batch_count; ++i) {
    Entry entry = EntryAt(i, rows, columns, packed, out, out_type);
    if (packs_ahead) {
      entry.packed = storage.get();
      HLO_RETURN_IF_ERROR(ForEachPart(device, panels_.PanelCount(), [&](int64_t panel) {
        PackPanel(entry, panel, storage.get(), watch);
      }));
    }
    HLO_RETURN_IF_ERROR(RunEntry(device, entry, out_type, watch));
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status MatrixProduct<T>::RunSplitSum(const DeviceContext& device, const Entry& entry,
                                           ElementType out_type) const {
  const int64_t row_count = shape_.rows.count(), column_count = shape_.columns.count();
  const int64_t term_count = shape_.sum.count();
  const int64_t size = row_count * column_count;
  int64_t row_offsets[kMaxWideRows], out_offsets[kMaxWideRows];
  shape_.rows.Offsets(0, row_count, kInRows, row_offsets);
  shape_.rows.Offsets(0, row_count, kInOut, out_offsets);
  const ScratchArray<T> sums(device.scratch(), sum_split_ * size);
  HLO_RETURN_IF_ERROR(ForEachPart(device, sum_split_, [&](int64_t index) {
    const Part part = {.row_begin = 0,
                       .row_end = row_count,
                       .column_begin = 0,
                       .column_end = column_count,
                       .term_begin = index * term_count / sum_split_,
                       .term_end = (index + 1) * term_count / sum_split_};
    MultiplyPart(device.scratch(), entry, part, row_offsets, sums.get() + index * size,
                 column_count, /*watch=*/{});
  }));
  for (int64_t index = 1; index < sum_split_; ++index) {
    const T* more = sums.get() + index * size;
    for (int64_t i = 0; i < size; ++i) sums.get()[i] += more[i];
  }
  StoreSums(sums.get(), column_count, {out_offsets, static_cast<size_t>(row_count)},
            /*column_begin=*/0, out_type, entry.out);
  return absl::OkStatus();
}

template <typename T>
typename MatrixProduct<T>::PartSizes MatrixProduct<T>::SizesOfParts(bool packs) const {
  if (packs) return {shape_.rows.count(), PackingColumns()};
  return {row_part_, column_part_};
}

template <typename T>
absl::Status MatrixProduct<T>::RunEntry(const DeviceContext& device, const Entry& entry,
                                        ElementType out_type, const ProductWatch& watch) const {
  const int64_t row_count = shape_.rows.count();
  const int64_t column_count = shape_.columns.count();
  if (sum_split_ > 1) return RunSplitSum(device, entry, out_type);
  const PartSizes sizes = SizesOfParts(IsPackedByParts(entry));
  const int64_t column_parts = CeilDiv(column_count, sizes.columns);
  const int64_t bands = CeilDiv(row_count, sizes.rows);
  const int64_t threads =
      device.thread_pool() == nullptr ? 1 : device.thread_pool()->thread_count();
  FinishedBands finished(device, watch, bands, column_parts);
  return ForEachPart(device, bands * column_parts, [&](int64_t index) {
    const int64_t band = index / column_parts;
    Part part;
    part.row_begin = band * sizes.rows;
    part.row_end = std::min(row_count, part.row_begin + sizes.rows);
    part.column_begin = index % column_parts * sizes.columns;
    part.column_end = std::min(column_count, part.column_begin + sizes.columns);
    part.term_begin = 0;
    part.term_end = shape_.sum.count();
    part.next_column_begin = (index + threads) % column_parts * sizes.columns;
    RunPart(device.scratch(), entry, part, out_type, watch);
    finished.Add(band, entry.out_begin + part.row_begin * column_count,
                 entry.out_begin + part.row_end * column_count);
  });
}

template <typename T>
void MatrixProduct<T>::RunPart(ScratchPool& pool, const Entry& entry, const Part& part,
                               ElementType out_type, const ProductWatch& watch) const {
  const int64_t width = part.column_end - part.column_begin;
  const bool is_direct = IsDirect(out_type);
  int64_t row_offsets[kMostRows];
  int64_t out_offsets[kMostRows];
  const int64_t most_rows = std::min(kMostRows, part.row_end - part.row_begin);
  WorkArray<T> storage(pool, is_direct ? 0 : most_rows * width);
  const int64_t row_step = RowStep(entry.rows.is_narrow());
  for (int64_t row = part.row_begin; row < part.row_end; row += row_step) {
    Part rows = part;
    rows.row_begin = row;
    rows.row_end = std::min(part.row_end, row + row_step);
    const int64_t count = rows.row_end - rows.row_begin;
    shape_.rows.Offsets(row, count, kInRows, row_offsets);
    shape_.rows.Offsets(row, count, kInOut, out_offsets);
    T* sums = storage.data();
    int64_t sums_stride = width;
    if (is_direct) {
      sums = reinterpret_cast<T*>(entry.out) + out_offsets[0] + part.column_begin;
      sums_stride = shape_.rows.Distance(kInOut);
    }
    if (mode_ == Mode::kDot) {
      DotPart(pool, entry, rows, row_offsets, sums, sums_stride);
    } else {
      MultiplyPart(pool, entry, rows, row_offsets, sums, sums_stride, watch);
    }
    if (is_direct) continue;
    StoreSums(sums, width, {out_offsets, static_cast<size_t>(count)}, part.column_begin, out_type,
              entry.out);
  }
}

template <typename T>
int64_t MatrixProduct<T>::ColumnsOfRange() const {
  return mode_ == Mode::kPacked ? PackingColumns() : kLeastWideRun;
}

template <typename T>
void MatrixProduct<T>::RunRange(ScratchPool& pool, const Range& range, int64_t column_begin,
                                int64_t column_end, ProductData<T> rows, ProductData<T> columns,
                                ElementType out_type, std::byte* out) const {
  const Entry entry = EntryAt(range.entry, rows, columns, /*packed=*/nullptr, out, out_type);
  for (int64_t column = column_begin; column < column_end; column += ColumnsOfRange()) {
    const Part part = {.row_begin = range.row_begin,
                       .row_end = range.row_end,
                       .column_begin = column,
                       .column_end = std::min(column_end, column + ColumnsOfRange()),
                       .term_begin = range.term_begin,
                       .term_end = range.term_end};
    RunPart(pool, entry, part, out_type, /*watch=*/{});
  }
}

template <typename T>
double MatrixProduct<T>::RangeByteSize(int64_t row_count, int64_t column_count,
                                       ElementType out_type, bool has_narrow_rows) const {
  column_count = std::min(column_count, ColumnsOfRange());
  const double packed = mode_ == Mode::kPacked ? static_cast<double>(BlockSize(column_count)) : 0;
  return PartByteSize(row_count, column_count, out_type, has_narrow_rows) +
         WorkArray<T>::ByteSize(packed);
}

// Rows of `width` sums, one behind the other, to where they belong.
template <typename T>
void MatrixProduct<T>::StoreSums(const T* sums, int64_t width, std::span<const int64_t> row_offsets,
                                 int64_t column_begin, ElementType out_type, std::byte* out) const {
  constexpr ElementType kCarrier = kCarrierType<T>;
  const auto& columns = shape_.columns.dimensions();
  const int64_t stride = columns.empty() ? 1 : columns.back().out_stride;
  const int64_t element_size = ElementByteSize(out_type);
  for (const int64_t row_offset : row_offsets) {
    const std::byte* from = reinterpret_cast<const std::byte*>(sums);
    std::byte* to = out + (row_offset + column_begin * stride) * element_size;
    sums += width;
    if (stride == 1) {
      StoreCarriers(kCarrier, from, out_type, to, width);
      continue;
    }
    for (int64_t c = 0; c < width; ++c) {
      StoreCarriers(kCarrier, from + c * static_cast<int64_t>(sizeof(T)), out_type,
                    to + c * stride * element_size, 1);
    }
  }
}

template <typename T>
const T* MatrixProduct<T>::PackedBlock(const Entry& entry, int64_t column, int64_t term) const {
  const int64_t width = std::min(kernels_.panel_width, shape_.columns.count() - column);
  return entry.packed + column * shape_.sum.count() + term * RoundUp(width, kernels_.vector_width);
}

template <typename T>
void MatrixProduct<T>::MultiplyPart(ScratchPool& pool, const Entry& entry, const Part& part,
                                    const int64_t* row_offsets, T* out, int64_t out_stride,
                                    const ProductWatch& watch) const {
  const int64_t width = part.column_end - part.column_begin;
  const int64_t row_count = part.row_end - part.row_begin;
  if (part.term_begin == part.term_end) {
    for (int64_t r = 0; r < row_count; ++r) std::fill_n(out + r * out_stride, width, T{});
    return;
  }
  const auto& sum = shape_.sum.dimensions();
  TileArguments<T> tile;
  tile.rows = entry.rows.carriers;
  tile.row_offsets = {row_offsets, static_cast<size_t>(row_count)};
  tile.sum_stride = sum.empty() ? 0 : sum.back().row_stride;
  WorkArray<SumRun> run_storage(pool, MostRuns());
  const int64_t most_terms = std::min(sum_part_, shape_.sum.count());
  WideRows<T> wide_rows(pool, entry.rows.is_narrow() ? row_count * most_terms : 0);
  const bool packs = IsPackedByParts(entry);
  WorkArray<T> block(pool, packs ? BlockSize(width) : 0);
  for (int64_t begin = part.term_begin; begin < part.term_end; begin += sum_part_) {
    const int64_t length = std::min(sum_part_, part.term_end - begin);
    const std::span<const SumRun> runs = FillRuns(begin, begin + length, run_storage.data());
    const SumRun whole = {0, length};
    tile.runs = runs;
    if (entry.rows.is_narrow()) {
      wide_rows.Fill(entry.rows.narrow, {row_offsets, static_cast<size_t>(row_count)}, runs,
                     sum.empty() ? 0 : sum.back().row_stride, length);
      tile.rows = wide_rows.elements();
      tile.row_offsets = wide_rows.offsets();
      tile.sum_stride = 1;
      tile.runs = {&whole, 1};
    }
    tile.adds = begin != part.term_begin;
    tile.out_stride = out_stride;
    if (mode_ == Mode::kWide) {
      tile.column_stride = sum.empty() ? 0 : sum.back().column_stride;
      tile.columns = entry.columns + part.column_begin + begin * tile.column_stride;
      tile.column_count = width;
      tile.out = out;
      kernels_.multiply_wide(tile);
      continue;
    }
    if (packs) {
      panels_.Pack(entry.columns, {part.column_begin, part.column_end, begin, begin + length},
                   block.data());
      Look(watch, block.data(), panels_.PackedSize(width, length));
    }
    for (int64_t c = part.column_begin; c < part.column_end; c += kernels_.panel_width) {
      tile.column_count = std::min(kernels_.panel_width, part.column_end - c);
      tile.column_stride = RoundUp(tile.column_count, kernels_.vector_width);
      if (packs) {
        tile.columns = {block.data() + (c - part.column_begin) * length, nullptr};
      } else {
        tile.columns = {PackedBlock(entry, c, begin), nullptr};
        const int64_t next = c + kernels_.panel_width;
        const int64_t next_begin = begin + sum_part_;
        if (next < part.column_end) {
          tile.next_columns = PackedBlock(entry, next, begin);
        } else if (next_begin < part.term_end) {
          tile.next_columns = PackedBlock(entry, part.column_begin, next_begin);
        } else {
          tile.next_columns = PackedBlock(entry, part.next_column_begin, part.term_begin);
        }
      }
      tile.out = out + (c - part.column_begin);
      kernels_.multiply(tile);
    }
  }
}

template <typename T>
void MatrixProduct<T>::DotPart(ScratchPool& pool, const Entry& entry, const Part& part,
                               const int64_t* row_offsets, T* out, int64_t out_stride) const {
  constexpr int64_t kColumns = 256;
  int64_t column_offsets[kColumns];
  const int64_t row_count = part.row_end - part.row_begin;
  const ProductData<T> first_terms = entry.rows + part.term_begin;
  DotArguments<T> dots = {first_terms.carriers,
                          {row_offsets, static_cast<size_t>(row_count)},
                          entry.columns + part.term_begin,
                          {},
                          part.term_end - part.term_begin,
                          nullptr,
                          out_stride};
  WideRows<T> wide_rows(pool, first_terms.is_narrow() ? row_count * dots.count : 0);
  if (first_terms.is_narrow()) {
    const SumRun whole = {0, dots.count};
    wide_rows.Fill(first_terms.narrow, dots.row_offsets, {&whole, 1}, /*stride=*/1, dots.count);
    dots.rows = wide_rows.elements();
    dots.row_offsets = wide_rows.offsets();
  }
  for (int64_t c = part.column_begin; c < part.column_end; c += kColumns) {
    const int64_t count = std::min(kColumns, part.column_end - c);
    shape_.columns.Offsets(c, count, kInColumns, column_offsets);
    dots.column_offsets = {column_offsets, static_cast<size_t>(count)};
    dots.out = out + (c - part.column_begin);
    kernels_.dot(dots);
  }
}

template class MatrixProduct<float>;
template class MatrixProduct<double>;
template class MatrixProduct<uint32_t>;
template class MatrixProduct<uint64_t>;

}  // namespace hlo::simd
