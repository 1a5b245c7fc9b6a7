// What hlo-index says of an operand's use: how much is read, how memory is read, and in which
// tiles.
#ifndef HLOKIT_TOOLS_INDEX_ANALYSES_H_
#define HLOKIT_TOOLS_INDEX_ANALYSES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "indexing/indexing_map.h"
#include "ir/shape.h"

namespace hlo::tools {

struct AnalysisFlags {
  bool utilization = false;
  std::optional<uint32_t> coalescing;  // the vector width
  bool symbolic_tile = false;
  bool sound = false;
  std::optional<std::vector<int64_t>> tile;
};

// Lines about the maps of one operand, indented.
std::string AnalysesText(const indexing::MapSet& maps, const Shape& output, const Shape& operand,
                         const AnalysisFlags& flags);
// The same as further members of a JSON object: ", \"utilization\": {...}".
std::string AnalysesJson(const indexing::MapSet& maps, const Shape& output, const Shape& operand,
                         const AnalysisFlags& flags);

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_INDEX_ANALYSES_H_
