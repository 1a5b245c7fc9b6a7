// Members stand in a fixed order, maps and constraints in that of their texts, so that the order in
// which they were found does not show. The head of an answer leaves its object open, for whoever
// has more to say of the question.
#include "tools/index_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <vector>

#include "indexing/print_map.h"
#include "support/render_diagnostic.h"

namespace hlo::tools {

using indexing::ArrayMaps;
using indexing::GroupedMaps;
namespace {

using indexing::IndexingMap;

std::string Quoted(std::string_view text) { return fmt::format("\"{}\"", EscapeJson(text)); }

std::string BoundsJson(const indexing::Interval& bounds) {
  return fmt::format("[{}, {}]", bounds.lower, bounds.upper);
}

std::string List(const std::vector<std::string>& items) {
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::vector<std::string> Expressions(std::span<const indexing::Expr> exprs,
                                     std::span<const std::string> names) {
  std::vector<std::string> texts;
  for (indexing::Expr expr : exprs) texts.push_back(Quoted(PrintExpr(expr, names)));
  return texts;
}

std::string VariableJson(const indexing::Variable& variable, const std::string& name,
                         const std::string& more = "") {
  return fmt::format("{{\"name\": {}, \"bounds\": {}{}}}", Quoted(name),
                     BoundsJson(variable.bounds), more);
}

std::string OriginJson(const Module& module, const IndexingMap& map, size_t i,
                       std::span<const std::string> names) {
  if (i >= map.origins.size()) return "";
  const indexing::RuntimeOrigin& origin = map.origins[i];
  return fmt::format(", \"origin\": {}, \"index\": {}",
                     Quoted(module.instruction(origin.instruction).name),
                     List(Expressions(origin.index, names)));
}

std::string StateName(const IndexingMap& map) {
  return map.IsUnknown() ? "unknown" : map.IsKnownEmpty() ? "empty" : "known";
}

}  // namespace

std::string MapJson(const Module& module, const IndexingMap& map) {
  if (map.IsUnknown()) return "{\"state\": \"unknown\"}";
  const std::vector<std::string> names = VariableNames(map);
  std::vector<std::string> dims, ranges, runtimes, constraints;
  for (size_t i = 0; i < map.dims.size(); ++i) dims.push_back(VariableJson(map.dims[i], names[i]));
  for (size_t i = 0; i < map.ranges.size(); ++i) {
    ranges.push_back(VariableJson(map.ranges[i], names[map.dims.size() + i]));
  }
  const size_t first_runtime = static_cast<size_t>(map.first_runtime());
  for (size_t i = 0; i < map.runtimes.size(); ++i) {
    runtimes.push_back(
        VariableJson(map.runtimes[i], names[first_runtime + i], OriginJson(module, map, i, names)));
  }
  for (const indexing::Constraint& constraint : map.constraints) {
    constraints.push_back(fmt::format("{{\"expression\": {}, \"bounds\": {}}}",
                                      Quoted(PrintExpr(constraint.expr, names)),
                                      BoundsJson(constraint.bounds)));
  }
  std::ranges::sort(constraints);
  std::string replica;
  if (map.replica != nullptr) replica = ", \"replica\": " + MapJson(module, *map.replica);
  return fmt::format(
      "{{\"state\": \"{}\", \"text\": {}, \"dims\": {}, \"ranges\": {}, \"runtimes\": {}, "
      "\"results\": {}, \"constraints\": {}{}}}",
      StateName(map), Quoted(PrintMap(map)), List(dims), List(ranges), List(runtimes),
      List(Expressions(map.results, names)), List(constraints), replica);
}

std::string MapSetJson(const Module& module, const indexing::MapSet& maps) {
  std::vector<std::string> texts;
  for (const IndexingMap& map : maps) texts.push_back(MapJson(module, map));
  std::ranges::sort(texts);
  return List(texts);
}

std::string QuestionHeadJson(const Module& module, const Question& question) {
  const Instruction& instruction = module.instruction(question.id);
  return fmt::format(
      "\n  {{\"instruction\": \"{}\", \"opcode\": \"{}\", \"computation\": \"{}\", \"shape\": "
      "\"{}\", \"direction\": \"{}\", \"{}\": {}",
      EscapeJson(instruction.name), OpcodeName(instruction.opcode),
      EscapeJson(module.computation(instruction.computation).name),
      EscapeJson(ShapeText(*instruction.shape)), question.to_input ? "out-to-in" : "in-to-out",
      question.to_input ? "output" : "operand", question.number);
}

std::string QuestionJson(const Module& module, const Question& question,
                         const std::vector<ArrayMaps>& maps) {
  const Instruction& instruction = module.instruction(question.id);
  std::vector<std::string> arrays;
  for (size_t i = 0; i < maps.size(); ++i) {
    if (maps[i].maps.empty()) continue;
    const std::string name =
        question.to_input
            ? fmt::format("\"instruction\": \"{}\", ",
                          EscapeJson(module.instruction(instruction.operands[i].id).name))
            : "";
    arrays.push_back(fmt::format("\n    {{\"id\": {}, {}\"element\": {}, \"maps\": {}}}", i, name,
                                 maps[i].tuple_element, MapSetJson(module, maps[i].maps)));
  }
  return fmt::format("{}, \"{}\": [{}]}}", QuestionHeadJson(module, question),
                     question.to_input ? "operands" : "outputs", fmt::join(arrays, ","));
}

std::string GroupsJson(const Module& module, const Question& question,
                       const std::vector<GroupedMaps>& groups) {
  std::vector<std::string> items;
  for (const GroupedMaps& group : groups) {
    items.push_back(fmt::format("\n    {{\"instruction\": \"{}\", \"element\": {}, \"maps\": {}}}",
                                EscapeJson(module.instruction(group.instruction).name),
                                group.element, MapSetJson(module, group.maps)));
  }
  return fmt::format("{}, \"groups\": [{}]}}", QuestionHeadJson(module, question),
                     fmt::join(items, ","));
}

}  // namespace hlo::tools
