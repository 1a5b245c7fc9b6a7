// Calls, loops and conditionals. Source: verifier.md 3.11, 4.
#include "builder/violations.h"

namespace hlo::testing {
namespace {

using namespace ops;

Callee Holds(HloBuilder& b, std::string_view parameters) {
  return Function(b, parameters, [](HloBuilder& f, Ops) { return ConstantR0<bool>(f, true); });
}

constexpr Violation kViolations[] = {
    {"call.arity", "f32[]", [](HloBuilder& b, Ops x) { Call(b, AddF32(b), {x[0]}); }},
    {"call.param-shape", "s32[]", [](HloBuilder& b, Ops x) { Call(b, Negation(b), {x[0]}); }},
    {"call.composite-attributes", "f32[]",
     [](HloBuilder& b, Ops x) { CompositeCall(b, Negation(b), x, ""); }},
    {"call.composite-dict", "f32[]",
     [](HloBuilder& b, Ops x) { CompositeCall(b, Negation(b), x, "mine", ""); }},
    {"call.composite-version", "f32[]",
     [](HloBuilder& b, Ops x) { CompositeCall(b, Negation(b), x, "mine", "{}", -1); }},
    {"call-context.both", "f32[2] f32[]",
     [](HloBuilder& b, Ops x) {
       const Callee add = AddF32(b);
       Call(b, add, {Reduce(x[0], x[1], add, {0}), x[1]});
     }},
    {"while.condition-result", "f32[]",
     [](HloBuilder& b, Ops x) { While(Negation(b), Negation(b), x[0]); }},
    {"while.body-params", "f32[]",
     [](HloBuilder& b, Ops x) { While(Negation(b), AddF32(b), x[0]); }},
    {"while.condition-params", "f32[]",
     [](HloBuilder& b, Ops x) { While(Holds(b, "f32[] f32[]"), Negation(b), x[0]); }},
    {"while.body-param-shape", "s32[]",
     [](HloBuilder& b, Ops x) { While(Holds(b, "s32[]"), Negation(b), x[0]); }},
    {"while.condition-param-shape", "f32[]",
     [](HloBuilder& b, Ops x) { While(Holds(b, "s32[]"), Negation(b), x[0]); }},
    {"while.body-shape", "f32[]",
     [](HloBuilder& b, Ops x) {
       While(Holds(b, "f32[]"),
             Function(b, "f32[]", [](HloBuilder& f, Ops) { return ConstantR0<int32_t>(f, 1); }),
             x[0]);
     }},
    {"builder.conditional-selector", "f32[] u32[]",
     [](HloBuilder& b, Ops x) {
       const Callee f = Negation(b);
       Conditional(x[1], {f, f}, {x[0], x[0]});
     }},
    {"builder.conditional-selector", "f32[] pred[2]",
     [](HloBuilder& b, Ops x) {
       const Callee f = Negation(b);
       Conditional(x[1], x[0], f, x[0], f);
     }},
    {"conditional.operand-count", "s32[]",
     [](HloBuilder& b, Ops x) { Conditional(x[0], {Negation(b)}, {}); }},
    {"conditional.operand-count", "s32[] f32[]",
     [](HloBuilder& b, Ops x) {
       Conditional(x[0], {Negation(b)}, {x[1], x[1]});
     }},
    {"conditional.branch-params", "s32[] f32[]",
     [](HloBuilder& b, Ops x) { Conditional(x[0], {AddF32(b)}, {x[1]}); }},
    {"conditional.branch-param-shape", "pred[] s32[]",
     [](HloBuilder& b, Ops x) {
       const Callee f = Negation(b);
       Conditional(x[0], x[1], f, x[1], f);
     }},
    {"conditional.branch-result", "pred[] f32[]",
     [](HloBuilder& b, Ops x) { Conditional(x[0], x[1], Negation(b), x[1], Holds(b, "f32[]")); }},
};

}  // namespace

Violations ControlFlowViolations() { return kViolations; }

}  // namespace hlo::testing
