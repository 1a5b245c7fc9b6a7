// One ParseValue for each type an attribute's value can have (grammar.md 4, 5). Each reads from
// the current token to behind the value; false means "reported".
#ifndef HLOKIT_PARSER_PARSE_VALUE_H_
#define HLOKIT_PARSER_PARSE_VALUE_H_

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "parser/parse_context.h"
#include "parser/spelling.h"

namespace hlo {

// Numbers, words and lists of them: parse_value.cc.
bool ParseValue(ParseContext& context, int64_t& value);
bool ParseValue(ParseContext& context, bool& value);
bool ParseValue(ParseContext& context, double& value);
bool ParseValue(ParseContext& context, String& value);
bool ParseValue(ParseContext& context, RawText& value);
bool ParseValue(ParseContext& context, IntList& value);
bool ParseValue(ParseContext& context, IntListList& value);
bool ParseValue(ParseContext& context, BoolList& value);
bool ParseValue(ParseContext& context, PrecisionList& value);
bool ParseValue(ParseContext& context, ShapeRef& value);
bool ParseValue(ParseContext& context, ShapeList& value);
bool ParseValue(ParseContext& context, LiteralRef& value);

// What refers to instructions and computations: parse_reference.cc.
bool ParseValue(ParseContext& context, ComputationId& value);
bool ParseValue(ParseContext& context, ComputationList& value);
bool ParseValue(ParseContext& context, InstructionList& value);

// parse_value_window.cc
bool ParseValue(ParseContext& context, Window& value);
bool ParseValue(ParseContext& context, ConvolutionDimensionNumbers& value);
bool ParseValue(ParseContext& context, PaddingConfig& value);
bool ParseValue(ParseContext& context, SliceRanges& value);
bool ParseValue(ParseContext& context, SparsityConfig& value);

// parse_value_devices.cc
bool ParseValue(ParseContext& context, ReplicaGroups& value);

// parse_value_sharding.cc
bool ParseValue(ParseContext& context, Sharding& value);
bool ParseValue(ParseContext& context, DomainValue& value);

// parse_value_metadata.cc
bool ParseValue(ParseContext& context, Metadata& value);
bool ParseValue(ParseContext& context, FrontendAttributes& value);
bool ParseValue(ParseContext& context, Statistics& value);
bool ParseValue(ParseContext& context, OriginalValue& value);
bool ParseValue(ParseContext& context, ResultAccuracy& value);

// parse_value_module.cc
bool ParseValue(ParseContext& context, OperandAliases& value);
bool ParseValue(ParseContext& context, ParameterAliases& value);
bool ParseValue(ParseContext& context, BufferDonors& value);
bool ParseValue(ParseContext& context, EntryComputationLayout& value);
bool ParseValue(ParseContext& context, OriginRecoveryTable& value);
bool ParseValue(ParseContext& context, DebugAttributes& value);

// --- Pieces that several of them are made of -----------------------------------------------------

// `open item, item, ... close`; `item` reads one and returns whether it could.
template <typename Item>
bool ParseList(ParseContext& context, TokenKind open, TokenKind close, Item item) {
  Cursor& cursor = context.cursor;
  if (!cursor.Expect(open)) return false;
  if (cursor.Consume(close)) return true;
  do {
    if (!item()) return false;
  } while (cursor.Consume(TokenKind::kComma));
  if (cursor.Consume(close)) return true;
  return cursor.FailExpecting(fmt::format("`,` or {}", TokenName(close)));
}
template <typename Item>
bool ParseBraced(ParseContext& context, Item item) {
  return ParseList(context, TokenKind::kLeftBrace, TokenKind::kRightBrace, item);
}

// Integers between brackets of any kind.
bool ParseIntegers(ParseContext& context, TokenKind open, TokenKind close, IntList& value);
// An integer of 32 bits.
bool ParseInt32(ParseContext& context, int32_t& value);
// `{1,2}`, where a comma may stand behind the last number.
bool ParseShapeIndex(ParseContext& context, IntList& value);
// `{ [string [shape-index]] }`
bool ParseOriginalArray(ParseContext& context, OriginalArray& value);
// `metadata` or a list of it.
bool ParseMetadataList(ParseContext& context, List<Metadata>& value);
// A whole number or the numbers of a dxd token.
bool ParseSizes(ParseContext& context, absl::InlinedVector<int64_t, 6>& sizes);

// `[N]` or `[N,M,...]T(p,q,...)`
struct IotaRules {
  Rule size = Rule::kShardingIotaSize;
  Rule permutation = Rule::kShardingIotaPerm;
};
bool ParseIota(ParseContext& context, const IotaRules& rules, IotaDevices& value);
bool ParseMesh(ParseContext& context, Mesh& value);
bool ParseAxisRef(ParseContext& context, const Mesh& mesh, AxisRef& value);
bool ParseAxisList(ParseContext& context, const Mesh& mesh, List<AxisRef>& value);

// The rule that a word which is none of E breaks (verifier.md).
template <AttributeEnum E>
inline constexpr Rule kWordRule = Rule::kAttrValueKind;
template <>
inline constexpr Rule kWordRule<ComparisonDirection> = Rule::kCompareDirection;
template <>
inline constexpr Rule kWordRule<FusionKind> = Rule::kFusionKind;
template <>
inline constexpr Rule kWordRule<ConvolutionKind> = Rule::kConvolutionKind;
template <>
inline constexpr Rule kWordRule<Precision> = Rule::kDotPrecisionValues;
template <>
inline constexpr Rule kWordRule<PrecisionAlgorithm> = Rule::kDotAlgorithm;
template <>
inline constexpr Rule kWordRule<CollectiveMode> = Rule::kCollectiveModeValue;
template <>
inline constexpr Rule kWordRule<CustomCallSchedule> = Rule::kCustomCallSchedule;
template <>
inline constexpr Rule kWordRule<CustomCallApiVersion> = Rule::kCustomCallApiVersion;
template <>
inline constexpr Rule kWordRule<PaddingType> = Rule::kCustomCallPaddingType;

// Reports that the current token is none of the words `texts`.
bool FailUnknownWord(ParseContext& context, Rule rule, std::span<const std::string_view> texts);

// The word at the current token; words are identifiers, or keywords such as `replicated`.
template <AttributeEnum E>
bool ParseWord(ParseContext& context, E& value) {
  const Token& token = context.cursor.token();
  if (token.kind == TokenKind::kIdent || token.kind == TokenKind::kKeyword) {
    if (std::optional<E> word = ParseEnum<E>(token.text)) {
      value = *word;
      context.cursor.Advance();
      return true;
    }
  }
  return FailUnknownWord(context, kWordRule<E>, EnumTexts<E>::kTexts);
}
template <AttributeEnum E>
bool ParseValue(ParseContext& context, E& value) {
  return ParseWord(context, value);
}

}  // namespace hlo

#endif  // HLOKIT_PARSER_PARSE_VALUE_H_
