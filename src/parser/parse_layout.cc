// The parts have one order (grammar.md 2.8): each is asked for in turn and may be absent, so a part
// that is repeated or misplaced is what stands before the brace in the end. Whether numbers make
// sense is the verifier's question; here they are counted. Extras that say nothing are not made
// (ir/layout.cc).
#include "parser/parse_layout.h"

#include <memory>
#include <utility>

#include "support/count_text.h"

namespace hlo {
namespace {

class LayoutParser {
 public:
  explicit LayoutParser(ParseContext& context) : cursor_(context.cursor), sink_(context.sink) {}

  std::optional<Layout> Parse(int64_t rank);

 private:
  bool ParseTail(int64_t rank);
  bool ParseLevelTypes(int64_t rank);
  bool ParseTiles();
  bool ParseTile();
  bool ParseTypes();
  bool ParseSplits();
  bool ParsePhysicalShape();
  // `letter ( int )`, when it is there.
  bool ParseNumber(std::string_view letter, int64_t& value, bool& present);
  bool ParseUnsignedType(std::optional<ElementType>& type);
  bool AtField(std::string_view letter) const {
    return cursor_.IsIdent(letter) && cursor_.PeekByte() == '(';
  }

  Cursor& cursor_;
  DiagnosticSink& sink_;
  Layout layout_;
  LayoutExtras extras_;
};

bool LayoutParser::ParseNumber(std::string_view letter, int64_t& value, bool& present) {
  if (!AtField(letter)) return true;
  present = true;
  cursor_.Advance();
  cursor_.Advance();
  std::optional<int64_t> number = cursor_.ExpectInt();
  if (!number) return false;
  value = *number;
  return cursor_.Expect(TokenKind::kRightParen);
}

// "D" "(" dlt,* ")" with dlt = D|C|S|H [+] [~]: accepted and dropped, as XLA does.
bool LayoutParser::ParseLevelTypes(int64_t rank) {
  if (!AtField("D")) return true;
  const uint32_t begin = cursor_.token().range.begin;
  cursor_.Advance();
  cursor_.Advance();
  int64_t count = 0;
  bool sparse = false;
  if (!cursor_.Is(TokenKind::kRightParen)) {
    do {
      if (!cursor_.IsIdent("D") && !cursor_.IsIdent("C") && !cursor_.IsIdent("S") &&
          !cursor_.IsIdent("H")) {
        return cursor_.FailExpecting(Rule::kLayoutLevelTypes,
                                     "a dimension level type: `D`, `C`, `S` or `H`");
      }
      sparse |= !cursor_.IsIdent("D");
      cursor_.Advance();
      cursor_.Consume(TokenKind::kPlus);
      cursor_.Consume(TokenKind::kTilde);
      ++count;
    } while (cursor_.Consume(TokenKind::kComma));
  }
  if (!cursor_.Expect(TokenKind::kRightParen)) return false;
  if (count != rank) {
    sink_.Warning(Rule::kLayoutLevelTypesDropped, cursor_.RangeFrom(begin), "{} for {}",
                  CountText(count, "dimension level type"), CountText(rank, "dimension"));
  } else if (sparse) {
    sink_.Warning(Rule::kLayoutLevelTypesDropped, cursor_.RangeFrom(begin),
                  "dimension level types other than `D` have no meaning and are dropped");
  }
  return true;
}

bool LayoutParser::ParseTile() {
  Tile tile;
  cursor_.Advance();
  if (!cursor_.Is(TokenKind::kRightParen)) {
    do {
      if (cursor_.Consume(TokenKind::kStar)) {
        tile.dims.push_back(Tile::kCombineDimension);
        continue;
      }
      std::optional<int64_t> size = cursor_.ExpectInt();
      if (!size) return false;
      tile.dims.push_back(*size);
    } while (cursor_.Consume(TokenKind::kComma));
  }
  layout_.tiles.push_back(std::move(tile));
  return cursor_.Expect(TokenKind::kRightParen);
}

bool LayoutParser::ParseTiles() {
  if (!AtField("T")) return true;
  cursor_.Advance();
  while (cursor_.Is(TokenKind::kLeftParen)) {
    if (!ParseTile()) return false;
  }
  return true;
}

bool LayoutParser::ParseUnsignedType(std::optional<ElementType>& type) {
  cursor_.Advance();
  if (!cursor_.Expect(TokenKind::kLeftParen)) return false;
  if (!cursor_.Is(TokenKind::kPrimitive)) return cursor_.FailExpecting("an unsigned type");
  type = cursor_.token().type;
  if (!IsUnsigned(*type)) {
    return sink_.Error(Rule::kLayoutSparseTypeUnsigned, cursor_.token().range,
                       "`{}` is not an unsigned type", ElementTypeName(*type));
  }
  cursor_.Advance();
  return cursor_.Expect(TokenKind::kRightParen);
}

bool LayoutParser::ParseTypes() {
  if (cursor_.Is(TokenKind::kHash) && !ParseUnsignedType(extras_.index_type)) return false;
  return !cursor_.Is(TokenKind::kStar) || ParseUnsignedType(extras_.pointer_type);
}

// "SC" split+ with split = "(" int ":" int,* ")"
bool LayoutParser::ParseSplits() {
  if (!AtField("SC")) return true;
  cursor_.Advance();
  while (cursor_.Consume(TokenKind::kLeftParen)) {
    SplitConfig split;
    std::optional<int64_t> dimension = cursor_.ExpectInt();
    if (!dimension || !cursor_.Expect(TokenKind::kColon)) return false;
    split.dimension = *dimension;
    if (!cursor_.Is(TokenKind::kRightParen)) {
      do {
        std::optional<int64_t> index = cursor_.ExpectInt();
        if (!index) return false;
        split.split_indices.push_back(*index);
      } while (cursor_.Consume(TokenKind::kComma));
    }
    if (!cursor_.Expect(TokenKind::kRightParen)) return false;
    extras_.splits.push_back(std::move(split));
  }
  return true;
}

bool LayoutParser::ParsePhysicalShape() {
  if (!AtField("P")) return true;
  return sink_.Error(Rule::kLayoutPhysicalShape, cursor_.token().range,
                     "a dense array has no physical shape `P(...)`");
}

// The fields in their fixed order, each at most once.
bool LayoutParser::ParseTail(int64_t rank) {
  bool present = false;  // whether anything but tiles and memory space is given
  bool has_memory_space = false;
  const bool parsed = ParseLevelTypes(rank) && ParseTiles() &&
                      ParseNumber("L", extras_.tail_padding_alignment, present) && ParseTypes() &&
                      ParseNumber("E", extras_.element_size_in_bits, present) &&
                      ParseNumber("S", layout_.memory_space, has_memory_space) && ParseSplits() &&
                      ParsePhysicalShape() &&
                      ParseNumber("M", extras_.dynamic_shape_metadata_prefix_bytes, present);
  if (!parsed) return false;
  if (!(extras_ == LayoutExtras())) layout_.extras = std::make_shared<LayoutExtras>(extras_);
  if (cursor_.Is(TokenKind::kRightBrace)) return true;
  if (!cursor_.Is(TokenKind::kIdent)) return cursor_.FailExpecting("`}` at the end of the layout");
  return sink_.Error(Rule::kLayoutPartOrder, cursor_.token().range,
                     "`{}` does not fit here: the parts of a layout are D, T, L, #, *, E, S, SC, "
                     "P, M, in this order and once each",
                     cursor_.token().text);
}

std::optional<Layout> LayoutParser::Parse(int64_t rank) {
  const uint32_t begin = cursor_.token().range.begin;
  cursor_.Advance();
  if (!cursor_.Is(TokenKind::kColon)) {
    do {
      std::optional<int64_t> dimension = cursor_.ExpectInt();
      if (!dimension) return std::nullopt;
      layout_.minor_to_major.push_back(*dimension);
    } while (cursor_.Consume(TokenKind::kComma));
  }
  if (cursor_.Consume(TokenKind::kColon) && !ParseTail(rank)) return std::nullopt;
  if (!cursor_.Consume(TokenKind::kRightBrace)) {
    return cursor_.FailExpecting("`,`, `:` or `}` in the layout");
  }
  const int64_t count = static_cast<int64_t>(layout_.minor_to_major.size());
  if (count != rank) {
    return sink_.Error(Rule::kLayoutMinorToMajorLength, cursor_.RangeFrom(begin),
                       "layout of {} dimension{} on an array of rank {}", count,
                       count == 1 ? "" : "s", rank);
  }
  return std::move(layout_);
}

}  // namespace

std::optional<Layout> ParseLayout(ParseContext& context, int64_t rank) {
  return LayoutParser(context).Parse(rank);
}

}  // namespace hlo
