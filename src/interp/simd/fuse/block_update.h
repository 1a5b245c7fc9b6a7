// Blocks of which dynamic-update-slices put results into arrays: they write them there.
#ifndef HLOKIT_INTERP_SIMD_FUSE_BLOCK_UPDATE_H_
#define HLOKIT_INTERP_SIMD_FUSE_BLOCK_UPDATE_H_

#include "interp/plan/plan.h"

namespace hlo::simd {

// Makes one step of each dynamic-update-slice and the block before it that makes its update
// (updating_block.h).
void JoinUpdates(Plan& plan);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_FUSE_BLOCK_UPDATE_H_
