// Each result is the one before it combined with its element, so the results of a row wait for each
// other. Rows do not: squares of elements of many rows are widened and turned, so that a step of
// all these rows is one of elements side by side, and turned back.
#include "interp/simd/reduce/cumulative_rows.h"

#include <algorithm>
#include <utility>

#include "interp/kernel/device.h"
#include "interp/kernel/scratch_pool.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/loops/block_kernels.h"
#include "interp/simd/movement/turn_tile.h"
#include "interp/simd/reduce/cumulative.h"
#include "interp/simd/reduce/window_pass.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kSquare = kTurnTile<uint32_t>;  // elements of a square each way, at most
constexpr int64_t kMinRows = 8;                   // that are worth turning: a vector of them

// Squares of floats.
struct Room {
  explicit Room(ScratchPool& pool)
      : rows(pool, kSquare * kSquare), columns(pool, kSquare * kSquare), last(pool, kSquare) {}

  static constexpr int64_t kByteSize = (2 * kSquare + 1) * kSquare * int64_t{sizeof(float)};

  ScratchArray<float> rows, columns;
  ScratchArray<float> last;  // result of each row
};

class CumulativeRows {
 public:
  explicit CumulativeRows(Evaluation& e) : CumulativeRows(e, e.result().element_type) {}

  absl::Status Run(const DeviceContext& device) const;

 private:
  CumulativeRows(Evaluation& e, ElementType type)
      : widen_(GetBlockKernels().widen(type)),
        narrow_(GetBlockKernels().narrow(type)),
        combination_(e.Function(Attr::kToApply).form().opcode, type),
        size_(ElementByteSize(type)),
        from_(e.operand(0).bytes),
        init_(e.operand(1).bytes),
        to_(e.result().bytes),
        length_(e.result().dims.back()),
        row_count_(e.result().element_count() / std::max<int64_t>(1, length_)) {}

  void MakeRows(const DeviceContext& device, int64_t first, int64_t count, Room& room) const;
  // Elements [begin, begin + length) of some rows.
  void MakeSquare(int64_t row, int64_t rows, int64_t begin, int64_t length, Room& room) const;

  TileLoop widen_, narrow_;
  WindowCombination combination_;
  int64_t size_;  // of an element
  const std::byte *from_, *init_;
  std::byte* to_;
  int64_t length_, row_count_;
};

uint32_t* Words(float* floats) { return reinterpret_cast<uint32_t*>(floats); }

void CumulativeRows::MakeSquare(int64_t row, int64_t rows, int64_t begin, int64_t length,
                                Room& room) const {
  static const TurnTile<uint32_t> turn = GetTurnTile<uint32_t>(/*streams=*/false);
  const int64_t place = row * length_ + begin;
  float *lines = room.rows.get(), *columns = room.columns.get();
  for (int64_t r = 0; r < rows; ++r) {
    const std::byte* from = from_ + (place + r * length_) * size_;
    widen_(from, nullptr, nullptr, lines + r * kSquare, length);
    __builtin_prefetch(from + kSquare * size_);  // of the next square
    __builtin_prefetch(from + kSquare * size_ + 64);
  }
  turn(Words(lines), kSquare, Words(columns), kSquare, length, rows);
  const float* last = room.last.get();
  for (int64_t i = 0; i < length; ++i) {
    float* column = columns + i * kSquare;
    combination_.combine(last, column, nullptr, column, rows);
    combination_.round(column, nullptr, nullptr, column, rows);
    last = column;
  }
  std::copy_n(last, rows, room.last.get());
  turn(Words(columns), kSquare, Words(lines), kSquare, rows, length);
  for (int64_t r = 0; r < rows; ++r) {
    narrow_(lines + r * kSquare, nullptr, nullptr, to_ + (place + r * length_) * size_, length);
  }
}

void CumulativeRows::MakeRows(const DeviceContext& device, int64_t first, int64_t count,
                              Room& room) const {
  float init = 0;
  widen_(init_, nullptr, nullptr, &init, 1);
  std::fill_n(room.last.get(), count, init);
  for (int64_t begin = 0; begin < length_ && !device.is_interrupted(); begin += kSquare) {
    MakeSquare(first, count, begin, std::min(kSquare, length_ - begin), room);
  }
}

absl::Status CumulativeRows::Run(const DeviceContext& device) const {
  if (length_ == 0 || row_count_ == 0) return absl::OkStatus();
  // A part for each thread at least; which rows go together makes no difference to them.
  const int64_t share = CeilDiv(row_count_, ThreadCount(device));
  const int64_t rows = std::clamp(CeilDiv(share, kMinRows) * kMinRows, kMinRows, kSquare);
  return ForEachPart(device, CeilDiv(row_count_, rows), [&](int64_t part) {
    Room room(device.scratch());
    MakeRows(device, part * rows, std::min(rows, row_count_ - part * rows), room);
  });
}

absl::Status RunCumulativeRows(Evaluation& e) { return CumulativeRows(e).Run(e.device()); }

int64_t RowCount(const OpView& op) {
  const Shape& result = *op.written_shape();
  return CountElements(result.dims().first(static_cast<size_t>(result.rank() - 1)));
}

int64_t ScratchByteSize(const OpView& op) {
  return PartsAtOnce(CeilDiv(RowCount(op), kMinRows)) * Room::kByteSize;
}

}  // namespace

const Kernel* FindCumulativeRowsKernel(const OpView& op, Opcode opcode) {
  static constexpr Kernel kKernel = {.run = RunCumulativeRows,
                                     .scratch_byte_size = ScratchByteSize};
  const ElementType type = op.written_shape()->element_type();
  const bool rounds = IsNarrow(type) && (opcode == Opcode::kAdd || opcode == Opcode::kMultiply);
  if (!rounds || RowCount(op) < kMinRows) return nullptr;
  const Shape& input = op.operand_shape(0);
  const bool is_along_rows =
      CumulativeDimension(op.Get<Attr::kWindow>(), input.dims()) == input.rank() - 1;
  return is_along_rows ? &kKernel : nullptr;
}

}  // namespace hlo::simd
