// Small arrays, scalars above all, live in the literal itself; large ones on the heap, aligned for
// vector loads.
#include "ir/literal.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "support/huge_pages.h"
#include "support/status_macros.h"
#include "support/zeroed_arena.h"

namespace hlo {

namespace {

constexpr size_t kAlignment = 64;

// The bytes `begin` of a block of malloc's, which goes with them.
std::shared_ptr<std::byte[]> Within(void* block, void* begin) {
  return {std::shared_ptr<void>(block, std::free), static_cast<std::byte*>(begin)};
}

}  // namespace

Literal::Literal(const Literal& other)
    : shape_(other.shape_),
      element_count_(other.element_count_),
      byte_size_(other.byte_size_),
      form_(other.form_),
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
  form_ = other.form_;
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
  const size_t rounded =
      (static_cast<size_t>(byte_size_) + kAlignment - 1) / kAlignment * kAlignment;
  void* block = std::aligned_alloc(kAlignment, rounded);
  if (block == nullptr) return FailAllocation();
  AskForHugePages(block, rounded);
  heap_ = Within(block, block);
  return absl::OkStatus();
}

// Large zeros take memory only where somebody touches them: calloc has them from the system.
absl::Status Literal::AllocateZeros() {
  if (byte_size_ <= kInlineByteSize) return absl::OkStatus();
  size_t space = static_cast<size_t>(byte_size_) + kAlignment;
  void* block = std::calloc(space, 1);
  if (block == nullptr) return FailAllocation();
  AskForHugePages(block, space);
  void* aligned = block;
  std::align(kAlignment, static_cast<size_t>(byte_size_), aligned, space);
  heap_ = Within(block, aligned);
  return absl::OkStatus();
}

absl::Status Literal::FailAllocation() const {
  return absl::ResourceExhaustedError("no memory for the " + std::to_string(byte_size_) +
                                      " bytes of " + ShapeText(shape_));
}

template <class Allocator>
absl::StatusOr<Literal> Literal::Make(const Shape& shape, Allocator allocate) {
  Literal literal;
  literal.shape_ = shape;
  literal.element_count_ = 0;
  literal.byte_size_ = 0;
  if (shape.IsTuple()) {
    for (const Shape& element : shape.elements()) {
      HLO_ASSIGN_OR_RETURN(Literal value, Make(element, allocate));
      literal.elements_.push_back(std::move(value));
    }
  } else if (shape.IsArray()) {
    HLO_ASSIGN_OR_RETURN(literal.element_count_, ElementCount(shape));
    HLO_ASSIGN_OR_RETURN(literal.byte_size_, DenseByteSize(shape));
    HLO_RETURN_IF_ERROR(allocate(literal));
  }
  return literal;
}

absl::StatusOr<Literal> Literal::Uninitialized(const Shape& shape) {
  return Make(shape, std::mem_fn(&Literal::Allocate));
}

absl::StatusOr<Literal> Literal::Zeros(const Shape& shape) {
  return Make(shape, std::mem_fn(&Literal::AllocateZeros));
}

absl::StatusOr<Literal> Literal::Zeros(const Shape& shape, ZeroedArena& arena) {
  return Make(shape, [&](Literal& literal) {
    if (literal.byte_size_ > kInlineByteSize) {
      literal.heap_ = arena.Take(static_cast<size_t>(literal.byte_size_));
    }
    return literal.heap_ ? absl::OkStatus() : literal.AllocateZeros();
  });
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
  literal.form_ = Form::kElided;
  return literal;
}

Literal Literal::BareScalar(const Shape& shape) {
  HLO_CHECK(shape.IsArray());
  Literal literal;
  literal.shape_ = shape;
  literal.element_count_ = 1;
  literal.byte_size_ = ElementByteSize(shape.element_type());
  literal.form_ = Form::kBareScalar;
  return literal;
}

Literal Literal::Borrowed(const Shape& shape, const std::byte* elements) {
  HLO_CHECK(shape.IsArray() && !shape.HasDynamicDim());
  Literal literal;
  literal.shape_ = shape;
  literal.element_count_ = *ElementCount(shape);
  literal.byte_size_ = *DenseByteSize(shape);
  literal.heap_ = {std::shared_ptr<void>(), const_cast<std::byte*>(elements)};
  return literal;
}

absl::StatusOr<Literal> Literal::Expanded() const {
  if (!is_bare_scalar()) return *this;
  HLO_ASSIGN_OR_RETURN(Literal expanded, Zeros(shape_));
  if (expanded.byte_size_ > 0) std::memcpy(expanded.bytes(), bytes(), byte_size_);
  return expanded;
}

bool Literal::operator==(const Literal& other) const {
  return shape_ == other.shape_ && form_ == other.form_ && byte_size_ == other.byte_size_ &&
         (byte_size_ == 0 || std::memcmp(bytes(), other.bytes(), byte_size_) == 0) &&
         dynamic_sizes_ == other.dynamic_sizes_ && elements_ == other.elements_;
}

}  // namespace hlo
