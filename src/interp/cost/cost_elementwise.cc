#include <algorithm>
#include <iterator>

#include "interp/cost/cost_family.h"

namespace hlo::cost {
namespace {

struct FlopsPerElement {
  Opcode opcode;
  double flops;
};

// Opcodes that take other than one operation for an element. Functions count as what a vectorised
// polynomial of the accuracy of f32 takes: about as many products and sums.
constexpr FlopsPerElement kFlopsPerElement[] = {
    {Opcode::kAcos, 20},        {Opcode::kAcosh, 20},
    {Opcode::kAsin, 20},        {Opcode::kAsinh, 25},
    {Opcode::kAtan2, 25},       {Opcode::kAtanh, 20},
    {Opcode::kCbrt, 15},        {Opcode::kClamp, 2},
    {Opcode::kConvert, 0},      {Opcode::kCosh, 20},
    {Opcode::kCosine, 20},      {Opcode::kErf, 20},
    {Opcode::kExponential, 12}, {Opcode::kExponentialMinusOne, 15},
    {Opcode::kImag, 0},         {Opcode::kLog, 15},
    {Opcode::kLogPlusOne, 18},  {Opcode::kLogistic, 15},
    {Opcode::kPower, 30},       {Opcode::kReal, 0},
    {Opcode::kRemainder, 5},    {Opcode::kRsqrt, 2},
    {Opcode::kSine, 20},        {Opcode::kSinh, 20},
    {Opcode::kTan, 25},         {Opcode::kTanh, 15},
};

double FlopsOf(Opcode opcode) {
  const auto* found = std::ranges::find(kFlopsPerElement, opcode, &FlopsPerElement::opcode);
  return found == std::end(kFlopsPerElement) ? 1 : found->flops;
}

// (a + bi)(c + di) is four products and two sums; everything else is counted part by part.
double PartsOf(const OpView& op) {
  if (op.operand_count() == 0 || !op.operand_shape(0).IsArray() ||
      !IsComplex(op.operand_shape(0).element_type())) {
    return 1;
  }
  return op.opcode() == Opcode::kMultiply || op.opcode() == Opcode::kDivide ? 6 : 2;
}

}  // namespace

Cost OfElementwise(const OpView& op) {
  return Computed(op, ResultElements(op) * FlopsOf(op.opcode()) * PartsOf(op));
}

}  // namespace hlo::cost
