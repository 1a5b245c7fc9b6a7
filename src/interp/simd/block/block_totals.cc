// Totals: reductions of rows too long for a tile, of all elements at most, and of columns. Tiles
// reduce parts of rows; columns are combined over the tiles of a piece (column_pieces.h), sums of
// floats in f64. Both lie behind the results until all tiles are done, and are reduced then.
#include <algorithm>
#include <cstring>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "interp/simd/base/aligned_memory.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/block/block.h"
#include "interp/simd/block/column_pieces.h"
#include "interp/simd/block/reduced_rows.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::simd {
namespace {

constexpr int64_t kResultsAtOnce = 256;

// Whether it is one in f64, whose rows and columns have kernels of their own.
bool IsSumOfFloats(Opcode opcode, ElementType type) {
  return opcode == Opcode::kAdd && IsFloat(type);
}
// What parts of columns of `type` are.
ElementType PartType(Opcode opcode, ElementType type) {
  return IsSumOfFloats(opcode, type) ? ElementType::kF64 : type;
}
// What changes no number that it is combined with.
int64_t NeutralOf(Opcode opcode) { return opcode == Opcode::kMultiply ? 1 : 0; }
bool IsIdempotent(Opcode opcode) {
  return opcode != Opcode::kAdd && opcode != Opcode::kMultiply && opcode != Opcode::kXor;
}

}  // namespace

// Of sums of floats the zero that leaves their sign.
BlockBuilder::ValueId BlockBuilder::NeutralValue(Opcode opcode, ElementType type) {
  IndexedRead number;
  number.is_counter = true;
  number.offset = NeutralOf(opcode);
  const ValueId value = ReadValue(number, type, TileLevel::kFull);
  if (opcode != Opcode::kAdd || !IsFloat(type)) return value;
  const TileLoop negate = GetBlockKernels().elementwise(Opcode::kNegate, type);
  return Apply(negate, {value}, type, TileLevel::kFull);
}

BlockBuilder::ValueId BlockBuilder::AddTotal(const Step& step) {
  const ElementType type = TypeOf(step.results[0]);
  const Opcode opcode = step.regions[0]->form.opcode;
  const SlotId init = step.operands[1];
  if (reads_.contains(init.value) || made_.contains(plan_.slot(init).buffer.value)) return kNoValue;
  const ReducedShape rows = ReducedShapeOf(plan_, step);
  const bool is_of_columns = rows.length == 1;
  if (rows.length == 0 ||
      (is_of_columns ? rows.kept != row_length_ : rows.length % row_length_ != 0)) {
    return kNoValue;
  }
  if (is_of_columns) {
    const std::optional<int64_t> batch = CommonBatch(column_batch_, rows.batch);
    if (!batch) return kNoValue;
    column_batch_ = *batch;
  }
  const ValueId first =
      IsIdempotent(opcode) ? ValueOf(init, TileLevel::kFull) : NeutralValue(opcode, TileType(type));
  const ValueId parts = is_of_columns ? PartsOfColumns(step, first) : ReducedRows(step, first);
  if (parts == kNoValue) return kNoValue;
  const int64_t number = OperandNumber(init);
  reads_evenly_[static_cast<size_t>(number)] = false;
  totals_.push_back({.made = step.results[0],
                     .opcode = opcode,
                     .parts = parts,
                     .init = number,
                     .is_of_columns = is_of_columns,
                     .batch_count = rows.batch,
                     .outer_count = is_of_columns ? 1 : rows.outer});
  return parts;
}

BlockBuilder::ValueId BlockBuilder::PartsOfColumns(const Step& step, ValueId init) {
  const ElementType type = TileType(TypeOf(step.results[0]));
  const Opcode opcode = step.regions[0]->form.opcode;
  PendingAction pending;
  pending.action.kind = Action::Kind::kReduceColumns;
  pending.action.level = TileLevel::kFull;
  pending.action.type = type;
  if (!IsSumOfFloats(opcode, type)) {
    pending.action.combine_rows = GetRowCombinations().combine_rows(opcode, type);
    pending.action.loop = GetBlockKernels().elementwise(opcode, type);
    if (pending.action.combine_rows == nullptr || pending.action.loop == nullptr) return kNoValue;
  }
  pending.operands[0] = ValueOf(step.operands[0], TileLevel::kFull);
  pending.operands[1] = init;
  if (pending.operands[0] == kNoValue || init == kNoValue) return kNoValue;
  pending.result = NewValue(PartType(opcode, type), TileLevel::kPiece);
  const ValueId result = pending.result;
  Push(std::move(pending));
  return result;
}

bool BlockBuilder::IsTotal(SlotId result) const {
  return std::ranges::find(totals_, result, &PendingTotal::made) != totals_.end();
}

// Parts lie behind the results. What is the same for all tiles is made once and copied for each.
void BlockBuilder::PlaceTotals(Block& block, std::span<const SlotId> results) {
  for (const PendingTotal& total : totals_) {
    const ElementType type = TypeOf(total.made), tile_type = TileType(type);
    const auto result = std::ranges::find(results, total.made);
    const bool is_wanted = result != results.end();
    const Block::Total made = {
        .result = is_wanted ? static_cast<size_t>(result - results.begin()) : Block::kNoResult,
        .count = CountOf(total.made),
        .init = static_cast<size_t>(total.init),
        .type = type,
        .part_type = total.is_of_columns ? PartType(total.opcode, tile_type) : tile_type,
        .loop = GetRowReductions().reduce(total.opcode, tile_type),
        .combine_rows = IsSumOfFloats(total.opcode, tile_type)
                            ? nullptr
                            : GetRowCombinations().combine_rows(total.opcode, tile_type),
        .is_of_columns = total.is_of_columns,
        .batch_count = total.batch_count,
        .outer_count = total.outer_count};
    const Place place = {Place::Kind::kResult, ValueAt(total.parts).level,
                         ElementByteSize(made.part_type),
                         std::ssize(results) + std::ssize(block.totals_)};
    block.totals_.push_back(made);
    if (pending_[static_cast<size_t>(ValueAt(total.parts).maker)].is_constant) {
      PendingAction copy;
      copy.action.kind = Action::Kind::kCopy;
      copy.action.level = TileLevel::kRow;
      copy.action.result = place;
      copy.operands[0] = total.parts;
      pending_.push_back(std::move(copy));
    } else {
      ValueAt(total.parts).place = place;
    }
  }
  streams_.resize(results.size() + block.totals_.size());
}

void Block::ReduceColumns(const Action& action, const Tile& tile, const TileArrays& arrays) const {
  constexpr int64_t kColumnsAtOnce = 512;
  const std::byte* values = arrays.Address(action.operands[0], tile);
  const std::byte* init = arrays.Address(action.operands[1], tile);
  std::byte* parts = arrays.Address(action.result, tile);
  const int64_t size = ElementByteSize(action.type);
  if (action.combine_rows == nullptr) {
    const SumRows sum_rows = GetRowReductions().sum_rows(action.type);
    auto* sums = reinterpret_cast<double*>(parts);
    if (tile.starts_piece) std::fill_n(sums, row_length_, -0.0);  // leaves signs as they are
    for (int64_t row = 0; row < tile.rows; row += kSummedRows) {
      sum_rows(values + row * row_length_ * size, row_length_,
               std::min(kSummedRows, tile.rows - row), row_length_, sums);
    }
    return;
  }
  alignas(64) std::byte combined[kColumnsAtOnce * sizeof(double)];
  for (int64_t begin = 0; begin < row_length_; begin += kColumnsAtOnce) {
    const int64_t count = std::min(kColumnsAtOnce, row_length_ - begin);
    std::byte* to = parts + begin * size;
    action.combine_rows(values + begin * size, row_length_, tile.rows, count, init,
                        tile.starts_piece ? to : combined);
    if (!tile.starts_piece) action.loop(to, combined, nullptr, to, count);
  }
}

int64_t Block::PartsByteSize(const Total& total) const {
  const int64_t count =
      total.is_of_columns ? columns_->piece_count() * row_length_ : count_ / row_length_;
  return Aligned(count * ElementByteSize(total.part_type));
}
// Of parts, and of these sorted, if they are.
int64_t Block::TotalByteSize(const Total& total) const {
  return (total.outer_count > 1 ? 2 : 1) * PartsByteSize(total);
}
int64_t Block::TotalsByteSize() const {
  int64_t size = 0;
  for (const Total& total : totals_) size += TotalByteSize(total);
  return size;
}

absl::Status Block::RunTotals(const DeviceContext& device, std::span<const ArrayRef> operands,
                              std::span<const MutableArrayRef> results) const {
  const ScratchArray<std::byte> scratch(device.scratch(), TotalsByteSize());
  absl::InlinedVector<MutableArrayRef, 16> all(results.begin(), results.end());
  std::byte* next = scratch.get();
  for (const Total& total : totals_) {
    all.emplace_back().bytes = next;
    next += TotalByteSize(total);
  }
  HLO_RETURN_IF_ERROR(columns_ ? RunPieces(device, operands, all)
                               : RunParts(device, count_, operands, all));
  for (size_t i = 0; i < totals_.size(); ++i) {
    const Total& total = totals_[i];
    if (total.result == kNoResult) continue;
    const std::byte* init = operands[total.init].bytes;
    std::byte *parts = all[results.size() + i].bytes, *result = results[total.result].bytes;
    if (!total.is_of_columns) {
      if (total.outer_count > 1) parts = PartsByResult(total, parts);
      FinishRows(total, parts, init, result);
      continue;
    }
    const int64_t stretches = CeilDiv(row_length_, kResultsAtOnce);
    HLO_RETURN_IF_ERROR(ForEachPart(device, total.batch_count * stretches, [&](int64_t part) {
      const int64_t begin = part % stretches * kResultsAtOnce;
      FinishColumns(total, part / stretches, parts, init, begin,
                    std::min(begin + kResultsAtOnce, row_length_), result);
    }));
  }
  return absl::OkStatus();
}

// Those of the same result behind each other, behind all of them as they are.
std::byte* Block::PartsByResult(const Total& total, std::byte* parts) const {
  const int64_t run =
      count_ / row_length_ / total.count / total.outer_count * ElementByteSize(total.part_type);
  const int64_t kept = total.count / total.batch_count;
  std::byte* const sorted = parts + PartsByteSize(total);
  std::byte* to = sorted;
  for (int64_t r = 0; r < total.count; ++r) {
    const int64_t first = r / kept * total.outer_count * kept + r % kept;
    for (int64_t outer = 0; outer < total.outer_count; ++outer, to += run) {
      std::memcpy(to, parts + (first + outer * kept) * run, static_cast<size_t>(run));
    }
  }
  return sorted;
}

void Block::FinishRows(const Total& total, const std::byte* parts, const std::byte* init,
                       std::byte* result) const {
  const BlockKernels& kernels = GetBlockKernels();
  const int64_t length = count_ / row_length_ / total.count;
  if (!IsNarrow(total.type)) return total.loop(parts, init, result, total.count, length);
  float wide_init, wide[kResultsAtOnce];
  kernels.widen(total.type)(init, nullptr, nullptr, &wide_init, 1);
  for (int64_t i = 0; i < total.count; i += kResultsAtOnce) {
    const int64_t size = std::min(kResultsAtOnce, total.count - i);
    total.loop(reinterpret_cast<const float*>(parts) + i * length, &wide_init, wide, size, length);
    kernels.narrow(total.type)(wide, nullptr, nullptr, result + i * ElementByteSize(total.type),
                               size);
  }
}

// Columns [begin, end), kResultsAtOnce at most, of an entry of the total's batch.
void Block::FinishColumns(const Total& total, int64_t entry, const std::byte* parts,
                          const std::byte* init, int64_t begin, int64_t end,
                          std::byte* result) const {
  const BlockKernels& kernels = GetBlockKernels();
  const ElementType tile_type = TileType(total.type);
  const int64_t part_count = columns_->piece_count() / total.batch_count, count = end - begin;
  const int64_t first = entry * part_count * row_length_ + begin;
  const std::byte* from = parts + first * ElementByteSize(total.part_type);
  std::byte* to = result + (entry * row_length_ + begin) * ElementByteSize(total.type);
  alignas(64) std::byte wide[kResultsAtOnce * sizeof(double)];
  std::byte* made = IsNarrow(total.type) ? wide : to;
  alignas(sizeof(double)) std::byte wide_init[sizeof(double)];
  if (IsNarrow(total.type)) {
    kernels.widen(total.type)(init, nullptr, nullptr, wide_init, 1);
  } else {
    std::memcpy(wide_init, init, static_cast<size_t>(ElementByteSize(total.type)));
  }
  if (total.combine_rows != nullptr) {
    total.combine_rows(from, row_length_, part_count, count, wide_init, made);
  } else {
    double sums[kResultsAtOnce];
    const double first = tile_type == ElementType::kF64
                             ? *reinterpret_cast<const double*>(wide_init)
                             : *reinterpret_cast<const float*>(wide_init);
    std::fill_n(sums, count, first);
    GetRowReductions().sum_rows(ElementType::kF64)(from, row_length_, part_count, count, sums);
    if (tile_type == ElementType::kF64) {
      std::memcpy(made, sums, static_cast<size_t>(count) * sizeof(double));
    } else {
      kernels.convert(ElementType::kF64, tile_type)(sums, nullptr, nullptr, made, count);
    }
  }
  if (IsNarrow(total.type)) kernels.narrow(total.type)(wide, nullptr, nullptr, to, count);
}

}  // namespace hlo::simd
