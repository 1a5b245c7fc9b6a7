// Dot and its relatives. Source: verifier.md 3.6, 4.
#include "builder/violations.h"

namespace hlo::testing {
namespace {

using namespace ops;

// The product of matrices, of scales that are of no importance.
const DotDimensionNumbers& Matrices() {
  static const DotDimensionNumbers numbers = {.lhs_contracting_dimensions = {1},
                                              .rhs_contracting_dimensions = {0}};
  return numbers;
}
void Scaled(Ops x) { ScaledDot(x[0], x[1], x[2], x[3], Matrices()); }
// Rows of x[0], f32[8,4], in groups of x[2], s32[3], by x[1], f32[3,4,2].
RaggedDotDimensionNumbers Grouped() {
  return {.dot = {.lhs_contracting_dimensions = {1}, .rhs_contracting_dimensions = {1}},
          .lhs_ragged_dimensions = {0},
          .rhs_group_dimensions = {0}};
}
void Ragged(Ops x, const RaggedDotDimensionNumbers& numbers) {
  RaggedDot(x[0], x[1], x[2], numbers);
}

constexpr Violation kViolations[] = {
    {"builder.dot-scalar", "f32[] f32[4]", [](HloBuilder&, Ops x) { Dot(x[0], x[1]); }},
    {"dot.contracting-sizes", "f32[2,3] f32[4,2]", [](HloBuilder&, Ops x) { Dot(x[0], x[1]); }},
    {"dot.dims-range", "f32[4] f32[]", [](HloBuilder&, Ops x) { Dot(x[0], x[1]); }},
    {"dot.operand-array", "f32[2,3] (f32[3])",
     [](HloBuilder&, Ops x) { DotGeneral(x[0], x[1], {}); }},
    {"shape.dimension-number", "f32[4] f32[4]",
     [](HloBuilder&, Ops x) {
       DotGeneral(x[0], x[1],
                  {.lhs_contracting_dimensions = {-1}, .rhs_contracting_dimensions = {0}});
     }},
    {"dot.dims-unique", "f32[4,4] f32[4,4]",
     [](HloBuilder&, Ops x) {
       DotGeneral(x[0], x[1],
                  {.lhs_contracting_dimensions = {0},
                   .rhs_contracting_dimensions = {1},
                   .lhs_batch_dimensions = {0},
                   .rhs_batch_dimensions = {0}});
     }},
    {"dot.contracting-count", "f32[4,4] f32[4,4]",
     [](HloBuilder&, Ops x) {
       DotGeneral(x[0], x[1],
                  {.lhs_contracting_dimensions = {0, 1}, .rhs_contracting_dimensions = {1}});
     }},
    {"dot.batch-count", "f32[4,4] f32[4,4]",
     [](HloBuilder&, Ops x) { DotGeneral(x[0], x[1], {.lhs_batch_dimensions = {0}}); }},
    {"dot.batch-sizes", "f32[4,4] f32[5,4]",
     [](HloBuilder&, Ops x) {
       DotGeneral(x[0], x[1], {.lhs_batch_dimensions = {0}, .rhs_batch_dimensions = {0}});
     }},
    {"dot.same-type", "f32[4] s32[4]",
     [](HloBuilder&, Ops x) { Dot(x[0], x[1], {.preferred_element_type = ElementType::kF32}); }},
    {"dot.old-form", "f32[2] f32[3]", [](HloBuilder&, Ops x) { DotGeneral(x[0], x[1], {}); }},
    {"dot.precision-count", "f32[4] f32[4]",
     [](HloBuilder&, Ops x) {
       Dot(x[0], x[1], {.precision = {.operand_precision = {Precision::kHigh}}});
     }},
    {"ragged-dot.dot-rules", "f32[8,4] f32[3,5,2] s32[3]",
     [](HloBuilder&, Ops x) { Ragged(x, Grouped()); }},
    {"ragged-dot.one-ragged-dim", "f32[8,4] f32[3,4,2] s32[3]",
     [](HloBuilder&, Ops x) {
       auto n = Grouped();
       n.lhs_ragged_dimensions = {0, 1};
       Ragged(x, n);
     }},
    {"ragged-dot.ragged-range", "f32[8,4] f32[3,4,2] s32[3]",
     [](HloBuilder&, Ops x) {
       auto n = Grouped();
       n.lhs_ragged_dimensions = {2};
       Ragged(x, n);
     }},
    {"ragged-dot.group-sizes-array", "f32[8,4] f32[3,4,2] (s32[3])",
     [](HloBuilder&, Ops x) { Ragged(x, Grouped()); }},
    {"ragged-dot.group-sizes-rank", "f32[8,4] f32[3,4,2] s32[]",
     [](HloBuilder&, Ops x) { Ragged(x, Grouped()); }},
    {"ragged-dot.group-sizes-shape", "f32[4,8,2] f32[4,3,2,5] s32[5,3]",
     [](HloBuilder&, Ops x) {
       const DotDimensionNumbers batched = {.lhs_contracting_dimensions = {2},
                                            .rhs_contracting_dimensions = {2},
                                            .lhs_batch_dimensions = {0},
                                            .rhs_batch_dimensions = {0}};
       Ragged(x, {.dot = batched, .lhs_ragged_dimensions = {1}, .rhs_group_dimensions = {1}});
     }},
    {"ragged-dot.rhs-group-range", "f32[8,4] f32[3,4,2] s32[3]",
     [](HloBuilder&, Ops x) {
       auto n = Grouped();
       n.rhs_group_dimensions = {3};
       Ragged(x, n);
     }},
    {"ragged-dot.rhs-group-kind", "f32[8,4] f32[3,4,2] s32[3]",
     [](HloBuilder&, Ops x) {
       auto n = Grouped();
       n.rhs_group_dimensions = {1};
       Ragged(x, n);
     }},
    {"ragged-dot.rhs-group-count", "f32[8,4] f32[3,4,2] s32[3]",
     [](HloBuilder&, Ops x) {
       auto n = Grouped();
       n.rhs_group_dimensions = {};
       Ragged(x, n);
     }},
    {"ragged-dot.rhs-group-size", "f32[8,4] f32[3,4,2] s32[5]",
     [](HloBuilder&, Ops x) { Ragged(x, Grouped()); }},
    {"scaled-dot.dot-rules", "f32[2,8] f32[9,4] f32[2,2] f32[1,4]",
     [](HloBuilder&, Ops x) { Scaled(x); }},
    {"scaled-dot.scale-rank", "f32[2,8] f32[8,4] f32[2] f32[2,4]",
     [](HloBuilder&, Ops x) { Scaled(x); }},
    {"scaled-dot.one-contracting", "f32[2,8] f32[8,4] f32[2,2] f32[2,4]",
     [](HloBuilder&, Ops x) { ScaledDot(x[0], x[1], x[2], x[3], {}); }},
    {"scaled-dot.scale-divides", "f32[2,8] f32[8,4] f32[2,3] f32[2,4]",
     [](HloBuilder&, Ops x) { Scaled(x); }},
    {"scaled-dot.some-scale", "f32[2,8] f32[8,4] f32[] f32[]",
     [](HloBuilder&, Ops x) { Scaled(x); }},
};

}  // namespace

Violations ContractionViolations() { return kViolations; }

}  // namespace hlo::testing
