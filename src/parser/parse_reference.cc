// Attribute values that refer to computations and instructions.
#include <vector>

#include "parser/module_parser.h"
#include "parser/parse_value.h"

namespace hlo {

bool ParseValue(ParseContext& context, ComputationId& value) {
  return context.module_parser->ParseComputationRef(value);
}

bool ParseValue(ParseContext& context, ComputationList& value) {
  std::vector<ComputationId> ids;
  const bool parsed = ParseBraced(
      context, [&] { return context.module_parser->ParseComputationRef(ids.emplace_back()); });
  value = context.Store(ids);
  return parsed;
}

// At least one name.
bool ParseValue(ParseContext& context, InstructionList& value) {
  Cursor& cursor = context.cursor;
  std::vector<InstructionId> ids;
  if (!cursor.Expect(TokenKind::kLeftBrace)) return false;
  do {
    if (!context.module_parser->ParsePredecessor(ids.emplace_back())) return false;
  } while (cursor.Consume(TokenKind::kComma));
  value = context.Store(ids);
  if (cursor.Consume(TokenKind::kRightBrace)) return true;
  return cursor.FailExpecting("`,` or `}`");
}

}  // namespace hlo
