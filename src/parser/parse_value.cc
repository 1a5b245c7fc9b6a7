// Numbers, words, and lists of them.
#include "parser/parse_value.h"

#include <cmath>
#include <limits>
#include <vector>

#include "parser/parse_literal.h"
#include "parser/parse_shape.h"

namespace hlo {

bool ParseValue(ParseContext& context, int64_t& value) {
  std::optional<int64_t> number = context.cursor.ExpectInt();
  if (number) value = *number;
  return number.has_value();
}

bool ParseValue(ParseContext& context, bool& value) {
  std::optional<bool> word = context.cursor.ExpectBool();
  if (word) value = *word;
  return word.has_value();
}

// Only `epsilon`, which has to be an f32.
bool ParseValue(ParseContext& context, double& value) {
  const Token token = context.cursor.token();
  std::optional<double> number = context.cursor.ExpectNumber();
  if (!number) return false;
  if (std::abs(*number) > std::numeric_limits<float>::max()) {
    return context.sink.Error(Rule::kAttrValueKind, token.range, "`{}` is out of the range of f32",
                              token.text);
  }
  value = *number;
  return true;
}

bool ParseValue(ParseContext& context, String& value) {
  std::optional<std::string_view> text = context.cursor.ExpectString(context.arena());
  if (text) value = *text;
  return text.has_value();
}

bool ParseValue(ParseContext& context, RawText& value) {
  if (context.cursor.Is(TokenKind::kString)) return ParseValue(context, value.text);
  if (!context.cursor.Is(TokenKind::kLeftBrace)) {
    return context.cursor.FailExpecting(Rule::kAttrValueKind, "a string or `{`");
  }
  std::optional<std::string_view> text = context.cursor.ExpectRawBlock();
  if (text) value.text = *text;
  return text.has_value();
}

bool ParseIntegers(ParseContext& context, TokenKind open, TokenKind close, IntList& value) {
  absl::InlinedVector<int64_t, 16> numbers;
  if (!context.cursor.Is(open)) {
    return context.cursor.FailExpecting(Rule::kAttrValueKind,
                                        fmt::format("{} and integers", TokenName(open)));
  }
  const bool parsed = ParseList(context, open, close, [&] {
    std::optional<int64_t> number = context.cursor.ExpectInt();
    if (number) numbers.push_back(*number);
    return number.has_value();
  });
  value = context.Store(std::span<const int64_t>(numbers.data(), numbers.size()));
  return parsed;
}

bool ParseInt32(ParseContext& context, int32_t& value) {
  const Token token = context.cursor.token();
  std::optional<int64_t> number = context.cursor.ExpectInt();
  if (!number) return false;
  if (*number != static_cast<int32_t>(*number)) {
    return context.sink.Error(Rule::kAttrValueKind, token.range, "`{}` does not fit 32 bits",
                              token.text);
  }
  value = static_cast<int32_t>(*number);
  return true;
}

bool ParseShapeIndex(ParseContext& context, IntList& value) {
  Cursor& cursor = context.cursor;
  absl::InlinedVector<int64_t, 8> numbers;
  if (!cursor.Expect(TokenKind::kLeftBrace)) return false;
  while (!cursor.Is(TokenKind::kRightBrace)) {
    std::optional<int64_t> number = cursor.ExpectInt();
    if (!number) return false;
    numbers.push_back(*number);
    if (!cursor.Consume(TokenKind::kComma)) break;
  }
  value = context.Store(std::span<const int64_t>(numbers.data(), numbers.size()));
  return cursor.Expect(TokenKind::kRightBrace);
}

bool ParseValue(ParseContext& context, IntList& value) {
  return ParseIntegers(context, TokenKind::kLeftBrace, TokenKind::kRightBrace, value);
}

bool ParseValue(ParseContext& context, IntListList& value) {
  std::vector<IntList> lists;
  const bool parsed =
      ParseBraced(context, [&] { return ParseValue(context, lists.emplace_back()); });
  value = context.Store(lists);
  return parsed;
}

// One bool, or a list.
bool ParseValue(ParseContext& context, BoolList& value) {
  absl::InlinedVector<bool, 16> words;
  bool parsed = true;
  if (context.cursor.Is(TokenKind::kLeftBrace)) {
    parsed = ParseBraced(context, [&] {
      bool word = false;
      if (!ParseValue(context, word)) return false;
      words.push_back(word);
      return true;
    });
  } else {
    bool word = false;
    parsed = ParseValue(context, word);
    words.push_back(word);
  }
  value = context.Store(std::span<const bool>(words.data(), words.size()));
  return parsed;
}

bool ParseValue(ParseContext& context, PrecisionList& value) {
  absl::InlinedVector<Precision, 4> words;
  const bool parsed = ParseBraced(context, [&] {
    Precision word;
    if (!ParseWord(context, word)) return false;
    words.push_back(word);
    return true;
  });
  value = context.Store(std::span<const Precision>(words.data(), words.size()));
  return parsed;
}

bool ParseValue(ParseContext& context, ShapeRef& value) {
  value.shape = ParseStoredShape(context);
  return value.shape != nullptr;
}

bool ParseValue(ParseContext& context, ShapeList& value) {
  std::vector<ShapeRef> shapes;
  const bool parsed =
      ParseBraced(context, [&] { return ParseValue(context, shapes.emplace_back()); });
  value = context.Store(shapes);
  return parsed;
}

bool ParseValue(ParseContext& context, LiteralRef& value) {
  std::optional<Literal> literal = ParseLiteralWithShapes(context);
  if (!literal) return false;
  value.literal = context.module.AddLiteral(std::move(*literal));
  return true;
}

bool FailUnknownWord(ParseContext& context, Rule rule, std::span<const std::string_view> texts) {
  Cursor& cursor = context.cursor;
  const std::string words = fmt::format("{}", fmt::join(texts, ", "));
  if (cursor.Is(TokenKind::kError)) return false;
  return context.sink.Error(rule, cursor.token().range, "{} is not one of {}{}",
                            cursor.DescribeToken(), words, DidYouMean(cursor.token().text, texts));
}

}  // namespace hlo
