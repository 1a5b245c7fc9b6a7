// Parentheses (indexing_xla.md 1): around a child of lower precedence; of equal precedence with a
// different operator; of the same operator as right child of a division or remainder; around a sum
// behind a minus. `x * -1` is written `-x`, which binds tightest and needs none.
#include "indexing/print_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "indexing/canonical.h"

namespace hlo::indexing {
namespace {

class ExprPrinter {
 public:
  ExprPrinter(std::span<const std::string> names, MapStyle style, std::string& out)
      : names_(names), style_(style), out_(out) {}

  void Print(Expr expr) {
    switch (expr.kind()) {
      case ExprKind::kAdd:
        return PrintSum(expr);
      case ExprKind::kMul:
        if (!expr.rhs().IsConstant(-1)) return PrintInfix(expr, " * ");
        out_ += '-';
        return PrintChild(expr.lhs(), ExprKind::kMul, /*is_right=*/false);
      case ExprKind::kMod:
        return PrintInfix(expr, " mod ");
      case ExprKind::kFloorDiv:
        return PrintInfix(expr, style_ == MapStyle::kXla ? " / " : " floordiv ");
      case ExprKind::kCeilDiv:
        return PrintInfix(expr, " ceildiv ");
      case ExprKind::kMax:
        return PrintCall(expr, "max");
      case ExprKind::kMin:
        return PrintCall(expr, "min");
      case ExprKind::kVariable:
        out_ += NameOf(expr.variable());
        return;
      case ExprKind::kConstant:
        fmt::format_to(std::back_inserter(out_), "{}", expr.constant());
        return;
      case ExprKind::kInvalid:
        out_ += "INVALID";
        return;
    }
  }

 private:
  static int Precedence(ExprKind kind) {
    if (kind == ExprKind::kAdd) return 0;
    return kind <= ExprKind::kCeilDiv ? 1 : 2;
  }

  bool NeedsParentheses(Expr child, ExprKind parent, bool is_right) const {
    const int precedence = Precedence(child.kind());
    if (precedence != Precedence(parent)) return precedence < Precedence(parent);
    if (child.kind() == ExprKind::kMul && child.rhs().IsConstant(-1)) {
      return style_ == MapStyle::kLines ||
             (child.lhs().kind() == ExprKind::kMul && parent != ExprKind::kMul);
    }
    if (child.kind() != parent) return true;
    return style_ == MapStyle::kLines || (is_right && parent != ExprKind::kMul);
  }

  void PrintChild(Expr child, ExprKind parent, bool is_right) {
    if (!NeedsParentheses(child, parent, is_right)) return Print(child);
    out_ += '(';
    Print(child);
    out_ += ')';
  }

  void PrintInfix(Expr expr, std::string_view op) {
    PrintChild(expr.lhs(), expr.kind(), false);
    out_ += op;
    PrintChild(expr.rhs(), expr.kind(), true);
  }

  // Whether the text of a summand would begin with a minus.
  static bool IsNegative(Expr summand) {
    while (summand.kind() == ExprKind::kAdd) summand = summand.lhs();
    if (summand.IsConstant()) return summand.constant() < 0;
    return summand.ConstantRhs(ExprKind::kMul).value_or(1) < 0;
  }

  void PrintSum(Expr expr) {
    Print(expr.lhs());
    const Expr right = expr.rhs();
    const Expr negated = IsNegative(right) ? -right : right;
    if (!IsNegative(right) || !negated.IsValid()) {
      out_ += " + ";
      return Print(right);
    }
    out_ += " - ";
    if (negated.kind() != ExprKind::kAdd) return Print(negated);
    out_ += '(';
    Print(negated);
    out_ += ')';
  }

  void PrintCall(Expr expr, std::string_view name) {
    out_ += name;
    out_ += '(';
    Print(expr.lhs());
    out_ += ", ";
    Print(expr.rhs());
    out_ += ')';
  }

  std::string NameOf(int64_t number) const {
    const size_t i = static_cast<size_t>(number);
    return i < names_.size() ? names_[i] : fmt::format("v{}", number);
  }

  std::span<const std::string> names_;
  MapStyle style_;
  std::string& out_;
};

std::string NamesIn(char open, std::span<const std::string> names, char close) {
  return fmt::format("{}{}{}", open, fmt::join(names, ", "), close);
}

std::string Head(const IndexingMap& map, std::span<const std::string> names, MapStyle style) {
  std::string text = NamesIn('(', names.first(map.dims.size()), ')');
  const std::span<const std::string> symbols = names.subspan(map.dims.size());
  if (!map.ranges.empty()) text += NamesIn('[', symbols.first(map.ranges.size()), ']');
  if (!map.runtimes.empty()) text += NamesIn('{', symbols.subspan(map.ranges.size()), '}');
  std::vector<std::string> results;
  for (Expr result : map.results) results.push_back(PrintExpr(result, names, style));
  return text + fmt::format(" -> ({})", fmt::join(results, ", "));
}

}  // namespace

std::string PrintInterval(const Interval& interval) {
  return fmt::format("[{}, {}]", interval.lower, interval.upper);
}

std::vector<std::string> VariableNames(const IndexingMap& map) {
  std::vector<std::string> names;
  const auto add = [&](const std::vector<Variable>& variables, std::string_view prefix) {
    for (size_t i = 0; i < variables.size(); ++i) {
      names.push_back(variables[i].name.empty() ? fmt::format("{}{}", prefix, i)
                                                : variables[i].name);
    }
  };
  add(map.dims, "d");
  add(map.ranges, "s");
  add(map.runtimes, "rt");
  return names;
}

std::string PrintExpr(Expr expr, std::span<const std::string> names, MapStyle style) {
  std::string text;
  ExprPrinter(names, style, text).Print(expr);
  return text;
}

std::string PrintMapHead(const IndexingMap& map, MapStyle style) {
  return Head(map, VariableNames(map), style);
}

std::string PrintMap(const IndexingMap& map, MapStyle style) {
  if (map.IsUnknown()) return "UNDEFINED";
  if (map.IsKnownEmpty()) return "KNOWN EMPTY";
  const std::vector<std::string> names = VariableNames(map);
  const std::string text = Head(map, names, style);
  std::vector<std::string> items;
  for (const Constraint& constraint : map.constraints) {
    items.push_back(fmt::format("{} in {}", PrintExpr(constraint.expr, names, style),
                                PrintInterval(constraint.bounds)));
  }
  std::ranges::sort(items);
  std::vector<std::string> variables;
  for (size_t i = 0; i < names.size(); ++i) {
    variables.push_back(fmt::format("{} in {}", names[i],
                                    PrintInterval(map.variable(static_cast<int64_t>(i)).bounds)));
  }
  items.insert(items.begin(), variables.begin(), variables.end());
  if (items.empty()) return text;
  return style == MapStyle::kXla ? fmt::format("{}, domain: {}", text, fmt::join(items, ", "))
                                 : fmt::format("{},\ndomain:\n{}", text, fmt::join(items, ",\n"));
}

}  // namespace hlo::indexing
