// What is known of the whole module only. Source: verifier.md 1.1 to 1.5, 1.7, 1.16.
#include "builder/violations.h"

namespace hlo::testing {
namespace {

using namespace ops;

constexpr Violation kViolations[] = {
    {"module.name-nonempty", "",
     [](HloBuilder& b, Ops) {
       HloBuilder nameless("");
       b = nameless;
       P(b, 0, "f32[]");
     }},
    {"module.replica-count", "f32[]", [](HloBuilder& b, Ops) { b.SetReplicaCount(0); }},
    {"comp.unreachable", "f32[]",
     [](HloBuilder& b, Ops x) {
       Negation(b);
       Neg(x[0]);
     }},
    {"comp.dataflow-cycle", "f32[]",
     [](HloBuilder& b, Ops x) {
       const Op y = Neg(x[0]);
       b.AddControlDependencies(y, {Neg(y)});
     }},
    {"comp.dataflow-cycle", "f32[]",
     [](HloBuilder& b, Ops x) { b.AddControlDependencies(x[0], {x[0]}); }},
    {"control.duplicate", "f32[]",
     [](HloBuilder& b, Ops x) {
       const Op y = Neg(x[0]);
       b.AddControlDependencies(Neg(x[0]), {y, y});
     }},
    {"inst.dead", "f32[]",
     [](HloBuilder&, Ops x) {
       Neg(x[0]);
       Abs(x[0]);
     }},
    {"attr.value-kind", "f32[]",
     [](HloBuilder& b, Ops x) { b.SetFrontendAttribute(x[0], "two words", "v"); }},
    {"attr.value-kind", "f32[]",
     [](HloBuilder& b, Ops x) {
       const FrontendAttributesScope scope(b, {{"", "v"}});
       Neg(x[0]);
     }},
    {"alias.output-index", "f32[]", [](HloBuilder& b, Ops) { b.SetUpAlias({0}, 0, {}); }},
    {"alias.output-unique", "f32[] f32[]",
     [](HloBuilder& b, Ops x) {
       b.SetUpAlias({}, 0, {});
       b.SetUpAlias({}, 1, {});
       Neg(x[0]);
     }},
    {"alias.param-number", "f32[]", [](HloBuilder& b, Ops) { b.SetUpAlias({}, 1, {}); }},
    {"alias.param-index", "f32[]", [](HloBuilder& b, Ops) { b.SetUpAlias({}, 0, {2}); }},
    {"alias.array-leaf", "(f32[])", [](HloBuilder& b, Ops) { b.SetUpAlias({}, 0, {}); }},
    {"alias.param-unique", "f32[]",
     [](HloBuilder& b, Ops x) {
       b.SetUpAlias({0}, 0, {});
       b.SetUpAlias({1}, 0, {});
       Tuple(b, {x[0], Neg(x[0])});
     }},
    {"alias.must-alias-shape", "f32[2]",
     [](HloBuilder& b, Ops x) {
       b.SetUpAlias({}, 0, {}, AliasKind::kMust);
       Slice(x[0], {0}, {1});
     }},
    {"dynamic.unbounded-disabled", "f32[?]", [](HloBuilder&, Ops x) { Neg(x[0]); }},
};

}  // namespace

Violations ModuleViolations() { return kViolations; }

}  // namespace hlo::testing
