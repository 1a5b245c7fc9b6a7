// Textbook counts without their lower orders. Batches need no factor of their own, as counts begin
// with all elements of an operand.
#include <algorithm>
#include <cmath>

#include "interp/cost/cost_family.h"

namespace hlo::cost {
namespace {

double LastSize(const Shape& shape) {
  return shape.rank() == 0 ? 1 : static_cast<double>(shape.dim(shape.rank() - 1));
}

// 5 n log2 n for a line of n complex numbers, half of that for real ones.
double FftFlops(const OpView& op) {
  double line = 1;
  for (int64_t length : op.Get<Attr::kFftLength>()) line *= static_cast<double>(length);
  const double count = std::max(ResultElements(op), OperandElements(op));
  const bool is_real = !IsComplex(op.operand_shape(0).element_type()) ||
                       !IsComplex(op.written_shape()->element_type());
  return (is_real ? 2.5 : 5) * count * std::log2(std::max(line, 2.0));
}

double Flops(const OpView& op) {
  const double first = ElementsOf(op.operand_shape(0));
  switch (op.opcode()) {
    case Opcode::kBatchNormGrad:  // three sums over the elements, and a line through them
      return 11 * first;
    case Opcode::kBatchNormInference:  // (x - mean) * scale / deviation + offset
      return 4 * first;
    case Opcode::kBatchNormTraining:  // mean and variance besides
      return 8 * first;
    case Opcode::kCholesky:  // n^3 / 3
      return first * LastSize(op.operand_shape(0)) / 3;
    case Opcode::kFft:
      return FftFlops(op);
    case Opcode::kTriangularSolve:  // n^2 for each right side
      return ElementsOf(op.operand_shape(1)) * LastSize(op.operand_shape(0));
    default:
      return 0;
  }
}

}  // namespace

Cost OfLinalg(const OpView& op) { return Computed(op, Flops(op)); }

}  // namespace hlo::cost
