// Maps through computations: from one instruction to everything before it, or behind it
// (indexing.md 2.6).
#ifndef HLOKIT_INDEXING_GROUPED_H_
#define HLOKIT_INDEXING_GROUPED_H_

#include <cstdint>
#include <span>
#include <vector>

#include "indexing/op_maps.h"
#include "ir/module.h"

namespace hlo::indexing {

// How one value is reached. `element` of a tuple; ArrayMaps::kAllElements where any may be.
struct GroupedMaps {
  InstructionId instruction;
  int64_t element = 0;
  MapSet maps;
};

// From element `output` of `start` to everything it is made of within its computation, itself
// included, consumers before producers. Called computations are entered. A path through an opcode
// without maps ends in an unknown map. `fused`: what takes part; other instructions are reached and
// not passed, and a start that is none of them reaches itself alone. Empty: everything.
std::vector<GroupedMaps> GroupedOutputToInput(const Module& module, InstructionId start,
                                              int64_t output, ExprContext& context,
                                              const IndexingOptions& options = {},
                                              std::span<const InstructionId> fused = {});

// From element `element` of `start` to everything that is made of it within its computation,
// producers before consumers.
std::vector<GroupedMaps> GroupedInputToOutput(const Module& module, InstructionId start,
                                              int64_t element, ExprContext& context,
                                              const IndexingOptions& options = {});

// The maps from one instruction's index to another's, in whichever direction values flow; an empty
// set when neither is made of the other. Both are in one computation.
MapSet MapsBetween(const Module& module, InstructionId from, InstructionId to, ExprContext& context,
                   const IndexingOptions& options = {});

// The maps of each operand, united where operands are the same instruction.
std::vector<GroupedMaps> ByProducer(const OpView& op, std::span<const ArrayMaps> operands);

// The same map between memory positions: indices in the order of the dimensions in memory
// (indexing_xla.md 4). The shapes are those of the array the map starts from and leads to.
IndexingMap PhysicalMap(const IndexingMap& map, const Shape& from, const Shape& to);

}  // namespace hlo::indexing

#endif  // HLOKIT_INDEXING_GROUPED_H_
