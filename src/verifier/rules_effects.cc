// What the premises of inference leave to check of transfers and compiler-made opcodes.
// Source: verifier.md 3.12.
#include <algorithm>

#include "verifier/rules.h"
#include "verifier/shape_index.h"

namespace hlo {
namespace {

// Data for the device: an array, or a flat tuple of arrays.
void CheckInfeed(const RuleContext& context, const OpView& op) {
  const Shape& data = op.written_shape()->element(0);
  const bool is_flat = std::all_of(data.elements().begin(), data.elements().end(),
                                   [](const Shape& element) { return element.IsArray(); });
  if (!HasLayouts(data)) {
    context.Report(Rule::kInfeedLayout, op.shape_range(), "the data `{}` comes without a layout",
                   ShapeTextWithLayout(data));
  }
  if (data.IsArray() || (data.IsTuple() && is_flat)) return;
  context.Report(Rule::kInfeedNestedTuple, op.shape_range(),
                 "the data `{}` is neither an array nor a flat tuple of arrays", ShapeText(data));
}

void CheckSend(const RuleContext& context, const OpView& op) {
  if (!op.Get<Attr::kIsHostTransfer>() || op.operand_shape(0).IsArray()) return;
  context.Report(Rule::kSendArray, op.operand_range(0), "`{}` is sent to the host, not an array",
                 ShapeText(op.operand_shape(0)));
}

void CheckCopyStart(const RuleContext& context, const OpView& op) {
  const int64_t index = op.Get<Attr::kCrossProgramPrefetchIndex>();
  if (index >= 0) return;
  context.Report(Rule::kCopyStartPrefetchIndex,
                 op.attribute_range(Attr::kCrossProgramPrefetchIndex),
                 "`cross_program_prefetch_index={}` is negative", index);
}

}  // namespace

void VerifyEffects(const RuleContext& context, const OpView& op) {
  if (HasTrait(op.opcode(), kCompilerMade)) {
    context.Report(Rule::kDomainManual, op.opcode_range(), "`{}` is made by compilers",
                   OpcodeName(op.opcode()));
  }
  if (op.opcode() == Opcode::kInfeed) return CheckInfeed(context, op);
  if (op.opcode() == Opcode::kSend) return CheckSend(context, op);
  if (op.opcode() == Opcode::kCopyStart) return CheckCopyStart(context, op);
}

}  // namespace hlo
