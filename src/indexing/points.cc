// Nested loops over the variables; a constraint is checked as soon as its last variable has a
// value.
#include "indexing/points.h"

#include <algorithm>
#include <vector>

#include "indexing/expression_range.h"
#include "indexing/simplify.h"

namespace hlo::indexing {
namespace {

class PointWalk {
 public:
  PointWalk(const IndexingMap& map, int64_t max_points,
            const std::function<bool(std::span<const int64_t>)>& visit)
      : map_(map),
        tries_left_(max_points),
        visit_(visit),
        values_(static_cast<size_t>(map.variable_count())),
        checks_(values_.size() + 1) {
    for (const Constraint& constraint : map.constraints) {
      std::vector<bool> used(values_.size());
      MarkVariables(constraint.expr, used);
      const auto last = std::find(used.rbegin(), used.rend(), true);
      checks_[static_cast<size_t>(used.rend() - last)].push_back(&constraint);
    }
  }

  bool Run() {
    if (map_.IsUnknown()) return false;
    if (map_.IsKnownEmpty()) return true;
    if (!Holds(0)) return !failed_;
    Walk(0);
    return !failed_;
  }

 private:
  bool Holds(size_t assigned) {
    for (const Constraint* constraint : checks_[assigned]) {
      const std::optional<int64_t> value = Evaluate(constraint->expr, values_);
      if (!value) failed_ = true;
      if (!value || !constraint->bounds.Contains(*value)) return false;
    }
    return true;
  }

  // False to stop.
  bool Walk(size_t number) {
    if (number == values_.size()) return visit_(values_);
    const Interval bounds = map_.variable(static_cast<int64_t>(number)).bounds;
    for (int64_t value = bounds.lower; value <= bounds.upper; ++value) {
      if (--tries_left_ < 0) {
        failed_ = true;
        return false;
      }
      values_[number] = value;
      const bool goes_on = !Holds(number + 1) || Walk(number + 1);
      if (!goes_on || failed_) return false;
      if (value == INT64_MAX) break;
    }
    return true;
  }

  const IndexingMap& map_;
  int64_t tries_left_;
  const std::function<bool(std::span<const int64_t>)>& visit_;
  std::vector<int64_t> values_;
  std::vector<std::vector<const Constraint*>> checks_;  // by the number of variables they need
  bool failed_ = false;
};

}  // namespace

bool ForEachPoint(const IndexingMap& map, int64_t max_points,
                  const std::function<bool(std::span<const int64_t>)>& visit) {
  return PointWalk(map, max_points, visit).Run();
}

std::optional<bool> HasPoint(const IndexingMap& map, int64_t max_points) {
  bool found = false;
  const bool complete = ForEachPoint(map, max_points, [&](std::span<const int64_t>) {
    found = true;
    return false;
  });
  if (found) return true;
  return complete ? std::optional<bool>(false) : std::nullopt;
}

namespace {

// a * b rounded to integers that satisfy c * v in `bounds`.
Interval DividedBounds(const Interval& bounds, int64_t c) {
  Interval scaled = c < 0 ? -bounds : bounds;
  const int64_t magnitude = c < 0 ? -c : c;
  if (scaled.lower != Interval::kMin) scaled.lower = -*FloorDiv(-scaled.lower, magnitude);
  if (scaled.upper != Interval::kMax) scaled.upper = *FloorDiv(scaled.upper, magnitude);
  return scaled;
}

// Tightens the variables of one constraint; true when an interval changed.
bool TightenVariables(IndexingMap& map, const Constraint& constraint) {
  std::vector<Expr> summands;
  AppendSummands(constraint.expr, summands);
  bool changed = false;
  for (size_t i = 0; i < summands.size() && map.state == IndexingMap::State::kKnown; ++i) {
    const std::optional<int64_t> factor = summands[i].ConstantRhs(ExprKind::kMul);
    const Expr atom = factor ? summands[i].lhs() : summands[i];
    if (!atom.IsVariable() || factor == INT64_MIN) continue;
    ExpressionRange range(map, /*use_constraints=*/false);
    Interval rest = Interval::Point(0);
    for (size_t j = 0; j < summands.size(); ++j) {
      if (j != i) rest = rest + range(summands[j]);
    }
    Interval& bounds = map.variable(atom.variable()).bounds;
    const Interval tighter =
        bounds.Intersect(DividedBounds(constraint.bounds - rest, factor.value_or(1)));
    if (tighter == bounds) continue;
    bounds = tighter;
    changed = true;
    map.Normalize();
  }
  return changed;
}

// A constraint says no more than what its expression can be.
void ClampToRanges(IndexingMap& map) {
  ExpressionRange range(map, /*use_constraints=*/false);
  for (Constraint& constraint : map.constraints) {
    constraint.bounds = constraint.bounds.Intersect(range(constraint.expr));
  }
  map.Normalize();
}

}  // namespace

void Tighten(IndexingMap& map) {
  constexpr int kMaxRounds = 64;
  for (int round = 0; round < kMaxRounds; ++round) {
    SimplifyConstraints(map, /*sound=*/true);
    MergeRemainders(map);
    bool changed = false;
    const std::vector<Constraint> constraints = map.constraints;
    for (const Constraint& constraint : constraints) {
      if (map.state != IndexingMap::State::kKnown) return;
      changed |= TightenVariables(map, constraint);
    }
    if (map.state != IndexingMap::State::kKnown) return;
    if (!changed) break;
  }
  ClampToRanges(map);
}

std::optional<bool> IsEmpty(const IndexingMap& map) {
  constexpr int64_t kMaxPoints = 1 << 20;
  if (map.IsUnknown()) return std::nullopt;
  IndexingMap tightened = map;
  Tighten(tightened);
  if (tightened.IsKnownEmpty()) return true;
  if (tightened.constraints.empty()) return false;
  const std::optional<bool> has_point = HasPoint(tightened, kMaxPoints);
  return has_point ? std::optional<bool>(!*has_point) : std::nullopt;
}

}  // namespace hlo::indexing
