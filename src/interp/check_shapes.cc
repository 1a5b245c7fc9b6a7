// Much less than verification: instructions nobody executes may be wrong, layouts, shardings and
// metadata do not matter. Float precision may differ (kernels convert), except where values are
// only routed.
#include "interp/check_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "inference/shape_inference.h"
#include "interp/schedule.h"
#include "ir/called_computations.h"

namespace hlo {
namespace {

// Elementwise instructions of the operands' type and sizes: most of a dump, and shapes are
// interned.
bool IsPlainElementwise(const OpView& op) {
  const OpcodeInfo& info = GetOpcodeInfo(op.opcode());
  if (info.family != OpcodeFamily::kElementwise || info.domain == kAnyArray) return false;
  if (!IsIn(op.written_shape()->element_type(), info.domain)) return false;
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    if (op.operand(i).shape != op.written_shape()) return false;
  }
  return true;
}

// Kernels walk through memory in the order of the layout.
bool CheckLayouts(const Shape& shape, SourceRange range, DiagnosticSink& sink) {
  if (shape.layout() && !shape.layout()->IsOrderOf(shape.rank())) {
    return sink.Error("layout.minor-to-major-permutation", range,
                      "layout `{{{}}}` does not name each of {} dimensions once",
                      fmt::join(shape.layout()->minor_to_major, ","), shape.rank());
  }
  return std::ranges::all_of(
      shape.elements(), [&](const Shape& element) { return CheckLayouts(element, range, sink); });
}

bool CheckInstruction(const OpView& op, DiagnosticSink& sink) {
  if (IsPlainElementwise(op)) return true;
  std::optional<Shape> inferred = InferShape(op, sink);
  if (!inferred) return false;
  if (HasTrait(op.opcode(), kShapeIgnored)) return true;
  CompareOptions options = {.ignore_float_precision = !HasTrait(op.opcode(), kRouted)};
  if (Compatible(*op.written_shape(), *inferred, options)) return true;
  return sink.Error("run.result-shape", op.shape_range(),
                    "`{}` is written as `{}` but its operands give `{}`", OpcodeName(op.opcode()),
                    ShapeText(*op.written_shape()), ShapeText(*inferred));
}

}  // namespace

bool CheckShapes(const Module& module, DiagnosticSink& sink) {
  Scheduler scheduler(module, sink);
  std::vector<bool> is_seen(module.computations().size());
  absl::flat_hash_set<const Shape*> seen_shapes;  // they are interned
  std::vector<ComputationId> open;
  auto visit = [&](ComputationId id) {
    if (is_seen[id.value]) return;
    is_seen[id.value] = true;
    open.push_back(id);
  };
  visit(module.entry_id());
  bool ok = true;
  while (!open.empty()) {
    ComputationId id = open.back();
    open.pop_back();
    std::optional<std::span<const InstructionId>> order = scheduler.Order(id);
    if (!order) return false;
    for (InstructionId instruction_id : *order) {
      const Instruction& instruction = module.instruction(instruction_id);
      if (seen_shapes.insert(instruction.shape).second &&
          !CheckLayouts(*instruction.shape, instruction.shape_range, sink)) {
        ok = false;
      }
      if (!CheckInstruction(OpView(module, instruction), sink)) ok = false;
      ForEachCalledComputation(instruction, [&](Attr, ComputationId callee) { visit(callee); });
    }
  }
  return ok;
}

}  // namespace hlo
