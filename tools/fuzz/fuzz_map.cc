// libFuzzer target: any map text is read, simplified and composed without harm, and what is printed
// reads back.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "indexing/compose.h"
#include "indexing/parse_map.h"
#include "indexing/points.h"
#include "indexing/print_map.h"
#include "indexing/simplify.h"
#include "indexing/tiling.h"
#include "indexing/utilization.h"

namespace {

using namespace hlo::indexing;  // NOLINT

std::optional<IndexingMap> Parse(ExprContext& context, std::string text) {
  hlo::DiagnosticSink sink(std::make_shared<const hlo::SourceText>("fuzz", std::move(text)));
  return ParseMap(context, sink);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ExprContext context;
  const std::optional<IndexingMap> map =
      Parse(context, std::string(reinterpret_cast<const char*>(data), size));
  if (!map || map->IsUnknown()) return 0;
  const std::string text = PrintMap(*map);
  const std::optional<IndexingMap> again = Parse(context, text);
  if (!map->IsKnownEmpty() && (!again || PrintMap(*again) != text)) std::abort();
  for (const SimplifyMode mode : {SimplifyMode::kReplacePoints, SimplifyMode::kPreservePoints}) {
    IndexingMap simplified = *map;
    Simplify(simplified, mode, /*sound=*/true);
    PrintMap(simplified);
    RescaleRanges(simplified);
    RemoveUnused(simplified, Removable::kDimsAndSymbols);
  }
  IndexingMap composed = Compose(*map, *map);
  Simplify(composed);
  IndexingMap tightened = *map;
  Tighten(tightened);
  HasPoint(tightened, 1000);
  TileOf(*map).status().IgnoreError();
  return 0;
}
