// Windows, convolution labels, padding, slices (grammar.md 5.2 to 5.5, 5.12).
#include <array>
#include <string>
#include <vector>

#include "parser/parse_value.h"
#include "support/number_text.h"

namespace hlo {
namespace {

using Numbers = absl::InlinedVector<int64_t, 6>;

// The integers of `text`, which are joined by `separator`. Reports what does not fit 64 bits.
bool SplitIntegers(ParseContext& context, std::string_view text, char separator, Numbers& numbers) {
  while (true) {
    const size_t end = std::min(text.find(separator), text.size());
    std::optional<int64_t> number = ParseInteger(text.substr(0, end));
    if (!number) {
      return context.sink.Error(Rule::kParseIntegerRange, context.cursor.token().range,
                                "`{}` does not fit 64 bits", text.substr(0, end));
    }
    numbers.push_back(*number);
    if (end == text.size()) return true;
    text.remove_prefix(end + 1);
  }
}

// The groups of a pad token, each of two or three numbers. Anything else is reported as `rule`.
bool ParsePadGroups(ParseContext& context, Rule rule, std::vector<Numbers>& groups) {
  Cursor& cursor = context.cursor;
  if (!cursor.Is(TokenKind::kPad)) {
    return cursor.FailExpecting(rule, "padding such as `0_1` or `0_1x-2_3_1`");
  }
  std::string_view text = cursor.token().text;
  while (true) {
    const size_t end = std::min(text.find('x'), text.size());
    if (!SplitIntegers(context, text.substr(0, end), '_', groups.emplace_back())) return false;
    if (end == text.size()) break;
    text.remove_prefix(end + 1);
  }
  cursor.Advance();
  return true;
}

enum WindowField { kSize, kStride, kPad, kLhsDilate, kRhsDilate, kRhsReversal, kFieldCount };
constexpr std::array<std::string_view, kFieldCount> kWindowFields = {
    "size", "stride", "pad", "lhs_dilate", "rhs_dilate", "rhs_reversal"};

// The fields of a window as they are written.
struct WindowText {
  std::array<Numbers, kFieldCount> numbers;
  std::array<SourceRange, kFieldCount> ranges;
  std::array<bool, kFieldCount> given{};
  std::vector<Numbers> padding;
};

bool ParseWindowField(ParseContext& context, WindowText& text) {
  Cursor& cursor = context.cursor;
  if (!cursor.Is(TokenKind::kAttr)) {
    if (cursor.Is(TokenKind::kComma)) {
      return context.sink.Error(Rule::kWindowKnownField, cursor.token().range,
                                "the fields of a window are separated by blanks");
    }
    return cursor.FailExpecting(Rule::kWindowKnownField, "a window field or `}`");
  }
  const Token key = cursor.token();
  size_t field = 0;
  while (field < kFieldCount && kWindowFields[field] != key.text) ++field;
  if (field == kFieldCount) {
    return context.sink.Error(Rule::kWindowKnownField, key.range, "unknown window field `{}`{}",
                              key.text, DidYouMean(key.text, kWindowFields));
  }
  if (text.given[field]) {
    return context.sink.Error(Rule::kWindowKnownField, key.range,
                              "window field `{}` is given twice", key.text);
  }
  text.given[field] = true;
  cursor.Advance();
  const bool parsed = field == kPad ? ParsePadGroups(context, Rule::kWindowPadSyntax, text.padding)
                                    : ParseSizes(context, text.numbers[field]);
  text.ranges[field] = cursor.RangeFrom(key.range.begin);
  return parsed;
}

bool CheckWindowCounts(ParseContext& context, const WindowText& text) {
  const size_t rank = text.numbers[kSize].size();
  for (size_t field = 0; field < kFieldCount; ++field) {
    const size_t count = field == kPad ? text.padding.size() : text.numbers[field].size();
    if (!text.given[field] || count == rank) continue;
    return context.sink.Error(Rule::kWindowFieldLengths, text.ranges[field],
                              "`{}` has {} entries, `size` has {}", kWindowFields[field], count,
                              rank);
  }
  for (const Numbers& group : text.padding) {
    if (group.size() == 2) continue;
    return context.sink.Error(Rule::kWindowPadSyntax, text.ranges[kPad],
                              "padding of a window is `low_high` in each dimension");
  }
  for (int64_t reversal : text.numbers[kRhsReversal]) {
    if (reversal == 0 || reversal == 1) continue;
    context.sink.Warning(Rule::kWindowReversalFlag, text.ranges[kRhsReversal],
                         "`rhs_reversal` is {}, neither 0 nor 1", reversal);
    break;
  }
  return true;
}

Window MakeWindow(ParseContext& context, const WindowText& text) {
  std::vector<WindowDimension> dimensions(text.numbers[kSize].size());
  for (size_t i = 0; i < dimensions.size(); ++i) {
    WindowDimension& dimension = dimensions[i];
    dimension.size = text.numbers[kSize][i];
    if (text.given[kStride]) dimension.stride = text.numbers[kStride][i];
    if (text.given[kLhsDilate]) dimension.base_dilation = text.numbers[kLhsDilate][i];
    if (text.given[kRhsDilate]) dimension.window_dilation = text.numbers[kRhsDilate][i];
    if (text.given[kRhsReversal]) dimension.reversal = text.numbers[kRhsReversal][i] == 1;
    if (text.given[kPad]) {
      dimension.padding_low = text.padding[i][0];
      dimension.padding_high = text.padding[i][1];
    }
  }
  return {context.Store(dimensions)};
}

// One part of dim_labels: where each letter and each digit stands.
struct LabelPart {
  int64_t first = ConvolutionDimensionNumbers::kUnset;   // `b`, or `i` of the kernel
  int64_t second = ConvolutionDimensionNumbers::kUnset;  // `f`, or `o`
  std::vector<int64_t> spatial;
};

bool ParseLabelPart(ParseContext& context, std::string_view labels, char first, char second,
                    LabelPart& part) {
  const SourceRange range = context.cursor.token().range;
  std::array<int64_t, 10> digits;
  digits.fill(ConvolutionDimensionNumbers::kUnset);
  for (size_t i = 0; i < labels.size(); ++i) {
    const char c = labels[i];
    if (c == '?') continue;
    int64_t& place = c == first ? part.first : c == second ? part.second : digits[c - '0'];
    if (place != ConvolutionDimensionNumbers::kUnset) {
      return context.sink.Error(Rule::kConvolutionDimLabelsUnique, range, "`{}` twice in `{}`", c,
                                labels);
    }
    place = static_cast<int64_t>(i);
  }
  for (int64_t place : digits) {
    if (place == ConvolutionDimensionNumbers::kUnset) break;
    part.spatial.push_back(place);
  }
  for (size_t d = part.spatial.size(); d < digits.size(); ++d) {
    if (digits[d] == ConvolutionDimensionNumbers::kUnset) continue;
    return context.sink.Error(Rule::kConvolutionDimLabelsAlphabet, range,
                              "spatial dimension `{}` without `{}` in `{}`", d, part.spatial.size(),
                              labels);
  }
  return true;
}

bool ParseSparsityDescriptor(ParseContext& context, SparsityDescriptor& value) {
  Cursor& cursor = context.cursor;
  if (!cursor.Expect(TokenKind::kLeftBrace)) return false;
  value.present = true;
  const auto number = [&](int64_t& field, bool& given) {
    given = true;
    return ParseValue(context, field);
  };
  while (!cursor.Consume(TokenKind::kRightBrace)) {
    const Token key = cursor.token();
    if (key.kind != TokenKind::kAttr) return cursor.FailExpecting("a sparsity field or `}`");
    cursor.Advance();
    bool parsed = false;
    if (key.text == "sparsity") {
      Numbers sizes;
      if (!cursor.Is(TokenKind::kDxd)) return cursor.FailExpecting("`NxB`");
      parsed = ParseSizes(context, sizes) && sizes.size() == 2;
      if (!parsed) {
        return context.sink.Error(Rule::kParseSparsitySyntax, cursor.RangeFrom(key.range.begin),
                                  "`sparsity` is `NxB`: N non-zeros in each block of B");
      }
      value.has_sparsity = true;
      value.nonzeros = sizes[0];
      value.block = sizes[1];
    } else if (key.text == "dimension") {
      parsed = number(value.dimension, value.has_dimension);
    } else if (key.text == "stride") {
      parsed = number(value.stride, value.has_stride);
    } else if (key.text == "idx") {
      parsed = number(value.index, value.has_index);
    } else {
      return context.sink.Error(Rule::kParseSparsitySyntax, key.range,
                                "unknown sparsity field `{}`", key.text);
    }
    if (!parsed) return false;
  }
  return true;
}

}  // namespace

bool ParseSizes(ParseContext& context, Numbers& sizes) {
  Cursor& cursor = context.cursor;
  if (!cursor.Is(TokenKind::kInt) && !cursor.Is(TokenKind::kDxd)) {
    return cursor.FailExpecting(Rule::kAttrValueKind, "sizes such as `3` or `3x3`");
  }
  if (!SplitIntegers(context, cursor.token().text, 'x', sizes)) return false;
  cursor.Advance();
  return true;
}

bool ParseValue(ParseContext& context, Window& value) {
  Cursor& cursor = context.cursor;
  const uint32_t begin = cursor.token().range.begin;
  if (!cursor.Expect(TokenKind::kLeftBrace)) return false;
  WindowText text;
  while (!cursor.Consume(TokenKind::kRightBrace)) {
    if (!ParseWindowField(context, text)) return false;
  }
  if (!text.given[kSize] && cursor.previous_end() > begin + 2) {
    for (size_t field = 0; field < kFieldCount; ++field) {
      if (!text.given[field]) continue;
      return context.sink.Error(Rule::kWindowFieldLengths, text.ranges[field],
                                "`{}` in a window without `size`", kWindowFields[field]);
    }
  }
  if (!CheckWindowCounts(context, text)) return false;
  value = MakeWindow(context, text);
  return true;
}

bool ParseValue(ParseContext& context, ConvolutionDimensionNumbers& value) {
  Cursor& cursor = context.cursor;
  if (!cursor.Is(TokenKind::kDimLabels)) {
    return cursor.FailExpecting(Rule::kConvolutionDimLabelsAlphabet,
                                "dimension labels such as `b01f_01io->b01f`");
  }
  const std::string_view text = cursor.token().text;
  const size_t underscore = text.find('_');
  const size_t arrow = text.find("->");
  const std::string_view input = text.substr(0, underscore);
  const std::string_view kernel = text.substr(underscore + 1, arrow - underscore - 1);
  const std::string_view output = text.substr(arrow + 2);
  LabelPart input_part, kernel_part, output_part;
  if (!ParseLabelPart(context, input, 'b', 'f', input_part) ||
      !ParseLabelPart(context, kernel, 'i', 'o', kernel_part) ||
      !ParseLabelPart(context, output, 'b', 'f', output_part)) {
    return false;
  }
  if (input_part.spatial.size() != kernel_part.spatial.size() ||
      input_part.spatial.size() != output_part.spatial.size()) {
    return context.sink.Error(Rule::kConvolutionDimLabelsSpatialCount, cursor.token().range,
                              "`{}` has {}, {} and {} spatial dimensions in its three parts", text,
                              input_part.spatial.size(), kernel_part.spatial.size(),
                              output_part.spatial.size());
  }
  value.input_batch = input_part.first;
  value.input_feature = input_part.second;
  value.input_spatial = context.Store(input_part.spatial);
  value.kernel_input_feature = kernel_part.first;
  value.kernel_output_feature = kernel_part.second;
  value.kernel_spatial = context.Store(kernel_part.spatial);
  value.output_batch = output_part.first;
  value.output_feature = output_part.second;
  value.output_spatial = context.Store(output_part.spatial);
  value.input_rank = static_cast<int64_t>(input.size());
  value.kernel_rank = static_cast<int64_t>(kernel.size());
  value.output_rank = static_cast<int64_t>(output.size());
  cursor.Advance();
  return true;
}

bool ParseValue(ParseContext& context, PaddingConfig& value) {
  std::vector<Numbers> groups;
  if (!ParsePadGroups(context, Rule::kPadConfigSyntax, groups)) return false;
  // `0_0_-1` is read as `0_0` and a word (grammar.md 1.6): a sign has no place there.
  const Token& behind = context.cursor.token();
  if (behind.kind == TokenKind::kIdent && behind.text.starts_with("_-") &&
      behind.range.begin == context.cursor.previous_end()) {
    return context.sink.Error(Rule::kPadInteriorNonnegative,
                              {behind.range.begin + 1, behind.range.end},
                              "the interior padding `{}` is negative", behind.text.substr(1));
  }
  std::vector<PaddingDimension> dimensions;
  for (const Numbers& group : groups) {
    dimensions.push_back({group[0], group[1], group.size() == 3 ? group[2] : 0});
  }
  value = context.Store(dimensions);
  return true;
}

bool ParseValue(ParseContext& context, SliceRanges& value) {
  Cursor& cursor = context.cursor;
  std::vector<SliceRange> ranges;
  const bool parsed = ParseBraced(context, [&] {
    const uint32_t begin = cursor.token().range.begin;
    if (!cursor.Expect(TokenKind::kLeftBracket)) return false;
    Numbers numbers;
    do {
      std::optional<int64_t> number = cursor.ExpectInt();
      if (!number) return false;
      numbers.push_back(*number);
    } while (cursor.Consume(TokenKind::kColon));
    if (!cursor.Consume(TokenKind::kRightBracket)) {
      return static_cast<bool>(cursor.FailExpecting("`:` or `]`"));
    }
    if (numbers.size() != 2 && numbers.size() != 3) {
      return static_cast<bool>(context.sink.Error(
          Rule::kSliceRangeSyntax, cursor.RangeFrom(begin),
          "slice range of {} number{}: it is `[start:limit]` or `[start:limit:stride]`",
          numbers.size(), numbers.size() == 1 ? "" : "s"));
    }
    ranges.push_back({numbers[0], numbers[1], numbers.size() == 3 ? numbers[2] : 1});
    return true;
  });
  value = context.Store(ranges);
  return parsed;
}

bool ParseValue(ParseContext& context, SparsityConfig& value) {
  Cursor& cursor = context.cursor;
  if (!cursor.Expect(TokenKind::kLeftBrace)) return false;
  while (!cursor.Consume(TokenKind::kRightBrace)) {
    const Token key = cursor.token();
    if (key.kind != TokenKind::kAttr || (key.text != "lhs" && key.text != "rhs")) {
      return cursor.FailExpecting(Rule::kParseSparsitySyntax, "`lhs=`, `rhs=` or `}`");
    }
    cursor.Advance();
    if (!ParseSparsityDescriptor(context, key.text == "lhs" ? value.lhs : value.rhs)) return false;
  }
  return true;
}

}  // namespace hlo
