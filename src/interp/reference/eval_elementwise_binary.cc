// Kernels of the binary elementwise rows: the domain column decides the types, a functor the
// meaning.
#include "interp/kernel/scalar_ops_binary.h"
#include "interp/reference/elementwise.h"
#include "interp/reference/eval.h"

namespace hlo::reference {

#define HLO_BINARY(Name, text, domain, ...) \
  absl::Status Eval##Name(Evaluation& e) { return EvalBinary<domain, Name##Fn>(e); }
#define HLO_UNARY(...)
#include "ir/opcodes.def"

}  // namespace hlo::reference
