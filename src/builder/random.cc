// The result of rng has the shape that the caller names, which inference only has to allow. Random
// bits are unsigned integers, so RngBitGenerator takes a shape for its widths: pred, complex
// numbers and widths without an unsigned type are refused (builder.md 2).
#include "builder/random.h"

#include "builder/operation.h"

namespace hlo::ops {
namespace {

Op Rng(Operation& operation, RandomDistribution distribution, Ops parameters, const Shape& shape) {
  return operation.Add(Opcode::kRng, parameters).Set<Attr::kDistribution>(distribution).As(shape);
}

}  // namespace

Op RngNormal(const Op& mu, const Op& sigma, const Shape& shape, SourceLocation at) {
  Operation operation("RngNormal", at, {mu, sigma});
  return Rng(operation, RandomDistribution::kNormal, {mu, sigma}, shape);
}

Op RngUniform(const Op& a, const Op& b, const Shape& shape, SourceLocation at) {
  Operation operation("RngUniform", at, {a, b});
  return Rng(operation, RandomDistribution::kUniform, {a, b}, shape);
}

Op RngBitGenerator(RandomAlgorithm algorithm, const Op& initial_state, const Shape& shape,
                   SourceLocation at) {
  Operation operation("RngBitGenerator", at, {initial_state});
  const bool is_number = shape.IsArray() && IsIn(shape.element_type(), kInteger | kFloat);
  const auto type = is_number ? UnsignedTypeOf(BitWidth(shape.element_type())) : std::nullopt;
  if (!type) {
    return operation.Fail(Rule::kBuilderRngBitShape,
                          "`{}` is no array of integers or floats as wide as an unsigned type",
                          ShapeText(shape));
  }
  Shape bits = shape;
  bits.set_element_type(*type);
  return operation.Add(Opcode::kRngBitGenerator, {initial_state})
      .Set<Attr::kRandomAlgorithm>(algorithm)
      .As(Shape::Tuple({initial_state.shape(), bits}));
}

}  // namespace hlo::ops
