// Rules about one shape wherever it stands (verifier.md 2.1, 2.2).
#ifndef HLOKIT_VERIFIER_SHAPE_RULES_H_
#define HLOKIT_VERIFIER_SHAPE_RULES_H_

#include <optional>
#include <utility>

#include "verifier/rule_context.h"

namespace hlo {

// Reports what is wrong with a shape at the place it is written. A shape in the entry layout
// reports its errors under one rule, entry-layout.valid.
class ShapeReporter {
 public:
  ShapeReporter(const RuleContext& context, SourceRange range, std::optional<Rule> errors_as = {})
      : context_(context), range_(range), errors_as_(errors_as) {}

  const RuleContext& context() const { return context_; }
  SourceRange range() const { return range_; }

  // The same for the `part` of the shape's text alone, where it can be told which one is meant.
  ShapeReporter At(std::string_view part) const {
    return ShapeReporter(context_, context_.Within(range_, part), errors_as_);
  }

  template <typename... Args>
  void Report(Rule rule, fmt::format_string<Args...> format, Args&&... args) const {
    bool is_error = SeverityIn(rule, context_.options().modes) == Severity::kError;
    context_.Report(is_error && errors_as_ ? *errors_as_ : rule, range_, format,
                    std::forward<Args>(args)...);
  }

 private:
  const RuleContext& context_;
  SourceRange range_;
  std::optional<Rule> errors_as_;
};

// Sizes, tuple elements, and the layouts of all arrays in `shape`.
void CheckShape(const ShapeReporter& reporter, const Shape& shape);
// The layout of one array.
void CheckLayout(const ShapeReporter& reporter, const Shape& array);

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_SHAPE_RULES_H_
