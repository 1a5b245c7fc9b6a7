// Dynamic slices and gather. Source: verifier.md 3.5, 3.8.
#include "builder/violations.h"

namespace hlo::testing {
namespace {

using namespace ops;

// Of rows of x[0] at x[1], f32[8,4] and s32[5,1] where nothing is wrong with them.
GatherDimensionNumbers Rows() {
  return {.offset_dims = {1},
          .collapsed_slice_dims = {0},
          .start_index_map = {0},
          .index_vector_dim = 1};
}
// Of elements along dimension 1, for each b of x[0], f32[3,8], and x[1], s32[3,5,1].
GatherDimensionNumbers Batched() {
  return {.collapsed_slice_dims = {1},
          .start_index_map = {1},
          .operand_batching_dims = {0},
          .start_indices_batching_dims = {0},
          .index_vector_dim = 2};
}
void With(Ops x, GatherDimensionNumbers numbers, Ints slice_sizes) {
  Gather(x[0], x[1], numbers, slice_sizes);
}

constexpr Violation kViolations[] = {
    {"dynamic-slice.index-count", "f32[4] s32[2]",
     [](HloBuilder&, Ops x) { DynamicSlice(x[0], {x[1]}, {1}); }},
    {"dynamic-slice.index-type", "f32[4] f32[]",
     [](HloBuilder&, Ops x) { DynamicSlice(x[0], {x[1]}, {1}); }},
    {"dynamic-slice.size-range", "f32[4] s32[]",
     [](HloBuilder&, Ops x) { DynamicSlice(x[0], {x[1]}, {5}); }},
    {"unary.operand-array", "(f32[4]) s32[]",
     [](HloBuilder&, Ops x) { DynamicSlice(x[0], {x[1]}, {1}); }},
    {"dynamic-slice.index-count", "f32[4,4] s32[]",
     [](HloBuilder&, Ops x) {
       DynamicSlice(x[0], {x[1]}, {1, 1});
     }},
    {"dynamic-slice.index-type", "f32[4] f32[1]",
     [](HloBuilder&, Ops x) { DynamicSlice(x[0], {x[1]}, {1}); }},
    {"dynamic-slice.index-same-shape", "f32[4,4] s32[] s64[]",
     [](HloBuilder&, Ops x) {
       DynamicSlice(x[0], {x[1], x[2]}, {1, 1});
     }},
    {"dynamic-slice.index-same-shape", "f32[4] s32[1,1]",
     [](HloBuilder&, Ops x) { DynamicSlice(x[0], {x[1]}, {1}); }},
    {"dynamic-slice.sizes-count", "f32[4] s32[]",
     [](HloBuilder&, Ops x) {
       DynamicSlice(x[0], {x[1]}, {1, 1});
     }},
    {"dynamic-slice.size-range", "f32[4] s32[]",
     [](HloBuilder&, Ops x) { DynamicSlice(x[0], {x[1]}, {-1}); }},
    {"dynamic-slice.size-positive", "f32[4] s32[]",
     [](HloBuilder&, Ops x) { DynamicSlice(x[0], {x[1]}, {0}); }},
    {"dynamic-slice.constant-start", "f32[4]",
     [](HloBuilder& b, Ops x) { DynamicSlice(x[0], {ConstantR0<int32_t>(b, 3)}, {2}); }},
    {"dynamic-update-slice.rank", "f32[4,4] f32[2] s32[2]",
     [](HloBuilder&, Ops x) { DynamicUpdateSlice(x[0], x[1], {x[2]}); }},
    {"dynamic-update-slice.operand", "f32[4] (f32[2]) s32[]",
     [](HloBuilder&, Ops x) { DynamicUpdateSlice(x[0], x[1], {x[2]}); }},
    {"dynamic-update-slice.index-count", "f32[4] f32[2] s32[] s32[]",
     [](HloBuilder&, Ops x) {
       DynamicUpdateSlice(x[0], x[1], {x[2], x[3]});
     }},
    {"dynamic-update-slice.index-type", "f32[4] f32[2] pred[]",
     [](HloBuilder&, Ops x) { DynamicUpdateSlice(x[0], x[1], {x[2]}); }},
    {"dynamic-update-slice.element-type", "f32[4] s32[2] s32[]",
     [](HloBuilder&, Ops x) { DynamicUpdateSlice(x[0], x[1], {x[2]}); }},
    {"dynamic-update-slice.size-range", "f32[4] f32[5] s32[]",
     [](HloBuilder&, Ops x) { DynamicUpdateSlice(x[0], x[1], {x[2]}); }},
    {"dynamic-update-slice.size-positive", "f32[4] f32[0] s32[]",
     [](HloBuilder&, Ops x) { DynamicUpdateSlice(x[0], x[1], {x[2]}); }},
    {"dynamic-update-slice.constant-start", "f32[4] f32[2]",
     [](HloBuilder& b, Ops x) { DynamicUpdateSlice(x[0], x[1], {ConstantR0<int32_t>(b, -1)}); }},
    {"gather.window-rank", "f32[8,8] s32[2,1]",
     [](HloBuilder&, Ops x) {
       Gather(x[0], x[1], {.offset_dims = {1}, .start_index_map = {0}, .index_vector_dim = 1},
              {1, 8});
     }},
    {"gather.operand-array", "(f32[8,4]) s32[5,1]",
     [](HloBuilder&, Ops x) {
       With(x, Rows(), {1, 4});
     }},
    {"gather.indices-integral", "f32[8,4] f32[5,1]",
     [](HloBuilder&, Ops x) {
       With(x, Rows(), {1, 4});
     }},
    {"gather.index-vector-dim", "f32[8,4] s32[5,1]",
     [](HloBuilder&, Ops x) {
       auto n = Rows();
       n.index_vector_dim = 3;
       With(x, n, {1, 4});
     }},
    {"gather.offset-dims-sorted", "f32[8,4] s32[5,1]",
     [](HloBuilder&, Ops x) {
       auto n = Rows();
       n.offset_dims = {1, 0};
       With(x, n, {1, 4});
     }},
    {"gather.offset-dims-range", "f32[8,4] s32[5,1]",
     [](HloBuilder&, Ops x) {
       auto n = Rows();
       n.offset_dims = {2};
       With(x, n, {1, 4});
     }},
    {"gather.start-index-map-size", "f32[8,4] s32[5,1]",
     [](HloBuilder&, Ops x) {
       auto n = Rows();
       n.start_index_map = {0, 1};
       With(x, n, {1, 4});
     }},
    {"gather.start-index-map-range", "f32[8,4] s32[5,1]",
     [](HloBuilder&, Ops x) {
       auto n = Rows();
       n.start_index_map = {2};
       With(x, n, {1, 4});
     }},
    {"gather.start-index-map-unique", "f32[8,4] s32[5,2]",
     [](HloBuilder&, Ops x) {
       auto n = Rows();
       n.start_index_map = {0, 0};
       With(x, n, {1, 4});
     }},
    {"gather.collapsed-range", "f32[8,4] s32[5,1]",
     [](HloBuilder&, Ops x) {
       auto n = Rows();
       n.collapsed_slice_dims = {2};
       With(x, n, {1, 4});
     }},
    {"gather.collapsed-sorted", "f32[8,4] s32[5,1]",
     [](HloBuilder&, Ops x) {
       auto n = Rows();
       n.collapsed_slice_dims = {1, 0};
       With(x, n, {1, 4});
     }},
    {"gather.batching-same-length", "f32[3,8] s32[3,5,1]",
     [](HloBuilder&, Ops x) {
       auto n = Batched();
       n.start_indices_batching_dims = {};
       With(x, n, {1, 1});
     }},
    {"gather.operand-batching-range", "f32[3,8] s32[3,5,1]",
     [](HloBuilder&, Ops x) {
       auto n = Batched();
       n.operand_batching_dims = {2};
       With(x, n, {1, 1});
     }},
    {"gather.operand-batching-sorted", "f32[3,8] s32[3,5,1]",
     [](HloBuilder&, Ops x) {
       auto n = Batched();
       n.operand_batching_dims = {1, 0};
       n.start_indices_batching_dims = {0, 1};
       With(x, n, {1, 1});
     }},
    {"gather.indices-batching-range", "f32[3,8] s32[3,5,1]",
     [](HloBuilder&, Ops x) {
       auto n = Batched();
       n.start_indices_batching_dims = {3};
       With(x, n, {1, 1});
     }},
    {"gather.indices-batching-unique", "f32[3,8] s32[3,5,1]",
     [](HloBuilder&, Ops x) {
       auto n = Batched();
       n.operand_batching_dims = {0, 1};
       n.start_indices_batching_dims = {0, 0};
       With(x, n, {1, 1});
     }},
    {"gather.batching-disjoint", "f32[3,8] s32[3,5,1]",
     [](HloBuilder&, Ops x) {
       auto n = Batched();
       n.collapsed_slice_dims = {0};
       With(x, n, {1, 1});
     }},
    {"gather.batching-disjoint", "f32[3,8] s32[3,5,1]",
     [](HloBuilder&, Ops x) {
       auto n = Batched();
       n.start_indices_batching_dims = {2};
       With(x, n, {1, 1});
     }},
    {"gather.batching-dim-sizes", "f32[3,8] s32[4,5,1]",
     [](HloBuilder&, Ops x) {
       With(x, Batched(), {1, 1});
     }},
    {"gather.slice-sizes-count", "f32[8,4] s32[5,1]",
     [](HloBuilder&, Ops x) { With(x, Rows(), {1}); }},
    {"gather.slice-size-range", "f32[8,4] s32[5,1]",
     [](HloBuilder&, Ops x) {
       With(x, Rows(), {1, 5});
     }},
    {"gather.slice-size-range", "f32[8,4] s32[5,1]",
     [](HloBuilder&, Ops x) {
       With(x, Rows(), {1, -1});
     }},
    {"gather.collapsed-size", "f32[8,4] s32[5,1]",
     [](HloBuilder&, Ops x) {
       With(x, Rows(), {2, 4});
     }},
    {"gather.batching-size", "f32[3,8] s32[3,5,1]",
     [](HloBuilder&, Ops x) {
       With(x, Batched(), {2, 1});
     }},
};

}  // namespace

Violations IndexingViolations() { return kViolations; }

}  // namespace hlo::testing
