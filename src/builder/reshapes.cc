// Broadcasts to new dimensions, and reshapes.
#include <algorithm>
#include <numeric>

#include "builder/broadcasting.h"
#include "builder/data_movement.h"
#include "builder/operation.h"
#include "inference/reshape_dims.h"
#include "support/checked_math.h"

namespace hlo::ops {
namespace {

// Of what is no array some array, for inference to complain of the operand.
Shape ArrayOf(const Op& like, Ints sizes) {
  const ElementType type = like.shape().IsArray() ? like.shape().element_type() : ElementType::kF32;
  return Shape::Array(type, {sizes.data(), sizes.size()});
}

bool CheckBroadcastSizes(Operation& operation, const Op& operand, Ints sizes) {
  if (!operation.ok()) return false;
  for (int64_t size : sizes) {
    if (size >= 0) continue;
    operation.Fail(Rule::kBuilderBroadcastSizes, "the size {} of a new dimension is {}", size,
                   size == Shape::kUnbounded ? "unbounded" : "negative");
    return false;
  }
  if (operand.shape().HasUnboundedDim()) {
    operation.Fail(Rule::kDynamicUnboundedUnsupported, "`{}` has an unbounded dimension",
                   ShapeText(operand.shape()));
  }
  return operation.ok();
}

}  // namespace

Op Broadcast(const Op& operand, Ints sizes, SourceLocation at) {
  Operation operation("Broadcast", at, {operand});
  if (!CheckBroadcastSizes(operation, operand, sizes)) return operation.Invalid();
  Shape result = ArrayOf(operand, sizes);
  std::vector<int64_t> dimensions(operand.shape().rank());
  std::iota(dimensions.begin(), dimensions.end(), sizes.ssize());
  for (int64_t d = 0; d < operand.shape().rank(); ++d) {
    result.AppendDim(operand.shape().dim(d), operand.shape().is_dynamic(d));
  }
  return operation.Add(Opcode::kBroadcast, {operand}).Set<Attr::kDimensions>(dimensions).As(result);
}

namespace {

constexpr Rule kInDim = Rule::kBuilderBroadcastInDim;

bool CheckInDim(Operation& operation, const Shape& operand, Ints sizes, Ints dimensions) {
  if (!operation.ok()) return false;
  if (dimensions.ssize() != operand.rank() || sizes.ssize() < operand.rank()) {
    operation.Fail(kInDim,
                   "`{}` is to get {} dimensions, broadcast_dimensions={{{}}} places {} of its {}",
                   ShapeText(operand), sizes.size(), fmt::join(dimensions, ","), dimensions.size(),
                   operand.rank());
    return false;
  }
  for (int64_t i = 0; i < operand.rank(); ++i) {
    const int64_t d = dimensions[i];
    if (d < 0 || d >= sizes.ssize() || (i > 0 && d <= dimensions[i - 1])) {
      operation.Fail(kInDim, "broadcast_dimensions={{{}}} are not {} ascending dimensions below {}",
                     fmt::join(dimensions, ","), operand.rank(), sizes.size());
      return false;
    }
    const bool grows = operand.dim(i) == 1 && !operand.is_dynamic(i);
    if (operand.dim(i) == sizes[d] || grows) continue;
    operation.Fail(kInDim, "dimension {} of `{}` cannot become dimension {} with the size {}", i,
                   ShapeText(operand), d, sizes[d]);
    return false;
  }
  return true;
}

}  // namespace

Op BroadcastInDim(const Op& operand, Ints sizes, Ints broadcast_dimensions, SourceLocation at) {
  Operation operation("BroadcastInDim", at, {operand});
  if (!CheckBroadcastSizes(operation, operand, sizes) ||
      !CheckInDim(operation, operand.shape(), sizes, broadcast_dimensions)) {
    return operation.Invalid();
  }
  const Shape from = operand.shape();
  const Shape result = ArrayOf(operand, sizes);
  Shape raised = result;
  for (int64_t i = 0; i < from.rank(); ++i) {
    raised.set_dim(broadcast_dimensions[i], from.dim(i));
    raised.set_dynamic(broadcast_dimensions[i], from.is_dynamic(i));
  }
  const bool grows = !std::ranges::equal(raised.dims(), result.dims());
  const Op all = (grows ? operation.AddInner(Opcode::kBroadcast, {operand})
                        : operation.Add(Opcode::kBroadcast, {operand}))
                     .Set<Attr::kDimensions>(ToList(broadcast_dimensions))
                     .As(raised);
  return grows ? BroadcastTo(operation, all, result) : all;
}

// --- Reshapes ------------------------------------------------------------------------------------

namespace {

// What is dynamic in the operand stays so.
Op AddReshape(Operation& operation, const Op& operand, Ints sizes, int64_t inferred_dimension) {
  if (!operation.ok()) return operation.Invalid();
  if (!operand.shape().IsArray()) {
    return operation.Fail(Rule::kReshapeArray, "`{}` is no array", ShapeText(operand.shape()));
  }
  std::string problem;
  const std::optional<Shape> shape =
      ReshapedShape(operand.shape(), {sizes.data(), sizes.size()}, inferred_dimension, problem);
  if (!shape) return operation.Fail(Rule::kBuilderReshapeDynamic, "{}", problem);
  return operation.Add(Opcode::kReshape, {operand})
      .SetIf<Attr::kInferredDimension>(inferred_dimension != -1, inferred_dimension)
      .As(*shape);
}

bool IsPermutation(Ints dimensions, int64_t rank) {
  std::vector<int64_t> sorted = dimensions.ToVector();
  std::ranges::sort(sorted);
  std::vector<int64_t> all(rank);
  std::iota(all.begin(), all.end(), 0);
  return sorted == all;
}

}  // namespace

Op Reshape(const Op& operand, Ints sizes, SourceLocation at) {
  Operation operation("Reshape", at, {operand});
  return AddReshape(operation, operand, sizes, -1);
}

Op Reshape(const Shape& shape, const Op& operand, SourceLocation at) {
  Operation operation("Reshape", at, {operand});
  return operation.Add(Opcode::kReshape, {operand}).As(shape);
}

Op Reshape(const Op& operand, Ints dimensions, Ints sizes, SourceLocation at) {
  Operation operation("Reshape", at, {operand});
  if (!operation.ok()) return operation.Invalid();
  if (!IsPermutation(dimensions, operand.shape().rank())) {
    return operation.Fail(Rule::kBuilderReshapePermutation,
                          "dimensions={{{}}} is not a permutation of the {} dimensions of `{}`",
                          fmt::join(dimensions, ","), operand.shape().rank(),
                          ShapeText(operand.shape()));
  }
  if (std::ranges::is_sorted(dimensions)) return AddReshape(operation, operand, sizes, -1);
  const Op transposed = operation.AddInner(Opcode::kTranspose, {operand})
                            .Set<Attr::kDimensions>(ToList(dimensions))
                            .Infer();
  return AddReshape(operation, transposed, sizes, -1);
}

Op ReshapeWithInferredDimension(const Op& operand, Ints sizes, int64_t inferred_dimension,
                                SourceLocation at) {
  Operation operation("ReshapeWithInferredDimension", at, {operand});
  if (!operation.CheckDimension(inferred_dimension, sizes.ssize(), Rule::kReshapeInferredDimension,
                                "inferred_dimension")) {
    return operation.Invalid();
  }
  return AddReshape(operation, operand, sizes, inferred_dimension);
}

Op DynamicReshape(const Op& operand, Ops dim_sizes, Ints bounds, ListArg<bool> dims_are_dynamic,
                  SourceLocation at) {
  std::vector<Op> operands = {operand};
  operands.insert(operands.end(), dim_sizes.begin(), dim_sizes.end());
  Operation operation("DynamicReshape", at, operands);
  if (!operation.ok()) return operation.Invalid();
  if (dim_sizes.size() != bounds.size() || bounds.size() != dims_are_dynamic.size()) {
    return operation.Fail(Rule::kBuilderDynamicReshapeLists,
                          "{} sizes, {} bounds and {} flags for the dimensions of one result",
                          dim_sizes.size(), bounds.size(), dims_are_dynamic.size());
  }
  Shape shape = ArrayOf(operand, bounds);
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (dims_are_dynamic[d]) shape.set_dynamic(d, true);
  }
  return operation.Add(Opcode::kDynamicReshape, operands).As(shape);
}

Op Collapse(const Op& operand, Ints dimensions, SourceLocation at) {
  Operation operation("Collapse", at, {operand});
  const Shape shape = operand.shape();
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (!operation.CheckDimension(dimensions[i], shape.rank(), Rule::kBuilderCollapseRange)) {
      return operation.Invalid();
    }
    if (i == 0 || dimensions[i] == dimensions[i - 1] + 1) continue;
    return operation.Fail(Rule::kBuilderCollapseConsecutive,
                          "dimensions={{{}}} do not count up one by one",
                          fmt::join(dimensions, ","));
  }
  if (!operation.ok() || dimensions.size() < 2)
    return operation.ok() ? operand : operation.Invalid();
  std::vector<int64_t> sizes(shape.dims().begin(), shape.dims().begin() + dimensions[0]);
  const auto collapsed = shape.dims().subspan(dimensions[0], dimensions.size());
  const std::optional<int64_t> size = CheckedProduct(collapsed);
  if (!size) return operation.Fail(Rule::kShapeCountOverflow, "the product of the sizes overflows");
  sizes.push_back(*size);
  const auto rest = shape.dims().subspan(dimensions[0] + dimensions.size());
  sizes.insert(sizes.end(), rest.begin(), rest.end());
  return AddReshape(operation, operand, sizes, -1);
}

}  // namespace hlo::ops
