// Which vector instructions the kernels use: the best this processor has, or the ones asked for.
#ifndef HLOKIT_INTERP_SIMD_INSTRUCTION_SET_H_
#define HLOKIT_INTERP_SIMD_INSTRUCTION_SET_H_

#include <span>
#include <string_view>

namespace hlo::simd {

// "amx" (avx512 and matrix registers), "avx512", "avx2", "sse4", "scalar": best first.
std::span<const std::string_view> InstructionSetNames();

// Makes kernels use that one, for measuring and testing; before the first of them runs, since they
// are chosen once. False when the processor does not have it.
bool ForceInstructionSet(std::string_view name);
// The one that was forced; empty: none.
std::string_view ForcedInstructionSet();
// Whether kernels may use AVX-512.
bool HasAvx512();
// Whether the processor multiplies bf16 faster than f32, in matrix registers or vectors.
bool HasFastBf16Products();
// Whether it does so in vectors, having no matrix registers. Intel's vectors take longer for bf16.
bool HasBf16Vectors();
// Whether AVX-512 gathers elements in less time than they are loaded one by one: Intel's processors
// do so that are younger than those which have to look out for what gathers let others see.
bool GathersFast();

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_INSTRUCTION_SET_H_
