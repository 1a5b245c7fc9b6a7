// Where this backend's results may differ from the reference kernels' (tolerance.def).
#ifndef HLOKIT_INTERP_SIMD_TOLERANCE_H_
#define HLOKIT_INTERP_SIMD_TOLERANCE_H_

#include <span>

#include "ir/element_type.h"
#include "ir/opcode.h"

namespace hlo::simd {

struct OpcodeTolerance {
  Opcode opcode;
  TypeSet types;
  uint64_t ulp;
  double sums;
};

// All rows; opcodes that are not among them agree bit for bit.
inline std::span<const OpcodeTolerance> Tolerances() {
  static constexpr OpcodeTolerance kRows[] = {
#define HLO_TOLERANCE(Name, types, ulp, sums) {Opcode::k##Name, types, ulp, sums},
#include "interp/simd/tolerance.def"
  };
  return kRows;
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_TOLERANCE_H_
