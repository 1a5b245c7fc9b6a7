// Every documented constraint, broken through the builder, gives its rule; misuse is an error, too.
#include <gtest/gtest.h>

#include <set>

#include "builder/operation_examples.h"
#include "testing/built_program.h"
#include "verifier/rule.h"

namespace hlo::testing {
namespace {

using namespace ops;

Callee AddF32(HloBuilder& b) { return ScalarFunction(b, "add", ElementType::kF32, Add); }
Callee LtF32(HloBuilder& b) { return ScalarFunction(b, "lt", ElementType::kF32, Lt); }
Callee Negation(HloBuilder& b) {
  return b.AddComputation("negation", {MakeShape("f32[]")},
                          [](HloBuilder&, Ops x) { return Neg(x[0]); });
}

struct Violation {
  std::string rule;
  void (*break_it)(HloBuilder& b);
};

// What only the builder demands.
std::vector<Violation> BuilderViolations() {
  using Type = ChannelHandle::Type;
  return {
      {"broadcasting.rank-mismatch",
       [](HloBuilder& b) { Add(P(b, 0, "f32[2,3]"), P(b, 1, "f32[3]")); }},
      {"broadcasting.list-length",
       [](HloBuilder& b) {
         Add(P(b, 0, "f32[2,3]"), P(b, 1, "f32[3]"), {0, 1});
       }},
      {"broadcasting.list-range",
       [](HloBuilder& b) { Add(P(b, 0, "f32[2,3]"), P(b, 1, "f32[3]"), {2}); }},
      {"broadcasting.list-increasing",
       [](HloBuilder& b) {
         Add(P(b, 0, "f32[2,3,4]"), P(b, 1, "f32[3,4]"), {2, 1});
       }},
      {"broadcasting.size-match",
       [](HloBuilder& b) { Add(P(b, 0, "f32[2,3]"), P(b, 1, "f32[3]"), {0}); }},
      {"broadcasting.equal-rank-list",
       [](HloBuilder& b) {
         Add(P(b, 0, "f32[2,3]"), P(b, 1, "f32[2,3]"), {1, 0});
       }},
      {"broadcasting.degenerate-match",
       [](HloBuilder& b) { Add(P(b, 0, "f32[7,2,5]"), P(b, 1, "f32[7,2,6]")); }},
      {"builder.collapse-consecutive",
       [](HloBuilder& b) {
         Collapse(P(b, 0, "f32[2,3,4]"), {0, 2});
       }},
      {"builder.collapse-range",
       [](HloBuilder& b) {
         Collapse(P(b, 0, "f32[2,3]"), {1, 2});
       }},
      {"builder.broadcast-sizes", [](HloBuilder& b) { Broadcast(P(b, 0, "f32[]"), {-2}); }},
      {"builder.broadcast-in-dim",
       [](HloBuilder& b) {
         BroadcastInDim(P(b, 0, "f32[3]"), {2, 4}, {1});
       }},
      {"builder.broadcast-in-dim",
       [](HloBuilder& b) { BroadcastInDim(P(b, 0, "f32[3,3]"), {3}, {0}); }},
      {"builder.broadcast-in-dim",
       [](HloBuilder& b) {
         BroadcastInDim(P(b, 0, "f32[2,3]"), {3, 2}, {1, 0});
       }},
      {"builder.reshape-permutation",
       [](HloBuilder& b) { Reshape(P(b, 0, "f32[2,3]"), {0}, {6}); }},
      {"builder.reshape-dynamic",
       [](HloBuilder& b) {
         Reshape(P(b, 0, "f32[<=2,6]"), {4, 3});
       }},
      {"builder.all-reduce-empty-tuple", [](HloBuilder& b) { AllReduce(Tuple(b, {}), AddF32(b)); }},
      {"builder.all-reduce-empty-tuple", [](HloBuilder& b) { CrossReplicaSum(Tuple(b, {})); }},
      {"builder.all-reduce-one-type",
       [](HloBuilder& b) { AllReduce(P(b, 0, "(f32[2], s32[2])"), AddF32(b)); }},
      {"builder.all-gather-shard-count", [](HloBuilder& b) { AllGather(P(b, 0, "f32[2]"), 0, 0); }},
      {"builder.all-gather-shard-count",
       [](HloBuilder& b) {
         AllGather(P(b, 0, "f32[2]"), 0, 3, {.groups = {{0, 1}}});
       }},
      {"builder.all-to-all-dims", [](HloBuilder& b) { AllToAll(P(b, 0, "f32[4,15]"), 1, 0, 4); }},
      {"builder.all-to-all-dims", [](HloBuilder& b) { AllToAll(P(b, 0, "f32[4]"), 0, 1, 2); }},
      {"builder.all-to-all-dims",
       [](HloBuilder& b) {
         AllToAll(P(b, 0, "f32[4]"), 0, 0, 4, {{0, 1}});
       }},
      {"builder.all-to-all-layout-rank",
       [](HloBuilder& b) { AllToAll(P(b, 0, "f32[4,4]"), 0, 0, 2, {}, Layout::Default(1)); }},
      {"builder.conv-rank",
       [](HloBuilder& b) {
         ConvWithGeneralPadding(P(b, 0, "f32[1,2,8]"), P(b, 1, "f32[2,2]"), {1}, {{0, 0}});
       }},
      {"builder.conv-rank",
       [](HloBuilder& b) { Conv(P(b, 0, "f32[1,2]"), P(b, 1, "f32[2,2]"), {1}, Padding::kSame); }},
      {"convolution.min-rank",
       [](HloBuilder& b) {
         ConvGeneral(P(b, 0, "f32[4]"), P(b, 1, "f32[4]"), {}, {},
                     ConvDimensionNumbers::Default(0));
       }},
      {"builder.window-lists",
       [](HloBuilder& b) {
         ReduceWindowWithGeneralPadding(b, {P(b, 0, "f32[4,4]")}, {P(b, 1, "f32[]")}, AddF32(b),
                                        {.sizes = {2, 2}, .strides = {1}});
       }},
      {"builder.same-padding-lists",
       [](HloBuilder& b) {
         ReduceWindow(P(b, 0, "f32[4]"), P(b, 1, "f32[]"), AddF32(b), {0}, {1}, Padding::kSame);
       }},
      {"builder.same-padding-lists",
       [](HloBuilder& b) {
         ReduceWindow(P(b, 0, "f32[4]"), P(b, 1, "f32[]"), AddF32(b), {2}, {}, Padding::kValid);
       }},
      {"builder.same-padding-dynamic",
       [](HloBuilder& b) {
         ReduceWindow(P(b, 0, "f32[<=4]"), P(b, 1, "f32[]"), AddF32(b), {2}, {1}, Padding::kSame);
       }},
      {"builder.conditional-selector",
       [](HloBuilder& b) {
         const Callee f = Negation(b);
         const Op x = P(b, 0, "f32[]");
         Conditional(P(b, 1, "u32[]"), {f, f}, {x, x});
       }},
      {"builder.conditional-selector",
       [](HloBuilder& b) {
         const Callee f = Negation(b);
         const Op x = P(b, 0, "f32[]");
         Conditional(P(b, 1, "pred[2]"), x, f, x, f);
       }},
      {"builder.infeed-layout",
       [](HloBuilder& b) {
         Infeed(b, Shape::Array(ElementType::kF32, {{2, 3}}));
       }},
      {"builder.infeed-layout",
       [](HloBuilder& b) { Outfeed(P(b, 0, "f32[2]"), MakeShape("f32[3]{0}")); }},
      {"builder.host-array",
       [](HloBuilder& b) {
         SendToHost(P(b, 0, "(f32[2])"), CreateToken(b), MakeShape("(f32[2]{0})"),
                    {1, Type::kDeviceToHost});
       }},
      {"builder.channel-type",
       [](HloBuilder& b) {
         Send(P(b, 0, "f32[2]"), {1, Type::kHostToDevice});
       }},
      {"builder.channel-type",
       [](HloBuilder& b) { RecvFromHost(CreateToken(b), MakeShape("f32[2]{0}"), {1}); }},
      {"builder.iota-static", [](HloBuilder& b) { Iota(b, MakeShape("f32[<=4]"), 0); }},
      {"builder.map-static-operands",
       [](HloBuilder& b) { Map(b, {P(b, 0, "f32[2]")}, Negation(b), {0}, {P(b, 1, "f32[]")}); }},
      {"builder.rng-bit-shape",
       [](HloBuilder& b) {
         RngBitGenerator(RandomAlgorithm::kDefault, P(b, 0, "u64[2]"), MakeShape("(u32[4])"));
       }},
      {"builder.custom-call-target",
       [](HloBuilder& b) { CustomCall(b, "$mine", {}, MakeShape("f32[4]")); }},
      {"builder.scatter-counts",
       [](HloBuilder& b) {
         const Op x = P(b, 0, "f32[4]");
         Scatter({x, x}, P(b, 1, "s32[1]"), {P(b, 2, "f32[]")}, AddF32(b), {});
       }},
      {"builder.scan-length",
       [](HloBuilder& b) { Scan(b, {}, {P(b, 0, "f32[]")}, Negation(b), 0); }},
      {"builder.ternary-scalars",
       [](HloBuilder& b) { Clamp(P(b, 0, "f32[2]"), P(b, 1, "f32[3]"), P(b, 2, "f32[]")); }},
      {"builder.dimension-range", [](HloBuilder& b) { SliceInDim(P(b, 0, "f32[4]"), 0, 1, 1, 2); }},
      {"builder.dimension-range",
       [](HloBuilder& b) { PadInDim(P(b, 0, "f32[4]"), P(b, 1, "f32[]"), -1, 1, 1); }},
      {"builder.after-all-tokens", [](HloBuilder& b) { AfterAll(b, {P(b, 0, "f32[]")}); }},
      {"builder.after-all-tokens",
       [](HloBuilder& b) { InfeedWithToken(P(b, 0, "f32[]"), MakeShape("f32[2]{0}")); }},
      {"builder.dynamic-reshape-lists",
       [](HloBuilder& b) {
         DynamicReshape(P(b, 0, "f32[6]"), {P(b, 1, "s32[]")}, {2, 3}, {false, false});
       }},
      {"builder.dot-scalar", [](HloBuilder& b) { Dot(P(b, 0, "f32[]"), P(b, 1, "f32[4]")); }},
      {"builder.logical-pred",
       [](HloBuilder& b) { LogicalAnd(P(b, 0, "s32[]"), P(b, 1, "s32[]")); }},
      {"builder.logical-pred", [](HloBuilder& b) { LogicalNot(P(b, 0, "u8[]")); }},
      {"builder.collective-permute-inplace",
       [](HloBuilder& b) {
         CollectivePermute(P(b, 0, "f32[2]"), {{0, 1}}, {}, true);
       }},
      {"builder.operation-handle", [](HloBuilder& b) { Add(P(b, 0, "f32[]"), Op()); }},
      {"builder.operation-handle", [](HloBuilder& b) { Tuple(b, {Op()}); }},
      {"builder.operation-handle",
       [](HloBuilder& b) { Reduce(P(b, 0, "f32[2]"), P(b, 1, "f32[]"), Callee(), {0}); }},
      {"builder.one-module",
       [](HloBuilder& b) {
         HloBuilder other("other");
         Add(P(b, 0, "f32[]"), P(other, 0, "f32[]"));
       }},
      {"builder.one-module",
       [](HloBuilder& b) {
         HloBuilder other("other");
         Call(b, Negation(other), {P(b, 0, "f32[]")});
       }},
      {"builder.one-computation",
       [](HloBuilder& b) {
         HloBuilder inner = b.CreateSubBuilder("inner");
         Add(P(b, 0, "f32[]"), P(inner, 0, "f32[]"));
       }},
      {"builder.computation-finished",
       [](HloBuilder& b) {  // the way to recursion
         HloBuilder inner = b.CreateSubBuilder("inner");
         const Op x = P(inner, 0, "f32[]");
         const Callee itself = inner.BuildComputation(Neg(x));
         Call(inner, itself, {x});
       }},
      {"builder.computation-finished", [](HloBuilder& b) { b.BuildComputation(P(b, 0, "f32[]")); }},
  };
}

// Rules of the verifier and of inference, for operations whose arguments are checked by them.
std::vector<Violation> SharedViolations() {
  return {
      {"unary.element-type", [](HloBuilder& b) { Floor(P(b, 0, "s32[2]")); }},
      {"unary.operand-array", [](HloBuilder& b) { Neg(P(b, 0, "(f32[])")); }},
      {"abs.unsigned", [](HloBuilder& b) { Abs(P(b, 0, "u8[2]")); }},
      {"cbrt.complex", [](HloBuilder& b) { Cbrt(P(b, 0, "c64[2]")); }},
      {"binary.same-type", [](HloBuilder& b) { Add(P(b, 0, "f32[2]"), P(b, 1, "s32[2]")); }},
      {"binary.operand-array", [](HloBuilder& b) { Add(P(b, 0, "(f32[])"), P(b, 1, "f32[]")); }},
      {"binary.no-pred", [](HloBuilder& b) { Sub(P(b, 0, "pred[2]"), P(b, 1, "pred[2]")); }},
      {"logical.element-type", [](HloBuilder& b) { And(P(b, 0, "f32[2]"), P(b, 1, "f32[2]")); }},
      {"atan2.element-type", [](HloBuilder& b) { Atan2(P(b, 0, "s32[2]"), P(b, 1, "s32[2]")); }},
      {"complex.component-type",
       [](HloBuilder& b) { Complex(P(b, 0, "f16[]"), P(b, 1, "f16[]")); }},
      {"compare.type",
       [](HloBuilder& b) {
         Compare(P(b, 0, "s32[]"), P(b, 1, "s32[]"), {}, ComparisonDirection::kLt,
                 ComparisonType::kFloat);
       }},
      {"select.pred-type",
       [](HloBuilder& b) { Select(P(b, 0, "s32[2]"), P(b, 1, "f32[2]"), P(b, 2, "f32[2]")); }},
      {"convert.array",
       [](HloBuilder& b) { ConvertElementType(P(b, 0, "(f32[])"), ElementType::kS32); }},
      {"bitcast-convert.last-dim",
       [](HloBuilder& b) { BitcastConvertType(P(b, 0, "f16[5,3]"), ElementType::kF32); }},
      {"reduce-precision.exponent-bits",
       [](HloBuilder& b) { ReducePrecision(P(b, 0, "f32[]"), ExponentBits{0}, MantissaBits{2}); }},
      {"stochastic-convert.random-width",
       [](HloBuilder& b) {
         StochasticConvertType(P(b, 0, "f32[]"), P(b, 1, "u16[]"), ElementType::kF16);
       }},
      {"comp.param-nonnegative", [](HloBuilder& b) { P(b, -1, "f32[]"); }},
      {"comp.param-number-unique", [](HloBuilder& b) { P(b, 0, "f32[]"), P(b, 0, "f32[]"); }},
      {"comp.params-contiguous",
       [](HloBuilder& b) {
         const absl::Status status = b.Build(P(b, 1, "f32[]")).status();
         EXPECT_FALSE(status.ok());
       }},
      {"param.replication-leaves",
       [](HloBuilder& b) { Parameter(b, 0, MakeShape("(f32[], f32[])"), "p", {true}); }},
      {"shape.dim-nonnegative",
       [](HloBuilder& b) { Parameter(b, 0, Shape::Array(ElementType::kF32, {{-3}}), "p"); }},
      {"shape.count-overflow",
       [](HloBuilder& b) {
         Broadcast(P(b, 0, "f32[]"), {int64_t{1} << 40, int64_t{1} << 40});
       }},
      {"shape.rank",
       [](HloBuilder& b) { Broadcast(P(b, 0, "f32[]"), std::vector<int64_t>(70, 1)); }},
      {"constant.literal",
       [](HloBuilder& b) {
         ConstantArray<float>(b, {2, 2}, {1, 2, 3});
       }},
      {"constant.literal",
       [](HloBuilder& b) {
         ConstantR2<float>(b, {{1, 2}, {3}});
       }},
      {"iota.dimension", [](HloBuilder& b) { Iota(b, MakeShape("f32[4]"), 1); }},
      {"iota.element-type", [](HloBuilder& b) { Iota(b, ElementType::kPred, 4); }},
      {"reshape.count", [](HloBuilder& b) { Reshape(P(b, 0, "f32[2,3]"), {7}); }},
      {"reshape.array", [](HloBuilder& b) { Reshape(P(b, 0, "(f32[2])"), {2}); }},
      {"dynamic-reshape.count",
       [](HloBuilder& b) { DynamicReshape(P(b, 0, "f32[6]"), {P(b, 1, "s32[]")}, {7}, {true}); }},
      {"transpose.permutation",
       [](HloBuilder& b) {
         Transpose(P(b, 0, "f32[2,3]"), {1, 1});
       }},
      {"reverse.dims-unique",
       [](HloBuilder& b) {
         Rev(P(b, 0, "f32[2]"), {0, 0});
       }},
      {"concatenate.nonempty", [](HloBuilder& b) { ConcatInDim(b, {}, 0); }},
      {"concatenate.other-dims",
       [](HloBuilder& b) {
         ConcatInDim(b, {P(b, 0, "f32[2,3]"), P(b, 1, "f32[2,4]")}, 0);
       }},
      {"get-tuple-element.index", [](HloBuilder& b) { GetTupleElement(P(b, 0, "(f32[])"), 1); }},
      {"get-tuple-element.tuple", [](HloBuilder& b) { GetTupleElement(P(b, 0, "f32[]"), 0); }},
      {"pad.config-rank",
       [](HloBuilder& b) {
         Pad(P(b, 0, "f32[2,3]"), P(b, 1, "f32[]"), {{1, 1, 0}});
       }},
      {"pad.value-scalar",
       [](HloBuilder& b) {
         Pad(P(b, 0, "f32[2]"), P(b, 1, "f32[1]"), {{1, 1, 0}});
       }},
      {"pad.result-nonnegative",
       [](HloBuilder& b) {
         Pad(P(b, 0, "f32[2]"), P(b, 1, "f32[]"), {{-3, 0, 0}});
       }},
      {"slice.rank",
       [](HloBuilder& b) {
         Slice(P(b, 0, "f32[4]"), {0}, {1, 2});
       }},
      {"slice.limit", [](HloBuilder& b) { Slice(P(b, 0, "f32[4]"), {0}, {5}); }},
      {"slice.stride", [](HloBuilder& b) { Slice(P(b, 0, "f32[4]"), {0}, {4}, {0}); }},
      {"get-dimension-size.dimension",
       [](HloBuilder& b) { GetDimensionSize(P(b, 0, "f32[4]"), 1); }},
      {"set-dimension-size.value",
       [](HloBuilder& b) { SetDimensionSize(P(b, 0, "f32[4]"), P(b, 1, "s64[]"), 0); }},
      {"dynamic-slice.index-count",
       [](HloBuilder& b) { DynamicSlice(P(b, 0, "f32[4]"), {P(b, 1, "s32[2]")}, {1}); }},
      {"dynamic-slice.index-type",
       [](HloBuilder& b) { DynamicSlice(P(b, 0, "f32[4]"), {P(b, 1, "f32[]")}, {1}); }},
      {"dynamic-slice.size-range",
       [](HloBuilder& b) { DynamicSlice(P(b, 0, "f32[4]"), {P(b, 1, "s32[]")}, {5}); }},
      {"dynamic-update-slice.rank",
       [](HloBuilder& b) {
         DynamicUpdateSlice(P(b, 0, "f32[4,4]"), P(b, 1, "f32[2]"), {P(b, 2, "s32[2]")});
       }},
      {"gather.window-rank",
       [](HloBuilder& b) {
         Gather(P(b, 0, "f32[8,8]"), P(b, 1, "s32[2,1]"),
                {.offset_dims = {1}, .start_index_map = {0}, .index_vector_dim = 1}, {1, 8});
       }},
      {"scatter.indices-integral",
       [](HloBuilder& b) {
         Scatter(P(b, 0, "f32[4]"), P(b, 1, "f32[1]"), P(b, 2, "f32[]"), AddF32(b),
                 {.inserted_window_dims = {0}, .scatter_dims_to_operand_dims = {0}});
       }},
      {"map.arity", [](HloBuilder& b) { Map(b, {P(b, 0, "f32[2]")}, AddF32(b), {0}); }},
      {"map.dimensions", [](HloBuilder& b) { Map(b, {P(b, 0, "f32[2,3]")}, Negation(b), {1}); }},
      {"reduce.dims-range",
       [](HloBuilder& b) { Reduce(P(b, 0, "f32[2]"), P(b, 1, "f32[]"), AddF32(b), {1}); }},
      {"reduce.operand-count",
       [](HloBuilder& b) { Reduce(b, {P(b, 0, "f32[2]")}, {}, AddF32(b), {0}); }},
      {"reducer.init",
       [](HloBuilder& b) { Reduce(P(b, 0, "f32[2]"), P(b, 1, "s32[]"), AddF32(b), {0}); }},
      {"select-and-scatter.source-shape",
       [](HloBuilder& b) {
         SelectAndScatter(P(b, 0, "f32[4,6]"), LtF32(b), {2, 3}, {2, 3}, Padding::kValid,
                          P(b, 1, "f32[2,3]"), P(b, 2, "f32[]"), AddF32(b));
       }},
      {"scan.same-length",
       [](HloBuilder& b) { Scan(b, {P(b, 0, "f32[3]")}, {}, Negation(b), 0, 4); }},
      {"scan.dimension", [](HloBuilder& b) { Scan(b, {P(b, 0, "f32[3]")}, {}, Negation(b), 1); }},
      {"sort.comparator-result", [](HloBuilder& b) { Sort({P(b, 0, "f32[3]")}, AddF32(b)); }},
      {"sort.same-dims", [](HloBuilder& b) { Sort(P(b, 0, "f32[3]"), P(b, 1, "s32[4]")); }},
      {"topk.k-bound", [](HloBuilder& b) { TopK(P(b, 0, "f32[3]"), 4); }},
      {"topk.rank", [](HloBuilder& b) { TopK(P(b, 0, "f32[]"), 1); }},
      {"dot.contracting-sizes",
       [](HloBuilder& b) { Dot(P(b, 0, "f32[2,3]"), P(b, 1, "f32[4,2]")); }},
      {"dot.dims-range", [](HloBuilder& b) { Dot(P(b, 0, "f32[4]"), P(b, 1, "f32[]")); }},
      {"convolution.one-group-count",
       [](HloBuilder& b) {
         ConvGeneral(P(b, 0, "f32[2,2,4]"), P(b, 1, "f32[4,1,3]"), {}, {},
                     ConvDimensionNumbers::Default(1),
                     {.feature_group_count = 2, .batch_group_count = 2});
       }},
      {"window.stride-positive",
       [](HloBuilder& b) {
         ConvWithGeneralPadding(P(b, 0, "f32[1,2,4]"), P(b, 1, "f32[3,2,3]"), {0}, {});
       }},
      {"batch-norm.feature-index",
       [](HloBuilder& b) {
         BatchNormTraining(P(b, 0, "f32[2,4]"), P(b, 1, "f32[4]"), P(b, 2, "f32[4]"), 0, 2);
       }},
      {"cholesky.square", [](HloBuilder& b) { Cholesky(P(b, 0, "f32[2,3]"), true); }},
      {"triangular-solve.shared-dim",
       [](HloBuilder& b) {
         TriangularSolve(P(b, 0, "f32[2,2]"), P(b, 1, "f32[3,2]"), true, true, false,
                         TriangularTranspose::kNoTranspose);
       }},
      {"triangular-solve.transpose",
       [](HloBuilder& b) {
         TriangularSolve(P(b, 0, "f32[2,2]"), P(b, 1, "f32[2,2]"), true, true, false,
                         TriangularTranspose::kInvalid);
       }},
      {"fft.rank", [](HloBuilder& b) { Fft(P(b, 0, "c64[4]"), FftType::kFft, {}); }},
      {"rng.normal-type",
       [](HloBuilder& b) { RngNormal(P(b, 0, "s32[]"), P(b, 1, "s32[]"), MakeShape("s32[2]")); }},
      {"call.arity", [](HloBuilder& b) { Call(b, AddF32(b), {P(b, 0, "f32[]")}); }},
      {"call.param-shape", [](HloBuilder& b) { Call(b, Negation(b), {P(b, 0, "s32[]")}); }},
      {"while.condition-result",
       [](HloBuilder& b) { While(Negation(b), Negation(b), P(b, 0, "f32[]")); }},
      {"while.body-params", [](HloBuilder& b) { While(Negation(b), AddF32(b), P(b, 0, "f32[]")); }},
      {"conditional.operand-count",
       [](HloBuilder& b) { Conditional(P(b, 0, "s32[]"), {Negation(b)}, {}); }},
      {"custom-call.layout-count",
       [](HloBuilder& b) {
         CustomCallWithLayout(b, "t", {P(b, 0, "f32[]")}, MakeShape("f32[2]{0}"), {});
       }},
      {"all-gather.dimension", [](HloBuilder& b) { AllGather(P(b, 0, "f32[4]"), 1, 2); }},
      {"reduce-scatter.divisible",
       [](HloBuilder& b) { ReduceScatter(P(b, 0, "f32[5]"), AddF32(b), 0, 2); }},
      {"reduce-scatter.shard-count",
       [](HloBuilder& b) { ReduceScatter(P(b, 0, "f32[4]"), AddF32(b), 0, 0); }},
      {"all-to-all.not-tuple-operand",
       [](HloBuilder& b) { AllToAll(P(b, 0, "(f32[4])"), 0, 0, 2); }},
      {"all-to-all.tuple-same-shape",
       [](HloBuilder& b) {
         AllToAllTuple(b, {P(b, 0, "f32[2]"), P(b, 1, "f32[3]")});
       }},
      {"collective-broadcast.dynamic-root",
       [](HloBuilder& b) {
         CollectiveBroadcast(b, {P(b, 0, "f32[2]"), P(b, 1, "f32[]")}, {{0, 1}}, {}, true);
       }},
      // What is known of the whole module only.
      {"collective-permute.source-unique",
       [](HloBuilder& b) {
         EXPECT_FALSE(b.Build(CollectivePermute(P(b, 0, "f32[2]"), {{0, 1}, {0, 2}})).ok());
       }},
      {"collective.group-id-unique",
       [](HloBuilder& b) {
         EXPECT_FALSE(b.Build(CrossReplicaSum(P(b, 0, "f32[2]"), {{0, 1}, {1, 2}})).ok());
       }},
  };
}

TEST(BuilderErrors, EachConstraintGivesItsRule) {
  for (const std::vector<Violation>& violations : {BuilderViolations(), SharedViolations()}) {
    for (const Violation& violation : violations) {
      HloBuilder builder("m");
      violation.break_it(builder);
      ASSERT_NE(builder.error(), nullptr) << violation.rule;
      EXPECT_EQ(builder.error()->rule, violation.rule) << builder.error()->message;
      EXPECT_TRUE(FindRule(builder.error()->rule)) << violation.rule;
      EXPECT_TRUE(std::string_view(builder.error()->at.file_name()).ends_with(".cc"));
      EXPECT_FALSE(builder.Build().ok());
    }
  }
}

TEST(BuilderErrors, EveryRuleOfTheBuilderIsBroken) {
  std::set<std::string_view> broken;
  const std::vector<Violation> violations = BuilderViolations();
  for (const Violation& violation : violations) broken.insert(violation.rule);
  for (int i = 0; i < kRuleCount; ++i) {
    const RuleInfo& info = GetRuleInfo(static_cast<Rule>(i));
    if (info.severity.mode != RuleSeverity::Mode::kBuilder) continue;
    EXPECT_TRUE(broken.contains(info.id)) << info.id;
  }
}

TEST(BuilderErrors, TheFirstOneIsToldWithItsPlace) {
  HloBuilder builder("m");
  const Op x = P(builder, 0, "f32[2,3]");
  const Op bad = Transpose(x, {1, 1});
  const int line = __LINE__ - 1;
  EXPECT_FALSE(bad.valid());
  EXPECT_EQ(bad.shape(), Shape::Tuple({}));
  EXPECT_FALSE(Add(bad, Floor(P(builder, 1, "s32[]"))).valid());
  const absl::StatusOr<Module> module = builder.Build(bad);
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(module.status().message(),
            fmt::format("{}:{}: error: Transpose: `dimensions={{1,1}}` is not a permutation of the "
                        "operand's 2 dimensions [transpose.permutation]",
                        __FILE__, line));
}

TEST(BuilderErrors, WhatTheModuleTellsIsToldOfItsCall) {
  HloBuilder builder("m");
  builder.SetReplicaCount(4);
  const Op sum = CrossReplicaSum(P(builder, 0, "f32[2]"), {{0, 1}});
  const unsigned line = __LINE__ - 1;
  EXPECT_FALSE(builder.Build(Neg(sum)).ok());
  ASSERT_NE(builder.error(), nullptr);
  EXPECT_EQ(builder.error()->rule, "collective.group-count");
  EXPECT_EQ(builder.error()->operation, "CrossReplicaSum");
  EXPECT_EQ(builder.error()->at.line(), line);
}

TEST(BuilderErrors, NothingCanBeDoneWithABuiltModule) {
  HloBuilder builder("m");
  HloBuilder inner = builder.CreateSubBuilder("inner");
  const Op x = P(builder, 0, "f32[]");
  EXPECT_TRUE(builder.Build(x).ok());
  EXPECT_FALSE(x.valid());
  EXPECT_FALSE(Add(x, x).valid());
  EXPECT_FALSE(P(builder, 1, "f32[]").valid());
  EXPECT_FALSE(P(inner, 0, "f32[]").valid());
  builder.SetName(x, "y");
  builder.SetReplicaCount(2);
  EXPECT_FALSE(builder.CreateSubBuilder("late").BuildComputation(x).valid());
  const MetadataScope metadata(builder, "late");
  const ShardingScope sharding(builder, builder.MaximalSharding(1));
  EXPECT_EQ(builder.Build(x).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(builder.error(), nullptr);
}

TEST(BuilderErrors, HandlesOutliveTheirBuilder) {
  Op x;
  {
    HloBuilder builder("m");
    x = P(builder, 0, "f32[]");
  }
  EXPECT_TRUE(Add(x, x).valid());
  EXPECT_FALSE(Add(Op(), Op()).valid());
}

TEST(BuilderErrors, AnEmptyProgramHasNoResult) {
  HloBuilder builder("m");
  EXPECT_FALSE(builder.Build().ok());
  EXPECT_EQ(FirstRule(builder), "builder.operation-handle");
}

TEST(BuilderErrors, ASubBuilderIsNoModule) {
  HloBuilder builder("m");
  HloBuilder inner = builder.CreateSubBuilder("inner");
  EXPECT_FALSE(inner.Build(P(inner, 0, "f32[]")).ok());
  EXPECT_EQ(FirstRule(builder), "builder.computation-finished");
}

}  // namespace
}  // namespace hlo::testing
