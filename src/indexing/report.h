// The maps of one instruction as text (indexing_xla.md 5).
#ifndef HLOKIT_INDEXING_REPORT_H_
#define HLOKIT_INDEXING_REPORT_H_

#include <span>
#include <string>

#include "indexing/op_maps.h"
#include "indexing/print_map.h"
#include "ir/module.h"

namespace hlo::indexing {

struct ReportOptions {
  MapStyle style = MapStyle::kXla;
  // Runtime variables by where they are read in terms of the map's own variables, not as XLA lists
  // them.
  bool sound = false;
  std::string indent = "  ";
};

// A map with its runtime variables and its replica map, each line indented and ended.
std::string MapReport(const Module& module, const IndexingMap& map, const ReportOptions& options);

// "operand id = N" and its maps, for each operand or output that has any; an unknown map is
// "unknown indexing". The maps of a set stand in the order of their texts.
std::string OperandsReport(const Module& module, std::span<const ArrayMaps> operands,
                           const ReportOptions& options);

// The maps of a set without the heading.
std::string MapSetReport(const Module& module, const MapSet& maps, const ReportOptions& options);

// "parameter(1)", "constant(3)", "constant", or the instruction's name.
std::string OriginText(const Instruction& instruction);

}  // namespace hlo::indexing

#endif  // HLOKIT_INDEXING_REPORT_H_
