// Where several instructions are one step, their operations stay and the bytes between them go: a
// block moves what comes in and what goes out. Moves of a loop's state cost nothing where both
// places are the same memory. A written trip count is the first number behind its key; the text
// around it is not parsed.
#include "interp/cost/step_cost.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace hlo {
namespace {

double BytesAt(const Plan& plan, SlotId slot) {
  return static_cast<double>(plan.slot(slot).byte_size);
}

bool IsSameMemory(const Plan& plan, const Move& move) {
  const Buffer& from = plan.buffer_of(move.from);
  const Buffer& to = plan.buffer_of(move.to);
  return from.kind == Buffer::Kind::kArena && to.kind == Buffer::Kind::kArena &&
         from.offset + plan.slot(move.from).offset == to.offset + plan.slot(move.to).offset;
}

// Read and written, where the two places are not the same memory.
Cost CostOfMoves(const Plan& plan, std::span<const Move> moves) {
  Cost cost;
  for (const Move& move : moves) {
    if (!IsSameMemory(plan, move)) cost.bytes += 2 * BytesAt(plan, move.to);
  }
  return cost;
}

// What the steps that a block covers read of `slot`: no more than there is.
double BytesReadOf(const Plan& plan, const Step& block, SlotId slot) {
  const double whole = BytesAt(plan, slot);
  double read = 0;
  for (const Step& step : block.covered) {
    for (size_t i = 0; i < step.operands.size(); ++i) {
      if (step.operands[i] != slot) continue;
      const bool is_part = i == 0 && HasTrait(step.opcode, kReadsPart) && !step.results.empty();
      read += is_part ? BytesAt(plan, step.results[0]) : whole;
    }
  }
  return read == 0 ? whole : std::min(read, whole);
}

// The arrays that come into a block and go out of it; of one that it updates no more than that.
Cost CostOfBlock(const Plan& plan, const Step& block) {
  Cost cost;
  for (const Step& step : block.covered) cost.flops += CostOf(plan, step).flops;
  const Step& last = block.covered.back();
  const bool is_update = last.opcode == Opcode::kDynamicUpdateSlice;
  for (SlotId slot : block.operands.subspan(is_update ? 1 : 0)) {
    cost.bytes += BytesReadOf(plan, block, slot);
  }
  const size_t inner_count = block.program == nullptr ? 0 : block.program->InnerResultCount();
  for (SlotId slot : is_update ? last.operands.subspan(1, 1) : block.results.subspan(inner_count)) {
    cost.bytes += BytesAt(plan, slot);
  }
  return cost;
}

// A change of type that no instruction asks for.
Cost CostOfConversion(const Plan& plan, const Step& step) {
  Cost cost;
  for (SlotId slot : step.operands) cost.bytes += BytesAt(plan, slot);
  for (SlotId slot : step.results) cost.bytes += BytesAt(plan, slot);
  return cost;
}

// `{"known_trip_count":{"n":"8"}, ...}`
std::optional<int64_t> WrittenTripCount(std::string_view config) {
  constexpr std::string_view kKey = "known_trip_count";
  const size_t at = config.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  const size_t begin = config.find_first_of("0123456789", at + kKey.size());
  if (begin == std::string_view::npos) return std::nullopt;
  int64_t count = 0;
  const auto [end, error] =
      std::from_chars(config.data() + begin, config.data() + config.size(), count);
  return error == std::errc() ? std::optional<int64_t>(count) : std::nullopt;
}

}  // namespace

Cost CostOf(const Plan& plan, const Step& step) {
  switch (step.kind) {
    case StepKind::kWhile:
      return CostOfMoves(plan, step.moves);
    case StepKind::kConditional:
      return {};
    case StepKind::kKernel:
      break;
  }
  if (!step.covered.empty()) return CostOfBlock(plan, step);
  const Instruction& instruction = plan.instruction(step);
  if (step.opcode != instruction.opcode) return CostOfConversion(plan, step);
  return CostOf(OpView(*plan.module, instruction));
}

Cost CostOfIteration(const Plan& plan, const Step& loop) {
  return CostOfMoves(plan, loop.regions[1]->moves);
}

std::optional<int64_t> TripCount(const Plan& plan, const Step& loop) {
  const Instruction& instruction = plan.instruction(loop);
  if (instruction.Has(Attr::kBackendConfig)) {
    const std::string_view config = instruction.Get<Attr::kBackendConfig>().text;
    if (const std::optional<int64_t> written = WrittenTripCount(config)) return written;
  }
  return loop.trip_count;
}

}  // namespace hlo
