// Written against inferred result shapes, and float types that meet. Source: verifier.md 0.6, 0.7.
#include "verifier/result_shape.h"

#include <algorithm>

#include <fmt/format.h>

#include "inference/shape_inference.h"
#include "ir/leaves.h"
#include "support/count_text.h"
#include "verifier/shape_index.h"

namespace hlo {
namespace {

// Elementwise opcodes that keep the type give their operands' shape back when all are alike and of
// a type the opcode takes: most instructions of a dump are settled by comparing pointers, as shapes
// are interned.
bool IsPlainElementwise(const OpView& op) {
  const OpcodeInfo& info = GetOpcodeInfo(op.opcode());
  if (!info.domain || HasTrait(op.opcode(), kChangesType)) return false;
  const Shape* shape = op.written_shape();
  if (!IsIn(shape->element_type(), *info.domain)) return false;
  if (!info.arity.Allows(op.operand_count())) return false;
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    if (op.operand(i).shape != shape) return false;
  }
  return true;
}

// A dynamic flag that differs somewhere in two compatible shapes.
bool DynamicFlagsDiffer(const Shape& a, const Shape& b) {
  for (int64_t d = 0; d < a.rank(); ++d) {
    if (a.is_dynamic(d) != b.is_dynamic(d)) return true;
  }
  for (int64_t i = 0; i < a.element_count(); ++i) {
    if (DynamicFlagsDiffer(a.element(i), b.element(i))) return true;
  }
  return false;
}

void CheckDynamicFlags(const RuleContext& context, const OpView& op, const Shape& inferred) {
  const Shape& written = *op.written_shape();
  bool is_error = context.layout_sensitive() && HasTrait(op.opcode(), kExactResult);
  if (!is_error && !context.IsOn(Rule::kShapeDynamicFlags)) return;
  if (!DynamicFlagsDiffer(written, inferred)) return;
  context.ReportAs(is_error ? Severity::kError : Severity::kNote, Rule::kShapeDynamicFlags,
                   op.shape_range(), "`{}` is written where the operands give `{}`",
                   ShapeText(written), ShapeText(inferred));
}

// A shape in a message: of a tuple that would take several lines the beginning.
std::string BriefShapeText(const Shape& shape) {
  constexpr size_t kLongest = 160;
  constexpr size_t kShown = 100;
  const std::string text = ShapeText(shape);
  const size_t end = text.rfind(", ", kShown);
  if (text.size() <= kLongest || !shape.IsTuple() || end == std::string::npos) return text;
  return fmt::format("{}, ...)", std::string_view(text).substr(0, end));
}

// Layouts are the writer's choice: those of arrays whose rank is right stay.
void KeepLayouts(const Shape& written, Shape& shape) {
  if (written.IsArray() && shape.IsArray() && written.rank() == shape.rank()) {
    shape.set_layout(written.layout());
  }
  const int64_t count = std::min(written.element_count(), shape.element_count());
  for (int64_t i = 0; i < count; ++i) KeepLayouts(written.element(i), shape.mutable_element(i));
}

// A product of matrices or vectors that does not say over which dimensions it sums.
void SuggestContraction(const RuleContext& context, const OpView& op) {
  if (op.opcode() != Opcode::kDot || !op.Get<Attr::kLhsContractingDims>().empty()) return;
  const int64_t lhs_rank = op.operand_shape(0).rank();
  if (lhs_rank == 0 || op.operand_shape(1).rank() == 0) return;
  context.sink().Note(op.opcode_range(),
                      "this `dot` sums over no dimension; for a product of matrices write "
                      "`lhs_contracting_dims={{{}}}, rhs_contracting_dims={{0}}`",
                      lhs_rank - 1);
}

void ReportDifference(const RuleContext& context, const OpView& op, const Shape& inferred) {
  const Shape& written = *op.written_shape();
  context.ReportResultShape(op, "`{}` is written as `{}` but its operands give `{}`: {}",
                            OpcodeName(op.opcode()), BriefShapeText(written),
                            BriefShapeText(inferred), DescribeShapeDifference(written, inferred));
  SuggestContraction(context, op);
  if (!op.instruction().shape_range.empty()) {
    context.sink().AddFix(op.instruction().shape_range, CorrectedShapeText(op, inferred));
  }
}

void ReportPrecision(const RuleContext& context, const OpView& op, const Shape& inferred) {
  const Shape& written = *op.written_shape();
  if (HasTrait(op.opcode(), kExactResult)) {
    context.ReportAs(Severity::kError, Rule::kTypeMixedPrecisionResult, op.shape_range(),
                     "`{}` is written where the operands give exactly `{}`", ShapeText(written),
                     ShapeText(inferred));
  } else {
    context.Report(Rule::kTypeMixedPrecisionResult, op.shape_range(),
                   "`{}` is written where the operands give `{}`", ShapeText(written),
                   ShapeText(inferred));
  }
}

bool IsFused(const RuleContext& context, const OpView& op) {
  const auto callers = context.facts().callers(op.instruction().computation);
  return std::any_of(callers.begin(), callers.end(), [&](const CallSite& site) {
    return context.module().instruction(site.caller).opcode == Opcode::kFusion;
  });
}

// Where the written layout counts only as far as the order of dimensions (verifier.md 0.7).
bool ComparesOrderOnly(const RuleContext& context, const OpView& op) {
  const Opcode opcode = op.opcode();
  if (opcode == Opcode::kDynamicUpdateSlice) return IsFused(context, op);
  return opcode == Opcode::kConstant || opcode == Opcode::kInfeed || opcode == Opcode::kSend ||
         opcode == Opcode::kRecv || opcode == Opcode::kCopyStart;
}

// "`f32[2]{0:S(1)}` where its operands give `f32[2]{0}`", of the first array that differs.
std::string DescribeLayoutDifference(const Shape& written, const Shape& inferred, bool order_only) {
  for (int64_t i = 0; i < written.element_count(); ++i) {
    const Shape& element = written.element(i);
    if (SameLayouts(element, inferred.element(i), order_only)) continue;
    return fmt::format("{} in element {}",
                       DescribeLayoutDifference(element, inferred.element(i), order_only), i);
  }
  return fmt::format("`{}` where its operands give `{}`", ShapeTextWithLayout(written),
                     ShapeTextWithLayout(inferred));
}

void CheckResultLayout(const RuleContext& context, const OpView& op, const Shape& inferred) {
  if (!context.layout_sensitive() || !HasTrait(op.opcode(), kExactResult)) return;
  const bool order_only = ComparesOrderOnly(context, op);
  if (SameLayouts(*op.written_shape(), inferred, order_only)) return;
  context.Report(Rule::kShapeResultLayout, op.shape_range(), "`{}` is written with {}",
                 OpcodeName(op.opcode()),
                 DescribeLayoutDifference(*op.written_shape(), inferred, order_only));
}

void CompareShapes(const RuleContext& context, const OpView& op, const Shape& inferred) {
  const Shape& written = *op.written_shape();
  if (Compatible(written, inferred)) {
    if (written.HasDynamicDim() || inferred.HasDynamicDim()) {
      CheckDynamicFlags(context, op, inferred);
    }
    CheckResultLayout(context, op, inferred);
  } else if (Compatible(written, inferred, {.ignore_float_precision = true})) {
    ReportPrecision(context, op, inferred);
  } else {
    ReportDifference(context, op, inferred);
  }
}

// The types of the float arrays in `shape`, in turn; stops when `visit` returns false.
template <typename Visitor>
bool ForEachFloat(const Shape& shape, Visitor visit) {
  return ForEachLeaf(shape, [&](const Shape& leaf) {
    const ElementType type = ArrayShapeOf(leaf).element_type();
    return !IsFloat(type) || visit(type);
  });
}

// False after a report: what the operands are otherwise then follows from it.
bool CheckCalledPrecision(const RuleContext& context, const OpView& op) {
  bool is_checked = op.opcode() == Opcode::kReduce || op.opcode() == Opcode::kReduceWindow ||
                    op.opcode() == Opcode::kMap;
  if (!is_checked) return true;
  ComputationId called = op.Get<Attr::kToApply>();
  int64_t parameter_count = static_cast<int64_t>(op.computation(called).parameters.size());
  for (int64_t i = 0; i < std::min(parameter_count, op.operand_count()); ++i) {
    const Shape& parameter = op.parameter_shape(called, i);
    if (parameter.element_type() == op.operand_shape(i).element_type()) continue;
    context.Report(Rule::kTypeCalledComputationPrecision, op.operand_range(i),
                   "operand {} is `{}`, parameter {} of `{}` is `{}`", i,
                   ShapeText(op.operand_shape(i)), i, op.computation(called).name,
                   ShapeText(parameter));
    return false;
  }
  return true;
}

}  // namespace

std::string CorrectedShapeText(const OpView& op, const Shape& expected) {
  const std::string_view text = op.module().source()->text(op.instruction().shape_range);
  if (text.find('{') == std::string_view::npos) return ShapeText(expected);
  Shape shape = expected;
  KeepLayouts(*op.written_shape(), shape);
  return ShapeTextWithLayout(shape, /*index_comments=*/false);
}

std::string DescribeShapeDifference(const Shape& written, const Shape& expected) {
  if (written.IsTuple() != expected.IsTuple()) {
    return written.IsTuple() ? "a tuple instead of one value" : "one value instead of a tuple";
  }
  if (written.IsTuple()) {
    if (written.element_count() != expected.element_count()) {
      return fmt::format("{} instead of {}", CountText(written.element_count(), "element"),
                         expected.element_count());
    }
    for (int64_t i = 0; i < written.element_count(); ++i) {
      if (Compatible(written.element(i), expected.element(i))) continue;
      const std::string inner = DescribeShapeDifference(written.element(i), expected.element(i));
      if (written.element(i).IsTuple()) return fmt::format("in element {}, {}", i, inner);
      return fmt::format("in element {}, `{}` instead of `{}`, {}", i,
                         ShapeText(written.element(i)), ShapeText(expected.element(i)), inner);
    }
  }
  if (written.IsBuffer() != expected.IsBuffer()) {
    return written.IsBuffer() ? "a buffer instead of an array" : "an array instead of a buffer";
  }
  if (written.IsBuffer()) return DescribeShapeDifference(written.element(0), expected.element(0));
  if (written.rank() != expected.rank()) {
    return fmt::format("{} instead of {}", CountText(written.rank(), "dimension"), expected.rank());
  }
  for (int64_t d = 0; d < written.rank(); ++d) {
    if (written.is_unbounded(d) || expected.is_unbounded(d)) continue;
    if (written.dim(d) == expected.dim(d)) continue;
    return fmt::format("dimension {} is {} instead of {}", d, written.dim(d), expected.dim(d));
  }
  return fmt::format("element type `{}` instead of `{}`", ElementTypeName(written.element_type()),
                     ElementTypeName(expected.element_type()));
}

bool CheckResultShape(const RuleContext& context, const OpView& op) {
  if (IsPlainElementwise(op)) return true;
  std::optional<Shape> inferred = InferShape(op, context.sink());
  if (!inferred) return false;
  CompareShapes(context, op, *inferred);
  return true;
}

void CheckMixedPrecision(const RuleContext& context, const OpView& op) {
  if (!CheckCalledPrecision(context, op) || op.operand_count() < 2 ||
      HasTrait(op.opcode(), kMixesPrecision))
    return;
  std::optional<ElementType> first;
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    bool is_uniform = ForEachFloat(op.operand_shape(i), [&](ElementType type) {
      if (!first) first = type;
      return type == *first;
    });
    if (is_uniform) continue;
    context.Report(Rule::kTypeMixedPrecisionOperands, op.operand_range(i),
                   "operand {} is `{}` where another is `{}`", i, ShapeText(op.operand_shape(i)),
                   ElementTypeName(*first));
    return;
  }
}

}  // namespace hlo
