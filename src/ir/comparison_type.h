// How numbers are compared where a `compare` does not say it (grammar.md 6.1).
#ifndef HLOKIT_IR_COMPARISON_TYPE_H_
#define HLOKIT_IR_COMPARISON_TYPE_H_

#include "ir/attribute_enums.h"
#include "ir/element_type.h"

namespace hlo {

// The `type` of a comparison of operands of `type` that is left out.
inline ComparisonType DefaultComparisonType(ElementType type) {
  if (IsFloat(type) || IsComplex(type)) return ComparisonType::kFloat;
  return IsSigned(type) ? ComparisonType::kSigned : ComparisonType::kUnsigned;
}

}  // namespace hlo

#endif  // HLOKIT_IR_COMPARISON_TYPE_H_
