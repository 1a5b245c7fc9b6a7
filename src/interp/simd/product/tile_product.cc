// Each sum is made in a register from the first term to the last, whatever the parts: who its
// neighbours are, and whether it rests in memory between pieces of a long sum, does not change it.
#include "interp/simd/product/tile_product.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "interp/simd/product/byte_products.h"
#include "interp/simd/product/term_groups.h"
#include "interp/simd/product/tile_packing.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::simd {
namespace {

// Few lines of one side, where matrix registers win though most of a tile is empty: if many lie
// as they are loaded, and if these have to be packed; of bf16 that memory gives vectors keep up.
constexpr int64_t kLeastFewLying = 4;  // of bytes
constexpr int64_t kLeastFewLyingBf16 = 6;
constexpr int64_t kLeastFew = 2;  // of bytes
constexpr int64_t kLeastFewBf16 = 4;
constexpr int64_t kLeastFewByMuchBf16 = 5;
constexpr int64_t kManyForVectors = int64_t{1} << 21;  // numbers
constexpr int64_t kMostFewLines = 64;
constexpr int64_t kManyLying = 256;  // beside which it is little to pack those of a panel
constexpr int64_t kMinTerms = 32;
// Products that are next to nothing in matrix registers, and what takes vectors 10 us that multiply
// four at a time, or 20 to 30 us by two.
constexpr int64_t kSmallWork = int64_t{1} << 23;
constexpr int64_t kSmallLyingWork = int64_t{1} << 20;  // of rows that need not be packed
constexpr int64_t kSmallFourWork = int64_t{1} << 21;
constexpr int64_t kSmallPairWork = int64_t{1} << 21;
// Columns that take long to pack are not small either: those of an entry of many, and of one alone.
constexpr int64_t kLargeEntryByteSize = int64_t{1} << 20;
constexpr int64_t kLargeByteSize = int64_t{1} << 18;
constexpr int64_t kMinParts = 8;
// Of a part that is packed.
constexpr int64_t kPackedPanels = 64;
constexpr int64_t kPackedBlocks = 8;
// Of sums that are made where results lie; longer ones may come back to them several times.
constexpr int64_t kDirectBlocks = 16;

}  // namespace

std::optional<TileProduct> TileProduct::Make(const ProductShape& shape, ElementType rows,
                                             ElementType columns, ElementType out,
                                             int64_t least_lines) {
  const std::optional<TileElements> elements = TileElementsOf(rows, columns);
  if (!elements || !HasTileKernel(*elements)) return std::nullopt;
  const bool is_float = *elements == TileElements::kBf16;
  const bool fits = is_float ? out == ElementType::kF32 || out == ElementType::kBf16
                             : IsInteger(out) && BitWidth(out) >= 8 && BitWidth(out) <= 32;
  if (!fits || std::min(shape.rows.count(), shape.columns.count()) < least_lines ||
      shape.sum.count() < kMinTerms) {
    return std::nullopt;
  }
  return TileProduct(shape, *elements, out);
}

int64_t TileProduct::LeastFewLines(const ProductShape& shape, ElementType type) {
  const bool is_bf16 = type == ElementType::kBf16;
  if (DoManyLie(shape, type)) return is_bf16 ? kLeastFewLyingBf16 : kLeastFewLying;
  if (!is_bf16) return kLeastFew;
  const int64_t many = std::max(shape.rows.count(), shape.columns.count());
  return Times(many, shape.sum.count()) < kManyForVectors ? kLeastFewBf16 : kLeastFewByMuchBf16;
}

bool TileProduct::TakesFewLines(const ProductShape& shape, ElementType type) {
  const int64_t few = std::min(shape.rows.count(), shape.columns.count());
  const int64_t many = std::max(shape.rows.count(), shape.columns.count());
  return HasMatrixRegisters() && few >= LeastFewLines(shape, type) && few <= kMostFewLines &&
         many >= 2 * kPanelLines && few < many && shape.sum.count() >= kMinTerms;
}

bool TileProduct::WantsSwap(const ProductShape& shape, ElementType type) {
  return (shape.rows.count() < shape.columns.count()) == DoManyLie(shape, type);
}

// Whether those of which there are more lie as they are loaded.
bool TileProduct::DoManyLie(const ProductShape& shape, ElementType type) {
  return shape.rows.count() < shape.columns.count()
             ? Lie(shape.columns, shape.sum, kInColumns, ElementByteSize(type))
             : Lie(shape.rows, shape.sum, kInRows, ElementByteSize(type));
}

// Tiles must be full, but for the last ones of many.
bool TileProduct::Lie(const ProductDimensions& lines, const ProductDimensions& sum,
                      int64_t ProductDimension::*stride, int64_t element_size) {
  return HasMatrixRegisters() && lines.dimensions().size() == 1 &&
         (lines.count() % kTileLines == 0 || lines.count() >= kManyLying) && sum.IsDense(stride) &&
         sum.count() * element_size % kTileLineByteSize == 0;
}

TileProduct::TileProduct(const ProductShape& shape, TileElements elements, ElementType out)
    : shape_(shape),
      elements_(elements),
      out_type_(out),
      element_size_(elements == TileElements::kBf16 ? 2 : 1) {
  block_count_ = CeilDiv(shape_.sum.count(), kTileLineByteSize / element_size_);
  row_panels_ = CeilDiv(shape_.rows.count(), kPanelLines);
  column_panels_ = CeilDiv(shape_.columns.count(), kPanelLines);
  part_rows_ = std::min(row_panels_, kPartPanels);
  part_columns_ = std::min(column_panels_, kPartPanels);
  while (PartCount() < kMinParts && part_rows_ * part_columns_ > 1) {
    // Vectors widen rows once for all columns of a part.
    const bool cuts_rows = HasMatrixRegisters() ? part_rows_ > part_columns_ : part_rows_ > 1;
    int64_t& size = cuts_rows ? part_rows_ : part_columns_;
    size = CeilDiv(size, 2);
  }
  lying_row_byte_size_ = FindLyingRows();
  packs_rows_by_part_ = HasLyingRows() || part_columns_ == column_panels_;
}

// Lines a power of two apart push each other out of the first-level cache, which is nothing where
// few columns use them.
int64_t TileProduct::FindLyingRows() const {
  constexpr int64_t kCacheWayByteSize = 4096;
  const int64_t byte_size = shape_.rows.Distance(kInRows) * element_size_;
  const bool are_apart =
      byte_size % (kCacheWayByteSize / 2) != 0 || shape_.columns.count() <= kMostFewLines;
  return Lie(shape_.rows, shape_.sum, kInRows, element_size_) && are_apart ? byte_size : 0;
}

RowPanel TileProduct::RowsAt(const Rows& rows, int64_t panel, int64_t block) const {
  if (panel >= rows.packed.first_panel) return {rows.packed.At(panel, block)};
  return {
      .bytes = rows.lying + panel * kPanelLines * lying_row_byte_size_ + block * kTileLineByteSize,
      .line_byte_size = lying_row_byte_size_,
      .tile_byte_size = kTileLines * lying_row_byte_size_,
      .block_byte_size = kTileLineByteSize};
}

int64_t TileProduct::PackedByteSize() const {
  return Times(shape_.batch.count(), ColumnsByteSize());
}

int64_t TileProduct::Work() const {
  return Times(Times(shape_.rows.count(), shape_.columns.count()), shape_.sum.count());
}

bool TileProduct::HasSmallEntries() const {
  if (shape_.batch.count() > 1) {
    return Work() < kSmallWork && ColumnsByteSize() < kLargeEntryByteSize;
  }
  if (HasMatrixRegisters()) {
    return Work() < (HasLyingRows() ? kSmallLyingWork : kSmallWork) &&
           ColumnsByteSize() < kLargeByteSize;
  }
  const bool has_fours = AvailableByteProducts() == ByteProducts::kFour;
  return Work() < (has_fours ? kSmallFourWork : kSmallPairWork);
}

int64_t TileProduct::EntriesOfPart() const {
  return std::max<int64_t>(1, shape_.batch.count() / 16);
}

int64_t TileProduct::ScratchByteSize() const {
  if (HasSmallEntries()) {
    return Times(PartsAtOnce(CeilDiv(shape_.batch.count(), EntriesOfPart())),
                 RowsByteSize() + ColumnsByteSize());
  }
  if (HasLongSums()) {
    return (IsStoredByKernels() ? 0 : SumsByteSize()) +
           PartsAtOnce(LongPartCount()) * LongPartScratchByteSize();
  }
  const int64_t parts = PartsAtOnce(PartCount());
  const int64_t rows =
      packs_rows_by_part_
          ? Times(Times(std::min(part_rows_, PackedRowPanels()), parts), PanelByteSize())
          : RowsByteSize();
  return rows + ColumnsByteSize();
}

// --- Packing

template <TileProduct::Side kSide>
int64_t TileProduct::PanelsSideBySide(int64_t panel, int64_t end) const {
  if (kSide == Side::kRows) return 0;
  const int64_t run = shape_.columns.RunSize(kInColumns);
  return std::min((run - panel * kPanelLines % run) / kPanelLines, end - panel);
}

template <TileProduct::Side kSide>
void TileProduct::PackPart(const std::byte* from, const PackedPart& part,
                           const PackedPlace& to) const {
  constexpr bool kIsRows = kSide == Side::kRows;
  constexpr auto kIn = kIsRows ? kInRows : kInColumns;
  const ProductDimensions& dimensions = kIsRows ? shape_.rows : shape_.columns;
  const int64_t block_terms = kTileLineByteSize / element_size_;
  const auto terms_of = [&](int64_t block) {
    return TermOffsets(shape_.sum, kIn, block * block_terms, block_terms);
  };
  const auto lines_of = [&](int64_t panel) {
    return LineOffsets(dimensions, kIn, panel * kPanelLines, kPanelLines);
  };
  const auto pack = [&](const LineOffsets& lines, const TermOffsets& terms, int64_t panel,
                        int64_t block) {
    std::byte* const at = to.At(panel, block);
    if (lines.count < kPanelLines || terms.count < block_terms) {
      std::memset(at, 0, kPanelBlockByteSize);
    }
    const auto pack_block = kIsRows ? PackRowBlock : PackColumnBlock;
    pack_block(element_size_, from, lines, terms, at);
  };
  // How many panels that was.
  const auto pack_some = [&](int64_t panel, const TermOffsets& terms, int64_t block) {
    const LineOffsets lines = lines_of(panel);
    const int64_t count = PanelsSideBySide<kSide>(panel, part.panel_end);
    if (count == 0 || !terms.is_even || terms.count % (kGroupByteSize / element_size_) != 0) {
      pack(lines, terms, panel, block);
      return int64_t{1};
    }
    for (int64_t i = 0; terms.count < block_terms && i < count; ++i) {
      std::memset(to.At(panel + i, block), 0, kPanelBlockByteSize);
    }
    PackColumnPanels(element_size_, from, lines, terms, count, to.At(panel, block),
                     to.panel_byte_size);
    return count;
  };
  if (lines_of(part.panel_begin).is_dense) {
    for (int64_t block = part.block_begin; block < part.block_end; ++block) {
      const TermOffsets terms = terms_of(block);
      for (int64_t panel = part.panel_begin; panel < part.panel_end;) {
        panel += pack_some(panel, terms, block);
      }
    }
  } else {
    for (int64_t panel = part.panel_begin; panel < part.panel_end; ++panel) {
      const LineOffsets lines = lines_of(panel);
      for (int64_t block = part.block_begin; block < part.block_end; ++block) {
        pack(lines, terms_of(block), panel, block);
      }
    }
  }
}

template void TileProduct::PackPart<TileProduct::Side::kRows>(const std::byte*, const PackedPart&,
                                                              const PackedPlace&) const;
template void TileProduct::PackPart<TileProduct::Side::kColumns>(const std::byte*,
                                                                 const PackedPart&,
                                                                 const PackedPlace&) const;

// Few enough that all threads have some to pack.
int64_t TileProduct::PackedBlocks(int64_t panels) const {
  int64_t blocks = kPackedBlocks;
  while (blocks > 1 && CeilDiv(panels, kPackedPanels) * CeilDiv(block_count_, blocks) < kMinParts) {
    blocks /= 2;
  }
  return blocks;
}

// The parts in which the panels of one side are packed: few blocks of many panels, for lines that
// lie side by side.
TileProduct::PackedPart TileProduct::PackedPartAt(int64_t index, int64_t panels) const {
  const int64_t blocks = PackedBlocks(panels);
  const int64_t block_parts = CeilDiv(block_count_, blocks);
  PackedPart part;
  part.panel_begin = index / block_parts * kPackedPanels;
  part.panel_end = std::min(panels, part.panel_begin + kPackedPanels);
  part.block_begin = index % block_parts * blocks;
  part.block_end = std::min(block_count_, part.block_begin + blocks);
  return part;
}

int64_t TileProduct::PackedPartCount(int64_t panels) const {
  return CeilDiv(panels, kPackedPanels) * CeilDiv(block_count_, PackedBlocks(panels));
}

absl::Status TileProduct::Pack(const DeviceContext& device, const std::byte* columns,
                               std::byte* packed) const {
  const int64_t parts = PackedPartCount(column_panels_);
  return ForEachPart(device, shape_.batch.count() * parts, [&](int64_t part) {
    const int64_t entry = part / parts;
    PackPart<Side::kColumns>(columns + shape_.batch.Offset(entry, kInColumns) * element_size_,
                             PackedPartAt(part % parts, column_panels_),
                             {packed + entry * ColumnsByteSize(), PanelByteSize()});
  });
}

// --- Running

int64_t TileProduct::FinishedRowSize() const {
  int64_t bands = CeilDiv(row_panels_, part_rows_);
  if (HasSmallEntries()) {
    bands = CeilDiv(shape_.batch.count(), EntriesOfPart());
  } else if (HasLongSums()) {
    return 0;
  } else {
    bands = Times(bands, shape_.batch.count());
  }
  return bands >= kLeastFinished ? shape_.DenseRowSize() : 0;
}

absl::Status TileProduct::Run(const DeviceContext& device, const std::byte* rows,
                              const std::byte* columns, const std::byte* packed, std::byte* out,
                              const ProductWatch& watch) const {
  if (HasSmallEntries()) {
    return RunSmallEntries(device, rows, columns, packed, out, watch);
  }
  if (HasLongSums()) return RunLongSums(device, rows, columns, packed, out);
  const ScratchArray<std::byte> row_storage(device.scratch(),
                                            packs_rows_by_part_ ? 0 : RowsByteSize());
  const ScratchArray<std::byte> column_storage(device.scratch(),
                                               packed == nullptr ? ColumnsByteSize() : 0);
  const int64_t column_parts = CeilDiv(column_panels_, part_columns_);
  for (int64_t i = 0; i < shape_.batch.count(); ++i) {
    const std::byte* own_rows = rows + shape_.batch.Offset(i, kInRows) * element_size_;
    const std::byte* own_columns = columns + shape_.batch.Offset(i, kInColumns) * element_size_;
    const int64_t row_parts = packs_rows_by_part_ ? 0 : PackedPartCount(row_panels_);
    const PackedPlace packed_rows = {row_storage.get(), PanelByteSize()};
    const int64_t all_parts = row_parts + (packed == nullptr ? PackedPartCount(column_panels_) : 0);
    absl::Status status = ForEachPart(device, all_parts, [&](int64_t part) {
      if (part < row_parts) {
        PackPart<Side::kRows>(own_rows, PackedPartAt(part, row_panels_), packed_rows);
      } else {
        PackPart<Side::kColumns>(own_columns, PackedPartAt(part - row_parts, column_panels_),
                                 {column_storage.get(), PanelByteSize()});
      }
    });
    if (!status.ok()) return status;
    const int64_t out_begin = shape_.batch.Offset(i, kInOut);
    const Entry entry = {{own_rows, packed_rows},
                         packed == nullptr ? column_storage.get() : packed + i * ColumnsByteSize(),
                         out + out_begin * ElementByteSize(out_type_)};
    FinishedBands finished(device, watch, CeilDiv(row_panels_, part_rows_), column_parts);
    status = ForEachPart(device, PartCount(), [&](int64_t index) {
      Part part;
      part.row_begin = index / column_parts * part_rows_;
      part.row_end = std::min(row_panels_, part.row_begin + part_rows_);
      part.column_begin = index % column_parts * part_columns_;
      part.column_end = std::min(column_panels_, part.column_begin + part_columns_);
      if (packs_rows_by_part_) {
        const int64_t first = std::max(part.row_begin, FirstPackedRowPanel());
        const int64_t count = std::max<int64_t>(0, part.row_end - first);
        const ScratchArray<std::byte> part_rows(device.scratch(), count * PanelByteSize());
        const PackedPlace place = {part_rows.get(), PanelByteSize(), first};
        if (count > 0) {
          PackPart<Side::kRows>(own_rows, {first, part.row_end, 0, block_count_}, place);
        }
        RunPart({{own_rows, place}, entry.columns, entry.out}, part);
      } else {
        RunPart(entry, part);
      }
      const int64_t end = std::min(shape_.rows.count(), part.row_end * kPanelLines);
      finished.Add(index / column_parts,
                   out_begin + part.row_begin * kPanelLines * shape_.columns.count(),
                   out_begin + end * shape_.columns.count());
    });
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Each thread does whole entries.
absl::Status TileProduct::RunSmallEntries(const DeviceContext& device, const std::byte* rows,
                                          const std::byte* columns, const std::byte* packed,
                                          std::byte* out, const ProductWatch& watch) const {
  const int64_t batch_count = shape_.batch.count();
  const int64_t entries = EntriesOfPart();
  return ForEachPart(device, CeilDiv(batch_count, entries), [&](int64_t part) {
    const ScratchArray<std::byte> storage(
        device.scratch(), RowsByteSize() + (packed == nullptr ? ColumnsByteSize() : 0));
    FinishedEntries finished(watch);
    for (int64_t i = part * entries; i < std::min(batch_count, (part + 1) * entries); ++i) {
      const std::byte* own_rows = rows + shape_.batch.Offset(i, kInRows) * element_size_;
      Entry entry = {{own_rows, {storage.get(), PanelByteSize(), FirstPackedRowPanel()}},
                     packed == nullptr ? nullptr : packed + i * ColumnsByteSize(),
                     out + shape_.batch.Offset(i, kInOut) * ElementByteSize(out_type_)};
      if (PackedRowPanels() > 0) {
        PackPart<Side::kRows>(own_rows, {FirstPackedRowPanel(), row_panels_, 0, block_count_},
                              entry.rows.packed);
      }
      if (packed == nullptr) {
        std::byte* to = storage.get() + RowsByteSize();
        const std::byte* own_columns = columns + shape_.batch.Offset(i, kInColumns) * element_size_;
        PackPart<Side::kColumns>(own_columns, {0, column_panels_, 0, block_count_},
                                 {to, PanelByteSize()});
        entry.columns = to;
      }
      RunPart(entry, {0, row_panels_, 0, column_panels_});
      const int64_t out_begin = shape_.batch.Offset(i, kInOut);
      finished.Add(out_begin, out_begin + shape_.rows.count() * shape_.columns.count());
    }
    finished.Finish();
  });
}

int64_t TileProduct::DirectRowByteSize() const {
  const auto& rows = shape_.rows.dimensions();
  const auto& columns = shape_.columns.dimensions();
  const bool is_sum = ElementByteSize(out_type_) == kTileSumSize && !shape_.saturates;
  const bool has_lines = rows.size() == 1 && columns.size() == 1 && columns[0].out_stride == 1;
  if (!is_sum || !has_lines || block_count_ > kDirectBlocks) return 0;
  return rows[0].out_stride * kTileSumSize;
}

void TileProduct::RunPart(const Entry& entry, const Part& part) const {
  constexpr int64_t kStride = kPartPanels * kPanelLines * kTileSumSize;
  const TileSession session;
  if (TurnsResults()) return RunTurnedPart(session, entry, part);
  alignas(64) std::byte sums[kPanelLines * kStride];
  const int64_t direct_row = DirectRowByteSize();
  for (int64_t begin = part.column_begin; begin < part.column_end; begin += kPartPanels) {
    const int64_t end = std::min(part.column_end, begin + kPartPanels);
    const int64_t width = std::min(shape_.columns.count(), end * kPanelLines) - begin * kPanelLines;
    for (int64_t row = part.row_begin; row < part.row_end; ++row) {
      const RowPanel rows = RowsAt(entry.rows, row, 0);
      const int64_t row_count = shape_.rows.count() - row * kPanelLines;
      const auto multiply = [&](int64_t panel, int64_t columns, std::byte* to, int64_t stride) {
        session.Multiply(elements_, {rows, entry.columns + panel * PanelByteSize(), PanelByteSize(),
                                     block_count_, row_count > kTileLines, columns, to, stride,
                                     /*continues=*/false});
      };
      const int64_t whole = row_count >= kPanelLines && direct_row > 0 ? width / kPanelLines : 0;
      const int64_t stored = whole * kPanelLines;
      if (whole > 0) {
        std::byte* const to =
            entry.out + row * kPanelLines * direct_row + begin * kPanelLines * kTileSumSize;
        multiply(begin, stored, to, direct_row);
      }
      if (stored == width) continue;
      multiply(begin + whole, width - stored, sums, kStride);
      StoreRows(sums, kStride, row, begin * kPanelLines + stored, width - stored, entry.out);
    }
  }
}

}  // namespace hlo::simd
