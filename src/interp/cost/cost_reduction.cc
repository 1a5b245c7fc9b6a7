// Functions called per element cost what their instructions do.
#include <algorithm>
#include <cmath>

#include "interp/cost/cost_family.h"

namespace hlo::cost {
namespace {

// The first array: of the others each has as many elements.
double FirstElements(const OpView& op) {
  return op.operand_count() == 0 ? 0 : ElementsOf(op.operand_shape(0));
}

double FirstResultElements(const OpView& op) {
  const Shape& shape = *op.written_shape();
  return ElementsOf(shape.IsTuple() && shape.element_count() > 0 ? shape.element(0) : shape);
}

// The comparisons of a sort of lines along dimension `d`.
double Comparisons(const OpView& op, int64_t d) {
  const Shape& shape = op.operand_shape(0);
  if (shape.rank() == 0) return 0;
  const auto length = static_cast<double>(shape.dim(d));
  return FirstElements(op) * std::log2(std::max(length, 2.0));
}

double Flops(const OpView& op) {
  switch (op.opcode()) {
    case Opcode::kMap:
      return FirstResultElements(op) * FlopsOfCall(op, op.Get<Attr::kToApply>());
    case Opcode::kReduce:
      return std::max(0.0, FirstElements(op) - FirstResultElements(op)) *
             FlopsOfCall(op, op.Get<Attr::kToApply>());
    case Opcode::kReduceWindow:
      return FirstResultElements(op) * (WindowSize(op) - 1) *
             FlopsOfCall(op, op.Get<Attr::kToApply>());
    case Opcode::kScan:
      return FirstElements(op) * FlopsOfCall(op, op.Get<Attr::kToApply>());
    case Opcode::kSelectAndScatter:  // in each window one element is found, which takes one more
      return ElementsOf(op.operand_shape(1)) *
             ((WindowSize(op) - 1) * FlopsOfCall(op, op.Get<Attr::kSelect>()) +
              FlopsOfCall(op, op.Get<Attr::kScatter>()));
    case Opcode::kSort:
      return Comparisons(op, op.Get<Attr::kDimensions>()[0]) *
             FlopsOfCall(op, op.Get<Attr::kToApply>());
    case Opcode::kTopK:
      return Comparisons(op, op.operand_shape(0).rank() - 1);
    default:
      return 0;
  }
}

}  // namespace

Cost OfReduction(const OpView& op) { return Computed(op, Flops(op)); }

}  // namespace hlo::cost
