// Leaves, data movement and indexing. Calls that make less than their name says are here too: a
// collapse of one dimension and a pad of a scalar are their operands, the size of a static
// dimension is a constant. So are those that make more: a dimension of size 1 that grows, a vector
// of start indices.
#include "builder/operation_examples.h"

namespace hlo::testing {

using namespace ops;

std::vector<OperationExample> LeafExamples() {
  return {
      {"Parameter", [](HloBuilder& b) { return Parameter(b, 0, MakeShape("f32[2]"), "x", {true}); },
       R"(
ROOT x = f32[2] parameter(0), parameter_replication={true}
)"},
      {"Constant", [](HloBuilder& b) { return Constant(b, Literal::Scalar<float>(2.5f)); }, R"(
ROOT constant = f32[] constant(2.5)
)"},
      {"Constant",
       [](HloBuilder& b) {
         return ConstantR1<int32_t>(b, {7, 7, 7});
       },
       R"(
constant = s32[] constant(7)
ROOT broadcast = s32[3] broadcast(constant), dimensions={}
)"},
      {"ConstantLiteral", [](HloBuilder& b) { return ConstantLiteral(b, Literal::Scalar(true)); },
       R"(
ROOT constant = pred[] constant(true)
)"},
      {"ConstantR0", [](HloBuilder& b) { return ConstantR0<int32_t>(b, -3); }, R"(
ROOT constant = s32[] constant(-3)
)"},
      {"ConstantR1",
       [](HloBuilder& b) {
         return ConstantR1<bool>(b, {true, false});
       },
       R"(
ROOT constant = pred[2] constant({1, 0})
)"},
      {"ConstantR2",
       [](HloBuilder& b) {
         return ConstantR2<float>(b, {{1, 2}, {3, 4}});
       },
       R"(
ROOT constant = f32[2,2] constant({ { 1, 2 }, { 3, 4 } })
)"},
      {"ConstantArray",
       [](HloBuilder& b) {
         return ConstantArray<float>(b, {2, 0}, {});
       },
       R"(
constant = f32[] constant(0)
ROOT broadcast = f32[2,0] broadcast(constant), dimensions={}
)"},
      {"ConstantArray",
       [](HloBuilder& b) {
         return ConstantArray<uint8_t>(b, {1, 2, 1}, {5, 6});
       },
       R"(
ROOT constant = u8[1,2,1] constant({ { {5}, {6} } })
)"},
      {"Iota", [](HloBuilder& b) { return Iota(b, MakeShape("f32[4,8]"), 1); }, R"(
ROOT iota = f32[4,8] iota(), iota_dimension=1
)"},
      {"Iota", [](HloBuilder& b) { return Iota(b, ElementType::kS32, 5); }, R"(
ROOT iota = s32[5] iota(), iota_dimension=0
)"},
      {"Tuple",
       [](HloBuilder& b) {
         return Tuple(b, {P(b, 0, "f32[]"), P(b, 1, "s32[2]")});
       },
       R"(
ROOT tuple = (f32[], s32[2]) tuple(p0, p1)
)"},
      {"GetTupleElement",
       [](HloBuilder& b) { return GetTupleElement(P(b, 0, "(f32[], s32[2])"), 1); },
       R"(
ROOT get-tuple-element = s32[2] get-tuple-element(p0), index=1
)"},
      {"OptimizationBarrier", [](HloBuilder& b) { return OptimizationBarrier(P(b, 0, "f32[2]")); },
       R"(
ROOT opt-barrier = f32[2] opt-barrier(p0)
)"},
      {"GetDimensionSize", [](HloBuilder& b) { return GetDimensionSize(P(b, 0, "f32[<=4,3]"), 0); },
       R"(
ROOT get-dimension-size = s32[] get-dimension-size(p0), dimensions={0}
)"},
      {"GetDimensionSize", [](HloBuilder& b) { return GetDimensionSize(P(b, 0, "f32[<=4,3]"), 1); },
       R"(
ROOT constant = s32[] constant(3)
)"},
      {"SetDimensionSize",
       [](HloBuilder& b) { return SetDimensionSize(P(b, 0, "f32[4,3]"), P(b, 1, "s32[]"), 0); },
       R"(
ROOT set-dimension-size = f32[<=4,3] set-dimension-size(p0, p1), dimensions={0}
)"},
      {"RemoveDynamicDimension",
       [](HloBuilder& b) { return RemoveDynamicDimension(P(b, 0, "f32[<=4,3]"), 0); },
       R"(
constant = s32[] constant(4)
ROOT set-dimension-size = f32[4,3] set-dimension-size(p0, constant), dimensions={0}
)"},
  };
}

std::vector<OperationExample> DataMovementExamples() {
  return {
      {"Broadcast",
       [](HloBuilder& b) {
         return Broadcast(P(b, 0, "f32[3]"), {2, 4});
       },
       R"(
ROOT broadcast = f32[2,4,3] broadcast(p0), dimensions={2}
)"},
      {"BroadcastInDim",
       [](HloBuilder& b) {
         return BroadcastInDim(P(b, 0, "f32[3]"), {3, 2}, {0});
       },
       R"(
ROOT broadcast = f32[3,2] broadcast(p0), dimensions={0}
)"},
      {"BroadcastInDim",
       [](HloBuilder& b) {
         return BroadcastInDim(P(b, 0, "f32[3,1]"), {3, 5, 2}, {0, 2});
       },
       R"(
broadcast = f32[3,5,1] broadcast(p0), dimensions={0,2}
reshape = f32[3,5] reshape(broadcast)
ROOT broadcast.1 = f32[3,5,2] broadcast(reshape), dimensions={0,1}
)"},
      {"Reshape", [](HloBuilder& b) { return Reshape(P(b, 0, "f32[2,3]"), {6}); }, R"(
ROOT reshape = f32[6] reshape(p0)
)"},
      {"Reshape",
       [](HloBuilder& b) {
         return Reshape(P(b, 0, "f32[<=2,3]"), {2, 3, 1});
       },
       R"(
ROOT reshape = f32[<=2,3,1] reshape(p0)
)"},
      {"Reshape", [](HloBuilder& b) { return Reshape(MakeShape("f32[6]"), P(b, 0, "f32[2,3]")); },
       R"(
ROOT reshape = f32[6] reshape(p0)
)"},
      {"Reshape",
       [](HloBuilder& b) {
         return Reshape(P(b, 0, "f32[2,3]"), {1, 0}, {6});
       },
       R"(
transpose = f32[3,2] transpose(p0), dimensions={1,0}
ROOT reshape = f32[6] reshape(transpose)
)"},
      {"Reshape",
       [](HloBuilder& b) {
         return Reshape(P(b, 0, "f32[2,3]"), {0, 1}, {6});
       },
       R"(
ROOT reshape = f32[6] reshape(p0)
)"},
      {"ReshapeWithInferredDimension",
       [](HloBuilder& b) {
         return ReshapeWithInferredDimension(P(b, 0, "f32[<=6]"), {2, 3}, 1);
       },
       R"(
ROOT reshape = f32[2,<=3] reshape(p0), inferred_dimension=1
)"},
      {"DynamicReshape",
       [](HloBuilder& b) {
         return DynamicReshape(P(b, 0, "f32[2,3]"), {P(b, 1, "s32[]"), P(b, 2, "s32[]")}, {2, 3},
                               {false, true});
       },
       R"(
ROOT dynamic-reshape = f32[2,<=3] dynamic-reshape(p0, p1, p2)
)"},
      {"Collapse",
       [](HloBuilder& b) {
         return Collapse(P(b, 0, "f32[4,2,3]"), {1, 2});
       },
       R"(
ROOT reshape = f32[4,6] reshape(p0)
)"},
      {"Collapse", [](HloBuilder& b) { return Collapse(P(b, 0, "f32[4,2,3]"), {1}); }, R"(
ROOT p0 = f32[4,2,3] parameter(0)
)"},
      {"Transpose",
       [](HloBuilder& b) {
         return Transpose(P(b, 0, "f32[2,3]"), {1, 0});
       },
       R"(
ROOT transpose = f32[3,2] transpose(p0), dimensions={1,0}
)"},
      {"Rev", [](HloBuilder& b) { return Rev(P(b, 0, "f32[2,3]"), {1}); }, R"(
ROOT reverse = f32[2,3] reverse(p0), dimensions={1}
)"},
      {"ConcatInDim",
       [](HloBuilder& b) {
         return ConcatInDim(b, {P(b, 0, "f32[2,3]"), P(b, 1, "f32[1,3]")}, 0);
       },
       R"(
ROOT concatenate = f32[3,3] concatenate(p0, p1), dimensions={0}
)"},
      {"Pad",
       [](HloBuilder& b) {
         return Pad(P(b, 0, "f32[2,3]"), P(b, 1, "f32[]"), {{0, 1, 1}, {1, 2, 1}});
       },
       R"(
ROOT pad = f32[4,8] pad(p0, p1), padding=0_1_1x1_2_1
)"},
      {"Pad", [](HloBuilder& b) { return Pad(P(b, 0, "f32[]"), P(b, 1, "f32[]"), {}); }, R"(
ROOT p0 = f32[] parameter(0)
)"},
      {"PadInDim",
       [](HloBuilder& b) { return PadInDim(P(b, 0, "f32[2,3]"), P(b, 1, "f32[]"), 1, 2, -1); },
       R"(
ROOT pad = f32[2,4] pad(p0, p1), padding=0_0x2_-1
)"},
      {"Slice",
       [](HloBuilder& b) {
         return Slice(P(b, 0, "f32[4,3]"), {2, 1}, {4, 3});
       },
       R"(
ROOT slice = f32[2,2] slice(p0), slice={[2:4], [1:3]}
)"},
      {"Slice", [](HloBuilder& b) { return Slice(P(b, 0, "f32[9]"), {1}, {8}, {3}); }, R"(
ROOT slice = f32[3] slice(p0), slice={[1:8:3]}
)"},
      {"SliceInDim", [](HloBuilder& b) { return SliceInDim(P(b, 0, "f32[4,9]"), 1, 8, 3, 1); },
       R"(
ROOT slice = f32[4,3] slice(p0), slice={[0:4:1], [1:8:3]}
)"},
  };
}

std::vector<OperationExample> IndexingExamples() {
  return {
      {"DynamicSlice",
       [](HloBuilder& b) {
         return DynamicSlice(P(b, 0, "f32[4,3]"), {P(b, 1, "s32[]"), P(b, 2, "s32[]")}, {2, 2});
       },
       R"(
ROOT dynamic-slice = f32[2,2] dynamic-slice(p0, p1, p2), dynamic_slice_sizes={2,2}
)"},
      {"DynamicSlice",
       [](HloBuilder& b) {
         return DynamicSlice(P(b, 0, "f32[4,3]"), {P(b, 1, "s32[2]")}, {2, 2});
       },
       R"(
slice = s32[1] slice(p1), slice={[0:1]}
reshape = s32[] reshape(slice)
slice.1 = s32[1] slice(p1), slice={[1:2]}
reshape.1 = s32[] reshape(slice.1)
ROOT dynamic-slice = f32[2,2] dynamic-slice(p0, reshape, reshape.1), dynamic_slice_sizes={2,2}
)"},
      {"DynamicUpdateSlice",
       [](HloBuilder& b) {
         return DynamicUpdateSlice(P(b, 0, "f32[4]"), P(b, 1, "f32[2]"), {P(b, 2, "s32[]")});
       },
       R"(
ROOT dynamic-update-slice = f32[4] dynamic-update-slice(p0, p1, p2)
)"},
      {"DynamicUpdateSlice",
       [](HloBuilder& b) {
         return DynamicUpdateSlice(P(b, 0, "f32[4]"), P(b, 1, "f32[2]"), {P(b, 2, "u8[1]")});
       },
       R"(
slice = u8[1] slice(p2), slice={[0:1]}
reshape = u8[] reshape(slice)
ROOT dynamic-update-slice = f32[4] dynamic-update-slice(p0, p1, reshape)
)"},
      {"Gather",
       [](HloBuilder& b) {
         return Gather(P(b, 0, "f32[16,11]"), P(b, 1, "s32[10,2]"),
                       {.offset_dims = {1, 2}, .start_index_map = {0, 1}, .index_vector_dim = 1},
                       {8, 6}, /*indices_are_sorted=*/true);
       },
       R"(
ROOT gather = f32[10,8,6] gather(p0, p1), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={8,6}, indices_are_sorted=true
)"},
      {"Gather",
       [](HloBuilder& b) {
         return Gather(P(b, 0, "f32[3,8]"), P(b, 1, "s32[3,2]"),
                       {.offset_dims = {2},
                        .collapsed_slice_dims = {},
                        .start_index_map = {1},
                        .operand_batching_dims = {0},
                        .start_indices_batching_dims = {0},
                        .index_vector_dim = 2},
                       {1, 4});
       },
       R"(
ROOT gather = f32[3,2,4] gather(p0, p1), offset_dims={2}, collapsed_slice_dims={}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,4}
)"},
      {"Scatter",
       [](HloBuilder& b) {
         return Scatter(P(b, 0, "f32[3,3]"), P(b, 1, "s32[2]"), P(b, 2, "f32[2,3]"),
                        ScalarFunction(b, "add", ElementType::kF32, Add),
                        {.update_window_dims = {1},
                         .inserted_window_dims = {0},
                         .scatter_dims_to_operand_dims = {0},
                         .index_vector_dim = 1},
                        /*indices_are_sorted=*/false, /*unique_indices=*/true);
       },
       R"(
ROOT scatter = f32[3,3] scatter(p0, p1, p2), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, unique_indices=true, to_apply=add
)"},
  };
}

}  // namespace hlo::testing
