// Opcodes whose indices are values of the run: a runtime variable stands for each start, clamped so
// that the slice lies in the array (indexing.md 2.4).
//
// gather and scatter are seen alike: an index vector for each batch index, and a window of the
// operand behind it.
#include <algorithm>
#include <utility>

#include "indexing/op_query.h"
#include "ir/gather_dimensions.h"

namespace hlo::indexing {
namespace {

// --- Start indices of dynamic slices ------------------------------------------------------------

// The start along dimension d: operand `first + d`, or element d of the one operand `first`.
struct StartIndices {
  const OpQuery& query;
  int64_t first;

  bool AreOneOperand() const {
    return query.op.operand_count() == first + 1 && query.op.operand_shape(first).rank() == 1;
  }
  Expr Add(MapBuilder& builder, int64_t d, int64_t largest) const {
    std::vector<Expr> index;
    if (AreOneOperand()) index.push_back(query.context.Constant(d));
    const Instruction& origin = query.op.operand(AreOneOperand() ? first : first + d);
    return builder.AddRuntime(query, origin, std::move(index), {0, largest});
  }
};

void SetStartOperands(const OpQuery& query, int64_t first, ArrayMapsList& maps) {
  for (size_t i = static_cast<size_t>(first); i < maps.size(); ++i) {
    maps[i] = {AllToAllMap(query.context, query.output_dims(),
                           query.operand_dims(static_cast<int64_t>(i)))};
  }
}

bool StartsFit(const OpQuery& query, int64_t first) {
  const int64_t rank = query.op.operand_shape(0).rank();
  return query.op.operand_count() == first + rank || StartIndices{query, first}.AreOneOperand();
}

}  // namespace

// --- dynamic-slice ------------------------------------------------------------------------------

void DynamicSliceToInput(const OpQuery& query, ArrayMapsList& maps) {
  if (!StartsFit(query, 1)) return;
  const std::span<const int64_t> dims = query.operand_dims(0);
  const std::span<const int64_t> sizes = query.output_dims();
  MapBuilder builder(query.context, sizes);
  std::vector<Expr> results;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t d = static_cast<int64_t>(i);
    results.push_back(builder.dim(d) + StartIndices{query, 1}.Add(builder, d, dims[i] - sizes[i]));
  }
  maps[0] = {builder.Build(std::move(results))};
  SetStartOperands(query, 1, maps);
}

void DynamicSliceToOutput(const OpQuery& query, ArrayMapsList& maps) {
  const std::span<const int64_t> sizes = query.result_shape().dims();
  const std::span<const int64_t> dims = query.operand_dims(0);
  if (query.index > 0) {
    maps[0].maps = AllToAllMap(query.context, query.operand_dims(query.index), sizes);
    return;
  }
  if (!StartsFit(query, 1)) return;
  MapBuilder builder(query.context, dims);
  std::vector<Expr> results;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t d = static_cast<int64_t>(i);
    results.push_back(builder.dim(d) - StartIndices{query, 1}.Add(builder, d, dims[i] - sizes[i]));
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    builder.AddConstraint(results[i], Interval::OfSize(sizes[i]));
  }
  maps[0].maps = builder.Build(std::move(results));
}

// --- dynamic-update-slice -----------------------------------------------------------------------

// XLA lets an update's index be out of range where the element is not overwritten; the exact map
// says so. The operand's window that is overwritten stays in its map: there is no "not in".
void DynamicUpdateSliceToInput(const OpQuery& query, ArrayMapsList& maps) {
  if (!StartsFit(query, 2)) return;
  const std::span<const int64_t> dims = query.operand_dims(0);
  const std::span<const int64_t> update = query.operand_dims(1);
  MapBuilder builder(query.context, dims);
  std::vector<Expr> results;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t d = static_cast<int64_t>(i);
    results.push_back(builder.dim(d) - StartIndices{query, 2}.Add(builder, d, dims[i] - update[i]));
  }
  for (size_t i = 0; i < dims.size() && query.options.sound; ++i) {
    builder.AddConstraint(results[i], Interval::OfSize(update[i]));
  }
  maps[0] = {IndexingMap::Identity(query.context, dims)};
  maps[1] = {builder.Build(std::move(results))};
  SetStartOperands(query, 2, maps);
}

void DynamicUpdateSliceToOutput(const OpQuery& query, ArrayMapsList& maps) {
  const std::span<const int64_t> dims = query.operand_dims(0);
  if (query.index == 0) {
    maps[0].maps = IndexingMap::Identity(query.context, dims);
    return;
  }
  if (query.index > 1) {
    maps[0].maps = AllToAllMap(query.context, query.operand_dims(query.index), dims);
    return;
  }
  if (!StartsFit(query, 2)) return;
  const std::span<const int64_t> update = query.operand_dims(1);
  MapBuilder builder(query.context, update);
  std::vector<Expr> results;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t d = static_cast<int64_t>(i);
    results.push_back(builder.dim(d) + StartIndices{query, 2}.Add(builder, d, dims[i] - update[i]));
  }
  maps[0].maps = builder.Build(std::move(results));
}

// --- gather and scatter -------------------------------------------------------------------------

namespace {

// The dimensions of gather or scatter with the sizes of their arrays.
struct WindowedAccess {
  GatherDimensions dimensions;
  int64_t indices_operand;
  std::span<const int64_t> operand;  // sizes
  std::span<const int64_t> indices;
  std::span<const int64_t> windows;   // gather's result, scatter's updates
  Index batch_dims;                   // of `windows`
  std::vector<int64_t> window_of;     // by operand dimension: that of `windows`, or -1: size 1
  std::vector<int64_t> window_sizes;  // by operand dimension

  WindowedAccess(const OpQuery& query, int64_t indices_operand, std::span<const int64_t> windows)
      : dimensions(GatherDimensions::Of(query.op)),
        indices_operand(indices_operand),
        operand(query.operand_dims(0)),
        indices(query.operand_dims(indices_operand)),
        windows(windows),
        batch_dims(dimensions.BatchDims(static_cast<int64_t>(windows.size()))),
        window_of(operand.size(), -1),
        window_sizes(operand.size(), 1) {
    size_t next = 0;
    for (int64_t d : dimensions.WindowedDims(static_cast<int64_t>(operand.size()))) {
      const int64_t place = dimensions.window_dims[next++];
      window_of[static_cast<size_t>(d)] = place;
      window_sizes[static_cast<size_t>(d)] = windows[static_cast<size_t>(place)];
    }
  }

  bool HasVectorDim() const {
    return dimensions.index_vector_dim < static_cast<int64_t>(indices.size());
  }

  // The index of component `component` in the indices, for batch coordinates `batch`.
  std::vector<Expr> IndexOf(std::span<const Expr> batch, Expr component) const {
    std::vector<Expr> index(indices.size());
    for (size_t k = 0; k < batch.size(); ++k) {
      index[static_cast<size_t>(dimensions.IndicesDim(static_cast<int64_t>(k)))] = batch[k];
    }
    if (HasVectorDim()) index[static_cast<size_t>(dimensions.index_vector_dim)] = component;
    return index;
  }
};

WindowedAccess GatherAccess(const OpQuery& query) {
  return {query, 1, query.result_shape().dims()};
}

WindowedAccess ScatterAccess(const OpQuery& query) {
  const int64_t inputs = query.op.operand_count() / 2;
  return {query, inputs, query.operand_dims(inputs + 1)};
}

// Windows' index -> operand's index: the place in the window, plus where the window starts.
IndexingMap WindowsToOperand(const OpQuery& query, const WindowedAccess& access) {
  MapBuilder builder(query.context, access.windows);
  std::vector<Expr> batch;
  for (int64_t d : access.batch_dims) batch.push_back(builder.dim(d));
  const Instruction& indices = query.op.operand(access.indices_operand);
  std::vector<Expr> results;
  for (size_t i = 0; i < access.operand.size(); ++i) {
    const int64_t d = static_cast<int64_t>(i);
    Expr position =
        access.window_of[i] < 0 ? query.context.Constant(0) : builder.dim(access.window_of[i]);
    if (const int64_t component = access.dimensions.ComponentOf(d); component >= 0) {
      position =
          position + builder.AddRuntime(query, indices,
                                        access.IndexOf(batch, query.context.Constant(component)),
                                        {0, access.operand[i] - access.window_sizes[i]});
    } else if (const int64_t k = access.dimensions.BatchOf(d); k >= 0) {
      position = position + batch[static_cast<size_t>(k)];
    }
    results.push_back(position);
  }
  return builder.Build(std::move(results));
}

// Operand's index -> windows' index: for any batch index, the place in its window, if it lies
// there.
IndexingMap OperandToWindows(const OpQuery& query, const WindowedAccess& access) {
  MapBuilder builder(query.context, access.operand);
  std::vector<Expr> batch(access.batch_dims.size());
  for (size_t i = 0; i < access.operand.size(); ++i) {
    const int64_t k = access.dimensions.BatchOf(static_cast<int64_t>(i));
    if (k >= 0) batch[static_cast<size_t>(k)] = builder.dim(static_cast<int64_t>(i));
  }
  std::vector<Expr> results(access.windows.size());
  for (size_t k = 0; k < batch.size(); ++k) {
    const size_t d = static_cast<size_t>(access.batch_dims[k]);
    if (batch[k].node() == nullptr) batch[k] = builder.AddRange(access.windows[d]);
    results[d] = batch[k];
  }
  const Instruction& indices = query.op.operand(access.indices_operand);
  std::vector<std::pair<Expr, int64_t>> offsets;
  for (size_t i = 0; i < access.operand.size(); ++i) {
    const int64_t d = static_cast<int64_t>(i);
    if (access.dimensions.BatchOf(d) >= 0) continue;
    Expr offset = builder.dim(d);
    if (const int64_t component = access.dimensions.ComponentOf(d); component >= 0) {
      offset = offset - builder.AddRuntime(query, indices,
                                           access.IndexOf(batch, query.context.Constant(component)),
                                           {0, access.operand[i] - access.window_sizes[i]});
    }
    offsets.emplace_back(offset, access.window_sizes[i]);
    if (access.window_of[i] >= 0) results[static_cast<size_t>(access.window_of[i])] = offset;
  }
  for (const auto& [offset, size] : offsets) builder.AddConstraint(offset, Interval::OfSize(size));
  return builder.Build(std::move(results));
}

// Windows' index -> indices: the whole vector of its batch index.
IndexingMap WindowsToIndices(const OpQuery& query, const WindowedAccess& access) {
  MapBuilder builder(query.context, access.windows);
  std::vector<Expr> batch;
  for (int64_t d : access.batch_dims) batch.push_back(builder.dim(d));
  Expr component = query.context.Constant(0);
  if (access.HasVectorDim()) {
    component =
        builder.AddRange(access.indices[static_cast<size_t>(access.dimensions.index_vector_dim)]);
  }
  return builder.Build(access.IndexOf(batch, component));
}

IndexingMap IndicesToWindows(const OpQuery& query, const WindowedAccess& access) {
  MapBuilder builder(query.context, access.indices);
  std::vector<Expr> results(access.windows.size());
  for (size_t k = 0; k < access.batch_dims.size(); ++k) {
    results[static_cast<size_t>(access.batch_dims[k])] =
        builder.dim(access.dimensions.IndicesDim(static_cast<int64_t>(k)));
  }
  for (size_t d = 0; d < results.size(); ++d) {
    if (results[d].node() == nullptr) results[d] = builder.AddRange(access.windows[d]);
  }
  return builder.Build(std::move(results));
}

}  // namespace

// XLA handles the form alone that its simplification leaves: one batch dimension in front, and all
// of the slice behind it.
namespace {
bool IsSimplifiedGather(const WindowedAccess& access) {
  bool in_order = true;
  const GatherDimensions& dimensions = access.dimensions;
  for (size_t i = 0; i < dimensions.window_dims.size(); ++i) {
    in_order &= dimensions.window_dims[i] == static_cast<int64_t>(i) + 1;
  }
  return in_order && access.indices.size() == 2 && dimensions.index_vector_dim == 1 &&
         dimensions.window_dims.size() == access.operand.size() &&
         dimensions.operand_batching.empty();
}
}  // namespace

void GatherToInput(const OpQuery& query, ArrayMapsList& maps) {
  const WindowedAccess access = GatherAccess(query);
  if (!query.options.sound && !IsSimplifiedGather(access)) return;
  maps[0] = {WindowsToOperand(query, access)};
  maps[1] = {WindowsToIndices(query, access)};
}

void GatherToOutput(const OpQuery& query, ArrayMapsList& maps) {
  const WindowedAccess access = GatherAccess(query);
  maps[0].maps =
      query.index == 0 ? OperandToWindows(query, access) : IndicesToWindows(query, access);
}

// Updates outside the array are left out, not clamped: a start that keeps its window inside is the
// only one there is a map for. An element depends on the indices wherever they may point to it.
void ScatterToInput(const OpQuery& query, ArrayMapsList& maps) {
  const WindowedAccess access = ScatterAccess(query);
  const int64_t inputs = access.indices_operand;
  const IndexingMap updates = OperandToWindows(query, access);
  for (size_t i = 0; i < maps.size(); ++i) {
    if (static_cast<int64_t>(i) < inputs) {
      maps[i] = {IndexingMap::Identity(query.context, access.operand)};
    } else if (static_cast<int64_t>(i) > inputs) {
      maps[i] = {updates};
    } else {
      maps[i] = {AllToAllMap(query.context, access.operand, access.indices)};
    }
  }
}

void ScatterToOutput(const OpQuery& query, ArrayMapsList& maps) {
  const WindowedAccess access = ScatterAccess(query);
  const int64_t inputs = access.indices_operand;
  const IndexingMap map =
      query.index < inputs   ? IndexingMap::Identity(query.context, access.operand)
      : query.index > inputs ? WindowsToOperand(query, access)
                             : AllToAllMap(query.context, access.indices, access.operand);
  for (ArrayMaps& output : maps) output.maps = map;
}

}  // namespace hlo::indexing
