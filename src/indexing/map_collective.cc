// Collectives: the index in the participant's own array, or in that of the one that holds the
// element. Which participant it is, where the maps say it, stands in a map of its own.
#include <algorithm>
#include <memory>
#include <utility>

#include "indexing/op_query.h"

namespace hlo::indexing {
namespace {

// A variadic collective's result k is that of operand k.
bool IsPaired(const OpQuery& query) {
  return OutputCount(query.result_shape()) == query.op.operand_count();
}

}  // namespace

// The same element of every participant, and of other opcodes that keep the index: copies between
// participants, starts and ends of transfers.
void AllReduceToInput(const OpQuery& query, ArrayMapsList& maps) {
  if (!IsPaired(query)) return;
  for (size_t i = 0; i < maps.size(); ++i) {
    maps[i] = static_cast<int64_t>(i) == query.index
                  ? ArrayMaps{IndexingMap::Identity(query.context, query.output_dims())}
                  : ArrayMaps{};
  }
}

void AllReduceToOutput(const OpQuery& query, ArrayMapsList& maps) {
  if (!IsPaired(query)) return;
  for (size_t i = 0; i < maps.size(); ++i) {
    maps[i].maps =
        static_cast<int64_t>(i) == query.index
            ? MapSet(IndexingMap::Identity(query.context, query.operand_dims(query.index)))
            : MapSet();
  }
}

void AllGatherToInput(const OpQuery& query, ArrayMapsList& maps) {
  if (!IsPaired(query)) return;
  for (ArrayMaps& operand : maps) operand = {};
  const int64_t c = query.op.Get<Attr::kDimensions>()[0];
  const int64_t shard = query.op.operand_shape(query.index).dim(c);
  if (shard == 0) return;
  MapBuilder builder(query.context, query.output_dims());
  MapBuilder replica(query.context, query.output_dims());
  std::vector<Expr> results = builder.AllDims();
  results[static_cast<size_t>(c)] = Mod(builder.dim(c), shard);
  IndexingMap map = builder.Build(std::move(results));
  map.replica = std::make_shared<IndexingMap>(replica.Build({FloorDiv(replica.dim(c), shard)}));
  maps[static_cast<size_t>(query.index)] = {std::move(map)};
}

// Which shard the operand is depends on the participant.
void AllGatherToOutput(const OpQuery& query, ArrayMapsList& maps) {
  if (!query.options.sound || !IsPaired(query)) return;  // unknown to XLA
  for (ArrayMaps& output : maps) output.maps = {};
  const int64_t c = query.op.Get<Attr::kDimensions>()[0];
  const std::span<const int64_t> shard = query.operand_dims(query.index);
  const int64_t size = ElementShape(query.result_shape(), query.index).dim(c);
  const int64_t own = shard[static_cast<size_t>(c)];
  if (own == 0) return;
  MapBuilder builder(query.context, shard);
  std::vector<Expr> results = builder.AllDims();
  results[static_cast<size_t>(c)] = builder.AddRange(size / own) * own + builder.dim(c);
  maps[static_cast<size_t>(query.index)].maps = builder.Build(std::move(results));
}

// The shard of the result depends on the participant: any of them.
void ReduceScatterToInput(const OpQuery& query, ArrayMapsList& maps) {
  if (!IsPaired(query)) return;
  for (ArrayMaps& operand : maps) operand = {};
  const int64_t c = query.op.Get<Attr::kDimensions>()[0];
  const int64_t own = query.output_dims()[static_cast<size_t>(c)];
  if (own == 0) return;
  MapBuilder builder(query.context, query.output_dims());
  std::vector<Expr> results = builder.AllDims();
  const int64_t shards = query.op.operand_shape(query.index).dim(c) / own;
  results[static_cast<size_t>(c)] = builder.AddRange(shards) * own + builder.dim(c);
  maps[static_cast<size_t>(query.index)] = {builder.Build(std::move(results))};
}

void ReduceScatterToOutput(const OpQuery& query, ArrayMapsList& maps) {
  if (!IsPaired(query)) return;
  for (ArrayMaps& output : maps) output.maps = {};
  const int64_t c = query.op.Get<Attr::kDimensions>()[0];
  const int64_t own = ElementShape(query.result_shape(), query.index).dim(c);
  if (own == 0) return;
  MapBuilder builder(query.context, query.operand_dims(query.index));
  std::vector<Expr> results = builder.AllDims();
  results[static_cast<size_t>(c)] = Mod(builder.dim(c), own);
  maps[static_cast<size_t>(query.index)].maps = builder.Build(std::move(results));
}

// With `dimensions` an array is cut into as many parts as a group has members, and part j goes to
// member j.
namespace {

std::optional<int64_t> GroupSize(const OpQuery& query) {
  const ReplicaGroups groups = query.op.Get<Attr::kReplicaGroups>();
  if (groups.form == ReplicaGroups::Form::kIota && groups.tile_dims.size() == 2) {
    return groups.tile_dims[1];
  }
  if (groups.groups.empty()) return std::nullopt;
  return static_cast<int64_t>(groups.groups[0].size());
}

void ExchangeParts(const OpQuery& query, std::span<const int64_t> dims, ArrayMapsList& maps) {
  const std::optional<int64_t> members = GroupSize(query);
  if (!query.op.Has(Attr::kDimensions) || query.op.operand_count() != 1 ||
      !query.result_shape().IsArray() || !members || *members <= 0) {
    return;
  }
  const size_t c = static_cast<size_t>(query.op.Get<Attr::kDimensions>()[0]);
  const int64_t part = dims[c] / *members;
  if (part == 0) return;
  MapBuilder builder(query.context, dims);
  std::vector<Expr> results = builder.AllDims();
  results[c] = builder.AddRange(*members) * part + Mod(builder.dim(static_cast<int64_t>(c)), part);
  maps[0] = {builder.Build(std::move(results))};
}

}  // namespace

void AllToAllToInput(const OpQuery& query, ArrayMapsList& maps) {
  ExchangeParts(query, query.output_dims(), maps);
}
void AllToAllToOutput(const OpQuery& query, ArrayMapsList& maps) {
  ExchangeParts(query, query.operand_dims(0), maps);
}

}  // namespace hlo::indexing
