// Handles of other programs, or of none, and computations that were built. Source: verifier.md 4.
#include "builder/violations.h"

namespace hlo::testing {
namespace {

using namespace ops;

constexpr Violation kViolations[] = {
    {"builder.operation-handle", "f32[]", [](HloBuilder&, Ops x) { Add(x[0], Op()); }},
    {"builder.operation-handle", "", [](HloBuilder& b, Ops) { Tuple(b, {Op()}); }},
    {"builder.operation-handle", "f32[2] f32[]",
     [](HloBuilder&, Ops x) { Reduce(x[0], x[1], Callee(), {0}); }},
    {"builder.one-module", "f32[]",
     [](HloBuilder&, Ops x) {
       HloBuilder other("other");
       Add(x[0], P(other, 0, "f32[]"));
     }},
    {"builder.one-module", "f32[]",
     [](HloBuilder& b, Ops x) {
       HloBuilder other("other");
       Call(b, Negation(other), {x[0]});
     }},
    {"builder.one-computation", "f32[]",
     [](HloBuilder& b, Ops x) {
       HloBuilder inner = b.CreateSubBuilder("inner");
       Add(x[0], P(inner, 0, "f32[]"));
     }},
    {"builder.computation-finished", "",
     [](HloBuilder& b, Ops) {  // the way to recursion
       HloBuilder inner = b.CreateSubBuilder("inner");
       const Op y = P(inner, 0, "f32[]");
       const Callee itself = inner.BuildComputation(Neg(y));
       Call(inner, itself, {y});
     }},
    {"builder.computation-finished", "f32[]",
     [](HloBuilder& b, Ops x) { b.BuildComputation(x[0]); }},
    {"builder.operation-handle", "", [](HloBuilder& b, Ops) { Call(b, Callee(), {}); }},
    {"builder.operation-handle", "f32[]",
     [](HloBuilder& b, Ops x) { While(Callee(), Negation(b), x[0]); }},
    {"builder.one-module", "f32[2]",
     [](HloBuilder&, Ops x) {
       HloBuilder other("other");
       AllReduce(x[0], AddF32(other));
     }},
    {"builder.one-module", "f32[]",
     [](HloBuilder& b, Ops) {
       HloBuilder other("other");
       b.Build(P(other, 0, "f32[]")).status().IgnoreError();
     }},
    {"builder.one-module", "f32[]",
     [](HloBuilder& b, Ops x) {
       HloBuilder other("other");
       b.AddControlDependencies(x[0], {P(other, 0, "f32[]")});
     }},
    {"builder.one-computation", "f32[]",
     [](HloBuilder& b, Ops x) {
       HloBuilder inner = b.CreateSubBuilder("inner");
       inner.BuildComputation(x[0]);
     }},
};

}  // namespace

Violations MisuseViolations() { return kViolations; }

}  // namespace hlo::testing
