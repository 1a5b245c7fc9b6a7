// Folding by calls of a computation: acc = f(acc_1..acc_n, value_1..value_n), the general form
// behind reduce, reduce-window and scatter-like operations (semantics.md 8).
#ifndef HLOKIT_INTERP_REFERENCE_CALLED_FOLD_H_
#define HLOKIT_INTERP_REFERENCE_CALLED_FOLD_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "interp/reference/call_frame.h"

namespace hlo::reference {

// What a fold keeps from run to run.
struct FoldFrame {
  struct Slot {
    alignas(16) std::byte bytes[16];
  };

  FoldFrame(const Evaluation& e, Attr attr);

  CallFrame call;
  std::vector<Slot> accumulators;
};

// Accumulators and operands of a variadic fold, in the types the computation declares.
class CalledFold {
 public:
  // The first half of `e`'s operands are folded, the second half are initial values.
  CalledFold(Evaluation& e, Attr attr, FoldFrame& frame);

  // Sets the accumulators to the initial values.
  void Start();
  // Folds element `offset` of every operand in.
  absl::Status Step(int64_t offset);
  // Stores the accumulators as element `i` of the results.
  void Store(int64_t i);
  // Converts the results into the types of the instruction's shape.
  void Finish() { arrays_.Finish(); }

 private:
  ScalarFunction& function_;
  FoldFrame& frame_;
  CallFrame::Arrays arrays_;  // operands: values, then initial values
  size_t count_;              // of accumulators
};

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_CALLED_FOLD_H_
