// A dense literal is written straight into its storage. Storage is only made for what the text
// can hold: an array of N elements takes at least N bytes of text.
#include "parser/parse_literal.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "parser/parse_shape.h"
#include "parser/store_element.h"
#include "support/number_text.h"

namespace hlo {
namespace {

// Reads the elements of one array.
class DenseLiteralParser {
 public:
  DenseLiteralParser(ParseContext& context, const Shape& shape)
      : context_(context),
        cursor_(context.cursor),
        sink_(context.sink),
        shape_(shape),
        store_(GetElementStore(shape.element_type())) {}

  std::optional<Literal> Parse();

 private:
  // What XLA reads although it is hardly meant so is read in modules, with a warning; in the values
  // that people give to a program it is an error.
  bool is_lenient() const { return context_.module_parser != nullptr; }
  bool Allocate();
  bool AtScalar() const;
  std::optional<Literal> ParseBareScalar();
  void WarnOfBareScalar(SourceRange range, int64_t element_count);
  bool ParseLevel(int64_t level);
  bool ParseCommas(bool behind_item);
  bool FailComma(SourceRange range, std::string_view what);
  bool ParseItem(int64_t level);
  bool ParseElement();
  bool ParseComplex();
  bool ParseNumber(std::byte* element);
  bool ParseInteger(std::byte* element);
  bool CheckStored(StoreResult result);
  bool FailItemCount(int64_t level, int64_t count, SourceRange range);
  std::byte* NextElement();
  std::string_view TypeName() const { return ElementTypeName(shape_.element_type()); }

  ParseContext& context_;
  Cursor& cursor_;
  DiagnosticSink& sink_;
  const Shape& shape_;
  const ElementStore& store_;
  Literal literal_;
  std::byte* next_ = nullptr;
  int64_t remaining_ = 0;  // elements for which there is storage
  bool has_warned_of_commas_ = false;
  alignas(16) std::byte overflow_[16];
};

// Where the next element goes. Elements beyond the storage go nowhere: there are too many of
// them, and the level they stand on says so.
std::byte* DenseLiteralParser::NextElement() {
  if (remaining_ == 0) return overflow_;
  --remaining_;
  std::byte* element = next_;
  next_ += ElementByteSize(shape_.element_type());
  return element;
}

bool DenseLiteralParser::Allocate() {
  const SourceRange range = cursor_.token().range;
  absl::StatusOr<int64_t> count = ElementCount(shape_);
  if (!count.ok()) {
    return sink_.Error(Rule::kLiteralCount, range, "no literal can hold `{}`: {}",
                       ShapeText(shape_), std::string(count.status().message()));
  }
  if (*count > cursor_.text_end() - cursor_.token_begin()) return true;
  absl::StatusOr<Literal> literal = Literal::Uninitialized(shape_);
  if (!literal.ok()) {
    return sink_.Error(Rule::kLiteralCount, range, "{}", std::string(literal.status().message()));
  }
  literal_ = *std::move(literal);
  next_ = literal_.bytes();
  remaining_ = *count;
  return true;
}

std::optional<Literal> DenseLiteralParser::Parse() {
  if (!shape_.IsArray()) {
    return sink_.Error(Rule::kLiteralNonArray, cursor_.token().range, "no literal of type `{}`",
                       ShapeText(shape_));
  }
  if (cursor_.Is(TokenKind::kLeftBrace) && shape_.rank() > 0 && cursor_.PeekByte() == '.') {
    cursor_.Advance();
    if (!cursor_.Expect(TokenKind::kDots)) return std::nullopt;
    if (!cursor_.Expect(TokenKind::kRightBrace)) return std::nullopt;
    return Literal::Elided(shape_);
  }
  if (shape_.rank() > 0 && is_lenient() && AtScalar()) return ParseBareScalar();
  if (!Allocate() || !ParseItem(0)) return std::nullopt;
  return std::move(literal_);
}

bool DenseLiteralParser::AtScalar() const {
  switch (cursor_.kind()) {
    case TokenKind::kInt:
    case TokenKind::kDecimal:
    case TokenKind::kInf:
    case TokenKind::kNegInf:
    case TokenKind::kNan:
      return true;
    case TokenKind::kLeftParen:
      return IsComplex(shape_.element_type());
    default:
      return cursor_.IsKeyword(Keyword::kTrue) || cursor_.IsKeyword(Keyword::kFalse);
  }
}

// One number for an array with dimensions (grammar.md 2.9).
std::optional<Literal> DenseLiteralParser::ParseBareScalar() {
  const uint32_t begin = cursor_.token().range.begin;
  absl::StatusOr<int64_t> count = ElementCount(shape_);
  if (!count.ok()) {
    return sink_.Error(Rule::kLiteralCount, cursor_.token().range, "no literal can hold `{}`: {}",
                       ShapeText(shape_), std::string(count.status().message()));
  }
  if (*count == 0) {
    return sink_.Error(Rule::kLiteralCount, cursor_.token().range,
                       "{} for an array `{}`, which has no elements", cursor_.DescribeToken(),
                       ShapeText(shape_));
  }
  literal_ = Literal::BareScalar(shape_);
  next_ = literal_.bytes();
  remaining_ = 1;
  if (!ParseElement()) return std::nullopt;
  WarnOfBareScalar(cursor_.RangeFrom(begin), *count);
  return std::move(literal_);
}

void DenseLiteralParser::WarnOfBareScalar(SourceRange range, int64_t element_count) {
  const std::string_view number = context_.module.source()->text(range);
  if (element_count == 1) {
    sink_.Warning(Rule::kLiteralBareScalar, range,
                  "`{}` stands without braces for the one element of `{}`", number,
                  ShapeText(shape_));
    return;
  }
  sink_.Warning(Rule::kLiteralBareScalar, range,
                "only the first element of `{}` is `{}`, all others are 0: a `broadcast` of the "
                "scalar has it everywhere, braces say each element",
                ShapeText(shape_), number);
}

// A nest of braces, or an element at the bottom.
bool DenseLiteralParser::ParseItem(int64_t level) {
  if (level == shape_.rank()) {
    if (!cursor_.Is(TokenKind::kLeftBrace)) return ParseElement();
    return sink_.Error(Rule::kLiteralNesting, cursor_.token().range,
                       "`{{` nested {} deep in a literal of `{}`, which has rank {}", level + 1,
                       ShapeText(shape_), shape_.rank());
  }
  if (cursor_.Is(TokenKind::kLeftBrace)) return ParseLevel(level);
  if (cursor_.Is(TokenKind::kDots)) {
    return sink_.Error(Rule::kLiteralEllipsis, cursor_.token().range,
                       "`...` stands only for the whole content of a literal: `{{...}}`");
  }
  if (cursor_.Is(TokenKind::kError)) return false;
  return sink_.Error(Rule::kLiteralNesting, cursor_.token().range,
                     "{} where `{{` is expected: a literal of `{}` has {} level{} of braces",
                     cursor_.DescribeToken(), ShapeText(shape_), shape_.rank(),
                     shape_.rank() == 1 ? "" : "s");
}

bool DenseLiteralParser::FailItemCount(int64_t level, int64_t count, SourceRange range) {
  return sink_.Error(Rule::kLiteralCount, range,
                     "{}{} item{} where dimension {} of `{}` has size {}",
                     count > shape_.dim(level) ? "at least " : "", count, count == 1 ? "" : "s",
                     level, ShapeText(shape_), shape_.dim(level));
}

bool DenseLiteralParser::ParseLevel(int64_t level) {
  NestingScope nesting(context_);
  if (!nesting.ok()) return false;
  const uint32_t begin = cursor_.token().range.begin;
  const int64_t size = shape_.dim(level);
  cursor_.Advance();
  int64_t count = 0;
  if (!ParseCommas(/*behind_item=*/false)) return false;
  while (!cursor_.Is(TokenKind::kRightBrace)) {
    if (++count > size) return FailItemCount(level, count, cursor_.token().range);
    if (!ParseItem(level + 1) || !ParseCommas(/*behind_item=*/true)) return false;
  }
  const SourceRange close = cursor_.token().range;
  cursor_.Advance();
  return count == size || FailItemCount(level, count, {begin, close.end});
}

// The commas up to the next item or the closing brace: one between two items, none elsewhere. XLA
// passes over commas, however many there are (grammar.md 2.9).
bool DenseLiteralParser::ParseCommas(bool behind_item) {
  int64_t comma_count = 0;
  SourceRange last;
  while (cursor_.Is(TokenKind::kComma)) {
    last = cursor_.token().range;
    const bool is_expected = behind_item && comma_count == 0;
    if (!is_expected && !FailComma(last, "a comma before the next item")) return false;
    ++comma_count;
    cursor_.Advance();
  }
  const SourceRange here = cursor_.token().range;
  if (cursor_.Is(TokenKind::kRightBrace)) {
    return comma_count == 0 || !behind_item || FailComma(last, "a comma before `}`");
  }
  if (!behind_item || comma_count > 0) return true;
  if (!AtScalar() && !cursor_.Is(TokenKind::kLeftBrace)) {
    return cursor_.FailExpecting("`,` or `}`");
  }
  return FailComma(here, "no comma before this item");
}

// Whether reading goes on. One warning is enough for a literal.
bool DenseLiteralParser::FailComma(SourceRange range, std::string_view what) {
  if (!is_lenient()) {
    return sink_.Error(Rule::kParseUnexpectedToken, range, "{}: one stands between two items",
                       what);
  }
  if (!has_warned_of_commas_) {
    sink_.Warning(Rule::kLiteralCommas, range, "{}: one stands between two items", what);
  }
  has_warned_of_commas_ = true;
  return true;
}

bool DenseLiteralParser::ParseElement() {
  if (IsComplex(shape_.element_type())) return ParseComplex();
  std::byte* element = NextElement();
  switch (cursor_.kind()) {
    case TokenKind::kInt:
    case TokenKind::kDecimal:
    case TokenKind::kInf:
    case TokenKind::kNegInf:
    case TokenKind::kNan:
      return ParseNumber(element);
    default:
      break;
  }
  if (cursor_.IsKeyword(Keyword::kTrue) || cursor_.IsKeyword(Keyword::kFalse)) {
    if (shape_.element_type() != ElementType::kPred) {
      return sink_.Error(Rule::kLiteralInteger, cursor_.token().range,
                         "`{}` is an element of pred, not of {}", cursor_.token().text, TypeName());
    }
    store_.integer(cursor_.IsKeyword(Keyword::kTrue), element);
    cursor_.Advance();
    return true;
  }
  if (cursor_.Is(TokenKind::kLeftParen)) {
    return sink_.Error(Rule::kLiteralComplex, cursor_.token().range,
                       "`(` starts a complex number or a tuple, not an element of {}", TypeName());
  }
  if (cursor_.Is(TokenKind::kDots)) {
    return sink_.Error(Rule::kLiteralEllipsis, cursor_.token().range,
                       "`...` stands only for the whole content of a literal: `{{...}}`");
  }
  return cursor_.FailExpecting(fmt::format("an element of {}", TypeName()));
}

bool DenseLiteralParser::ParseComplex() {
  std::byte* element = NextElement();
  if (!cursor_.Is(TokenKind::kLeftParen)) {
    return cursor_.FailExpecting(Rule::kLiteralComplex,
                                 fmt::format("a {} number such as `(1, 2)`", TypeName()));
  }
  cursor_.Advance();
  if (!ParseNumber(element)) return false;
  if (!cursor_.Is(TokenKind::kComma)) {
    return cursor_.FailExpecting(Rule::kLiteralComplex, "`,` and the imaginary part");
  }
  cursor_.Advance();
  if (!ParseNumber(element + store_.byte_size)) return false;
  if (!cursor_.Is(TokenKind::kRightParen))
    return cursor_.FailExpecting(Rule::kLiteralComplex, "`)`");
  cursor_.Advance();
  return true;
}

// int, decimal, infinity or NaN.
bool DenseLiteralParser::ParseNumber(std::byte* element) {
  const Token& token = cursor_.token();
  if (token.kind == TokenKind::kInt) {
    // Negative zero is printed `-0`, which as an integer would lose its sign.
    const bool negative_zero = token.integer == 0 && token.text[0] == '-';
    // XLA takes such a number for a negative one without a word (grammar.md 1.6).
    const bool wraps = token.integer < 0 && token.text[0] != '-';
    if (wraps && store_.decimal != nullptr) {
      return sink_.Error(Rule::kLiteralRange, token.range,
                         "the integer `{}` of 2^63 or more as {}: write it with a decimal point",
                         token.text, TypeName());
    }
    return CheckStored(negative_zero && store_.decimal != nullptr
                           ? store_.decimal(-0.0, element)
                           : store_.integer(token.integer, element));
  }
  if (store_.decimal == nullptr) {
    if (token.kind == TokenKind::kError) return false;
    return sink_.Error(Rule::kLiteralInteger, token.range, "{} where {} takes integers",
                       cursor_.DescribeToken(), TypeName());
  }
  switch (token.kind) {
    case TokenKind::kDecimal: {
      std::optional<double> value = ParseDecimal(token.text);
      if (!value) return CheckStored(StoreResult::kOutOfRange);
      return CheckStored(store_.decimal(*value, element));
    }
    case TokenKind::kInf:
      return CheckStored(store_.decimal(std::numeric_limits<double>::infinity(), element));
    case TokenKind::kNegInf:
      return CheckStored(store_.decimal(-std::numeric_limits<double>::infinity(), element));
    case TokenKind::kNan:
      return CheckStored(store_.nan({token.text[0] == '-', token.integer}, element));
    default:
      return cursor_.FailExpecting(Rule::kLiteralComplex, "a number");
  }
}

// Moves on when the current token could be stored, and reports why not otherwise.
bool DenseLiteralParser::CheckStored(StoreResult result) {
  const Token& token = cursor_.token();
  switch (result) {
    case StoreResult::kOk:
      cursor_.Advance();
      return true;
    case StoreResult::kOutOfRange:
      return sink_.Error(Rule::kLiteralRange, token.range, "`{}` is out of the range of {}",
                         token.text, TypeName());
    case StoreResult::kNoNan:
      return sink_.Error(Rule::kLiteralRange, token.range, "`{}` has no value in {}", token.text,
                         TypeName());
    case StoreResult::kPayloadRange:
      return sink_.Error(Rule::kLiteralNanPayload, token.range,
                         "the payload of `{}` does not fit the mantissa of {}", token.text,
                         TypeName());
    case StoreResult::kNoPayload:
      return sink_.Error(Rule::kLiteralNanPayload, token.range, "the NaN of {} has no payload",
                         TypeName());
  }
  return false;
}

std::optional<Literal> ParseTupleLiteral(ParseContext& context, const Shape& shape) {
  NestingScope nesting(context);
  if (!nesting.ok()) return std::nullopt;
  Cursor& cursor = context.cursor;
  if (!cursor.Is(TokenKind::kLeftParen)) {
    return cursor.FailExpecting(Rule::kLiteralTupleArity,
                                fmt::format("`(` of a literal of `{}`", ShapeText(shape)));
  }
  const uint32_t begin = cursor.token().range.begin;
  cursor.Advance();
  std::vector<Literal> elements;
  if (!cursor.Is(TokenKind::kRightParen)) {
    do {
      const int64_t i = static_cast<int64_t>(elements.size());
      if (i == shape.element_count()) {
        return context.sink.Error(Rule::kLiteralTupleArity, cursor.token().range,
                                  "more than the {} elements of `{}`", i, ShapeText(shape));
      }
      std::optional<Literal> element = ParseLiteralOf(context, shape.element(i));
      if (!element) return std::nullopt;
      elements.push_back(std::move(*element));
    } while (cursor.Consume(TokenKind::kComma));
  }
  if (!cursor.Consume(TokenKind::kRightParen)) return cursor.FailExpecting("`,` or `)`");
  if (static_cast<int64_t>(elements.size()) != shape.element_count()) {
    return context.sink.Error(Rule::kLiteralTupleArity, cursor.RangeFrom(begin),
                              "{} element{} in a literal of `{}`, which has {}", elements.size(),
                              elements.size() == 1 ? "" : "s", ShapeText(shape),
                              shape.element_count());
  }
  Literal literal = Literal::Tuple(std::move(elements));
  literal.set_shape(shape);
  return literal;
}

// XLA's typed tuple: `(s32[] 1, f32[2]{0} {2, 3})`.
std::optional<Literal> ParseTupleOfTypedLiterals(ParseContext& context) {
  Cursor& cursor = context.cursor;
  cursor.Advance();
  std::vector<Literal> elements;
  if (!cursor.Is(TokenKind::kRightParen)) {
    do {
      std::optional<Literal> element = ParseLiteralWithShapes(context);
      if (!element) return std::nullopt;
      elements.push_back(std::move(*element));
    } while (cursor.Consume(TokenKind::kComma));
  }
  if (!cursor.Consume(TokenKind::kRightParen)) return cursor.FailExpecting("`,` or `)`");
  return Literal::Tuple(std::move(elements));
}

}  // namespace

std::optional<Literal> ParseLiteralOf(ParseContext& context, const Shape& shape) {
  if (shape.IsTuple()) return ParseTupleLiteral(context, shape);
  return DenseLiteralParser(context, shape).Parse();
}

std::optional<Literal> ParseLiteralWithShapes(ParseContext& context) {
  NestingScope nesting(context);
  if (!nesting.ok()) return std::nullopt;
  if (context.cursor.Is(TokenKind::kLeftParen)) return ParseTupleOfTypedLiterals(context);
  const Shape* shape = ParseStoredShape(context);
  if (shape == nullptr) return std::nullopt;
  return ParseLiteralOf(context, *shape);
}

namespace {

// `shape literal`, where a tuple's shape may stand before the whole literal or be written element
// by element; and where `{1, 2}` behind `f32[2]` is the literal, although the grammar takes it for
// a layout (2.9).
std::optional<Literal> ParseShapeAndLiteral(ParseContext& context) {
  DiagnosticSink& sink = context.sink;
  Cursor& cursor = context.cursor;
  const char* begin = cursor.token_begin();
  const size_t diagnostic_count = sink.diagnostics().size();
  const Shape* shape = ParseStoredShape(context);
  if (shape != nullptr && !cursor.Is(TokenKind::kEnd)) {
    return ParseLiteralOf(context, *shape);
  }
  if (*begin == '(') {
    sink.RewindTo(diagnostic_count);
    cursor.MoveTo(begin);
    return ParseLiteralWithShapes(context);
  }
  // The braces were taken for a layout: they are the literal.
  const std::string_view text(begin, static_cast<size_t>(cursor.text_end() - begin));
  const size_t brace = text.find('{');
  if (brace == std::string_view::npos) {
    if (shape != nullptr) cursor.FailExpecting("a literal");
    return std::nullopt;
  }
  sink.RewindTo(diagnostic_count);
  const SourceRange range{cursor.OffsetOf(begin), cursor.OffsetOf(begin + brace)};
  auto shape_source = std::make_shared<SourceText>(
      context.module.source()->name(),
      std::string(context.module.source()->text().substr(0, range.end)));
  DiagnosticSink shape_sink(shape_source);
  std::optional<Shape> bare_shape = ParseShape(shape_source, shape_sink, context.options);
  if (!bare_shape) {
    for (const Diagnostic& diagnostic : shape_sink.diagnostics()) {
      sink.Report(diagnostic.severity, diagnostic.rule, diagnostic.range, diagnostic.message);
    }
    return std::nullopt;
  }
  cursor.MoveTo(begin + brace);
  return ParseLiteralOf(context, *context.module.InternShape(*bare_shape));
}

std::optional<Literal> FinishText(ParseContext& context, std::optional<Literal> literal) {
  if (literal && !context.cursor.Is(TokenKind::kEnd)) {
    return context.cursor.FailExpecting("the end of the literal");
  }
  return literal;
}

}  // namespace

std::optional<Literal> ParseTypedLiteral(std::shared_ptr<const SourceText> source,
                                         DiagnosticSink& sink) {
  Module module(std::move(source));
  const ParseOptions options;
  ParseContext context(module, sink, options);
  return FinishText(context, ParseShapeAndLiteral(context));
}

std::optional<Literal> ParseLiteral(std::shared_ptr<const SourceText> source, const Shape& shape,
                                    DiagnosticSink& sink) {
  Module module(std::move(source));
  const ParseOptions options;
  ParseContext context(module, sink, options);
  return FinishText(context, ParseLiteralOf(context, shape));
}

}  // namespace hlo
