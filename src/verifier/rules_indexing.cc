// What is accepted of slices, gathers and scatters though the documents say otherwise.
// Source: verifier.md 3.5, 3.8.
#include <algorithm>

#include "inference/compatibility.h"
#include "ir/constant_value.h"
#include "verifier/rules.h"

namespace hlo {
namespace {

// A start that is known is in bounds, or it is clamped silently. `sizes` are those of the slice,
// the start indices begin at operand `first`.
void CheckConstantStarts(const RuleContext& context, const OpView& op, int64_t first,
                         const Shape& sizes, Rule rule) {
  const Shape& operand = op.operand_shape(0);
  if (!operand.IsArray() || op.operand_count() - first != operand.rank()) return;
  if (sizes.rank() != operand.rank()) return;  // the written shape is another one
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const std::optional<__int128> start = ConstantInteger(op.operand(first + d));
    if (!start || operand.is_unbounded(d) || sizes.is_unbounded(d)) continue;
    if (*start >= 0 && *start <= operand.dim(d) - sizes.dim(d)) continue;
    context.Report(rule, op.operand_range(first + d),
                   "the start {} in dimension {} is clamped to {}, a slice of {} in {} elements",
                   *start, d, *start < 0 ? 0 : operand.dim(d) - sizes.dim(d), sizes.dim(d),
                   operand.dim(d));
  }
}

void CheckPositiveSizes(const RuleContext& context, const Shape& sizes, SourceRange range,
                        Rule rule) {
  for (int64_t d = 0; d < sizes.rank(); ++d) {
    if (sizes.dim(d) != 0) continue;
    context.Report(rule, range, "the slice has no elements in dimension {}", d);
    return;
  }
}

void CheckDynamicSlice(const RuleContext& context, const OpView& op) {
  const Shape& sizes = *op.written_shape();
  CheckPositiveSizes(context, sizes, op.attribute_range(Attr::kDynamicSliceSizes),
                     Rule::kDynamicSliceSizePositive);
  CheckConstantStarts(context, op, 1, sizes, Rule::kDynamicSliceConstantStart);
}

void CheckDynamicUpdateSlice(const RuleContext& context, const OpView& op) {
  const Shape& update = op.operand_shape(1);
  CheckPositiveSizes(context, update, op.operand_range(1), Rule::kDynamicUpdateSliceSizePositive);
  CheckConstantStarts(context, op, 2, update, Rule::kDynamicUpdateSliceConstantStart);
}

// Where both say where a dimension starts, the batch position stands.
void CheckIndexedBatching(const RuleContext& context, const OpView& op) {
  const IntList map = op.Get<Attr::kStartIndexMap>();
  for (const int64_t d : op.Get<Attr::kOperandBatchingDims>()) {
    if (std::find(map.begin(), map.end(), d) == map.end()) continue;
    context.ReportAs(Severity::kWarning, Rule::kGatherBatchingDisjoint,
                     op.attribute_range(Attr::kStartIndexMap),
                     "dimension {} of the operand is in `operand_batching_dims` too, so its index "
                     "is not used",
                     d);
    return;
  }
}

void CheckGather(const RuleContext& context, const OpView& op) {
  CheckIndexedBatching(context, op);
  const IntList operand_dims = op.Get<Attr::kOperandBatchingDims>();
  const IntList index_dims = op.Get<Attr::kStartIndicesBatchingDims>();
  const Shape& operand = op.operand_shape(0);
  const Shape& indices = op.operand_shape(1);
  for (size_t i = 0; i < operand_dims.size(); ++i) {
    if (index_dims[i] >= indices.rank()) continue;  // the implied index vector dimension
    if (SizesCompatible(operand.dim(operand_dims[i]), indices.dim(index_dims[i]))) continue;
    context.Report(Rule::kGatherBatchingDimSizes, op.attribute_range(Attr::kOperandBatchingDims),
                   "batching dimension {} of `{}` has size {}, dimension {} of the indices `{}`, "
                   "which goes with it, has {}",
                   operand_dims[i], ShapeText(operand), operand.dim(operand_dims[i]), index_dims[i],
                   ShapeText(indices), indices.dim(index_dims[i]));
    return;
  }
}

void CheckScatter(const RuleContext& context, const OpView& op) {
  const int64_t count = op.operand_count() / 2;
  for (int64_t k = 1; k < count; ++k) {
    for (int64_t base : {int64_t{0}, count + 1}) {
      if (DimsCompatible(op.operand_shape(base), op.operand_shape(base + k))) continue;
      context.Report(
          Rule::kScatterSameDims, op.operand_range(base + k), "operand {} is `{}`, operand {} `{}`",
          base + k, ShapeText(op.operand_shape(base + k)), base, ShapeText(op.operand_shape(base)));
      return;
    }
  }
}

}  // namespace

void VerifyIndexing(const RuleContext& context, const OpView& op) {
  if (op.opcode() == Opcode::kDynamicSlice) return CheckDynamicSlice(context, op);
  if (op.opcode() == Opcode::kDynamicUpdateSlice) return CheckDynamicUpdateSlice(context, op);
  if (op.opcode() == Opcode::kGather) return CheckGather(context, op);
  if (op.opcode() == Opcode::kScatter) return CheckScatter(context, op);
}

}  // namespace hlo
