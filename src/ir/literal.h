// Literals: values of any shape. Arrays are dense in logical row-major order whatever the layout;
// sub-byte elements take a byte each.
#ifndef HLOKIT_IR_LITERAL_H_
#define HLOKIT_IR_LITERAL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/element_type.h"
#include "ir/shape.h"
#include "support/check.h"

namespace hlo {

class ZeroedArena;

class Literal {
 public:
  Literal() = default;  // f32[] 0
  Literal(const Literal& other);
  Literal& operator=(const Literal& other);
  Literal(Literal&& other) noexcept;
  Literal& operator=(Literal&& other) noexcept;

  // A literal of `shape` with every element zero. Fails with kResourceExhausted when the size
  // overflows or the memory is not to be had, with kInvalidArgument for unbounded dimensions.
  static absl::StatusOr<Literal> Zeros(const Shape& shape);
  // The same, side by side with others that live about as long as this one.
  static absl::StatusOr<Literal> Zeros(const Shape& shape, ZeroedArena& arena);
  // The same with elements left uninitialised.
  static absl::StatusOr<Literal> Uninitialized(const Shape& shape);
  static Literal Tuple(std::vector<Literal> elements);
  // An array of `shape` whose elements were left out of the text. It has no storage, whatever its
  // size: ask is_elided() before elements(), which is empty.
  static Literal Elided(const Shape& shape);
  // An array of `shape` of which the text gave one number alone: that is its first element, all
  // others are zero (grammar.md 2.9). Only the first has storage, zero at first: ask
  // is_bare_scalar() before elements(), or have all of them Expanded.
  static Literal BareScalar(const Shape& shape);
  template <typename T>
  static Literal Scalar(T value);
  // An array of `shape`, without dynamic dimensions, whose elements lie elsewhere: they are to stay
  // there as long as the literal is looked at, which cannot change them. A copy has its own.
  static Literal Borrowed(const Shape& shape, const std::byte* elements);

  const Shape& shape() const { return shape_; }
  // Replaces the layouts and dynamic flags of the shape: same structure and sizes.
  void set_shape(const Shape& shape) { shape_ = shape; }

  // The constant was written `{...}`: nobody knows its elements, and none are stored.
  bool is_elided() const { return form_ == Form::kElided; }
  // The constant was written `5` for an array with other elements, too.
  bool is_bare_scalar() const { return form_ == Form::kBareScalar; }
  // The same value with storage for every element. Fails as Zeros does.
  absl::StatusOr<Literal> Expanded() const;

  // Arrays: what is stored.
  int64_t element_count() const { return element_count_; }
  int64_t byte_size() const { return byte_size_; }
  const std::byte* bytes() const { return heap_ ? heap_.get() : inline_; }
  std::byte* bytes() {
    HLO_CHECK(!is_borrowed());
    return heap_ ? heap_.get() : inline_;
  }
  // All elements; T is the C++ type of the element type.
  template <typename T>
  std::span<const T> elements() const {
    HLO_CHECK(shape_.element_type() == kElementTypeOf<T>);
    return {reinterpret_cast<const T*>(bytes()), static_cast<size_t>(element_count_)};
  }
  template <typename T>
  std::span<T> elements() {
    HLO_CHECK(shape_.element_type() == kElementTypeOf<T>);
    return {reinterpret_cast<T*>(bytes()), static_cast<size_t>(element_count_)};
  }

  // The run-time sizes of all dimensions when some dimension of the shape is dynamic; empty: every
  // dimension has its full size. Memory is for the bounds; the elements stand dense and row-major
  // over the run-time sizes at its start, the rest is undefined (semantics.md 13).
  std::span<const int64_t> dynamic_sizes() const { return dynamic_sizes_; }
  void set_dynamic_sizes(std::vector<int64_t> sizes) { dynamic_sizes_ = std::move(sizes); }

  // Tuples.
  std::span<const Literal> tuple_elements() const { return elements_; }
  std::span<Literal> tuple_elements() { return elements_; }

  // Equal shapes (layouts included) and equal bits: a NaN equals itself, -0 differs from +0.
  bool operator==(const Literal& other) const;

 private:
  static constexpr int64_t kInlineByteSize = 16;
  enum class Form : uint8_t { kStored, kElided, kBareScalar };
  template <class Allocator>
  static absl::StatusOr<Literal> Make(const Shape& shape, Allocator allocate);
  absl::Status Allocate();
  absl::Status AllocateZeros();
  absl::Status FailAllocation() const;
  bool is_borrowed() const { return heap_ && heap_.use_count() == 0; }

  Shape shape_;
  int64_t element_count_ = 1;
  int64_t byte_size_ = 4;
  Form form_ = Form::kStored;
  alignas(16) std::byte inline_[kInlineByteSize] = {};
  // 64-byte aligned, with the block that they lie in; without one they are somebody else's.
  std::shared_ptr<std::byte[]> heap_;
  std::vector<int64_t> dynamic_sizes_;
  std::vector<Literal> elements_;
};

template <typename T>
Literal Literal::Scalar(T value) {
  Literal literal = *Zeros(Shape::Scalar(kElementTypeOf<T>));
  literal.elements<T>()[0] = value;
  return literal;
}

}  // namespace hlo

#endif  // HLOKIT_IR_LITERAL_H_
