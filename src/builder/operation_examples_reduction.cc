// Reductions, linear algebra and random numbers. The text is that of the entry alone, so of called
// computations only the names show; `less-than` is one that the operation brings along.
#include "builder/operation_examples.h"

namespace hlo::testing {

using namespace ops;

namespace {

Callee AddF32(HloBuilder& b) { return ScalarFunction(b, "add", ElementType::kF32, Add); }
Callee LessF32(HloBuilder& b) { return ScalarFunction(b, "less", ElementType::kF32, Lt); }
Callee GreaterF32(HloBuilder& b) { return ScalarFunction(b, "ge", ElementType::kF32, Ge); }

// (element, carry) -> (element + carry, element + carry)
Callee RunningSum(HloBuilder& b) {
  const Shape scalar = MakeShape("f32[]");
  return b.AddComputation("step", {scalar, scalar}, [](HloBuilder& step, Ops x) {
    const Op sum = Add(x[0], x[1]);
    return Tuple(step, {sum, sum});
  });
}

}  // namespace

std::vector<OperationExample> ReductionExamples() {
  return {
      {"Map",
       [](HloBuilder& b) {
         return Map(b, {P(b, 0, "f32[2,3]"), P(b, 1, "f32[]")}, AddF32(b), {0, 1});
       },
       R"(
broadcast = f32[2,3] broadcast(p1), dimensions={}
ROOT map = f32[2,3] map(p0, broadcast), dimensions={0,1}, to_apply=add
)"},
      {"Reduce",
       [](HloBuilder& b) {
         return Reduce(P(b, 0, "f32[2,3,4]"), P(b, 1, "f32[]"), AddF32(b), {0, 2});
       },
       R"(
ROOT reduce = f32[3] reduce(p0, p1), dimensions={0,2}, to_apply=add
)"},
      {"Reduce",
       [](HloBuilder& b) {
         const Shape s = MakeShape("f32[]");
         const Callee both = b.AddComputation("both", {s, s, s, s}, [](HloBuilder& f, Ops x) {
           return Tuple(f, {Add(x[0], x[2]), Max(x[1], x[3])});
         });
         return Reduce(b, {P(b, 0, "f32[9]"), P(b, 1, "f32[9]")},
                       {P(b, 2, "f32[]"), P(b, 3, "f32[]")}, both, {0});
       },
       R"(
ROOT reduce = (f32[], f32[]) reduce(p0, p1, p2, p3), dimensions={0}, to_apply=both
)"},
      {"ReduceAll",
       [](HloBuilder& b) { return ReduceAll(P(b, 0, "f32[2,3]"), P(b, 1, "f32[]"), AddF32(b)); },
       R"(
ROOT reduce = f32[] reduce(p0, p1), dimensions={0,1}, to_apply=add
)"},
      {"ReduceWindow",
       [](HloBuilder& b) {
         return ReduceWindow(P(b, 0, "f32[4,7]"), P(b, 1, "f32[]"), AddF32(b), {1, 3}, {1, 2},
                             Padding::kSame);
       },
       R"(
ROOT reduce-window = f32[4,4] reduce-window(p0, p1), window={size=1x3 stride=1x2 pad=0_0x1_1}, to_apply=add
)"},
      {"ReduceWindow",
       [](HloBuilder& b) {
         return ReduceWindow(P(b, 0, "f32[4,7]"), P(b, 1, "f32[]"), AddF32(b), {1, 3}, {1, 2},
                             Padding::kValid);
       },
       R"(
ROOT reduce-window = f32[4,3] reduce-window(p0, p1), window={size=1x3 stride=1x2}, to_apply=add
)"},
      {"ReduceWindowWithGeneralPadding",
       [](HloBuilder& b) {
         return ReduceWindowWithGeneralPadding(b, {P(b, 0, "f32[4]")}, {P(b, 1, "f32[]")},
                                               AddF32(b),
                                               {.sizes = {2},
                                                .strides = {1},
                                                .padding = {{1, 0}},
                                                .base_dilations = {2},
                                                .window_dilations = {3}});
       },
       R"(
ROOT reduce-window = f32[5] reduce-window(p0, p1), window={size=2 pad=1_0 lhs_dilate=2 rhs_dilate=3}, to_apply=add
)"},
      {"SelectAndScatter",
       [](HloBuilder& b) {
         return SelectAndScatter(P(b, 0, "f32[4,6]"), GreaterF32(b), {2, 3}, {2, 3},
                                 Padding::kValid, P(b, 1, "f32[2,2]"), P(b, 2, "f32[]"), AddF32(b));
       },
       R"(
ROOT select-and-scatter = f32[4,6] select-and-scatter(p0, p1, p2), window={size=2x3 stride=2x3}, select=ge, scatter=add
)"},
      {"SelectAndScatterWithGeneralPadding",
       [](HloBuilder& b) {
         return SelectAndScatterWithGeneralPadding(P(b, 0, "f32[4]"), GreaterF32(b), {2}, {2},
                                                   {{1, 1}}, P(b, 1, "f32[3]"), P(b, 2, "f32[]"),
                                                   AddF32(b));
       },
       R"(
ROOT select-and-scatter = f32[4] select-and-scatter(p0, p1, p2), window={size=2 stride=2 pad=1_1}, select=ge, scatter=add
)"},
      {"Scan",
       [](HloBuilder& b) {
         return Scan(b, {P(b, 0, "f32[5]")}, {P(b, 1, "f32[]")}, RunningSum(b), 0, {},
                     {.is_reverse = true});
       },
       R"(
ROOT scan = (f32[5], f32[]) scan(p0, p1), dimensions={0}, num_carries=1, is_reverse=true, is_associative=false, to_apply=step
)"},
      {"Scan",
       [](HloBuilder& b) {
         const Callee twice = b.AddComputation("twice", {MakeShape("f32[]")},
                                               [](HloBuilder&, Ops x) { return Add(x[0], x[0]); });
         return Scan(b, {P(b, 0, "f32[5]")}, {}, twice, 0, 5);
       },
       R"(
ROOT scan = (f32[5]) scan(p0), dimensions={0}, num_carries=0, is_associative=false, to_apply=twice
)"},
      {"Sort", [](HloBuilder& b) { return Sort({P(b, 0, "f32[2,3]")}, LessF32(b), -1, true); }, R"(
ROOT sort = f32[2,3] sort(p0), dimensions={1}, is_stable=true, to_apply=less
)"},
      {"Sort", [](HloBuilder& b) { return Sort(P(b, 0, "f32[3]"), P(b, 1, "s32[3]"), 0); }, R"(
ROOT sort = (f32[3], s32[3]) sort(p0, p1), dimensions={0}, to_apply=less-than
)"},
      {"TopK", [](HloBuilder& b) { return TopK(P(b, 0, "f32[2,9]"), 3, false, false); }, R"(
ROOT topk = (f32[2,3], s32[2,3]) topk(p0), k=3, largest=false, is_stable=false
)"},
  };
}

std::vector<OperationExample> LinalgExamples() {
  return {
      {"BatchNormTraining",
       [](HloBuilder& b) {
         return BatchNormTraining(P(b, 0, "f32[2,4]"), P(b, 1, "f32[4]"), P(b, 2, "f32[4]"), 0.5f,
                                  1);
       },
       R"(
ROOT batch-norm-training = (f32[2,4], f32[4], f32[4]) batch-norm-training(p0, p1, p2), epsilon=0.5, feature_index=1
)"},
      {"BatchNormInference",
       [](HloBuilder& b) {
         return BatchNormInference(P(b, 0, "f32[2,4]"), P(b, 1, "f32[4]"), P(b, 2, "f32[4]"),
                                   P(b, 3, "f32[4]"), P(b, 4, "f32[4]"), 0.5f, 1);
       },
       R"(
ROOT batch-norm-inference = f32[2,4] batch-norm-inference(p0, p1, p2, p3, p4), epsilon=0.5, feature_index=1
)"},
      {"BatchNormGrad",
       [](HloBuilder& b) {
         return BatchNormGrad(P(b, 0, "f32[2,4]"), P(b, 1, "f32[4]"), P(b, 2, "f32[4]"),
                              P(b, 3, "f32[4]"), P(b, 4, "f32[2,4]"), 0.5f, 1);
       },
       R"(
ROOT batch-norm-grad = (f32[2,4], f32[4], f32[4]) batch-norm-grad(p0, p1, p2, p3, p4), epsilon=0.5, feature_index=1
)"},
      {"Cholesky", [](HloBuilder& b) { return Cholesky(P(b, 0, "f32[3,3]"), true); }, R"(
ROOT cholesky = f32[3,3] cholesky(p0), lower=true
)"},
      {"TriangularSolve",
       [](HloBuilder& b) {
         return TriangularSolve(P(b, 0, "f32[3,3]"), P(b, 1, "f32[3,1]"), true, true, false,
                                TriangularTranspose::kNoTranspose);
       },
       R"(
ROOT triangular-solve = f32[3,1] triangular-solve(p0, p1), left_side=true, lower=true, transpose_a=NO_TRANSPOSE
)"},
      {"Fft", [](HloBuilder& b) { return Fft(P(b, 0, "f32[5,8]"), FftType::kRfft, {8}); }, R"(
ROOT fft = c64[5,5] fft(p0), fft_type=RFFT, fft_length={8}
)"},
      {"RngNormal",
       [](HloBuilder& b) {
         return RngNormal(P(b, 0, "f32[]"), P(b, 1, "f32[]"), MakeShape("f32[2]"));
       },
       R"(
ROOT rng = f32[2] rng(p0, p1), distribution=rng_normal
)"},
      {"RngUniform",
       [](HloBuilder& b) {
         return RngUniform(P(b, 0, "s32[]"), P(b, 1, "s32[]"), MakeShape("s32[2]"));
       },
       R"(
ROOT rng = s32[2] rng(p0, p1), distribution=rng_uniform
)"},
      {"RngBitGenerator",
       [](HloBuilder& b) {
         return RngBitGenerator(RandomAlgorithm::kPhilox, P(b, 0, "u64[2]"), MakeShape("f16[2]"));
       },
       R"(
ROOT rng-bit-generator = (u64[2], u16[2]) rng-bit-generator(p0), algorithm=rng_philox
)"},
  };
}

}  // namespace hlo::testing
