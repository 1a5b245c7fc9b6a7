// The values an expression can take, from the intervals of its variables.
#ifndef HLOKIT_INDEXING_EXPRESSION_RANGE_H_
#define HLOKIT_INDEXING_EXPRESSION_RANGE_H_

#include "absl/container/flat_hash_map.h"
#include "indexing/expression.h"
#include "indexing/indexing_map.h"
#include "indexing/interval.h"

namespace hlo::indexing {

// Valid as long as the map's intervals and constraints stay as they are.
class ExpressionRange {
 public:
  // A constraint helps only the literally identical subtree (indexing_xla.md 2).
  ExpressionRange(const IndexingMap& map, bool use_constraints);

  Interval operator()(Expr expr);

 private:
  Interval Compute(Expr expr);

  const IndexingMap& map_;
  absl::flat_hash_map<Expr, Interval> constraints_;
  absl::flat_hash_map<Expr, Interval> known_;
};

}  // namespace hlo::indexing

#endif  // HLOKIT_INDEXING_EXPRESSION_RANGE_H_
