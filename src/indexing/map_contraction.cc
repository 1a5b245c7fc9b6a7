// dot and its relatives (indexing.md 2.1, 2.7). The result has the batch dimensions, the free ones
// of the left side, and those of the right.
#include <algorithm>
#include <utility>

#include "indexing/op_query.h"
#include "ir/dot_dimensions.h"

namespace hlo::indexing {
namespace {

// Where the dimensions of one side stand in the result.
struct ResultPlaces {
  std::vector<std::pair<int64_t, int64_t>> own;    // dimension of the side, of the result
  std::vector<std::pair<int64_t, int64_t>> other;  // of the other side, of the result
};

ResultPlaces PlacesOf(const OpQuery& query, int64_t side, int64_t first = 0) {
  const DotDimensions own = DotDimensions::Of(query.op, side);
  const DotDimensions other = DotDimensions::Of(query.op, 1 - side);
  ResultPlaces places;
  int64_t next = first;
  for (int64_t d : own.batch) places.own.emplace_back(d, next++);
  const auto add = [&](bool is_own) {
    for (int64_t d : is_own ? own.free : other.free) {
      (is_own ? places.own : places.other).emplace_back(d, next++);
    }
  };
  add(side == 0);
  add(side == 1);
  return places;
}

// The operand's index from the result's: contracting dimensions are ranges, on both sides in the
// same order.
IndexingMap SideMap(const OpQuery& query, int64_t side) {
  const std::span<const int64_t> dims = query.operand_dims(side);
  MapBuilder builder(query.context, query.output_dims());
  std::vector<Expr> results(dims.size());
  for (const auto& [d, place] : PlacesOf(query, side).own) {
    results[static_cast<size_t>(d)] = builder.dim(place);
  }
  for (int64_t d : DotDimensions::Of(query.op, side).contracting) {
    results[static_cast<size_t>(d)] = builder.AddRange(dims[static_cast<size_t>(d)]);
  }
  return builder.Build(std::move(results));
}

IndexingMap SideToResult(const OpQuery& query, int64_t side, std::span<const int64_t> dims,
                         std::span<const Expr> own, MapBuilder& builder) {
  std::vector<Expr> results(dims.size());
  const ResultPlaces places = PlacesOf(query, side);
  for (const auto& [d, place] : places.own) {
    results[static_cast<size_t>(place)] = own[static_cast<size_t>(d)];
  }
  for (const auto& [d, place] : places.other) {
    results[static_cast<size_t>(place)] = builder.AddRange(dims[static_cast<size_t>(place)]);
  }
  return builder.Build(std::move(results));
}

}  // namespace

void DotToInput(const OpQuery& query, ArrayMapsList& maps) {
  maps[0] = {SideMap(query, 0)};
  maps[1] = {SideMap(query, 1)};
}

void DotToOutput(const OpQuery& query, ArrayMapsList& maps) {
  MapBuilder builder(query.context, query.operand_dims(query.index));
  maps[0].maps =
      SideToResult(query, query.index, query.result_shape().dims(), builder.AllDims(), builder);
}

// --- scaled-dot ---------------------------------------------------------------------------------

namespace {

// How many elements of the side share one scale, by dimension; empty where the scale has none.
std::optional<std::vector<int64_t>> ScaleBlocks(const OpQuery& query, int64_t side) {
  const std::span<const int64_t> dims = query.operand_dims(side);
  const std::span<const int64_t> scale = query.operand_dims(side + 2);
  if (dims.size() != scale.size()) return std::nullopt;
  std::vector<int64_t> blocks;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (scale[d] == 0 || dims[d] % scale[d] != 0) return std::nullopt;
    blocks.push_back(dims[d] / scale[d]);
  }
  return blocks;
}

}  // namespace

void ScaledDotToInput(const OpQuery& query, ArrayMapsList& maps) {
  for (int64_t side : {0, 1}) {
    const IndexingMap map = SideMap(query, side);
    maps[static_cast<size_t>(side)] = {map};
    const std::optional<std::vector<int64_t>> blocks = ScaleBlocks(query, side);
    if (query.operand_dims(side + 2).empty()) {
      maps[static_cast<size_t>(side + 2)] = {ScalarMap(query.context, query.output_dims())};
    }
    if (!blocks) continue;
    IndexingMap scale = map;
    for (size_t d = 0; d < blocks->size(); ++d) {
      scale.results[d] = FloorDiv(scale.results[d], (*blocks)[d]);
    }
    maps[static_cast<size_t>(side + 2)] = {scale};
  }
}

void ScaledDotToOutput(const OpQuery& query, ArrayMapsList& maps) {
  if (query.index < 2) return DotToOutput(query, maps);
  const int64_t side = query.index - 2;
  const std::span<const int64_t> output = query.result_shape().dims();
  const std::optional<std::vector<int64_t>> blocks = ScaleBlocks(query, side);
  if (query.operand_dims(query.index).empty()) {
    maps[0].maps = FromScalarMap(query.context, output);
  }
  if (!blocks) return;
  MapBuilder builder(query.context, query.operand_dims(query.index));
  std::vector<Expr> own;
  for (size_t d = 0; d < blocks->size(); ++d) {
    own.push_back(builder.dim(static_cast<int64_t>(d)));
    if ((*blocks)[d] > 1) own[d] = own[d] * (*blocks)[d] + builder.AddRange((*blocks)[d]);
  }
  maps[0].maps = SideToResult(query, side, output, own, builder);
}

// --- ragged-dot ---------------------------------------------------------------------------------

// Which group an element belongs to depends on the group sizes, values of a run: the maps reach
// every group (semantics.md 10.2).
namespace {

struct RaggedPlaces {
  std::vector<std::pair<int64_t, int64_t>> lhs, rhs;  // dimension of the side, of the result
};

RaggedPlaces RaggedPlacesOf(const OpQuery& query) {
  const DotDimensions lhs = DotDimensions::Of(query.op, 0);
  const DotDimensions rhs = DotDimensions::Of(query.op, 1);
  const IntList groups = query.op.Get<Attr::kRhsGroupDims>();
  const int64_t ragged = query.op.Get<Attr::kLhsRaggedDims>()[0];
  RaggedPlaces places;
  // A ragged contracting dimension puts the groups in front.
  int64_t next = std::ranges::find(lhs.contracting, ragged) != lhs.contracting.end() ? 1 : 0;
  for (size_t i = 0; i < lhs.batch.size(); ++i) {
    places.lhs.emplace_back(lhs.batch[i], next);
    places.rhs.emplace_back(rhs.batch[i], next++);
  }
  for (int64_t d : lhs.free) places.lhs.emplace_back(d, next++);
  for (int64_t d : rhs.free) {
    if (std::ranges::find(groups, d) == groups.end()) places.rhs.emplace_back(d, next++);
  }
  return places;
}

}  // namespace

void RaggedDotToInput(const OpQuery& query, ArrayMapsList& maps) {
  const RaggedPlaces places = RaggedPlacesOf(query);
  for (int64_t side : {0, 1}) {
    const std::span<const int64_t> dims = query.operand_dims(side);
    MapBuilder builder(query.context, query.output_dims());
    std::vector<Expr> results(dims.size());
    for (const auto& [d, place] : side == 0 ? places.lhs : places.rhs) {
      results[static_cast<size_t>(d)] = builder.dim(place);
    }
    for (size_t d = 0; d < dims.size(); ++d) {
      if (results[d].node() == nullptr) results[d] = builder.AddRange(dims[d]);
    }
    maps[static_cast<size_t>(side)] = {builder.Build(std::move(results))};
  }
  maps[2] = {AllToAllMap(query.context, query.output_dims(), query.operand_dims(2))};
}

void RaggedDotToOutput(const OpQuery& query, ArrayMapsList& maps) {
  const std::span<const int64_t> output = query.result_shape().dims();
  if (query.index == 2) {
    maps[0].maps = AllToAllMap(query.context, query.operand_dims(2), output);
    return;
  }
  const RaggedPlaces places = RaggedPlacesOf(query);
  MapBuilder builder(query.context, query.operand_dims(query.index));
  std::vector<Expr> results(output.size());
  for (const auto& [d, place] : query.index == 0 ? places.lhs : places.rhs) {
    results[static_cast<size_t>(place)] = builder.dim(d);
  }
  for (size_t d = 0; d < output.size(); ++d) {
    if (results[d].node() == nullptr) results[d] = builder.AddRange(output[d]);
  }
  maps[0].maps = builder.Build(std::move(results));
}

}  // namespace hlo::indexing
