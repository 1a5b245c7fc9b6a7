// Members must agree in the number, types and sizes of operands, but for the rows of ragged arrays;
// where they come to different instructions, also in the dimension. The signature stands for types
// and sizes where operands are in another process. It must be the same number in all of them, which
// std::hash does not promise, and equal ones are taken on trust.
#include "interp/replica/member_difference.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/count_text.h"

namespace hlo {
namespace {

std::string ArrayText(const ArrayRef& array) {
  return fmt::format("{}[{}]", ElementTypeName(array.element_type), fmt::join(array.dims, ","));
}

std::string DimensionsText(const OpView& op) {
  return fmt::format("dimensions={{{}}}", fmt::join(op.Get<Attr::kDimensions>(), ","));
}

}  // namespace

MemberDifference FindDifference(const MetOperation& a, const MetOperation& b) {
  if (a.operands.size() != b.operands.size()) {
    return {CountText(static_cast<int64_t>(a.operands.size()), "array"),
            std::to_string(b.operands.size())};
  }
  // The rows of ragged arrays are each participant's own.
  const size_t free_dims = a.op.opcode() == Opcode::kRaggedAllToAll ? 1 : 0;
  for (size_t i = 0; i < a.operands.size(); ++i) {
    const ArrayRef& x = a.operands[i];
    const ArrayRef& y = b.operands[i];
    const size_t skipped = std::min(i < 2 ? free_dims : 0, x.dims.size());
    if (x.element_type != y.element_type || x.dims.size() != y.dims.size() ||
        !std::ranges::equal(x.dims.subspan(skipped), y.dims.subspan(skipped))) {
      return {ArrayText(x), ArrayText(y)};
    }
  }
  const bool has_dimensions = FindAttributeUse(a.op.opcode(), Attr::kDimensions) != nullptr;
  if (&a.op.instruction() != &b.op.instruction() && has_dimensions &&
      !std::ranges::equal(a.op.Get<Attr::kDimensions>(), b.op.Get<Attr::kDimensions>())) {
    return {DimensionsText(a.op), DimensionsText(b.op)};
  }
  return {};
}

// FNV-1a over the numbers.
uint64_t OperandSignature(std::span<const ArrayRef> operands) {
  uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&](uint64_t number) {
    for (int i = 0; i < 8; ++i, number >>= 8) hash = (hash ^ (number & 0xff)) * 0x100000001b3;
  };
  for (const ArrayRef& operand : operands) {
    mix(static_cast<uint64_t>(operand.element_type));
    mix(operand.dims.size());
    for (int64_t dim : operand.dims) mix(static_cast<uint64_t>(dim));
  }
  return hash;
}

}  // namespace hlo
