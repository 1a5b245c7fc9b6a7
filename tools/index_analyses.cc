// The formulas are in src/indexing (indexing.md 4.2 to 4.4); here are the questions put to them and
// the words for their answers. Vectors are judged with ranges at their lower bounds, traffic for 32
// lanes and lines of 128 bytes. Tiles are in JSON as the same text that people read.
#include "tools/index_analyses.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "indexing/coalescing.h"
#include "indexing/tiling.h"
#include "indexing/utilization.h"
#include "ir/element_type.h"
#include "support/render_diagnostic.h"

namespace hlo::tools {
namespace {

using indexing::AccessKind;
using indexing::IndexingMap;
using indexing::MapSet;
using indexing::Utilization;

constexpr int64_t kLanes = 32;
constexpr int64_t kLineSize = 128;

std::string_view MethodText(Utilization::Method method) {
  switch (method) {
    case Utilization::Method::kUnknown:
      return "unknown";
    case Utilization::Method::kClosedForm:
      return "by formula";
    case Utilization::Method::kEnumerated:
      return "counted";
    case Utilization::Method::kSampled:
      return "sampled over start indices";
    case Utilization::Method::kBounds:
      return "bounds";
  }
  return "";
}

std::string UtilizationText(const Utilization& used) {
  if (used.method == Utilization::Method::kUnknown) return "  utilization: unknown\n";
  const double scale = used.total == 0 ? 0 : 100.0 / static_cast<double>(used.total);
  const std::string count = used.least == used.most
                                ? fmt::format("{}", used.most)
                                : fmt::format("{} to {}", used.least, used.most);
  const std::string reads =
      used.reads_per_element < 0
          ? ""
          : fmt::format(", {} for each element of the result", used.reads_per_element);
  return fmt::format("  utilization: {} of {} elements, {:.4g} % ({}){}\n", count, used.total,
                     static_cast<double>(used.most) * scale, MethodText(used.method), reads);
}

std::string UtilizationJson(const Utilization& used) {
  return fmt::format(
      "{{\"method\": \"{}\", \"least\": {}, \"most\": {}, \"total\": {}, \"reads_per_element\": "
      "{}}}",
      MethodText(used.method), used.least, used.most, used.total, used.reads_per_element);
}

struct Access {
  indexing::VectorAccess vector;
  std::optional<indexing::Traffic> traffic;
};

Access AccessOf(const IndexingMap& map, const Shape& output, const Shape& operand, int64_t width) {
  const IndexingMap address = AddressMap(map, output, operand);
  if (address.IsUnknown() || address.IsKnownEmpty()) return {};
  // Ranges stay at their lower bounds: one step of the innermost loop.
  indexing::ExprContext& context = address.context();
  const indexing::Expr at_start = MapVariables(address.results[0], [&](int64_t i) {
    return i == 0 ? context.Variable(0) : context.Constant(address.variable(i).bounds.lower);
  });
  const int64_t count = ElementCount(output).value_or(0);
  return {ClassifyAccess(at_start, count, width),
          TrafficOf(address, kLanes, ElementByteSize(operand.element_type()), kLineSize)};
}

std::string KindText(const indexing::VectorAccess& access) {
  switch (access.kind) {
    case AccessKind::kContiguous:
      return access.is_aligned ? "contiguous, aligned" : "contiguous";
    case AccessKind::kUniform:
      return "broadcast";
    case AccessKind::kStrided:
      return fmt::format("strided by {}", access.stride);
    case AccessKind::kScattered:
      return "scattered";
    case AccessKind::kUnknown:
      return "unknown";
  }
  return "";
}

std::string CoalescingText(const Access& access, int64_t width) {
  std::string traffic;
  if (access.traffic) {
    traffic = fmt::format("; {} lanes read {} bytes of {} touched, in lines of {}", kLanes,
                          access.traffic->distinct_bytes, access.traffic->touched_bytes, kLineSize);
  }
  return fmt::format("  coalescing: vectors of {} are {}{}\n", width, KindText(access.vector),
                     traffic);
}

std::string CoalescingJson(const Access& access, int64_t width) {
  std::string traffic;
  if (access.traffic) {
    traffic = fmt::format(", \"distinct_bytes\": {}, \"touched_bytes\": {}",
                          access.traffic->distinct_bytes, access.traffic->touched_bytes);
  }
  return fmt::format("{{\"width\": {}, \"kind\": \"{}\", \"stride\": {}, \"aligned\": {}{}}}",
                     width, KindText(access.vector), access.vector.stride, access.vector.is_aligned,
                     traffic);
}

std::string Message(const absl::Status& status) { return std::string(status.message()); }

std::string TileSizesText(const absl::StatusOr<indexing::SymbolicTile>& tile,
                          const std::vector<int64_t>& sizes) {
  if (!tile.ok()) return fmt::format("  tile: none, {}\n", Message(tile.status()));
  const absl::StatusOr<std::vector<indexing::TileDimension>> at = TileAt(*tile, sizes);
  if (!at.ok()) return fmt::format("  tile: none, {}\n", Message(at.status()));
  std::vector<int64_t> offsets, extents, strides;
  for (const indexing::TileDimension& d : *at) {
    offsets.push_back(d.offset);
    extents.push_back(d.size);
    strides.push_back(d.stride);
  }
  return fmt::format("  tile: offsets [{}] sizes [{}] strides [{}]{}\n", fmt::join(offsets, ", "),
                     fmt::join(extents, ", "), fmt::join(strides, ", "),
                     tile->is_bounding_box ? ", a box around what is read" : "");
}

std::string SymbolicText(const absl::StatusOr<indexing::SymbolicTile>& tile) {
  if (!tile.ok()) return fmt::format("  no symbolic tile: {}\n", Message(tile.status()));
  std::string text = "  " + PrintTile(*tile) + "\n";
  for (size_t at = 0; (at = text.find("\n  ", at)) != std::string::npos; at += 5) {
    text.insert(at + 1, "  ");
  }
  return text;
}

}  // namespace

std::string AnalysesText(const MapSet& maps, const Shape& output, const Shape& operand,
                         const AnalysisFlags& flags) {
  std::string text;
  if (flags.utilization) text += UtilizationText(UtilizationOf(maps, operand.dims()));
  for (const IndexingMap& map : maps) {
    if (flags.coalescing) {
      const int64_t width = std::max<int64_t>(1, *flags.coalescing);
      text += CoalescingText(AccessOf(map, output, operand, width), width);
    }
    if (!flags.tile && !flags.symbolic_tile) continue;
    const absl::StatusOr<indexing::SymbolicTile> tile = TileOf(map, flags.sound);
    if (flags.symbolic_tile) text += SymbolicText(tile);
    if (flags.tile) text += TileSizesText(tile, *flags.tile);
  }
  return text;
}

std::string AnalysesJson(const MapSet& maps, const Shape& output, const Shape& operand,
                         const AnalysisFlags& flags) {
  std::string text;
  if (flags.utilization) {
    text += ", \"utilization\": " + UtilizationJson(UtilizationOf(maps, operand.dims()));
  }
  std::vector<std::string> accesses, tiles;
  for (const IndexingMap& map : maps) {
    if (flags.coalescing) {
      const int64_t width = std::max<int64_t>(1, *flags.coalescing);
      accesses.push_back(CoalescingJson(AccessOf(map, output, operand, width), width));
    }
    if (!flags.tile && !flags.symbolic_tile) continue;
    const absl::StatusOr<indexing::SymbolicTile> tile = TileOf(map, flags.sound);
    const std::string words = flags.tile ? TileSizesText(tile, *flags.tile) : SymbolicText(tile);
    tiles.push_back(fmt::format("\"{}\"", EscapeJson(words)));
  }
  if (flags.coalescing) text += fmt::format(", \"coalescing\": [{}]", fmt::join(accesses, ", "));
  if (!tiles.empty()) text += fmt::format(", \"tiles\": [{}]", fmt::join(tiles, ", "));
  return text;
}

}  // namespace hlo::tools
