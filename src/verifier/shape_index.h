// Places in a tuple shape, written {0,1}, and the other small questions about shapes that rules of
// several topics share.
#ifndef HLOKIT_VERIFIER_SHAPE_INDEX_H_
#define HLOKIT_VERIFIER_SHAPE_INDEX_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ir/shape.h"

namespace hlo {

// The part of `shape` at `index`, or null when there is none.
const Shape* SubShape(const Shape& shape, std::span<const int64_t> index);
// "{0,1}"
std::string ShapeIndexText(std::span<const int64_t> index);

// Whether two compatible shapes have the same layouts too, as far as both have some; tiles, memory
// space and the other extras take part unless `order_only`.
bool SameLayouts(const Shape& a, const Shape& b, bool order_only);
// Whether every array in a shape has a layout. A text that leaves layouts out is read with the
// default ones: only modules made in code, or read without them, lack any.
bool HasLayouts(const Shape& shape);
// The bytes of all arrays in a shape, at their own types' sizes; nothing when unbounded or too
// many.
std::optional<int64_t> TotalByteSize(const Shape& shape);

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_SHAPE_INDEX_H_
