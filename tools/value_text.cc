#include "tools/value_text.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parser/parser.h"
#include "support/number_text.h"
#include "support/status_macros.h"

namespace hlo::tools {
namespace {

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

absl::StatusOr<Literal> ParseElements(std::string_view text, const Shape& shape) {
  auto source = SourceOf(text);
  DiagnosticSink sink(source);
  if (std::optional<Literal> literal = ParseLiteral(source, shape, sink)) {
    return *std::move(literal);
  }
  return absl::InvalidArgumentError(
      fmt::format("`{}` is no literal of `{}`: {}", text, ShapeText(shape), FirstMessage(sink)));
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

}  // namespace

absl::StatusOr<Literal> ParseValue(std::string_view text, const Shape& expected) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return ParseElements(text, expected);
  const std::string_view shape_text = text.substr(0, equals);
  const std::string_view elements = text.substr(equals + 1);
  if (const std::optional<Shape> shape = ParseCrossedShape(shape_text)) {
    const bool is_literal = shape->rank() == 0 || elements.starts_with('{');
    return is_literal ? ParseElements(elements, *shape) : ParseSplat(elements, *shape);
  }
  auto source = SourceOf(shape_text);
  DiagnosticSink sink(source);
  if (const std::optional<Shape> shape = ParseShape(source, sink)) {
    return ParseElements(elements, *shape);
  }
  return absl::InvalidArgumentError(
      fmt::format("expected [name=]shape=literal, found `{}`: {}", text, FirstMessage(sink)));
}

bool IsShapeSpelling(std::string_view text) {
  return text.find_first_of("[(") != std::string_view::npos || ParseCrossedShape(text).has_value();
}

absl::StatusOr<Literal> ParseTypedValue(std::string_view text) {
  auto source = SourceOf(text);
  DiagnosticSink sink(source);
  if (std::optional<Literal> literal = ParseTypedLiteral(source, sink)) return *std::move(literal);
  return absl::InvalidArgumentError(FirstMessage(sink));
}

}  // namespace hlo::tools
