// Shardings in their old form (words and device lists separated by blanks) and their named one
// (grammar.md 5.9), and domains (5.10).
#include <vector>

#include "parser/parse_value.h"
#include "support/checked_math.h"

namespace hlo {
namespace {

// Reads one leaf in the form `{ item item ... }`.
class LeafParser {
 public:
  LeafParser(ParseContext& context, ShardingLeaf& leaf)
      : context_(context), cursor_(context.cursor), leaf_(leaf) {}

  bool Parse();

 private:
  bool ParseItem();
  bool ParseKindWord(ShardingLeaf::Kind kind);
  bool ParseShardGroup(ShardGroup group);
  bool ParseKey();
  bool ParseDevice();
  bool ParseDevices();
  bool ParseDeviceNumbers();
  bool ParseLastTileDims();
  bool Check(SourceRange range);
  bool CheckTiled(SourceRange range);
  bool FailRepeated() {
    return context_.sink.Error(Rule::kParseShardingSyntax, cursor_.token().range,
                               "{} does not fit what stands before it in this sharding",
                               cursor_.DescribeToken());
  }

  ParseContext& context_;
  Cursor& cursor_;
  ShardingLeaf& leaf_;
  bool has_kind_ = false;
  bool has_devices_ = false;
  bool has_device_ = false;
  bool has_metadata_ = false;
};

bool LeafParser::ParseKindWord(ShardingLeaf::Kind kind) {
  if (has_kind_) return FailRepeated();
  has_kind_ = true;
  leaf_.kind = kind;
  cursor_.Advance();
  return true;
}

bool LeafParser::ParseShardGroup(ShardGroup group) {
  if (leaf_.group != ShardGroup::kNone) return FailRepeated();
  leaf_.group = group;
  cursor_.Advance();
  return ParseValue(context_, leaf_.group_id);
}

bool LeafParser::ParseItem() {
  using Kind = ShardingLeaf::Kind;
  if (cursor_.Is(TokenKind::kAttr)) return ParseKey();
  if (cursor_.IsKeyword(Keyword::kReplicated)) return ParseKindWord(Kind::kReplicated);
  if (cursor_.IsKeyword(Keyword::kManual)) return ParseKindWord(Kind::kManual);
  if (cursor_.IsKeyword(Keyword::kUnknown)) return ParseKindWord(Kind::kUnknown);
  if (cursor_.IsKeyword(Keyword::kUnreduced)) return ParseKindWord(Kind::kUnreduced);
  if (cursor_.IsKeyword(Keyword::kMaximal)) return ParseKindWord(Kind::kMaximal);
  if (cursor_.IsKeyword(Keyword::kShardAs)) return ParseShardGroup(ShardGroup::kAs);
  if (cursor_.IsKeyword(Keyword::kShardLike)) return ParseShardGroup(ShardGroup::kLike);
  if (cursor_.IsKeyword(Keyword::kLastTileDimReplicate)) {
    if (leaf_.last_tile_dim_replicate || !leaf_.last_tile_dims.empty()) return FailRepeated();
    leaf_.last_tile_dim_replicate = true;
    cursor_.Advance();
    return true;
  }
  if (cursor_.Is(TokenKind::kComma)) {
    return context_.sink.Error(Rule::kParseShardingSyntax, cursor_.token().range,
                               "the parts of a sharding are separated by blanks");
  }
  return cursor_.FailExpecting(Rule::kParseShardingSyntax, "a part of a sharding or `}`");
}

bool LeafParser::ParseKey() {
  const std::string_view key = cursor_.token().text;
  if (key == "device") return ParseDevice();
  if (key == "devices") return ParseDevices();
  if (key == "last_tile_dims") return ParseLastTileDims();
  if (key == "metadata") {
    if (has_metadata_) return FailRepeated();
    has_metadata_ = true;
    cursor_.Advance();
    return ParseMetadataList(context_, leaf_.metadata);
  }
  constexpr std::string_view kKeys[] = {"device", "devices", "last_tile_dims", "metadata"};
  return context_.sink.Error(Rule::kParseShardingSyntax, cursor_.token().range,
                             "unknown part `{}` of a sharding{}", key, DidYouMean(key, kKeys));
}

bool LeafParser::ParseDevice() {
  if (has_device_ || has_devices_) return FailRepeated();
  has_device_ = true;
  cursor_.Advance();
  return ParseValue(context_, leaf_.maximal_device);
}

bool LeafParser::ParseDevices() {
  if (has_device_ || has_devices_) return FailRepeated();
  has_devices_ = true;
  cursor_.Advance();
  if (!ParseIntegers(context_, TokenKind::kLeftBracket, TokenKind::kRightBracket,
                     leaf_.tile_dims)) {
    return false;
  }
  if (cursor_.Consume(TokenKind::kLessEqual)) {
    leaf_.order = DeviceOrder::kIota;
    return ParseIota(context_, {}, leaf_.device_iota);
  }
  leaf_.order = DeviceOrder::kList;
  return ParseDeviceNumbers();
}

bool LeafParser::ParseDeviceNumbers() {
  std::vector<int64_t> devices;
  do {
    if (!ParseValue(context_, devices.emplace_back())) return false;
  } while (cursor_.Consume(TokenKind::kComma));
  leaf_.device_list = context_.Store(devices);
  return true;
}

bool LeafParser::ParseLastTileDims() {
  if (leaf_.last_tile_dim_replicate || !leaf_.last_tile_dims.empty()) return FailRepeated();
  cursor_.Advance();
  std::vector<SubgroupType> types;
  const bool parsed =
      ParseBraced(context_, [&] { return ParseWord(context_, types.emplace_back()); });
  leaf_.last_tile_dims = context_.Store(types);
  return parsed;
}

bool LeafParser::CheckTiled(SourceRange range) {
  std::optional<int64_t> tiles = CheckedProduct(leaf_.tile_dims);
  for (int64_t size : leaf_.tile_dims) {
    if (size <= 0) tiles.reset();
  }
  if (!tiles) {
    return context_.sink.Error(Rule::kShardingTileDims, range, "tile dimensions `[{}]`",
                               fmt::join(leaf_.tile_dims, ","));
  }
  if (leaf_.order == DeviceOrder::kIota) {
    std::optional<int64_t> devices = CheckedProduct(leaf_.device_iota.dims);
    if (devices && *devices == *tiles) return true;
    return context_.sink.Error(
        Rule::kShardingIotaSize, range, "the {} tiles `[{}]` over the {} devices `[{}]`", *tiles,
        fmt::join(leaf_.tile_dims, ","), devices ? fmt::format("{}", *devices) : "too many",
        fmt::join(leaf_.device_iota.dims, ","));
  }
  const int64_t device_count = static_cast<int64_t>(leaf_.device_list.size());
  if (device_count != *tiles) {
    return context_.sink.Error(Rule::kShardingDeviceCount, range,
                               "{} device{} for the {} tile{} `[{}]`", device_count,
                               device_count == 1 ? "" : "s", *tiles, *tiles == 1 ? "" : "s",
                               fmt::join(leaf_.tile_dims, ","));
  }
  if (device_count > 1) return true;
  return context_.sink.Error(Rule::kShardingSingleTile, range,
                             "a tiled sharding of 1 device: write `maximal device={}` or "
                             "`replicated`",
                             leaf_.device_list.front());
}

bool LeafParser::Check(SourceRange range) {
  DiagnosticSink& sink = context_.sink;
  if (!has_kind_) {
    if (!has_devices_) {
      return sink.Error(Rule::kShardingTileDims, range, "tiled sharding without `devices=[...]`");
    }
    leaf_.kind = ShardingLeaf::Kind::kTiled;
    return !has_device_ && CheckTiled(range);
  }
  if (leaf_.kind == ShardingLeaf::Kind::kMaximal) {
    if (has_device_ && !has_devices_) return true;
    return sink.Error(Rule::kShardingMaximalOneDevice, range,
                      "a maximal sharding has exactly one `device=`");
  }
  if (!has_devices_ && !has_device_) return true;
  return sink.Error(Rule::kShardingNoDevices, range,
                    "a sharding that is replicated, manual, unknown or unreduced has no devices");
}

bool LeafParser::Parse() {
  const uint32_t begin = cursor_.token().range.begin;
  cursor_.Advance();
  while (!cursor_.Consume(TokenKind::kRightBrace)) {
    if (!ParseItem()) return false;
  }
  return Check(cursor_.RangeFrom(begin));
}

// Reads one leaf in the form `{mesh[...], ...}`.
class NamedLeafParser {
 public:
  NamedLeafParser(ParseContext& context, ShardingLeaf& leaf)
      : context_(context), cursor_(context.cursor), leaf_(leaf) {}

  bool Parse();

 private:
  bool ParseWhole();
  bool ParseDimensions();
  bool ParseDimension(DimensionSharding& dimension);
  bool ParseAttribute();
  bool ParseReduction(bool required);

  ParseContext& context_;
  Cursor& cursor_;
  ShardingLeaf& leaf_;
  std::vector<std::string_view> keys_;
};

bool NamedLeafParser::ParseReduction(bool required) {
  if (!required && !cursor_.Is(TokenKind::kIdent)) return true;
  if (cursor_.Is(TokenKind::kIdent)) {
    if (std::optional<ShardingReduction> word =
            ParseEnum<ShardingReduction>(cursor_.token().text)) {
      leaf_.reduction = *word;
      cursor_.Advance();
      return true;
    }
  }
  return cursor_.FailExpecting(Rule::kShardingMeshReduction, "`sum`, `max` or `min`");
}

// A single word instead of dimension shardings.
bool NamedLeafParser::ParseWhole() {
  using Whole = ShardingLeaf::Whole;
  if (cursor_.ConsumeKeyword(Keyword::kReplicated)) {
    leaf_.whole = Whole::kReplicated;
  } else if (cursor_.ConsumeKeyword(Keyword::kManual)) {
    leaf_.whole = Whole::kManual;
  } else if (cursor_.ConsumeKeyword(Keyword::kUnreduced)) {
    leaf_.whole = Whole::kUnreduced;
  } else if (cursor_.Is(TokenKind::kAttr) && cursor_.token().text == "unreduced") {
    leaf_.whole = Whole::kUnreduced;
    cursor_.Advance();
    if (!ParseReduction(/*required=*/true)) return false;
    if (cursor_.Is(TokenKind::kLeftBrace)) {
      return ParseAxisList(context_, leaf_.mesh, leaf_.unreduced_axes);
    }
  } else {
    return cursor_.FailExpecting(Rule::kParseShardingSyntax,
                                 "`[`, `replicated`, `manual` or `unreduced` behind the mesh");
  }
  return true;
}

bool NamedLeafParser::ParseDimension(DimensionSharding& dimension) {
  std::vector<AxisRef> axes;
  const bool parsed = ParseBraced(context_, [&] {
    if (dimension.is_open) {
      return static_cast<bool>(context_.sink.Error(Rule::kShardingMeshOpenLast,
                                                   cursor_.token().range,
                                                   "an axis behind `?`, which comes last"));
    }
    if (cursor_.Consume(TokenKind::kQuestion)) {
      dimension.is_open = true;
      return true;
    }
    return ParseAxisRef(context_, leaf_.mesh, axes.emplace_back());
  });
  dimension.axes = context_.Store(axes);
  return parsed;
}

bool NamedLeafParser::ParseDimensions() {
  std::vector<DimensionSharding> dimensions;
  const bool parsed = ParseList(context_, TokenKind::kLeftBracket, TokenKind::kRightBracket,
                                [&] { return ParseDimension(dimensions.emplace_back()); });
  leaf_.dimensions = context_.Store(dimensions);
  return parsed;
}

bool NamedLeafParser::ParseAttribute() {
  const Token key = cursor_.token();
  if (key.kind != TokenKind::kAttr) {
    return cursor_.FailExpecting(Rule::kParseShardingSyntax,
                                 "`replicated=`, `unreduced=`, `manual=` or `metadata=`");
  }
  for (std::string_view other : keys_) {
    if (other != key.text) continue;
    return context_.sink.Error(Rule::kAttrDuplicate, key.range, "`{}` is given twice", key.text);
  }
  keys_.push_back(key.text);
  cursor_.Advance();
  if (key.text == "metadata") return ParseMetadataList(context_, leaf_.metadata);
  if (leaf_.whole == ShardingLeaf::Whole::kNone && !leaf_.mesh.is_maximal) {
    if (key.text == "replicated") {
      return ParseAxisList(context_, leaf_.mesh, leaf_.replicated_axes);
    }
    if (key.text == "manual") return ParseAxisList(context_, leaf_.mesh, leaf_.manual_axes);
    if (key.text == "unreduced") {
      return ParseReduction(/*required=*/false) &&
             ParseAxisList(context_, leaf_.mesh, leaf_.unreduced_axes);
    }
  }
  return context_.sink.Error(Rule::kParseShardingSyntax, key.range,
                             "`{}` does not fit this sharding", key.text);
}

bool NamedLeafParser::Parse() {
  cursor_.Advance();
  leaf_.kind = ShardingLeaf::Kind::kNamed;
  if (!ParseMesh(context_, leaf_.mesh)) return false;
  if (!leaf_.mesh.is_maximal) {
    cursor_.Consume(TokenKind::kComma);
    const bool parsed = cursor_.Is(TokenKind::kLeftBracket) ? ParseDimensions() : ParseWhole();
    if (!parsed) return false;
  }
  while (cursor_.Consume(TokenKind::kComma)) {
    if (!ParseAttribute()) return false;
  }
  if (cursor_.Consume(TokenKind::kRightBrace)) return true;
  return cursor_.FailExpecting("`,` or `}`");
}

bool ParseLeaf(ParseContext& context, ShardingLeaf& leaf) {
  Cursor& cursor = context.cursor;
  if (!cursor.Is(TokenKind::kLeftBrace)) return cursor.FailExpecting("`{`");
  const char* next = cursor.SkipBlanksAndComments(cursor.token_begin() + 1);
  const std::string_view rest(next, static_cast<size_t>(cursor.text_end() - next));
  if (rest.starts_with("mesh") || rest.starts_with("maximal_mesh")) {
    return NamedLeafParser(context, leaf).Parse();
  }
  return LeafParser(context, leaf).Parse();
}

}  // namespace

// A second `{`, or `}` at once, makes it a tuple sharding.
bool ParseValue(ParseContext& context, Sharding& value) {
  Cursor& cursor = context.cursor;
  if (!cursor.Is(TokenKind::kLeftBrace)) {
    return cursor.FailExpecting(Rule::kAttrValueKind, "a sharding in braces");
  }
  std::vector<ShardingLeaf> leaves;
  const char next = cursor.PeekByte();
  value.is_tuple = next == '{' || next == '}';
  const bool parsed =
      value.is_tuple
          ? ParseBraced(context, [&] { return ParseLeaf(context, leaves.emplace_back()); })
          : ParseLeaf(context, leaves.emplace_back());
  value.leaves = context.Store(leaves);
  return parsed;
}

bool ParseValue(ParseContext& context, DomainValue& value) {
  Cursor& cursor = context.cursor;
  const uint32_t begin = cursor.token().range.begin;
  if (!cursor.Expect(TokenKind::kLeftBrace)) return false;
  bool has_kind = false, has_entry = false, has_exit = false;
  while (!cursor.Consume(TokenKind::kRightBrace)) {
    const Token key = cursor.token();
    bool* given = key.text == "kind"    ? &has_kind
                  : key.text == "entry" ? &has_entry
                  : key.text == "exit"  ? &has_exit
                                        : nullptr;
    if (key.kind != TokenKind::kAttr || given == nullptr) {
      return cursor.FailExpecting(Rule::kDomainMetadata, "`kind=`, `entry=` or `exit=`");
    }
    if (*given) {
      return context.sink.Error(Rule::kAttrDuplicate, key.range, "`{}` is given twice", key.text);
    }
    *given = true;
    cursor.Advance();
    if (given == &has_kind) {
      const SourceRange range = cursor.token().range;
      std::string_view kind;
      if (!ParseValue(context, kind)) return false;
      if (kind != "sharding") {
        return context.sink.Error(Rule::kDomainMetadata, range,
                                  "domain of kind `{}`: only `sharding` is known", kind);
      }
    } else if (!ParseValue(context, given == &has_entry ? value.entry : value.exit)) {
      return false;
    }
    cursor.Consume(TokenKind::kComma);
  }
  if (has_kind && has_entry && has_exit) return true;
  return context.sink.Error(Rule::kDomainMetadata, cursor.RangeFrom(begin),
                            "a domain has `kind`, `entry` and `exit`; `{}` is missing",
                            !has_kind    ? "kind"
                            : !has_entry ? "entry"
                                         : "exit");
}

}  // namespace hlo
