// Shapes are walked by their elements, which tuples and buffers have and arrays do not. Where one
// of two layouts is missing there is nothing to compare. Bytes are those of our memory, a whole one
// for each element below 8 bits.
#include "verifier/shape_index.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "support/checked_math.h"

namespace hlo {

const Shape* SubShape(const Shape& shape, std::span<const int64_t> index) {
  const Shape* part = &shape;
  for (int64_t i : index) {
    if (!part->IsTuple() || i < 0 || i >= part->element_count()) return nullptr;
    part = &part->element(i);
  }
  return part;
}

std::string ShapeIndexText(std::span<const int64_t> index) {
  return fmt::format("{{{}}}", fmt::join(index, ","));
}

bool SameLayouts(const Shape& a, const Shape& b, bool order_only) {
  if (a.element_count() != b.element_count()) return false;
  for (int64_t i = 0; i < a.element_count(); ++i) {
    if (!SameLayouts(a.element(i), b.element(i), order_only)) return false;
  }
  if (!a.layout() || !b.layout()) return true;
  return order_only ? a.layout()->minor_to_major == b.layout()->minor_to_major
                    : *a.layout() == *b.layout();
}

bool HasLayouts(const Shape& shape) {
  if (shape.IsArray()) return shape.layout().has_value();
  return std::all_of(shape.elements().begin(), shape.elements().end(), HasLayouts);
}

std::optional<int64_t> TotalByteSize(const Shape& shape) {
  if (shape.IsTuple() || shape.IsBuffer()) {
    std::optional<int64_t> total = 0;
    for (const Shape& element : shape.elements()) {
      std::optional<int64_t> size = TotalByteSize(element);
      if (!size || !(total = CheckedAdd(*total, *size))) return std::nullopt;
    }
    return total;
  }
  if (!shape.IsArray()) return 0;
  absl::StatusOr<int64_t> count = ElementCount(shape);
  if (!count.ok()) return std::nullopt;
  return CheckedMul(*count, ElementByteSize(shape.element_type()));
}

}  // namespace hlo
