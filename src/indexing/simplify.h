// Simplification of maps: constraints to a fixed point, then the results.
#ifndef HLOKIT_INDEXING_SIMPLIFY_H_
#define HLOKIT_INDEXING_SIMPLIFY_H_

#include "indexing/indexing_map.h"
#include "indexing/simplify_expression.h"

namespace hlo::indexing {

// The same relation in a simpler form. The mode is that of the results; constraints always lose
// what has one value (indexing_xla.md 2).
//
// `sound`: what XLA gets wrong is done right; that is the interval of a quotient by a negative
// constant (indexing_xla.md 3). And results are simplified further than XLA does.
void Simplify(IndexingMap& map, SimplifyMode mode = SimplifyMode::kReplacePoints,
              bool sound = false);

// The part of Simplify that looks at constraints (simplify_constraints.cc).
void SimplifyConstraints(IndexingMap& map, bool sound);

// Remainders of one expression with equal residues become one, and a variable that is known
// modulo some number starts and ends at members of that class.
void MergeRemainders(IndexingMap& map);

}  // namespace hlo::indexing

#endif  // HLOKIT_INDEXING_SIMPLIFY_H_
