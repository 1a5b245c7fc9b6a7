// The simplifier decides: with t = width * q + j and j below the width, every division by a
// multiple of the width loses j, and what is left of the difference to lane 0 says how lanes are
// spread.
#include "indexing/coalescing.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "indexing/compose.h"
#include "indexing/op_query.h"
#include "indexing/points.h"
#include "indexing/simplify.h"

namespace hlo::indexing {
namespace {

// The stride of `expr` = j * stride, j being variable 1.
std::optional<int64_t> StrideOf(Expr expr) {
  const std::optional<int64_t> factor = expr.ConstantRhs(ExprKind::kMul);
  const Expr atom = factor ? expr.lhs() : expr;
  if (!atom.IsVariable() || atom.variable() != 1) return std::nullopt;
  return factor.value_or(1);
}

}  // namespace

VectorAccess ClassifyAccess(Expr address, int64_t element_count, int64_t width) {
  VectorAccess access;
  if (width < 1 || element_count % width != 0 || element_count == 0) return access;
  ExprContext& context = address.context();
  IndexingMap lanes(context);
  lanes.dims = {{Interval::OfSize(element_count / width), "q"}, {Interval::OfSize(width), "j"}};
  const Expr first = context.Variable(0) * width;
  const auto at = [&](Expr position) {
    return MapVariables(address,
                        [&](int64_t i) { return i == 0 ? position : context.Constant(0); });
  };
  lanes.results = {at(first + context.Variable(1)) - at(first), Mod(at(first), width)};
  lanes.Normalize();
  if (lanes.IsUnknown()) return access;
  Simplify(lanes, SimplifyMode::kReplacePoints, /*sound=*/true);
  const Expr difference = lanes.results[0];
  access.is_aligned = lanes.results[1].IsConstant(0);
  if (difference.IsConstant(0)) {
    access.kind = AccessKind::kUniform;
  } else if (const std::optional<int64_t> stride = StrideOf(difference)) {
    access.kind = *stride == 1 ? AccessKind::kContiguous : AccessKind::kStrided;
    access.stride = *stride;
  } else {
    access.kind = AccessKind::kScattered;
  }
  access.difference = WithResult(lanes, 0);
  return access;
}

IndexingMap AddressMap(const IndexingMap& map, const Shape& output, const Shape& operand) {
  ExprContext& context = map.context();
  if (map.IsUnknown() || !output.IsArray() || !operand.IsArray()) {
    return IndexingMap::Unknown(context);
  }
  const IndexingMap enter = PhysicalToLogical(context, output);
  const IndexingMap leave = LogicalToPhysical(context, operand);
  const absl::StatusOr<int64_t> from_count = ElementCount(output), to_count = ElementCount(operand);
  if (enter.IsUnknown() || leave.IsUnknown() || !from_count.ok() || !to_count.ok()) {
    return IndexingMap::Unknown(context);
  }
  const auto sizes = [](const IndexingMap& physical) {
    std::vector<int64_t> dims;
    for (const Variable& dim : physical.dims) dims.push_back(dim.bounds.upper + 1);
    return dims;
  };
  const int64_t flat_output[] = {*from_count}, flat_operand[] = {*to_count};
  MapBuilder delinearize(context, flat_output);
  const std::vector<Expr> flat = delinearize.AllDims();
  IndexingMap address =
      Compose(delinearize.Build(ReshapeIndex(context, flat_output, flat, sizes(enter))), enter);
  address = Compose(Compose(address, map), leave);
  const std::vector<int64_t> memory = sizes(PhysicalToLogical(context, operand));
  MapBuilder linearize(context, memory);
  const std::vector<Expr> index = linearize.AllDims();
  address = Compose(address, linearize.Build(ReshapeIndex(context, memory, index, flat_operand)));
  for (Variable& runtime : address.runtimes) {
    runtime.bounds =
        Interval::Point(runtime.bounds.lower + (runtime.bounds.upper - runtime.bounds.lower) / 2);
  }
  Simplify(address, SimplifyMode::kReplacePoints, /*sound=*/true);
  return address;
}

std::optional<Traffic> TrafficOf(const IndexingMap& address, int64_t lanes, int64_t element_size,
                                 int64_t line_size) {
  constexpr int64_t kMaxPoints = 1 << 16;
  if (address.IsUnknown()) return std::nullopt;
  IndexingMap group = address;
  group.origins.clear();
  if (!group.IsKnownEmpty()) {
    group.dims[0].bounds = group.dims[0].bounds.Intersect(Interval::OfSize(lanes));
    for (Variable& range : group.ranges) range.bounds = Interval::Point(range.bounds.lower);
    group.Normalize();
  }
  std::set<int64_t> positions, lines;
  const bool complete = ForEachPoint(group, kMaxPoints, [&](std::span<const int64_t> point) {
    const std::optional<int64_t> position = Evaluate(group.results[0], point);
    if (!position) return true;
    positions.insert(*position);
    lines.insert(*position * element_size / line_size);
    return true;
  });
  if (!complete) return std::nullopt;
  return Traffic{static_cast<int64_t>(positions.size()) * element_size,
                 static_cast<int64_t>(lines.size()) * line_size};
}

}  // namespace hlo::indexing
