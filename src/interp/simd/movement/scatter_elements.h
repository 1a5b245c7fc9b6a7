// scatter of single elements, without a call for each.
#ifndef HLOKIT_INTERP_SIMD_MOVEMENT_SCATTER_ELEMENTS_H_
#define HLOKIT_INTERP_SIMD_MOVEMENT_SCATTER_ELEMENTS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "ir/element_type.h"
#include "ir/opcode.h"

namespace hlo::simd {

// A row of updates, and the element of the operand that it begins at.
struct RowAndTarget {
  int64_t row, target;
};

// result[target] = f(result[target], updates[row]) for rows of one element, in order.
using ScatterElements = void (*)(std::byte* result, const std::byte* updates,
                                 std::span<const RowAndTarget> rows);

// By `opcode`; null for opcodes and types that are rare in scatters.
ScatterElements FindScatterElements(Opcode opcode, ElementType type);
// By the update alone.
ScatterElements FindOverwriteElements(ElementType type);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_MOVEMENT_SCATTER_ELEMENTS_H_
