// Removing, rescaling and converting the variables of maps.
#include <algorithm>
#include <numeric>

#include "indexing/compose.h"
#include "indexing/points.h"
#include "indexing/simplify.h"

namespace hlo::indexing {
namespace {

// Applies `renumber` to every expression of the map.
template <typename Renumber>
void RewriteExpressions(IndexingMap& map, const Renumber& renumber) {
  for (Expr& result : map.results) result = renumber(result);
  for (Constraint& constraint : map.constraints) constraint.expr = renumber(constraint.expr);
  for (RuntimeOrigin& origin : map.origins) {
    for (Expr& index : origin.index) index = renumber(index);
  }
}

// Removes the marked items of a list; lists of another length stay as they are.
template <typename T>
void RemoveMarked(std::vector<T>& items, const std::vector<bool>& drop, size_t start,
                  size_t count) {
  if (items.size() != count) return;
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    if (drop[start + i]) continue;
    if (kept != i) items[kept] = std::move(items[i]);
    ++kept;
  }
  items.resize(kept, T{});
}

// Removes the variables marked in `drop`, which occur nowhere.
void DropVariables(IndexingMap& map, const std::vector<bool>& drop) {
  std::vector<Expr> replacements;
  int64_t next = 0;
  for (bool dropped : drop) {
    replacements.push_back(map.context().Variable(next));
    if (!dropped) ++next;
  }
  RewriteExpressions(map, [&](Expr expr) { return Substitute(expr, replacements); });
  const size_t dims = map.dims.size(), ranges = map.ranges.size(), runtimes = map.runtimes.size();
  RemoveMarked(map.dims, drop, 0, dims);
  RemoveMarked(map.ranges, drop, dims, ranges);
  RemoveMarked(map.origins, drop, dims + ranges, runtimes);
  RemoveMarked(map.listed_origins, drop, dims + ranges, runtimes);
  RemoveMarked(map.runtimes, drop, dims + ranges, runtimes);
}

bool MentionsAny(Expr expr, const std::vector<bool>& marked) {
  if (expr.IsVariable()) return marked[static_cast<size_t>(expr.variable())];
  return expr.IsBinary() && (MentionsAny(expr.lhs(), marked) || MentionsAny(expr.rhs(), marked));
}

// A constraint on a kept variable keeps all it mentions.
void KeepWhatConstraintsTie(const IndexingMap& map, std::vector<bool>& kept) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (const Constraint& constraint : map.constraints) {
      if (!MentionsAny(constraint.expr, kept)) continue;
      std::vector<bool> before = kept;
      MarkVariables(constraint.expr, kept);
      changed |= before != kept;
    }
  }
}

// Whether some values of the variables satisfy all `constraints`, as far as a short search shows.
bool IsSatisfiable(const IndexingMap& map, std::vector<Constraint> constraints) {
  constexpr int64_t kMaxTries = 1 << 10;
  IndexingMap domain = map;
  domain.results.clear();
  domain.origins.clear();
  domain.constraints = std::move(constraints);
  if (const std::optional<bool> found = HasPoint(domain, kMaxTries)) return *found;
  Tighten(domain);
  return HasPoint(domain, kMaxTries).value_or(false);
}

}  // namespace

std::vector<bool> UsedVariables(const IndexingMap& map) {
  std::vector<bool> used(static_cast<size_t>(map.variable_count()));
  for (Expr result : map.results) MarkVariables(result, used);
  for (size_t i = 0; i < map.origins.size(); ++i) {
    if (!used[static_cast<size_t>(map.first_runtime()) + i]) continue;
    for (Expr index : map.origins[i].index) MarkVariables(index, used);
  }
  return used;
}

bool RemoveUnused(IndexingMap& map, Removable removable) {
  if (map.IsUnknown()) return false;
  std::vector<bool> kept = UsedVariables(map);
  if (removable == Removable::kSymbols) {
    std::fill(kept.begin(), kept.begin() + map.first_range(), true);
  }
  KeepWhatConstraintsTie(map, kept);
  const auto is_dropped = [&](const Constraint& c) { return !MentionsAny(c.expr, kept); };
  std::vector<Constraint> dropped;
  std::ranges::copy_if(map.constraints, std::back_inserter(dropped), is_dropped);
  if (!dropped.empty()) {
    if (IsSatisfiable(map, dropped)) {
      std::erase_if(map.constraints, is_dropped);
    } else {
      for (const Constraint& constraint : dropped) MarkVariables(constraint.expr, kept);
    }
  }
  if (std::ranges::find(kept, false) == kept.end()) return false;
  kept.flip();
  // Origins of dropped runtime variables go with them; others mention kept variables only.
  DropVariables(map, kept);
  return true;
}

void DropRanges(IndexingMap& map, const std::vector<bool>& drop) {
  std::vector<bool> all(static_cast<size_t>(map.variable_count()));
  std::copy(drop.begin(), drop.end(), all.begin() + map.first_range());
  DropVariables(map, all);
}

namespace {

// The constraint `s mod m in [r, r]` on a range, when there is one.
const Constraint* FindScaledRange(const IndexingMap& map) {
  for (const Constraint& constraint : map.constraints) {
    const std::optional<int64_t> m = constraint.expr.ConstantRhs(ExprKind::kMod);
    if (!m || *m <= 0 || !constraint.bounds.IsPoint() || !constraint.expr.lhs().IsVariable()) {
      continue;
    }
    const int64_t number = constraint.expr.lhs().variable();
    if (number >= map.first_range() && number < map.first_runtime()) return &constraint;
  }
  return nullptr;
}

void RescaleRange(IndexingMap& map, const Constraint& constraint) {
  const int64_t m = constraint.expr.rhs().constant();
  const int64_t residue = constraint.bounds.lower;
  const int64_t number = constraint.expr.lhs().variable();
  const Expr scaled = map.VariableExpr(number) * m + residue;
  std::erase(map.constraints, Constraint(constraint));
  RewriteExpressions(map, [&](Expr expr) {
    return MapVariables(
        expr, [&](int64_t i) { return i == number ? scaled : map.context().Variable(i); });
  });
  Interval& bounds = map.variable(number).bounds;
  bounds = {*FloorDiv(bounds.lower - residue, m), *FloorDiv(bounds.upper - residue, m)};
  map.Normalize();
}

}  // namespace

bool RescaleRanges(IndexingMap& map) {
  MergeRemainders(map);
  bool changed = false;
  while (map.state == IndexingMap::State::kKnown) {
    const Constraint* constraint = FindScaledRange(map);
    if (constraint == nullptr) break;
    const Interval& bounds = map.variable(constraint->expr.lhs().variable()).bounds;
    const bool is_bounded = bounds.lower > INT64_MIN / 2 && bounds.upper < INT64_MAX / 2;
    const bool is_residue = constraint->bounds.lower >= 0 &&
                            constraint->bounds.lower < constraint->expr.rhs().constant();
    if (!is_bounded || !is_residue) break;
    RescaleRange(map, Constraint(*constraint));
    changed = true;
  }
  return changed;
}

IndexingMap SymbolsToDims(const IndexingMap& map) {
  if (map.IsUnknown()) return map;
  IndexingMap result = map;
  for (const std::vector<Variable>* symbols : {&map.ranges, &map.runtimes}) {
    for (const Variable& variable : *symbols) result.dims.push_back({variable.bounds, {}});
  }
  result.ranges.clear();
  result.runtimes.clear();
  result.origins.clear();
  result.listed_origins.clear();
  return result;
}

IndexingMap RangesToDims(const IndexingMap& map, std::span<const int64_t> which) {
  if (map.IsUnknown()) return map;
  IndexingMap result = map;
  std::vector<Expr> replacements(static_cast<size_t>(map.variable_count()));
  int64_t next = map.first_range();
  for (int64_t d = 0; d < next; ++d) replacements[static_cast<size_t>(d)] = map.VariableExpr(d);
  const auto place = [&](int64_t number) {
    replacements[static_cast<size_t>(number)] = map.VariableExpr(next++);
  };
  for (int64_t range : which) {
    place(map.first_range() + range);
    result.dims.push_back(map.ranges[static_cast<size_t>(range)]);
  }
  result.ranges.clear();
  for (size_t i = 0; i < map.ranges.size(); ++i) {
    if (std::ranges::find(which, static_cast<int64_t>(i)) != which.end()) continue;
    place(map.first_range() + static_cast<int64_t>(i));
    result.ranges.push_back(map.ranges[i]);
  }
  for (int64_t i = map.first_runtime(); i < map.variable_count(); ++i) place(i);
  RewriteExpressions(result, [&](Expr expr) { return Substitute(expr, replacements); });
  return result;
}

IndexingMap WithResult(const IndexingMap& map, int64_t result) {
  IndexingMap part = map;
  if (!map.IsUnknown()) part.results = {map.results[static_cast<size_t>(result)]};
  return part;
}

}  // namespace hlo::indexing
