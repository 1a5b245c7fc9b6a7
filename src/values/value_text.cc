// Before an equals sign stands a shape. Without one, a text that begins with a shape is a result as
// printed, a number for an array is that of all elements, anything else a literal of what is
// expected. The HLO parser reads shapes and elements; sizes like 2x3xf32, bounds, and elements with
// shapes of their own are taken apart here.
#include "values/value_text.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parser/parser.h"
#include "support/number_text.h"
#include "support/status_macros.h"
#include "values/value_shape.h"

namespace hlo {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";
constexpr int kMaxTupleDepth = 100;

std::shared_ptr<const SourceText> SourceOf(std::string_view text) {
  return std::make_shared<const SourceText>("<input>", std::string(text));
}

std::string FirstMessage(const DiagnosticSink& sink) {
  return sink.diagnostics().empty() ? "" : sink.diagnostics().front().message;
}

// The type and sizes of `2x3xf32`; nothing when `text` is not of this form.
std::optional<Shape> ParseCrossedShape(std::string_view text) {
  std::vector<int64_t> dims;
  while (true) {
    const size_t cross = text.find('x');
    const std::string_view part = text.substr(0, cross);
    if (cross == std::string_view::npos) {
      const std::optional<ElementType> type = ParseElementType(part);
      if (!type || !IsArrayType(*type)) return std::nullopt;
      return Shape::ArrayWithDefaultLayout(*type, dims);
    }
    const std::optional<int64_t> size = ParseInteger(part);
    if (!size || *size < 0) return std::nullopt;
    dims.push_back(*size);
    text.remove_prefix(cross + 1);
  }
}

// A value of `shape` whose elements `text` has the sizes of `sized`.
absl::StatusOr<Literal> ParseSizedElements(std::string_view text, const Shape& sized,
                                           const Shape& shape) {
  auto source = SourceOf(text);
  DiagnosticSink sink(source);
  if (std::optional<Literal> literal = ParseLiteral(source, sized, sink)) {
    return FitToShape(*std::move(literal), shape);
  }
  return absl::InvalidArgumentError(
      fmt::format("`{}` is no literal of `{}`: {}", text, ShapeText(shape), FirstMessage(sink)));
}

// Dynamic dimensions take the sizes that `text` has.
absl::StatusOr<Literal> ParseElements(std::string_view text, const Shape& shape) {
  return ParseSizedElements(text, ShapeOfText(shape, text), shape);
}

// An array with the number `text` everywhere.
absl::StatusOr<Literal> ParseSplat(std::string_view text, const Shape& shape) {
  HLO_ASSIGN_OR_RETURN(const Literal scalar,
                       ParseElements(text, Shape::Scalar(shape.element_type())));
  HLO_ASSIGN_OR_RETURN(Literal literal, Literal::Uninitialized(shape));
  const auto size = static_cast<size_t>(scalar.byte_size());
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    std::memcpy(literal.bytes() + static_cast<size_t>(i) * size, scalar.bytes(), size);
  }
  return literal;
}

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

// Whether `expected` has room for an array of the sizes of `shape`.
bool HasSizesFor(const Shape& shape, const Shape& expected) {
  if (!expected.IsArray() || shape.rank() != expected.rank()) return false;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const bool fits = shape.dim(d) == expected.dim(d) ||
                      (expected.is_dynamic(d) && shape.dim(d) < expected.dim(d));
    if (!fits) return false;
  }
  return true;
}

// The position behind the parenthesis or bracket that closes first.
size_t EndOfGroup(std::string_view text) {
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if ((text[i] == ')' || text[i] == ']') && (depth == 0 || --depth == 0)) return i + 1;
  }
  return text.size();
}

// Behind the sizes: the end of a layout. Braces without others behind them are no layout but the
// elements.
size_t EndOfLayout(std::string_view text, size_t end) {
  if (!text.substr(end).starts_with('{')) return end;
  const size_t close = text.find('}', end);
  const size_t next = text.find_first_not_of(kSpaces, close + 1);
  return close == text.npos || next == text.npos || text[next] != '{' ? end : close + 1;
}

// The parts of `text` between commas outside of all brackets.
std::vector<std::string_view> SplitElements(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  int64_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    if (c != ',' || depth != 0) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// `shape` with the sizes `text`, numbers between commas; nothing when they are not as many.
std::optional<Shape> WithSizes(Shape shape, std::string_view text) {
  const std::vector<std::string_view> sizes = SplitElements(text);
  if (static_cast<int64_t>(sizes.size()) != shape.rank()) return std::nullopt;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const std::optional<int64_t> size = ParseInteger(Trim(sizes[static_cast<size_t>(d)]));
    if (!size || *size < 0) return std::nullopt;
    shape.set_dim(d, *size);
    shape.set_dynamic(d, false);
  }
  return shape;
}

// A typed literal whose shape may have bounds: `f32[<=4] {1, 2}`, `f32[<=4](2) {1, 2}` as results
// are printed, and tuples with one shape before the whole literal or one for each element. The
// parser reads full sizes and one shape only.
absl::StatusOr<Literal> ParseTypedParts(std::string_view text, int depth) {
  text = Trim(text);
  const bool is_tuple = text.starts_with('(');
  const size_t end = EndOfGroup(text);
  if (is_tuple && end == text.size() && depth > 0) {
    std::vector<Literal> elements;
    for (std::string_view part : SplitElements(text.substr(1, end - 2))) {
      HLO_ASSIGN_OR_RETURN(Literal element, ParseTypedParts(part, depth - 1));
      elements.push_back(std::move(element));
    }
    return Literal::Tuple(std::move(elements));
  }
  const size_t shape_end = is_tuple ? end : EndOfLayout(text, end);
  auto source = SourceOf(text.substr(0, shape_end));
  DiagnosticSink sink(source);
  const std::optional<Shape> shape = ParseShape(source, sink);
  if (!shape) return absl::InvalidArgumentError(FirstMessage(sink));
  const std::string_view rest = Trim(text.substr(shape_end));
  if (is_tuple || !rest.starts_with('(')) return ParseElements(rest, *shape);
  const size_t sizes_end = EndOfGroup(rest);
  const std::optional<Shape> sized = WithSizes(*shape, rest.substr(1, sizes_end - 2));
  if (sized) return ParseSizedElements(Trim(rest.substr(sizes_end)), *sized, *shape);
  return absl::InvalidArgumentError(
      fmt::format("`{}` are no sizes of `{}`", rest.substr(0, sizes_end), ShapeText(*shape)));
}

// Whether a shape, or the parenthesis of typed elements, begins `text`: a result as it is printed.
bool StartsWithShape(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n(");
  if (begin == std::string_view::npos) return false;
  const size_t bracket = text.find('[', begin);
  return bracket != std::string_view::npos &&
         ParseElementType(text.substr(begin, bracket - begin)).has_value();
}

// One number for an array of them.
bool IsNumberForAll(std::string_view text, const Shape& expected) {
  text = Trim(text);
  if (!expected.IsArray() || expected.rank() == 0 || text.empty()) return false;
  return text.front() == '(' ? IsComplex(expected.element_type()) : text.front() != '{';
}

}  // namespace

absl::StatusOr<Literal> ParseValue(std::string_view text, const Shape& expected) {
  const size_t equals = FindEqualsSign(text);
  if (equals == std::string_view::npos) {
    if (StartsWithShape(text)) return ParseTypedValue(text);
    return IsNumberForAll(text, expected) ? ParseSplat(Trim(text), expected)
                                          : ParseElements(text, expected);
  }
  const std::string_view shape_text = text.substr(0, equals);
  const std::string_view elements = text.substr(equals + 1);
  if (const std::optional<Shape> shape = ParseCrossedShape(shape_text)) {
    const bool is_literal = shape->rank() == 0 || elements.starts_with('{');
    if (is_literal) return ParseElements(elements, *shape);
    // A few characters say any size: what does not fit is not made first.
    if (HasSizesFor(*shape, expected)) return ParseSplat(elements, *shape);
    return absl::InvalidArgumentError(
        fmt::format("expected `{}`, got `{}`", ShapeText(expected), ShapeText(*shape)));
  }
  auto source = SourceOf(shape_text);
  DiagnosticSink sink(source);
  if (const std::optional<Shape> shape = ParseShape(source, sink)) {
    return ParseElements(elements, *shape);
  }
  return absl::InvalidArgumentError(
      fmt::format("expected [name=]shape=literal, found `{}`: {}", text, FirstMessage(sink)));
}

size_t FindEqualsSign(std::string_view text) {
  size_t equals = text.find('=');
  while (equals != std::string_view::npos && equals > 0 && text[equals - 1] == '<') {
    equals = text.find('=', equals + 1);
  }
  return equals;
}

bool IsShapeSpelling(std::string_view text) {
  return text.find_first_of("[(") != std::string_view::npos || ParseCrossedShape(text).has_value();
}

absl::StatusOr<Literal> ParseTypedValue(std::string_view text) {
  const std::string_view trimmed = Trim(text);
  const bool has_typed_elements = trimmed.starts_with('(') && EndOfGroup(trimmed) == trimmed.size();
  if (has_typed_elements || text.find("<=") != std::string_view::npos) {
    return ParseTypedParts(text, kMaxTupleDepth);
  }
  auto source = SourceOf(text);
  DiagnosticSink sink(source);
  if (std::optional<Literal> literal = ParseTypedLiteral(source, sink)) return *std::move(literal);
  return absl::InvalidArgumentError(FirstMessage(sink));
}

}  // namespace hlo
