// Where the text says what stands at a start there is no runtime variable (indexing.md 2.4). By
// default that is as in XLA (indexing_xla.md 4): a constant out of range stays a variable, an iota
// is taken without clamping; `sound` clamps both. A variable's origin is kept twice: as the index
// where it is read, and as the map that XLA lists.
#include <algorithm>
#include <utility>

#include "indexing/op_query.h"
#include "ir/constant_value.h"

namespace hlo::indexing {

MapBuilder::MapBuilder(ExprContext& context, std::span<const int64_t> dims) : map_(context) {
  for (int64_t size : dims) map_.dims.push_back({Interval::OfSize(size), {}});
  full_dims_ = map_.dims;
}

std::vector<Expr> MapBuilder::AllDims() const {
  std::vector<Expr> dims;
  for (int64_t d = 0; d < map_.first_range(); ++d) dims.push_back(dim(d));
  return dims;
}

Expr MapBuilder::AddRange(int64_t size) {
  map_.ranges.push_back({Interval::OfSize(size), {}});
  return map_.VariableExpr(map_.first_runtime() - 1);
}

namespace {

// The value that stands at `index` of `origin`, where the text says it. XLA substitutes a constant
// only where it lies in the bounds, and an iota without clamping it to them.
std::optional<Expr> ValueAt(const OpQuery& query, const Instruction& origin,
                            std::span<const Expr> index, const Interval& bounds) {
  ExprContext& context = query.context;
  const bool sound = query.options.sound;
  if (const std::optional<__int128> value = ConstantInteger(origin)) {
    const __int128 clamped = std::clamp<__int128>(*value, bounds.lower, bounds.upper);
    if (clamped != *value && !sound) return std::nullopt;
    return context.Constant(static_cast<int64_t>(clamped));
  }
  if (origin.opcode == Opcode::kIota) {
    const Expr position = index[static_cast<size_t>(origin.Get<Attr::kIotaDimension>())];
    if (!sound) return position;
    return Min(Max(position, context.Constant(bounds.lower)), context.Constant(bounds.upper));
  }
  return std::nullopt;
}

}  // namespace

Expr MapBuilder::AddRuntime(const OpQuery& query, const Instruction& origin,
                            std::vector<Expr> index, const Interval& bounds) {
  if (std::optional<Expr> value = ValueAt(query, origin, index, bounds)) return *value;
  const InstructionId id = query.op.module().id_of(origin);
  IndexingMap listed(map_.context());
  listed.dims = full_dims_;
  listed.ranges = map_.ranges;
  listed.results = index;
  listed.Normalize();
  map_.runtimes.push_back({bounds, {}});
  map_.listed_origins.push_back({id, std::make_shared<IndexingMap>(std::move(listed))});
  map_.origins.push_back({id, std::move(index)});
  return map_.VariableExpr(map_.variable_count() - 1);
}

IndexingMap MapBuilder::Build(std::vector<Expr> results) {
  map_.results = std::move(results);
  map_.Normalize();
  return std::move(map_);
}

IndexingMap ScalarMap(ExprContext& context, std::span<const int64_t> dims) {
  return MapBuilder(context, dims).Build({});
}

IndexingMap FromScalarMap(ExprContext& context, std::span<const int64_t> dims) {
  return AllToAllMap(context, {}, dims);
}

IndexingMap AllToAllMap(ExprContext& context, std::span<const int64_t> from,
                        std::span<const int64_t> to) {
  MapBuilder builder(context, from);
  std::vector<Expr> results;
  for (int64_t size : to) results.push_back(builder.AddRange(size));
  return builder.Build(std::move(results));
}

}  // namespace hlo::indexing
