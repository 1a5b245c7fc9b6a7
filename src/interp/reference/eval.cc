// A kernel is a constant made of its row in opcodes.def: the traits say whether it prepares, takes
// scratch, or may write its result over an operand. Rows that only route values have no function;
// for any other a missing one fails the build.
#include "interp/reference/eval.h"

#include "interp/reference/scratch.h"
#include "support/check.h"

namespace hlo::reference {
namespace {

constexpr Kernel MakeKernel(RunKernel run, OpcodeFamily family, OpcodeTraits traits) {
  Kernel kernel;
  kernel.run = run;
  if ((traits & kTakesScratch) != 0) kernel.scratch_byte_size = ScratchByteSize;
  if (family == OpcodeFamily::kElementwise) kernel.overwrite = Overwrite::kAnyOperand;
  if ((traits & kOverwritesOperand) != 0) kernel.overwrite = Overwrite::kSameNumber;
  return kernel;
}

}  // namespace

const Kernel& FindKernel(Opcode opcode) {
  switch (opcode) {
#define HLO_OPCODE(Name, text, family, arity, shape, traits, ...)                \
  case Opcode::k##Name:                                                          \
    if constexpr (((traits)&kRouted) == 0) {                                     \
      static constexpr Kernel kKernel = [] {                                     \
        Kernel kernel = MakeKernel(Eval##Name, OpcodeFamily::family, traits);    \
        if constexpr (((traits)&kPrepares) != 0) kernel.prepare = Prepare##Name; \
        if constexpr (((traits)&kKeepsState) != 0) {                             \
          kernel.state_byte_size = [](const OpView& op, IsFixedOperand) {        \
            return ByteSizeOf(Name##State(op));                                  \
          };                                                                     \
        }                                                                        \
        return kernel;                                                           \
      }();                                                                       \
      return kKernel;                                                            \
    }                                                                            \
    break;
#include "ir/opcodes.def"
  }
  HLO_UNREACHABLE();
}

}  // namespace hlo::reference
