// Forms are recognised when a plan is made (plan/recognise.cc). Here are only their words, which
// stand in printed plans.
#include "interp/kernel/function_form.h"

#include <fmt/format.h>

#include "support/check.h"

namespace hlo {
namespace {

std::string_view OrderText(const FunctionForm::Key& key) {
  return key.is_canonical  ? " total order, zeros and NaNs merged"
         : key.total_order ? " total order"
                           : "";
}

std::string ComparatorText(const FunctionForm& form) {
  std::string text;
  for (const FunctionForm::Key& key : form.keys) {
    const bool is_without_nan =
        form.kind == FunctionForm::Kind::kLexicographic && key.IsFloatByValue();
    text += fmt::format("{}{}{} operand {} {}{}{}", text.empty() ? "" : ", then ",
                        key.ascending ? "ascending" : "descending",
                        form.kind == FunctionForm::Kind::kOrEqual ? " or equal" : "", key.parameter,
                        ElementTypeName(key.element_type), OrderText(key),
                        is_without_nan ? " without NaN" : "");
  }
  return text;
}

std::string ByArrayText(const FunctionForm& form) {
  std::string text;
  for (const FunctionForm& one : form.by_array) {
    text += (text.empty() ? "" : ", ") + FunctionFormText(one);
  }
  return text;
}

}  // namespace

std::string FunctionFormText(const FunctionForm& form) {
  const std::string_view type = ElementTypeName(form.element_type);
  switch (form.kind) {
    case FunctionForm::Kind::kOther:
      return "";
    case FunctionForm::Kind::kParameter:
      return fmt::format("parameter {} {}", form.parameter, type);
    case FunctionForm::Kind::kBinary:
      return fmt::format("{} {}", OpcodeName(form.opcode), type);
    case FunctionForm::Kind::kComparator:
    case FunctionForm::Kind::kOrEqual:
    case FunctionForm::Kind::kLexicographic:
      return ComparatorText(form);
    case FunctionForm::Kind::kExtreme: {
      constexpr std::string_view kTies[] = {"first", "last", "smallest"};
      constexpr std::string_view kNans[] = {"", ", NaN by the second", ", NaN by the first"};
      return fmt::format("{} {} and its place, the {} of equal ones{}",
                         form.takes_smallest ? "smallest" : "largest", type,
                         kTies[static_cast<size_t>(form.tie)],
                         kNans[static_cast<size_t>(form.nan)]);
    }
    case FunctionForm::Kind::kByArray:
      return ByArrayText(form);
  }
  HLO_UNREACHABLE();
}

}  // namespace hlo
