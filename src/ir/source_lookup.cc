// Ranges of computations and instructions form a forest (inline bodies stand inside instructions,
// these inside computations), so the innermost one is found by a binary search for the last that
// begins before the place, and then outwards.
#include "ir/source_lookup.h"

#include <algorithm>

namespace hlo {
namespace {

bool Holds(SourceRange range, uint32_t offset) {
  return range.begin <= offset && offset < range.end;
}

SourcePart PartOf(const Module& module, InstructionId id, uint32_t offset) {
  const Instruction& instruction = module.instruction(id);
  SourcePart part;
  part.computation = instruction.computation;
  part.instruction = id;
  const auto is_in = [&](SourcePart::Kind kind, SourceRange range) {
    if (!Holds(range, offset)) return false;
    part.kind = kind;
    part.range = range;
    return true;
  };
  if (is_in(SourcePart::Kind::kName, instruction.name_range)) return part;
  if (is_in(SourcePart::Kind::kShape, instruction.shape_range)) return part;
  if (is_in(SourcePart::Kind::kOpcode, instruction.opcode_range)) return part;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    part.operand = i;
    if (is_in(SourcePart::Kind::kOperand, instruction.operands[i].range)) return part;
  }
  part.operand = 0;
  for (const Attribute& attribute : instruction.attributes) {
    part.attr = attribute.attr;
    if (is_in(SourcePart::Kind::kAttribute, attribute.range)) return part;
  }
  part.attr = {};
  is_in(SourcePart::Kind::kInstruction, instruction.range);
  return part;
}

}  // namespace

SourceLookup::SourceLookup(const Module& module) : module_(module) {
  for (size_t i = 0; i < module.computations().size(); ++i) {
    const Computation& computation = module.computations()[i];
    // What the parser made has no text of its own.
    if (computation.spelling == Spelling::kAsyncSugar) continue;
    nodes_.push_back({computation.range, ComputationId(i), InstructionId()});
    for (InstructionId id : computation.instructions) {
      const Instruction& instruction = module.instruction(id);
      if (instruction.spelling == Spelling::kTupleSuffix) continue;
      nodes_.push_back({instruction.range, ComputationId(i), id});
    }
  }
  std::erase_if(nodes_, [](const Node& node) { return node.range.empty(); });
  std::ranges::stable_sort(nodes_, [](const Node& a, const Node& b) {
    return a.range.begin != b.range.begin ? a.range.begin < b.range.begin
                                          : a.range.end > b.range.end;
  });
  int32_t open = -1;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    while (open >= 0 && nodes_[static_cast<size_t>(open)].range.end <= nodes_[i].range.begin) {
      open = nodes_[static_cast<size_t>(open)].parent;
    }
    nodes_[i].parent = open;
    open = static_cast<int32_t>(i);
  }
}

SourcePart SourceLookup::At(uint32_t offset) const {
  const auto after = std::ranges::upper_bound(nodes_, offset, {},
                                              [](const Node& node) { return node.range.begin; });
  auto index = static_cast<int32_t>(after - nodes_.begin()) - 1;
  while (index >= 0 && !Holds(nodes_[static_cast<size_t>(index)].range, offset)) {
    index = nodes_[static_cast<size_t>(index)].parent;
  }
  if (index < 0) return {};
  const Node& node = nodes_[static_cast<size_t>(index)];
  if (node.instruction.valid()) return PartOf(module_, node.instruction, offset);
  return {.kind = SourcePart::Kind::kComputation,
          .computation = node.computation,
          .instruction = {},
          .operand = 0,
          .attr = {},
          .range = node.range};
}

}  // namespace hlo
