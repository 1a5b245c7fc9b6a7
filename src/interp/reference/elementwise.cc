// Operands of elementwise instructions: the type to compute in, and one common size.
#include "interp/reference/elementwise.h"

#include <algorithm>
#include <optional>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "interp/kernel/device.h"
#include "interp/reference/set_result.h"

namespace hlo::reference {
namespace {

ElementType FloatComputeType(ElementType a, ElementType b) {
  return a == ElementType::kF64 || b == ElementType::kF64 ? ElementType::kF64 : ElementType::kF32;
}

absl::Status SizesDiffer(Evaluation& e, std::span<const int64_t> a, std::span<const int64_t> b) {
  return absl::InvalidArgumentError(
      fmt::format("the operands of `{}` have the sizes [{}] and [{}] at run time",
                  OpcodeName(e.op().opcode()), fmt::join(a, ","), fmt::join(b, ",")));
}

// Whether the text gives dimension `d` of operand `i` one size, which it has at run time as well.
bool IsStaticHere(const Evaluation& e, size_t i, size_t d) {
  // Custom calls may take tuples: then the arrays are not the operands.
  if (e.operands().size() != static_cast<size_t>(e.op().operand_count())) return false;
  const Shape& shape = e.op().operand_shape(static_cast<int64_t>(i));
  const int64_t dimension = static_cast<int64_t>(d);
  return shape.rank() > dimension && !shape.is_dynamic(dimension) &&
         shape.dim(dimension) == e.operand(i).dims[d];
}

// The size that operands agree on in dimension `d`, or can be brought to: a run-time size of 1
// stretches, and what is static there is read on the range of the others (semantics.md 13).
absl::StatusOr<int64_t> CommonSize(Evaluation& e, std::span<const size_t> operands, size_t d) {
  std::optional<size_t> dynamic, first;
  for (size_t i : operands) {
    const int64_t size = e.operand(i).dims[d];
    if (!first || size < e.operand(*first).dims[d]) first = i;
    if (IsStaticHere(e, i, d)) continue;
    if (dynamic && size != 1 && e.operand(*dynamic).dims[d] != 1 &&
        size != e.operand(*dynamic).dims[d]) {
      return SizesDiffer(e, e.operand(*dynamic).dims, e.operand(i).dims);
    }
    if (!dynamic || e.operand(*dynamic).dims[d] == 1) dynamic = i;
  }
  return e.operand(dynamic.value_or(*first)).dims[d];
}

// Sets `common` to the sizes that all operands agree on or can be brought to.
absl::Status FindCommonDims(Evaluation& e, bool scalars_repeat, Index& common) {
  absl::InlinedVector<size_t, 3> operands;
  for (size_t i = 0; i < e.operands().size(); ++i) {
    if (!scalars_repeat || !e.operand(i).dims.empty()) operands.push_back(i);
  }
  if (operands.empty()) return absl::OkStatus();
  const std::span<const int64_t> first = e.operand(operands[0]).dims;
  common.assign(first.begin(), first.end());
  const bool all_same = std::ranges::all_of(
      operands, [&](size_t i) { return std::ranges::equal(e.operand(i).dims, common); });
  if (all_same) return absl::OkStatus();
  for (size_t i : operands) {
    if (e.operand(i).dims.size() != common.size()) return SizesDiffer(e, common, e.operand(i).dims);
  }
  for (size_t d = 0; d < common.size(); ++d) {
    HLO_ASSIGN_OR_RETURN(common[d], CommonSize(e, operands, d));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status NotDefinedFor(Evaluation& e, ElementType type) {
  return absl::InvalidArgumentError(fmt::format("`{}` is not defined for element type {}",
                                                OpcodeName(e.op().opcode()),
                                                ElementTypeName(type)));
}

absl::StatusOr<ElementType> ComputeType(Evaluation& e, TypeSet domain) {
  ElementType type = e.operand(0).element_type;
  if (IsFloat(type) && IsFloat(e.result().element_type)) {
    type = FloatComputeType(type, e.result().element_type);
  } else if (IsFloat(type)) {
    type = FloatComputeType(type, type);
  }
  for (const ArrayRef& operand : e.operands().subspan(1)) {
    if (IsFloat(type) && IsFloat(operand.element_type)) {
      type = FloatComputeType(type, operand.element_type);
    } else if (IsComplex(type) && operand.element_type == ElementType::kC128) {
      type = ElementType::kC128;
    } else if (operand.element_type != type &&
               !(IsComplex(type) && IsComplex(operand.element_type))) {
      return absl::InvalidArgumentError(fmt::format(
          "the operands of `{}` have the element types {} and {}", OpcodeName(e.op().opcode()),
          ElementTypeName(e.operand(0).element_type), ElementTypeName(operand.element_type)));
    }
  }
  if (!IsIn(type, domain)) return NotDefinedFor(e, e.operand(0).element_type);
  return type;
}

absl::StatusOr<ElementwiseOperands> ElementwiseOperands::Make(Evaluation& e, bool scalars_repeat) {
  Index dims;
  HLO_RETURN_IF_ERROR(FindCommonDims(e, scalars_repeat, dims));
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, dims));
  ElementwiseOperands result{};
  result.element_count_ = e.result().element_count();
  for (const ArrayRef& operand : e.operands()) {
    result.operands_.push_back(operand);
    const bool repeats = scalars_repeat && operand.dims.empty();
    if (repeats || std::ranges::equal(operand.dims, dims)) continue;
    const FittedArray& fitted = result.fitted_.emplace_back(e.device().scratch(), operand, dims);
    result.operands_.back() = {operand.element_type, e.result().dims, fitted.ref().bytes};
  }
  return result;
}

}  // namespace hlo::reference
