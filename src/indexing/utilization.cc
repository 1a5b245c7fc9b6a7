// A map's results fall into classes that share no variable: its image is the product of their
// images. A class of one linear result is counted by formula, others by enumeration.
#include "indexing/utilization.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include "indexing/canonical.h"
#include "indexing/expression_range.h"
#include "indexing/image.h"
#include "indexing/points.h"
#include "support/checked_math.h"

namespace hlo::indexing {
namespace {

constexpr int64_t kMaxPoints = 1 << 18;

// Variables that occur together in a result or constraint have one representative.
class VariableClasses {
 public:
  explicit VariableClasses(const IndexingMap& map)
      : parents_(static_cast<size_t>(map.variable_count())) {
    std::iota(parents_.begin(), parents_.end(), 0);
    for (Expr result : map.results) Join(result);
    for (const Constraint& constraint : map.constraints) Join(constraint.expr);
  }

  // -1: the expression has no variable.
  int64_t ClassOf(Expr expr) {
    std::vector<bool> used(parents_.size());
    MarkVariables(expr, used);
    const auto first = std::ranges::find(used, true);
    return first == used.end() ? -1 : Root(first - used.begin());
  }

 private:
  int64_t Root(int64_t i) {
    while (parents_[static_cast<size_t>(i)] != i) i = parents_[static_cast<size_t>(i)];
    return i;
  }
  void Join(Expr expr) {
    const int64_t first = ClassOf(expr);
    std::vector<bool> used(parents_.size());
    MarkVariables(expr, used);
    for (size_t i = 0; i < used.size(); ++i) {
      if (used[i]) parents_[static_cast<size_t>(Root(static_cast<int64_t>(i)))] = first;
    }
  }

  std::vector<int64_t> parents_;
};

struct Step {
  int64_t coefficient;
  int64_t count;
};

// The variables of a linear expression; nothing when it is no such, or a variable has no end.
std::optional<std::vector<Step>> LinearSteps(const IndexingMap& map, Expr expr) {
  std::vector<Expr> summands;
  AppendSummands(Canonical(expr), summands);
  std::vector<Step> steps;
  for (Expr summand : summands) {
    if (summand.IsConstant()) continue;
    const std::optional<int64_t> factor = summand.ConstantRhs(ExprKind::kMul);
    const Expr atom = factor ? summand.lhs() : summand;
    if (!atom.IsVariable() || factor == INT64_MIN) return std::nullopt;
    const std::optional<int64_t> count = map.variable(atom.variable()).bounds.TripCount();
    if (!count) return std::nullopt;
    steps.push_back({std::abs(factor.value_or(1)), *count});
  }
  return steps;
}

// The distinct values of a sum of steps: contiguous as long as every step is at most one more than
// what is covered, a product as long as every step is more. Mixed: nothing.
std::optional<int64_t> CountLinear(std::vector<Step> steps) {
  int64_t common = 0;
  for (const Step& step : steps) common = std::gcd(common, step.coefficient);
  std::ranges::sort(steps, {}, &Step::coefficient);
  bool is_contiguous = true, is_distinct = true;
  int64_t span = 0, product = 1;
  for (const Step& step : steps) {
    const int64_t c = step.coefficient / common;
    if (step.count <= 1) continue;
    is_contiguous &= c <= span + 1;
    is_distinct &= c > span;
    const std::optional<int64_t> length = CheckedMul(c, step.count - 1);
    const std::optional<int64_t> sum = length ? CheckedAdd(span, *length) : std::nullopt;
    const std::optional<int64_t> all = CheckedMul(product, step.count);
    if (!sum || !all) return std::nullopt;
    span = *sum;
    product = *all;
  }
  if (is_contiguous) return span + 1;
  return is_distinct ? std::optional<int64_t>(product) : std::nullopt;
}

struct Count {
  int64_t value;
  bool by_formula;
};

class MapCounter {
 public:
  MapCounter(const IndexingMap& map, std::span<const int64_t> dims) : map_(map), dims_(dims) {}

  std::optional<Count> Run() {
    VariableClasses classes(map_);
    std::set<int64_t> numbers;
    for (Expr result : map_.results) numbers.insert(classes.ClassOf(result));
    for (const Constraint& c : map_.constraints) numbers.insert(classes.ClassOf(c.expr));
    Count total{1, true};
    for (int64_t number : numbers) {
      const std::optional<Count> count = CountClass(classes, number);
      const std::optional<int64_t> product =
          count ? CheckedMul(total.value, count->value) : std::nullopt;
      if (!product) return std::nullopt;
      total = {*product, total.by_formula && count->by_formula};
    }
    return total;
  }

 private:
  std::optional<Count> CountClass(VariableClasses& classes, int64_t number) {
    std::vector<size_t> results;
    for (size_t r = 0; r < map_.results.size(); ++r) {
      if (classes.ClassOf(map_.results[r]) == number) results.push_back(r);
    }
    std::vector<Constraint> constraints;
    for (const Constraint& c : map_.constraints) {
      if (classes.ClassOf(c.expr) == number) constraints.push_back(c);
    }
    if (constraints.empty() && results.size() == 1 && StaysInside(results[0])) {
      const auto steps = LinearSteps(map_, map_.results[results[0]]);
      const std::optional<int64_t> count = steps ? CountLinear(*steps) : std::nullopt;
      if (count) return Count{*count, true};
    }
    return Enumerate(classes, number, results, constraints);
  }

  bool StaysInside(size_t result) const {
    ExpressionRange range(map_, /*use_constraints=*/false);
    return Interval::OfSize(dims_[result]).Contains(range(map_.results[result]));
  }

  std::optional<Count> Enumerate(VariableClasses& classes, int64_t number,
                                 const std::vector<size_t>& results,
                                 const std::vector<Constraint>& constraints) {
    IndexingMap part = map_;
    part.origins.clear();
    part.results.clear();
    part.constraints = constraints;
    std::vector<int64_t> dims;
    for (size_t r : results) {
      part.results.push_back(map_.results[r]);
      dims.push_back(dims_[r]);
    }
    for (int64_t i = 0; i < part.variable_count(); ++i) {
      if (classes.ClassOf(part.VariableExpr(i)) == number) continue;
      Interval& bounds = part.variable(i).bounds;
      bounds = Interval::Point(bounds.lower);
    }
    const std::optional<ElementSet> image = ImageOfAll(part, dims, kMaxPoints);
    if (!image) return std::nullopt;
    return Count{static_cast<int64_t>(image->size()), false};
  }

  const IndexingMap& map_;
  std::span<const int64_t> dims_;
};

// Whether the count cannot depend on runtime variable `number`: it only moves one result.
bool OnlyMovesOneResult(const IndexingMap& map, int64_t number) {
  for (const Constraint& constraint : map.constraints) {
    if (UsesVariable(constraint.expr, number)) return false;
  }
  int64_t uses = 0;
  for (Expr result : map.results) {
    if (!UsesVariable(result, number)) continue;
    std::vector<Expr> summands;
    AppendSummands(Canonical(result), summands);
    if (std::ranges::find(summands, map.VariableExpr(number)) == summands.end()) return false;
    if (std::ranges::count_if(summands, [&](Expr s) { return UsesVariable(s, number); }) != 1) {
      return false;
    }
    ++uses;
  }
  return uses <= 1;
}

IndexingMap WithRuntimesFixed(const IndexingMap& map, int64_t Interval::*end) {
  IndexingMap fixed = map;
  fixed.origins.clear();
  for (Variable& variable : fixed.runtimes) {
    variable.bounds = Interval::Point(variable.bounds.*end);
  }
  return fixed;
}

Utilization CountAtFixedStarts(const std::vector<IndexingMap>& maps, std::span<const int64_t> dims,
                               int64_t total) {
  using Method = Utilization::Method;
  Utilization result{Method::kClosedForm, 0, 0, total, -1};
  if (maps.size() == 1) {
    const std::optional<Count> count = MapCounter(maps[0], dims).Run();
    if (!count) return {Method::kBounds, 0, total, total, -1};
    result.method = count->by_formula ? Method::kClosedForm : Method::kEnumerated;
    result.least = result.most = count->value;
    return result;
  }
  ElementSet read;
  bool is_complete = true;
  int64_t largest = 0, sum = 0;
  for (const IndexingMap& map : maps) {
    const std::optional<ElementSet> image = ImageOfAll(map, dims, kMaxPoints);
    is_complete &= image.has_value();
    if (image) Unite(read, *image);
    const std::optional<Count> count = MapCounter(map, dims).Run();
    largest = std::max(largest, count ? count->value : 0);
    sum = std::min(total, CheckedAdd(sum, count ? count->value : total).value_or(total));
  }
  const int64_t size = static_cast<int64_t>(read.size());
  if (is_complete) return {Method::kEnumerated, size, size, total, -1};
  return {Method::kBounds, largest, sum, total, -1};
}

int64_t ReadsPerElement(const MapSet& maps) {
  int64_t reads = 0;
  for (const IndexingMap& map : maps) {
    if (!map.constraints.empty()) return -1;
    int64_t product = 1;
    for (const Variable& range : map.ranges) {
      const std::optional<int64_t> count = range.bounds.TripCount();
      const std::optional<int64_t> more = count ? CheckedMul(product, *count) : std::nullopt;
      if (!more) return -1;
      product = *more;
    }
    reads += map.IsKnownEmpty() ? 0 : product;
  }
  return reads;
}

}  // namespace

Utilization UtilizationOf(const MapSet& maps, std::span<const int64_t> dims) {
  Utilization result;
  result.total = CheckedProduct(dims).value_or(-1);
  if (maps.HasUnknown() || result.total < 0) {
    result.most = result.total;
    return result;
  }
  bool is_moved_only = true;
  std::vector<IndexingMap> low, high;
  for (const IndexingMap& map : maps) {
    if (map.results.size() != dims.size()) return result;
    for (int64_t i = map.first_runtime(); i < map.variable_count(); ++i) {
      is_moved_only &= maps.size() == 1 && OnlyMovesOneResult(map, i);
    }
    low.push_back(WithRuntimesFixed(map, &Interval::lower));
    high.push_back(WithRuntimesFixed(map, &Interval::upper));
  }
  const int64_t total = result.total;
  result = CountAtFixedStarts(low, dims, total);
  if (!is_moved_only) {
    const Utilization at_end = CountAtFixedStarts(high, dims, total);
    result.method = Utilization::Method::kSampled;
    result.least = std::min(result.least, at_end.least);
    result.most = std::max(result.most, at_end.most);
  }
  result.reads_per_element = ReadsPerElement(maps);
  return result;
}

}  // namespace hlo::indexing
