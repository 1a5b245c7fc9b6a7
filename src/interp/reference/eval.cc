#include "interp/reference/eval.h"

namespace hlo::reference {

Kernel FindKernel(Opcode opcode) {
  switch (opcode) {
#define HLO_OPCODE(Name, text, family, arity, shape, traits, ...) \
  case Opcode::k##Name:                                           \
    if constexpr (((traits)&kRouted) != 0) {                      \
      return nullptr;                                             \
    } else {                                                      \
      return Eval##Name;                                          \
    }
#include "ir/opcodes.def"
  }
  HLO_UNREACHABLE();
}

}  // namespace hlo::reference
