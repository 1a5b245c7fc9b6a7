// Towards inputs each output is a question of its own, towards outputs each operand. Patterns match
// whole names. A name may occur in several computations: the entry's is meant, or else the first.
#include "tools/index_questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "indexing/op_maps.h"

namespace hlo::tools {

absl::StatusOr<InstructionFilter> InstructionFilter::Make(const IndexFlags& flags) {
  InstructionFilter filter;
  for (const auto& [pattern, compiled] :
       {std::pair(&flags.instructions, &filter.name), std::pair(&flags.opcodes, &filter.opcode)}) {
    if (pattern->empty()) continue;
    *compiled = std::make_unique<re2::RE2>(*pattern, re2::RE2::Quiet);
    if (!(*compiled)->ok()) {
      return absl::InvalidArgumentError(
          fmt::format("`{}` is not a pattern: {}", *pattern, (*compiled)->error()));
    }
  }
  return filter;
}

bool InstructionFilter::Matches(const Instruction& instruction) const {
  const auto matches = [](const re2::RE2* pattern, std::string_view text) {
    return pattern == nullptr ||
           re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), *pattern);
  };
  return matches(name.get(), instruction.name) &&
         matches(opcode.get(), OpcodeName(instruction.opcode));
}

namespace {

void AddQuestions(const Module& module, const IndexFlags& flags, InstructionId id,
                  std::vector<Question>& questions) {
  const Instruction& instruction = module.instruction(id);
  const auto add = [&](bool to_input, int64_t count, std::optional<uint32_t> only) {
    for (int64_t i = 0; i < count; ++i) {
      if (!only || i == *only) questions.push_back({id, to_input, i});
    }
  };
  if (flags.towards_inputs()) {
    add(true, indexing::OutputCount(*instruction.shape), flags.output);
  }
  if (flags.towards_outputs()) {
    add(false, static_cast<int64_t>(instruction.operands.size()), flags.operand);
  }
}

}  // namespace

std::vector<Question> Questions(const Module& module, const IndexFlags& flags,
                                const InstructionFilter& filter) {
  std::vector<Question> questions;
  if (flags.root) {
    AddQuestions(module, flags, module.entry().root, questions);
    return questions;
  }
  for (const Computation& computation : module.computations()) {
    for (InstructionId id : computation.instructions) {
      const Instruction& instruction = module.instruction(id);
      if (!instruction.operands.empty() && filter.Matches(instruction)) {
        AddQuestions(module, flags, id, questions);
      }
    }
  }
  return questions;
}

std::vector<std::string_view> InstructionNames(const Module& module) {
  std::vector<std::string_view> names;
  for (const Instruction& instruction : module.instructions()) names.push_back(instruction.name);
  return names;
}

std::optional<InstructionId> FindInstruction(const Module& module, std::string_view name) {
  if (name.starts_with('%')) name.remove_prefix(1);
  std::optional<InstructionId> found;
  for (const Instruction& instruction : module.instructions()) {
    if (instruction.name != name || !instruction.computation.valid()) continue;
    const bool is_better = !found || instruction.computation == module.entry_id();
    if (is_better) found = module.id_of(instruction);
  }
  return found;
}

std::optional<std::vector<int64_t>> ParseIndex(std::string_view text) {
  std::vector<int64_t> index;
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    std::string_view item = text.substr(0, end);
    while (item.starts_with(' ')) item.remove_prefix(1);
    int64_t value = 0;
    const auto [stop, error] = std::from_chars(item.data(), item.data() + item.size(), value);
    if (error != std::errc() || stop != item.data() + item.size()) return std::nullopt;
    index.push_back(value);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return index;
}

}  // namespace hlo::tools
