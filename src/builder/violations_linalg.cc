// Linear algebra, transforms, normalization and random numbers. Source: verifier.md 3.13, 3.14, 4.
#include "builder/violations.h"

namespace hlo::testing {
namespace {

using namespace ops;

void Train(Ops x, float epsilon = 0, int64_t feature_index = 1) {
  BatchNormTraining(x[0], x[1], x[2], epsilon, feature_index);
}
// x[0]: what is normalized, x[1]: all of its features' numbers, x[2]: the gradient.
void Grad(Ops x) { BatchNormGrad(x[0], x[1], x[1], x[1], x[2], 0, 1); }
void Solve(Ops x, bool left_side = true) {
  TriangularSolve(x[0], x[1], left_side, true, false, TriangularTranspose::kNoTranspose);
}

constexpr Violation kViolations[] = {
    {"batch-norm.feature-index", "f32[2,4] f32[4] f32[4]",
     [](HloBuilder&, Ops x) { BatchNormTraining(x[0], x[1], x[2], 0, 2); }},
    {"batch-norm.feature-index", "f32[2,4] f32[4] f32[4]",
     [](HloBuilder&, Ops x) { Train(x, 0, -1); }},
    {"batch-norm.arrays", "f32[2,4] (f32[4]) f32[4]", [](HloBuilder&, Ops x) { Train(x); }},
    {"batch-norm.vector-rank", "f32[2,4] f32[4,1] f32[4]", [](HloBuilder&, Ops x) { Train(x); }},
    {"batch-norm.float", "s32[2,4] s32[4] s32[4]", [](HloBuilder&, Ops x) { Train(x); }},
    {"batch-norm.same-type", "f32[2,4] s32[4] f32[4]", [](HloBuilder&, Ops x) { Train(x); }},
    {"batch-norm.vector-size", "f32[2,4] f32[5] f32[4]", [](HloBuilder&, Ops x) { Train(x); }},
    {"batch-norm.vector-size", "f32[2,4] f32[4] f32[5]",
     [](HloBuilder&, Ops x) { BatchNormInference(x[0], x[1], x[1], x[1], x[2], 0, 1); }},
    {"batch-norm.epsilon", "f32[2,4] f32[4] f32[4]", [](HloBuilder&, Ops x) { Train(x, -1); }},
    {"batch-norm-grad.output-rank", "f32[2,4] f32[4] f32[2,4,1]",
     [](HloBuilder&, Ops x) { Grad(x); }},
    {"batch-norm-grad.output-dims", "f32[2,4] f32[4] f32[3,4]",
     [](HloBuilder&, Ops x) { Grad(x); }},
    {"cholesky.square", "f32[2,3]", [](HloBuilder&, Ops x) { Cholesky(x[0], true); }},
    {"cholesky.element-type", "s32[2,2]", [](HloBuilder&, Ops x) { Cholesky(x[0], true); }},
    {"cholesky.rank", "f32[2]", [](HloBuilder&, Ops x) { Cholesky(x[0], true); }},
    {"triangular-solve.shared-dim", "f32[2,2] f32[3,2]",
     [](HloBuilder&, Ops x) {
       TriangularSolve(x[0], x[1], true, true, false, TriangularTranspose::kNoTranspose);
     }},
    {"triangular-solve.transpose", "f32[2,2] f32[2,2]",
     [](HloBuilder&, Ops x) {
       TriangularSolve(x[0], x[1], true, true, false, TriangularTranspose::kInvalid);
     }},
    {"triangular-solve.element-type", "f32[2,2] f64[2,2]", [](HloBuilder&, Ops x) { Solve(x); }},
    {"triangular-solve.rank", "f32[2] f32[2]", [](HloBuilder&, Ops x) { Solve(x); }},
    {"triangular-solve.equal-rank", "f32[2,2] f32[1,2,2]", [](HloBuilder&, Ops x) { Solve(x); }},
    {"triangular-solve.square", "f32[2,3] f32[2,2]", [](HloBuilder&, Ops x) { Solve(x); }},
    {"triangular-solve.shared-dim", "f32[2,2] f32[2,3]",
     [](HloBuilder&, Ops x) { Solve(x, false); }},
    {"triangular-solve.batch", "f32[3,2,2] f32[4,2,2]", [](HloBuilder&, Ops x) { Solve(x); }},
    {"fft.rank", "c64[4]", [](HloBuilder&, Ops x) { Fft(x[0], FftType::kFft, {}); }},
    {"fft.rank", "c64[1,1,1,1]",
     [](HloBuilder&, Ops x) {
       Fft(x[0], FftType::kFft, {1, 1, 1, 1});
     }},
    {"fft.operand-rank", "c64[4]",
     [](HloBuilder&, Ops x) {
       Fft(x[0], FftType::kFft, {1, 4});
     }},
    {"fft.complex-input", "f32[4]", [](HloBuilder&, Ops x) { Fft(x[0], FftType::kIfft, {4}); }},
    {"fft.real-input", "f16[4]", [](HloBuilder&, Ops x) { Fft(x[0], FftType::kRfft, {4}); }},
    {"fft.rfft-lengths", "f32[4]", [](HloBuilder&, Ops x) { Fft(x[0], FftType::kRfft, {5}); }},
    {"fft.irfft-lengths", "c64[4,3]",
     [](HloBuilder&, Ops x) {
       Fft(x[0], FftType::kIrfft, {5, 4});
     }},
    {"fft.irfft-last", "c64[4]", [](HloBuilder&, Ops x) { Fft(x[0], FftType::kIrfft, {4}); }},
    {"fft.complex-lengths", "c64[4]", [](HloBuilder&, Ops x) { Fft(x[0], FftType::kFft, {5}); }},
    {"fft.length-nonnegative", "c64[4]",
     [](HloBuilder&, Ops x) { Fft(x[0], FftType::kFft, {-4}); }},
    {"rng.normal-type", "s32[] s32[]",
     [](HloBuilder&, Ops x) { RngNormal(x[0], x[1], MakeShape("s32[2]")); }},
    {"builder.rng-bit-shape", "u64[2]",
     [](HloBuilder&, Ops x) {
       RngBitGenerator(RandomAlgorithm::kDefault, x[0], MakeShape("(u32[4])"));
     }},
    {"builder.rng-bit-shape", "u64[2]",
     [](HloBuilder&, Ops x) {
       RngBitGenerator(RandomAlgorithm::kDefault, x[0], MakeShape("c64[4]"));
     }},
    {"rng.scalar-params", "f32[1] f32[]",
     [](HloBuilder&, Ops x) { RngUniform(x[0], x[1], MakeShape("f32[2]")); }},
    {"rng.same-type", "f32[] s32[]",
     [](HloBuilder&, Ops x) { RngUniform(x[0], x[1], MakeShape("f32[2]")); }},
    {"rng.same-type", "f32[] f32[]",
     [](HloBuilder&, Ops x) { RngUniform(x[0], x[1], MakeShape("(f32[2])")); }},
    {"rng.uniform-type", "c64[] c64[]",
     [](HloBuilder&, Ops x) { RngUniform(x[0], x[1], MakeShape("c64[2]")); }},
    {"rng.backend-types", "u8[] u8[]",
     [](HloBuilder&, Ops x) { RngUniform(x[0], x[1], MakeShape("u8[2]")); }},
    {"rng-bit-generator.state-size", "u64[7]",
     [](HloBuilder&, Ops x) {
       RngBitGenerator(RandomAlgorithm::kThreeFry, x[0], MakeShape("u32[4]"));
     }},
};

}  // namespace

Violations LinalgViolations() { return kViolations; }

}  // namespace hlo::testing
