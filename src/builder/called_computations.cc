// Each call makes a computation anew, with the functions that callers have themselves: the two
// branches of a select of tuples are `identity` and `identity.1`. What goes wrong inside is told
// with the place of that call.
#include "builder/called_computations.h"

#include "builder/data_movement.h"
#include "builder/elementwise.h"

namespace hlo {
namespace {

// Not an operation of the program, so it has no sharding.
ops::Callee Make(const Operation& operation, std::string_view name,
                 const std::vector<Shape>& parameters, const HloBuilder::Body& body) {
  if (!operation.ok()) return {};
  HloBuilder builder = operation.builder();
  const ShardingScope none(builder, std::nullopt);
  return builder.AddComputation(name, parameters, body, operation.at());
}

}  // namespace

ops::Callee IdentityComputation(const Operation& operation, const Shape& shape) {
  return Make(operation, "identity", {shape}, [](HloBuilder&, ops::Ops x) { return x[0]; });
}

ops::Callee SumComputation(const Operation& operation, ElementType type) {
  const Shape scalar = Shape::Scalar(type);
  return Make(operation, "sum", {scalar, scalar}, [&](HloBuilder&, ops::Ops x) {
    return type == ElementType::kPred ? Or(x[0], x[1], {}, operation.at())
                                      : Add(x[0], x[1], {}, operation.at());
  });
}

ops::Callee LessThanComputation(const Operation& operation, std::span<const ElementType> types) {
  std::vector<Shape> parameters;
  for (ElementType type : types) parameters.insert(parameters.end(), 2, Shape::Scalar(type));
  return Make(operation, "less-than", parameters,
              [&](HloBuilder&, ops::Ops x) { return Lt(x[0], x[1], {}, operation.at()); });
}

}  // namespace hlo
