// Blocks whose result a dynamic-update-slice puts into an array: they write it there.
#ifndef HLOKIT_INTERP_SIMD_BLOCK_UPDATE_H_
#define HLOKIT_INTERP_SIMD_BLOCK_UPDATE_H_

#include "interp/plan/plan.h"

namespace hlo::simd {

// Makes one step of each dynamic-update-slice and the block before it that makes nothing but its
// update, where that lies in one piece of the array.
void JoinUpdates(Plan& plan);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BLOCK_UPDATE_H_
