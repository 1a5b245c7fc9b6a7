// Maps as text. The default is what XLA prints (indexing_xla.md); the style of the public
// documents has one item a line and writes `floordiv`.
#ifndef HLOKIT_INDEXING_PRINT_MAP_H_
#define HLOKIT_INDEXING_PRINT_MAP_H_

#include <span>
#include <string>

#include "indexing/indexing_map.h"

namespace hlo::indexing {

enum class MapStyle : uint8_t {
  kXla,    // one line, `/`
  kLines,  // one item a line, `floordiv`
};

// The expression with the variables' names.
std::string PrintExpr(Expr expr, std::span<const std::string> names,
                      MapStyle style = MapStyle::kXla);

// "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 1]", "KNOWN EMPTY", "UNDEFINED".
std::string PrintMap(const IndexingMap& map, MapStyle style = MapStyle::kXla);
// Only "(d0)[s0] -> (d0 + s0)": the text before the domain.
std::string PrintMapHead(const IndexingMap& map, MapStyle style = MapStyle::kXla);

// "[0, 3]"
std::string PrintInterval(const Interval& interval);

// The names of all variables, by number.
std::vector<std::string> VariableNames(const IndexingMap& map);

}  // namespace hlo::indexing

#endif  // HLOKIT_INDEXING_PRINT_MAP_H_
