// An entry of the batch is cut into parts of rows by columns, each with sums of its own, so that
// parts are independent of each other and of who computes them. Within a part the sum goes in
// blocks whose panel of columns stays in the first-level cache while all rows of the part pass by.
#include "interp/simd/matrix_product.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "ir/element_conversion.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kPanelByteSize = 32 << 10;        // of a panel's part in a block of the sum
constexpr int64_t kRowPart = 192;                   // rows
constexpr int64_t kPartWork = int64_t{1} << 21;     // products that are worth a part of their own
constexpr int64_t kMaxPartWork = int64_t{1} << 28;  // products: some 10 ms
constexpr int64_t kMaxDirectRows = 16;

constexpr auto kInRows = &ProductDimension::row_stride;
constexpr auto kInColumns = &ProductDimension::column_stride;
constexpr auto kInOut = &ProductDimension::out_stride;

int64_t RoundUp(int64_t value, int64_t multiple) { return CeilDiv(value, multiple) * multiple; }

// a * b, at most 2^62; both at least 0.
int64_t Times(int64_t a, int64_t b) {
  return std::min(CheckedMul(a, b).value_or(INT64_MAX), int64_t{1} << 62);
}

}  // namespace

// --- Dimensions

void ProductDimensions::Add(ProductDimension dimension) {
  count_ *= dimension.size;
  if (dimension.size == 1) return;
  if (!dimensions_.empty()) {
    ProductDimension& outer = dimensions_.back();
    if (outer.row_stride == dimension.size * dimension.row_stride &&
        outer.column_stride == dimension.size * dimension.column_stride &&
        outer.out_stride == dimension.size * dimension.out_stride) {
      dimension.size *= outer.size;
      outer = dimension;
      return;
    }
  }
  dimensions_.push_back(dimension);
}

void ProductDimensions::SortForRows() {
  std::vector<ProductDimension> sorted = std::exchange(dimensions_, {});
  std::ranges::stable_sort(sorted, std::ranges::greater(), &ProductDimension::row_stride);
  count_ = 1;
  for (const ProductDimension& dimension : sorted) Add(dimension);
}

bool ProductDimensions::IsDense(int64_t ProductDimension::*stride) const {
  return dimensions_.empty() || (dimensions_.size() == 1 && dimensions_[0].*stride == 1);
}

int64_t ProductDimensions::Offset(int64_t index, int64_t ProductDimension::*stride) const {
  int64_t offset = 0;
  for (size_t d = dimensions_.size(); d-- > 0;) {
    offset += index % dimensions_[d].size * (dimensions_[d].*stride);
    index /= dimensions_[d].size;
  }
  return offset;
}

void ProductDimensions::Offsets(int64_t begin, int64_t count, int64_t ProductDimension::*stride,
                                int64_t* offsets) const {
  if (dimensions_.empty()) {
    std::fill_n(offsets, count, 0);
    return;
  }
  const ProductDimension& inner = dimensions_.back();
  while (count > 0) {
    const int64_t first = begin % inner.size;
    const int64_t run = std::min(count, inner.size - first);
    const int64_t base = Offset(begin, stride);
    for (int64_t i = 0; i < run; ++i) *offsets++ = base + i * (inner.*stride);
    begin += run;
    count -= run;
  }
}

// --- Shape

template <typename T>
MatrixProduct<T>::MatrixProduct(ProductShape shape)
    : kernels_(GetMatrixKernels<T>()), shape_(std::move(shape)) {
  shape_.sum.SortForRows();
  mode_ = ChooseMode();
  FindSumBlocks();
  const int64_t row_count = shape_.rows.count();
  row_part_ = std::min(row_count, kRowPart);
  column_part_ = shape_.columns.count();
  const int64_t width = kernels_.panel_width;
  const auto work = [&] { return Times(Times(row_part_, column_part_), shape_.sum.count()); };
  const auto part_count = [&] {
    return CeilDiv(row_count, std::max<int64_t>(1, row_part_)) *
           CeilDiv(shape_.columns.count(), std::max<int64_t>(1, column_part_));
  };
  while (column_part_ > width &&
         (work() > kMaxPartWork || (part_count() < 16 && work() > kPartWork))) {
    column_part_ = RoundUp(CeilDiv(column_part_, 2), width);
    if (column_part_ == width) break;
  }
  while (row_part_ > 8 && (work() > kMaxPartWork || (part_count() < 4 && work() > kPartWork))) {
    row_part_ = CeilDiv(row_part_, 2);
  }
}

template <typename T>
typename MatrixProduct<T>::Mode MatrixProduct<T>::ChooseMode() const {
  const int64_t row_count = shape_.rows.count();
  const int64_t column_count = shape_.columns.count();
  const bool is_thin = row_count <= 2 || column_count <= 2;
  if (is_thin && shape_.sum.count() > 1 && shape_.sum.IsDense(kInRows) &&
      shape_.sum.IsDense(kInColumns)) {
    return Mode::kDot;
  }
  if (row_count <= kMaxDirectRows && shape_.columns.IsDense(kInColumns) &&
      shape_.sum.dimensions().size() <= 1 && column_count >= kernels_.panel_width) {
    return Mode::kDirect;
  }
  return Mode::kPacked;
}

template <typename T>
void MatrixProduct<T>::FindSumBlocks() {
  const ProductDimensions& sum = shape_.sum;
  const int64_t run_size = sum.dimensions().empty() ? 1 : sum.dimensions().back().size;
  const int64_t size = kPanelByteSize / (kernels_.panel_width * static_cast<int64_t>(sizeof(T)));
  for (int64_t begin = 0; begin < sum.count(); begin += size) {
    SumBlock block = {begin, std::min(begin + size, sum.count()), {}};
    for (int64_t k = begin; k < block.end;) {
      const int64_t length = std::min(run_size - k % run_size, block.end - k);
      block.runs.push_back({sum.Offset(k, kInRows), length});
      k += length;
    }
    blocks_.push_back(std::move(block));
  }
}

// --- Packing

template <typename T>
int64_t MatrixProduct<T>::PackedSizeOfEntry() const {
  return Times(RoundUp(shape_.columns.count(), kernels_.vector_width), shape_.sum.count());
}

// Panels lie one behind the other, [k, c] within; what is beyond the last column is 0.
template <typename T>
void MatrixProduct<T>::PackPanel(const T* columns, int64_t column_begin, T* panel) const {
  const int64_t count = std::min(kernels_.panel_width, shape_.columns.count() - column_begin);
  const int64_t width = RoundUp(count, kernels_.vector_width);
  int64_t offsets[256];
  shape_.columns.Offsets(column_begin, count, kInColumns, offsets);
  const bool is_dense =
      offsets[count - 1] - offsets[0] == count - 1 && std::is_sorted(offsets, offsets + count);
  const auto& sum = shape_.sum.dimensions();
  const int64_t run_size = sum.empty() ? 1 : sum.back().size;
  const int64_t stride = sum.empty() ? 0 : sum.back().column_stride;
  for (int64_t k = 0; k < shape_.sum.count(); k += run_size) {
    const T* from = columns + shape_.sum.Offset(k, kInColumns);
    T* to = panel + k * width;
    if (is_dense) {
      for (int64_t i = 0; i < run_size; ++i) {
        std::memcpy(to + i * width, from + offsets[0] + i * stride,
                    static_cast<size_t>(count) * sizeof(T));
        std::fill(to + i * width + count, to + (i + 1) * width, T{});
      }
      continue;
    }
    for (int64_t i = 0; i < run_size; ++i) {
      for (int64_t c = 0; c < count; ++c) to[i * width + c] = from[offsets[c] + i * stride];
      std::fill(to + i * width + count, to + (i + 1) * width, T{});
    }
  }
}

template <typename T>
void MatrixProduct<T>::PackAllPanels(const T* columns, T* packed) const {
  for (int64_t c = 0; c < shape_.columns.count(); c += kernels_.panel_width) {
    PackPanel(columns, c, packed + c * shape_.sum.count());
  }
}

template <typename T>
absl::Status MatrixProduct<T>::Pack(const DeviceContext& device, const T* columns,
                                    T* packed) const {
  const int64_t panel_count = CeilDiv(shape_.columns.count(), kernels_.panel_width);
  return ForEachPart(device, shape_.batch.count() * panel_count, [&](int64_t part) {
    const int64_t entry = part / panel_count;
    const int64_t column = part % panel_count * kernels_.panel_width;
    PackPanel(columns + shape_.batch.Offset(entry, kInColumns), column,
              packed + entry * PackedSizeOfEntry() + column * shape_.sum.count());
  });
}

// --- Running

template <typename T>
typename MatrixProduct<T>::Entry MatrixProduct<T>::EntryAt(int64_t index, const T* rows,
                                                           const T* columns, const T* packed,
                                                           std::byte* out,
                                                           ElementType out_type) const {
  return {rows + shape_.batch.Offset(index, kInRows),
          columns == nullptr ? nullptr : columns + shape_.batch.Offset(index, kInColumns),
          packed == nullptr ? nullptr : packed + index * PackedSizeOfEntry(),
          out + shape_.batch.Offset(index, kInOut) * ElementByteSize(out_type)};
}

template <typename T>
absl::Status MatrixProduct<T>::Run(const DeviceContext& device, const T* rows, const T* columns,
                                   const T* packed, ElementType out_type, std::byte* out) const {
  const int64_t batch_count = shape_.batch.count();
  if (batch_count == 0 || shape_.rows.count() == 0 || shape_.columns.count() == 0) {
    return absl::OkStatus();
  }
  const bool needs_packing = packed == nullptr && mode_ == Mode::kPacked;
  const int64_t entry_work =
      Times(Times(shape_.rows.count(), shape_.columns.count()), shape_.sum.count());
  if (entry_work < 4 * kPartWork && (batch_count > 1 || entry_work < kPartWork)) {
    // Many small products: each thread does whole ones.
    const int64_t entries = std::clamp<int64_t>(kPartWork / std::max<int64_t>(1, entry_work), 1,
                                                std::max<int64_t>(1, batch_count / 16));
    const Part whole = {0, shape_.rows.count(), 0, shape_.columns.count()};
    return ForEachPart(device, CeilDiv(batch_count, entries), [&](int64_t part) {
      std::unique_ptr<T[]> storage;
      if (needs_packing) {
        storage = std::make_unique_for_overwrite<T[]>(static_cast<size_t>(PackedSizeOfEntry()));
      }
      const int64_t end = std::min(batch_count, (part + 1) * entries);
      for (int64_t i = part * entries; i < end; ++i) {
        Entry entry = EntryAt(i, rows, columns, packed, out, out_type);
        if (needs_packing) {
          PackAllPanels(entry.columns, storage.get());
          entry.packed = storage.get();
        }
        RunPart(entry, whole, out_type);
      }
    });
  }
  std::unique_ptr<T[]> storage;
  if (needs_packing) {
    storage = std::make_unique_for_overwrite<T[]>(static_cast<size_t>(PackedSizeOfEntry()));
  }
  const int64_t panel_count = CeilDiv(shape_.columns.count(), kernels_.panel_width);
  for (int64_t i = 0; i < batch_count; ++i) {
    Entry entry = EntryAt(i, rows, columns, packed, out, out_type);
    if (needs_packing) {
      entry.packed = storage.get();
      const absl::Status status = ForEachPart(device, panel_count, [&](int64_t panel) {
        const int64_t column = panel * kernels_.panel_width;
        PackPanel(entry.columns, column, storage.get() + column * shape_.sum.count());
      });
      if (!status.ok()) return status;
    }
    const absl::Status status = RunEntry(device, entry, out_type);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status MatrixProduct<T>::RunEntry(const DeviceContext& device, const Entry& entry,
                                        ElementType out_type) const {
  const int64_t row_count = shape_.rows.count();
  const int64_t column_count = shape_.columns.count();
  const int64_t column_parts = CeilDiv(column_count, column_part_);
  return ForEachPart(device, CeilDiv(row_count, row_part_) * column_parts, [&](int64_t index) {
    Part part;
    part.row_begin = index / column_parts * row_part_;
    part.row_end = std::min(row_count, part.row_begin + row_part_);
    part.column_begin = index % column_parts * column_part_;
    part.column_end = std::min(column_count, part.column_begin + column_part_);
    RunPart(entry, part, out_type);
  });
}

// Sums go straight to where they belong if rows of the result are rows of carriers there.
template <typename T>
void MatrixProduct<T>::RunPart(const Entry& entry, const Part& part, ElementType out_type) const {
  const auto& out_columns = shape_.columns.dimensions();
  const int64_t out_column_stride = out_columns.empty() ? 1 : out_columns.back().out_stride;
  const int64_t width = part.column_end - part.column_begin;
  const int64_t element_size = ElementByteSize(out_type);
  constexpr bool kIsFloat = std::is_floating_point_v<T>;
  const bool is_carrier = kIsFloat
                              ? out_type == (sizeof(T) == 4 ? ElementType::kF32 : ElementType::kF64)
                              : element_size == static_cast<int64_t>(sizeof(T));
  const auto& out_rows = shape_.rows.dimensions();
  const bool has_even_rows = out_rows.size() <= 1;
  const bool is_direct = is_carrier && out_column_stride == 1 && has_even_rows;
  int64_t row_offsets[kRowPart];
  int64_t out_offsets[kRowPart];
  std::unique_ptr<T[]> storage;
  if (!is_direct) {
    storage = std::make_unique_for_overwrite<T[]>(
        static_cast<size_t>(std::min(kRowPart, part.row_end - part.row_begin) * width));
  }
  for (int64_t row = part.row_begin; row < part.row_end; row += kRowPart) {
    Part rows = part;
    rows.row_begin = row;
    rows.row_end = std::min(part.row_end, row + kRowPart);
    const int64_t count = rows.row_end - rows.row_begin;
    shape_.rows.Offsets(row, count, kInRows, row_offsets);
    shape_.rows.Offsets(row, count, kInOut, out_offsets);
    T* sums = storage.get();
    int64_t sums_stride = width;
    if (is_direct) {
      sums = reinterpret_cast<T*>(entry.out) + out_offsets[0] + part.column_begin;
      sums_stride = out_rows.empty() ? 0 : out_rows[0].out_stride;
    }
    if (mode_ == Mode::kDot) {
      DotPart(entry, rows, row_offsets, sums, sums_stride);
    } else {
      MultiplyPart(entry, rows, row_offsets, sums, sums_stride);
    }
    if (is_direct) continue;
    constexpr ElementType kCarrier = kIsFloat
                                         ? (sizeof(T) == 4 ? ElementType::kF32 : ElementType::kF64)
                                         : (sizeof(T) == 4 ? ElementType::kU32 : ElementType::kU64);
    for (int64_t r = 0; r < count; ++r) {
      const std::byte* from = reinterpret_cast<const std::byte*>(sums + r * width);
      std::byte* to =
          entry.out + (out_offsets[r] + part.column_begin * out_column_stride) * element_size;
      if (out_column_stride == 1) {
        ConvertElements(kCarrier, from, out_type, to, width);
        continue;
      }
      for (int64_t c = 0; c < width; ++c) {
        ConvertElements(kCarrier, from + c * static_cast<int64_t>(sizeof(T)), out_type,
                        to + c * out_column_stride * element_size, 1);
      }
    }
  }
}

template <typename T>
void MatrixProduct<T>::MultiplyPart(const Entry& entry, const Part& part,
                                    const int64_t* row_offsets, T* out, int64_t out_stride) const {
  const int64_t width = part.column_end - part.column_begin;
  const int64_t row_count = part.row_end - part.row_begin;
  if (blocks_.empty()) {
    for (int64_t r = 0; r < row_count; ++r) std::fill_n(out + r * out_stride, width, T{});
    return;
  }
  const auto& sum = shape_.sum.dimensions();
  std::unique_ptr<T[]> tail;  // the last panel, where columns are read in place
  TileArguments<T> tile;
  tile.rows = entry.rows;
  tile.row_offsets = {row_offsets, static_cast<size_t>(row_count)};
  tile.sum_stride = sum.empty() ? 0 : sum.back().row_stride;
  for (const SumBlock& block : blocks_) {
    tile.runs = block.runs;
    tile.adds = block.begin != 0;
    for (int64_t c = part.column_begin; c < part.column_end; c += kernels_.panel_width) {
      tile.column_count = std::min(kernels_.panel_width, part.column_end - c);
      const int64_t packed_width = RoundUp(tile.column_count, kernels_.vector_width);
      if (mode_ == Mode::kDirect && packed_width == tile.column_count) {
        tile.column_stride = sum.empty() ? 0 : sum.back().column_stride;
        tile.columns = entry.columns + c + block.begin * tile.column_stride;
      } else {
        tile.column_stride = packed_width;
        const T* panel = nullptr;
        if (mode_ == Mode::kDirect) {
          if (tail == nullptr) {
            tail = std::make_unique_for_overwrite<T[]>(
                static_cast<size_t>(packed_width * shape_.sum.count()));
            PackPanel(entry.columns, c, tail.get());
          }
          panel = tail.get();
        } else {
          panel = entry.packed + c * shape_.sum.count();
        }
        tile.columns = panel + block.begin * packed_width;
      }
      tile.out = out + (c - part.column_begin);
      tile.out_stride = out_stride;
      kernels_.multiply(tile);
    }
  }
}

template <typename T>
void MatrixProduct<T>::DotPart(const Entry& entry, const Part& part, const int64_t* row_offsets,
                               T* out, int64_t out_stride) const {
  for (int64_t c = part.column_begin; c < part.column_end; ++c) {
    const T* column = entry.columns + shape_.columns.Offset(c, kInColumns);
    for (int64_t r = 0; r < part.row_end - part.row_begin; ++r) {
      out[r * out_stride + c - part.column_begin] =
          kernels_.dot(entry.rows + row_offsets[r], column, shape_.sum.count());
    }
  }
}

template class MatrixProduct<float>;
template class MatrixProduct<double>;
template class MatrixProduct<uint32_t>;
template class MatrixProduct<uint64_t>;

}  // namespace hlo::simd
