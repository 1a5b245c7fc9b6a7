// Opcodes that combine elements along dimensions: reduce, sort, topk, scan (indexing.md 2.1, 2.7).
#include <algorithm>
#include <utility>

#include "indexing/op_query.h"

namespace hlo::indexing {
namespace {

bool Lists(IntList numbers, int64_t number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

void SetAll(ArrayMapsList& maps, const IndexingMap& map) {
  for (ArrayMaps& array : maps) array.maps = map;
}

// Every index with its coordinate along `dimension` free, in an array where that has `size`.
IndexingMap FreeAlong(ExprContext& context, std::span<const int64_t> dims, int64_t dimension,
                      int64_t size) {
  MapBuilder builder(context, dims);
  std::vector<Expr> results = builder.AllDims();
  results[static_cast<size_t>(dimension)] = builder.AddRange(size);
  return builder.Build(std::move(results));
}

}  // namespace

// --- reduce -------------------------------------------------------------------------------------

// The same for every output of a variadic reduce.
void ReduceToInput(const OpQuery& query, ArrayMapsList& maps) {
  const std::span<const int64_t> dims = query.operand_dims(0);
  const IntList reduced = query.op.Get<Attr::kDimensions>();
  MapBuilder builder(query.context, query.output_dims());
  std::vector<Expr> results;
  int64_t next = 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    results.push_back(Lists(reduced, static_cast<int64_t>(d)) ? builder.AddRange(dims[d])
                                                              : builder.dim(next++));
  }
  const IndexingMap input = builder.Build(std::move(results));
  const IndexingMap init = ScalarMap(query.context, query.output_dims());
  for (size_t i = 0; i < maps.size(); ++i) maps[i] = {i < maps.size() / 2 ? input : init};
}

void ReduceToOutput(const OpQuery& query, ArrayMapsList& maps) {
  const std::span<const int64_t> output = ElementShape(query.result_shape(), 0).dims();
  if (query.index >= query.op.operand_count() / 2) {
    return SetAll(maps, FromScalarMap(query.context, output));
  }
  const IntList reduced = query.op.Get<Attr::kDimensions>();
  MapBuilder builder(query.context, query.operand_dims(query.index));
  std::vector<Expr> results;
  for (int64_t d = 0; d < query.op.operand_shape(query.index).rank(); ++d) {
    if (!Lists(reduced, d)) results.push_back(builder.dim(d));
  }
  SetAll(maps, builder.Build(std::move(results)));
}

// --- sort, topk ---------------------------------------------------------------------------------

void SortToInput(const OpQuery& query, ArrayMapsList& maps) {
  const int64_t d = query.op.Get<Attr::kDimensions>()[0];
  const std::span<const int64_t> dims = query.output_dims();
  const IndexingMap map = FreeAlong(query.context, dims, d, dims[static_cast<size_t>(d)]);
  for (ArrayMaps& operand : maps) operand = {map};
}

void SortToOutput(const OpQuery& query, ArrayMapsList& maps) {
  const int64_t d = query.op.Get<Attr::kDimensions>()[0];
  const std::span<const int64_t> dims = query.operand_dims(query.index);
  SetAll(maps, FreeAlong(query.context, dims, d, dims[static_cast<size_t>(d)]));
}

void TopKToInput(const OpQuery& query, ArrayMapsList& maps) {
  const std::span<const int64_t> dims = query.output_dims();
  const int64_t last = static_cast<int64_t>(dims.size()) - 1;
  maps[0] = {FreeAlong(query.context, dims, last, query.operand_dims(0).back())};
}

void TopKToOutput(const OpQuery& query, ArrayMapsList& maps) {
  const std::span<const int64_t> output = ElementShape(query.result_shape(), 0).dims();
  const int64_t last = static_cast<int64_t>(output.size()) - 1;
  SetAll(maps, FreeAlong(query.context, query.operand_dims(0), last, output.back()));
}

// --- scan ---------------------------------------------------------------------------------------

namespace {

// What an element of a scanned array depends on along the scan: everything up to itself.
IndexingMap PrefixMap(const OpQuery& query, std::span<const int64_t> dims, bool towards_output) {
  const int64_t a = query.op.Get<Attr::kDimensions>()[0];
  const int64_t size = dims[static_cast<size_t>(a)];
  MapBuilder builder(query.context, dims);
  std::vector<Expr> results = builder.AllDims();
  const Expr position = builder.AddRange(size);
  const bool starts_at_end = query.op.Get<Attr::kIsReverse>() != towards_output;
  const Expr distance = starts_at_end ? position - builder.dim(a) : builder.dim(a) - position;
  builder.AddConstraint(distance, Interval::OfSize(size));
  results[static_cast<size_t>(a)] = position;
  return builder.Build(std::move(results));
}

// From an array without the scanned dimension to one that has it, and back.
IndexingMap WithScannedDimension(const OpQuery& query, std::span<const int64_t> from,
                                 std::span<const int64_t> to) {
  const int64_t a = query.op.Get<Attr::kDimensions>()[0];
  MapBuilder builder(query.context, from);
  std::vector<Expr> results = builder.AllDims();
  results.insert(results.begin() + a, builder.AddRange(to[static_cast<size_t>(a)]));
  return builder.Build(std::move(results));
}

IndexingMap WithoutScannedDimension(const OpQuery& query, std::span<const int64_t> from) {
  MapBuilder builder(query.context, from);
  std::vector<Expr> results = builder.AllDims();
  results.erase(results.begin() + query.op.Get<Attr::kDimensions>()[0]);
  return builder.Build(std::move(results));
}

IndexingMap ScanMap(const OpQuery& query, std::span<const int64_t> from,
                    std::span<const int64_t> to, bool towards_output) {
  if (from.size() == to.size() + 1) return WithoutScannedDimension(query, from);
  if (from.size() + 1 == to.size()) return WithScannedDimension(query, from, to);
  if (from.size() != to.size()) return IndexingMap::Unknown(query.context);
  const size_t carry_rank = query.op.operand_shape(query.op.operand_count() - 1).dims().size();
  if (from.size() == carry_rank) return IndexingMap::Identity(query.context, from);
  return PrefixMap(query, from, towards_output);
}

}  // namespace

// XLA gives inputs the identity, and a rank-0 output no index at all; the exact maps hold the
// prefix that an element depends on.
void ScanToInput(const OpQuery& query, ArrayMapsList& maps) {
  const std::span<const int64_t> output = query.output_dims();
  for (size_t i = 0; i < maps.size(); ++i) {
    const std::span<const int64_t> operand = query.operand_dims(static_cast<int64_t>(i));
    if (query.options.sound) {
      maps[i] = {ScanMap(query, output, operand, /*towards_output=*/false)};
    } else if (output.size() == operand.size()) {
      maps[i] = {IndexingMap::Identity(query.context, output)};
    } else if (output.empty() || operand.empty()) {
      maps[i] = {ScalarMap(query.context, output)};
    } else {
      maps[i] = {ScanMap(query, output, operand, /*towards_output=*/false)};
    }
  }
}

void ScanToOutput(const OpQuery& query, ArrayMapsList& maps) {
  if (!query.options.sound) return;  // unknown to XLA
  for (size_t i = 0; i < maps.size(); ++i) {
    const Shape& output = ElementShape(query.result_shape(), static_cast<int64_t>(i));
    maps[i].maps = ScanMap(query, query.operand_dims(query.index), output.dims(),
                           /*towards_output=*/true);
  }
}

}  // namespace hlo::indexing
