// Products of narrow elements in the matrix registers of the processor (tile_kernels.h):
//   out[b, r, c] = sum over k of rows[b, r, k] * columns[b, k, c]
// of bf16 with sums in f32, and of 8-bit integers with sums in 32 bits that wrap (semantics.md
// 10.1). Rows and columns are packed into panels of 32 lines first.
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
  // types, or where the product is too small for them.
  static std::optional<TileProduct> Make(const ProductShape& shape, ElementType rows,
                                         ElementType columns, ElementType out);

  // The bytes that packed columns take, of all batch entries.
  int64_t PackedByteSize() const;
  // The bytes that a run takes besides: packed rows of a batch entry, and columns.
  int64_t ScratchByteSize() const;
  absl::Status Pack(const DeviceContext& device, const std::byte* columns, std::byte* packed) const;

  // The elements of a row of the product in `out`, where a run finishes a few of them at a time; 0
  // where rows do not lie one behind the other, or are all done at once.
  int64_t FinishedRowSize() const;

  // `packed` is null or what Pack made of `columns`. `out` has elements of type `out_type`, to
  // which sums are rounded or cut once. watch.finish is for products whose FinishedRowSize is not
  // 0; whether columns are finite is not looked at.
  absl::Status Run(const DeviceContext& device, const std::byte* rows, const std::byte* columns,
                   const std::byte* packed, ElementType out_type, std::byte* out,
                   const ProductWatch& watch = {}) const;

 private:
  // A batch entry.
  struct Entry {
    const std::byte* rows;    // packed, from some panel on
    int64_t first_row_panel;  // that one
    const std::byte* columns;
    std::byte* out;
  };
  enum class Side : uint8_t { kRows, kColumns };
  struct PackedPart {
    int64_t panel_begin, panel_end, block_begin, block_end;
  };
  // Panels: of rows and of columns.
  struct Part {
    int64_t row_begin, row_end, column_begin, column_end;
  };

  TileProduct(const ProductShape& shape, TileElements elements);

  int64_t PartCount() const {
    return CeilDiv(row_panels_, part_rows_) * CeilDiv(column_panels_, part_columns_);
  }
  int64_t Work() const;           // products of an entry
  bool HasSmallEntries() const;   // parts are whole entries
  int64_t EntriesOfPart() const;  // then
  int64_t PanelByteSize() const { return block_count_ * kPanelBlockByteSize; }
  int64_t RowsByteSize() const { return row_panels_ * PanelByteSize(); }
  int64_t ColumnsByteSize() const { return column_panels_ * PanelByteSize(); }
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
  // Packs a part of one side of an entry, which is at `from`.
  template <Side kSide>
  void PackPart(const std::byte* from, const PackedPart& part, const PackedPlace& to) const;
  PackedPart PackedPartAt(int64_t index, int64_t panels) const;
  int64_t PackedBlocks(int64_t panels) const;  // of a part, at most
  int64_t PackedPartCount(int64_t panels) const;
  absl::Status RunSmallEntries(const DeviceContext& device, const std::byte* rows,
                               const std::byte* columns, const std::byte* packed,
                               ElementType out_type, std::byte* out,
                               const ProductWatch& watch) const;
  // From one row of results to the next in bytes, where panels of sums are results as they are and
  // lie as kernels write them; else zero.
  int64_t DirectRowByteSize(ElementType out_type) const;
  void RunPart(const Entry& entry, const Part& part, ElementType out_type) const;

  // Few sums of many terms, which are packed in pieces that stay in the cache.
  bool HasLongSums() const;
  int64_t LongPartCount() const;  // of panels of rows
  int64_t LongPartPanels() const { return CeilDiv(row_panels_, LongPartCount()); }
  int64_t SumStride() const;  // bytes from a row of all sums to the next
  int64_t SumsByteSize() const { return row_panels_ * kPanelLines * SumStride(); }
  absl::Status RunLongSums(const DeviceContext& device, const std::byte* rows,
                           const std::byte* columns, const std::byte* packed, ElementType out_type,
                           std::byte* out) const;
  // Adds the terms of `part` to `sums`.
  void AddTerms(const DeviceContext& device, const std::byte* rows, const std::byte* columns,
                const std::byte* packed, const PackedPart& part, std::byte* sums) const;

  // The rows of one panel, `width` columns from `column` on; `sums` begin with it.
  void StoreRows(const std::byte* sums, int64_t sum_stride, int64_t panel, int64_t column,
                 int64_t width, ElementType out_type, std::byte* out) const;

  ProductShape shape_;
  TileElements elements_;
  int64_t element_size_;  // of rows and columns
  int64_t block_count_;   // of terms
  int64_t row_panels_, column_panels_;
  int64_t part_rows_, part_columns_;  // panels
  // Each part packs its own rows, which no other part needs: they are still in the cache then.
  bool packs_rows_by_part_ = false;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_TILE_PRODUCT_H_
