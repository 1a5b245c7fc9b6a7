// Running blocks: parts of some tiles each go to the device's threads, and a tile is a short list
// of calls of loops.
#include "interp/simd/block/block.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "interp/reference/element_size.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/loops/count_elements.h"
#include "support/check.h"
#include "support/checked_math.h"
#include "support/stream_copy.h"

namespace hlo::simd {
namespace {

constexpr int64_t kPartSize = 1 << 15;  // elements
// Parts of more than one long tile, where there are many of these: what is the same for all tiles
// is made once for each part.
constexpr int64_t kLargePartSize = 1 << 19;
constexpr int64_t kManyParts = 32;
// Pieces that each have sums of columns of their own: few, but none too long to be interrupted.
constexpr int64_t kFewPieces = 64;
constexpr int64_t kMostPieceSize = 1 << 21;

// Calls visit(offset, stride, run) for runs of evenly spaced elements, from element `begin` on.
template <typename Strides, typename Visit>
void ForEachRun(const Strides& strides, int64_t begin, int64_t count, Visit&& visit) {
  if (strides.empty()) {
    visit(int64_t{0}, int64_t{0}, count);
    return;
  }
  int64_t index[Block::kMaxReadRank] = {};
  const size_t rank = strides.size();
  int64_t offset = 0;
  int64_t rest = begin;
  for (size_t d = rank; rest > 0 && d-- > 0;) {
    index[d] = rest % strides[d].size;
    rest /= strides[d].size;
    offset += index[d] * strides[d].stride;
  }
  const int64_t size = strides[rank - 1].size;
  const int64_t stride = strides[rank - 1].stride;
  while (count > 0) {
    const int64_t run = std::min(count, size - index[rank - 1]);
    visit(offset, stride, run);
    count -= run;
    offset -= index[rank - 1] * stride;
    index[rank - 1] = 0;
    for (size_t d = rank - 1; d-- > 0;) {
      offset += strides[d].stride;
      if (++index[d] < strides[d].size) break;
      offset -= strides[d].stride * strides[d].size;
      index[d] = 0;
    }
  }
}

// Calls make(begin, count, to) for the elements from `begin` on, but for those that a dimension
// repeats: these are copied.
template <typename Strides, typename Make>
void MakeOnce(const Strides& strides, int64_t begin, int64_t count, int64_t element_size,
              std::byte* to, Make&& make) {
  constexpr int64_t kFewElements = 64;
  int64_t period = 0, repetitions = 0;  // of the outermost one that repeats more than one element
  int64_t inner = 1;
  for (size_t d = strides.size(); count > kFewElements && d-- > 0;) {
    if (strides[d].stride == 0 && inner > 1) {
      period = inner;
      repetitions = strides[d].size;
    }
    inner *= strides[d].size;
  }
  if (period == 0) return make(begin, count, to);
  while (count > 0) {
    const int64_t alike = std::min(count, period * repetitions - begin % (period * repetitions));
    int64_t made = std::min(alike, period);
    make(begin, made, to);
    while (made < alike) {
      const int64_t copied = std::min(made, alike - made);
      std::memcpy(to + made * element_size, to, static_cast<size_t>(copied * element_size));
      made += copied;
    }
    begin += alike;
    count -= alike;
    to += alike * element_size;
  }
}

// Copies runs of an array that lie as far apart as strides say, raw elements of one size.
// Processors fetch ahead what lies side by side, and most of what nearly does: runs far apart are
// asked for some time before.
template <typename T>
class RunReader {
 public:
  template <typename Strides>
  RunReader(const Strides& strides, const T* from) : from_(from) {
    constexpr int64_t kFarApart = 4;                       // runs
    constexpr int64_t kAhead = 2048 / int64_t{sizeof(T)};  // elements
    const size_t rank = strides.size();
    if (rank < 2 || strides[rank - 1].stride != 1) return;
    const int64_t run = strides[rank - 1].size, step = strides[rank - 2].stride;
    if (run < kLine || std::abs(step) < kFarApart * run) return;
    ahead_ = std::max<int64_t>(1, kAhead / run) * step;
  }

  // to[i] = from[offset + i * stride]
  void Read(int64_t offset, int64_t stride, int64_t count, T* to) const {
    const T* source = from_ + offset;
    if (stride == 1) {
      if (ahead_ != 0) AskAhead(source, count);
      std::memcpy(to, source, static_cast<size_t>(count) * sizeof(T));
    } else if (stride == 0) {
      std::fill_n(to, count, *source);
    } else {
      for (int64_t i = 0; i < count; ++i) to[i] = source[i * stride];
    }
  }

 private:
  void AskAhead(const T* source, int64_t count) const {
    const auto next =
        reinterpret_cast<uintptr_t>(source) + static_cast<uintptr_t>(ahead_) * sizeof(T);
    for (int64_t i = 0; i < count; i += kLine) {
      __builtin_prefetch(
          reinterpret_cast<const void*>(next + static_cast<uintptr_t>(i) * sizeof(T)));
    }
  }

  static constexpr int64_t kLine = 64 / int64_t{sizeof(T)};  // elements
  const T* from_;
  int64_t ahead_ = 0;  // elements; 0: none are asked for
};

// out[i] = from[offset of element begin + i]
template <typename T, typename Strides>
void ReadStrided(const Strides& strides, const T* from, int64_t begin, int64_t count, T* out) {
  const auto read = [&](int64_t first, int64_t size, std::byte* to) {
    T* next = reinterpret_cast<T*>(to);
    const RunReader<T> reader(strides, from);
    ForEachRun(strides, first, size, [&](int64_t offset, int64_t stride, int64_t run) {
      reader.Read(offset, stride, run, next);
      next += run;
    });
  };
  MakeOnce(strides, begin, count, sizeof(T), reinterpret_cast<std::byte*>(out), read);
}

// Rows of `length` elements each, which begin `to_stride` apart in `to`.
template <typename T, typename Strides>
void ReadRows(const Strides& strides, const T* from, int64_t first, int64_t rows, int64_t length,
              T* to, int64_t to_stride) {
  const RunReader<T> reader(strides, from);
  int64_t done = 0;  // of the row
  ForEachRun(strides, first * length, rows * length,
             [&](int64_t offset, int64_t stride, int64_t run) {
               while (run > 0) {
                 const int64_t count = std::min(run, length - done);
                 reader.Read(offset, stride, count, to + done);
                 offset += count * stride;
                 run -= count;
                 done += count;
                 if (done < length) continue;
                 done = 0;
                 to += to_stride;
               }
             });
}

}  // namespace

// Elements [begin, begin + count) of what `read` reads.
template <typename T>
void Block::ReadElements(const Read& read, std::span<const ArrayRef> operands, int64_t begin,
                         int64_t count, T* to) {
  const int64_t offset = OffsetAt(read, operands);
  const std::byte* from = operands[static_cast<size_t>(read.operand)].bytes;
  ReadStrided(read.strides, reinterpret_cast<const T*>(from) + offset, begin, count, to);
}

// The same of a concatenation: each of its rows is one of the first piece, one of the second, ...
template <typename T>
void Block::ReadPieces(std::span<const Read> pieces, std::span<const ArrayRef> operands,
                       int64_t begin, int64_t count, T* to) {
  int64_t length = 0;
  for (const Read& piece : pieces) length += piece.row_length;
  const int64_t row = begin / length, skipped = begin % length;
  if (skipped > 0) {
    const int64_t rest = std::min(count, length - skipped);
    ReadPartOfRow(pieces, operands, row, skipped, rest, to);
    if (rest < count) ReadPieces(pieces, operands, begin + rest, count - rest, to + rest);
    return;
  }
  const int64_t rows = count / length;
  const auto source_of = [&](const Read& piece) {
    const std::byte* from = operands[static_cast<size_t>(piece.operand)].bytes;
    return reinterpret_cast<const T*>(from) + OffsetAt(piece, operands);
  };
  if (std::ranges::all_of(pieces, [](const Read& piece) { return piece.row_stride != 0; })) {
    T* place = to;
    for (int64_t r = row; r < row + rows; ++r) {
      for (const Read& piece : pieces) {
        place = std::copy_n(source_of(piece) + r * piece.row_stride, piece.row_length, place);
      }
    }
  } else {
    T* place = to;
    for (const Read& piece : pieces) {
      ReadRows(piece.strides, source_of(piece), row, rows, piece.row_length, place, length);
      place += piece.row_length;
    }
  }
  ReadPartOfRow(pieces, operands, row + rows, 0, count - rows * length, to + rows * length);
}

// `count` elements of a row of all pieces, from `begin` of it on.
template <typename T>
void Block::ReadPartOfRow(std::span<const Read> pieces, std::span<const ArrayRef> operands,
                          int64_t row, int64_t begin, int64_t count, T* to) {
  for (const Read& piece : pieces) {
    const int64_t run = std::min(count, piece.row_length - begin);
    if (run > 0) {
      ReadElements(piece, operands, row * piece.row_length + begin, run, to);
      to += run;
      count -= run;
    }
    begin = std::max<int64_t>(0, begin - piece.row_length);
  }
}

// For small_block.cc and bound_calls.cc.
#define HLO_READS(T)                                                                               \
  template void Block::ReadElements(const Read&, std::span<const ArrayRef>, int64_t, int64_t, T*); \
  template void Block::ReadPieces(std::span<const Read>, std::span<const ArrayRef>, int64_t,       \
                                  int64_t, T*);
HLO_READS(uint8_t)
HLO_READS(uint16_t)
HLO_READS(uint32_t)
HLO_READS(uint64_t)
HLO_READS(reference::Element16)
#undef HLO_READS

void Block::Count(const Action& action, std::span<const ArrayRef> operands, int64_t first,
                  int64_t count, std::byte* to) {
  const Read& read = action.reads[0];
  const int64_t begin = OffsetAt(read, operands);
  MakeOnce(read.strides, first, count, action.result.element_size, to,
           [&](int64_t from, int64_t size, std::byte* next) {
             ForEachRun(read.strides, from, size, [&](int64_t offset, int64_t stride, int64_t run) {
               CountElements(action.type, begin + offset, stride, run, next);
               next += run * action.result.element_size;
             });
           });
}

void Block::RepeatRows(const std::byte* from, std::byte* to, int64_t element_size, int64_t rows,
                       int64_t row_length) {
  reference::DispatchElementSize(element_size, [&]<typename T>() {
    const T* element = reinterpret_cast<const T*>(from);
    T* row = reinterpret_cast<T*>(to);
    const auto repeat = [&](auto length) {
      for (int64_t r = 0; r < rows; ++r, row += length) std::fill_n(row, length, element[r]);
    };
    if (row_length == 2) return repeat(std::integral_constant<int64_t, 2>());
    if (row_length == 3) return repeat(std::integral_constant<int64_t, 3>());
    if (row_length == 4) return repeat(std::integral_constant<int64_t, 4>());
    repeat(row_length);
  });
}

// Small blocks do little but loops: these take no more than the calls.
inline void Block::Do(const Action& action, const Tile& tile, const TileArrays& arrays) const {
  if (action.kind != Action::Kind::kLoop) return DoOther(action, tile, arrays);
  const auto address = [&](const Place& place) { return arrays.Address(place, tile); };
  action.loop(address(action.operands[0]), address(action.operands[1]), address(action.operands[2]),
              address(action.result), action.count != 0 ? action.count : tile.size(action.level));
}

inline void Block::RunTile(const Tile& tile, const TileArrays& arrays) const {
  for (const Action& action : actions_) Do(action, tile, arrays);
}

void Block::DoOther(const Action& action, const Tile& tile, const TileArrays& arrays) const {
  const auto address = [&](const Place& place) { return arrays.Address(place, tile); };
  const int64_t first = tile.first(action.level);
  const int64_t n = action.count != 0 ? action.count : tile.size(action.level);
  switch (action.kind) {
    case Action::Kind::kLoop:
      HLO_UNREACHABLE();
    case Action::Kind::kCopy:
      std::memmove(address(action.result), address(action.operands[0]),
                   static_cast<size_t>(n * action.result.element_size));
      return;
    case Action::Kind::kRead:
      reference::DispatchElementSize(action.result.element_size, [&]<typename T>() {
        ReadElements(action.reads[0], arrays.operands, first, n,
                     reinterpret_cast<T*>(address(action.result)));
      });
      return;
    case Action::Kind::kReadPieces:
      reference::DispatchElementSize(action.result.element_size, [&]<typename T>() {
        ReadPieces(action.reads, arrays.operands, first, n,
                   reinterpret_cast<T*>(address(action.result)));
      });
      return;
    case Action::Kind::kLocate:
      return Locate(action, first, arrays);
    case Action::Kind::kLocatePiece:
      return LocatePiece(action, first, arrays);
    case Action::Kind::kCount:
      return Count(action, arrays.operands, first, n, address(action.result));
    case Action::Kind::kRepeat:
      return RepeatRows(address(action.operands[0]), address(action.result),
                        action.result.element_size, tile.rows, row_length_);
    case Action::Kind::kReduce:
      action.row_loop(address(action.operands[0]), address(action.operands[1]),
                      address(action.result), tile.rows, row_length_);
      return;
    case Action::Kind::kReduceColumns:
      return ReduceColumns(action, tile, arrays);
    case Action::Kind::kChain:
      return action.chain->Run(arrays, tile, arrays.registers + room_);
  }
}

Tile Block::TileAt(int64_t begin, int64_t end) const {
  const int64_t count = std::min(tile_, end - begin);
  if (row_length_ == 1) return {begin, count, begin, count};
  return {begin, count, begin / row_length_, count / row_length_};
}

void Block::RunTiles(int64_t begin, int64_t end, std::span<const ArrayRef> operands,
                     std::span<const MutableArrayRef> results, std::byte* registers) const {
  // A tile has elements of one run only. Those of parts that begin inside of one end with it.
  if (run_size_ > 0 && begin % tile_ != 0) {
    const int64_t run_end = CeilDiv(begin, run_size_) * run_size_;
    if (run_end < end) {
      RunTiles(begin, run_end, operands, results, registers);
      return RunTiles(run_end, end, operands, results, registers);
    }
  }
  const TileArrays arrays = {operands, results, registers};
  const Tile first = TileAt(begin, end);
  for (const Action& action : once_) Do(action, first, arrays);
  if (columns_) {
    RunPiecesFrom(begin, end, arrays);
  } else {
    for (int64_t at = begin; at < end; at += tile_) RunTile(TileAt(at, end), arrays);
  }
  if (streams_) FinishStreams();
}

void Block::StartTiles(std::span<const ArrayRef> operands, std::byte* registers) const {
  const TileArrays arrays = {operands, {}, registers};
  for (const Action& action : once_) Do(action, TileAt(0, tile_), arrays);
}

void Block::RunNextTile(int64_t count, std::span<const ArrayRef> operands,
                        std::span<const MutableArrayRef> results, std::byte* registers) const {
  const TileArrays arrays = {operands, results, registers};
  RunTile(TileAt(0, count), arrays);
}

// What takes some 2 us.
int64_t Block::LeastPartSize() const {
  constexpr size_t kManySteps = 5;
  size_t steps = 0;
  for (const Action& action : actions_)
    steps += action.chain != nullptr ? action.chain->link_count() : 1;
  return steps < kManySteps ? kPartSize / 2 : kPartSize / 4;
}

void Block::ChooseParts() {
  const int64_t tile_count = CeilDiv(count_, tile_);
  const int64_t of_long_tiles = std::min(kLargePartSize / tile_, tile_count / kManyParts);
  const bool is_shared = totals_.empty() && count_ >= 2 * LeastPartSize();
  // As many for each of two threads.
  const int64_t size = is_shared ? CeilDiv(count_, 2 * CeilDiv(count_, 2 * kPartSize)) : kPartSize;
  part_size_ = std::max(CeilDiv(size, tile_), of_long_tiles) * tile_;
  runs_on_stack_ = table_operand_ < 0 && totals_.empty() && count_ <= part_size_ && count_ > 0 &&
                   register_byte_size_ <= kStackByteSize;
}

int64_t Block::ScratchByteSize() const {
  const int64_t parts = PartsAtOnce(columns_ ? CeilDiv(columns_->piece_count(), pieces_of_part_)
                                             : CeilDiv(count_, part_size_));
  return (runs_on_stack_ ? 0 : parts * register_byte_size_) + TableByteSize() + TotalsByteSize();
}

void Block::ChoosePieces(int64_t batch) {
  const int64_t tile_count = CeilDiv(count_, tile_);
  const int64_t of_all = std::min(CeilDiv(tile_count, kFewPieces), kMostPieceSize / tile_) * tile_;
  columns_.emplace(count_, count_ / batch, std::max(part_size_, of_all));
  pieces_of_part_ = std::max<int64_t>(1, kPartSize / columns_->size());
}

absl::Status Block::Run(const DeviceContext& device, std::span<const ArrayRef> operands,
                        std::span<const MutableArrayRef> results) const {
  if (!calls_.empty()) {
    RunCalls(operands, results);
    return absl::OkStatus();
  }
  if (runs_on_stack_) {
    alignas(64) std::byte registers[kStackByteSize];
    RunTiles(0, count_, operands, results, registers);
    return absl::OkStatus();
  }
  if (has_totals()) return RunTotals(device, operands, results);
  return table_operand_ < 0 ? RunParts(device, count_, operands, results)
                            : RunByTable(device, operands, results);
}

absl::Status Block::RunParts(const DeviceContext& device, int64_t count,
                             std::span<const ArrayRef> operands,
                             std::span<const MutableArrayRef> results) const {
  return ForEachPart(device, CeilDiv(count, part_size_), [&](int64_t part) {
    const ScratchArray<std::byte> registers(device.scratch(), register_byte_size_);
    RunTiles(part * part_size_, std::min(count, (part + 1) * part_size_), operands, results,
             registers.get());
  });
}

absl::Status Block::RunPieces(const DeviceContext& device, std::span<const ArrayRef> operands,
                              std::span<const MutableArrayRef> results) const {
  const int64_t pieces = columns_->piece_count();
  return ForEachPart(device, CeilDiv(pieces, pieces_of_part_), [&](int64_t part) {
    const ScratchArray<std::byte> registers(device.scratch(), register_byte_size_);
    const int64_t end = std::min(pieces, (part + 1) * pieces_of_part_);
    RunTiles(columns_->BeginOf(part * pieces_of_part_), columns_->BeginOf(end), operands, results,
             registers.get());
  });
}

// Elements [begin, end), which are whole pieces.
void Block::RunPiecesFrom(int64_t begin, int64_t end, const TileArrays& arrays) const {
  for (int64_t piece = columns_->NumberAt(begin); begin < end; ++piece) {
    const int64_t piece_end = columns_->BeginOf(piece + 1);
    bool starts_piece = true;
    for (; begin < piece_end; begin += tile_) {
      Tile tile = TileAt(begin, piece_end);
      tile.piece_first = piece * row_length_;
      tile.starts_piece = std::exchange(starts_piece, false);
      RunTile(tile, arrays);
    }
    begin = piece_end;
  }
}

namespace {

absl::Status RunBlock(Evaluation& e) {
  return static_cast<const Block*>(e.program())->Run(e.device(), e.operands(), e.results());
}

}  // namespace

const Kernel& Block::kernel() const {
  // Whether results may take the memory of operands of their sizes.
  static constexpr Kernel kInPlace = {.run = RunBlock, .overwrite = Overwrite::kAnyOperand};
  static constexpr Kernel kApart = {.run = RunBlock};
  static constexpr Kernel kSmallInPlace = {
      .run = RunSmall, .prepare = PrepareSmall, .overwrite = Overwrite::kAnyOperand};
  static constexpr Kernel kSmallApart = {.run = RunSmall, .prepare = PrepareSmall};
  if (!calls_.empty()) return may_overwrite_ ? kSmallInPlace : kSmallApart;
  return may_overwrite_ ? kInPlace : kApart;
}

}  // namespace hlo::simd
