// Aliasing, and what only the module line has (grammar.md 2.2, 3, 5.11).
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "parser/parse_value.h"

namespace hlo {
namespace {

// `{` item { `,` item } [`,`] `}`: a comma may stand behind the last one.
template <typename Item>
bool ParseWithTrailingComma(ParseContext& context, Item item) {
  Cursor& cursor = context.cursor;
  if (!cursor.Expect(TokenKind::kLeftBrace)) return false;
  while (!cursor.Is(TokenKind::kRightBrace)) {
    if (!item()) return false;
    if (!cursor.Consume(TokenKind::kComma)) break;
  }
  if (cursor.Consume(TokenKind::kRightBrace)) return true;
  return cursor.FailExpecting("`,` or `}`");
}

bool ParseParameterNumber(ParseContext& context, int64_t& number) {
  const SourceRange range = context.cursor.token().range;
  if (!ParseValue(context, number)) return false;
  if (number >= 0) return true;
  return context.sink.Error(Rule::kAliasParamNumber, range, "parameter number {} is negative",
                            number);
}

// {out}: (param, {index} [, kind])
bool ParseParameterAlias(ParseContext& context, ParameterAlias& alias) {
  Cursor& cursor = context.cursor;
  if (!ParseShapeIndex(context, alias.output_index) || !cursor.Expect(TokenKind::kColon)) {
    return false;
  }
  if (!cursor.Is(TokenKind::kLeftParen)) {
    return cursor.FailExpecting(Rule::kAliasShorthand,
                                "`(parameter, {index})`, for which there is no short form");
  }
  cursor.Advance();
  if (!ParseParameterNumber(context, alias.parameter) || !cursor.Expect(TokenKind::kComma) ||
      !ParseShapeIndex(context, alias.parameter_index)) {
    return false;
  }
  if (cursor.Consume(TokenKind::kComma)) {
    std::optional<AliasKind> kind;
    if (cursor.Is(TokenKind::kIdent)) kind = ParseEnum<AliasKind>(cursor.token().text);
    if (!kind) return cursor.FailExpecting(Rule::kAliasKind, "`may-alias` or `must-alias`");
    alias.kind = *kind;
    cursor.Advance();
  }
  return cursor.Expect(TokenKind::kRightParen);
}

// A module of its own inside a string.
bool CheckRecoveryModule(ParseContext& context, std::string_view text, SourceRange range) {
  auto source = std::make_shared<SourceText>("recovery module", std::string(text));
  DiagnosticSink sink(source);
  ParseOptions options = context.options;
  options.max_depth = context.options.max_depth - context.depth - 1;
  if (options.max_depth > 0 && ParseModule(source, sink, options)) return true;
  std::string reason = "nested too deeply";
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    if (diagnostic.severity != Severity::kError) continue;
    const LineColumn place = source->Locate(diagnostic.range.begin);
    reason = fmt::format("{}:{}: {}", place.line, place.column, diagnostic.message);
    break;
  }
  return context.sink.Error(Rule::kParseRecoveryModule, range,
                            "the recovery module is no valid module: {}", reason);
}

bool ParseRecovery(ParseContext& context, OriginRecovery& value) {
  Cursor& cursor = context.cursor;
  if (!ParseOriginalArray(context, value.old_array) || !cursor.Expect(TokenKind::kColon) ||
      !ParseOriginalArray(context, value.new_array)) {
    return false;
  }
  if (!cursor.Consume(TokenKind::kComma)) return true;
  const SourceRange range = cursor.token().range;
  value.has_module = true;
  NestingScope nesting(context);
  return nesting.ok() && ParseValue(context, value.module_text) &&
         CheckRecoveryModule(context, value.module_text, range);
}

bool ParseDebugItem(ParseContext& context, DebugRecord& record) {
  Cursor& cursor = context.cursor;
  const Token key = cursor.token();
  if (key.kind != TokenKind::kAttr) return cursor.FailExpecting("a debug attribute");
  cursor.Advance();
  if (key.text == "log_mode") {
    record.has_log_mode = true;
    return ParseWord(context, record.log_mode);
  }
  if (key.text == "callback_id") return ParseValue(context, record.callback_id);
  if (key.text == "partitioned") return ParseValue(context, record.partitioned);
  if (key.text == "op_id") return ParseValue(context, record.op_id);
  constexpr std::string_view kKeys[] = {"log_mode", "callback_id", "partitioned", "op_id"};
  return context.sink.Error(Rule::kParseDebugAttributes, key.range,
                            "unknown debug attribute `{}`{}", key.text,
                            DidYouMean(key.text, kKeys));
}

// At least one item.
bool ParseDebugRecord(ParseContext& context, DebugRecord& record) {
  Cursor& cursor = context.cursor;
  if (!cursor.Expect(TokenKind::kLeftBrace)) return false;
  do {
    if (!ParseDebugItem(context, record)) return false;
  } while (cursor.Consume(TokenKind::kComma));
  // Zeros are not printed (grammar.md 10.2), and a record must not be empty.
  if (record == DebugRecord{}) record.has_log_mode = true;
  return cursor.Expect(TokenKind::kRightBrace);
}

bool ParseDebugEntry(ParseContext& context, DebugEntry& entry) {
  Cursor& cursor = context.cursor;
  if (!ParseOriginalArray(context, entry.original) || !cursor.Expect(TokenKind::kColon)) {
    return false;
  }
  std::vector<DebugRecord> records;
  bool parsed;
  if (cursor.Is(TokenKind::kLeftParen)) {
    parsed = ParseList(context, TokenKind::kLeftParen, TokenKind::kRightParen,
                       [&] { return ParseDebugRecord(context, records.emplace_back()); });
  } else {
    parsed = ParseDebugRecord(context, records.emplace_back());
  }
  entry.records = context.Store(records);
  return parsed;
}

}  // namespace

bool ParseValue(ParseContext& context, OperandAliases& value) {
  Cursor& cursor = context.cursor;
  std::vector<OperandAlias> aliases;
  const bool parsed = ParseWithTrailingComma(context, [&] {
    OperandAlias& alias = aliases.emplace_back();
    return ParseShapeIndex(context, alias.output_index) && cursor.Expect(TokenKind::kColon) &&
           cursor.Expect(TokenKind::kLeftParen) && ParseValue(context, alias.operand) &&
           cursor.Expect(TokenKind::kComma) && ParseShapeIndex(context, alias.operand_index) &&
           cursor.Expect(TokenKind::kRightParen);
  });
  value = context.Store(aliases);
  return parsed;
}

// The first entry of an output index wins, as in XLA.
bool ParseValue(ParseContext& context, ParameterAliases& value) {
  std::vector<ParameterAlias> aliases;
  absl::flat_hash_set<IntList> outputs;
  const bool parsed = ParseWithTrailingComma(context, [&] {
    const uint32_t begin = context.cursor.token().range.begin;
    ParameterAlias alias;
    if (!ParseParameterAlias(context, alias)) return false;
    if (outputs.insert(alias.output_index).second) {
      aliases.push_back(alias);
      return true;
    }
    context.sink.Warning(Rule::kAliasOutputUnique, context.cursor.RangeFrom(begin),
                         "output index `{{{}}}` is aliased a second time: the first entry counts",
                         fmt::join(alias.output_index, ","));
    return true;
  });
  value = context.Store(aliases);
  return parsed;
}

bool ParseValue(ParseContext& context, BufferDonors& value) {
  Cursor& cursor = context.cursor;
  std::vector<BufferDonor> donors;
  const bool parsed = ParseWithTrailingComma(context, [&] {
    BufferDonor& donor = donors.emplace_back();
    return cursor.Expect(TokenKind::kLeftParen) && ParseParameterNumber(context, donor.parameter) &&
           cursor.Expect(TokenKind::kComma) && ParseShapeIndex(context, donor.parameter_index) &&
           cursor.Expect(TokenKind::kRightParen);
  });
  value = context.Store(donors);
  return parsed;
}

// {(shape, ...)->shape}; a comma may stand behind the last parameter.
bool ParseValue(ParseContext& context, EntryComputationLayout& value) {
  Cursor& cursor = context.cursor;
  if (!cursor.Expect(TokenKind::kLeftBrace) || !cursor.Expect(TokenKind::kLeftParen)) return false;
  std::vector<ShapeRef> parameters;
  while (!cursor.Is(TokenKind::kRightParen)) {
    if (!ParseValue(context, parameters.emplace_back())) return false;
    if (!cursor.Consume(TokenKind::kComma)) break;
  }
  value.parameters = context.Store(parameters);
  return cursor.Expect(TokenKind::kRightParen) && cursor.Expect(TokenKind::kArrow) &&
         ParseValue(context, value.result) && cursor.Expect(TokenKind::kRightBrace);
}

// The entries follow one another without commas.
bool ParseValue(ParseContext& context, OriginRecoveryTable& value) {
  Cursor& cursor = context.cursor;
  if (!cursor.Expect(TokenKind::kLeftBrace)) return false;
  std::vector<OriginRecovery> entries;
  while (!cursor.Consume(TokenKind::kRightBrace)) {
    if (!ParseRecovery(context, entries.emplace_back())) return false;
  }
  value = context.Store(entries);
  return true;
}

bool ParseValue(ParseContext& context, DebugAttributes& value) {
  std::vector<DebugEntry> entries;
  const bool parsed =
      ParseBraced(context, [&] { return ParseDebugEntry(context, entries.emplace_back()); });
  value = context.Store(entries);
  return parsed;
}

}  // namespace hlo
