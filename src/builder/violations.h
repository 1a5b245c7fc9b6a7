// Calls of the builder's functions that break rules, by family. Tests walk the lists.
#ifndef HLOKIT_BUILDER_VIOLATIONS_H_
#define HLOKIT_BUILDER_VIOLATIONS_H_

#include <span>
#include <string_view>

#include "builder/operation_examples.h"

namespace hlo::testing {

// What only warns is no error of the builder: the module is built, and the verifier tells.
struct Violation {
  std::string_view rule;
  std::string_view parameters;  // shapes of x[0], x[1] ...: "f32[2] (f32[],s32[])"
  void (*break_it)(HloBuilder& b, ops::Ops x);
};
using Violations = std::span<const Violation>;

Violations MisuseViolations();  // handles, computations, builders
Violations ModuleViolations();  // what is known of the whole module: aliases, calls, order
Violations ShardingViolations();
Violations ShapeViolations();  // shapes and layouts that callers hand over
Violations ElementwiseViolations();
Violations DataMovementViolations();
Violations SlicingViolations();   // pad, slice, concatenate, dynamic sizes
Violations IndexingViolations();  // dynamic slices, gather
Violations ScatterViolations();
Violations ReductionViolations();
Violations SortAndScanViolations();
Violations ContractionViolations();
Violations ConvolutionViolations();  // and windows
Violations LinalgViolations();       // and random numbers
Violations ControlFlowViolations();
Violations CustomCallViolations();  // and buffers
Violations CollectiveViolations();
Violations EffectsViolations();

// (x, y) -> x + y, (x, y) -> x < y, x -> -x on f32 scalars.
ops::Callee AddF32(HloBuilder& b);
ops::Callee LtF32(HloBuilder& b);
ops::Callee Negation(HloBuilder& b);
// `body` of parameters of these shapes.
ops::Callee Function(HloBuilder& b, std::string_view parameters,
                     ops::Op (*body)(HloBuilder& f, ops::Ops x));
// The function that returns the first of these parameters.
ops::Callee First(HloBuilder& b, std::string_view parameters);
// The shapes in such a list.
std::vector<Shape> ShapesOf(std::string_view parameters);

}  // namespace hlo::testing

#endif  // HLOKIT_BUILDER_VIOLATIONS_H_
