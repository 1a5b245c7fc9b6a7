// An entry of the batch is cut into parts of rows by columns, each with sums of its own, so that
// parts are independent of each other and of who computes them; where there are few rows and
// columns into parts of the sum, which are added in order. Within a part the sum goes in
// blocks whose panel of columns stays in the second-level cache while all rows of the part pass by:
// it is read fast enough from there, and sums leave their registers less often.
#include "interp/simd/product/matrix_product.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "interp/reference/scratch.h"
#include "interp/simd/base/work_array.h"
#include "interp/simd/product/are_finite.h"
#include "interp/simd/product/carrier_array.h"
#include "interp/simd/product/converted_product.h"
#include "interp/simd/product/line_products.h"
#include "interp/simd/product/row_lines.h"
#include "interp/simd/product/wide_rows.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::simd {

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

// --- Packing

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
bool MatrixProduct<T>::IsInnerProduct() const {
  return mode_ == ProductMode::kDot && shape_.batch.count() == 1 && shape_.rows.count() == 1 &&
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
  if (Base::IsSmall() && packed == nullptr && rows.carriers != nullptr &&
      columns.carriers != nullptr && Base::IsCarrier(out_type)) {
    return RunSmall(device, rows, columns, out_type, out, watch);
  }
  const bool needs_packing = packed == nullptr && mode_ == ProductMode::kPacked;
  if (Base::IsSharedByEntries()) {
    const int64_t entries = Base::EntriesOfPart();
    const Part whole = {0, shape_.rows.count(), 0, shape_.columns.count(), 0, shape_.sum.count()};
    return ForEachPart(device, CeilDiv(batch_count, entries), [&](int64_t part) {
      ScratchArray<T> storage;
      if (needs_packing) storage = ScratchArray<T>(device.scratch(), panels_.PackedSize());
      const int64_t end = std::min(batch_count, (part + 1) * entries);
      FinishedEntries finished(watch);
      for (int64_t i = part * entries; i < end; ++i) {
        Entry entry = EntryAt(i, rows, columns, packed, out, out_type);
        if (needs_packing) {
          for (int64_t panel = 0; panel < panels_.PanelCount(); ++panel) {
            PackPanel(entry, panel, storage.get(), watch);
          }
          entry.packed = storage.get();
        }
        RunPart(device.scratch(), entry, whole, out_type, watch);
        finished.Add(entry.out_begin, entry.out_begin + whole.row_end * whole.column_end);
      }
      finished.Finish();
    });
  }
  ScratchArray<T> storage;
  const bool packs_ahead = needs_packing && !Base::PacksInParts();
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

namespace {

constexpr int64_t kSmallRowsOfPart = 8192;              // some 20 us
constexpr int64_t kSplitSumsOfPart = int64_t{1} << 15;  // that a part adds up

// All of them as one; what has no dimension is one.
ProductDimension OneOf(const ProductDimensions& dimensions) {
  return dimensions.dimensions().empty() ? ProductDimension{1} : dimensions.dimensions().back();
}

}  // namespace

template <typename T>
absl::Status MatrixProduct<T>::RunSmall(const DeviceContext& device, ProductData<T> rows,
                                        ProductData<T> columns, ElementType out_type,
                                        std::byte* out, const ProductWatch& watch) const {
  const bool are_rows = Base::HasSmallRows();
  const ProductDimension inner = OneOf(are_rows ? shape_.rows : shape_.batch);
  const SmallProducts<T> products = {.batch = inner,
                                     .row = are_rows ? ProductDimension{1} : OneOf(shape_.rows),
                                     .sum = OneOf(shape_.sum),
                                     .column = OneOf(shape_.columns)};
  const int64_t size = products.row.size * products.column.size;
  const int64_t at_once = std::max<int64_t>(1, FinishedEntries::kEnough / size);
  const int64_t entry_count = are_rows ? inner.size : shape_.batch.count();
  const int64_t entries = are_rows ? kSmallRowsOfPart : Base::EntriesOfPart();
  return ForEachPart(device, CeilDiv(entry_count, entries), [&](int64_t part) {
    FinishedEntries finished(watch);
    SmallProducts<T> some = products;
    const int64_t end = std::min(entry_count, (part + 1) * entries);
    for (int64_t i = part * entries; i < end; i += some.batch.size) {
      some.batch.size = std::min({inner.size - i % inner.size, end - i, at_once});
      const Entry entry =
          EntryAt(are_rows ? 0 : i, rows, columns, /*packed=*/nullptr, out, out_type);
      const int64_t row = are_rows ? i : 0;
      const int64_t out_begin = row * inner.out_stride;
      some.rows = entry.rows.carriers + row * inner.row_stride;
      some.columns = entry.columns.carriers;
      some.out = reinterpret_cast<T*>(entry.out) + out_begin;
      kernels_.multiply_small(some);
      finished.Add(entry.out_begin + out_begin,
                   entry.out_begin + out_begin + some.batch.size * size);
    }
    finished.Finish();
  });
}

template <typename T>
bool MatrixProduct<T>::ReadsLines(const Entry& entry) const {
  return Base::HasLineProducts(StoredType(entry.rows), StoredType(entry.columns));
}

template <typename T>
bool MatrixProduct<T>::WidensRows(const Entry& entry) const {
  return entry.rows.carriers == nullptr && !ReadsLines(entry);
}

template <typename T>
absl::Status MatrixProduct<T>::RunSplitSum(const DeviceContext& device, const Entry& entry,
                                           ElementType out_type, const ProductWatch& watch) const {
  const int64_t row_count = shape_.rows.count(), column_count = shape_.columns.count();
  const int64_t term_count = shape_.sum.count();
  const int64_t size = row_count * column_count;
  const int64_t row_step = Base::RowStep(WidensRows(entry));
  const ScratchArray<T> sums(device.scratch(), sum_split_ * size);
  HLO_RETURN_IF_ERROR(ForEachPart(device, sum_split_, [&](int64_t index) {
    int64_t row_offsets[kMostRows];
    for (int64_t row = 0; row < row_count; row += row_step) {
      const Part part = {.row_begin = row,
                         .row_end = std::min(row_count, row + row_step),
                         .column_begin = 0,
                         .column_end = column_count,
                         .term_begin = index * term_count / sum_split_,
                         .term_end = (index + 1) * term_count / sum_split_};
      shape_.rows.Offsets(row, part.row_end - row, kInRows, row_offsets);
      MultiplyPart(device.scratch(), entry, part, row_offsets,
                   sums.get() + index * size + row * column_count, column_count, watch);
    }
  }));
  const int64_t rows_of_part = std::max<int64_t>(1, kSplitSumsOfPart / column_count);
  return ForEachPart(device, CeilDiv(row_count, rows_of_part), [&](int64_t part) {
    const int64_t begin = part * rows_of_part;
    FinishSplitRows(sums.get(), size, begin, std::min(row_count, begin + rows_of_part), out_type,
                    entry.out);
  });
}

template <typename T>
void MatrixProduct<T>::FinishSplitRows(T* sums, int64_t size, int64_t row_begin, int64_t row_end,
                                       ElementType out_type, std::byte* out) const {
  const int64_t column_count = shape_.columns.count();
  const int64_t begin = row_begin * column_count, end = row_end * column_count;
  for (int64_t index = 1; index < sum_split_; ++index) {
    const T* more = sums + index * size;
    for (int64_t i = begin; i < end; ++i) sums[i] += more[i];
  }
  int64_t offsets[kMostRows];
  for (int64_t row = row_begin; row < row_end; row += kMostRows) {
    const int64_t count = std::min(kMostRows, row_end - row);
    shape_.rows.Offsets(row, count, kInOut, offsets);
    StoreSums(sums + row * column_count, column_count, column_count,
              {offsets, static_cast<size_t>(count)}, /*column_begin=*/0, out_type, out);
  }
}

template <typename T>
absl::Status MatrixProduct<T>::RunEntry(const DeviceContext& device, const Entry& entry,
                                        ElementType out_type, const ProductWatch& watch) const {
  const int64_t row_count = shape_.rows.count();
  const int64_t column_count = shape_.columns.count();
  if (sum_split_ > 1) return RunSplitSum(device, entry, out_type, watch);
  const auto sizes = Base::SizesOfParts(IsPackedByParts(entry));
  const int64_t column_parts = CeilDiv(column_count, sizes.columns);
  const int64_t bands = CeilDiv(row_count, sizes.rows);
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
    part.next_column_begin = (index + 1) % column_parts * sizes.columns;
    RunPart(device.scratch(), entry, part, out_type, watch);
    finished.Add(band, entry.out_begin + part.row_begin * column_count,
                 entry.out_begin + part.row_end * column_count);
  });
}

template <typename T>
void MatrixProduct<T>::RunPart(ScratchPool& pool, const Entry& entry, const Part& part,
                               ElementType out_type, const ProductWatch& watch) const {
  const int64_t width = part.column_end - part.column_begin;
  const bool is_direct = Base::IsDirect(out_type);
  const int64_t sums_pitch = Base::SumsPitch(width);
  int64_t row_offsets[kMostRows];
  int64_t out_offsets[kMostRows];
  const int64_t most_rows = std::min(kMostRows, part.row_end - part.row_begin);
  WorkArray<T> storage(pool, is_direct ? 0 : most_rows * sums_pitch);
  const int64_t row_step = Base::RowStep(WidensRows(entry));
  for (int64_t row = part.row_begin; row < part.row_end; row += row_step) {
    Part rows = part;
    rows.row_begin = row;
    rows.row_end = std::min(part.row_end, row + row_step);
    const int64_t count = rows.row_end - rows.row_begin;
    shape_.rows.Offsets(row, count, kInRows, row_offsets);
    shape_.rows.Offsets(row, count, kInOut, out_offsets);
    T* sums = storage.data();
    int64_t sums_stride = sums_pitch;
    if (is_direct) {
      sums = reinterpret_cast<T*>(entry.out) + out_offsets[0] + part.column_begin;
      sums_stride = shape_.rows.Distance(kInOut);
    }
    if (mode_ == ProductMode::kDot) {
      DotPart(pool, entry, rows, row_offsets, sums, sums_stride);
    } else {
      MultiplyPart(pool, entry, rows, row_offsets, sums, sums_stride, watch);
    }
    if (is_direct) continue;
    StoreSums(sums, sums_pitch, width, {out_offsets, static_cast<size_t>(count)}, part.column_begin,
              out_type, entry.out);
  }
}

template <typename T>
void MatrixProduct<T>::RunRange(ScratchPool& pool, const Range& range, int64_t column_begin,
                                int64_t column_end, ProductData<T> rows, ProductData<T> columns,
                                ElementType out_type, std::byte* out) const {
  const Entry entry = EntryAt(range.entry, rows, columns, /*packed=*/nullptr, out, out_type);
  for (int64_t column = column_begin; column < column_end; column += Base::ColumnsOfRange()) {
    const Part part = {.row_begin = range.row_begin,
                       .row_end = range.row_end,
                       .column_begin = column,
                       .column_end = std::min(column_end, column + Base::ColumnsOfRange()),
                       .term_begin = range.term_begin,
                       .term_end = range.term_end};
    RunPart(pool, entry, part, out_type, /*watch=*/{});
  }
}

// Elements that lie side by side to places some bytes apart.
void Spread(const std::byte* from, int64_t element_size, int64_t count, std::byte* to,
            int64_t pitch) {
  const auto of_size = [&]<typename Bits>(Bits) {
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(to + i * pitch, from + i * static_cast<int64_t>(sizeof(Bits)), sizeof(Bits));
    }
  };
  switch (element_size) {
    case 1:
      return of_size(uint8_t{});
    case 2:
      return of_size(uint16_t{});
    case 4:
      return of_size(uint32_t{});
    default:
      return of_size(uint64_t{});
  }
}

// Rows of `width` sums, some pitch apart, to where they belong.
template <typename T>
void MatrixProduct<T>::StoreSums(const T* sums, int64_t pitch, int64_t width,
                                 std::span<const int64_t> row_offsets, int64_t column_begin,
                                 ElementType out_type, std::byte* out) const {
  constexpr ElementType kCarrier = kCarrierType<T>;
  const auto& columns = shape_.columns.dimensions();
  const int64_t stride = columns.empty() ? 1 : columns.back().out_stride;
  const int64_t element_size = ElementByteSize(out_type);
  for (const int64_t row_offset : row_offsets) {
    const std::byte* from = reinterpret_cast<const std::byte*>(sums);
    std::byte* to = out + (row_offset + column_begin * stride) * element_size;
    sums += pitch;
    if (stride == 1) {
      StoreCarriers(kCarrier, from, out_type, to, width, shape_.saturates);
      continue;
    }
    constexpr int64_t kAtOnce = 64;
    std::byte elements[kAtOnce * sizeof(double)];
    for (int64_t c = 0; c < width; c += kAtOnce) {
      const int64_t count = std::min(kAtOnce, width - c);
      StoreCarriers(kCarrier, from + c * static_cast<int64_t>(sizeof(T)), out_type, elements, count,
                    shape_.saturates);
      Spread(elements, element_size, count, to + c * stride * element_size, stride * element_size);
    }
  }
}

template <typename T>
const T* MatrixProduct<T>::PackedBlock(const Entry& entry, int64_t column, int64_t term) const {
  const int64_t width = std::min(kernels_.panel_width, shape_.columns.count() - column);
  return entry.packed + column * shape_.sum.count() + term * RoundUp(width, kernels_.vector_width);
}

// Columns as they lie, those that lie side by side at a time.
template <typename T>
void MatrixProduct<T>::MultiplyRuns(TileArguments<T> tile, ProductData<T> columns, const Part& part,
                                    T* out, T* block) const {
  const int64_t run_size = shape_.columns.RunSize(kInColumns);
  for (int64_t c = part.column_begin; c < part.column_end; c += tile.column_count) {
    tile.columns = columns + shape_.columns.Offset(c, kInColumns);
    tile.column_count = std::min(run_size - c % run_size, part.column_end - c);
    tile.out = out + (c - part.column_begin);
    MultiplyWide(tile, block);
  }
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
  WorkArray<SumRun> run_storage(pool, Base::MostRuns());
  const bool packs = IsPackedByParts(entry);
  const int64_t sum_part = packs ? packing_terms_ : sum_part_;
  const int64_t most_terms = std::min(sum_part, shape_.sum.count());
  const bool brings_together = Base::BringsRowsTogether(row_count, width, entry.rows.is_narrow());
  const bool widens = entry.rows.is_narrow() && !brings_together;
  WideRows<T> wide_rows(pool, widens ? row_count * most_terms : 0);
  RowLines<T> row_lines(pool, brings_together ? row_count : 0, most_terms);
  const bool converts = mode_ == ProductMode::kWide && TakesWideBlock(entry.columns);
  WorkArray<T> block(pool, packs ? Base::BlockSize(width) : converts ? WideBlockSize(width) : 0);
  for (int64_t begin = part.term_begin; begin < part.term_end; begin += sum_part) {
    const int64_t length = std::min(sum_part, part.term_end - begin);
    const std::span<const SumRun> runs = FillRuns(begin, begin + length, run_storage.data());
    const SumRun whole = {0, length};
    tile.runs = runs;
    if (widens) {
      wide_rows.Fill(entry.rows, {row_offsets, static_cast<size_t>(row_count)}, runs,
                     sum.empty() ? 0 : sum.back().row_stride, length,
                     shape_.rows.Distance(kInRows) * row_count);
      tile.rows = wide_rows.elements();
      tile.row_offsets = wide_rows.offsets();
      tile.sum_stride = 1;
      tile.runs = {&whole, 1};
    } else if (brings_together) {
      row_lines.Fill(entry.rows, {row_offsets, static_cast<size_t>(row_count)},
                     shape_.rows.Distance(kInRows) == 1, runs,
                     sum.empty() ? 0 : sum.back().row_stride, length);
      tile.rows = row_lines.elements();
      tile.row_offsets = row_lines.offsets();
      tile.sum_stride = row_lines.line();
      tile.runs = {&whole, 1};
    }
    tile.adds = begin != part.term_begin;
    tile.out_stride = out_stride;
    if (mode_ == ProductMode::kWide) {
      tile.has_bf16_rows = entry.rows.is_narrow();
      tile.asks_ahead = Base::HasShortRuns();
      tile.column_stride = sum.empty() ? 0 : sum.back().column_stride;
      MultiplyRuns(tile, entry.columns + begin * tile.column_stride, part, out, block.data());
      continue;
    }
    if (packs) {
      panels_.Pack(entry.columns,
                   {part.column_begin, part.column_end, begin, begin + length, kPanelGap<T>},
                   block.data());
    }
    for (int64_t c = part.column_begin; c < part.column_end; c += kernels_.panel_width) {
      tile.column_count = std::min(kernels_.panel_width, part.column_end - c);
      tile.column_stride = RoundUp(tile.column_count, kernels_.vector_width);
      if (packs) {
        const int64_t panel = (c - part.column_begin) / kernels_.panel_width;
        tile.columns = {block.data() + panel * (kernels_.panel_width * length + kPanelGap<T>)};
        Look(watch, tile.columns.carriers, tile.column_stride * length);
      } else {
        tile.columns = {PackedBlock(entry, c, begin), nullptr};
        const int64_t next = c + kernels_.panel_width;
        const int64_t next_begin = begin + sum_part;
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
  int64_t column_offsets[kDotColumns];
  const int64_t row_count = part.row_end - part.row_begin;
  const ProductData<T> first_terms = entry.rows + part.term_begin;
  DotArguments<T> dots = {first_terms.carriers,
                          {row_offsets, static_cast<size_t>(row_count)},
                          entry.columns + part.term_begin,
                          {},
                          part.term_end - part.term_begin,
                          nullptr,
                          out_stride};
  const bool has_lines = ReadsLines(entry);
  const bool widens_rows = WidensRows(entry);
  WideRows<T> wide_rows(pool, widens_rows ? row_count * dots.count : 0);
  if (widens_rows) {
    const SumRun whole = {0, dots.count};
    wide_rows.Fill(first_terms, dots.row_offsets, {&whole, 1}, /*stride=*/1, dots.count);
    dots.rows = wide_rows.elements();
    dots.row_offsets = wide_rows.offsets();
  }
  const int64_t most_columns = std::min(kDotColumns, part.column_end - part.column_begin);
  WorkArray<T> block(pool, !has_lines && TakesDotBlock(dots.columns, row_count)
                               ? DotBlockSize(most_columns, dots.count)
                               : 0);
  for (int64_t c = part.column_begin; c < part.column_end; c += kDotColumns) {
    const int64_t count = std::min(kDotColumns, part.column_end - c);
    shape_.columns.Offsets(c, count, kInColumns, column_offsets);
    dots.column_offsets = {column_offsets, static_cast<size_t>(count)};
    dots.out = out + (c - part.column_begin);
    if (has_lines) {
      MultiplyLines(first_terms, dots);
    } else {
      Dot(dots, block.data());
    }
  }
}

template class MatrixProduct<float>;
template class MatrixProduct<double>;
template class MatrixProduct<uint32_t>;
template class MatrixProduct<uint64_t>;

}  // namespace hlo::simd
