// What the premises of inference leave to check of calls, and custom-call, whose shape is what is
// written. Source: verifier.md 3.11.
#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "support/count_text.h"
#include "verifier/custom_call_targets.h"
#include "verifier/instruction_kind.h"
#include "verifier/rules.h"
#include "verifier/shape_index.h"

namespace hlo {
namespace {

// --- call --------------------------------------------------------------------------------------

bool IsVersion(std::string_view text) {
  uint64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  return error == std::errc() && end == text.data() + text.size();
}

// A composite says in frontend attributes what it stands for.
void CheckComposite(const RuleContext& context, const OpView& op) {
  const SourceRange range = op.attribute_range(Attr::kFrontendAttributes);
  const std::optional<std::string_view> name = FrontendValue(op.instruction(), "composite.name");
  if (!name || name->empty()) {
    context.Report(Rule::kCallCompositeAttributes, range,
                   "a composite call without `composite.name` in its frontend attributes");
    return;
  }
  const std::optional<std::string_view> dict =
      FrontendValue(op.instruction(), "composite.attributes");
  if (dict && dict->empty()) {
    context.Report(Rule::kCallCompositeDict, range, "`composite.attributes` is empty");
  }
  const std::optional<std::string_view> version =
      FrontendValue(op.instruction(), "composite.version");
  if (version && !IsVersion(*version)) {
    context.Report(Rule::kCallCompositeVersion, range,
                   "`composite.version` is `{}`, not a non-negative integer", *version);
  }
}

void CheckCall(const RuleContext& context, const OpView& op) {
  if (op.Has(Attr::kOutputToOperandAliasing)) {
    context.Report(Rule::kCallNoAlias, op.attribute_range(Attr::kOutputToOperandAliasing),
                   "`call` has no aliases between operands and result");
  }
  if (op.Get<Attr::kIsComposite>()) CheckComposite(context, op);
}

// --- custom-call -------------------------------------------------------------------------------

void CheckLayoutConstraints(const RuleContext& context, const OpView& op) {
  const ShapeList constraints = op.Get<Attr::kOperandLayoutConstraints>();
  const SourceRange range = op.attribute_range(Attr::kOperandLayoutConstraints);
  if (static_cast<int64_t>(constraints.size()) != op.operand_count()) {
    context.Report(Rule::kCustomCallLayoutCount, range,
                   "`operand_layout_constraints` has {} for {}",
                   CountText(static_cast<int64_t>(constraints.size()), "shape"),
                   CountText(op.operand_count(), "operand"));
    return;
  }
  if (!HasLayouts(*op.written_shape())) {
    context.Report(Rule::kCustomCallLayoutResult, op.shape_range(),
                   "the layouts of the operands are fixed, the result `{}` has none",
                   ShapeText(*op.written_shape()));
  }
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    const Shape& constraint = *constraints[i].shape;
    if (Compatible(constraint, op.operand_shape(i))) continue;
    context.Report(Rule::kCustomCallLayoutOperand, range, "constraint {} is `{}`, the operand `{}`",
                   i, ShapeTextWithLayout(constraint), ShapeText(op.operand_shape(i)));
    return;
  }
}

// Pinning turns arrays into buffers and back: what they hold must agree.
const Shape& Content(const Shape& shape) { return shape.IsBuffer() ? shape.element(0) : shape; }

// `f32[]`, `f32[1,1]`: such a value may move to another memory space on its way.
bool IsOneElement(const Shape& shape) {
  if (!shape.IsArray()) return false;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.dim(d) != 1) return false;
  }
  return true;
}

bool AliasedShapesAgree(const RuleContext& context, const OpView& op, const Shape& output,
                        const Shape& operand) {
  const std::string_view target = op.Get<Attr::kCustomCallTarget>();
  const bool pins = target == "Pin" || target == "Unpin";
  const Shape& a = pins ? Content(output) : output;
  const Shape& b = pins ? Content(operand) : operand;
  if (!context.layout_sensitive()) return Compatible(a, b);
  if (!IsOneElement(a) || !a.layout() || !b.layout()) return a == b;
  Shape moved = a;
  Layout layout = *a.layout();
  layout.memory_space = b.layout()->memory_space;
  moved.set_layout(std::move(layout));
  return moved == b;
}

void CheckAlias(const RuleContext& context, const OpView& op, const OperandAlias& alias) {
  const SourceRange range = op.attribute_range(Attr::kOutputToOperandAliasing);
  if (alias.operand < 0 || alias.operand >= op.operand_count()) {
    context.Report(Rule::kCustomCallAliasOperand, range,
                   "the result aliases operand {}, `custom-call` has {}", alias.operand,
                   CountText(op.operand_count(), "operand"));
    return;
  }
  const Shape* output = SubShape(*op.written_shape(), alias.output_index);
  const Shape* operand = SubShape(op.operand_shape(alias.operand), alias.operand_index);
  if (output == nullptr || operand == nullptr) {
    const bool bad_output = output == nullptr;
    context.Report(Rule::kCustomCallAliasIndex, range, "`{}` has no element {{{}}}",
                   ShapeText(bad_output ? *op.written_shape() : op.operand_shape(alias.operand)),
                   fmt::join(bad_output ? alias.output_index : alias.operand_index, ","));
    return;
  }
  if (FrontendValue(op.instruction(), "xla_skip_custom_call_alias_shape_check")) return;
  if (AliasedShapesAgree(context, op, *output, *operand)) return;
  context.Report(Rule::kCustomCallAliasShape, range,
                 "the result's `{}` aliases operand {}, whose part is `{}`",
                 context.layout_sensitive() ? ShapeTextWithLayout(*output) : ShapeText(*output),
                 alias.operand,
                 context.layout_sensitive() ? ShapeTextWithLayout(*operand) : ShapeText(*operand));
}

void CheckCustomCall(const RuleContext& context, const OpView& op) {
  VerifyCustomCallTarget(context, op);
  if (op.Has(Attr::kToApply) && op.Has(Attr::kCalledComputations)) {
    context.Report(Rule::kCustomCallComputations, op.attribute_range(Attr::kCalledComputations),
                   "both `to_apply` and `called_computations` are given");
  }
  if (op.Has(Attr::kApiVersion) &&
      op.Get<Attr::kApiVersion>() == CustomCallApiVersion::kUnspecified) {
    context.Report(Rule::kCustomCallApiVersion, op.attribute_range(Attr::kApiVersion),
                   "`api_version={}` says nothing", EnumText(CustomCallApiVersion::kUnspecified));
  }
  if (op.Has(Attr::kOperandLayoutConstraints)) CheckLayoutConstraints(context, op);
  for (const OperandAlias& alias : op.Get<Attr::kOutputToOperandAliasing>()) {
    CheckAlias(context, op, alias);
  }
}

}  // namespace

void VerifyControlFlow(const RuleContext& context, const OpView& op) {
  if (op.opcode() == Opcode::kCall) return CheckCall(context, op);
  if (op.opcode() == Opcode::kCustomCall) return CheckCustomCall(context, op);
}

}  // namespace hlo
