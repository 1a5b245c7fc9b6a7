// x -> second(first(x)). Runtime variables keep their origins: as index expressions over the
// variables of the composed map, and in XLA's list, which has the maps of `first` before those of
// `second` although the variables stand the other way round (indexing_xla.md 5).
#include "indexing/compose.h"

#include <utility>

namespace hlo::indexing {
namespace {

class Composition {
 public:
  Composition(const IndexingMap& first, const IndexingMap& second)
      : first_(first), second_(second), context_(first.context()), result_(context_) {}

  IndexingMap Run() {
    MakeVariables();
    MakeSubstitutions();
    for (Expr expr : second_.results) result_.results.push_back(InSecond(expr));
    if (first_.IsKnownEmpty() || second_.IsKnownEmpty()) {
      result_.Normalize();
      result_.MakeEmpty();
      return std::move(result_);
    }
    for (const Constraint& c : second_.constraints) Add(InSecond(c.expr), c.bounds);
    for (const Constraint& c : first_.constraints) Add(InFirst(c.expr), c.bounds);
    for (size_t d = 0; d < second_.dims.size(); ++d) {
      Add(from_second_[d], second_.dims[d].bounds);
    }
    AddOrigins();
    result_.Normalize();
    return std::move(result_);
  }

 private:
  void MakeVariables() {
    const auto append = [](std::vector<Variable>& to, const std::vector<Variable>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    result_.dims = first_.dims;
    append(result_.ranges, second_.ranges);
    append(result_.ranges, first_.ranges);
    append(result_.runtimes, second_.runtimes);
    append(result_.runtimes, first_.runtimes);
  }

  void MakeSubstitutions() {
    const auto append = [&](std::vector<Expr>& to, int64_t start, size_t count) {
      for (size_t i = 0; i < count; ++i) {
        to.push_back(context_.Variable(start + static_cast<int64_t>(i)));
      }
    };
    const int64_t ranges = result_.first_range();
    const int64_t runtimes = result_.first_runtime();
    append(from_first_, 0, first_.dims.size());
    append(from_first_, ranges + Count(second_.ranges), first_.ranges.size());
    append(from_first_, runtimes + Count(second_.runtimes), first_.runtimes.size());
    for (Expr expr : first_.results) from_second_.push_back(InFirst(expr));
    append(from_second_, ranges, second_.ranges.size());
    append(from_second_, runtimes, second_.runtimes.size());
  }

  void AddOrigins() {
    for (const RuntimeOrigin& origin : second_.origins) {
      result_.origins.push_back({origin.instruction, {}});
      for (Expr index : origin.index) result_.origins.back().index.push_back(InSecond(index));
    }
    for (const RuntimeOrigin& origin : first_.origins) {
      result_.origins.push_back({origin.instruction, {}});
      for (Expr index : origin.index) result_.origins.back().index.push_back(InFirst(index));
    }
    if (Count(result_.origins) != Count(result_.runtimes)) result_.origins.clear();
    result_.listed_origins = first_.listed_origins;
    for (const ListedOrigin& origin : second_.listed_origins) {
      result_.listed_origins.push_back({origin.instruction, Composed(*origin.map)});
    }
    if (second_.replica != nullptr) {
      if (first_.replica != nullptr) return result_.MakeUnknown();
      result_.replica = Composed(*second_.replica);
    } else {
      result_.replica = first_.replica;
    }
  }

  std::shared_ptr<const IndexingMap> Composed(const IndexingMap& map) const {
    IndexingMap plain = first_;
    plain.listed_origins.clear();
    plain.origins.clear();
    plain.replica.reset();
    return std::make_shared<IndexingMap>(Compose(plain, map));
  }

  Expr InFirst(Expr expr) const { return Substitute(expr, from_first_); }
  Expr InSecond(Expr expr) const { return Substitute(expr, from_second_); }
  void Add(Expr expr, const Interval& bounds) { result_.AddConstraint(expr, bounds); }
  template <typename T>
  static int64_t Count(const std::vector<T>& items) {
    return static_cast<int64_t>(items.size());
  }

  const IndexingMap& first_;
  const IndexingMap& second_;
  ExprContext& context_;
  IndexingMap result_;
  std::vector<Expr> from_first_, from_second_;
};

}  // namespace

IndexingMap Compose(const IndexingMap& first, const IndexingMap& second) {
  if (first.IsUnknown() || second.IsUnknown() || first.results.size() != second.dims.size()) {
    return IndexingMap::Unknown(first.context());
  }
  return Composition(first, second).Run();
}

}  // namespace hlo::indexing
