// Rules that only targets with their own mind about layouts and memory spaces have.
// Source: verifier.md 0.7 (shape.result-layout), 1.17.
#include <algorithm>
#include <iterator>

#include "verifier/rules.h"
#include "verifier/shape_index.h"

namespace hlo {
namespace {

constexpr int64_t kDefaultSpace = 0;
constexpr int64_t kFastSpace = 1;
constexpr int64_t kHostSpace = 5;

int64_t MemorySpace(const Shape& shape) {
  return shape.layout() ? shape.layout()->memory_space : 0;
}

bool IsInHostMemory(const Shape& shape) {
  if (MemorySpace(shape) == kHostSpace) return true;
  return std::any_of(shape.elements().begin(), shape.elements().end(), IsInHostMemory);
}

// Opcodes that move data or call: verifier.md 1.17 lists them, and everything collective or
// asynchronous.
bool MayChangeLayout(Opcode opcode) {
  const OpcodeFamily family = GetOpcodeInfo(opcode).family;
  return family == OpcodeFamily::kCollective || family == OpcodeFamily::kEffects ||
         HasTrait(opcode, kChangesLayout);
}

void CheckPreserved(const RuleContext& context, const OpView& op) {
  const Shape& result = *op.written_shape();
  if (MayChangeLayout(op.opcode()) || !result.layout()) return;
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    const Shape& operand = op.operand_shape(i);
    if (!operand.layout() || operand.rank() != result.rank()) continue;
    if (operand.layout()->minor_to_major == result.layout()->minor_to_major) continue;
    context.Report(Rule::kLayoutPreservingOp, op.shape_range(),
                   "`{}` changes the layout of operand {} from `{}` to `{}`",
                   OpcodeName(op.opcode()), i, LayoutText(*operand.layout()),
                   LayoutText(*result.layout()));
    return;
  }
}

void CheckSpaces(const RuleContext& context, const OpView& op) {
  if (op.operand_count() == 0) return;
  int64_t from = MemorySpace(op.operand_shape(0));
  int64_t to = MemorySpace(*op.written_shape());
  bool is_slice = op.opcode() == Opcode::kDynamicSlice;
  bool is_update = op.opcode() == Opcode::kDynamicUpdateSlice;
  if (from == to || !(is_slice || is_update || op.opcode() == Opcode::kCopy)) return;
  if (from == kFastSpace) {
    context.Report(Rule::kMemspaceFastCrossing, op.shape_range(),
                   "`{}` leaves fast memory, {}, for memory space {}", OpcodeName(op.opcode()),
                   from, to);
  } else if (is_slice && from == kDefaultSpace && to == kHostSpace) {
    context.Report(Rule::kMemspaceDynamicSlice, op.shape_range(),
                   "`dynamic-slice` leaves memory space {} for host memory, {}", from, to);
  } else if (is_update && from == kHostSpace && to == kDefaultSpace) {
    context.Report(Rule::kMemspaceDynamicUpdateSlice, op.shape_range(),
                   "`dynamic-update-slice` leaves host memory, {}, for memory space {}", from, to);
  }
}

Shape WithoutSpace(Shape shape) {
  if (!shape.layout()) return shape;
  Layout layout = *shape.layout();
  layout.memory_space = 0;
  shape.set_layout(layout);
  return shape;
}

void CheckHostCopy(const RuleContext& context, const OpView& op) {
  if (op.opcode() != Opcode::kCopy || op.operand_count() != 1) return;
  const Shape& from = op.operand_shape(0);
  const Shape& to = *op.written_shape();
  bool leaves_host = MemorySpace(from) == kHostSpace && MemorySpace(to) != kHostSpace;
  bool enters_host = MemorySpace(from) != kHostSpace && MemorySpace(to) == kHostSpace;
  bool is_same = leaves_host ? WithoutSpace(from) == WithoutSpace(to)
                             : from.element_type() == to.element_type();
  if (!(leaves_host || enters_host) || is_same) return;
  context.Report(Rule::kCopyHostTransfer, op.shape_range(),
                 "a copy {} host memory makes `{}` of `{}`", leaves_host ? "out of" : "into",
                 ShapeTextWithLayout(to), ShapeTextWithLayout(from));
}

bool IsInFusion(const RuleContext& context, const OpView& op) {
  for (const CallSite& site : context.facts().callers(op.instruction().computation)) {
    if (context.module().instruction(site.caller).opcode == Opcode::kFusion) return true;
  }
  return false;
}

// The sizes above 1, from the fastest varying dimension: two arrays with the same ones, or that
// split and join neighbours of them, lie the same in memory.
DimensionVector PhysicalSizes(const Shape& shape) {
  DimensionVector sizes;
  for (int64_t d : shape.layout()->minor_to_major) {
    if (shape.dim(d) != 1) sizes.push_back(shape.dim(d));
  }
  return sizes;
}

// A row-major walk over the result meets the operand's elements in memory order when both are
// row-major, or when their physical sizes are the same list in the same logical order.
bool IsPhysicalBitcast(const Shape& from, const Shape& to) {
  if (!from.layout() || !to.layout()) return true;
  // Layouts that are wrong have been reported.
  if (!from.layout()->IsOrderOf(from.rank()) || !to.layout()->IsOrderOf(to.rank())) return true;
  auto is_row_major = [](const Shape& shape) {
    int64_t previous = shape.rank();
    for (int64_t d : shape.layout()->minor_to_major) {
      if (shape.dim(d) == 1) continue;
      if (d > previous) return false;
      previous = d;
    }
    return true;
  };
  const bool is_empty = std::ranges::count(from.dims(), 0) > 0;
  if (is_empty || (is_row_major(from) && is_row_major(to))) return true;
  auto logical_sizes = [](const Shape& shape) {
    DimensionVector sizes;
    for (int64_t size : shape.dims()) {
      if (size != 1) sizes.push_back(size);
    }
    return sizes;
  };
  return logical_sizes(from) == logical_sizes(to) && PhysicalSizes(from) == PhysicalSizes(to);
}

void CheckReshape(const RuleContext& context, const OpView& op) {
  if (op.opcode() != Opcode::kReshape || IsInFusion(context, op)) return;
  if (IsPhysicalBitcast(op.operand_shape(0), *op.written_shape())) return;
  context.Report(
      Rule::kReshapeIsBitcast, op.shape_range(), "the reshape from `{}` to `{}` moves data",
      ShapeTextWithLayout(op.operand_shape(0)), ShapeTextWithLayout(*op.written_shape()));
}

void CheckBroadcast(const RuleContext& context, const OpView& op) {
  if (op.opcode() != Opcode::kBroadcast) return;
  IntList dims = op.Get<Attr::kDimensions>();
  if (std::is_sorted(dims.begin(), dims.end())) return;
  context.Report(Rule::kBroadcastDimsSorted, op.attribute_range(Attr::kDimensions),
                 "`dimensions={{{}}}` is not ascending", fmt::join(dims, ","));
}

}  // namespace

void VerifyMemory(const RuleContext& context) {
  bool is_on = context.IsOn(Rule::kLayoutPreservingOp) ||
               context.IsOn(Rule::kMemspaceFastCrossing) || context.IsOn(Rule::kMemspaceNoHost) ||
               context.IsOn(Rule::kCopyHostTransfer) || context.IsOn(Rule::kReshapeIsBitcast) ||
               context.IsOn(Rule::kBroadcastDimsSorted);
  if (!is_on) return;
  for (const Instruction& instruction : context.module().instructions()) {
    OpView op = context.View(instruction);
    CheckPreserved(context, op);
    CheckSpaces(context, op);
    CheckHostCopy(context, op);
    CheckReshape(context, op);
    CheckBroadcast(context, op);
    if (!IsInHostMemory(*instruction.shape)) continue;
    context.Report(Rule::kMemspaceNoHost, op.shape_range(), "`{}` is in host memory, space 5",
                   ShapeTextWithLayout(*instruction.shape));
  }
}

}  // namespace hlo
