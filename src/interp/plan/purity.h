// Instructions of which passes may do fewer, or other ones, than a program has.
#ifndef HLOKIT_INTERP_PLAN_PURITY_H_
#define HLOKIT_INTERP_PLAN_PURITY_H_

#include "ir/module.h"
#include "ir/opcode.h"
#include "support/check.h"

namespace hlo {

// Whether an instruction makes the same of the same operands, does nothing else, and is cheap
// enough to have been computed in vain.
inline bool IsPureAndCheap(const Instruction& instruction) {
  const OpcodeInfo& info = GetOpcodeInfo(instruction.opcode);
  switch (info.family) {
    case OpcodeFamily::kElementwise:
    case OpcodeFamily::kDataMovement:
    case OpcodeFamily::kReduction:
    case OpcodeFamily::kContraction:
    case OpcodeFamily::kIndexing:
      return (info.traits & (kSideEffect | kStateful)) == 0;
    case OpcodeFamily::kLinalg:
    case OpcodeFamily::kRandom:
    case OpcodeFamily::kControlFlow:
    case OpcodeFamily::kCollective:
    case OpcodeFamily::kEffects:
      return false;
  }
  HLO_UNREACHABLE();
}

}  // namespace hlo

#endif  // HLOKIT_INTERP_PLAN_PURITY_H_
