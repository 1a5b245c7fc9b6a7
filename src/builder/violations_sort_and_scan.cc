// Sort, TopK and Scan. Source: verifier.md 3.9, 4.
#include "builder/violations.h"

namespace hlo::testing {
namespace {

using namespace ops;

// (element, carry) -> (element, carry), f32 scalars.
Callee Both(HloBuilder& b) {
  return Function(b, "f32[] f32[]", [](HloBuilder& f, Ops x) { return Tuple(f, {x[0], x[1]}); });
}

constexpr Violation kViolations[] = {
    {"sort.comparator-result", "f32[3]", [](HloBuilder& b, Ops x) { Sort({x[0]}, AddF32(b)); }},
    {"sort.same-dims", "f32[3] s32[4]", [](HloBuilder&, Ops x) { Sort(x[0], x[1]); }},
    {"builder.operation-handle", "",
     [](HloBuilder& b, Ops x) { b.Build(Sort(x, LtF32(b))).status().IgnoreError(); }},
    {"sort.same-dims", "f32[3] f32[4]", [](HloBuilder& b, Ops x) { Sort(x, LtF32(b)); }},
    {"sort.same-dims", "(f32[3])", [](HloBuilder&, Ops x) { Sort(x[0]); }},
    {"sort.dimension", "f32[3]", [](HloBuilder& b, Ops x) { Sort(x, LtF32(b), 1); }},
    {"sort.dimension-negative", "f32[3]", [](HloBuilder& b, Ops x) { Sort(x, LtF32(b), -2); }},
    {"sort.comparator-params", "f32[3] f32[3]", [](HloBuilder& b, Ops x) { Sort(x, LtF32(b)); }},
    {"sort.comparator-types", "s32[3]", [](HloBuilder& b, Ops x) { Sort(x, LtF32(b)); }},
    {"topk.k-bound", "f32[3]", [](HloBuilder&, Ops x) { TopK(x[0], 4); }},
    {"topk.rank", "f32[]", [](HloBuilder&, Ops x) { TopK(x[0], 1); }},
    {"topk.rank", "(f32[3])", [](HloBuilder&, Ops x) { TopK(x[0], 1); }},
    {"topk.k-nonnegative", "f32[3]", [](HloBuilder&, Ops x) { TopK(x[0], -1); }},
    {"builder.scan-length", "f32[]",
     [](HloBuilder& b, Ops x) { Scan(b, {}, {x[0]}, Negation(b), 0); }},
    {"shape.dim-nonnegative", "f32[]",
     [](HloBuilder& b, Ops x) {
       Scan(b, {}, {x[0]},
            Function(b, "f32[]",
                     [](HloBuilder& f, Ops y) {
                       return Tuple(f, {y[0], y[0]});
                     }),
            0, -1);
     }},
    {"scan.same-length", "f32[3]",
     [](HloBuilder& b, Ops x) { Scan(b, {x[0]}, {}, Negation(b), 0, 4); }},
    {"scan.dimension", "f32[3]", [](HloBuilder& b, Ops x) { Scan(b, {x[0]}, {}, Negation(b), 1); }},
    {"scan.dimension", "f32[3] f32[]",
     [](HloBuilder& b, Ops x) { Scan(b, {x[0]}, {x[1]}, Both(b), -1); }},
    {"scan.same-length", "f32[3] f32[4]",
     [](HloBuilder& b, Ops x) { Scan(b, x, {}, AddF32(b), 0); }},
    {"scan.results-carries", "f32[3] f32[] f32[]",
     [](HloBuilder& b, Ops x) {
       Scan(b, {x[0]}, {x[1], x[2]}, First(b, "f32[] f32[] f32[]"), 0);
     }},
    {"scan.not-trivial", "f32[]", [](HloBuilder& b, Ops x) { Scan(b, {}, x, Negation(b), 0, 3); }},
    {"scan.params", "f32[3] f32[]",
     [](HloBuilder& b, Ops x) { Scan(b, {x[0]}, {x[1]}, Negation(b), 0); }},
    {"scan.input-element", "f32[3,2] f32[]",
     [](HloBuilder& b, Ops x) { Scan(b, {x[0]}, {x[1]}, Both(b), 0); }},
    {"scan.carry-param", "f32[3] s32[]",
     [](HloBuilder& b, Ops x) { Scan(b, {x[0]}, {x[1]}, Both(b), 0); }},
    {"scan.carry-result", "f32[3] f32[]",
     [](HloBuilder& b, Ops x) {
       Scan(b, {x[0]}, {x[1]},
            Function(b, "f32[] f32[]",
                     [](HloBuilder& f, Ops y) {
                       return Tuple(f, {y[0], ConstantR0<int32_t>(f, 1)});
                     }),
            0);
     }},
};

}  // namespace

Violations SortAndScanViolations() { return kViolations; }

}  // namespace hlo::testing
