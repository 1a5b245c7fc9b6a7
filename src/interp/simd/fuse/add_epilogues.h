// Products and the elementwise work on what they make, as one step each (epilogue.h).
#ifndef HLOKIT_INTERP_SIMD_FUSE_ADD_EPILOGUES_H_
#define HLOKIT_INTERP_SIMD_FUSE_ADD_EPILOGUES_H_

namespace hlo {
struct Plan;
}

namespace hlo::simd {

// Makes one step of each product and the block that follows it, where nobody else reads what the
// product makes.
void AddEpilogues(Plan& plan);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_FUSE_ADD_EPILOGUES_H_
