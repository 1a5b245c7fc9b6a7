// The plan for reading. A step is a line
//   [position] result slots = opcode(operand slots)  # name
// and a slot is `%number:type[sizes]@place` where it is made; places are arena offsets, `argN` and
// `const`.
#include <fmt/format.h>

#include "interp/plan.h"

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
    fmt::format_to(out(), "backend {}\n{} steps, {} slots, {} buffers\n", plan_.backend().name,
                   plan_.step_count(), plan_.slots().size(), plan_.buffers().size());
    fmt::format_to(out(), "arena {} bytes, arguments {} bytes, constants {} bytes\n",
                   plan_.arena_byte_size(), plan_.argument_byte_size(), plan_.constant_byte_size());
    WriteRegion(plan_.entry(), 0);
    return std::move(text_);
  }

 private:
  std::back_insert_iterator<std::string> out() { return std::back_inserter(text_); }

  std::string Place(SlotId id) const {
    const Buffer& buffer = plan_.buffer(plan_.slot(id).buffer);
    switch (buffer.kind) {
      case Buffer::Kind::kArena:
        return fmt::format("@{}", buffer.offset);
      case Buffer::Kind::kConstant:
        return "@const";
      case Buffer::Kind::kArgument:
        return fmt::format("@arg{}", buffer.argument);
    }
    HLO_UNREACHABLE();
  }
  std::string SlotText(SlotId id) const {
    return fmt::format("{}{}", ShapeText(*plan_.slot(id).shape), Place(id));
  }
  std::string SlotList(std::span<const SlotId> slots) const {
    std::string text;
    for (SlotId id : slots)
      fmt::format_to(std::back_inserter(text), "{}{}", text.empty() ? "" : ", ", SlotText(id));
    return text;
  }

  void WriteMoves(std::span<const Move> moves, int depth) {
    for (const Move& move : moves) {
      if (Place(move.from) == Place(move.to)) continue;
      fmt::format_to(out(), "{:{}}move {} -> {}\n", "", 2 * depth, SlotText(move.from),
                     SlotText(move.to));
    }
  }
  void WriteRegion(const Region& region, int depth) {
    fmt::format_to(out(), "{:{}}{} {}", "", 2 * depth, RoleText(region.role),
                   plan_.module().computation(region.computation).name);
    if (region.role == Region::Role::kFunction) {
      fmt::format_to(out(), " ({})", AttributeName(region.attr));
    }
    text_ += '\n';
    for (const Step& step : region.steps) WriteStep(step, depth + 1);
    WriteMoves(region.moves, depth + 1);
    fmt::format_to(out(), "{:{}}result {}\n", "", 2 * depth + 2, SlotList(region.results));
  }
  void WriteStep(const Step& step, int depth) {
    WriteMoves(step.moves, depth);
    const Instruction& instruction = plan_.module().instruction(step.instruction);
    fmt::format_to(out(), "{:{}}{} = {}({})  # {}\n", "", 2 * depth, SlotList(step.results),
                   OpcodeName(instruction.opcode), SlotList(step.operands), instruction.name);
    for (const auto& region : step.regions) WriteRegion(*region, depth + 1);
  }

  const Plan& plan_;
  std::string text_;
};

}  // namespace

std::string PlanText(const Plan& plan) { return PlanWriter(plan).Write(); }

}  // namespace hlo
