// Folding by calls of a computation: acc = f(acc_1..acc_n, value_1..value_n), the general form
// behind reduce, reduce-window and scatter-like operations (semantics.md 8).
#ifndef HLOKIT_INTERP_REFERENCE_FOLD_H_
#define HLOKIT_INTERP_REFERENCE_FOLD_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "interp/kernel/evaluation.h"
#include "interp/reference/converted_array.h"

namespace hlo::reference {

// Accumulators and operands of a variadic fold, in the types the computation declares.
class CalledFold {
 public:
  // The first half of `e`'s operands are folded, the second half are initial values.
  CalledFold(Evaluation& e, Attr attr);

  // Sets the accumulators to the initial values.
  void Start();
  // Folds element `offset` of every operand in.
  absl::Status Step(int64_t offset);
  // Stores the accumulators as element `i` of the results.
  void Store(int64_t i);
  // Converts the results into the types of the instruction's shape.
  void Finish();

 private:
  struct Slot {
    alignas(16) std::byte bytes[16];
  };
  ScalarFunction& function_;
  std::vector<ConvertedArray> values_;
  std::vector<ConvertedArray> inits_;
  std::vector<ResultInType> results_;
  std::vector<Slot> accumulators_;
  std::vector<const std::byte*> arguments_;
  std::vector<std::byte*> outputs_;
};

// The computation's declared type of parameter `number`.
ElementType ParameterType(const Evaluation& e, ComputationId computation, int64_t number);

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_FOLD_H_
