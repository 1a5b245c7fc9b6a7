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
