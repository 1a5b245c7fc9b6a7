// Small arrays, scalars above all, live in the literal itself; large ones on the heap, aligned for
// vector loads.
#include "ir/literal.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "support/status_macros.h"

namespace hlo {

void Literal::FreeDeleter::operator()(std::byte* bytes) const { std::free(bytes); }

Literal::Literal(const Literal& other)
    : shape_(other.shape_),
      element_count_(other.element_count_),
      byte_size_(other.byte_size_),
      is_elided_(other.is_elided_),
      dynamic_sizes_(other.dynamic_sizes_),
      elements_(other.elements_) {
  if (!Allocate().ok()) throw std::bad_alloc();  // a constructor has no other way
  if (byte_size_ > 0) std::memcpy(bytes(), other.bytes(), byte_size_);
}

Literal& Literal::operator=(const Literal& other) {
  if (this != &other) *this = Literal(other);
  return *this;
}

Literal::Literal(Literal&& other) noexcept { *this = std::move(other); }

Literal& Literal::operator=(Literal&& other) noexcept {
  if (this == &other) return *this;
  shape_ = std::move(other.shape_);
  element_count_ = other.element_count_;
  byte_size_ = other.byte_size_;
  is_elided_ = other.is_elided_;
  std::memcpy(inline_, other.inline_, sizeof(inline_));
  heap_ = std::move(other.heap_);
  dynamic_sizes_ = std::move(other.dynamic_sizes_);
  elements_ = std::move(other.elements_);
  other.element_count_ = 0;
  other.byte_size_ = 0;
  return *this;
}

absl::Status Literal::Allocate() {
  if (byte_size_ <= kInlineByteSize) return absl::OkStatus();
  const size_t rounded = (static_cast<size_t>(byte_size_) + 63) / 64 * 64;
  heap_.reset(static_cast<std::byte*>(std::aligned_alloc(64, rounded)));
  if (heap_ == nullptr) {
    return absl::ResourceExhaustedError("no memory for the " + std::to_string(byte_size_) +
                                        " bytes of " + ShapeText(shape_));
  }
  return absl::OkStatus();
}

absl::StatusOr<Literal> Literal::Uninitialized(const Shape& shape) {
  Literal literal;
  literal.shape_ = shape;
  literal.element_count_ = 0;
  literal.byte_size_ = 0;
  if (shape.IsTuple()) {
    for (const Shape& element : shape.elements()) {
      HLO_ASSIGN_OR_RETURN(Literal value, Uninitialized(element));
      literal.elements_.push_back(std::move(value));
    }
  } else if (shape.IsArray()) {
    HLO_ASSIGN_OR_RETURN(literal.element_count_, ElementCount(shape));
    HLO_ASSIGN_OR_RETURN(literal.byte_size_, DenseByteSize(shape));
    HLO_RETURN_IF_ERROR(literal.Allocate());
  }
  return literal;
}

absl::StatusOr<Literal> Literal::Zeros(const Shape& shape) {
  HLO_ASSIGN_OR_RETURN(Literal literal, Uninitialized(shape));
  if (shape.IsTuple()) {
    for (Literal& element : literal.elements_) {
      HLO_ASSIGN_OR_RETURN(element, Zeros(element.shape_));
    }
  } else if (literal.byte_size_ > 0) {
    std::memset(literal.bytes(), 0, literal.byte_size_);
  }
  return literal;
}

Literal Literal::Tuple(std::vector<Literal> elements) {
  Literal literal;
  std::vector<Shape> shapes;
  for (const Literal& element : elements) shapes.push_back(element.shape_);
  literal.shape_ = Shape::Tuple(std::move(shapes));
  literal.element_count_ = 0;
  literal.byte_size_ = 0;
  literal.elements_ = std::move(elements);
  return literal;
}

Literal Literal::Elided(const Shape& shape) {
  Literal literal;
  literal.shape_ = shape;
  literal.element_count_ = 0;
  literal.byte_size_ = 0;
  literal.is_elided_ = true;
  return literal;
}

bool Literal::operator==(const Literal& other) const {
  return shape_ == other.shape_ && is_elided_ == other.is_elided_ &&
         byte_size_ == other.byte_size_ &&
         (byte_size_ == 0 || std::memcmp(bytes(), other.bytes(), byte_size_) == 0) &&
         dynamic_sizes_ == other.dynamic_sizes_ && elements_ == other.elements_;
}

}  // namespace hlo
