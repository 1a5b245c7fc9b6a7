// Reads the allow comments of a module.
#include "verifier/suppression.h"

#include <algorithm>

#include "verifier/rule.h"

namespace hlo {
namespace {

constexpr std::string_view kOpening = "hlo-verify: allow(";
constexpr std::string_view kBlanks = " \t\r";

std::string_view Strip(std::string_view text) {
  size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool IsBlankOrComment(std::string_view line) {
  line = Strip(line);
  return line.empty() || line.starts_with("//");
}

// What a comment speaks of: its own line when something stands before it, else the next one that
// holds more than comments; and a byte of the text there, the last before the comment or the first
// of that line.
struct Place {
  int64_t line = 0;
  uint32_t offset = 0;
};

Place PlaceMeant(const SourceText& source, SourceRange comment) {
  SourceRange line;
  std::string_view text = source.LineAt(comment.begin, &line);
  int64_t number = source.Locate(comment.begin).line;
  const std::string_view before = Strip(text.substr(0, comment.begin - line.begin));
  if (!before.empty()) {
    const char* last = before.data() + before.size() - 1;
    return {number, static_cast<uint32_t>(last - source.text().data())};
  }
  while (IsBlankOrComment(text) && line.end < source.text().size()) {
    text = source.LineAt(line.end + 1, &line);
    ++number;
  }
  const size_t first = text.find_first_not_of(kBlanks);
  return {number, line.begin + static_cast<uint32_t>(first == text.npos ? 0 : first)};
}

}  // namespace

Suppressions::Suppressions(const Module& module) : module_(module) {
  for (SourceRange comment : module.comments()) AddComment(comment);
}

void Suppressions::AddComment(SourceRange comment) {
  const SourceText& source = *module_.source();
  std::string_view text = source.text(comment);
  size_t opening = text.find(kOpening);
  if (opening == std::string_view::npos) return;
  std::string_view list = text.substr(opening + kOpening.size());
  list = list.substr(0, list.find(')'));
  Patterns patterns;
  while (!list.empty()) {
    size_t comma = list.find(',');
    patterns.push_back(Strip(list.substr(0, comma)));
    list = comma == std::string_view::npos ? "" : list.substr(comma + 1);
  }
  const auto add_to = [&patterns](Patterns& all) {
    all.insert(all.end(), patterns.begin(), patterns.end());
  };
  if (module_.form() == ModuleForm::kFull && comment.begin < module_.name_range().begin) {
    return add_to(everywhere_);
  }
  if (!lookup_) lookup_.emplace(module_);
  const Place place = PlaceMeant(source, comment);
  add_to(on_line_[place.line]);
  const InstructionId instruction = InstructionAt(place.offset);
  if (instruction.valid()) add_to(in_instruction_[instruction]);
}

InstructionId Suppressions::InstructionAt(uint32_t offset) const {
  SourcePart part = lookup_->At(offset);
  while (part.instruction.valid()) {
    const Instruction& instruction = module_.instruction(part.instruction);
    if (instruction.spelling == Spelling::kNamed || instruction.range.begin == 0) break;
    part = lookup_->At(instruction.range.begin - 1);  // in what it is an operand of
  }
  return part.instruction;
}

bool Suppressions::Covers(const Diagnostic& diagnostic) const {
  const auto names_rule = [&](const Patterns& patterns) {
    return std::any_of(patterns.begin(), patterns.end(), [&](std::string_view pattern) {
      return MatchesRulePattern(pattern, diagnostic.rule);
    });
  };
  if (names_rule(everywhere_)) return true;
  if (!lookup_) return false;
  const uint32_t offset = diagnostic.range.begin;
  const auto line = on_line_.find(diagnostic.source->Locate(offset).line);
  if (line != on_line_.end() && names_rule(line->second)) return true;
  const auto instruction = in_instruction_.find(InstructionAt(offset));
  return instruction != in_instruction_.end() && names_rule(instruction->second);
}

}  // namespace hlo
