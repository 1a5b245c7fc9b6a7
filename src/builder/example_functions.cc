// What examples and tests of operations share.
#include "builder/operation_examples.h"

namespace hlo::testing {

using namespace ops;

Op P(HloBuilder& builder, int64_t number, std::string_view shape) {
  return Parameter(builder, number, MakeShape(shape), fmt::format("p{}", number));
}

Callee ScalarFunction(HloBuilder& builder, std::string_view name, ElementType type,
                      Op (*function)(const Op&, const Op&, Ints, SourceLocation)) {
  const Shape scalar = Shape::Scalar(type);
  return builder.AddComputation(name, {scalar, scalar}, [&](HloBuilder&, Ops x) {
    return function(x[0], x[1], {}, SourceLocation::current());
  });
}

}  // namespace hlo::testing
