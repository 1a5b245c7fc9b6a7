// The maps of instructions: as XLA prints them, in its cases, which lie beside the project, and the
// worked cases of indexing.md 7, compared as relations.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "indexing/compose.h"
#include "indexing/grouped.h"
#include "indexing/op_maps.h"
#include "indexing/points.h"
#include "indexing/print_map.h"
#include "indexing/report.h"
#include "indexing/simplify.h"
#include "parser/parser.h"
#include "testing/indexing_cases.h"
#include "testing/xla_cases.h"

namespace hlo::testing {
namespace {

using namespace hlo::indexing;  // NOLINT
using nlohmann::json;

std::optional<Module> Parse(const std::string& text) {
  auto source = std::make_shared<const SourceText>("module", text);
  DiagnosticSink sink(source);
  std::optional<Module> module = ParseModule(source, sink);
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    if (diagnostic.severity == Severity::kError) ADD_FAILURE() << diagnostic.message;
  }
  return module;
}

// "root", "operand(0)", "operand(0).operand(1)".
InstructionId Find(const Module& module, std::string path) {
  InstructionId id = module.entry().root;
  for (size_t at = 0; (at = path.find("operand(", at)) != std::string::npos; ++at) {
    id = module.instruction(id).operands[static_cast<size_t>(path[at + 8] - '0')].id;
  }
  return id;
}

std::vector<ArrayMaps> Physical(const OpView& op, std::vector<ArrayMaps> maps, bool to_input,
                                int64_t id) {
  for (size_t i = 0; i < maps.size(); ++i) {
    const Shape& operand = op.operand_shape(to_input ? static_cast<int64_t>(i) : id);
    const Shape& output =
        ElementShape(*op.instruction().shape, to_input ? id : static_cast<int64_t>(i));
    MapSet physical;
    for (const IndexingMap& map : maps[i].maps) {
      physical.Insert(to_input ? PhysicalMap(map, output, operand)
                               : PhysicalMap(map, operand, output));
    }
    maps[i].maps = physical;
  }
  return maps;
}

std::vector<ArrayMaps> MapsOf(const Module& module, const json& answer, ExprContext& context) {
  const OpView op(module, module.instruction(Find(module, answer["instr"])));
  const int64_t id = answer["instr_id"];
  const bool to_input = answer["direction"] != "input_to_output";
  std::vector<ArrayMaps> maps =
      to_input ? OutputToInput(op, id, context) : InputToOutput(op, id, context);
  return answer["physical_layout"].get<bool>() ? Physical(op, std::move(maps), to_input, id) : maps;
}

// The texts of a set against a list of matchers, in any order.
void ExpectMatches(const Module& module, const MapSet& maps, const json& matchers) {
  std::vector<std::string> actual, expected;
  ReportOptions options;
  for (const IndexingMap& map : maps) actual.push_back(Squeezed(MapReport(module, map, options)));
  for (const json& matcher : matchers) {
    expected.push_back(Squeezed(matcher["MatchOperandIndexing"][0].get<std::string>()));
  }
  std::ranges::sort(actual);
  std::ranges::sort(expected);
  EXPECT_EQ(actual, expected);
}

const json& ElementsOf(const json& matcher) {
  return matcher.contains("ElementsAre") ? matcher["ElementsAre"] : matcher["UnorderedElementsAre"];
}

void ExpectGroups(const Module& module, const json& answer, ExprContext& context) {
  const std::vector<GroupedMaps> groups =
      GroupedOutputToInput(module, Find(module, answer["instr"]), 0, context);
  const auto maps_of = [&](InstructionId id) {
    for (const GroupedMaps& group : groups) {
      if (group.instruction == id) return group.maps;
    }
    return MapSet();
  };
  const std::string select = answer["select"];
  if (select != "matcher") {
    return ExpectMatches(module, maps_of(Find(module, select)), ElementsOf(answer["matcher"]));
  }
  for (const json& element : ElementsOf(answer["matcher"])) {
    const json& pair = element["Pair"];
    ExpectMatches(module, maps_of(Find(module, pair[0]["instr"])), ElementsOf(pair[1]));
  }
  EXPECT_EQ(groups.size(), ElementsOf(answer["matcher"]).size());
}

TEST(IndexingMaps, XlaCases) {
  const std::filesystem::path folder = AnswersFolder("xla_tests");
  int count = 0;
  for (const json& answer : LoadAnswers(folder)) {
    if (!answer.contains("direction") || answer["file"].is_null()) continue;
    SCOPED_TRACE(answer["file"].get<std::string>());
    const std::optional<Module> module =
        Parse(ReadModuleText(folder / answer["file"].get<std::string>()));
    if (!module) continue;
    ExprContext context;
    ++count;
    if (answer["direction"].get<std::string>().starts_with("grouped")) {
      ExpectGroups(*module, answer, context);
    } else if (answer.contains("expected")) {
      EXPECT_EQ(Squeezed(OperandsReport(*module, MapsOf(*module, answer, context), {})),
                Squeezed(answer["expected"].get<std::string>()));
    } else {
      const std::vector<ArrayMaps> maps = MapsOf(*module, answer, context);
      const json& operands = ElementsOf(answer["matcher"]);
      ASSERT_EQ(maps.size(), operands.size());
      for (size_t i = 0; i < maps.size(); ++i) {
        ExpectMatches(*module, maps[i].maps, ElementsOf(operands[i]));
      }
    }
  }
  if (count == 0) GTEST_SKIP() << "no cases";
  RecordProperty("cases", count);
}

// --- Growth -------------------------------------------------------------------------------------

// A fusion of `count` random steps: reshapes between shapes whose dimensions do not line up, sums,
// and reverses, behind which nothing cancels.
std::string LongFusion(uint32_t seed, int64_t count, bool reverses) {
  std::mt19937 random(seed);
  const auto pick = [&](size_t n) {
    return std::uniform_int_distribution<size_t>(0, n - 1)(random);
  };
  const std::vector<std::string> shapes = {"24,35", "35,24", "840", "12,70", "7,8,15", "20,42"};
  std::string body = "f {\n  v0 = f32[24,35] parameter(0)\n";
  std::string shape = shapes[0];
  for (int64_t i = 0; i < count; ++i) {
    const bool is_last = i + 1 == count;
    const size_t step = is_last ? 2 : pick(4);
    if (step > 1) shape = is_last ? shapes[0] : shapes[pick(shapes.size())];
    const std::string value = "v" + std::to_string(i);
    const std::string operation = step > 1 ? "reshape(" + value + ")"
                                  : step == 1 || !reverses
                                      ? "add(" + value + ", " + value + ")"
                                      : "reverse(" + value + "), dimensions={0}";
    body += std::string(is_last ? "  ROOT v" : "  v") + std::to_string(i + 1) + " = f32[" + shape +
            "] " + operation + "\n";
  }
  return "HloModule m\n" + body + "}\nENTRY main {\n  x = f32[24,35] parameter(0)\n" +
         "  ROOT r = f32[24,35] fusion(x), kind=kLoop, calls=f\n}\n";
}

MapSet MapsOfLongFusion(uint32_t seed, bool reverses, ExprContext& context) {
  const std::optional<Module> module = Parse(LongFusion(seed, 100, reverses));
  if (!module) return {};
  return OutputToInput(OpView(*module, module->root(module->entry())), 0, context,
                       {.sound = true})[0]
      .maps;
}

TEST(IndexingMaps, ReshapesOfLongFusionsCancel) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    ExprContext context;
    const MapSet maps = MapsOfLongFusion(seed, /*reverses=*/false, context);
    ASSERT_EQ(maps.size(), 1u);
    EXPECT_EQ(PrintMap(maps.maps()[0]),
              "(d0, d1) -> (d0, d1), domain: d0 in [0, 23], d1 in [0, 34]");
  }
}

// Where nothing cancels an expression doubles with every step, until the map is unknown.
TEST(IndexingMaps, ExpressionsStayWithinTheLimits) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    ExprContext context;
    for (const IndexingMap& map : MapsOfLongFusion(seed, /*reverses=*/true, context)) {
      for (Expr result : map.results) {
        EXPECT_LE(result.size(), ExprContext::kMaxSize);
        EXPECT_LE(result.depth(), ExprContext::kMaxDepth);
      }
    }
    EXPECT_LT(context.byte_size(), size_t{64} << 20);
  }
}

// --- The worked cases of indexing.md ------------------------------------------------------------

// The expected maps, each found once among ours.
void ExpectSameSet(ExprContext& context, const MapSet& actual, const json& expected) {
  if (expected == "UNKNOWN") {
    EXPECT_TRUE(actual.HasUnknown());
    return;
  }
  EXPECT_EQ(actual.size(), expected.is_array() ? expected.size() : 1);
  for (const json& text : expected.is_array() ? expected : json::array({expected})) {
    const IndexingMap map = MapOf(context, text);
    const bool found = std::ranges::any_of(actual, [&](const IndexingMap& ours) {
      if (map.IsKnownEmpty()) return IsEmpty(ours) == true;
      return Difference(ours, map).empty();
    });
    EXPECT_TRUE(found) << text.get<std::string>();
  }
}

class OpVector : public ::testing::TestWithParam<json> {};

TEST_P(OpVector, IsTheSameRelation) {
  const json& vector = GetParam();
  const std::optional<Module> module = Parse(vector["hlo"]);
  ASSERT_TRUE(module);
  ExprContext context;
  // What is unknown to XLA may be known to the exact variant.
  const IndexingOptions sound{.sound = vector["expected"] != "UNKNOWN"};
  const bool to_input = vector["direction"] == "output_to_input";
  const int64_t operand = vector["operand"], output = vector["output"];
  const OpView op(*module, module->root(module->entry()));
  const std::vector<ArrayMaps> maps = to_input ? OutputToInput(op, output, context, sound)
                                               : InputToOutput(op, operand, context, sound);
  MapSet actual = maps[static_cast<size_t>(to_input ? operand : output)].maps;
  SCOPED_TRACE(MapSetReport(*module, actual, {}));
  const json& expected =
      vector.contains("exact_expected") ? vector["exact_expected"] : vector["expected"];
  ExpectSameSet(context, actual, expected);
  if (!vector.contains("simplified")) return;
  MapSet simplified;
  for (IndexingMap map : actual) {
    Simplify(map, SimplifyMode::kReplacePoints, /*sound=*/true);
    RemoveUnused(map);
    simplified.Insert(map);
  }
  ExpectSameSet(context, simplified, vector["simplified"]);
}

std::vector<json> LoadOpVectors() {
  std::ifstream file(HLOKIT_SOURCE_DIR "/testdata/vectors/indexing.json");
  return json::parse(file)["op_vectors"].get<std::vector<json>>();
}

std::string NameOf(const ::testing::TestParamInfo<json>& info) {
  std::string name = info.param["id"];
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Vectors, OpVector, ::testing::ValuesIn(LoadOpVectors()), NameOf);

}  // namespace
}  // namespace hlo::testing
