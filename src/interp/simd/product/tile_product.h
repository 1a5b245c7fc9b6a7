// Products of narrow elements in the matrix registers of the processor (tile_kernels.h):
//   out[b, r, c] = sum over k of rows[b, r, k] * columns[b, k, c]
// of bf16 with sums in f32, and of 8-bit integers with sums in 32 bits that wrap (semantics.md
// 10.1). Rows and columns are packed into panels of 32 lines first, unless rows lie as registers
// load them.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_TILE_PRODUCT_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_TILE_PRODUCT_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/product/product_dimensions.h"
#include "interp/simd/product/product_watch.h"
#include "interp/simd/product/tile_kernels.h"
#include "ir/element_type.h"
#include "support/checked_math.h"

namespace hlo::simd {

class TileProduct {
 public:
  // Nothing where the processor has no such registers, where they do not take elements of these
  // types, or where the product is too small for them: has fewer rows or columns than
  // `least_lines`, or few terms.
  static std::optional<TileProduct> Make(const ProductShape& shape, ElementType rows,
                                         ElementType columns, ElementType out,
                                         int64_t least_lines = kTileLines);

  // Whether matrix registers win with so few rows, or columns, that tiles are not full; and whether
  // rows and columns should change places then. Operands are of `type`, or one that is as large.
  static bool TakesFewLines(const ProductShape& shape, ElementType type);
  static bool WantsSwap(const ProductShape& shape, ElementType type);

  // The bytes that packed columns take, of all batch entries.
  int64_t PackedByteSize() const;
  // The bytes that a run takes besides: packed rows of a batch entry, and columns.
  int64_t ScratchByteSize() const;
  absl::Status Pack(const DeviceContext& device, const std::byte* columns, std::byte* packed) const;

  // The elements of a row of the product in `out`, where a run finishes a few of them at a time; 0
  // where rows do not lie one behind the other, or are all done at once.
  int64_t FinishedRowSize() const;

  // `packed` is null or what Pack made of `columns`. `out` has elements of the type that Make
  // was told, to which sums are rounded or cut once. watch.finish is for products whose
  // FinishedRowSize is not 0; whether columns are finite is not looked at.
  absl::Status Run(const DeviceContext& device, const std::byte* rows, const std::byte* columns,
                   const std::byte* packed, std::byte* out, const ProductWatch& watch = {}) const;

 private:
  // Where packed panels are, from some of them and some of their blocks on.
  struct PackedPlace {
    std::byte* At(int64_t panel, int64_t block) const {
      return bytes + (panel - first_panel) * panel_byte_size +
             (block - first_block) * kPanelBlockByteSize;
    }
    std::byte* bytes;
    int64_t panel_byte_size;
    int64_t first_panel = 0, first_block = 0;
  };
  // Rows of a batch entry: as they lie, and packed from some panel on.
  struct Rows {
    const std::byte* lying;
    PackedPlace packed;
  };
  struct Entry {
    Rows rows;
    const std::byte* columns;
    std::byte* out;
  };
  enum class Side : uint8_t { kRows, kColumns };
  static constexpr int64_t kPartPanels = 8;      // of a part, each way, at most
  static constexpr int64_t kTurnedColumns = 64;  // whose results are turned for a part at once
  struct PackedPart {
    int64_t panel_begin, panel_end, block_begin, block_end;
  };
  // Panels: of rows and of columns.
  struct Part {
    int64_t row_begin, row_end, column_begin, column_end;
  };

  TileProduct(const ProductShape& shape, TileElements elements, ElementType out);

  ElementType SumType() const {
    return elements_ == TileElements::kBf16 ? ElementType::kF32 : ElementType::kS32;
  }
  int64_t PartCount() const {
    return CeilDiv(row_panels_, part_rows_) * CeilDiv(column_panels_, part_columns_);
  }
  // Whether matrix registers can load lines of one side as they lie.
  static bool Lie(const ProductDimensions& lines, const ProductDimensions& sum,
                  int64_t ProductDimension::*stride, int64_t element_size);
  static bool DoManyLie(const ProductShape& shape, ElementType type);
  static int64_t LeastFewLines(const ProductShape& shape, ElementType type);
  int64_t FindLyingRows() const;
  int64_t Work() const;           // products of an entry
  bool HasSmallEntries() const;   // parts are whole entries
  int64_t EntriesOfPart() const;  // then
  int64_t PanelByteSize() const { return Times(block_count_, kPanelBlockByteSize); }
  // Of rows that are multiplied as they lie only the last panel is packed, if a tile of it is not
  // full.
  int64_t FirstPackedRowPanel() const {
    if (!HasLyingRows()) return 0;
    return shape_.rows.count() % kTileLines == 0 ? row_panels_ : row_panels_ - 1;
  }
  int64_t PackedRowPanels() const { return row_panels_ - FirstPackedRowPanel(); }
  int64_t RowsByteSize() const { return Times(PackedRowPanels(), PanelByteSize()); }
  int64_t ColumnsByteSize() const { return Times(column_panels_, PanelByteSize()); }
  bool HasLyingRows() const { return lying_row_byte_size_ > 0; }
  // A panel of rows, from a block on.
  RowPanel RowsAt(const Rows& rows, int64_t panel, int64_t block) const;
  // How many panels from `panel` to `end` are columns that all lie side by side: 0 where not all of
  // the first do. Rows are packed one by one.
  template <Side kSide>
  int64_t PanelsSideBySide(int64_t panel, int64_t end) const;
  // Packs a part of one side of an entry, which is at `from`.
  template <Side kSide>
  void PackPart(const std::byte* from, const PackedPart& part, const PackedPlace& to) const;
  PackedPart PackedPartAt(int64_t index, int64_t panels) const;
  int64_t PackedBlocks(int64_t panels) const;  // of a part, at most
  int64_t PackedPartCount(int64_t panels) const;
  absl::Status RunSmallEntries(const DeviceContext& device, const std::byte* rows,
                               const std::byte* columns, const std::byte* packed, std::byte* out,
                               const ProductWatch& watch) const;
  // From one row of results to the next in bytes, where panels of sums are results as they are and
  // lie as kernels write them; else zero.
  int64_t DirectRowByteSize() const;
  void RunPart(const Entry& entry, const Part& part) const;
  // The same where results of a column lie side by side, and columns are few: all that they have of
  // a part is brought there together.
  bool TurnsResults() const;
  void RunTurnedPart(const TileSession& session, const Entry& entry, const Part& part) const;

  // Few sums of many terms, or few rows by many columns, whose terms are packed in pieces that stay
  // in the cache. Parts are all columns of some rows, or all rows of some columns.
  bool HasLongSums() const;
  bool HasFewRows() const;
  int64_t LongPartCount() const;
  Part LongPart(int64_t index) const;
  int64_t LongBlocks() const;  // that a part packs at a time
  // Between panels is a line of the cache: panels a power of two apart push each other out of it.
  int64_t LongPanelByteSize() const {
    return LongBlocks() * kPanelBlockByteSize + kTileLineByteSize;
  }
  int64_t LongPartScratchByteSize() const;
  int64_t SumsByteSize() const {
    return Times(Times(row_panels_, column_panels_), kPanelLines * kPanelLines * kTileSumSize);
  }
  struct PartSums {
    std::byte* OfPanel(int64_t panel) const { return bytes + panel * kPanelLines * stride; }
    std::byte* bytes;
    int64_t stride;  // bytes from row to row
  };
  PartSums SumsOf(const Part& part, std::byte* sums) const;
  // Results of some rows and columns, up to kPartPanels panels of rows.
  void StoreTurned(const PartSums& sums, int64_t row, int64_t row_count, int64_t column,
                   int64_t column_count, std::byte* out) const;
  // Whether kernels write whole tiles of sums to where results are wanted; and there.
  bool IsStoredByKernels() const;
  PartSums ResultsOf(const Part& part, std::byte* out) const;
  struct Operands {  // of an entry; `packed` is null or its columns
    const std::byte* rows;
    const std::byte* columns;
    const std::byte* packed;
  };
  absl::Status RunLongSums(const DeviceContext& device, const std::byte* rows,
                           const std::byte* columns, const std::byte* packed, std::byte* out) const;
  // Adds the terms of some blocks to the sums of `part`.
  void AddTerms(const DeviceContext& device, const Operands& from, const Part& part,
                int64_t block_begin, int64_t block_end, const PartSums& sums) const;

  // The rows of one panel, `width` columns from `column` on; `sums` begin with it.
  void StoreRows(const std::byte* sums, int64_t sum_stride, int64_t panel, int64_t column,
                 int64_t width, std::byte* out) const;

  ProductShape shape_;
  TileElements elements_;
  ElementType out_type_;
  int64_t element_size_;  // of rows and columns
  int64_t block_count_;   // of terms
  int64_t row_panels_, column_panels_;
  int64_t part_rows_, part_columns_;  // panels
  // From a row to the next, where matrix registers load rows as they lie; else 0.
  int64_t lying_row_byte_size_;
  // Each part packs its own rows, which no other part needs, or few: they are still in the cache
  // then.
  bool packs_rows_by_part_ = false;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_TILE_PRODUCT_H_
