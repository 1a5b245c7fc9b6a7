// Interval arithmetic from the leaves up (indexing.md 1.3, 1.4), once for each subtree: equal ones
// are one expression. As in XLA (indexing_xla.md 1, 2), divisors that are no single number leave
// everything possible, and remainders get no tighter bounds than XLA's: what is known of ranges
// shows in the text of simplified maps.
#include "indexing/expression_range.h"

namespace hlo::indexing {
namespace {

// The constant a divisor is known to be; nothing where it may vary or be zero.
std::optional<int64_t> KnownDivisorValue(const Interval& divisor) {
  if (!divisor.IsPoint() || divisor.lower == 0) return std::nullopt;
  return divisor.lower;
}

Interval CeilDiv(const Interval& a, int64_t c) { return -FloorDiv(-a, c); }

}  // namespace

ExpressionRange::ExpressionRange(const IndexingMap& map, bool use_constraints) : map_(map) {
  if (!use_constraints) return;
  for (const Constraint& constraint : map.constraints) {
    constraints_.emplace(constraint.expr, constraint.bounds);
  }
}

Interval ExpressionRange::operator()(Expr expr) {
  if (expr.IsConstant()) return Interval::Point(expr.constant());
  if (expr.IsVariable() && constraints_.empty()) return map_.variable(expr.variable()).bounds;
  if (auto known = known_.find(expr); known != known_.end()) return known->second;
  Interval range = Compute(expr);
  if (auto bounds = constraints_.find(expr); bounds != constraints_.end()) {
    range = range.Intersect(bounds->second);
  }
  known_.emplace(expr, range);
  return range;
}

Interval ExpressionRange::Compute(Expr expr) {
  if (expr.IsVariable()) return map_.variable(expr.variable()).bounds;
  if (!expr.IsBinary()) return Interval::All();
  const Interval a = (*this)(expr.lhs());
  const Interval b = (*this)(expr.rhs());
  switch (expr.kind()) {
    case ExprKind::kAdd:
      return a + b;
    case ExprKind::kMul:
      return a * b;
    case ExprKind::kMod: {
      const std::optional<int64_t> m = KnownDivisorValue(b);
      return m ? Mod(a, *m) : Interval::All();
    }
    case ExprKind::kFloorDiv: {
      const std::optional<int64_t> d = KnownDivisorValue(b);
      return d ? FloorDiv(a, *d) : Interval::All();
    }
    case ExprKind::kCeilDiv: {
      const std::optional<int64_t> d = KnownDivisorValue(b);
      return d ? CeilDiv(a, *d) : Interval::All();
    }
    case ExprKind::kMax:
      return Max(a, b);
    case ExprKind::kMin:
      return Min(a, b);
    case ExprKind::kVariable:
    case ExprKind::kConstant:
    case ExprKind::kInvalid:
      break;
  }
  return Interval::All();
}

}  // namespace hlo::indexing
