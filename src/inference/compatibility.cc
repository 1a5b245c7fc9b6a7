// The higher precision is the maximum of one key (verifier.md 0.6), no table of pairs; of types
// with equal keys the first one given stands. Merging changes the first shape alone: what it does
// not know comes from the second, its layout and type are kept.
#include "inference/compatibility.h"

#include <tuple>

namespace hlo {
namespace {

// The order of verifier.md 0.6: complex before real, then exponent, significand, width, sign.
auto PrecisionKey(ElementType type) {
  const ElementTypeInfo& info = GetElementTypeInfo(type);
  const bool has_format = IsFloat(type) || IsComplex(type);
  return std::tuple(IsComplex(type), has_format ? info.format.exponent_bits : -1,
                    has_format ? info.format.mantissa_bits : -1, info.bit_width, IsSigned(type));
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
