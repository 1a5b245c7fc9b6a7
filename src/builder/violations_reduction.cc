// Reductions, windows, and maps by computations. Source: verifier.md 3.9, 4.
#include "builder/violations.h"

namespace hlo::testing {
namespace {

using namespace ops;

// Of places of 2x2 over x[0], f32[4,4], from x[1], an f32[].
void Pool(HloBuilder& b, Ops x, const WindowLists& window) {
  ReduceWindowWithGeneralPadding(b, {x[0]}, {x[1]}, AddF32(b), window);
}
// Of x[0], f32[4], by `select`, from x[1], f32[2], and x[2], f32[].
void Spread(Ops x, const Callee& select, const Callee& scatter) {
  SelectAndScatter(x[0], select, {2}, {2}, Padding::kValid, x[1], x[2], scatter);
}

constexpr Violation kViolations[] = {
    {"builder.map-static-operands", "f32[2] f32[]",
     [](HloBuilder& b, Ops x) { Map(b, {x[0]}, Negation(b), {0}, {x[1]}); }},
    {"map.arity", "f32[2]", [](HloBuilder& b, Ops x) { Map(b, {x[0]}, AddF32(b), {0}); }},
    {"map.dimensions", "f32[2,3]", [](HloBuilder& b, Ops x) { Map(b, {x[0]}, Negation(b), {1}); }},
    {"map.nonempty", "", [](HloBuilder& b, Ops x) { Map(b, x, AddF32(b), {}); }},
    {"map.same-shape", "f32[2] f32[3]", [](HloBuilder& b, Ops x) { Map(b, x, AddF32(b), {0}); }},
    {"map.result-scalar", "f32[2]",
     [](HloBuilder& b, Ops x) {
       Map(b, x, Function(b, "f32[]", [](HloBuilder&, Ops y) { return Broadcast(y[0], {2}); }),
           {0});
     }},
    {"map.param-scalar", "f32[2]",
     [](HloBuilder& b, Ops x) {
       Map(b, x, Function(b, "f32[2]", [](HloBuilder& f, Ops) { return ConstantR0<float>(f, 1); }),
           {0});
     }},
    {"map.param-type", "s32[2]", [](HloBuilder& b, Ops x) { Map(b, x, Negation(b), {0}); }},
    {"reduce.dims-range", "f32[2] f32[]",
     [](HloBuilder& b, Ops x) { Reduce(x[0], x[1], AddF32(b), {1}); }},
    {"reduce.operand-count", "f32[2]",
     [](HloBuilder& b, Ops x) { Reduce(b, {x[0]}, {}, AddF32(b), {0}); }},
    {"reduce.operand-count", "", [](HloBuilder& b, Ops x) { Reduce(b, x, x, AddF32(b), {}); }},
    {"reduce.same-dims", "f32[2] f32[3] f32[]",
     [](HloBuilder& b, Ops x) {
       Reduce(b, {x[0], x[1]}, {x[2], x[2]}, AddF32(b), {0});
     }},
    {"shape.dimension-number", "f32[2] f32[]",
     [](HloBuilder& b, Ops x) { Reduce(x[0], x[1], AddF32(b), {-1}); }},
    {"reduce.dims-unique", "f32[2] f32[]",
     [](HloBuilder& b, Ops x) {
       Reduce(x[0], x[1], AddF32(b), {0, 0});
     }},
    {"reduce.reducer", "s32[2] s32[]",
     [](HloBuilder& b, Ops x) { Reduce(x[0], x[1], AddF32(b), {0}); }},
    {"type.called-computation-precision", "bf16[2] bf16[]",
     [](HloBuilder& b, Ops x) { Reduce(x[0], x[1], AddF32(b), {0}); }},
    {"call-context.embedded-side-effect", "f32[2] f32[]",
     [](HloBuilder& b, Ops x) {
       Reduce(x[0], x[1],
              Function(b, "f32[] f32[]",
                       [](HloBuilder& f, Ops y) {
                         return Add(y[0], Infeed(f, Shape::Scalar(ElementType::kF32)));
                       }),
              {0});
     }},
    {"call-context.scalar-tokens", "f32[2] f32[]",
     [](HloBuilder& b, Ops x) {
       Reduce(x[0], x[1],
              Function(b, "f32[] f32[]",
                       [](HloBuilder& f, Ops y) {
                         CreateToken(f);
                         return Add(y[0], y[1]);
                       }),
              {0});
     }},
    {"reducer.init", "f32[2] s32[]",
     [](HloBuilder& b, Ops x) { Reduce(x[0], x[1], AddF32(b), {0}); }},
    {"reducer.param-count", "f32[2] f32[]",
     [](HloBuilder& b, Ops x) { Reduce(x[0], x[1], Negation(b), {0}); }},
    {"reducer.result-form", "f32[2] f32[2] f32[] f32[]",
     [](HloBuilder& b, Ops x) {
       Reduce(b, {x[0], x[1]}, {x[2], x[3]}, First(b, "f32[] f32[] f32[] f32[]"), {0});
     }},
    {"reducer.result-scalar", "f32[2] f32[]",
     [](HloBuilder& b, Ops x) {
       Reduce(x[0], x[1],
              Function(b, "f32[] f32[]", [](HloBuilder&, Ops y) { return Broadcast(y[0], {2}); }),
              {0});
     }},
    {"reducer.accumulator-param", "f32[2] f32[]",
     [](HloBuilder& b, Ops x) {
       Reduce(x[0], x[1], Function(b, "s32[] f32[]", [](HloBuilder&, Ops y) { return y[1]; }), {0});
     }},
    {"reducer.input-result", "s32[2] f32[]",
     [](HloBuilder& b, Ops x) { Reduce(x[0], x[1], First(b, "f32[] s32[]"), {0}); }},
    {"reducer.input-param", "s32[2] f32[]",
     [](HloBuilder& b, Ops x) { Reduce(x[0], x[1], AddF32(b), {0}); }},
    {"builder.window-lists", "f32[4,4] f32[]",
     [](HloBuilder& b, Ops x) {
       ReduceWindowWithGeneralPadding(b, {x[0]}, {x[1]}, AddF32(b),
                                      {.sizes = {2, 2}, .strides = {1}});
     }},
    {"builder.same-padding-lists", "f32[4] f32[]",
     [](HloBuilder& b, Ops x) { ReduceWindow(x[0], x[1], AddF32(b), {0}, {1}, Padding::kSame); }},
    {"builder.same-padding-lists", "f32[4] f32[]",
     [](HloBuilder& b, Ops x) { ReduceWindow(x[0], x[1], AddF32(b), {2}, {}, Padding::kValid); }},
    {"builder.same-padding-dynamic", "f32[<=4] f32[]",
     [](HloBuilder& b, Ops x) { ReduceWindow(x[0], x[1], AddF32(b), {2}, {1}, Padding::kSame); }},
    {"reduce-window.operand-count", "f32[4]",
     [](HloBuilder& b, Ops x) { ReduceWindow(b, x, {}, AddF32(b), {2}, {2}, Padding::kValid); }},
    {"reduce-window.operand-count", "",
     [](HloBuilder& b, Ops x) { ReduceWindow(b, x, x, AddF32(b), {}, {}, Padding::kValid); }},
    {"reduce-window.same-dims", "f32[4] f32[5] f32[]",
     [](HloBuilder& b, Ops x) {
       ReduceWindow(b, {x[0], x[1]}, {x[2], x[2]}, AddF32(b), {2}, {2}, Padding::kValid);
     }},
    {"reduce-window.window-rank", "f32[4,4] f32[]",
     [](HloBuilder& b, Ops x) { Pool(b, x, {.sizes = {2}}); }},
    {"reduce-window.window", "f32[4] f32[]",
     [](HloBuilder& b, Ops x) { Pool(b, x, {.sizes = {2}, .base_dilations = {INT64_MAX}}); }},
    {"reduce-window.reducer", "s32[4] s32[]",
     [](HloBuilder& b, Ops x) { ReduceWindow(x[0], x[1], AddF32(b), {2}, {2}, Padding::kValid); }},
    {"reduce-window.array", "(f32[4,4]) f32[]",
     [](HloBuilder& b, Ops x) {
       Pool(b, x, {.sizes = {2, 2}});
     }},
    {"window.size-positive", "f32[4] f32[]",
     [](HloBuilder& b, Ops x) { Pool(b, x, {.sizes = {0}}); }},
    {"window.stride-positive", "f32[4] f32[]",
     [](HloBuilder& b, Ops x) { Pool(b, x, {.sizes = {2}, .strides = {-1}}); }},
    {"window.base-dilation", "f32[4] f32[]",
     [](HloBuilder& b, Ops x) { Pool(b, x, {.sizes = {2}, .base_dilations = {0}}); }},
    {"window.window-dilation", "f32[4] f32[]",
     [](HloBuilder& b, Ops x) { Pool(b, x, {.sizes = {2}, .window_dilations = {0}}); }},
    {"window.padded-nonnegative", "f32[4] f32[]",
     [](HloBuilder& b, Ops x) {
       Pool(b, x, {.sizes = {2}, .padding = {{-3, -2}}});
     }},
    {"select-and-scatter.source-shape", "f32[4,6] f32[2,3] f32[]",
     [](HloBuilder& b, Ops x) {
       SelectAndScatter(x[0], LtF32(b), {2, 3}, {2, 3}, Padding::kValid, x[1], x[2], AddF32(b));
     }},
    {"select-and-scatter.source-shape", "(f32[4]) f32[2] f32[]",
     [](HloBuilder& b, Ops x) {
       SelectAndScatterWithGeneralPadding(x[0], LtF32(b), {2}, {2}, {}, x[1], x[2], AddF32(b));
     }},
    {"select-and-scatter.select-params", "f32[4] f32[2] f32[]",
     [](HloBuilder& b, Ops x) { Spread(x, Negation(b), AddF32(b)); }},
    {"select-and-scatter.select-result", "f32[4] f32[2] f32[]",
     [](HloBuilder& b, Ops x) { Spread(x, AddF32(b), AddF32(b)); }},
    {"select-and-scatter.select-types", "f32[4] f32[2] f32[]",
     [](HloBuilder& b, Ops x) {
       Spread(x, ScalarFunction(b, "lt", ElementType::kS32, Lt), AddF32(b));
     }},
    {"select-and-scatter.reducer", "f32[4] f32[2] f32[]",
     [](HloBuilder& b, Ops x) {
       Spread(x, LtF32(b), ScalarFunction(b, "add", ElementType::kS32, Add));
     }},
    {"select-and-scatter.window", "f32[4,4] f32[2] f32[]",
     [](HloBuilder& b, Ops x) {
       SelectAndScatterWithGeneralPadding(x[0], LtF32(b), {2}, {2}, {}, x[1], x[2], AddF32(b));
     }},
};

}  // namespace

Violations ReductionViolations() { return kViolations; }

}  // namespace hlo::testing
