// What the lists of violations share.
#include "builder/violations.h"

namespace hlo::testing {

using namespace ops;

Callee AddF32(HloBuilder& b) { return ScalarFunction(b, "add", ElementType::kF32, Add); }
Callee LtF32(HloBuilder& b) { return ScalarFunction(b, "lt", ElementType::kF32, Lt); }
Callee Negation(HloBuilder& b) {
  return Function(b, "f32[]", [](HloBuilder&, Ops x) { return Neg(x[0]); });
}

Callee Function(HloBuilder& b, std::string_view parameters, Op (*body)(HloBuilder& f, Ops x)) {
  return b.AddComputation("f", ShapesOf(parameters), body);
}

Callee First(HloBuilder& b, std::string_view parameters) {
  return Function(b, parameters, [](HloBuilder&, Ops x) { return x[0]; });
}

std::vector<Shape> ShapesOf(std::string_view parameters) {
  std::vector<Shape> shapes;
  while (!parameters.empty()) {
    const size_t end = std::min(parameters.find(' '), parameters.size());
    shapes.push_back(MakeShape(parameters.substr(0, end)));
    parameters.remove_prefix(std::min(end + 1, parameters.size()));
  }
  return shapes;
}

}  // namespace hlo::testing
