// A map is in one of three states, two of which have one form each: an unknown map has nothing in
// it, an empty one keeps its counts, with results 0, intervals [0, -1] and no constraints
// (indexing.md 1.5). Unknown wins over empty. Arithmetic that overflowed comes as an invalid
// expression, which makes the map unknown.
#include "indexing/indexing_map.h"

#include <algorithm>
#include <utility>

namespace hlo::indexing {

IndexingMap IndexingMap::Unknown(ExprContext& context) {
  IndexingMap map(context);
  map.state = State::kUnknown;
  return map;
}

IndexingMap IndexingMap::Identity(ExprContext& context, std::span<const int64_t> dims) {
  IndexingMap map(context);
  for (size_t d = 0; d < dims.size(); ++d) {
    map.dims.push_back({Interval::OfSize(dims[d]), {}});
    map.results.push_back(context.Variable(static_cast<int64_t>(d)));
  }
  map.Normalize();
  return map;
}

const Variable& IndexingMap::variable(int64_t number) const {
  size_t i = static_cast<size_t>(number);
  if (i < dims.size()) return dims[i];
  i -= dims.size();
  return i < ranges.size() ? ranges[i] : runtimes[i - ranges.size()];
}

Variable& IndexingMap::variable(int64_t number) {
  return const_cast<Variable&>(std::as_const(*this).variable(number));
}

void IndexingMap::AddConstraint(Expr expr, const Interval& bounds) {
  if (state != State::kKnown) return;
  if (!expr.IsValid()) return MakeUnknown();
  if (!bounds.IsFeasible()) return MakeEmpty();
  if (expr.IsConstant()) {
    if (!bounds.Contains(expr.constant())) MakeEmpty();
    return;
  }
  Interval* known = nullptr;
  if (expr.IsVariable()) {
    known = &variable(expr.variable()).bounds;
  } else {
    auto constraint = std::ranges::find(constraints, expr, &Constraint::expr);
    if (constraint == constraints.end()) {
      constraints.push_back({expr, bounds});
      return;
    }
    known = &constraint->bounds;
  }
  *known = known->Intersect(bounds);
  if (!known->IsFeasible()) MakeEmpty();
}

void IndexingMap::MakeEmpty() {
  if (state == State::kUnknown) return;
  state = State::kEmpty;
  for (std::vector<Variable>* variables : {&dims, &ranges, &runtimes}) {
    for (Variable& variable : *variables) variable.bounds = {0, -1};
  }
  std::ranges::fill(results, context_->Constant(0));
  constraints.clear();
}

void IndexingMap::MakeUnknown() { *this = Unknown(*context_); }

void IndexingMap::Normalize() {
  if (state == State::kUnknown) return;
  const auto is_invalid = [](Expr expr) { return !expr.IsValid(); };
  const bool is_unknown = std::ranges::any_of(results, is_invalid) ||
                          std::ranges::any_of(constraints, is_invalid, &Constraint::expr) ||
                          std::ranges::any_of(origins, [&](const RuntimeOrigin& origin) {
                            return std::ranges::any_of(origin.index, is_invalid);
                          });
  if (is_unknown) return MakeUnknown();
  bool is_empty = state == State::kEmpty;
  for (int64_t i = 0; i < variable_count(); ++i) is_empty |= !variable(i).bounds.IsFeasible();
  for (const Constraint& constraint : constraints) is_empty |= !constraint.bounds.IsFeasible();
  if (is_empty) MakeEmpty();
}

bool IndexingMap::operator==(const IndexingMap& other) const {
  if (state != other.state) return false;
  if (state == State::kUnknown) return true;
  return results == other.results && dims == other.dims && ranges == other.ranges &&
         runtimes == other.runtimes && constraints.size() == other.constraints.size() &&
         std::ranges::is_permutation(constraints, other.constraints);
}

void MapSet::Insert(IndexingMap map) {
  if (std::ranges::find(maps_, map) == maps_.end()) maps_.push_back(std::move(map));
}

bool MapSet::HasUnknown() const { return std::ranges::any_of(maps_, &IndexingMap::IsUnknown); }

}  // namespace hlo::indexing
