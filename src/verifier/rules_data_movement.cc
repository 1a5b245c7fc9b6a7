// What the premises of inference leave to check of data movement.
// Source: verifier.md 3.4, 3.5, 3.15.
#include <algorithm>
#include <functional>

#include "inference/compatibility.h"
#include "ir/constant_value.h"
#include "verifier/rules.h"

namespace hlo {
namespace {

constexpr int64_t kHostMemorySpace = 5;

bool IsInHostMemory(const Shape& shape) {
  return shape.layout() && shape.layout()->memory_space == kHostMemorySpace;
}

// A constant may be read from where it is, so that only what it became counts.
bool IsCopiedConstant(const Module& module, const Instruction& instruction) {
  const Instruction* source = &instruction;
  while (source->opcode == Opcode::kCopy) source = &module.operand(*source, 0);
  return source->opcode == Opcode::kConstant;
}

void CheckBitcast(const RuleContext& context, const OpView& op) {
  const Shape& operand = op.operand_shape(0);
  const Shape& result = *op.written_shape();
  if (!operand.IsArray() || !result.IsArray()) return;
  const absl::StatusOr<int64_t> from = DenseByteSize(operand);
  const absl::StatusOr<int64_t> to = DenseByteSize(result);
  if (from.ok() && to.ok() && *from != *to) {
    context.Report(Rule::kBitcastSameSize, op.shape_range(), "`{}` takes {} bytes, `{}` {}",
                   ShapeText(result), *to, ShapeText(operand), *from);
  }
  if (IsInHostMemory(operand) != IsInHostMemory(result) &&
      !IsCopiedConstant(op.module(), op.operand(0))) {
    context.Report(Rule::kBitcastMemorySpace, op.shape_range(),
                   "the `bitcast` of `{}` to `{}` {} host memory without moving data",
                   ShapeTextWithLayout(operand), ShapeTextWithLayout(result),
                   IsInHostMemory(result) ? "enters" : "leaves");
  }
}

void CheckBroadcast(const RuleContext& context, const OpView& op) {
  const IntList dimensions = op.Get<Attr::kDimensions>();
  if (std::is_sorted(dimensions.begin(), dimensions.end(), std::less<int64_t>())) return;
  context.Report(Rule::kBroadcastDimsIncreasing, op.attribute_range(Attr::kDimensions),
                 "`dimensions={{{}}}` is not ascending", fmt::join(dimensions, ","));
}

void CheckDynamicReshape(const RuleContext& context, const OpView& op) {
  for (int64_t i = 1; i < op.operand_count(); ++i) {
    if (op.operand_shape(i).IsScalar()) continue;
    context.Report(Rule::kDynamicReshapeSizesScalar, op.operand_range(i),
                   "the size of dimension {} is `{}`, not a scalar", i - 1,
                   ShapeText(op.operand_shape(i)));
    return;
  }
}

void CheckIota(const RuleContext& context, const OpView& op) {
  if (!op.written_shape()->HasDynamicDim()) return;
  context.Report(Rule::kIotaStatic, op.shape_range(), "the result `{}` has a dynamic dimension",
                 ShapeText(*op.written_shape()));
}

void CheckReshape(const RuleContext& context, const OpView& op) {
  const int64_t dimension = op.Get<Attr::kInferredDimension>();
  const int64_t rank = op.written_shape()->rank();
  if (dimension >= -1 && dimension < rank) return;
  context.Report(Rule::kReshapeInferredDimension, op.attribute_range(Attr::kInferredDimension),
                 "`inferred_dimension={}` is neither -1 nor a dimension of `{}`", dimension,
                 ShapeText(*op.written_shape()));
}

void CheckSetDimensionSize(const RuleContext& context, const OpView& op) {
  const std::optional<__int128> size = ConstantInteger(op.operand(1));
  const int64_t dimension = op.Get<Attr::kDimensions>()[0];
  const int64_t bound = op.operand_shape(0).dim(dimension);
  if (!size || bound == Shape::kUnbounded || (*size >= 0 && *size <= bound)) return;
  context.Report(Rule::kSetDimensionSizeConstant, op.operand_range(1),
                 "the size {} is not in 0 ... {}, which dimension {} can have", *size, bound,
                 dimension);
}

}  // namespace

void VerifyDataMovement(const RuleContext& context, const OpView& op) {
  const Opcode opcode = op.opcode();
  if (opcode == Opcode::kBitcast) return CheckBitcast(context, op);
  if (opcode == Opcode::kBroadcast) return CheckBroadcast(context, op);
  if (opcode == Opcode::kDynamicReshape) return CheckDynamicReshape(context, op);
  if (opcode == Opcode::kIota) return CheckIota(context, op);
  if (opcode == Opcode::kReshape) return CheckReshape(context, op);
  if (opcode == Opcode::kSetDimensionSize) return CheckSetDimensionSize(context, op);
}

}  // namespace hlo
