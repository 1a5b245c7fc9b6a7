// The higher precision is the maximum of one key (verifier.md 0.6), no table of pairs; of types
// with equal keys the first one given stands. Merging changes the first shape alone: what it does
// not know comes from the second, its layout and type are kept.
#include "inference/compatibility.h"

#include <tuple>

namespace hlo {
namespace {

// The exponent of the largest finite number. Formats with infinities, and that without a
// significand, have no finite numbers with the largest code.
int LargestExponent(const FloatFormat& format) {
  const bool is_taken = format.kind == FloatKind::kIeee || format.kind == FloatKind::kExponentOnly;
  return (1 << format.exponent_bits) - (is_taken ? 2 : 1) - format.bias;
}

// The order of verifier.md 0.6: complex before real, then exponent, significand, width, sign.
auto PrecisionKey(ElementType type) {
  const ElementType real = IsComplex(type) ? ComponentType(type) : type;
  const FloatFormat& format = GetElementTypeInfo(real).format;
  return std::tuple(IsComplex(type), IsFloat(real) ? LargestExponent(format) : -1,
                    IsFloat(real) ? format.mantissa_bits : -1, BitWidth(type), IsSigned(type));
}

}  // namespace

bool DimsCompatible(const Shape& a, const Shape& b) {
  return a.IsArray() && b.IsArray() && Compatible(a, b, {.ignore_element_type = true});
}

ElementType HigherPrecision(ElementType a, ElementType b) {
  return PrecisionKey(a) < PrecisionKey(b) ? b : a;
}

bool MergeDims(Shape& shape, const Shape& other) {
  if (!DimsCompatible(shape, other)) return false;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.is_unbounded(d)) shape.set_dim(d, other.dim(d));
    if (IsDynamicDim(other, d)) shape.set_dynamic(d, true);
  }
  return true;
}

Shape OneOrTuple(std::vector<Shape> shapes) {
  if (shapes.size() == 1) return std::move(shapes[0]);
  return Shape::Tuple(std::move(shapes));
}

}  // namespace hlo
