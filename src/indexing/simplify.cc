// Constraints are settled first, by the intervals of variables alone: with each other's help they
// would prove themselves superfluous (indexing.md 1.4). Then they narrow the ranges by which
// results are simplified. Remainders are merged in between, once, which may move bounds of
// variables. Origins as XLA lists them are never simplified (indexing_xla.md 5).
#include "indexing/simplify.h"

#include <algorithm>

namespace hlo::indexing {

void Simplify(IndexingMap& map, SimplifyMode mode, bool sound) {
  if (map.state != IndexingMap::State::kKnown) return;
  SimplifyConstraints(map, sound);
  MergeRemainders(map);
  if (map.state != IndexingMap::State::kKnown) return;
  ExpressionRange range(map, /*use_constraints=*/true);
  ExpressionSimplifier simplifier(range, mode, /*exact=*/sound);
  for (Expr& result : map.results) result = simplifier.Simplify(result);
  for (RuntimeOrigin& origin : map.origins) {
    for (Expr& index : origin.index) index = simplifier.Simplify(index);
  }
}

}  // namespace hlo::indexing
