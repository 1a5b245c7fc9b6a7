// Scatter. Source: verifier.md 3.8, 4.
#include "builder/violations.h"

namespace hlo::testing {
namespace {

using namespace ops;

// Of rows into x[0] at x[1], from x[2]: f32[8,4], s32[5,1], f32[5,4] where nothing is wrong.
ScatterDimensionNumbers Rows() {
  return {.update_window_dims = {1},
          .inserted_window_dims = {0},
          .scatter_dims_to_operand_dims = {0},
          .index_vector_dim = 1};
}
// Of elements along dimension 1, for each b: f32[3,8], s32[3,5,1], f32[3,5].
ScatterDimensionNumbers Batched() {
  return {.inserted_window_dims = {1},
          .scatter_dims_to_operand_dims = {1},
          .input_batching_dims = {0},
          .scatter_indices_batching_dims = {0},
          .index_vector_dim = 2};
}
void With(HloBuilder& b, Ops x, const ScatterDimensionNumbers& numbers) {
  Scatter(x[0], x[1], x[2], AddF32(b), numbers);
}

constexpr Violation kViolations[] = {
    {"builder.scatter-counts", "f32[4] s32[1] f32[]",
     [](HloBuilder& b, Ops x) {
       Scatter({x[0], x[0]}, x[1], {x[2]}, AddF32(b), {});
     }},
    {"builder.scatter-counts", "s32[1]",
     [](HloBuilder& b, Ops x) { Scatter(Ops(), x[0], Ops(), AddF32(b), {}); }},
    {"scatter.indices-integral", "f32[4] f32[1] f32[]",
     [](HloBuilder& b, Ops x) {
       Scatter(x[0], x[1], x[2], AddF32(b),
               {.inserted_window_dims = {0}, .scatter_dims_to_operand_dims = {0}});
     }},
    {"scatter.operand-array", "(f32[8,4]) s32[5,1] f32[5,4]",
     [](HloBuilder& b, Ops x) { With(b, x, Rows()); }},
    {"scatter.index-vector-dim", "f32[8,4] s32[5,1] f32[5,4]",
     [](HloBuilder& b, Ops x) {
       auto n = Rows();
       n.index_vector_dim = -1;
       With(b, x, n);
     }},
    {"scatter.updates-rank", "f32[8,4] s32[5,1] f32[5,4,1]",
     [](HloBuilder& b, Ops x) { With(b, x, Rows()); }},
    {"scatter.update-window-sorted", "f32[8,4] s32[5,1] f32[5,4]",
     [](HloBuilder& b, Ops x) {
       auto n = Rows();
       n.update_window_dims = {1, 0};
       With(b, x, n);
     }},
    {"scatter.update-window-range", "f32[8,4] s32[5,1] f32[5,4]",
     [](HloBuilder& b, Ops x) {
       auto n = Rows();
       n.update_window_dims = {2};
       With(b, x, n);
     }},
    {"scatter.inserted-sorted", "f32[8,4] s32[5,1] f32[5,4]",
     [](HloBuilder& b, Ops x) {
       auto n = Rows();
       n.inserted_window_dims = {0, 0};
       With(b, x, n);
     }},
    {"scatter.inserted-range", "f32[8,4] s32[5,1] f32[5,4]",
     [](HloBuilder& b, Ops x) {
       auto n = Rows();
       n.inserted_window_dims = {2};
       With(b, x, n);
     }},
    {"scatter.window-rank", "f32[8,4,2] s32[5,1] f32[5,4]",
     [](HloBuilder& b, Ops x) { With(b, x, Rows()); }},
    {"scatter.map-size", "f32[8,4] s32[5,2] f32[5,4]",
     [](HloBuilder& b, Ops x) { With(b, x, Rows()); }},
    {"scatter.map-range", "f32[8,4] s32[5,1] f32[5,4]",
     [](HloBuilder& b, Ops x) {
       auto n = Rows();
       n.scatter_dims_to_operand_dims = {2};
       With(b, x, n);
     }},
    {"scatter.map-unique", "f32[8,4] s32[5,2] f32[5,4]",
     [](HloBuilder& b, Ops x) {
       auto n = Rows();
       n.scatter_dims_to_operand_dims = {0, 0};
       With(b, x, n);
     }},
    {"scatter.batching-same-length", "f32[3,8] s32[3,5,1] f32[3,5]",
     [](HloBuilder& b, Ops x) {
       auto n = Batched();
       n.scatter_indices_batching_dims = {};
       With(b, x, n);
     }},
    {"scatter.input-batching-sorted", "f32[3,8] s32[3,5,1] f32[3,5]",
     [](HloBuilder& b, Ops x) {
       auto n = Batched();
       n.input_batching_dims = {1, 0};
       n.scatter_indices_batching_dims = {0, 1};
       With(b, x, n);
     }},
    {"scatter.input-batching-range", "f32[3,8] s32[3,5,1] f32[3,5]",
     [](HloBuilder& b, Ops x) {
       auto n = Batched();
       n.input_batching_dims = {2};
       With(b, x, n);
     }},
    {"scatter.indices-batching-range", "f32[3,8] s32[3,5,1] f32[3,5]",
     [](HloBuilder& b, Ops x) {
       auto n = Batched();
       n.scatter_indices_batching_dims = {3};
       With(b, x, n);
     }},
    {"scatter.indices-batching-unique", "f32[3,8] s32[3,5,1] f32[3,5]",
     [](HloBuilder& b, Ops x) {
       auto n = Batched();
       n.input_batching_dims = {0, 1};
       n.scatter_indices_batching_dims = {0, 0};
       With(b, x, n);
     }},
    {"scatter.batching-disjoint", "f32[3,8] s32[3,5,1] f32[3,5]",
     [](HloBuilder& b, Ops x) {
       auto n = Batched();
       n.inserted_window_dims = {0};
       With(b, x, n);
     }},
    {"scatter.batching-disjoint", "f32[3,8] s32[3,5,1] f32[3,5]",
     [](HloBuilder& b, Ops x) {
       auto n = Batched();
       n.scatter_dims_to_operand_dims = {0};
       With(b, x, n);
     }},
    {"scatter.batching-disjoint", "f32[3,8] s32[3,5,1] f32[3,5]",
     [](HloBuilder& b, Ops x) {
       auto n = Batched();
       n.scatter_indices_batching_dims = {2};
       With(b, x, n);
     }},
    {"scatter.window-bound", "f32[8,4] s32[5,1] f32[5,5]",
     [](HloBuilder& b, Ops x) { With(b, x, Rows()); }},
    {"scatter.scatter-bound", "f32[8,4] s32[5,1] f32[6,4]",
     [](HloBuilder& b, Ops x) { With(b, x, Rows()); }},
    {"scatter.reducer", "s32[8,4] s32[5,1] s32[5,4]",
     [](HloBuilder& b, Ops x) { With(b, x, Rows()); }},
    {"scatter.same-dims", "f32[8,4] f32[9,4] s32[5,1] f32[5,4]",
     [](HloBuilder& b, Ops x) {
       const Callee both = Function(b, "f32[] f32[] f32[] f32[]", [](HloBuilder& f, Ops y) {
         return Tuple(f, {y[2], y[3]});
       });
       Scatter({x[0], x[1]}, x[2], {x[3], x[3]}, both, Rows());
     }},
};

}  // namespace

Violations ScatterViolations() { return kViolations; }

}  // namespace hlo::testing
