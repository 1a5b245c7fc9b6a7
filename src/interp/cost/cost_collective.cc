// What one participant does: it reads its operands, writes its results, and combines as many
// elements as it has, as in a ring.
#include "interp/cost/cost_family.h"

namespace hlo::cost {

Cost OfCollective(const OpView& op) {
  if (!op.Has(Attr::kToApply)) return Moved(op);
  return Computed(op, OperandElements(op) * FlopsOfCall(op, op.Get<Attr::kToApply>()));
}

}  // namespace hlo::cost
