// What kernels take that may leave a run to the reference kernel (Evaluation::RunInstead): the more
// of both in scratch memory, and what both prepare.
#ifndef HLOKIT_INTERP_SIMD_BASE_REFERENCE_MEMORY_H_
#define HLOKIT_INTERP_SIMD_BASE_REFERENCE_MEMORY_H_

#include <algorithm>
#include <cstdint>

#include "interp/kernel/evaluation.h"
#include "interp/reference/eval.h"
#include "interp/reference/scratch.h"
#include "support/checked_math.h"

namespace hlo::simd {

inline int64_t ScratchWithReference(const OpView& op, int64_t own_byte_size) {
  return std::max(own_byte_size, reference::ScratchByteSize(op));
}

inline int64_t StateWithReference(const OpView& op, IsFixedOperand is_fixed,
                                  int64_t own_byte_size) {
  const Kernel& kernel = reference::FindKernel(op.opcode());
  if (kernel.state_byte_size == nullptr) return own_byte_size;
  return CheckedAdd(own_byte_size, kernel.state_byte_size(op, is_fixed)).value_or(INT64_MAX);
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BASE_REFERENCE_MEMORY_H_
