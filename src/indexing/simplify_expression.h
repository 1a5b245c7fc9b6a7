// Rewrites of expressions that use the ranges of their parts (indexing_xla.md 2).
#ifndef HLOKIT_INDEXING_SIMPLIFY_EXPRESSION_H_
#define HLOKIT_INDEXING_SIMPLIFY_EXPRESSION_H_

#include "absl/container/flat_hash_map.h"
#include "indexing/expression.h"
#include "indexing/expression_range.h"

namespace hlo::indexing {

enum class SimplifyMode : uint8_t {
  kReplacePoints,   // what has one value becomes that constant
  kPreservePoints,  // it stays: d0 / 48 for d0 in [0, 0]
};

class ExpressionSimplifier {
 public:
  // `exact`: with rewrites that XLA does not have.
  ExpressionSimplifier(ExpressionRange& range, SimplifyMode mode, bool exact = false)
      : range_(range), mode_(mode), exact_(exact) {}

  // Equal to `expr` wherever the variables lie in their ranges. Stops early where the work grows
  // out of proportion, which keeps what was reached.
  Expr Simplify(Expr expr);

 private:
  Expr Compute(Expr expr);
  // One rewrite, after one of each child.
  Expr Once(Expr expr);
  Expr OnceBinary(Expr expr);
  Expr RewriteSum(Expr expr);
  std::optional<int64_t> JoinedModulus(Expr remainder, Expr x, int64_t c);
  Expr RewriteMod(Expr expr);
  Expr RewriteFloorDiv(Expr expr);
  Expr RewriteMinMax(Expr expr);

  ExpressionRange& range_;
  SimplifyMode mode_;
  bool exact_;
  int64_t work_left_ = 50'000;
  absl::flat_hash_map<Expr, Expr> simplified_;
  absl::flat_hash_map<Expr, Expr> once_;
};

// A sum parted into multiples and rest: A * gcd + B (indexing_xla.md 2, Split).
struct SplitSum {
  std::vector<Expr> multiples;  // the summands with an explicit multiplier
  int64_t gcd = 0;              // of the multipliers; a single one keeps its sign; 0: none
  Expr rest;

  // The multiples over `divisor`, which divides the gcd.
  Expr MultiplesOver(int64_t divisor) const;
};
SplitSum Split(ExprContext& context, std::span<const Expr> summands);

}  // namespace hlo::indexing

#endif  // HLOKIT_INDEXING_SIMPLIFY_EXPRESSION_H_
