// Sizes of shapes, each different shape once, and dynamic sizes at module level.
// Source: verifier.md 1.15 (buffer.content), 1.16, 2.1.
#include "absl/container/flat_hash_set.h"
#include "support/checked_math.h"
#include "support/count_text.h"
#include "verifier/rules.h"
#include "verifier/shape_rules.h"

namespace hlo {
namespace {

// The product of the sizes that are known and not 0: strides are products of such sizes, whether
// there are elements or not.
std::optional<int64_t> ProductOfSizes(const Shape& array) {
  DimensionVector known;
  for (int64_t d = 0; d < array.rank(); ++d) {
    if (!array.is_unbounded(d) && array.dim(d) != 0) known.push_back(array.dim(d));
  }
  return CheckedProduct({known.data(), known.size()});
}

bool HasNoElements(const Shape& array) {
  for (int64_t d = 0; d < array.rank(); ++d) {
    if (!array.is_unbounded(d) && array.dim(d) == 0) return true;
  }
  return false;
}

void CheckArray(const ShapeReporter& reporter, const Shape& array) {
  for (int64_t d = 0; d < array.rank(); ++d) {
    if (array.is_unbounded(d) || array.dim(d) >= 0) continue;
    reporter.Report(Rule::kShapeDimNonnegative, "dimension {} of `{}` is {}", d, ShapeText(array),
                    array.dim(d));
    return;
  }
  const std::optional<int64_t> count = ProductOfSizes(array);
  const bool is_empty = HasNoElements(array);
  if (is_empty && !count) {
    reporter.Report(Rule::kShapeCountOverflow,
                    "`{}` is empty, but its other sizes multiply to more than 2^63 - 1",
                    ShapeText(array));
  } else if (!count) {
    reporter.Report(Rule::kShapeCountOverflow, "`{}` has more than 2^63 - 1 elements",
                    ShapeText(array));
  } else if (!is_empty && !CheckedMul(*count, ElementByteSize(array.element_type()))) {
    reporter.Report(Rule::kShapeByteOverflow, "`{}` takes more than 2^63 - 1 bytes",
                    ShapeText(array));
  } else if (is_empty) {
    reporter.Report(Rule::kShapeZeroSize, "`{}` has no elements", ShapeText(array));
  }
  CheckLayout(reporter, array);
}

// Only arrays have dimensions and layouts, and a buffer holds one array.
bool CheckNonArray(const ShapeReporter& reporter, const Shape& shape) {
  if (shape.rank() > 0) {
    reporter.Report(Rule::kShapeNonArrayDims, "a shape that is no array has {}",
                    CountText(shape.rank(), "dimension"));
    return false;
  }
  if (shape.layout()) {
    reporter.Report(Rule::kLayoutOnArrayOnly, "a shape that is no array has the layout `{}`",
                    LayoutText(*shape.layout()));
    return false;
  }
  if (!shape.IsBuffer() || (shape.element_count() == 1 && shape.element(0).IsArray())) return true;
  reporter.Report(Rule::kBufferContent, "a buffer holds no array");
  return false;
}

void ReportUnbounded(const RuleContext& context, const OpView& op) {
  context.Report(Rule::kDynamicUnboundedDisabled, op.shape_range(),
                 "`{}` has an unbounded dimension, which XLA refuses unless a target opts in",
                 ShapeText(*op.written_shape()));
}

}  // namespace

void CheckShape(const ShapeReporter& reporter, const Shape& shape) {
  if (shape.IsArray()) return CheckArray(reporter, shape);
  if (!CheckNonArray(reporter, shape)) return;
  for (const Shape& element : shape.elements()) CheckShape(reporter, element);
}

// Each different shape is looked at where it is written first.
void VerifyShapes(const RuleContext& context) {
  for (InstructionId id : context.facts().first_of_shapes()) {
    OpView op = context.View(context.module().instruction(id));
    CheckShape(ShapeReporter(context, op.shape_range()), *op.written_shape());
  }
}

void VerifyUnbounded(const RuleContext& context) {
  absl::flat_hash_set<const Shape*> unbounded;
  for (InstructionId id : context.facts().first_of_shapes()) {
    const Shape* shape = context.module().instruction(id).shape;
    if (shape->HasUnboundedDim()) unbounded.insert(shape);
  }
  if (unbounded.empty()) return;
  for (const Instruction& instruction : context.module().instructions()) {
    if (unbounded.contains(instruction.shape)) ReportUnbounded(context, context.View(instruction));
  }
}

}  // namespace hlo
