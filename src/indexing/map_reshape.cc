// Reshapes, and bitcasts as transpose-reshape-transpose (indexing.md 2.2, 2.3).
#include <algorithm>

#include "indexing/op_query.h"
#include "indexing/simplify.h"
#include "ir/layout.h"
#include "support/checked_math.h"

namespace hlo::indexing {
namespace {

// x as the index of an array of sizes `dims`: no remainder on the leading dimension.
void AppendDelinearized(Expr x, std::span<const int64_t> dims, std::vector<Expr>& results) {
  int64_t stride = 1;
  for (int64_t size : dims.subspan(1)) stride *= size;
  Expr rest = x;
  for (size_t d = 0; d < dims.size(); ++d) {
    results.push_back(FloorDiv(rest, stride));
    rest = Mod(rest, stride);
    if (d + 1 < dims.size()) stride /= dims[d + 1];
  }
}

Expr Linearized(ExprContext& context, std::span<const int64_t> dims, std::span<const Expr> index) {
  int64_t stride = 1;
  Expr sum = context.Constant(0);
  for (size_t d = dims.size(); d-- > 0;) {
    sum = index[d] * stride + sum;
    stride *= dims[d];
  }
  return sum;
}

// One group of dimensions with equal products on both sides.
void AppendGroup(ExprContext& context, std::span<const int64_t> from, std::span<const Expr> exprs,
                 std::span<const int64_t> to, std::vector<Expr>& results) {
  if (to.empty()) return;
  if (from.size() == 1 && to.size() == 1) {
    results.push_back(exprs[0]);
  } else {
    AppendDelinearized(Linearized(context, from, exprs), to, results);
  }
}

}  // namespace

std::vector<Expr> ReshapeIndex(ExprContext& context, std::span<const int64_t> from,
                               std::span<const Expr> from_exprs, std::span<const int64_t> to) {
  const auto has_zero = [](std::span<const int64_t> dims) {
    return std::ranges::find(dims, 0) != dims.end();
  };
  if (has_zero(from) || has_zero(to)) return std::vector<Expr>(to.size(), context.Constant(0));
  std::vector<Expr> results;
  size_t from_begin = 0, from_end = 0, to_begin = 0, to_end = 0;
  int64_t from_product = 1, to_product = 1;
  while (true) {
    if (to_end < to.size() && (to_begin == to_end || to_product < from_product)) {
      to_product *= to[to_end++];
    } else if (from_end < from.size() && (from_begin == from_end || from_product < to_product)) {
      from_product *= from[from_end++];
    } else {
      if (from_begin == from_end && to_begin == to_end) return results;
      AppendGroup(context, from.subspan(from_begin, from_end - from_begin),
                  from_exprs.subspan(from_begin, from_end - from_begin),
                  to.subspan(to_begin, to_end - to_begin), results);
      from_begin = from_end;
      to_begin = to_end;
      from_product = to_product = 1;
    }
  }
}

namespace {

// XLA keeps `d0 / 48` for d0 in [0, 47]; our exact variant gives the 0 it is.
void SimplifyReshape(IndexingMap& map, const IndexingOptions& options) {
  Simplify(map, SimplifyMode::kPreservePoints, options.sound);
}

IndexingMap ReshapeMap(const OpQuery& query, std::span<const int64_t> from,
                       std::span<const int64_t> to) {
  MapBuilder builder(query.context, from);
  IndexingMap map = builder.Build(ReshapeIndex(query.context, from, builder.AllDims(), to));
  SimplifyReshape(map, query.options);
  return map;
}

// Dimensions from the slowest to the fastest.
std::vector<int64_t> MajorOrder(const Shape& shape) {
  const Layout layout = shape.layout() ? *shape.layout() : Layout::Default(shape.rank());
  return {layout.minor_to_major.rbegin(), layout.minor_to_major.rend()};
}

std::vector<int64_t> SizesIn(const Shape& shape, std::span<const int64_t> order) {
  std::vector<int64_t> sizes;
  for (int64_t d : order) sizes.push_back(shape.dim(d));
  return sizes;
}

bool HasOrder(const Shape& shape) {
  return !shape.layout() || shape.layout()->IsOrderOf(shape.rank());
}

// Equal ranks, and the dimensions at equal places in memory have equal sizes: dimension `from[i]`
// of one shape is dimension `to[i]` of the other.
bool IsTranspose(const Shape& from, const Shape& to) {
  return from.rank() > 0 && from.rank() == to.rank() &&
         SizesIn(from, MajorOrder(from)) == SizesIn(to, MajorOrder(to));
}

// Whether the logical reshape moves no data: every step along one dimension is, in memory, where
// the other shape has the element with the same row-major number.
bool IsLogicalReshape(const Shape& from, const Shape& to);

int64_t PhysicalPosition(const Shape& shape, int64_t linear) {
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()));
  for (int64_t d = shape.rank(); d-- > 0;) {
    index[static_cast<size_t>(d)] = linear % shape.dim(d);
    linear /= shape.dim(d);
  }
  int64_t position = 0;
  for (int64_t d : MajorOrder(shape)) {
    position = position * shape.dim(d) + index[static_cast<size_t>(d)];
  }
  return position;
}

bool UnitStepsAgree(const Shape& shape, const Shape& other) {
  int64_t stride = 1;
  for (int64_t d = shape.rank(); d-- > 0;) {
    if (shape.dim(d) > 1 && PhysicalPosition(shape, stride) != PhysicalPosition(other, stride)) {
      return false;
    }
    stride *= shape.dim(d);
  }
  return true;
}

bool IsLogicalReshape(const Shape& from, const Shape& to) {
  return UnitStepsAgree(from, to) && UnitStepsAgree(to, from);
}

IndexingMap BitcastMap(const OpQuery& query, const Shape& from, const Shape& to) {
  const absl::StatusOr<int64_t> from_count = ElementCount(from), to_count = ElementCount(to);
  if (!from_count.ok() || !to_count.ok() || *from_count != *to_count || !HasOrder(from) ||
      !HasOrder(to)) {
    return IndexingMap::Unknown(query.context);
  }
  const std::vector<int64_t> from_order = MajorOrder(from), to_order = MajorOrder(to);
  MapBuilder builder(query.context, from.dims());
  std::vector<Expr> results(to_order.size());
  if (IsTranspose(from, to)) {
    for (size_t i = 0; i < to_order.size(); ++i) {
      results[static_cast<size_t>(to_order[i])] = builder.dim(from_order[i]);
    }
  } else if (*from_count == 0 || IsLogicalReshape(from, to)) {
    return ReshapeMap(query, from.dims(), to.dims());
  } else {
    std::vector<Expr> exprs;
    for (int64_t d : from_order) exprs.push_back(builder.dim(d));
    const std::vector<Expr> reshaped =
        ReshapeIndex(query.context, SizesIn(from, from_order), exprs, SizesIn(to, to_order));
    for (size_t i = 0; i < to_order.size(); ++i) {
      results[static_cast<size_t>(to_order[i])] = reshaped[i];
    }
  }
  IndexingMap map = builder.Build(std::move(results));
  SimplifyReshape(map, query.options);
  return map;
}

}  // namespace

void ReshapeToInput(const OpQuery& query, ArrayMapsList& maps) {
  maps[0] = {ReshapeMap(query, query.output_dims(), query.operand_dims(0))};
}

void ReshapeToOutput(const OpQuery& query, ArrayMapsList& maps) {
  maps[0].maps = ReshapeMap(query, query.operand_dims(0), query.result_shape().dims());
}

void BitcastToInput(const OpQuery& query, ArrayMapsList& maps) {
  if (!query.op.operand_shape(0).IsArray()) return;
  maps[0] = {BitcastMap(query, query.result_shape(), query.op.operand_shape(0))};
}

void BitcastToOutput(const OpQuery& query, ArrayMapsList& maps) {
  if (!query.op.operand_shape(0).IsArray() || !query.result_shape().IsArray()) return;
  maps[0].maps = BitcastMap(query, query.op.operand_shape(0), query.result_shape());
}

// A wider element has its narrow ones along a further dimension, the last (indexing.md 2.1). XLA
// gives the identity, whose rank does not fit.
void BitcastConvertToInput(const OpQuery& query, ArrayMapsList& maps) {
  const int64_t rank = query.op.operand_shape(0).rank();
  MapBuilder builder(query.context, query.output_dims());
  std::vector<Expr> results = builder.AllDims();
  if (rank < query.result_shape().rank()) results.pop_back();
  if (rank > query.result_shape().rank()) {
    results.push_back(builder.AddRange(query.op.operand_shape(0).dim(rank - 1)));
  }
  maps[0] = {builder.Build(std::move(results))};
}

void BitcastConvertToOutput(const OpQuery& query, ArrayMapsList& maps) {
  const int64_t rank = query.result_shape().rank();
  MapBuilder builder(query.context, query.operand_dims(0));
  std::vector<Expr> results = builder.AllDims();
  if (rank < query.op.operand_shape(0).rank()) results.pop_back();
  if (rank > query.op.operand_shape(0).rank()) {
    results.push_back(builder.AddRange(query.result_shape().dim(rank - 1)));
  }
  maps[0].maps = builder.Build(std::move(results));
}

IndexingMap LogicalToPhysical(ExprContext& context, const Shape& shape) {
  if (!HasOrder(shape)) return IndexingMap::Unknown(context);
  MapBuilder builder(context, shape.dims());
  std::vector<Expr> results;
  for (int64_t d : MajorOrder(shape)) results.push_back(builder.dim(d));
  return builder.Build(std::move(results));
}

IndexingMap PhysicalToLogical(ExprContext& context, const Shape& shape) {
  if (!HasOrder(shape)) return IndexingMap::Unknown(context);
  const std::vector<int64_t> order = MajorOrder(shape);
  MapBuilder builder(context, SizesIn(shape, order));
  std::vector<Expr> results(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    results[static_cast<size_t>(order[i])] = builder.dim(static_cast<int64_t>(i));
  }
  return builder.Build(std::move(results));
}

}  // namespace hlo::indexing
