// The text of maps, in every published dialect (indexing.md 1.7).
#ifndef HLOKIT_INDEXING_PARSE_MAP_H_
#define HLOKIT_INDEXING_PARSE_MAP_H_

#include <memory>
#include <optional>

#include "indexing/indexing_map.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace hlo::indexing {

// Parses a map, the whole text. Expressions are made with the constructors and stay otherwise as
// they are written. Reports what is wrong: syntax, unknown names, a variable without an interval,
// division by zero, numbers beyond int64, expressions beyond the limits of the context.
std::optional<IndexingMap> ParseMap(ExprContext& context, DiagnosticSink& sink);

// The same for an expression over the variables of `map`.
std::optional<Expr> ParseExpr(const IndexingMap& map, DiagnosticSink& sink);

}  // namespace hlo::indexing

#endif  // HLOKIT_INDEXING_PARSE_MAP_H_
