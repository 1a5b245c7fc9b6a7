// Elements are dense over the sizes of the run, so a value gets other bounds by a copy of its bytes
// to the beginning of new memory. The parser reads literals of full sizes only: braces are measured
// before, by a reader that takes anything and leaves complaints to the parser.
#include "values/value_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "ir/run_time_dims.h"
#include "support/status_macros.h"

namespace hlo {
namespace {

absl::Status DoesNotFit(const Literal& literal, const Shape& shape) {
  return absl::InvalidArgumentError(
      fmt::format("expected `{}`, got `{}`", ShapeText(shape), ShapeText(literal.shape())));
}

absl::StatusOr<Literal> FitArray(Literal literal, const Shape& shape) {
  const std::span<const int64_t> sizes = RunTimeDims(literal);
  bool fits = literal.shape().element_type() == shape.element_type() &&
              static_cast<int64_t>(sizes.size()) == shape.rank();
  for (int64_t d = 0; fits && d < shape.rank(); ++d) {
    fits = sizes[d] == shape.dim(d) || (shape.is_dynamic(d) && sizes[d] <= shape.dim(d));
  }
  if (!fits) return DoesNotFit(literal, shape);
  if (std::ranges::equal(literal.shape().dims(), shape.dims())) {
    literal.set_shape(shape);
    return literal;
  }
  HLO_ASSIGN_OR_RETURN(Literal bounded, Literal::Zeros(shape));
  int64_t byte_size = ElementByteSize(shape.element_type());
  for (int64_t size : sizes) byte_size *= size;  // no more than the bytes of either
  std::memcpy(bounded.bytes(), literal.bytes(), static_cast<size_t>(byte_size));
  if (shape.HasDynamicDim()) bounded.set_dynamic_sizes({sizes.begin(), sizes.end()});
  return bounded;
}

// Measures the braces of a literal. What is no literal is measured somehow: its parser complains.
class BraceReader {
 public:
  explicit BraceReader(std::string_view text) : rest_(text) {}

  Shape Read(const Shape& shape) {
    if (shape.IsArray()) return shape.rank() == 0 ? ReadScalar(shape) : ReadArray(shape);
    if (!shape.IsTuple()) return shape;
    Skip('(');
    std::vector<Shape> elements;
    for (const Shape& element : shape.elements()) {
      elements.push_back(Read(element));
      Skip(',');
    }
    Skip(')');
    return Shape::Tuple(std::move(elements));
  }

 private:
  Shape ReadScalar(const Shape& shape) {
    if (Skip('(')) SkipTo(")");  // a complex number
    SkipTo(",)");
    return shape;
  }

  Shape ReadArray(const Shape& shape) {
    const std::vector<int64_t> sizes = ReadSizes(shape.dims());
    Shape sized = shape;
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (!shape.is_dynamic(d)) continue;
      sized.set_dim(d, std::min(sizes[static_cast<size_t>(d)], shape.dim(d)));
      sized.set_dynamic(d, false);
    }
    return sized;
  }

  // The first braces of a level say its size; a level without any keeps its bound.
  std::vector<int64_t> ReadSizes(std::span<const int64_t> bounds) {
    std::vector<int64_t> sizes(bounds.begin(), bounds.end());
    std::vector<bool> is_known(sizes.size());
    size_t depth = 0;
    do {
      if (Skip('{')) {
        ++depth;
        if (depth <= sizes.size() && !is_known[depth - 1]) sizes[depth - 1] = Peek() == '}' ? 0 : 1;
      } else if (depth > 0 && Skip('}')) {
        if (depth <= sizes.size()) is_known[depth - 1] = true;
        --depth;
      } else if (depth > 0 && Skip(',')) {
        if (depth <= sizes.size() && !is_known[depth - 1]) ++sizes[depth - 1];
      } else if (Skip('(')) {
        SkipTo(")");  // a complex number
        Skip(')');
      } else {
        rest_.remove_prefix(std::min<size_t>(rest_.size(), 1));
      }
    } while (depth > 0 && !rest_.empty());
    return sizes;
  }

  // The next character that is neither space nor in a comment.
  char Peek() {
    while (true) {
      rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
      if (!rest_.starts_with("/*")) break;
      rest_.remove_prefix(std::min(rest_.find("*/"), rest_.size() - 2) + 2);
    }
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool Skip(char c) {
    if (Peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void SkipTo(std::string_view ends) {
    rest_.remove_prefix(std::min(rest_.find_first_of(ends), rest_.size()));
  }

  std::string_view rest_;
};

}  // namespace

absl::StatusOr<Literal> FitToShape(Literal literal, const Shape& shape) {
  if (shape.IsArray() && literal.shape().IsArray()) return FitArray(std::move(literal), shape);
  if (!shape.IsTuple() || !literal.shape().IsTuple() ||
      shape.element_count() != literal.shape().element_count()) {
    if (!Compatible(literal.shape(), shape)) return DoesNotFit(literal, shape);
    return literal;
  }
  std::vector<Literal> elements;
  for (size_t i = 0; i < literal.tuple_elements().size(); ++i) {
    absl::StatusOr<Literal> element =
        FitToShape(std::move(literal.tuple_elements()[i]), shape.element(static_cast<int64_t>(i)));
    if (absl::IsInvalidArgument(element.status())) return DoesNotFit(literal, shape);
    if (!element.ok()) return element.status();
    elements.push_back(*std::move(element));
  }
  Literal tuple = Literal::Tuple(std::move(elements));
  tuple.set_shape(shape);
  return tuple;
}

Shape ShapeOfText(const Shape& shape, std::string_view text) {
  return shape.HasDynamicDim() ? BraceReader(text).Read(shape) : shape;
}

}  // namespace hlo
