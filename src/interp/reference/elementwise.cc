// Operands of elementwise instructions: the type to compute in, and one common size.
#include "interp/reference/elementwise.h"

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "interp/reference/forward.h"
#include "interp/reference/strided_copy.h"

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

// The sizes all operands agree on or can be stretched to.
absl::StatusOr<Index> CommonDims(Evaluation& e, bool scalars_repeat) {
  Index common;
  bool is_first = true;
  for (const ArrayRef& operand : e.operands()) {
    if (scalars_repeat && operand.dims.empty()) continue;
    if (is_first) {
      common.assign(operand.dims.begin(), operand.dims.end());
      is_first = false;
      continue;
    }
    if (operand.dims.size() != common.size()) return SizesDiffer(e, common, operand.dims);
    for (size_t d = 0; d < common.size(); ++d) {
      if (common[d] == 1) common[d] = operand.dims[d];
      if (operand.dims[d] != common[d] && operand.dims[d] != 1) {
        return SizesDiffer(e, common, operand.dims);
      }
    }
  }
  return common;
}

// `operand` with its sizes of 1 repeated to `dims`.
std::vector<std::byte> Stretch(const ArrayRef& operand, std::span<const int64_t> dims,
                               int64_t element_count) {
  Strides from_strides = DenseStrides(operand.dims);
  for (size_t d = 0; d < dims.size(); ++d) {
    if (operand.dims[d] != dims[d]) from_strides[d] = 0;
  }
  const int64_t element_size = ElementByteSize(operand.element_type);
  std::vector<std::byte> bytes(element_count * element_size);
  CopyStrided(element_size, dims, operand.bytes, from_strides, bytes.data(), DenseStrides(dims));
  return bytes;
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
  HLO_ASSIGN_OR_RETURN(const Index dims, CommonDims(e, scalars_repeat));
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, dims));
  ElementwiseOperands result;
  result.element_count_ = e.result().element_count();
  result.stretched_.reserve(e.operands().size());
  for (const ArrayRef& operand : e.operands()) {
    result.operands_.push_back(operand);
    const bool repeats = scalars_repeat && operand.dims.empty();
    if (repeats || std::ranges::equal(operand.dims, dims)) continue;
    const Stretched& stretched = result.stretched_.emplace_back(
        Stretched{dims, Stretch(operand, dims, result.element_count_)});
    result.operands_.back() = {operand.element_type, stretched.dims, stretched.bytes.data()};
  }
  return result;
}

}  // namespace hlo::reference
