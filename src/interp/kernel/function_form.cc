// Forms are recognised when a plan is made (plan/recognise.cc). Here are only their words, which
// stand in printed plans.
#include "interp/kernel/function_form.h"

#include <fmt/format.h>

#include "support/check.h"

namespace hlo {

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
      return fmt::format("{}{} operand {} {}{}", form.ascending ? "ascending" : "descending",
                         form.kind == FunctionForm::Kind::kOrEqual ? " or equal" : "",
                         form.parameter, type,
                         form.is_canonical  ? " total order, zeros and NaNs merged"
                         : form.total_order ? " total order"
                                            : "");
    case FunctionForm::Kind::kExtreme: {
      constexpr std::string_view kTies[] = {"first", "last", "smallest"};
      return fmt::format("{} {} and its place, the {} of equal ones",
                         form.ascending ? "smallest" : "largest", type,
                         kTies[static_cast<size_t>(form.tie)]);
    }
  }
  HLO_UNREACHABLE();
}

}  // namespace hlo
