// Metadata, frontend attributes, statistics, origins, accuracies (grammar.md 4.2 to 4.6).
#include <algorithm>
#include <string>
#include <vector>

#include "parser/parse_value.h"

namespace hlo {
namespace {

enum MetadataField {
  kOpType,
  kOpName,
  kSourceFile,
  kDeduplicatedName,
  kSchedulingName,
  kMetadataPayload,
  kStringFieldCount,
  kSourceLine = kStringFieldCount,
  kSourceEndLine,
  kSourceColumn,
  kSourceEndColumn,
  kStackFrameId,
  kProfileType,
  kMetadataFieldCount,
};
constexpr std::string_view kMetadataFields[kMetadataFieldCount] = {
    "op_type",         "op_name",           "source_file",    "deduplicated_name",
    "scheduling_name", "metadata_payload",  "source_line",    "source_end_line",
    "source_column",   "source_end_column", "stack_frame_id", "profile_type"};

constexpr std::string_view Metadata::*kStringFields[] = {
    &Metadata::op_type,           &Metadata::op_name,         &Metadata::source_file,
    &Metadata::deduplicated_name, &Metadata::scheduling_name, &Metadata::metadata_payload};
constexpr int32_t Metadata::*kIntFields[] = {&Metadata::source_line, &Metadata::source_end_line,
                                             &Metadata::source_column, &Metadata::source_end_column,
                                             &Metadata::stack_frame_id};

bool ParseMetadataField(ParseContext& context, Metadata& value, uint32_t& given) {
  Cursor& cursor = context.cursor;
  const Token key = cursor.token();
  if (key.kind != TokenKind::kAttr) {
    return cursor.FailExpecting(Rule::kParseMetadataSyntax, "a metadata field or `}`");
  }
  int field = 0;
  while (field < kMetadataFieldCount && kMetadataFields[field] != key.text) ++field;
  if (field == kMetadataFieldCount) {
    return context.sink.Error(Rule::kParseMetadataSyntax, key.range,
                              "unknown metadata field `{}`{}", key.text,
                              DidYouMean(key.text, kMetadataFields));
  }
  if ((given & 1u << field) != 0) {
    return context.sink.Error(Rule::kAttrDuplicate, key.range, "metadata field `{}` is given twice",
                              key.text);
  }
  given |= 1u << field;
  cursor.Advance();
  if (field < kStringFieldCount) return ParseValue(context, value.*kStringFields[field]);
  if (field < kProfileType)
    return ParseInt32(context, value.*kIntFields[field - kStringFieldCount]);
  const uint32_t begin = cursor.token().range.begin;
  if (!ParseValue(context, value.profile_type)) return false;
  for (int64_t type : value.profile_type) {
    if (type >= 0 && type <= 3) continue;
    return context.sink.Error(Rule::kAttrValueKind, cursor.RangeFrom(begin),
                              "profile type {} is not in 0 ... 3", type);
  }
  return true;
}

// The elements of a trie of origins: a leaf `{...}`, or a tuple `(...)`.
bool ParseOrigin(ParseContext& context, OriginalValue& value) {
  NestingScope nesting(context);
  if (!nesting.ok()) return false;
  if (!context.cursor.Is(TokenKind::kLeftParen)) return ParseOriginalArray(context, value.leaf);
  value.is_tuple = true;
  std::vector<OriginalValue> elements;
  const bool parsed = ParseList(context, TokenKind::kLeftParen, TokenKind::kRightParen,
                                [&] { return ParseOrigin(context, elements.emplace_back()); });
  value.elements = context.Store(elements);
  return parsed;
}

bool ParseTolerance(ParseContext& context, ResultAccuracy& value) {
  Cursor& cursor = context.cursor;
  value.has_tolerance = true;
  std::vector<std::string_view> keys;
  return ParseBraced(context, [&] {
    const Token key = cursor.token();
    if (key.kind != TokenKind::kAttr ||
        (key.text != "atol" && key.text != "rtol" && key.text != "ulps")) {
      return static_cast<bool>(
          cursor.FailExpecting(Rule::kAccuracyValue, "`atol=`, `rtol=` or `ulps=`"));
    }
    if (std::find(keys.begin(), keys.end(), key.text) != keys.end()) {
      return static_cast<bool>(
          context.sink.Error(Rule::kAttrDuplicate, key.range, "`{}` is given twice", key.text));
    }
    keys.push_back(key.text);
    cursor.Advance();
    const SourceRange range = cursor.token().range;
    std::optional<double> number = cursor.ExpectNumber();
    if (!number) return false;
    if (key.text == "atol") value.atol = *number;
    if (key.text == "rtol") value.rtol = *number;
    if (key.text != "ulps") return true;
    constexpr double kLimit = 9.2e18;
    if (*number < -kLimit || *number > kLimit) {
      return static_cast<bool>(
          context.sink.Error(Rule::kAccuracyValue, range, "`ulps` does not fit 64 bits"));
    }
    value.ulps = static_cast<int64_t>(*number);
    return true;
  });
}

}  // namespace

// Commas between the fields are optional.
bool ParseValue(ParseContext& context, Metadata& value) {
  Cursor& cursor = context.cursor;
  if (!cursor.Is(TokenKind::kLeftBrace)) {
    return cursor.FailExpecting(Rule::kAttrValueKind, "metadata in braces");
  }
  cursor.Advance();
  uint32_t given = 0;
  while (!cursor.Consume(TokenKind::kRightBrace)) {
    if (!ParseMetadataField(context, value, given)) return false;
    cursor.Consume(TokenKind::kComma);
  }
  return true;
}

bool ParseMetadataList(ParseContext& context, List<Metadata>& value) {
  std::vector<Metadata> records;
  bool parsed;
  if (context.cursor.Is(TokenKind::kLeftBrace) && context.cursor.PeekByte() == '{') {
    parsed = ParseBraced(context, [&] { return ParseValue(context, records.emplace_back()); });
  } else {
    parsed = ParseValue(context, records.emplace_back());
  }
  value = context.Store(records);
  return parsed;
}

// Sorted by key; of a key that is written twice the last value counts.
bool ParseValue(ParseContext& context, FrontendAttributes& value) {
  Cursor& cursor = context.cursor;
  std::vector<FrontendAttribute> attributes;
  const bool parsed = ParseBraced(context, [&] {
    FrontendAttribute attribute;
    if (!cursor.Is(TokenKind::kAttr)) {
      return static_cast<bool>(cursor.FailExpecting(Rule::kAttrValueKind, "`key=`"));
    }
    attribute.key = cursor.token().text;
    cursor.Advance();
    RawText text;
    if (!ParseValue(context, text)) return false;
    attribute.value = text.text;
    attributes.push_back(attribute);
    return true;
  });
  std::stable_sort(attributes.begin(), attributes.end(),
                   [](const auto& a, const auto& b) { return a.key < b.key; });
  size_t kept = 0;
  for (size_t i = 0; i < attributes.size(); ++i) {
    if (i + 1 < attributes.size() && attributes[i + 1].key == attributes[i].key) continue;
    attributes[kept++] = attributes[i];
  }
  attributes.resize(kept);
  value = context.Store(attributes);
  return parsed;
}

// The first key may be anything: its value says which statistic to visualise.
bool ParseValue(ParseContext& context, Statistics& value) {
  Cursor& cursor = context.cursor;
  std::vector<Statistic> statistics;
  bool is_first = true;
  const bool parsed = ParseBraced(context, [&] {
    if (!cursor.Is(TokenKind::kAttr)) {
      return static_cast<bool>(cursor.FailExpecting(Rule::kAttrValueKind, "`name=`"));
    }
    Statistic statistic{cursor.token().text, 0};
    cursor.Advance();
    if (std::exchange(is_first, false)) return ParseValue(context, value.visualizing_index);
    std::optional<double> number = cursor.ExpectNumber();
    if (!number) return false;
    statistic.value = *number;
    statistics.push_back(statistic);
    return true;
  });
  value.values = context.Store(statistics);
  return parsed;
}

bool ParseOriginalArray(ParseContext& context, OriginalArray& value) {
  Cursor& cursor = context.cursor;
  if (!cursor.Expect(TokenKind::kLeftBrace)) return false;
  if (cursor.Is(TokenKind::kString)) {
    value.known = true;
    if (!ParseValue(context, value.instruction)) return false;
    if (cursor.Is(TokenKind::kLeftBrace) && !ParseShapeIndex(context, value.index)) return false;
  }
  return cursor.Expect(TokenKind::kRightBrace);
}

// The braces around the whole value.
bool ParseValue(ParseContext& context, OriginalValue& value) {
  Cursor& cursor = context.cursor;
  if (!cursor.Expect(TokenKind::kLeftBrace)) return false;
  if (cursor.Consume(TokenKind::kLeftBracket)) {
    if (!cursor.IsIdent("synthetic_call")) return cursor.FailExpecting("`synthetic_call`");
    cursor.Advance();
    value.is_synthetic_call = true;
    if (!cursor.Expect(TokenKind::kRightBracket)) return false;
  } else if (!ParseOrigin(context, value)) {
    return false;
  }
  return cursor.Expect(TokenKind::kRightBrace);
}

bool ParseValue(ParseContext& context, ResultAccuracy& value) {
  Cursor& cursor = context.cursor;
  if (!cursor.Expect(TokenKind::kLeftBrace)) return false;
  const Token key = cursor.token();
  if (key.kind != TokenKind::kAttr || (key.text != "mode" && key.text != "tolerance")) {
    return cursor.FailExpecting(Rule::kAccuracyValue, "`mode=` or `tolerance=`");
  }
  cursor.Advance();
  if (key.text == "mode") {
    std::optional<AccuracyMode> mode;
    if (cursor.Is(TokenKind::kIdent)) mode = ParseEnum<AccuracyMode>(cursor.token().text);
    if (!mode) return cursor.FailExpecting(Rule::kAccuracyValue, "`default` or `highest`");
    value.mode = *mode;
    cursor.Advance();
  } else if (!ParseTolerance(context, value)) {
    return false;
  }
  return cursor.Expect(TokenKind::kRightBrace);
}

}  // namespace hlo
