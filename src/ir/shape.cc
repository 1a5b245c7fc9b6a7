// An empty list of dynamic flags stands for all static, and set_dynamic goes back to it with the
// last flag: equality and HasDynamicDim look at the list, not at its flags. Sizes come from the
// text, so counts and bytes above 2^63 - 1 are errors. Texts are made in shape_text.cc.
#include "ir/shape.h"

#include <algorithm>

#include "absl/status/status.h"
#include "ir/layout.h"
#include "support/checked_math.h"

namespace hlo {

Shape Shape::Array(ElementType type, std::span<const int64_t> dims) {
  Shape shape;
  shape.element_type_ = type;
  shape.dims_.assign(dims.begin(), dims.end());
  return shape;
}

Shape Shape::ArrayWithDefaultLayout(ElementType type, std::span<const int64_t> dims) {
  Shape shape = Array(type, dims);
  shape.layout_ = Layout::Default(shape.rank());
  return shape;
}

Shape Shape::Tuple(std::vector<Shape> elements) {
  Shape shape;
  shape.element_type_ = ElementType::kTuple;
  shape.elements_ = std::move(elements);
  return shape;
}

Shape Shape::Buffer(Shape array) {
  Shape shape;
  shape.element_type_ = ElementType::kBuffer;
  shape.elements_.push_back(std::move(array));
  return shape;
}

Shape Shape::Token() {
  Shape shape;
  shape.element_type_ = ElementType::kToken;
  return shape;
}

Shape Shape::Opaque() {
  Shape shape;
  shape.element_type_ = ElementType::kOpaque;
  return shape;
}

void Shape::set_dims(std::span<const int64_t> dims) {
  dims_.assign(dims.begin(), dims.end());
  dynamic_.clear();
  layout_.reset();
}

void Shape::AppendDim(int64_t size, bool dynamic) {
  dims_.push_back(size);
  if (!dynamic_.empty()) dynamic_.push_back(false);
  if (dynamic) set_dynamic(rank() - 1, true);
}

void Shape::RemoveDim(int64_t d) {
  dims_.erase(dims_.begin() + d);
  if (!dynamic_.empty()) {
    set_dynamic(d, false);  // the list of a static shape is empty
    if (!dynamic_.empty()) dynamic_.erase(dynamic_.begin() + d);
  }
  layout_.reset();
}

void Shape::set_dynamic(int64_t d, bool dynamic) {
  if (dynamic_.empty()) {
    if (!dynamic) return;
    dynamic_.resize(dims_.size(), false);
  }
  dynamic_[d] = dynamic;
  if (std::find(dynamic_.begin(), dynamic_.end(), true) == dynamic_.end()) dynamic_.clear();
}

bool Shape::HasDynamicDim() const {
  return !dynamic_.empty() || std::any_of(elements_.begin(), elements_.end(),
                                          [](const Shape& s) { return s.HasDynamicDim(); });
}

bool Shape::HasUnboundedDim() const {
  return std::find(dims_.begin(), dims_.end(), kUnbounded) != dims_.end() ||
         std::any_of(elements_.begin(), elements_.end(),
                     [](const Shape& s) { return s.HasUnboundedDim(); });
}

void Shape::FillDefaultLayouts() {
  if (IsArray() && !layout_.has_value()) layout_ = Layout::Default(rank());
  for (Shape& element : elements_) element.FillDefaultLayouts();
}

void Shape::ClearLayouts() {
  layout_.reset();
  for (Shape& element : elements_) element.ClearLayouts();
}

int64_t Shape::LeafCount() const {
  if (!IsTuple()) return 1;
  int64_t count = 0;
  for (const Shape& element : elements_) count += element.LeafCount();
  return count;
}

int64_t Shape::PartCount() const {
  int64_t count = 1;
  for (const Shape& element : elements_) count += element.PartCount();
  return count;
}

int Shape::Depth() const {
  int depth = 0;
  for (const Shape& element : elements_) depth = std::max(depth, element.Depth());
  return IsTuple() ? depth + 1 : 0;
}

bool Shape::operator==(const Shape& other) const {
  return element_type_ == other.element_type_ && dims_ == other.dims_ &&
         dynamic_ == other.dynamic_ && layout_ == other.layout_ && elements_ == other.elements_;
}

bool Compatible(const Shape& a, const Shape& b, CompareOptions options) {
  if (&a == &b) return true;  // shapes of a module are interned
  if (a.IsArray() && b.IsArray()) {
    const bool types_match =
        a.element_type() == b.element_type() || options.ignore_element_type ||
        (options.ignore_float_precision && IsFloat(a.element_type()) && IsFloat(b.element_type()));
    if (!types_match || a.rank() != b.rank()) return false;
    for (int64_t d = 0; d < a.rank(); ++d) {
      if (a.dim(d) != b.dim(d) && !a.is_unbounded(d) && !b.is_unbounded(d)) return false;
    }
    return true;
  }
  if (a.element_type() != b.element_type()) return false;
  return std::equal(a.elements().begin(), a.elements().end(), b.elements().begin(),
                    b.elements().end(),
                    [&](const Shape& x, const Shape& y) { return Compatible(x, y, options); });
}

absl::StatusOr<int64_t> ElementCount(const Shape& shape) {
  if (shape.HasUnboundedDim()) {
    return absl::InvalidArgumentError("a dimension of " + ShapeText(shape) + " is unbounded");
  }
  std::optional<int64_t> count = CheckedProduct(shape.dims());
  if (!count) {
    return absl::ResourceExhaustedError("the number of elements of " + ShapeText(shape) +
                                        " exceeds 2^63 - 1");
  }
  return *count;
}

absl::StatusOr<int64_t> DenseByteSize(const Shape& shape) {
  absl::StatusOr<int64_t> count = ElementCount(shape);
  if (!count.ok()) return count.status();
  std::optional<int64_t> bytes = CheckedMul(*count, ElementByteSize(shape.element_type()));
  if (!bytes) {
    return absl::ResourceExhaustedError("the byte size of " + ShapeText(shape) +
                                        " exceeds 2^63 - 1");
  }
  return *bytes;
}

}  // namespace hlo
