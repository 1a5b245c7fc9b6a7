// The canonical form of an expression, found without looking at ranges (indexing_xla.md 1).
#ifndef HLOKIT_INDEXING_CANONICAL_H_
#define HLOKIT_INDEXING_CANONICAL_H_

#include <cstdint>

#include "indexing/expression.h"

namespace hlo::indexing {

// Equal to `expr` for all values of its variables, and its own canonical form. What overflows on
// the way is invalid.
Expr Canonical(Expr expr);

// A number that divides every value of `expr`, as large as its form shows; 0 for the constant 0.
int64_t KnownDivisor(Expr expr);

}  // namespace hlo::indexing

#endif  // HLOKIT_INDEXING_CANONICAL_H_
