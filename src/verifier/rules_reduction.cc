// What the premises of inference leave to check of map and scan. Source: verifier.md 3.9.
#include "verifier/rules.h"

namespace hlo {
namespace {

// The list, when it is given, names all dimensions in order; XLA's reader throws it away.
void CheckMap(const RuleContext& context, const OpView& op) {
  const IntList dimensions = op.Get<Attr::kDimensions>();
  const int64_t rank = op.written_shape()->rank();
  if (!op.Has(Attr::kDimensions)) return;
  bool names_all = static_cast<int64_t>(dimensions.size()) == rank;
  for (int64_t d = 0; names_all && d < rank; ++d) names_all = dimensions[d] == d;
  if (names_all) return;
  context.Report(Rule::kMapDimensions, op.attribute_range(Attr::kDimensions),
                 "`dimensions={{{}}}` does not name the {} dimension{} of the result in order",
                 fmt::join(dimensions, ","), rank, rank == 1 ? "" : "s");
}

void CheckScan(const RuleContext& context, const OpView& op) {
  if (op.Get<Attr::kIsAssociative>()) return;
  context.Report(Rule::kScanAssociativeLowered, op.opcode_range(),
                 "the scan is not marked `is_associative=true`");
}

}  // namespace

void VerifyReduction(const RuleContext& context, const OpView& op) {
  if (op.opcode() == Opcode::kMap) return CheckMap(context, op);
  if (op.opcode() == Opcode::kScan) return CheckScan(context, op);
}

}  // namespace hlo
