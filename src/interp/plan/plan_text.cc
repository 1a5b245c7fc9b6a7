// The plan for reading. A step is a line
//   results = opcode(operands)  # instruction
// and an array is its type and sizes with its place: `@64` in the arena, `@arg0`, `@const`, or
// `@arg0+64` for a part of such an array. Before offsets are known it is `%7 f32[4]`, by the number
// of its slot, with `@b3`, its buffer, once it has one.
#include <fmt/format.h>

#include <utility>

#include "interp/plan/passes.h"
#include "support/count_text.h"

namespace hlo {
namespace {

std::string_view RoleText(Region::Role role) {
  switch (role) {
    case Region::Role::kEntry:
      return "entry";
    case Region::Role::kCondition:
      return "condition";
    case Region::Role::kBody:
      return "body";
    case Region::Role::kBranch:
      return "branch";
    case Region::Role::kFunction:
      return "function";
  }
  HLO_UNREACHABLE();
}

class PlanWriter {
 public:
  explicit PlanWriter(const Plan& plan) : plan_(plan) {}

  std::string Write() {
    if (!IsPlaced()) {
      fmt::format_to(out(), "after {}: {}\n", plan_.last_pass->name, plan_.last_pass->description);
    }
    fmt::format_to(out(), "backend {}\n{} steps, {} slots, {} buffers\n", plan_.backend->name,
                   CountSteps(plan_), plan_.slots.size(), plan_.buffers.size());
    if (IsPlaced()) {
      fmt::format_to(out(), "arena {} bytes, arguments {} bytes, constants {} bytes\n",
                     plan_.arena_byte_size, plan_.argument_byte_size, plan_.constant_byte_size);
    }
    WriteRegion(*plan_.entry, 0);
    return std::move(text_);
  }

 private:
  std::back_insert_iterator<std::string> out() { return std::back_inserter(text_); }

  bool IsPlaced() const { return plan_.last_pass == &PlanPasses().back(); }

  std::string Place(SlotId id) const {
    const Slot& slot = plan_.slot(id);
    if (slot.literal != nullptr) return "@const";
    if (!slot.buffer.valid()) return slot.argument < 0 ? "" : fmt::format("@arg{}", slot.argument);
    const Buffer& buffer = plan_.buffer(slot.buffer);
    switch (buffer.kind) {
      case Buffer::Kind::kArena:
        return IsPlaced() ? fmt::format("@{}", buffer.offset + slot.offset)
                          : fmt::format("@b{}{}", MemoryOf(slot.buffer).value, Offset(slot));
      case Buffer::Kind::kConstant:
        return "@const" + Offset(slot);
      case Buffer::Kind::kArgument:
        return fmt::format("@arg{}{}", buffer.argument, Offset(slot));
      case Buffer::Kind::kInside:
        return "";
    }
    HLO_UNREACHABLE();
  }
  static std::string Offset(const Slot& slot) {
    return slot.offset == 0 ? "" : fmt::format("+{}", slot.offset);
  }
  BufferId MemoryOf(BufferId id) const {
    const BufferId shares = plan_.buffer(id).shares;
    return shares.valid() ? shares : id;
  }
  std::string SlotText(SlotId id) const {
    const std::string text = fmt::format("{}{}", ShapeText(*plan_.slot(id).shape), Place(id));
    return IsPlaced() ? text : fmt::format("%{} {}", id.value, text);
  }
  std::string SlotList(std::span<const SlotId> slots) const {
    std::string text;
    for (SlotId id : slots)
      fmt::format_to(std::back_inserter(text), "{}{}", text.empty() ? "" : ", ", SlotText(id));
    return text;
  }

  void WriteMoves(std::span<const Move> moves, int depth) {
    for (const Move& move : moves) {
      if (IsPlaced() && Place(move.from) == Place(move.to)) continue;
      fmt::format_to(out(), "{:{}}move {} -> {}\n", "", 2 * depth, SlotText(move.from),
                     SlotText(move.to));
    }
  }
  void WriteRegion(const Region& region, int depth) {
    fmt::format_to(out(), "{:{}}{} {}", "", 2 * depth, RoleText(region.role),
                   plan_.module->computation(region.computation).name);
    if (!IsPlaced() && !region.parameters.empty()) {
      fmt::format_to(out(), " takes {}", SlotList(region.parameters));
    }
    if (region.role == Region::Role::kFunction) {
      fmt::format_to(out(), " ({})", AttributeName(region.attr));
      const std::string form = FunctionFormText(region.form);
      if (!form.empty()) fmt::format_to(out(), ": {}", form);
    }
    text_ += '\n';
    for (const Step& step : region.steps) WriteStep(step, depth + 1);
    WriteMoves(region.moves, depth + 1);
    fmt::format_to(out(), "{:{}}result {}\n", "", 2 * depth + 2, SlotList(region.results));
  }
  void WriteStep(const Step& step, int depth) {
    WriteMoves(step.moves, depth);
    const Instruction& instruction = plan_.instruction(step);
    fmt::format_to(out(), "{:{}}{} = {}({})  # {}{}{}{}{}{}\n", "", 2 * depth,
                   SlotList(step.results), step.covered.empty() ? OpcodeName(step.opcode) : "block",
                   SlotList(step.operands), instruction.name, Fallback(step), Trips(step),
                   step.program == nullptr ? "" : step.program->Text(), Kept(step),
                   Lifetimes(step));
    for (const Step& covered : step.covered) WriteStep(covered, depth + 1);
    // What a program does together is not run step by step.
    const bool is_outer_step = std::exchange(runs_steps_, runs_steps_ && step.program == nullptr);
    for (const auto& region : step.regions) WriteRegion(*region, depth + 1);
    runs_steps_ = is_outer_step;
  }

  // Of backends that have kernels of their own.
  std::string_view Fallback(const Step& step) const {
    return step.is_fallback && runs_steps_ && plan_.backend->find_kernel != nullptr
               ? ", reference kernel"
               : "";
  }

  static std::string Trips(const Step& step) {
    return step.trip_count ? fmt::format(", {}", CountText(*step.trip_count, "iteration")) : "";
  }

  // What the kernel keeps while a loop runs.
  static std::string_view Kept(const Step& step) {
    return step.kept_loop == 0 ? "" : ", prepared once for the loop";
  }

  // From which step to which the results are in use.
  std::string Lifetimes(const Step& step) const {
    if (IsPlaced() || step.end == 0) return "";
    std::string text = fmt::format(" [{}", step.begin);
    if (step.end != step.begin) fmt::format_to(std::back_inserter(text), "-{}", step.end);
    text += "] in use";
    for (SlotId id : step.results) {
      const Buffer& buffer = plan_.buffer_of(id);
      fmt::format_to(std::back_inserter(text), " {}-{}", buffer.first, buffer.last);
    }
    return text;
  }

  const Plan& plan_;
  std::string text_;
  bool runs_steps_ = true;
};

}  // namespace

namespace {

int64_t CountSteps(const Region& region) {
  int64_t count = static_cast<int64_t>(region.steps.size());
  for (const Step& step : region.steps) {
    for (const auto& nested : step.regions) count += CountSteps(*nested);
  }
  return count;
}

}  // namespace

int64_t CountSteps(const Plan& plan) { return CountSteps(*plan.entry); }

std::string PlanText(const Plan& plan) { return PlanWriter(plan).Write(); }

}  // namespace hlo
