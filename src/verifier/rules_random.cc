// What the premises of inference leave to check of random numbers. Source: verifier.md 3.13.
#include <algorithm>

#include "verifier/rules.h"

namespace hlo {
namespace {

void CheckRng(const RuleContext& context, const OpView& op) {
  static constexpr ElementType kSupported[] = {
      ElementType::kF64, ElementType::kF32, ElementType::kF16, ElementType::kBf16,
      ElementType::kS64, ElementType::kU64, ElementType::kS32, ElementType::kU32};
  const ElementType type = op.written_shape()->element_type();
  // Between float types this is a matter of precision (verifier.md 0.6).
  const ElementType given = op.operand_shape(0).element_type();
  if (given != type && IsFloat(given) && IsFloat(type)) {
    const bool is_error = context.options().modes.strict_precision;
    context.ReportAs(is_error ? Severity::kError : Severity::kWarning, Rule::kRngSameType,
                     op.shape_range(), "`{}` is made of operands of type `{}`",
                     ShapeText(*op.written_shape()), ElementTypeName(given));
  }
  if (std::find(std::begin(kSupported), std::end(kSupported), type) != std::end(kSupported)) return;
  context.Report(Rule::kRngBackendTypes, op.shape_range(),
                 "few backends make random numbers of type `{}`", ElementTypeName(type));
}

// The state of three_fry has 128 bits, that of philox 192 or, without its counter's upper half,
// 128; counted in u64 or u32.
bool IsStateSize(RandomAlgorithm algorithm, const Shape& state) {
  if (!state.IsArray() || state.rank() != 1) return false;
  const bool is_u32 = state.element_type() == ElementType::kU32;
  if (!is_u32 && state.element_type() != ElementType::kU64) return false;
  const int64_t words = state.dim(0);
  const int64_t per_u64 = is_u32 ? 2 : 1;
  if (words == 2 * per_u64) return true;
  return algorithm == RandomAlgorithm::kPhilox && words == 3 * per_u64;
}

void CheckBitGenerator(const RuleContext& context, const OpView& op) {
  const Shape& result = *op.written_shape();
  if (!result.IsTuple()) {
    context.Report(Rule::kRngBitGeneratorNonTuple, op.shape_range(),
                   "the result `{}` is not a tuple of state and data", ShapeText(result));
    return;
  }
  const Shape& data = result.element(1);
  if (!IsUnsigned(data.element_type())) {
    context.Report(Rule::kRngBitGeneratorDataType, op.shape_range(),
                   "the random bits `{}` are not unsigned integers", ShapeText(data));
  }
  const RandomAlgorithm algorithm = op.Get<Attr::kRandomAlgorithm>();
  const Shape& state = op.operand_shape(0);
  if (algorithm == RandomAlgorithm::kDefault || IsStateSize(algorithm, state)) return;
  context.Report(Rule::kRngBitGeneratorStateSize, op.operand_range(0),
                 "the state `{}` is not one of `{}`", ShapeText(state), EnumText(algorithm));
}

}  // namespace

void VerifyRandom(const RuleContext& context, const OpView& op) {
  if (op.opcode() == Opcode::kRng) return CheckRng(context, op);
  if (op.opcode() == Opcode::kRngBitGenerator) return CheckBitGenerator(context, op);
}

}  // namespace hlo
