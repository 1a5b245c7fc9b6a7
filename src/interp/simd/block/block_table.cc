// Blocks that are functions of one array of 16 bits: such an array has no more than 65,536
// different elements. The block is run for these, in every run anew, and its result is what the
// table says of each element. Bits are those of the block: it makes the table, too.
#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/block/block.h"
#include "interp/simd/loops/table_lookup.h"
#include "support/checked_math.h"
#include "support/status_macros.h"
#include "support/stream_copy.h"

namespace hlo::simd {
namespace {

constexpr int64_t kPatterns = 1 << 16;

// Operations of vectors (opcodes.def) of a step from one type to another.
constexpr int64_t kRoundCost = 4;

// Of those that take about as long as a look into the table. Usual numbers are some thousand
// patterns of bf16, which stay in the first cache, but eight times as many of f16.
int64_t LookCost(ElementType type) { return type == ElementType::kBf16 ? 26 : 28; }

// Whether `count` elements gain several times what the table costs.
bool IsWorthTable(int64_t count, int64_t cost, ElementType type) {
  const int64_t gain = cost - LookCost(type);
  return gain > 0 && count / (4 * kPatterns) >= CeilDiv(cost, gain);
}

// All of them, in order.
std::span<const uint16_t> Patterns() {
  static const std::vector<uint16_t> patterns = [] {
    std::vector<uint16_t> all(kPatterns);
    std::iota(all.begin(), all.end(), uint16_t{0});
    return all;
  }();
  return patterns;
}

}  // namespace

// After constants are found and results placed.
int64_t BlockBuilder::TableOperand(std::span<const SlotId> results) const {
  if (row_length_ != 1 || is_of_function_ || results.size() != 1 || !pieces_.empty() ||
      ElementByteSize(TypeOf(results[0])) != sizeof(uint16_t)) {
    return -1;
  }
  int64_t operand = -1;
  int64_t cost = 0;
  for (const PendingAction& pending : pending_) {
    if (pending.is_constant) continue;
    if (pending.action.kind != Action::Kind::kLoop && pending.action.kind != Action::Kind::kCopy) {
      return -1;
    }
    for (const ValueId id : pending.operands) {
      if (id == kNoValue) continue;
      const Value& value = ValueAt(id);
      if (value.is_constant && value.period != 1) return -1;
      if (value.place.kind != Place::Kind::kOperand) continue;
      if (operand != -1 && operand != value.place.at) return -1;
      operand = value.place.at;
    }
    const bool is_opcode = pending.operation.kind == Operation::Kind::kElementwise;
    cost += is_opcode ? GetOpcodeInfo(pending.operation.opcode).operations : kRoundCost;
  }
  if (operand == -1) return -1;
  const ElementType type = TypeOf(operands_[static_cast<size_t>(operand)]);
  return ElementByteSize(type) == sizeof(uint16_t) && IsWorthTable(count_, cost, type) ? operand
                                                                                       : -1;
}

int64_t Block::TableByteSize() const {
  return table_operand_ < 0 ? 0 : kPatterns * static_cast<int64_t>(sizeof(uint16_t));
}

absl::Status Block::RunByTable(const DeviceContext& device, std::span<const ArrayRef> operands,
                               std::span<const MutableArrayRef> results) const {
  const ScratchArray<uint16_t> table(device.scratch(), kPatterns);
  absl::InlinedVector<ArrayRef, 8> patterns(operands.begin(), operands.end());
  const auto number = static_cast<size_t>(table_operand_);
  patterns[number].bytes = reinterpret_cast<const std::byte*>(Patterns().data());
  MutableArrayRef values = results[0];
  values.bytes = reinterpret_cast<std::byte*>(table.get());
  HLO_RETURN_IF_ERROR(RunParts(device, kPatterns, patterns, {&values, 1}));

  const auto* from = reinterpret_cast<const uint16_t*>(operands[number].bytes);
  auto* to = reinterpret_cast<uint16_t*>(results[0].bytes);
  const bool streams = count_ >= kStreamedSize / static_cast<int64_t>(sizeof(uint16_t));
  return ForEachPart(device, CeilDiv(count_, kPatterns), [&](int64_t part) {
    const int64_t begin = part * kPatterns;
    LookUp(table.get(), from + begin, to + begin, std::min(kPatterns, count_ - begin), streams);
    FinishStreams();
  });
}

}  // namespace hlo::simd
