// What reads or writes a part of an array touches that part, and the positions that select it.
#include "interp/cost/cost_family.h"

namespace hlo::cost {
namespace {

double BytesFrom(const OpView& op, int64_t first_operand) {
  double bytes = 0;
  for (int64_t i = first_operand; i < op.operand_count(); ++i) {
    bytes += BytesOf(op.operand_shape(i));
  }
  return bytes;
}

// (arrays..., positions, updates...): each update is read, and what it is combined with is read and
// written.
Cost OfScatter(const OpView& op) {
  const int64_t count = op.operand_count() / 2;
  double updates = 0;
  for (int64_t i = count + 1; i < op.operand_count(); ++i) updates += BytesOf(op.operand_shape(i));
  const double elements = ElementsOf(op.operand_shape(count + 1));
  return {elements * FlopsOfCall(op, op.Get<Attr::kToApply>()),
          BytesOf(op.operand_shape(count)) + 3 * updates};
}

}  // namespace

Cost OfIndexing(const OpView& op) {
  switch (op.opcode()) {
    case Opcode::kDynamicUpdateSlice:  // (array, update, positions...)
      return {0, BytesOf(op.operand_shape(1)) + BytesFrom(op, 1)};
    case Opcode::kScatter:
      return OfScatter(op);
    default:  // (array, positions...)
      return {0, 2 * ResultBytes(op) + BytesFrom(op, 1)};
  }
}

}  // namespace hlo::cost
