// Few sums of many terms, and few rows by many columns: parts pack what they multiply next in
// pieces that stay in the cache, and their sums rest in memory meanwhile.
#include <algorithm>
#include <tuple>
#include <utility>

#include "interp/simd/product/tile_product.h"
#include "support/checked_math.h"
#include "support/status_macros.h"
#include "support/thread_pool.h"

namespace hlo::simd {
namespace {

// Long sums: pairs of panels they are for at most, and blocks of terms that are packed at a time,
// and between two looks whether the run is to stop.
constexpr int64_t kLongPairs = 160;
constexpr int64_t kLongBlocks = 8;
constexpr int64_t kLongStep = 64 * kLongBlocks;
constexpr int64_t kLongByteSize = int64_t{4} << 20;  // of what is packed, and does not stay
// Few rows: their panels, and panels of columns of a part.
constexpr int64_t kFewRowPanels = 4;
constexpr int64_t kMoreRowPanels = 8;  // by columns that stay in the cache
constexpr int64_t kFewColumnsByteSize = int64_t{1} << 20;
constexpr int64_t kFewPartColumns = 32;
constexpr int64_t kFewByteSize = int64_t{1} << 18;  // of columns that are packed at a time

}  // namespace

bool TileProduct::HasLongSums() const {
  if (HasFewRows()) return true;
  if (HasLyingRows() && ColumnsByteSize() <= kLongByteSize / 4) return false;
  return row_panels_ >= ThreadPool::ProcessorCount() &&
         Times(row_panels_, column_panels_) <= kLongPairs &&
         Times(row_panels_ + column_panels_, PanelByteSize()) >= kLongByteSize;
}

bool TileProduct::HasFewRows() const {
  const int64_t most = ColumnsByteSize() <= kFewColumnsByteSize ? kMoreRowPanels : kFewRowPanels;
  return HasMatrixRegisters() && row_panels_ <= most && row_panels_ <= column_panels_;
}

int64_t TileProduct::LongPartCount() const {
  if (!HasFewRows()) return PartsAtOnce(row_panels_);
  const int64_t pairs = std::max<int64_t>(1, CeilDiv(column_panels_, 2 * kFewPartColumns));
  return std::min(column_panels_, 2 * pairs);
}

int64_t TileProduct::LongBlocks() const {
  if (!HasFewRows()) return kLongBlocks;
  const int64_t panels = CeilDiv(column_panels_, LongPartCount());
  return std::clamp<int64_t>(kFewByteSize / (panels * kPanelBlockByteSize), 1, kLongBlocks);
}

TileProduct::Part TileProduct::LongPart(int64_t index) const {
  const int64_t count = LongPartCount();
  const auto cut = [&](int64_t panels) {
    return std::pair(panels * index / count, panels * (index + 1) / count);
  };
  Part part = {0, row_panels_, 0, column_panels_};
  if (HasFewRows()) {
    std::tie(part.column_begin, part.column_end) = cut(column_panels_);
  } else {
    std::tie(part.row_begin, part.row_end) = cut(row_panels_);
  }
  return part;
}

int64_t TileProduct::LongPartScratchByteSize() const {
  const int64_t cut = CeilDiv(HasFewRows() ? column_panels_ : row_panels_, LongPartCount());
  return (cut + (HasFewRows() ? row_panels_ : column_panels_)) * LongPanelByteSize();
}

// Each part packs all that it shares with others for itself: that is less than to bring it to
// memory and back.
absl::Status TileProduct::RunLongSums(const DeviceContext& device, const std::byte* rows,
                                      const std::byte* columns, const std::byte* packed,
                                      std::byte* out) const {
  const ScratchArray<std::byte> sums(device.scratch(), IsStoredByKernels() ? 0 : SumsByteSize());
  for (int64_t i = 0; i < shape_.batch.count(); ++i) {
    const std::byte* own_rows = rows + shape_.batch.Offset(i, kInRows) * element_size_;
    const std::byte* own_columns = columns + shape_.batch.Offset(i, kInColumns) * element_size_;
    const std::byte* own_packed = packed == nullptr ? nullptr : packed + i * ColumnsByteSize();
    std::byte* const own_out = out + shape_.batch.Offset(i, kInOut) * ElementByteSize(out_type_);
    for (int64_t block = 0; block < block_count_; block += kLongStep) {
      const int64_t end = std::min(block_count_, block + kLongStep);
      HLO_RETURN_IF_ERROR(ForEachPart(device, LongPartCount(), [&](int64_t index) {
        const Part part = LongPart(index);
        const PartSums own_sums =
            IsStoredByKernels() ? ResultsOf(part, own_out) : SumsOf(part, sums.get());
        AddTerms(device, {own_rows, own_columns, own_packed}, part, block, end, own_sums);
        if (end < block_count_ || IsStoredByKernels()) return;
        const int64_t column = part.column_begin * kPanelLines;
        const int64_t width =
            std::min(shape_.columns.count(), part.column_end * kPanelLines) - column;
        for (int64_t panel = part.row_begin; panel < part.row_end; ++panel) {
          StoreRows(own_sums.OfPanel(panel - part.row_begin), own_sums.stride, panel, column, width,
                    own_out);
        }
      }));
    }
  }
  return absl::OkStatus();
}

bool TileProduct::IsStoredByKernels() const {
  return DirectRowByteSize() > 0 && shape_.rows.count() % kTileLines == 0 &&
         shape_.columns.count() % kPanelLines == 0;
}

TileProduct::PartSums TileProduct::ResultsOf(const Part& part, std::byte* out) const {
  const int64_t row = shape_.rows.Distance(kInOut) * kTileSumSize;
  return {out + part.row_begin * kPanelLines * row + part.column_begin * kPanelLines * kTileSumSize,
          row};
}

// Those of a part lie one behind the other.
TileProduct::PartSums TileProduct::SumsOf(const Part& part, std::byte* sums) const {
  constexpr int64_t kPairByteSize = kPanelLines * kPanelLines * kTileSumSize;
  const int64_t pairs = part.row_begin * column_panels_ + part.column_begin * row_panels_;
  return {sums + pairs * kPairByteSize,
          (part.column_end - part.column_begin) * kPanelLines * kTileSumSize};
}

void TileProduct::AddTerms(const DeviceContext& device, const Operands& from, const Part& part,
                           int64_t block_begin, int64_t block_end, const PartSums& sums) const {
  const int64_t first_packed = std::max(part.row_begin, FirstPackedRowPanel());
  const int64_t packed_rows = std::max<int64_t>(0, part.row_end - first_packed);
  const int64_t column_panels = part.column_end - part.column_begin;
  const bool packs = from.packed == nullptr;
  const ScratchArray<std::byte> row_storage(device.scratch(), packed_rows * LongPanelByteSize());
  const ScratchArray<std::byte> column_storage(device.scratch(),
                                               packs ? column_panels * LongPanelByteSize() : 0);
  const int64_t column_count = std::min(shape_.columns.count(), part.column_end * kPanelLines) -
                               part.column_begin * kPanelLines;
  const TileSession session;
  const int64_t step = packs || packed_rows > 0 ? LongBlocks() : kLongStep;
  for (int64_t block = block_begin; block < block_end; block += step) {
    const int64_t end = std::min(block_end, block + step);
    const Rows rows = {from.rows, {row_storage.get(), LongPanelByteSize(), first_packed, block}};
    if (packed_rows > 0) {
      PackPart<Side::kRows>(from.rows, {first_packed, part.row_end, block, end}, rows.packed);
    }
    if (packs) {
      PackPart<Side::kColumns>(
          from.columns, {part.column_begin, part.column_end, block, end},
          {column_storage.get(), LongPanelByteSize(), part.column_begin, block});
    }
    const std::byte* const columns =
        packs ? column_storage.get()
              : from.packed + part.column_begin * PanelByteSize() + block * kPanelBlockByteSize;
    for (int64_t row = part.row_begin; row < part.row_end; ++row) {
      session.Multiply(
          elements_,
          {RowsAt(rows, row, block), columns, packs ? LongPanelByteSize() : PanelByteSize(),
           end - block, shape_.rows.count() - row * kPanelLines > kTileLines, column_count,
           sums.OfPanel(row - part.row_begin), sums.stride, /*continues=*/block > 0});
    }
  }
}

}  // namespace hlo::simd
