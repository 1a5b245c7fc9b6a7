// When shapes, sizes and element types of operands go together (verifier.md 0.4, 0.6).
#ifndef HLOKIT_INFERENCE_COMPATIBILITY_H_
#define HLOKIT_INFERENCE_COMPATIBILITY_H_

#include <cstdint>

#include "ir/shape.h"

namespace hlo {

// csz: equal, or one of the two unbounded.
inline bool SizesCompatible(int64_t a, int64_t b) {
  return a == b || a == Shape::kUnbounded || b == Shape::kUnbounded;
}

// Both arrays, of equal ranks and compatible sizes; element types do not matter.
bool DimsCompatible(const Shape& a, const Shape& b);

// compat-fp: compatible when any two float types count as equal.
inline bool CompatibleFloats(const Shape& a, const Shape& b) {
  return Compatible(a, b, {.ignore_float_precision = true});
}

// The same type, or two float types.
inline bool TypesCompatible(ElementType a, ElementType b) {
  return a == b || (IsFloat(a) && IsFloat(b));
}

// hp: the type with the larger range, then the finer one: hp(f16, bf16) = bf16.
ElementType HigherPrecision(ElementType a, ElementType b);

// Adds what `other` knows to the dimensions of `shape`, in verifier.md 3.2's way: where one is
// unbounded the size of the other counts, and a dimension is dynamic when it is in either. False
// when the two are not DimsCompatible.
bool MergeDims(Shape& shape, const Shape& other);

// Whether dimension `d` is written `<=n` or `?`.
inline bool IsDynamicDim(const Shape& shape, int64_t d) {
  return shape.is_dynamic(d) || shape.is_unbounded(d);
}
inline bool IsBoundedDim(const Shape& shape, int64_t d) {
  return shape.is_dynamic(d) && !shape.is_unbounded(d);
}

// Appends a copy of dimension `d` of `source`.
inline void AppendDimOf(Shape& shape, const Shape& source, int64_t d) {
  shape.AppendDim(source.dim(d), IsDynamicDim(source, d));
}

// The one shape, or the tuple of several.
Shape OneOrTuple(std::vector<Shape> shapes);

}  // namespace hlo

#endif  // HLOKIT_INFERENCE_COMPATIBILITY_H_
