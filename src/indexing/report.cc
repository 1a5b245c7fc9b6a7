// Maps of a set have no order, so their finished texts are sorted. In the list of runtime variables
// that XLA prints a line is numbered by its place in the list, which after a composition need not
// be the place of the variable (indexing_xla.md 5).
#include "indexing/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "ir/constant_value.h"

namespace hlo::indexing {

std::string OriginText(const Instruction& instruction) {
  if (instruction.opcode == Opcode::kParameter) {
    return fmt::format("parameter({})", instruction.Get<Attr::kParameterNumber>());
  }
  if (instruction.opcode == Opcode::kConstant) {
    const std::optional<__int128> value = ConstantInteger(instruction);
    return value ? fmt::format("constant({})", static_cast<int64_t>(*value)) : "constant";
  }
  return std::string(instruction.name);
}

namespace {

// Every line of `text` behind `indent`.
std::string Indented(std::string_view text, std::string_view indent) {
  std::string result;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    fmt::format_to(std::back_inserter(result), "{}{}\n", indent, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

// rt0: parameter(1); (d0) -> (), domain: d0 in [0, 3]
std::string ListedRuntimes(const Module& module, const IndexingMap& map,
                           const ReportOptions& options) {
  std::string text;
  for (size_t i = 0; i < map.listed_origins.size(); ++i) {
    const ListedOrigin& origin = map.listed_origins[i];
    fmt::format_to(std::back_inserter(text), "rt{}: {}; {}\n", i,
                   OriginText(module.instruction(origin.instruction)),
                   PrintMap(*origin.map, options.style));
  }
  return text;
}

// rt0 = indices[d0, 1]
std::string SoundRuntimes(const Module& module, const IndexingMap& map,
                          const ReportOptions& options) {
  const std::vector<std::string> names = VariableNames(map);
  std::string text;
  for (size_t i = 0; i < map.origins.size(); ++i) {
    std::vector<std::string> index;
    for (Expr expr : map.origins[i].index) index.push_back(PrintExpr(expr, names, options.style));
    fmt::format_to(std::back_inserter(text), "{} = {}[{}]\n",
                   names[static_cast<size_t>(map.first_runtime()) + i],
                   module.instruction(map.origins[i].instruction).name, fmt::join(index, ", "));
  }
  return text;
}

}  // namespace

std::string MapReport(const Module& module, const IndexingMap& map, const ReportOptions& options) {
  if (map.IsUnknown()) return options.indent + "unknown indexing\n";
  std::string text = Indented(PrintMap(map, options.style), options.indent);
  const std::string runtimes = map.IsKnownEmpty() ? ""
                               : options.sound    ? SoundRuntimes(module, map, options)
                                                  : ListedRuntimes(module, map, options);
  if (!runtimes.empty()) {
    text += options.indent + "runtime variables:\n" + Indented(runtimes, options.indent + "  ");
  }
  if (map.replica != nullptr && !map.IsKnownEmpty()) {
    text += options.indent + "replica id:\n" +
            Indented(PrintMap(*map.replica, options.style), options.indent + "  ");
  }
  return text;
}

std::string MapSetReport(const Module& module, const MapSet& maps, const ReportOptions& options) {
  std::vector<std::string> texts;
  for (const IndexingMap& map : maps) texts.push_back(MapReport(module, map, options));
  std::ranges::sort(texts);
  return fmt::format("{}", fmt::join(texts, ""));
}

std::string OperandsReport(const Module& module, std::span<const ArrayMaps> operands,
                           const ReportOptions& options) {
  std::string text;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].maps.empty()) continue;
    fmt::format_to(std::back_inserter(text), "operand id = {}\n{}", i,
                   MapSetReport(module, operands[i].maps, options));
  }
  return text;
}

}  // namespace hlo::indexing
