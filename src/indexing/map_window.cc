// reduce-window and select-and-scatter. A window map is a step over the padded base followed by the
// map of the padding.
#include "indexing/map_window.h"

#include <algorithm>

#include "indexing/compose.h"
#include "indexing/op_query.h"
#include "indexing/simplify.h"
#include "inference/window.h"
#include "ir/window_dimension.h"

namespace hlo::indexing {

std::vector<WindowDimension> WindowDimensions(const Window& window, size_t rank) {
  std::vector<WindowDimension> dimensions;
  for (size_t d = 0; d < rank; ++d) {
    dimensions.push_back(WindowDimensionAt(window, static_cast<int64_t>(d)));
  }
  return dimensions;
}

namespace {

// Over the padded base: the element that stands at each place of it.
IndexingMap UnpaddedMap(ExprContext& context, std::span<const WindowDimension> window,
                        std::span<const int64_t> base) {
  std::vector<int64_t> padded;
  for (size_t d = 0; d < base.size(); ++d) {
    const std::optional<int64_t> size = PaddedBaseSize(base[d], window[d]);
    if (!size) return IndexingMap::Unknown(context);
    padded.push_back(*size);
  }
  MapBuilder builder(context, padded);
  std::vector<Expr> results;
  for (size_t i = 0; i < base.size(); ++i) {
    const int64_t d = static_cast<int64_t>(i);
    const WindowDimension& w = window[i];
    builder.SetBounds(d, {std::max<int64_t>(0, w.padding_low),
                          std::min(padded[i] - 1, padded[i] - 1 - w.padding_high)});
    const Expr shifted = builder.dim(d) - w.padding_low;
    if (w.base_dilation > 1) {
      builder.AddConstraint(Mod(shifted, w.base_dilation), Interval::Point(0));
    }
    results.push_back(FloorDiv(shifted, w.base_dilation));
  }
  return builder.Build(std::move(results));
}

void SetAll(ArrayMapsList& maps, const IndexingMap& map) {
  for (ArrayMaps& array : maps) array.maps = map;
}

void SimplifyWindow(IndexingMap& map, const IndexingOptions& options) {
  Simplify(map, SimplifyMode::kReplacePoints, options.sound);
  RemoveUnused(map);
}

}  // namespace

IndexingMap WindowMap(ExprContext& context, std::span<const int64_t> output,
                      std::span<const WindowDimension> window, std::span<const int64_t> base) {
  MapBuilder builder(context, output);
  std::vector<Expr> results;
  for (size_t d = 0; d < window.size(); ++d) {
    const Expr position = builder.AddRange(window[d].size);
    results.push_back(builder.dim(static_cast<int64_t>(d)) * window[d].stride +
                      position * window[d].window_dilation);
  }
  return Compose(builder.Build(std::move(results)), UnpaddedMap(context, window, base));
}

IndexingMap PlacesMap(ExprContext& context, std::span<const int64_t> base,
                      std::span<const WindowDimension> window, std::span<const int64_t> output) {
  MapBuilder builder(context, base);
  std::vector<Expr> results;
  for (size_t d = 0; d < window.size(); ++d) {
    const WindowDimension& w = window[d];
    const Expr position = builder.AddRange(w.size);
    const Expr start = builder.dim(static_cast<int64_t>(d)) * w.base_dilation + w.padding_low -
                       position * w.window_dilation;
    if (w.stride > 1) builder.AddConstraint(Mod(start, w.stride), Interval::Point(0));
    const Expr place = FloorDiv(start, w.stride);
    builder.AddConstraint(place, Interval::OfSize(output[d]));
    results.push_back(place);
  }
  return builder.Build(std::move(results));
}

// --- reduce-window ------------------------------------------------------------------------------

void ReduceWindowToInput(const OpQuery& query, ArrayMapsList& maps) {
  const std::vector<WindowDimension> window =
      WindowDimensions(query.op.Get<Attr::kWindow>(), query.operand_dims(0).size());
  IndexingMap input = WindowMap(query.context, query.output_dims(), window, query.operand_dims(0));
  SimplifyWindow(input, query.options);
  const IndexingMap init = ScalarMap(query.context, query.output_dims());
  for (size_t i = 0; i < maps.size(); ++i) maps[i] = {i < maps.size() / 2 ? input : init};
}

void ReduceWindowToOutput(const OpQuery& query, ArrayMapsList& maps) {
  const std::span<const int64_t> output = ElementShape(query.result_shape(), 0).dims();
  if (query.index >= query.op.operand_count() / 2) {
    return SetAll(maps, FromScalarMap(query.context, output));
  }
  const std::span<const int64_t> base = query.operand_dims(query.index);
  IndexingMap map = PlacesMap(query.context, base,
                              WindowDimensions(query.op.Get<Attr::kWindow>(), base.size()), output);
  SimplifyWindow(map, query.options);
  SetAll(maps, map);
}

// --- select-and-scatter -------------------------------------------------------------------------

// An element of the result gets the source elements of all windows that cover it, and which window
// selects it depends on everything that these windows cover (semantics.md 9.4).
void SelectAndScatterToInput(const OpQuery& query, ArrayMapsList& maps) {
  const std::span<const int64_t> operand = query.operand_dims(0);
  const std::span<const int64_t> source = query.operand_dims(1);
  const std::vector<WindowDimension> window =
      WindowDimensions(query.op.Get<Attr::kWindow>(), operand.size());
  IndexingMap places = PlacesMap(query.context, operand, window, source);
  SimplifyWindow(places, query.options);
  IndexingMap covered = Compose(places, WindowMap(query.context, source, window, operand));
  SimplifyWindow(covered, query.options);
  maps[0] = {covered};
  maps[1] = {places};
  maps[2] = {ScalarMap(query.context, operand)};
}

void SelectAndScatterToOutput(const OpQuery& query, ArrayMapsList& maps) {
  const std::span<const int64_t> operand = query.operand_dims(0);
  const std::span<const int64_t> source = query.operand_dims(1);
  if (query.index == 2) {
    maps[0].maps = FromScalarMap(query.context, operand);
    return;
  }
  const std::vector<WindowDimension> window =
      WindowDimensions(query.op.Get<Attr::kWindow>(), operand.size());
  IndexingMap map = WindowMap(query.context, source, window, operand);
  if (query.index == 0) map = Compose(PlacesMap(query.context, operand, window, source), map);
  SimplifyWindow(map, query.options);
  maps[0].maps = map;
}

}  // namespace hlo::indexing
