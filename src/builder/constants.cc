// Parameters, constants, iotas: operations without operands.
#include <algorithm>
#include <cstring>

#include "builder/data_movement.h"
#include "builder/operation.h"

namespace hlo::ops {
namespace {

bool CheckParameterNumber(Operation& operation, int64_t number) {
  if (!operation.ok()) return false;
  if (number < 0) {
    operation.Fail(Rule::kCompParamNonnegative, "the parameter number {} is negative", number);
  } else if (operation.computation_state().parameters.contains(number)) {
    operation.Fail(Rule::kCompParamNumberUnique, "there is a parameter {} already", number);
  }
  return operation.ok();
}

bool CheckReplication(Operation& operation, const Shape& shape, ListArg<bool> flags) {
  if (flags.empty() || flags.ssize() == shape.LeafCount()) return true;
  operation.Fail(Rule::kParamReplicationLeaves, "{} value{} for the {} arrays of `{}`",
                 flags.size(), flags.size() == 1 ? "" : "s", shape.LeafCount(), ShapeText(shape));
  return false;
}

// Whether an array has several elements and they are the same bit by bit.
bool IsUniform(const Literal& value) {
  if (!value.shape().IsArray() || value.is_elided() || value.is_bare_scalar()) return false;
  if (value.element_count() < 2 || !value.dynamic_sizes().empty()) return false;
  const auto size = static_cast<size_t>(ElementByteSize(value.shape().element_type()));
  const size_t rest = size * static_cast<size_t>(value.element_count() - 1);
  return std::memcmp(value.bytes(), value.bytes() + size, rest) == 0;
}

// Whether the text would be rows of nothing, of which there may be any number.
bool HasEmptyRows(const Literal& value) {
  return value.shape().IsArray() && value.shape().rank() > 1 && !value.is_bare_scalar() &&
         value.element_count() == 0;
}

Op UniformConstant(Operation& operation, const Literal& value) {
  const Shape& shape = value.shape();
  Literal element = *Literal::Zeros(Shape::Scalar(shape.element_type()));
  if (value.element_count() > 0) {
    std::memcpy(element.bytes(), value.bytes(), ElementByteSize(shape.element_type()));
  }
  const Op scalar = operation.InnerConstant(std::move(element));
  return operation.Add(Opcode::kBroadcast, {scalar}).Set<Attr::kDimensions>(IntList()).As(shape);
}

Op AddConstant(std::string_view name, const HloBuilder& builder, Literal value, SourceLocation at) {
  Operation operation(name, at, builder);
  Shape shape = value.shape();
  shape.FillDefaultLayouts();
  value.set_shape(shape);
  if (IsUniform(value) || HasEmptyRows(value)) return UniformConstant(operation, value);
  return operation.AddConstant(std::move(value));
}

}  // namespace

Op Parameter(const HloBuilder& builder, int64_t number, const Shape& shape, std::string_view name,
             ListArg<bool> replicated_at_leaf_buffers, SourceLocation at) {
  Operation operation("Parameter", at, builder);
  if (!CheckParameterNumber(operation, number) ||
      !CheckReplication(operation, shape, replicated_at_leaf_buffers)) {
    return operation.Invalid();
  }
  const Op parameter = operation.Add(Opcode::kParameter, {}, name)
                           .Set<Attr::kParameterNumber>(number)
                           .SetIf<Attr::kParameterReplication>(!replicated_at_leaf_buffers.empty(),
                                                               ToList(replicated_at_leaf_buffers))
                           .As(shape);
  if (operation.ok()) {
    operation.computation_state().parameters[number] = BuilderState::IdOf(parameter);
  }
  return parameter;
}

Op Constant(const HloBuilder& builder, Literal value, SourceLocation at) {
  return AddConstant("Constant", builder, std::move(value), at);
}

Op ConstantLiteral(const HloBuilder& builder, Literal value, SourceLocation at) {
  return AddConstant("ConstantLiteral", builder, std::move(value), at);
}

namespace internal {

Op MismatchedConstant(const HloBuilder& builder, Ints sizes, size_t element_count,
                      SourceLocation at) {
  return Operation("Constant", at, builder)
      .Fail(Rule::kConstantLiteral, "{} elements are given for an array of sizes [{}]",
            element_count, fmt::join(sizes, ","));
}

std::optional<Literal> ArrayLiteral(ElementType type, Ints sizes, size_t element_count) {
  for (int64_t size : sizes) {
    if (size < 0) return std::nullopt;
  }
  const Shape shape = Shape::ArrayWithDefaultLayout(type, {sizes.data(), sizes.size()});
  const absl::StatusOr<int64_t> count = ElementCount(shape);
  if (!count.ok() || *count != static_cast<int64_t>(element_count)) return std::nullopt;
  absl::StatusOr<Literal> literal = Literal::Uninitialized(shape);
  if (!literal.ok()) return std::nullopt;
  return *std::move(literal);
}

}  // namespace internal

Op Iota(const HloBuilder& builder, const Shape& shape, int64_t iota_dimension, SourceLocation at) {
  Operation operation("Iota", at, builder);
  if (shape.HasDynamicDim() || shape.HasUnboundedDim()) {
    return operation.Fail(Rule::kBuilderIotaStatic, "`{}` has a dynamic dimension",
                          ShapeText(shape));
  }
  return operation.Add(Opcode::kIota, {}).Set<Attr::kIotaDimension>(iota_dimension).As(shape);
}

Op Iota(const HloBuilder& builder, ElementType type, int64_t size, SourceLocation at) {
  return Iota(builder, Shape::Array(type, std::span<const int64_t>(&size, 1)), 0, at);
}

}  // namespace hlo::ops
