// Constraints (indexing_xla.md 3): keys are simplified, what always holds goes, and what stands
// around an expression moves into its interval until a variable or a remainder is left.
#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "indexing/simplify.h"
#include "support/checked_math.h"

namespace hlo::indexing {
namespace {

int64_t CeilQuotient(int64_t a, int64_t c) {
  const std::optional<int64_t> floor = FloorDiv(a, c);
  return !floor ? INT64_MAX : *floor + (a % c != 0);
}

// The x with c * x in `bounds`.
Interval QuotientBounds(const Interval& bounds, int64_t c) {
  Interval scaled = c < 0 ? -bounds : bounds;
  const int64_t magnitude = c < 0 ? -c : c;
  if (scaled.lower != Interval::kMin) scaled.lower = CeilQuotient(scaled.lower, magnitude);
  if (scaled.upper != Interval::kMax) scaled.upper = *FloorDiv(scaled.upper, magnitude);
  return scaled;
}

// The x with x / c in `bounds`. XLA negates the interval of a negative divisor and goes on with the
// positive one, which shifts it (indexing_xla.md 3).
Interval DividendBounds(Interval bounds, int64_t c, bool sound) {
  const int64_t magnitude = c < 0 ? -c : c;
  if (c < 0) bounds = -bounds;
  const Interval block = Interval::Point(magnitude);
  Interval result{
      (Interval::Point(bounds.lower) * block).lower,
      bounds.upper == Interval::kMax
          ? Interval::kMax
          : (Interval::Point(bounds.upper) * block + Interval::Point(magnitude - 1)).upper};
  // floor(x / -c) = q iff -q * c - c < x <= -q * c.
  if (c < 0 && sound) result = result - Interval::Point(magnitude - 1);
  return result;
}

// c * A + B in [0, hi] with B too small to matter: A * c in [0, hi].
bool PeelLowPart(Constraint& constraint, ExpressionRange& range) {
  if (constraint.bounds.lower != 0) return false;
  std::vector<Expr> summands;
  AppendSummands(constraint.expr, summands);
  const SplitSum split = Split(constraint.expr.context(), summands);
  if (split.gcd <= 1) return false;
  const Interval rest = range(split.rest);
  // XLA asks whether (hi - B) / g is one value, which is right only for a B in [0, g - 1].
  if (!Interval::OfSize(split.gcd).Contains(rest)) return false;
  const int64_t hi = constraint.bounds.upper;
  if (hi != Interval::kMax &&
      FloorDiv(hi - rest.lower, split.gcd) != FloorDiv(hi - rest.upper, split.gcd)) {
    return false;
  }
  constraint.expr = split.MultiplesOver(split.gcd);
  constraint.bounds = QuotientBounds(constraint.bounds, split.gcd);
  return true;
}

// One step towards a smaller expression; false when there is none.
bool Peel(Constraint& constraint, ExpressionRange& range, bool sound) {
  const Expr expr = constraint.expr;
  switch (expr.kind()) {
    case ExprKind::kAdd: {
      const Interval last = range(expr.rhs());
      if (!last.IsPoint() || last.lower == INT64_MIN) return PeelLowPart(constraint, range);
      constraint = {expr.lhs(), constraint.bounds - last};
      return true;
    }
    case ExprKind::kMul: {
      const std::optional<int64_t> c = expr.ConstantRhs(ExprKind::kMul);
      if (!c || *c == 0 || *c == INT64_MIN) return false;
      constraint = {expr.lhs(), QuotientBounds(constraint.bounds, *c)};
      return true;
    }
    case ExprKind::kFloorDiv: {
      const std::optional<int64_t> c = expr.ConstantRhs(ExprKind::kFloorDiv);
      if (!c || *c == 0 || *c == INT64_MIN) return false;
      constraint = {expr.lhs(), DividendBounds(constraint.bounds, *c, sound)};
      return true;
    }
    default:
      return false;
  }
}

// One pass over all constraints; true when something changed.
bool SimplifyOnce(IndexingMap& map, bool sound) {
  ExpressionRange range(map, /*use_constraints=*/false);
  ExpressionSimplifier simplifier(range, SimplifyMode::kReplacePoints);
  std::vector<Constraint> kept, changed;
  bool dropped = false;
  for (const Constraint& constraint : map.constraints) {
    Constraint now = constraint;
    now.expr = simplifier.Simplify(now.expr);
    if (now.bounds.Contains(range(now.expr))) {
      dropped = true;
      continue;
    }
    while (Peel(now, range, sound)) {
    }
    (now == constraint ? kept : changed).push_back(now);
  }
  if (!dropped && changed.empty()) return false;
  map.constraints = std::move(kept);
  for (const Constraint& constraint : changed)
    map.AddConstraint(constraint.expr, constraint.bounds);
  return true;
}

// Moves the ends of `bounds` to the nearest numbers that are `residue` modulo `m`.
Interval MembersOfClass(Interval bounds, int64_t m, int64_t residue) {
  if (bounds.lower != Interval::kMin) {
    const int64_t distance = FloorMod(residue - FloorMod(bounds.lower, m), m);
    bounds.lower = CheckedAdd(bounds.lower, distance).value_or(Interval::kMax);
  }
  if (bounds.upper != Interval::kMax) {
    const int64_t distance = FloorMod(FloorMod(bounds.upper, m) - residue, m);
    bounds.upper = CheckedSub(bounds.upper, distance).value_or(Interval::kMin);
  }
  return bounds;
}

struct Remainder {
  Expr expr;
  int64_t modulus;
  int64_t residue;
};

// `x mod c in [r, r]`, with r a remainder.
std::optional<Remainder> AsRemainder(const Constraint& constraint) {
  const std::optional<int64_t> c = constraint.expr.ConstantRhs(ExprKind::kMod);
  if (!c || *c <= 0 || !constraint.bounds.IsPoint()) return std::nullopt;
  const int64_t residue = constraint.bounds.lower;
  if (residue < 0 || residue >= *c) return std::nullopt;
  return Remainder{constraint.expr.lhs(), *c, residue};
}

// x = r mod a and x = r mod b: x = r mod lcm(a, b).
void MergeEqualResidues(IndexingMap& map) {
  std::vector<Constraint>& constraints = map.constraints;
  for (size_t i = 0; i < constraints.size(); ++i) {
    const std::optional<Remainder> first = AsRemainder(constraints[i]);
    if (!first) continue;
    for (size_t j = i + 1; j < constraints.size();) {
      const std::optional<Remainder> second = AsRemainder(constraints[j]);
      const bool matches =
          second && second->expr == first->expr && second->residue == first->residue;
      const int64_t modulus = *constraints[i].expr.ConstantRhs(ExprKind::kMod);
      const std::optional<int64_t> lcm =
          matches ? CheckedMul(modulus / std::gcd(modulus, second->modulus), second->modulus)
                  : std::nullopt;
      if (!lcm) {
        ++j;
        continue;
      }
      constraints[i].expr = Mod(first->expr, *lcm);
      constraints.erase(constraints.begin() + static_cast<ptrdiff_t>(j));
    }
  }
}

}  // namespace

void SimplifyConstraints(IndexingMap& map, bool sound) {
  constexpr int kMaxRounds = 64;
  for (int round = 0; round < kMaxRounds; ++round) {
    if (map.constraints.empty() || map.state != IndexingMap::State::kKnown) return;
    if (!SimplifyOnce(map, sound)) return;
  }
}

void MergeRemainders(IndexingMap& map) {
  if (map.constraints.empty() || map.state != IndexingMap::State::kKnown) return;
  MergeEqualResidues(map);
  for (const Constraint& constraint : map.constraints) {
    const std::optional<Remainder> remainder = AsRemainder(constraint);
    if (!remainder || !remainder->expr.IsVariable()) continue;
    Interval& bounds = map.variable(remainder->expr.variable()).bounds;
    bounds = MembersOfClass(bounds, remainder->modulus, remainder->residue);
  }
  map.Normalize();
}

}  // namespace hlo::indexing
