// Shapes: arrays, tuples, tokens, opaque values and buffers, as values.
#ifndef HLOKIT_IR_SHAPE_H_
#define HLOKIT_IR_SHAPE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "ir/element_type.h"
#include "ir/layout.h"

namespace hlo {

class Shape {
 public:
  // The size of a dimension written `?`.
  static constexpr int64_t kUnbounded = INT64_MIN;

  Shape() = default;  // f32[] without layout: assign before use

  // An array without layout; every dimension static.
  static Shape Array(ElementType type, std::span<const int64_t> dims);
  // The same with the row-major layout.
  static Shape ArrayWithDefaultLayout(ElementType type, std::span<const int64_t> dims);
  static Shape Scalar(ElementType type) { return ArrayWithDefaultLayout(type, {}); }
  static Shape Tuple(std::vector<Shape> elements);
  static Shape Buffer(Shape array);  // b(array)
  static Shape Token();
  static Shape Opaque();

  ElementType element_type() const { return element_type_; }
  void set_element_type(ElementType type) { element_type_ = type; }

  bool IsArray() const { return IsArrayType(element_type_); }
  bool IsTuple() const { return element_type_ == ElementType::kTuple; }
  bool IsBuffer() const { return element_type_ == ElementType::kBuffer; }
  bool IsToken() const { return element_type_ == ElementType::kToken; }
  bool IsScalar() const { return IsArray() && dims_.empty(); }

  // Arrays. A dynamic dimension has its bound as size, an unbounded one kUnbounded.
  int64_t rank() const { return static_cast<int64_t>(dims_.size()); }
  std::span<const int64_t> dims() const { return {dims_.data(), dims_.size()}; }
  int64_t dim(int64_t d) const { return dims_[d]; }
  void set_dim(int64_t d, int64_t size) { dims_[d] = size; }
  // Replaces all dimensions; they become static and the layout is dropped.
  void set_dims(std::span<const int64_t> dims);
  void AppendDim(int64_t size, bool dynamic = false);
  void RemoveDim(int64_t d);
  bool is_dynamic(int64_t d) const { return !dynamic_.empty() && dynamic_[d]; }
  void set_dynamic(int64_t d, bool dynamic);
  bool is_unbounded(int64_t d) const { return dims_[d] == kUnbounded; }
  bool HasDynamicDim() const;    // looks into tuples
  bool HasUnboundedDim() const;  // looks into tuples

  const std::optional<Layout>& layout() const { return layout_; }
  void set_layout(std::optional<Layout> layout) { layout_ = std::move(layout); }
  // Gives every array in the shape that has no layout the row-major one.
  void FillDefaultLayouts();
  // Drops every layout in the shape.
  void ClearLayouts();

  // Tuples, and the one element of a buffer.
  std::span<const Shape> elements() const { return elements_; }
  const Shape& element(int64_t i) const { return elements_[i]; }
  Shape& mutable_element(int64_t i) { return elements_[i]; }
  void AppendElement(Shape element) { elements_.push_back(std::move(element)); }
  int64_t element_count() const { return static_cast<int64_t>(elements_.size()); }

  // Leaves of the tuple tree, depth first: 1 for anything that is not a tuple, 0 for ().
  int64_t LeafCount() const;
  // Leaves and tuples together.
  int64_t PartCount() const;
  // How deep tuples nest: 0 for anything that is not a tuple, 1 for ().
  int Depth() const;

  // The same text: structure, types, sizes, dynamic flags and layouts.
  bool operator==(const Shape& other) const;
  template <typename H>
  friend H AbslHashValue(H h, const Shape& shape) {
    h = H::combine(std::move(h), shape.element_type_, shape.dims_, shape.layout_.has_value());
    if (shape.layout_) h = H::combine(std::move(h), *shape.layout_);
    for (const Shape& element : shape.elements_) h = H::combine(std::move(h), element);
    return h;
  }

 private:
  ElementType element_type_ = ElementType::kF32;
  DimensionVector dims_;
  absl::InlinedVector<bool, 8> dynamic_;  // empty: all static
  std::optional<Layout> layout_;
  std::vector<Shape> elements_;
};

// What of two shapes takes part in a comparison.
struct CompareOptions {
  bool ignore_element_type = false;
  bool ignore_float_precision = false;  // any two float types match
};
// "Compatible" (grammar.md 7.5, verifier.md 0.4): same tuple structure, element types, ranks and
// sizes; `?` matches any size; dynamic flags and layouts are ignored.
bool Compatible(const Shape& a, const Shape& b, CompareOptions options = {});

// The number of elements of an array: the product of its dimensions, bounds of dynamic ones
// included. Fails with kInvalidArgument on an unbounded dimension and with kResourceExhausted
// above 2^63 - 1.
absl::StatusOr<int64_t> ElementCount(const Shape& shape);

// The bytes a dense array takes in our memory, where sub-byte types take one byte an element.
// Fails as ElementCount does.
absl::StatusOr<int64_t> DenseByteSize(const Shape& shape);

// The shape as HLO text without layouts, for messages: "f32[2,<=3]", "(s32[], token[])".
// `index_comments` puts `/*index=5*/` before every fifth element of a tuple, as XLA prints them.
std::string ShapeText(const Shape& shape, bool index_comments = false);
// The same with layouts where the shape has them.
std::string ShapeTextWithLayout(const Shape& shape, bool index_comments = true);
// The layout with its braces: "{1,0:T(8,128)S(1)}".
std::string LayoutText(const Layout& layout);

}  // namespace hlo

#endif  // HLOKIT_IR_SHAPE_H_
