// The families; one function each, in files of their names.
#include "interp/cost/cost.h"

#include "interp/cost/cost_family.h"
#include "ir/leaves.h"
#include "support/check.h"

namespace hlo {
namespace cost {

double ElementsOf(const Shape& shape) {
  double total = 0;
  ForEachLeaf(shape, [&](const Shape& leaf) {
    const Shape& array = ArrayShapeOf(leaf);
    double count = array.IsArray() ? 1 : 0;
    for (int64_t size : array.dims()) count *= static_cast<double>(size);
    total += count;
  });
  return total;
}

double BytesOf(const Shape& shape) {
  double total = 0;
  ForEachLeaf(shape, [&](const Shape& leaf) {
    const Shape& array = ArrayShapeOf(leaf);
    if (array.IsArray()) total += ElementsOf(array) * ElementByteSize(array.element_type());
  });
  return total;
}

double OperandElements(const OpView& op) {
  double count = 0;
  for (int64_t i = 0; i < op.operand_count(); ++i) count += ElementsOf(op.operand_shape(i));
  return count;
}

double OperandBytes(const OpView& op) {
  double count = 0;
  for (int64_t i = 0; i < op.operand_count(); ++i) count += BytesOf(op.operand_shape(i));
  return count;
}

double FlopsOfCall(const OpView& op, ComputationId computation) {
  double flops = 0;
  for (InstructionId id : op.computation(computation).instructions) {
    flops += CostOf(OpView(op.module(), op.module().instruction(id))).flops;
  }
  return flops;
}

double WindowSize(const OpView& op) {
  double size = 1;
  for (const WindowDimension& dimension : op.Get<Attr::kWindow>().dimensions) {
    size *= static_cast<double>(dimension.size);
  }
  return size;
}

}  // namespace cost

Cost CostOf(const OpView& op) {
  if (HasTrait(op.opcode(), kRouted)) return {};
  switch (GetOpcodeInfo(op.opcode()).family) {
    case OpcodeFamily::kElementwise:
      return cost::OfElementwise(op);
    case OpcodeFamily::kDataMovement:
      return cost::OfDataMovement(op);
    case OpcodeFamily::kReduction:
      return cost::OfReduction(op);
    case OpcodeFamily::kContraction:
      return cost::OfContraction(op);
    case OpcodeFamily::kIndexing:
      return cost::OfIndexing(op);
    case OpcodeFamily::kLinalg:
      return cost::OfLinalg(op);
    case OpcodeFamily::kRandom:
      return cost::OfRandom(op);
    case OpcodeFamily::kCollective:
      return cost::OfCollective(op);
    case OpcodeFamily::kControlFlow:
      // Loops and branches are their bodies, custom calls their arrays.
      return op.opcode() == Opcode::kCustomCall ? cost::Moved(op) : Cost();
    case OpcodeFamily::kEffects:
      return cost::Moved(op);
  }
  HLO_UNREACHABLE();
}

}  // namespace hlo
