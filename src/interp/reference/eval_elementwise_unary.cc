// Kernels of the unary elementwise rows: the domain column decides the types, a functor the
// meaning.
#include "interp/kernel/scalar_ops_unary.h"
#include "interp/reference/elementwise.h"
#include "interp/reference/eval.h"

namespace hlo::reference {

#define HLO_UNARY(Name, text, domain, ...) \
  absl::Status Eval##Name(Evaluation& e) { return EvalUnary<domain, Name##Fn>(e); }
#define HLO_BINARY(...)
#include "ir/opcodes.def"

}  // namespace hlo::reference
