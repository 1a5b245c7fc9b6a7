// Reductions of rows too long for a tile, of all elements at most: tiles reduce parts of rows,
// which take the place of results until all tiles are done, and are reduced then.
#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "interp/simd/block.h"
#include "interp/simd/parallel.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::simd {
namespace {

constexpr int64_t kAlignment = 64;

// What changes no element of `type` that it is combined with; of sums of floats the zero that
// leaves their sign.
int64_t NeutralOf(Opcode opcode) { return opcode == Opcode::kMultiply ? 1 : 0; }
bool IsIdempotent(Opcode opcode) {
  return opcode != Opcode::kAdd && opcode != Opcode::kMultiply && opcode != Opcode::kXor;
}

}  // namespace

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
  const ValueId first =
      IsIdempotent(opcode) ? ValueOf(init, TileLevel::kFull) : NeutralValue(opcode, TileType(type));
  const ValueId parts = ReducedRows(step, first);
  if (parts == kNoValue) return kNoValue;
  const int64_t number = OperandNumber(init);
  reads_evenly_[static_cast<size_t>(number)] = false;
  totals_.push_back({.made = step.results[0], .opcode = opcode, .parts = parts, .init = number});
  return parts;
}

const BlockBuilder::PendingTotal* BlockBuilder::TotalOf(SlotId result) const {
  const auto found = std::ranges::find(totals_, result, &PendingTotal::made);
  return found == totals_.end() ? nullptr : &*found;
}

// Parts lie behind the results. What is the same for all tiles is made once and copied for each.
void BlockBuilder::PlaceTotals(Block& block, std::span<const SlotId> results) {
  for (const PendingTotal& total : totals_) {
    const auto result = std::ranges::find(results, total.made);
    if (result == results.end()) continue;
    const ElementType type = TypeOf(total.made);
    const auto number = std::ssize(results) + std::ssize(block.totals_);
    const Place place = {Place::Kind::kResult, TileLevel::kRow, ElementByteSize(TileType(type)),
                         number};
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
    block.totals_.push_back({.result = static_cast<size_t>(result - results.begin()),
                             .init = static_cast<size_t>(total.init),
                             .type = type,
                             .loop = GetRowKernels().reduce(total.opcode, TileType(type))});
  }
  streams_.resize(results.size() + block.totals_.size());
}

int64_t Block::PartsByteSize(const Total& total) const {
  return CeilDiv(count_ / row_length_ * ElementByteSize(TileType(total.type)), kAlignment) *
         kAlignment;
}
int64_t Block::TotalsByteSize() const {
  int64_t size = 0;
  for (const Total& total : totals_) size += PartsByteSize(total);
  return size;
}

absl::Status Block::RunTotals(const DeviceContext& device, std::span<const ArrayRef> operands,
                              std::span<const MutableArrayRef> results) const {
  const ScratchArray<std::byte> scratch(device.scratch(), TotalsByteSize());
  absl::InlinedVector<MutableArrayRef, 8> all(results.begin(), results.end());
  std::byte* next = scratch.get();
  for (const Total& total : totals_) {
    all.push_back(results[total.result]);
    all.back().bytes = next;
    next += PartsByteSize(total);
  }
  HLO_RETURN_IF_ERROR(RunParts(device, count_, operands, all));
  for (size_t i = 0; i < totals_.size(); ++i) {
    const Total& total = totals_[i];
    FinishTotal(total, all[results.size() + i].bytes, operands[total.init].bytes,
                results[total.result]);
  }
  return absl::OkStatus();
}

void Block::FinishTotal(const Total& total, const std::byte* parts, const std::byte* init,
                        const MutableArrayRef& result) const {
  constexpr int64_t kResultsAtOnce = 256;
  const BlockKernels& kernels = GetBlockKernels();
  const int64_t count = result.element_count();
  const int64_t length = count_ / row_length_ / count;
  if (!IsNarrow(total.type)) return total.loop(parts, init, result.bytes, count, length);
  float wide_init, wide[kResultsAtOnce];
  kernels.widen(total.type)(init, nullptr, nullptr, &wide_init, 1);
  for (int64_t i = 0; i < count; i += kResultsAtOnce) {
    const int64_t size = std::min(kResultsAtOnce, count - i);
    total.loop(reinterpret_cast<const float*>(parts) + i * length, &wide_init, wide, size, length);
    kernels.narrow(total.type)(wide, nullptr, nullptr,
                               result.bytes + i * ElementByteSize(total.type), size);
  }
}

}  // namespace hlo::simd
