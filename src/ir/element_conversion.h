// Elements of one type made elements of another: `convert`, and the widening and rounding around
// whatever computes in a wider type than its operands have.
#ifndef HLOKIT_IR_ELEMENT_CONVERSION_H_
#define HLOKIT_IR_ELEMENT_CONVERSION_H_

#include <cstddef>
#include <cstdint>

#include "ir/element_type.h"

namespace hlo {

// Converts `count` elements as semantics.md 2 has it: between integers bits are kept or cut,
// floats round to nearest even, floats become integers by truncation and saturation, complex
// numbers lose their imaginary part. Any pair of array types. `to` may be `from` when the element
// sizes are equal; else the two must not overlap.
void ConvertElements(ElementType from_type, const std::byte* from, ElementType to_type,
                     std::byte* to, int64_t count);

}  // namespace hlo

#endif  // HLOKIT_IR_ELEMENT_CONVERSION_H_
