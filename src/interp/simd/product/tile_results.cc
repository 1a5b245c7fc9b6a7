// Sums of tiles become results. Kernels make them row by row; where results of a column lie side by
// side they are turned, as many rows at a time as there are.
#include <algorithm>

#include "interp/simd/movement/turn_tile.h"
#include "interp/simd/product/carrier_array.h"
#include "interp/simd/product/tile_packing.h"
#include "interp/simd/product/tile_product.h"

namespace hlo::simd {

// Of few columns, which get rows of results as long as a part has rows.
bool TileProduct::TurnsResults() const {
  const auto& rows = shape_.rows.dimensions();
  const auto& columns = shape_.columns.dimensions();
  return rows.size() == 1 && rows[0].out_stride == 1 && columns.size() == 1 &&
         columns[0].out_stride != 1 && columns[0].size <= kTurnedColumns;
}

void TileProduct::RunTurnedPart(const TileSession& session, const Entry& entry,
                                const Part& part) const {
  constexpr int64_t kStride = kTurnedColumns * kTileSumSize;
  alignas(64) std::byte sums[kPartPanels * kPanelLines * kStride];
  const int64_t column = part.column_begin * kPanelLines;
  const int64_t column_count =
      std::min(shape_.columns.count(), part.column_end * kPanelLines) - column;
  const std::byte* const columns = entry.columns + part.column_begin * PanelByteSize();
  for (int64_t begin = part.row_begin; begin < part.row_end; begin += kPartPanels) {
    const int64_t end = std::min(part.row_end, begin + kPartPanels);
    for (int64_t panel = begin; panel < end; ++panel) {
      const bool has_second = shape_.rows.count() - panel * kPanelLines > kTileLines;
      session.Multiply(elements_, {RowsAt(entry.rows, panel, 0), columns, PanelByteSize(),
                                   block_count_, has_second, column_count,
                                   sums + (panel - begin) * kPanelLines * kStride, kStride,
                                   /*continues=*/false});
    }
    const int64_t row = begin * kPanelLines;
    StoreTurned({sums, kStride}, row, std::min(shape_.rows.count(), end * kPanelLines) - row,
                column, column_count, entry.out);
  }
}

void TileProduct::StoreTurned(const PartSums& sums, int64_t row, int64_t row_count, int64_t column,
                              int64_t column_count, std::byte* out) const {
  const int64_t out_size = ElementByteSize(out_type_);
  const int64_t stride = shape_.columns.Distance(kInOut);
  const auto turn = GetTurnTile<uint32_t>(/*streams=*/false);
  alignas(64) uint32_t turned[kPanelLines][kPartPanels * kPanelLines];
  for (int64_t c = 0; c < column_count; c += kPanelLines) {
    const int64_t columns = std::min(kPanelLines, column_count - c);
    for (int64_t r = 0; r < row_count; r += kPanelLines) {
      const std::byte* from = sums.bytes + r * sums.stride + c * kTileSumSize;
      turn(reinterpret_cast<const uint32_t*>(from), sums.stride / kTileSumSize, &turned[0][r],
           kPartPanels * kPanelLines, columns, std::min(kPanelLines, row_count - r));
    }
    for (int64_t i = 0; i < columns; ++i) {
      StoreCarriers(SumType(), reinterpret_cast<const std::byte*>(turned[i]), out_type_,
                    out + (row + (column + c + i) * stride) * out_size, row_count,
                    shape_.saturates);
    }
  }
}

void TileProduct::StoreRows(const std::byte* sums, int64_t sum_stride, int64_t panel,
                            int64_t column, int64_t width, std::byte* out) const {
  const int64_t out_size = ElementByteSize(out_type_);
  const auto& columns = shape_.columns.dimensions();
  const int64_t stride = columns.empty() ? 1 : columns.back().out_stride;
  const LineOffsets rows(shape_.rows, kInOut, panel * kPanelLines, kPanelLines);
  const auto store = [&](const std::byte* from, int64_t to, int64_t count) {
    StoreCarriers(SumType(), from, out_type_, out + to * out_size, count, shape_.saturates);
  };
  if (stride == 1) {
    for (int64_t r = 0; r < rows.count; ++r) store(sums + r * sum_stride, rows[r] + column, width);
  } else if (rows.is_dense) {
    uint32_t turned[kPanelLines][kPanelLines];
    for (int64_t first = 0; first < width; first += kPanelLines) {
      const int64_t count = std::min(kPanelLines, width - first);
      GetTurnTile<uint32_t>(/*streams=*/false)(
          reinterpret_cast<const uint32_t*>(sums + first * kTileSumSize), sum_stride / kTileSumSize,
          turned[0], kPanelLines, count, rows.count);
      for (int64_t c = 0; c < count; ++c) {
        store(reinterpret_cast<const std::byte*>(turned[c]),
              rows.first + (column + first + c) * stride, rows.count);
      }
    }
  } else {
    for (int64_t r = 0; r < rows.count; ++r) {
      for (int64_t c = 0; c < width; ++c) {
        store(sums + r * sum_stride + c * kTileSumSize, rows[r] + (column + c) * stride, 1);
      }
    }
  }
}

}  // namespace hlo::simd
