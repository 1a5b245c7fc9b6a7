// An indexing map: the relation between the indices of two arrays.
//
//   (d0, d1)[s0]{rt0} -> (results), every variable in its interval, every constraint in its
//
// Dimensions are the index the map starts from, ranges are quantified (one index may lead to
// many), runtime variables are values read while the program runs (indexing.md 1.1).
#ifndef HLOKIT_INDEXING_INDEXING_MAP_H_
#define HLOKIT_INDEXING_INDEXING_MAP_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "indexing/expression.h"
#include "indexing/interval.h"
#include "ir/ids.h"

namespace hlo::indexing {

struct Variable {
  Interval bounds;
  std::string name;  // empty: d0, s0, rt0 ... by kind and position

  bool operator==(const Variable& other) const { return bounds == other.bounds; }
};

// `expr` lies in `bounds`; an expression that is no constant.
struct Constraint {
  Expr expr;
  Interval bounds;
  bool operator==(const Constraint&) const = default;
};

class IndexingMap;

// Where a runtime variable's value is read.
struct RuntimeOrigin {
  InstructionId instruction;
  std::vector<Expr> index;  // over the variables of the map that has the runtime variable

  bool operator==(const RuntimeOrigin&) const = default;
};

// The same as XLA lists it: a map of its own, kept in XLA's order, which composition may make
// differ from that of the runtime variables (indexing_xla.md 5).
struct ListedOrigin {
  InstructionId instruction;
  std::shared_ptr<const IndexingMap> map;
};

class IndexingMap {
 public:
  enum class State : uint8_t {
    kKnown,
    kEmpty,    // no index has an image; results 0, all intervals [0, -1]
    kUnknown,  // nobody knows: any index may have any image
  };

  explicit IndexingMap(ExprContext& context) : context_(&context) {}
  static IndexingMap Unknown(ExprContext& context);
  // (d0, d1, ...) -> (d0, d1, ...) over `dims`.
  static IndexingMap Identity(ExprContext& context, std::span<const int64_t> dims);

  ExprContext& context() const { return *context_; }
  bool IsUnknown() const { return state == State::kUnknown; }
  bool IsKnownEmpty() const { return state == State::kEmpty; }

  int64_t variable_count() const {
    return static_cast<int64_t>(dims.size() + ranges.size() + runtimes.size());
  }
  int64_t first_range() const { return static_cast<int64_t>(dims.size()); }
  int64_t first_runtime() const { return static_cast<int64_t>(dims.size() + ranges.size()); }
  // By number: dimensions, ranges, runtime variables.
  Variable& variable(int64_t number);
  const Variable& variable(int64_t number) const;
  Expr VariableExpr(int64_t number) const { return context_->Variable(number); }

  // Tightens a variable, checks a constant, meets an equal constraint, or becomes one.
  void AddConstraint(Expr expr, const Interval& bounds);
  // Nothing satisfies the map.
  void MakeEmpty();
  void MakeUnknown();
  // To be called after changes by hand: invalid expressions make the map unknown, an empty interval
  // makes it empty.
  void Normalize();

  // Names, origins and replica maps take no part.
  bool operator==(const IndexingMap& other) const;

  std::vector<Variable> dims, ranges, runtimes;
  std::vector<Expr> results;
  std::vector<Constraint> constraints;
  State state = State::kKnown;
  std::vector<RuntimeOrigin> origins;        // one for each runtime variable, or none at all
  std::vector<ListedOrigin> listed_origins;  // as XLA prints them
  // Of collectives: which participant holds the element (indexing.md 2.1).
  std::shared_ptr<const IndexingMap> replica;

 private:
  ExprContext* context_;
};

// Maps without order and without duplicates, in the order they came.
class MapSet {
 public:
  MapSet() = default;
  MapSet(IndexingMap map) { maps_.push_back(std::move(map)); }

  void Insert(IndexingMap map);
  bool empty() const { return maps_.empty(); }
  size_t size() const { return maps_.size(); }
  std::span<const IndexingMap> maps() const { return maps_; }
  auto begin() const { return maps_.begin(); }
  auto end() const { return maps_.end(); }
  bool HasUnknown() const;

 private:
  std::vector<IndexingMap> maps_;
};

}  // namespace hlo::indexing

#endif  // HLOKIT_INDEXING_INDEXING_MAP_H_
