// Opcodes that move elements by a rule on their indices (indexing.md 2.1, 2.7).
#include <algorithm>

#include "indexing/op_query.h"

namespace hlo::indexing {
namespace {

// Which operand dimension an output dimension of a broadcast shows; -1: none.
std::vector<int64_t> BroadcastSources(const OpQuery& query) {
  std::vector<int64_t> sources(static_cast<size_t>(query.result_shape().rank()), -1);
  const IntList dimensions = query.op.Get<Attr::kDimensions>();
  for (size_t i = 0; i < dimensions.size(); ++i) {
    sources[static_cast<size_t>(dimensions[i])] = static_cast<int64_t>(i);
  }
  return sources;
}

int64_t ConcatenateOffset(const OpQuery& query, int64_t operand) {
  const int64_t dimension = query.op.Get<Attr::kDimensions>()[0];
  int64_t offset = 0;
  for (int64_t i = 0; i < operand; ++i) offset += query.op.operand_shape(i).dim(dimension);
  return offset;
}

}  // namespace

void BroadcastToInput(const OpQuery& query, ArrayMapsList& maps) {
  MapBuilder builder(query.context, query.output_dims());
  std::vector<Expr> results;
  for (int64_t d : query.op.Get<Attr::kDimensions>()) results.push_back(builder.dim(d));
  maps[0] = {builder.Build(std::move(results))};
}

void BroadcastToOutput(const OpQuery& query, ArrayMapsList& maps) {
  MapBuilder builder(query.context, query.operand_dims(0));
  std::vector<Expr> results;
  const std::vector<int64_t> sources = BroadcastSources(query);
  for (size_t d = 0; d < sources.size(); ++d) {
    results.push_back(sources[d] >= 0
                          ? builder.dim(sources[d])
                          : builder.AddRange(query.result_shape().dim(static_cast<int64_t>(d))));
  }
  maps[0].maps = builder.Build(std::move(results));
}

void ConcatenateToInput(const OpQuery& query, ArrayMapsList& maps) {
  const int64_t c = query.op.Get<Attr::kDimensions>()[0];
  for (size_t i = 0; i < maps.size(); ++i) {
    const int64_t operand = static_cast<int64_t>(i);
    const int64_t offset = ConcatenateOffset(query, operand);
    MapBuilder builder(query.context, query.output_dims());
    builder.SetBounds(c, {offset, offset + query.op.operand_shape(operand).dim(c) - 1});
    std::vector<Expr> results = builder.AllDims();
    results[static_cast<size_t>(c)] = builder.dim(c) - offset;
    maps[i] = {builder.Build(std::move(results))};
  }
}

void ConcatenateToOutput(const OpQuery& query, ArrayMapsList& maps) {
  const int64_t c = query.op.Get<Attr::kDimensions>()[0];
  MapBuilder builder(query.context, query.operand_dims(query.index));
  std::vector<Expr> results = builder.AllDims();
  results[static_cast<size_t>(c)] = builder.dim(c) + ConcatenateOffset(query, query.index);
  maps[0].maps = builder.Build(std::move(results));
}

// --- pad ----------------------------------------------------------------------------------------

void PadToInput(const OpQuery& query, ArrayMapsList& maps) {
  const PaddingConfig padding = query.op.Get<Attr::kPadding>();
  const std::span<const int64_t> dims = query.output_dims();
  MapBuilder builder(query.context, dims);
  std::vector<Expr> results;
  for (size_t i = 0; i < padding.size(); ++i) {
    const int64_t d = static_cast<int64_t>(i);
    const PaddingDimension& p = padding[i];
    const Expr shifted = builder.dim(d) - p.low;
    builder.SetBounds(d,
                      {std::max<int64_t>(0, p.low), std::min(dims[i] - 1, dims[i] - 1 - p.high)});
    if (p.interior > 0) builder.AddConstraint(Mod(shifted, p.interior + 1), Interval::Point(0));
    results.push_back(FloorDiv(shifted, p.interior + 1));
  }
  maps[0] = {builder.Build(std::move(results))};
  maps[1] = {ScalarMap(query.context, dims)};
}

void PadToOutput(const OpQuery& query, ArrayMapsList& maps) {
  const std::span<const int64_t> output = query.result_shape().dims();
  if (query.index == 1) {
    maps[0].maps = FromScalarMap(query.context, output);
    return;
  }
  const PaddingConfig padding = query.op.Get<Attr::kPadding>();
  MapBuilder builder(query.context, query.operand_dims(0));
  std::vector<Expr> results;
  for (size_t i = 0; i < padding.size(); ++i) {
    const Expr position =
        builder.dim(static_cast<int64_t>(i)) * (padding[i].interior + 1) + padding[i].low;
    if (padding[i].low < 0 || padding[i].high < 0) {
      builder.AddConstraint(position, Interval::OfSize(output[i]));
    }
    results.push_back(position);
  }
  maps[0].maps = builder.Build(std::move(results));
}

// --- reverse, slice, transpose ------------------------------------------------------------------

void ReverseToInput(const OpQuery& query, ArrayMapsList& maps) {
  const std::span<const int64_t> dims = query.operand_dims(0);
  MapBuilder builder(query.context, dims);
  std::vector<Expr> results = builder.AllDims();
  for (int64_t d : query.op.Get<Attr::kDimensions>()) {
    const size_t i = static_cast<size_t>(d);
    results[i] = -builder.dim(d) + (dims[i] - 1);
  }
  maps[0] = {builder.Build(std::move(results))};
}

void ReverseToOutput(const OpQuery& query, ArrayMapsList& maps) { ReverseToInput(query, maps); }

void SliceToInput(const OpQuery& query, ArrayMapsList& maps) {
  MapBuilder builder(query.context, query.output_dims());
  std::vector<Expr> results;
  for (const SliceRange& range : query.op.Get<Attr::kSliceRanges>()) {
    const Expr dim = builder.dim(static_cast<int64_t>(results.size()));
    results.push_back(dim * range.stride + range.start);
  }
  maps[0] = {builder.Build(std::move(results))};
}

void SliceToOutput(const OpQuery& query, ArrayMapsList& maps) {
  const SliceRanges ranges = query.op.Get<Attr::kSliceRanges>();
  const std::span<const int64_t> output = query.result_shape().dims();
  MapBuilder builder(query.context, query.operand_dims(0));
  std::vector<Expr> results;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const int64_t d = static_cast<int64_t>(i);
    const auto [start, limit, stride] = ranges[i];
    builder.SetBounds(d, {start, start + (output[i] - 1) * stride});
    const Expr shifted = builder.dim(d) - start;
    if (stride > 1) builder.AddConstraint(Mod(shifted, stride), Interval::Point(0));
    results.push_back(FloorDiv(shifted, stride));
  }
  maps[0].maps = builder.Build(std::move(results));
}

void TransposeToInput(const OpQuery& query, ArrayMapsList& maps) {
  MapBuilder builder(query.context, query.output_dims());
  const IntList permutation = query.op.Get<Attr::kDimensions>();
  std::vector<Expr> results(permutation.size());
  for (size_t d = 0; d < permutation.size(); ++d) {
    results[static_cast<size_t>(permutation[d])] = builder.dim(static_cast<int64_t>(d));
  }
  maps[0] = {builder.Build(std::move(results))};
}

void TransposeToOutput(const OpQuery& query, ArrayMapsList& maps) {
  MapBuilder builder(query.context, query.operand_dims(0));
  std::vector<Expr> results;
  for (int64_t d : query.op.Get<Attr::kDimensions>()) results.push_back(builder.dim(d));
  maps[0].maps = builder.Build(std::move(results));
}

// --- Tuples -------------------------------------------------------------------------------------

void GetTupleElementToInput(const OpQuery& query, ArrayMapsList& maps) {
  maps[0] = {IndexingMap::Identity(query.context, query.output_dims()),
             query.op.Get<Attr::kIndex>()};
}

// The operand's element that is taken; the others reach nothing.
void GetTupleElementToOutput(const OpQuery& query, ArrayMapsList& maps) {
  if (!query.result_shape().IsArray()) return;
  maps[0].maps = IndexingMap::Identity(query.context, query.result_shape().dims());
}

void TupleToInput(const OpQuery& query, ArrayMapsList& maps) {
  for (size_t i = 0; i < maps.size(); ++i) {
    maps[i] = static_cast<int64_t>(i) == query.index
                  ? ArrayMaps{IndexingMap::Identity(query.context, query.output_dims())}
                  : ArrayMaps{};
  }
}

void TupleToOutput(const OpQuery& query, ArrayMapsList& maps) {
  for (size_t i = 0; i < maps.size(); ++i) {
    const Shape& element = query.result_shape().element(static_cast<int64_t>(i));
    if (static_cast<int64_t>(i) != query.index) {
      maps[i].maps = {};
    } else if (element.IsArray()) {
      maps[i].maps = IndexingMap::Identity(query.context, element.dims());
    }
  }
}

// Opcodes that hand their one operand on, array or tuple: element k is element k.
void TupleIdentityToInput(const OpQuery& query, ArrayMapsList& maps) {
  const Shape& operand = query.op.operand_shape(0);
  const int64_t element = operand.IsTuple() ? query.index : 0;
  if (element >= OutputCount(operand) || !ElementShape(operand, element).IsArray()) return;
  maps[0] = {IndexingMap::Identity(query.context, query.output_dims()), element};
  for (size_t i = 1; i < maps.size(); ++i) maps[i] = {};
}

void TupleIdentityToOutput(const OpQuery& query, ArrayMapsList& maps) {
  if (query.index > 0) {
    for (ArrayMaps& output : maps) output.maps = {};
    return;
  }
  const Shape& operand = query.op.operand_shape(0);
  for (size_t i = 0; i < maps.size(); ++i) {
    const Shape& output = ElementShape(query.result_shape(), static_cast<int64_t>(i));
    const bool is_handed_on = operand.IsTuple() || i == 0;
    if (!output.IsArray()) continue;
    maps[i].maps =
        is_handed_on ? MapSet(IndexingMap::Identity(query.context, output.dims())) : MapSet();
  }
}

// The size is an attribute of the array: it decides which elements there are, not where they are.
void SetDimensionSizeToInput(const OpQuery& query, ArrayMapsList& maps) {
  maps[0] = {IndexingMap::Identity(query.context, query.output_dims())};
  maps[1] = {ScalarMap(query.context, query.output_dims())};
}

void SetDimensionSizeToOutput(const OpQuery& query, ArrayMapsList& maps) {
  const std::span<const int64_t> dims = query.result_shape().dims();
  maps[0].maps = query.index == 0 ? IndexingMap::Identity(query.context, dims)
                                  : FromScalarMap(query.context, dims);
}

}  // namespace hlo::indexing
