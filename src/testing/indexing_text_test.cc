// Operations on map texts alone: XLA's cases, which lie beside the project, and the worked cases of
// indexing.md 7.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "indexing/coalescing.h"
#include "indexing/compose.h"
#include "indexing/parse_map.h"
#include "indexing/points.h"
#include "indexing/print_map.h"
#include "indexing/simplify.h"
#include "indexing/tiling.h"
#include "indexing/utilization.h"
#include "testing/indexing_cases.h"
#include "testing/xla_cases.h"

namespace hlo::testing {
namespace {

using namespace hlo::indexing;  // NOLINT
using nlohmann::json;

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// {"map": affine text, "dims": intervals, ...}: the affine text calls the runtime variables s too.
IndexingMap Construct(ExprContext& context, const json& parts) {
  std::string text = parts["map"];
  std::vector<std::string> names, items;
  const size_t range_count = parts["ranges"].size();
  const size_t runtime_count = parts["rt"].size();
  std::string symbols, runtimes;
  for (size_t i = 0; i < parts["dims"].size(); ++i) items.push_back("d" + std::to_string(i));
  for (size_t i = 0; i < range_count; ++i) {
    items.push_back("s" + std::to_string(i));
    symbols += (i == 0 ? "" : ", ") + items.back();
  }
  for (size_t i = 0; i < runtime_count; ++i) {
    const json& runtime = parts["rt"][i];
    items.push_back(runtime.size() > 2 ? runtime[2].get<std::string>() : "rt" + std::to_string(i));
    runtimes += (i == 0 ? "" : ", ") + items.back();
  }
  const size_t open = text.find('['), close = text.find(']');
  if (open != std::string::npos) text.erase(open, close - open + 1);
  for (size_t i = 0; i < runtime_count; ++i) {
    text = Replaced(text, "s" + std::to_string(range_count + i),
                    items[parts["dims"].size() + range_count + i]);
  }
  std::string header = symbols.empty() ? "" : "[" + symbols + "]";
  if (!runtimes.empty()) header += "{" + runtimes + "}";
  text.insert(text.find("->"), header + " ");
  text += ", domain: ";
  size_t next = 0;
  for (const char* kind : {"dims", "ranges", "rt"}) {
    for (const json& bounds : parts[kind]) {
      text += (next == 0 ? "" : ", ") + items[next] + " in [" + bounds[0].dump() + ", " +
              bounds[1].dump() + "]";
      ++next;
    }
  }
  return MapOf(context, text);
}

IndexingMap RunRecipe(ExprContext& context, const json& recipe);

IndexingMap Start(ExprContext& context, const json& from) {
  if (from.contains("parse")) return MapOf(context, from["parse"]);
  if (from.contains("construct")) return Construct(context, from["construct"]);
  if (from.contains("compose")) {
    return Compose(RunRecipe(context, from["compose"][0]), RunRecipe(context, from["compose"][1]));
  }
  return IndexingMap::Unknown(context);
}

void Apply(IndexingMap& map, const json& step) {
  const std::string op = step[0];
  if (op == "Simplify") {
    Simplify(map);
  } else if (op == "RemoveUnusedSymbols") {
    RemoveUnused(map);
  } else if (op == "RemoveUnusedVars") {
    RemoveUnused(map, Removable::kDimsAndSymbols);
  } else if (op == "RescaleSymbols") {
    RescaleRanges(map);
  } else if (op == "AddConstraint" && step[1] != "?") {
    IndexingMap names = map;  // the text calls runtime variables s, too
    std::string text = step[1];
    for (size_t i = 0; i < map.runtimes.size(); ++i) {
      text = Replaced(text, "s" + std::to_string(map.ranges.size() + i), "rt" + std::to_string(i));
    }
    DiagnosticSink sink(std::make_shared<const SourceText>("expression", text));
    const std::optional<Expr> expr = ParseExpr(names, sink);
    ASSERT_TRUE(expr) << text;
    map.AddConstraint(*expr, {step[2][0].get<int64_t>(), step[2][1].get<int64_t>()});
  }
}

IndexingMap RunRecipe(ExprContext& context, const json& recipe) {
  IndexingMap map = Start(context, recipe["from"]);
  for (const json& step : recipe["ops"]) Apply(map, step);
  return map;
}

TEST(IndexingText, XlaCases) {
  int count = 0;
  for (const json& answer : LoadAnswers(AnswersFolder("xla_tests"))) {
    if (!answer["file"].is_null() || !answer.contains("recipe")) continue;
    SCOPED_TRACE(answer["id"].get<std::string>());
    ExprContext context;
    const IndexingMap map = RunRecipe(context, answer["recipe"]);
    EXPECT_EQ(Squeezed(PrintMap(map)), Squeezed(answer["expected"].get<std::string>()));
    ++count;
  }
  if (count == 0) GTEST_SKIP() << "no cases";
  RecordProperty("cases", count);
}

const json& Vectors() {
  static const json vectors = [] {
    std::ifstream file(HLOKIT_SOURCE_DIR "/testdata/vectors/indexing.json");
    return json::parse(file);
  }();
  return vectors;
}

void ExpectSame(ExprContext& context, const IndexingMap& map, const std::string& expected) {
  EXPECT_EQ(Difference(map, MapOf(context, expected)), "") << PrintMap(map) << "\n" << expected;
}

TEST(IndexingText, SimplifyVectors) {
  for (const json& vector : Vectors()["simplify_vectors"]) {
    SCOPED_TRACE(vector["id"].get<std::string>());
    ExprContext context;
    IndexingMap map = MapOf(context, vector["input"]);
    Simplify(map, SimplifyMode::kReplacePoints, /*sound=*/true);
    ExpectSame(context, map, vector["expected"]);
  }
}

TEST(IndexingText, ComposeVectors) {
  for (const json& vector : Vectors()["compose_vectors"]) {
    SCOPED_TRACE(vector["id"].get<std::string>());
    ExprContext context;
    IndexingMap map = Compose(MapOf(context, vector["first"]), MapOf(context, vector["second"]));
    ExpectSame(context, map, vector["expected"]);
    Simplify(map, SimplifyMode::kReplacePoints, /*sound=*/true);
    ExpectSame(context, map, vector["simplified"]);
  }
}

TEST(IndexingText, RemoveUnusedVectors) {
  for (const json& vector : Vectors()["remove_unused_vectors"]) {
    SCOPED_TRACE(vector["id"].get<std::string>());
    ExprContext context;
    IndexingMap map = MapOf(context, vector["input"]);
    RemoveUnused(map,
                 vector["dims"].get<bool>() ? Removable::kDimsAndSymbols : Removable::kSymbols);
    ExpectSame(context, map, vector["expected"]);
  }
}

TEST(IndexingText, RescaleVectors) {
  for (const json& vector : Vectors()["rescale_vectors"]) {
    SCOPED_TRACE(vector["id"].get<std::string>());
    ExprContext context;
    IndexingMap map = MapOf(context, vector["input"]);
    RescaleRanges(map);
    ExpectSame(context, map, vector["expected"]);
    Simplify(map);
    ExpectSame(context, map, vector["simplified"]);
  }
}

TEST(IndexingText, TightenVectors) {
  for (const json& vector : Vectors()["tighten_vectors"]) {
    SCOPED_TRACE(vector["id"].get<std::string>());
    ExprContext context;
    IndexingMap map = MapOf(context, vector["input"]);
    Tighten(map);
    const IndexingMap expected = MapOf(context, vector["expected"]);
    ExpectSame(context, map, vector["expected"]);
    for (int64_t i = 0; i < map.variable_count(); ++i) {
      EXPECT_EQ(map.variable(i).bounds, expected.variable(i).bounds) << PrintMap(map);
    }
  }
}

TEST(IndexingText, PrintVectors) {
  for (const json& vector : Vectors()["print_vectors"]) {
    SCOPED_TRACE(vector["id"].get<std::string>());
    ExprContext context;
    const IndexingMap map = MapOf(context, vector["input"]);
    ExpectSame(context, map, vector["expected"]);
    ExpectSame(context, map, PrintMap(map, MapStyle::kLines));
  }
}

Interval IntervalOf(const json& bounds) {
  return {bounds[0].get<int64_t>(), bounds[1].get<int64_t>()};
}

TEST(IndexingText, IntervalVectors) {
  for (const json& vector : Vectors()["interval_vectors"]) {
    const std::string op = vector["op"];
    SCOPED_TRACE(vector.dump());
    const Interval a = IntervalOf(vector["a"]);
    if (op == "floordiv" || op == "mod") {
      const int64_t c = vector["b"];
      const Interval result = op == "mod" ? Mod(a, c, /*tight=*/true) : FloorDiv(a, c);
      EXPECT_EQ(result, IntervalOf(vector["expected"]));
      continue;
    }
    const Interval b = IntervalOf(vector["b"]);
    if (vector["expected"].is_array()) {
      const Interval result = op == "+"           ? a + b
                              : op == "-"         ? a - b
                              : op == "*"         ? a * b
                              : op == "min"       ? Min(a, b)
                              : op == "max"       ? Max(a, b)
                              : op == "intersect" ? a.Intersect(b)
                                                  : a.Union(b);
      EXPECT_EQ(result, IntervalOf(vector["expected"]));
      continue;
    }
    const std::optional<bool> result = op == ">"    ? Greater(a, b)
                                       : op == "<"  ? Less(a, b)
                                       : op == ">=" ? GreaterEqual(a, b)
                                       : op == "<=" ? LessEqual(a, b)
                                                    : Equal(a, b);
    const json expected = result ? json(*result) : json(nullptr);
    EXPECT_EQ(expected, vector["expected"]);
  }
}

TEST(IndexingText, UtilisationVectors) {
  for (const json& vector : Vectors()["utilisation_vectors"]) {
    SCOPED_TRACE(vector["id"].get<std::string>());
    ExprContext context;
    MapSet maps;
    for (const json& text : vector["maps"]) maps.Insert(MapOf(context, text));
    const Utilization used =
        UtilizationOf(maps, vector["operand_shape"].get<std::vector<int64_t>>());
    EXPECT_EQ(used.least, vector["used"]);
    EXPECT_EQ(used.most, vector["used"]);
    EXPECT_EQ(used.total, vector["total"]);
  }
}

std::string AccessText(const VectorAccess& access) {
  switch (access.kind) {
    case AccessKind::kContiguous:
      return "contiguous";
    case AccessKind::kUniform:
      return "uniform";
    case AccessKind::kStrided:
      return "strided " + std::to_string(access.stride);
    case AccessKind::kScattered:
      return "irregular";
    case AccessKind::kUnknown:
      return "unknown";
  }
  return "";
}

TEST(IndexingText, ContiguityVectors) {
  for (const json& vector : Vectors()["contiguity_vectors"]) {
    SCOPED_TRACE(vector["id"].get<std::string>());
    ExprContext context;
    const int64_t elements = vector["elements"];
    const IndexingMap address =
        MapOf(context, "(t) -> (" + vector["address"].get<std::string>() + "), domain: t in [0, " +
                           std::to_string(elements - 1) + "]");
    const VectorAccess access = ClassifyAccess(address.results[0], elements, vector["vector"]);
    EXPECT_EQ(AccessText(access), vector["expected"]);
    ASSERT_TRUE(access.difference);
    ExpectSame(context, *access.difference, vector["difference"]);
  }
}

// What stands in the way of the vectors that have no tile.
std::string ObstacleOf(const std::string& vector) {
  static const std::map<std::string, std::string> obstacles = {
      {"tile.generic-reshape", "`(d0 * 6 + d1) / 4` divides something else than a dimension"},
      {"tile.window-overlap", "`d0 + s0` has strides that do not fit into each other"}};
  return obstacles.at(vector);
}

TEST(IndexingText, TileVectors) {
  for (const json& vector : Vectors()["tile_vectors"]) {
    SCOPED_TRACE(vector["id"].get<std::string>());
    ExprContext context;
    const absl::StatusOr<SymbolicTile> tile = TileOf(MapOf(context, vector["map"]), /*sound=*/true);
    if (vector.contains("expected") && vector["expected"] == "FAIL") {
      EXPECT_EQ(tile.status().message(), ObstacleOf(vector["id"]));
      continue;
    }
    ASSERT_TRUE(tile.ok()) << tile.status().message();
    SCOPED_TRACE(PrintTile(*tile));
    const absl::StatusOr<std::vector<TileDimension>> at =
        TileAt(*tile, vector["sizes"].get<std::vector<int64_t>>());
    ASSERT_EQ(at.ok(), vector["constraints_satisfied"].get<bool>());
    if (!at.ok()) continue;
    std::vector<TileDimension> expected;
    for (const json& d : vector["expected"]) {
      expected.push_back({d["offset"], d["size"], d["stride"]});
    }
    EXPECT_TRUE(*at == expected);
  }
}

}  // namespace
}  // namespace hlo::testing
