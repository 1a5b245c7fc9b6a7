// Headings are short whatever the program: of many operands the first names, of a tuple `(...)`
// where none of its elements is meant. A check that missed something says that before anything
// else.
#include "tools/index_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "indexing/op_maps.h"

namespace hlo::tools {

using indexing::ArrayMaps;
using indexing::GroupedMaps;

namespace {

// Of long lists the first names only: they stand before each of as many outputs.
std::string OperandNames(const Module& module, const Instruction& instruction) {
  constexpr size_t kMaxNames = 8;
  const size_t count = std::min(instruction.operands.size(), kMaxNames);
  std::vector<std::string_view> names;
  for (size_t i = 0; i < count; ++i) {
    names.push_back(module.instruction(instruction.operands[i].id).name);
  }
  if (count < instruction.operands.size()) names.push_back("...");
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string ElementText(const Module& module, const GroupedMaps& group) {
  if (!module.instruction(group.instruction).shape->IsTuple()) return "";
  return group.element == ArrayMaps::kAllElements ? "{*}" : fmt::format("{{{}}}", group.element);
}

}  // namespace

std::string QuestionHeading(const Module& module, const Question& question) {
  const Instruction& instruction = module.instruction(question.id);
  const bool is_tuple = instruction.shape->IsTuple();
  const std::string part = !question.to_input ? fmt::format(", from operand {}", question.number)
                           : is_tuple         ? fmt::format(", output {}", question.number)
                                              : "";
  const Shape& shape = question.to_input
                           ? indexing::ElementShape(*instruction.shape, question.number)
                           : *instruction.shape;
  return fmt::format("{} = {} {}({}){}\n", instruction.name,
                     is_tuple && !question.to_input ? "(...)" : ShapeText(shape),
                     OpcodeName(instruction.opcode), OperandNames(module, instruction), part);
}

std::string GroupsText(const Module& module, const std::vector<GroupedMaps>& groups,
                       const indexing::ReportOptions& options) {
  std::string text;
  for (const GroupedMaps& group : groups) {
    text += fmt::format("{}{}\n{}", module.instruction(group.instruction).name,
                        ElementText(module, group), MapSetReport(module, group.maps, options));
  }
  return text;
}

std::string NeededText(const Module& module, const indexing::NeededElements& needed) {
  const Instruction& instruction = module.instruction(needed.instruction);
  if (needed.may_be_any) return fmt::format("{}: may be any", instruction.name);
  const Shape& shape =
      indexing::ElementShape(*instruction.shape, std::max<int64_t>(needed.element, 0));
  return fmt::format("{}{}: {}", instruction.name,
                     instruction.shape->IsTuple() ? fmt::format("{{{}}}", needed.element) : "",
                     indexing::ElementSetText(needed.elements, shape.dims()));
}

std::string StepText(const Module& module, const indexing::ProvenanceStep& step) {
  const Instruction& instruction = module.instruction(step.needed.instruction);
  std::string text = fmt::format("  {} = {}({})\n", NeededText(module, step.needed),
                                 OpcodeName(instruction.opcode), OperandNames(module, instruction));
  for (const indexing::NeededElements& read : step.reads) {
    text += "    " + NeededText(module, read) + "\n";
  }
  return text;
}

std::string CheckText(const absl::StatusOr<CheckResult>& result) {
  if (!result.ok()) return fmt::format("not checked: {}", std::string(result.status().message()));
  if (result->missed > 0) {
    return fmt::format("wrong for {} of {} elements: {}", result->missed, result->checked,
                       result->example);
  }
  if (result->overestimated > 0) {
    return fmt::format("nothing missed; wider than what was seen for {} of {} elements: {}",
                       result->overestimated, result->checked, result->example);
  }
  return fmt::format("exact for {} elements", result->checked);
}

}  // namespace hlo::tools
