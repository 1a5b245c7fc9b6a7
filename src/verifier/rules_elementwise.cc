// Elementwise opcodes on types for which XLA accepts them though they have no good meaning there.
// Source: verifier.md 3.2, 3.4.
#include "inference/operand_checks.h"
#include "verifier/rules.h"

namespace hlo {
namespace {

// The operands should be of the opcode's domain, though XLA accepts more.
void WarnOutside(const RuleContext& context, const OpView& op, Rule rule) {
  const ElementType type = op.operand_shape(0).element_type();
  const TypeSet domain = *GetOpcodeInfo(op.opcode()).domain;
  if (IsIn(type, domain)) return;
  context.Report(rule, op.opcode_range(), "`{}` of `{}`, which is not of {} type",
                 OpcodeName(op.opcode()), ElementTypeName(type), DomainText(domain));
}

void CheckComparison(const RuleContext& context, const OpView& op) {
  const ElementType type = op.operand_shape(0).element_type();
  const ComparisonDirection direction = op.Get<Attr::kDirection>();
  if (!IsComplex(type) || direction == ComparisonDirection::kEq ||
      direction == ComparisonDirection::kNe) {
    return;
  }
  context.Report(Rule::kCompareComplexDirection, op.attribute_range(Attr::kDirection),
                 "`direction={}` of `{}`, which has no order", EnumText(direction),
                 ElementTypeName(type));
}

void CheckConversion(const RuleContext& context, const OpView& op) {
  const ElementType from = op.operand_shape(0).element_type();
  const ElementType to = op.written_shape()->element_type();
  if (!IsComplex(from) || IsComplex(to)) return;
  context.Report(Rule::kConvertComplexToReal, op.shape_range(),
                 "converting `{}` to `{}` drops the imaginary part", ElementTypeName(from),
                 ElementTypeName(to));
}

}  // namespace

void VerifyElementwise(const RuleContext& context, const OpView& op) {
  const Opcode opcode = op.opcode();
  if (opcode == Opcode::kShiftLeft || opcode == Opcode::kShiftRightArithmetic ||
      opcode == Opcode::kShiftRightLogical) {
    WarnOutside(context, op, Rule::kShiftIntegral);
  } else if (opcode == Opcode::kMultiplyHigh) {
    WarnOutside(context, op, Rule::kMulhiIntegral);
  } else if (opcode == Opcode::kMaximum || opcode == Opcode::kMinimum) {
    WarnOutside(context, op, Rule::kMaximumComplex);
  } else if (opcode == Opcode::kCompare) {
    CheckComparison(context, op);
  } else if (opcode == Opcode::kConvert) {
    CheckConversion(context, op);
  }
}

}  // namespace hlo
