// Programs as pictures: Graphviz text.
#ifndef HLOKIT_TOOLS_GRAPH_TEXT_H_
#define HLOKIT_TOOLS_GRAPH_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "ir/module.h"

namespace hlo::tools {

struct GraphOptions {
  ComputationId computation;            // what is drawn; fused computations are drawn inside
  std::optional<InstructionId> around;  // draw only what is near this instruction
  int64_t depth = 2;                    // with `around`: so many edges away
};

// A directed graph: a node for each instruction, coloured by the family of its opcode, an edge with
// its shape for each operand, a cluster for each fusion.
std::string GraphText(const Module& module, const GraphOptions& options);

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_GRAPH_TEXT_H_
