// All maps are read into one context, as only such can be composed. Each option is a piece of work
// by itself with its own result, in the order of Run; what does not parse is reported, and the next
// one goes on.
#include "tools/index_map_text.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "indexing/compose.h"
#include "indexing/parse_map.h"
#include "indexing/print_map.h"
#include "indexing/simplify.h"
#include "tools/index_json.h"

namespace hlo::tools {
namespace {

using indexing::IndexingMap;

class MapTexts {
 public:
  MapTexts(Session& session, const IndexFlags& flags) : session_(session), flags_(flags) {}

  void Run() {
    Each(flags_.print, [](IndexingMap&) {});
    Each(flags_.simplify, [this](IndexingMap& map) { Simplified(map); });
    Each(flags_.remove_unused,
         [](IndexingMap& map) { RemoveUnused(map, indexing::Removable::kDimsAndSymbols); });
    Each(flags_.remove_unused_symbols, [](IndexingMap& map) { RemoveUnused(map); });
    Each(flags_.rescale, [](IndexingMap& map) { RescaleRanges(map); });
    if (!flags_.compose.empty()) ComposeAll();
  }

 private:
  void Simplified(IndexingMap& map) {
    Simplify(map,
             flags_.preserve_points ? indexing::SimplifyMode::kPreservePoints
                                    : indexing::SimplifyMode::kReplacePoints,
             flags_.sound);
  }

  std::optional<IndexingMap> Parse(const std::string& text) {
    DiagnosticSink sink(std::make_shared<const SourceText>("<map>", text), session_.limits());
    std::optional<IndexingMap> map = indexing::ParseMap(context_, sink);
    session_.Report(sink);
    return map;
  }

  void Each(const std::string& text, const std::function<void(IndexingMap&)>& change) {
    if (text.empty()) return;
    std::optional<IndexingMap> map = Parse(text);
    if (!map) return;
    change(*map);
    Write(*map);
  }

  // The first map is applied first.
  void ComposeAll() {
    std::optional<IndexingMap> composed;
    for (const std::string& text : flags_.compose) {
      const std::optional<IndexingMap> map = Parse(text);
      if (!map) return;
      if (composed && !composed->IsUnknown() && !map->IsUnknown() &&
          composed->results.size() != map->dims.size()) {
        session_.ReportEnvironment(
            fmt::format("--compose: a map with {} results cannot be followed by one with {} "
                        "dimensions",
                        composed->results.size(), map->dims.size()));
        return;
      }
      composed = composed ? Compose(*composed, *map) : *map;
    }
    Write(*composed);
  }

  void Write(const IndexingMap& map) {
    if (flags_.json) {
      const Module none(std::make_shared<const SourceText>("", ""));
      session_.Write(MapJson(none, map) + "\n");
    } else {
      session_.Write(PrintMap(map, flags_.style == "lines" ? indexing::MapStyle::kLines
                                                           : indexing::MapStyle::kXla) +
                     "\n");
    }
  }

  Session& session_;
  const IndexFlags& flags_;
  indexing::ExprContext context_;
};

}  // namespace

void WorkOnMapTexts(Session& session, const IndexFlags& flags) { MapTexts(session, flags).Run(); }

}  // namespace hlo::tools
