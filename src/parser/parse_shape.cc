// A shape whose bytes were seen before is taken from the cache; only the first of its kind is
// taken apart.
#include "parser/parse_shape.h"

#include <utility>
#include <vector>

#include "ir/max_rank.h"
#include "parser/character_class.h"
#include "parser/parse_layout.h"

namespace hlo {
namespace {

std::optional<Shape> ParseAnyShape(ParseContext& context);

// `p` stands behind a shape's `]`: the end of the layout glued to it, `p` when there is none,
// null when that cannot be told without reading tokens.
const char* ScanLayout(const char* p) {
  if (*p != '{') {
    if (!IsCharacter(*p, kBlankCharacter)) return *p == '/' ? nullptr : p;
    const char* next = p;
    while (IsCharacter(*next, kBlankCharacter)) ++next;
    return *next == '{' || *next == '/' ? nullptr : p;
  }
  if (!IsCharacter(p[1], kDigitCharacter) && p[1] != ':') return nullptr;
  while (*p != '}' && *p != '\0' && *p != '/' && *p != '"') ++p;
  return *p == '}' ? p + 1 : nullptr;
}

// The end of the tuple shape that starts at `p`, by counting parentheses; null when comments
// might hide some. A layout's parentheses are balanced too.
const char* ScanTuple(const char* p) {
  int64_t depth = 0;
  while (true) {
    switch (*p) {
      case '(':
        ++depth;
        break;
      case ')':
        if (--depth == 0) return p + 1;
        break;
      case '/': {
        // Only index comments are understood: `/*index=5*/`.
        if (p[1] != '*') return nullptr;
        p += 2;
        while (IsCharacter(*p, kIdentifierCharacter) || *p == '=') ++p;
        if (p[0] != '*' || p[1] != '/') return nullptr;
        ++p;
        break;
      }
      case '\0':
      case '"':
      case '%':
        return nullptr;
    }
    ++p;
  }
}

// The end of the shape at the current token as far as its bytes alone tell it, or null.
const char* ScanShape(const Cursor& cursor) {
  const char* p = cursor.token_begin();
  if (*p == '(') return ScanTuple(p);
  if (!cursor.Is(TokenKind::kPrimitive)) return nullptr;
  while (IsCharacter(*p, kIdentifierCharacter)) ++p;
  if (*p != '[') return nullptr;
  while (IsCharacter(*p, kDigitCharacter) || *p == '[' || *p == ',' || *p == '<' || *p == '=' ||
         *p == '?') {
    ++p;
  }
  return *p == ']' ? ScanLayout(p + 1) : nullptr;
}

// dim ::= int | "<=" int | "?"
bool ParseDimension(ParseContext& context, Shape& shape) {
  Cursor& cursor = context.cursor;
  if (cursor.Consume(TokenKind::kQuestion)) {
    shape.AppendDim(Shape::kUnbounded, /*dynamic=*/true);
    return true;
  }
  const bool dynamic = cursor.Consume(TokenKind::kLessEqual);
  if (!cursor.Is(TokenKind::kInt)) {
    return cursor.FailExpecting(dynamic ? "an integer" : "a dimension: an integer, `<=` or `?`");
  }
  const Token& token = cursor.token();
  if (token.integer < 0) {
    return context.sink.Error(Rule::kShapeDimNonnegative, token.range,
                              "dimension size `{}` is negative{}", token.text,
                              token.text[0] == '-' ? "" : " when read as 64 bits");
  }
  shape.AppendDim(token.integer, dynamic);
  cursor.Advance();
  return true;
}

bool ParseDimensions(ParseContext& context, Shape& shape) {
  Cursor& cursor = context.cursor;
  if (!cursor.Is(TokenKind::kLeftBracket)) {
    return cursor.FailExpecting(
        Rule::kShapeDimsRequired,
        fmt::format("`[` behind `{}`", ElementTypeName(shape.element_type())));
  }
  cursor.Advance();
  if (cursor.Consume(TokenKind::kRightBracket)) return true;
  do {
    if (shape.rank() == kMaxRank) {
      return context.sink.Error(Rule::kShapeRank, cursor.token().range,
                                "an array with more than {} dimensions", kMaxRank);
    }
    if (!ParseDimension(context, shape)) return false;
  } while (cursor.Consume(TokenKind::kComma));
  return cursor.Consume(TokenKind::kRightBracket) || cursor.FailExpecting("`,` or `]`");
}

// A layout follows when `{` is followed by an integer or `:` (grammar.md 2.7).
bool AtLayout(const Cursor& cursor) {
  if (!cursor.Is(TokenKind::kLeftBrace)) return false;
  const char next = cursor.PeekByte();
  return IsCharacter(next, kDigitCharacter) || next == ':' || next == '-';
}

std::optional<Shape> ParseArrayShape(ParseContext& context) {
  Cursor& cursor = context.cursor;
  const SourceRange type_range = cursor.token().range;
  Shape shape = Shape::Array(cursor.token().type, {});
  cursor.Advance();
  if (!ParseDimensions(context, shape)) return std::nullopt;
  if (!shape.IsArray() && shape.rank() != 0) {
    return context.sink.Error(
        shape.IsToken() ? Rule::kTokenShapeForm : Rule::kShapeNonArrayDims,
        cursor.RangeFrom(type_range.begin), "`{}` has no dimensions: write `{}[]`",
        ElementTypeName(shape.element_type()), ElementTypeName(shape.element_type()));
  }
  if (AtLayout(cursor)) {
    if (!shape.IsArray()) {
      return context.sink.Error(shape.IsToken() ? Rule::kTokenShapeForm : Rule::kLayoutOnArrayOnly,
                                cursor.token().range, "`{}` has no layout",
                                ElementTypeName(shape.element_type()));
    }
    std::optional<Layout> layout = ParseLayout(context, shape.rank());
    if (!layout) return std::nullopt;
    shape.set_layout(std::move(*layout));
  } else if (shape.IsArray() && (context.options.fill_missing_layouts || shape.rank() == 0)) {
    shape.set_layout(Layout::Default(shape.rank()));
  }
  return shape;
}

std::optional<Shape> ParseTupleShape(ParseContext& context) {
  Cursor& cursor = context.cursor;
  cursor.Advance();
  std::vector<Shape> elements;
  if (!cursor.Consume(TokenKind::kRightParen)) {
    do {
      std::optional<Shape> element = ParseAnyShape(context);
      if (!element) return std::nullopt;
      elements.push_back(std::move(*element));
    } while (cursor.Consume(TokenKind::kComma));
    if (!cursor.Consume(TokenKind::kRightParen)) return cursor.FailExpecting("`,` or `)`");
  }
  if (AtLayout(cursor)) {
    return context.sink.Error(Rule::kLayoutOnArrayOnly, cursor.token().range,
                              "a tuple has no layout");
  }
  return Shape::Tuple(std::move(elements));
}

std::optional<Shape> ParseBufferShape(ParseContext& context) {
  Cursor& cursor = context.cursor;
  cursor.Advance();
  if (!cursor.Expect(TokenKind::kLeftParen)) return std::nullopt;
  const uint32_t begin = cursor.token().range.begin;
  std::optional<Shape> array = ParseAnyShape(context);
  if (!array) return std::nullopt;
  if (!array->IsArray()) {
    return context.sink.Error(Rule::kBufferContent, cursor.RangeFrom(begin),
                              "a buffer holds an array, not `{}`", ShapeText(*array));
  }
  if (!cursor.Expect(TokenKind::kRightParen)) return std::nullopt;
  return Shape::Buffer(std::move(*array));
}

std::optional<Shape> ParseAnyShape(ParseContext& context) {
  NestingScope nesting(context);
  if (!nesting.ok()) return std::nullopt;
  Cursor& cursor = context.cursor;
  if (cursor.Is(TokenKind::kPrimitive)) return ParseArrayShape(context);
  if (cursor.Is(TokenKind::kLeftParen)) return ParseTupleShape(context);
  if (cursor.IsIdent("b") && cursor.PeekByte() == '(') return ParseBufferShape(context);
  return cursor.FailExpecting(Rule::kShapeElementType, "a shape");
}

}  // namespace

bool AtShape(const ParseContext& context) {
  const Cursor& cursor = context.cursor;
  return cursor.Is(TokenKind::kPrimitive) || cursor.Is(TokenKind::kLeftParen) ||
         (cursor.IsIdent("b") && cursor.PeekByte() == '(');
}

const Shape* ParseStoredShape(ParseContext& context) {
  Cursor& cursor = context.cursor;
  const char* begin = cursor.token_begin();
  const char* scanned_end = ScanShape(cursor);
  std::string_view text;
  uint32_t hash = 0;
  if (scanned_end != nullptr) {
    text = std::string_view(begin, static_cast<size_t>(scanned_end - begin));
    hash = HashBytes(text);
    if (const Shape* known = context.shape_cache.Find(text, hash)) {
      cursor.MoveBehind(scanned_end);
      return known;
    }
  }
  std::optional<Shape> shape = ParseAnyShape(context);
  if (!shape) return nullptr;
  const Shape* stored = context.module.InternShape(*shape);
  // The scan is only trusted when reading the tokens came to the same end.
  if (scanned_end == cursor.PointerTo(cursor.previous_end())) {
    context.shape_cache.Insert(text, hash, stored);
  }
  return stored;
}

std::optional<Shape> ParseShape(std::shared_ptr<const SourceText> source, DiagnosticSink& sink,
                                const ParseOptions& options) {
  Module module(std::move(source));
  ParseContext context(module, sink, options);
  const Shape* shape = ParseStoredShape(context);
  if (shape == nullptr) return std::nullopt;
  if (!context.cursor.Is(TokenKind::kEnd)) {
    return context.cursor.FailExpecting("the end of the shape");
  }
  return *shape;
}

}  // namespace hlo
