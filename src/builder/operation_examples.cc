// All examples, and the names of all operations.
#include "builder/operation_examples.h"

namespace hlo::testing {

std::vector<OperationExample> AllExamples() {
  std::vector<OperationExample> all;
  for (const auto& family :
       {ElementwiseExamples(), LeafExamples(), DataMovementExamples(), IndexingExamples(),
        ReductionExamples(), ContractionExamples(), LinalgExamples(), ControlFlowExamples(),
        CollectiveExamples(), EffectsExamples()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

std::set<std::string> OperationNames() {
  std::set<std::string> names;
  for (const OperationExample& example : AllExamples()) names.insert(example.operation);
#define HLO_UNARY_OPERATION(Name, opcode) names.insert(#Name);
#define HLO_TRANSCENDENTAL_OPERATION HLO_UNARY_OPERATION
#define HLO_BINARY_OPERATION HLO_UNARY_OPERATION
#define HLO_LOGICAL_OPERATION HLO_UNARY_OPERATION
#define HLO_COMPARISON_OPERATION(Name, TotalOrderName, direction) \
  names.insert(#Name);                                            \
  names.insert(#TotalOrderName);
#include "builder/elementwise.def"
  return names;
}

}  // namespace hlo::testing
