// dot, ragged-dot and scaled-dot (verifier.md 3.6). The result has the batch dimensions of the
// left side in the order of the attribute, then the free dimensions of the left and of the right
// side; free is what is neither batch nor contracting.
#include <algorithm>

#include "inference/compatibility.h"
#include "inference/dimension_list.h"
#include "inference/infer.h"
#include "inference/operand_checks.h"
#include "ir/dot_dimensions.h"
#include "support/count_text.h"

namespace hlo {
namespace {

enum Side : int64_t { kLhs = 0, kRhs = 1 };

// The relatives of dot report all of its rules under one of their own.
Rule DotRule(const OpView& op, Rule rule) {
  if (op.opcode() == Opcode::kRaggedDot) return Rule::kRaggedDotDotRules;
  if (op.opcode() == Opcode::kScaledDot) return Rule::kScaledDotDotRules;
  return rule;
}

DimensionList Contracting(const OpView& op, Side side, DiagnosticSink& sink) {
  return side == kLhs ? DimensionList::Of<Attr::kLhsContractingDims>(op, sink)
                      : DimensionList::Of<Attr::kRhsContractingDims>(op, sink);
}

DimensionList Batch(const OpView& op, Side side, DiagnosticSink& sink) {
  return side == kLhs ? DimensionList::Of<Attr::kLhsBatchDims>(op, sink)
                      : DimensionList::Of<Attr::kRhsBatchDims>(op, sink);
}

bool CheckSide(const OpView& op, Side side, DiagnosticSink& sink) {
  if (!CheckArray(op, side, DotRule(op, Rule::kDotOperandArray), sink)) return false;
  const int64_t rank = op.operand_shape(side).rank();
  const DimensionList contracting = Contracting(op, side, sink);
  const DimensionList batch = Batch(op, side, sink);
  const Rule range_rule = DotRule(op, Rule::kDotDimsRange);
  const Rule unique_rule = DotRule(op, Rule::kDotDimsUnique);
  if (!contracting.InRange(rank, range_rule) || !batch.InRange(rank, range_rule) ||
      !contracting.Distinct(unique_rule) || !batch.Distinct(unique_rule)) {
    return false;
  }
  for (int64_t dimension : batch.numbers()) {
    if (!contracting.Contains(dimension)) continue;
    return sink.Error(unique_rule, batch.range(), "dimension {} is in `{}` and in `{}`", dimension,
                      batch.Text(), contracting.Text());
  }
  return true;
}

// The dimensions in two lists belong together one by one.
bool CheckPairs(const OpView& op, const DimensionList& lhs, const DimensionList& rhs,
                Rule count_rule, Rule size_rule, DiagnosticSink& sink) {
  if (lhs.size() != rhs.size()) {
    return sink.Error(DotRule(op, count_rule), rhs.range(),
                      "`{}` and `{}` differ in the number of dimensions", lhs.Text(), rhs.Text());
  }
  const Shape& left = op.operand_shape(kLhs);
  const Shape& right = op.operand_shape(kRhs);
  for (int64_t i = 0; i < lhs.size(); ++i) {
    if (SizesCompatible(left.dim(lhs[i]), right.dim(rhs[i]))) continue;
    return sink.Error(DotRule(op, size_rule), rhs.range(),
                      "dimension {} of `{}` has size {}, dimension {} of `{}` has {}", lhs[i],
                      ShapeText(left), left.dim(lhs[i]), rhs[i], ShapeText(right),
                      right.dim(rhs[i]));
  }
  return true;
}

bool CheckDot(const OpView& op, DiagnosticSink& sink) {
  return CheckSide(op, kLhs, sink) && CheckSide(op, kRhs, sink) &&
         CheckPairs(op, Contracting(op, kLhs, sink), Contracting(op, kRhs, sink),
                    Rule::kDotContractingCount, Rule::kDotContractingSizes, sink) &&
         CheckPairs(op, Batch(op, kLhs, sink), Batch(op, kRhs, sink), Rule::kDotBatchCount,
                    Rule::kDotBatchSizes, sink);
}

// The element type is free: what is written, or the more precise of both sides.
ElementType DotResultType(const OpView& op) {
  if (op.written_shape() != nullptr && op.written_shape()->IsArray()) {
    return op.written_shape()->element_type();
  }
  return HigherPrecision(op.operand_shape(kLhs).element_type(),
                         op.operand_shape(kRhs).element_type());
}

// Batch, free left, free right; `dropped` dimensions of the right side are left out.
void AppendDotDims(const OpView& op, std::span<const int64_t> dropped, Shape& result,
                   DiagnosticSink& sink) {
  const Shape& lhs = op.operand_shape(kLhs);
  for (int64_t d : Batch(op, kLhs, sink).numbers()) AppendDimOf(result, lhs, d);
  for (int64_t d : DotDimensions::Of(op, kLhs).free) AppendDimOf(result, lhs, d);
  for (int64_t d : DotDimensions::Of(op, kRhs).free) {
    if (!Contains(dropped, d)) AppendDimOf(result, op.operand_shape(kRhs), d);
  }
}

// --- ragged-dot --------------------------------------------------------------------------------

// What kind of dimension the ragged one is.
enum class RaggedMode { kBatch, kContracting, kFree };

RaggedMode ModeOf(const OpView& op, int64_t ragged, DiagnosticSink& sink) {
  if (Batch(op, kLhs, sink).Contains(ragged)) return RaggedMode::kBatch;
  if (Contracting(op, kLhs, sink).Contains(ragged)) return RaggedMode::kContracting;
  return RaggedMode::kFree;
}

std::optional<int64_t> RaggedDimension(const OpView& op, DiagnosticSink& sink) {
  const DimensionList ragged = DimensionList::Of<Attr::kLhsRaggedDims>(op, sink);
  if (ragged.size() != 1) {
    return sink.Error(Rule::kRaggedDotOneRaggedDim, ragged.range(),
                      "`{}` names {} dimensions instead of one", ragged.Text(), ragged.size());
  }
  if (!ragged.InRange(op.operand_shape(kLhs).rank(), Rule::kRaggedDotRaggedRange)) {
    return std::nullopt;
  }
  return ragged[0];
}

// Appends the numbers that come before `end`, all when it is not among them.
void AppendUntil(std::span<const int64_t> numbers, int64_t end, std::vector<int64_t>& result) {
  result.insert(result.end(), numbers.begin(), std::find(numbers.begin(), numbers.end(), end));
}

// The dimensions of the left side for each of which group_sizes may have sizes of its own.
std::vector<int64_t> PrefixDims(const OpView& op, int64_t ragged, DiagnosticSink& sink) {
  std::vector<int64_t> prefix;
  AppendUntil(Batch(op, kLhs, sink).numbers(), ragged, prefix);
  switch (ModeOf(op, ragged, sink)) {
    case RaggedMode::kBatch:
      break;
    case RaggedMode::kContracting:
      AppendUntil(Contracting(op, kLhs, sink).numbers(), ragged, prefix);
      break;
    case RaggedMode::kFree:
      AppendUntil(DotDimensions::Of(op, kLhs).free, ragged, prefix);
      break;
  }
  return prefix;
}

bool CheckGroupSizes(const OpView& op, int64_t ragged, DiagnosticSink& sink) {
  if (!CheckArray(op, 2, Rule::kRaggedDotGroupSizesArray, sink)) return false;
  const Shape& group_sizes = op.operand_shape(2);
  const Shape& lhs = op.operand_shape(kLhs);
  const std::vector<int64_t> prefix = PrefixDims(op, ragged, sink);
  const int64_t full_rank = static_cast<int64_t>(prefix.size()) + 1;
  if (group_sizes.rank() == 1) return true;
  if (group_sizes.rank() != full_rank) {
    return sink.Error(Rule::kRaggedDotGroupSizesRank, op.operand_range(2),
                      "the group sizes `{}` have {} dimensions instead of 1{}",
                      ShapeText(group_sizes), group_sizes.rank(),
                      full_rank == 1 ? "" : fmt::format(" or {}", full_rank));
  }
  for (size_t i = 0; i < prefix.size(); ++i) {
    if (SizesCompatible(group_sizes.dim(i), lhs.dim(prefix[i]))) continue;
    return sink.Error(Rule::kRaggedDotGroupSizesShape, op.operand_range(2),
                      "dimension {} of the group sizes `{}` has size {}, dimension {} of `{}`, "
                      "to which it belongs, has {}",
                      i, ShapeText(group_sizes), group_sizes.dim(i), prefix[i], ShapeText(lhs),
                      lhs.dim(prefix[i]));
  }
  return true;
}

bool CheckRhsGroups(const OpView& op, RaggedMode mode, DiagnosticSink& sink) {
  const DimensionList groups = DimensionList::Of<Attr::kRhsGroupDims>(op, sink);
  const Shape& rhs = op.operand_shape(kRhs);
  if (!groups.InRange(rhs.rank(), Rule::kRaggedDotRhsGroupRange)) return false;
  for (int64_t dimension : groups.numbers()) {
    if (!Batch(op, kRhs, sink).Contains(dimension) &&
        !Contracting(op, kRhs, sink).Contains(dimension)) {
      continue;
    }
    return sink.Error(Rule::kRaggedDotRhsGroupKind, groups.range(),
                      "`{}` names dimension {}, which is a batch or contracting dimension",
                      groups.Text(), dimension);
  }
  const int64_t expected = mode == RaggedMode::kFree ? 1 : 0;
  if (groups.size() != expected) {
    return sink.Error(Rule::kRaggedDotRhsGroupCount, groups.range(),
                      "`{}` names {}, a ragged {} dimension takes {}", groups.Text(),
                      CountText(groups.size(), "group dimension"),
                      mode == RaggedMode::kFree    ? "free"
                      : mode == RaggedMode::kBatch ? "batch"
                                                   : "contracting",
                      expected);
  }
  const Shape& group_sizes = op.operand_shape(2);
  const int64_t group_count = group_sizes.dim(group_sizes.rank() - 1);
  if (expected == 1 && !SizesCompatible(rhs.dim(groups[0]), group_count)) {
    return sink.Error(Rule::kRaggedDotRhsGroupSize, groups.range(),
                      "dimension {} of `{}` has size {}, there are {} groups", groups[0],
                      ShapeText(rhs), rhs.dim(groups[0]), group_count);
  }
  return true;
}

// --- scaled-dot --------------------------------------------------------------------------------

// What only fills the place of a scale: a scalar of any type (semantics.md 10.3), and a bf16 scale
// of size 1 beside a bf16 operand (verifier.md 3.6).
bool IsDummyScale(const Shape& operand, const Shape& scale) {
  if (scale.IsScalar()) return true;
  const auto is_one = [](int64_t size) { return size == 1; };
  return operand.element_type() == ElementType::kBf16 &&
         scale.element_type() == ElementType::kBf16 &&
         std::all_of(scale.dims().begin(), scale.dims().end(), is_one) &&
         !std::all_of(operand.dims().begin(), operand.dims().end(), is_one);
}

bool CheckScale(const OpView& op, Side side, DiagnosticSink& sink) {
  const int64_t scale_number = side + 2;
  if (!CheckArray(op, scale_number, Rule::kScaledDotScaleRank, sink)) return false;
  const Shape& operand = op.operand_shape(side);
  const Shape& scale = op.operand_shape(scale_number);
  if (IsDummyScale(operand, scale)) return true;
  const SourceRange range = op.operand_range(scale_number);
  if (scale.rank() != operand.rank()) {
    return sink.Error(Rule::kScaledDotScaleRank, range,
                      "the scale `{}` has {} dimensions, its operand `{}` has {}", ShapeText(scale),
                      scale.rank(), ShapeText(operand), operand.rank());
  }
  const DimensionList contracting = Contracting(op, side, sink);
  if (contracting.size() != 1) {
    return sink.Error(Rule::kScaledDotOneContracting, contracting.range(),
                      "`{}` names {} dimensions of a scaled side instead of one",
                      contracting.Text(), contracting.size());
  }
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (operand.is_unbounded(d) || scale.is_unbounded(d)) continue;
    if (scale.dim(d) != 0 && operand.dim(d) % scale.dim(d) == 0) continue;
    return sink.Error(Rule::kScaledDotScaleDivides, range,
                      "dimension {} of the scale has size {}, which does not divide {}", d,
                      scale.dim(d), operand.dim(d));
  }
  return true;
}

}  // namespace

std::optional<Shape> InferDot(const OpView& op, DiagnosticSink& sink) {
  if (!CheckDot(op, sink)) return std::nullopt;
  Shape result = Shape::Array(DotResultType(op), {});
  AppendDotDims(op, {}, result, sink);
  return result;
}

std::optional<Shape> InferRaggedDot(const OpView& op, DiagnosticSink& sink) {
  if (!CheckDot(op, sink)) return std::nullopt;
  const std::optional<int64_t> ragged = RaggedDimension(op, sink);
  if (!ragged || !CheckGroupSizes(op, *ragged, sink)) return std::nullopt;
  const RaggedMode mode = ModeOf(op, *ragged, sink);
  if (!CheckRhsGroups(op, mode, sink)) return std::nullopt;
  Shape result = Shape::Array(DotResultType(op), {});
  const Shape& group_sizes = op.operand_shape(2);
  if (mode == RaggedMode::kContracting) {
    AppendDimOf(result, group_sizes, group_sizes.rank() - 1);
  }
  AppendDotDims(op, op.Get<Attr::kRhsGroupDims>(), result, sink);
  return result;
}

std::optional<Shape> InferScaledDot(const OpView& op, DiagnosticSink& sink) {
  if (!CheckDot(op, sink)) return std::nullopt;
  if (op.operand_shape(2).IsScalar() && op.operand_shape(3).IsScalar()) {
    return sink.Error(Rule::kScaledDotSomeScale, op.operand_range(3),
                      "both scales are scalars, `{}` and `{}`", ShapeText(op.operand_shape(2)),
                      ShapeText(op.operand_shape(3)));
  }
  if (!CheckScale(op, kLhs, sink) || !CheckScale(op, kRhs, sink)) return std::nullopt;
  Shape result = Shape::Array(DotResultType(op), {});
  AppendDotDims(op, {}, result, sink);
  return result;
}

}  // namespace hlo
