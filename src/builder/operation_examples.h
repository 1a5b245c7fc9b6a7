// One call of every operation, with the instructions that it makes. Tests walk the list.
#ifndef HLOKIT_BUILDER_OPERATION_EXAMPLES_H_
#define HLOKIT_BUILDER_OPERATION_EXAMPLES_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "builder/hlo_builder.h"
#include "builder/operations.h"
#include "testing/run_module.h"

namespace hlo::testing {

struct OperationExample {
  std::string operation;            // the function's name
  ops::Op (*build)(HloBuilder& b);  // the result; an Op not valid(): what was added last
  std::string text;                 // EntryText of the module
};

std::vector<OperationExample> ElementwiseExamples();
std::vector<OperationExample> LeafExamples();
std::vector<OperationExample> DataMovementExamples();
std::vector<OperationExample> IndexingExamples();
std::vector<OperationExample> ReductionExamples();
std::vector<OperationExample> ContractionExamples();
std::vector<OperationExample> LinalgExamples();
std::vector<OperationExample> ControlFlowExamples();
std::vector<OperationExample> CollectiveExamples();
std::vector<OperationExample> EffectsExamples();
std::vector<OperationExample> AllExamples();
// Of all operations: those of the examples, and of elementwise.def.
std::set<std::string> OperationNames();

// Parameter p0, p1 ... of a shape such as "f32[2,3]".
ops::Op P(HloBuilder& builder, int64_t number, std::string_view shape);
// (x, y) -> x + y, x < y and the like on scalars of `type`.
ops::Callee ScalarFunction(HloBuilder& builder, std::string_view name, ElementType type,
                           ops::Op (*function)(const ops::Op&, const ops::Op&, ops::Ints,
                                               ops::SourceLocation));

}  // namespace hlo::testing

#endif  // HLOKIT_BUILDER_OPERATION_EXAMPLES_H_
