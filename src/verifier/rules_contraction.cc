// What the premises of inference leave to check of the dot family and of convolution.
// Source: verifier.md 3.6, 3.7.
#include <algorithm>

#include "inference/compatibility.h"
#include "verifier/rules.h"

namespace hlo {
namespace {

// Both sides alike, both floating-point or both integers.
void CheckOperandTypes(const RuleContext& context, const OpView& op, Rule rule) {
  const ElementType lhs = op.operand_shape(0).element_type();
  const ElementType rhs = op.operand_shape(1).element_type();
  if (TypesCompatible(lhs, rhs) || (IsInteger(lhs) && IsInteger(rhs))) return;
  context.Report(rule, op.operand_range(1), "`{}` of `{}` and `{}`", OpcodeName(op.opcode()),
                 ElementTypeName(lhs), ElementTypeName(rhs));
}

void CheckPrecisionCount(const RuleContext& context, const OpView& op) {
  const size_t count = op.Get<Attr::kOperandPrecision>().size();
  if (count == 0 || count == 2) return;
  context.Report(Rule::kDotPrecisionCount, op.attribute_range(Attr::kOperandPrecision),
                 "`operand_precision` has {} entr{} instead of 2", count, count == 1 ? "y" : "ies");
}

// The form that the 2018 document knows: batch dimensions first, and one contracting one.
bool IsOldForm(const OpView& op) {
  const IntList lhs_batch = op.Get<Attr::kLhsBatchDims>();
  if (!(lhs_batch == op.Get<Attr::kRhsBatchDims>())) return false;
  const bool batch_first = std::all_of(lhs_batch.begin(), lhs_batch.end(), [&](int64_t d) {
    return d < static_cast<int64_t>(lhs_batch.size());
  });
  return batch_first && op.Get<Attr::kLhsContractingDims>().size() == 1 &&
         op.Get<Attr::kRhsContractingDims>().size() == 1;
}

void CheckDot(const RuleContext& context, const OpView& op) {
  CheckOperandTypes(context, op, Rule::kDotSameType);
  CheckPrecisionCount(context, op);
  if (!IsOldForm(op)) {
    context.Report(Rule::kDotOldForm, op.opcode_range(),
                   "the older documents have one contracting dimension a side, behind equal batch "
                   "dimensions; these are {} and {}",
                   op.Get<Attr::kLhsContractingDims>().size(),
                   op.Get<Attr::kRhsContractingDims>().size());
  }
}

void CheckRaggedDot(const RuleContext& context, const OpView& op) {
  const Shape& group_sizes = op.operand_shape(2);
  if (IsInteger(group_sizes.element_type())) return;
  context.ReportAs(Severity::kWarning, Rule::kRaggedDotGroupSizesArray, op.operand_range(2),
                   "the group sizes `{}` are not integers", ShapeText(group_sizes));
}

// --- convolution -------------------------------------------------------------------------------

bool CheckSparseOperand(const RuleContext& context, const OpView& op,
                        const SparsityDescriptor& sparsity) {
  if (!sparsity.present || !sparsity.has_index) return true;
  const bool in_range = sparsity.index >= 2 && sparsity.index < op.operand_count();
  if (in_range && op.operand_shape(sparsity.index).IsArray()) return true;
  return context.Report(Rule::kConvolutionSparsityIndex, op.attribute_range(Attr::kSparsityConfig),
                        "the sparsity index {} names no array behind the {} operands",
                        sparsity.index, op.operand_count());
}

void CheckSparsity(const RuleContext& context, const OpView& op) {
  if (!op.Has(Attr::kSparsityConfig)) {
    if (op.operand_count() == 2) return;
    context.Report(Rule::kConvolutionExtraOperands, op.operand_range(2),
                   "{} operands without `sparsity_config`", op.operand_count());
    return;
  }
  const SparsityConfig config = op.Get<Attr::kSparsityConfig>();
  const SourceRange range = op.attribute_range(Attr::kSparsityConfig);
  if (!CheckSparseOperand(context, op, config.lhs) ||
      !CheckSparseOperand(context, op, config.rhs)) {
    return;
  }
  if (config.lhs.has_index && config.rhs.has_index && config.lhs.index == config.rhs.index) {
    context.Report(Rule::kConvolutionSparsityIndex, range, "both sides have the sparsity index {}",
                   config.lhs.index);
  }
  if (config.rhs.has_sparsity && config.rhs.nonzeros != 1) {
    context.Report(Rule::kConvolutionSparsityRatio, range,
                   "the kernel keeps {} of {} elements instead of 1", config.rhs.nonzeros,
                   config.rhs.block);
  }
}

void CheckConvolution(const RuleContext& context, const OpView& op) {
  CheckOperandTypes(context, op, Rule::kConvolutionSameType);
  CheckSparsity(context, op);
}

}  // namespace

void VerifyContraction(const RuleContext& context, const OpView& op) {
  if (op.opcode() == Opcode::kDot) return CheckDot(context, op);
  if (op.opcode() == Opcode::kRaggedDot) return CheckRaggedDot(context, op);
  if (op.opcode() == Opcode::kConvolution) return CheckConvolution(context, op);
}

}  // namespace hlo
