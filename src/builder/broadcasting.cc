// First the rank of the smaller operand is raised, then the dimensions of size 1 grow: lhs before
// rhs, and nothing is made for a side that fits. Dimensions that come in or grow are static, with
// the bound as size, so what is dynamic afterwards is what the operand has dynamic.
#include "builder/broadcasting.h"

#include <algorithm>
#include <numeric>

#include "inference/compatibility.h"

namespace hlo {

using ops::Ints;
using ops::Op;

namespace {

std::vector<int64_t> Identity(int64_t rank) {
  std::vector<int64_t> dimensions(rank);
  std::iota(dimensions.begin(), dimensions.end(), 0);
  return dimensions;
}

bool HaveEqualSizes(const Shape& a, const Shape& b) {
  return std::ranges::equal(a.dims(), b.dims());
}

// The dimensions of `shape`, none of them dynamic.
Shape StaticDims(const Shape& shape, ElementType type) { return Shape::Array(type, shape.dims()); }

// The list maps the dimensions of `low` to ones of `high` that have, or can take, their size.
bool CheckList(Operation& operation, const Shape& low, const Shape& high, Ints list) {
  if (list.empty() && low.rank() > 0) {
    operation.Fail(
        Rule::kBroadcastingRankMismatch,
        "`{}` and `{}` differ in rank: broadcast_dimensions must say which dimensions of "
        "the second the first one has",
        ShapeText(low), ShapeText(high));
    return false;
  }
  if (list.ssize() != low.rank()) {
    operation.Fail(Rule::kBroadcastingListLength,
                   "broadcast_dimensions={{{}}} has {} entries for the {} dimensions of `{}`",
                   fmt::join(list, ","), list.size(), low.rank(), ShapeText(low));
    return false;
  }
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] < 0 || list[i] >= high.rank()) {
      operation.Fail(Rule::kBroadcastingListRange,
                     "broadcast_dimensions={{{}}} names dimension {} of `{}`", fmt::join(list, ","),
                     list[i], ShapeText(high));
      return false;
    }
    if (i > 0 && list[i] <= list[i - 1]) {
      operation.Fail(Rule::kBroadcastingListIncreasing,
                     "broadcast_dimensions={{{}}} is not strictly ascending", fmt::join(list, ","));
      return false;
    }
  }
  return true;
}

// Dimension `i` of `low` meets dimension `d` of `high`: equal sizes, or one of them is 1. Where
// only one is dynamic the sizes are equal, or it is the static one that grows.
bool CanMeet(const Shape& low, int64_t i, const Shape& high, int64_t d) {
  const int64_t a = low.dim(i);
  const int64_t b = high.dim(d);
  if (a == b) return true;
  if (low.is_dynamic(i) != high.is_dynamic(d)) return (low.is_dynamic(i) ? b : a) == 1;
  return a == 1 || b == 1;
}

bool CheckMeeting(Operation& operation, const Shape& low, const Shape& high, Ints list) {
  for (int64_t i = 0; i < low.rank(); ++i) {
    if (CanMeet(low, i, high, list[i])) continue;
    operation.Fail(Rule::kBroadcastingSizeMatch,
                   "dimension {} of `{}` is to meet dimension {} of `{}`: the sizes are neither "
                   "equal nor 1",
                   i, ShapeText(low), list[i], ShapeText(high));
    return false;
  }
  return true;
}

// `high` as `low` sees it: with the sizes and flags of `low` where the list maps them.
Shape RaisedShape(const Shape& low, const Shape& high, Ints list) {
  Shape raised = StaticDims(high, low.element_type());
  for (int64_t i = 0; i < low.rank(); ++i) {
    raised.set_dim(list[i], low.dim(i));
    raised.set_dynamic(list[i], low.is_dynamic(i));
  }
  return raised;
}

bool CheckBounded(Operation& operation, const Shape& shape) {
  if (!shape.HasUnboundedDim()) return true;
  operation.Fail(Rule::kDynamicUnboundedUnsupported,
                 "`{}` cannot be broadcast, or broadcast to: it has an unbounded dimension",
                 ShapeText(shape));
  return false;
}

// Gives the operand of lower rank the other's rank.
void RaiseRank(Operation& operation, Op& low, const Op& high, Ints list) {
  const Shape from = operation.ShapeOf(low);
  const Shape to = operation.ShapeOf(high);
  if (!CheckList(operation, from, to, list) || !CheckBounded(operation, from) ||
      !CheckBounded(operation, to) || !CheckMeeting(operation, from, to, list)) {
    return;
  }
  low = operation.InnerBroadcast(low, RaisedShape(from, to, list), list);
}

bool CheckEqualRankList(Operation& operation, const Shape& shape, Ints list) {
  if (list.empty() || std::ranges::equal(list, Identity(shape.rank()))) return true;
  operation.Fail(Rule::kBroadcastingEqualRankList,
                 "broadcast_dimensions={{{}}} between operands of the same rank, {}",
                 fmt::join(list, ","), shape.rank());
  return false;
}

// What becomes of two arrays of one rank where a dimension of size 1 takes the other's size, 0
// included; nothing is kept of flags.
std::optional<Shape> Together(Operation& operation, const Shape& lhs, const Shape& rhs) {
  Shape result = StaticDims(lhs, lhs.element_type());
  for (int64_t d = 0; d < lhs.rank(); ++d) {
    if (lhs.dim(d) == 1) result.set_dim(d, rhs.dim(d));
    if (lhs.dim(d) == rhs.dim(d) || lhs.dim(d) == 1 || rhs.dim(d) == 1) continue;
    operation.Fail(Rule::kBroadcastingDegenerateMatch,
                   "dimension {} of `{}` and of `{}`: the sizes are neither equal nor 1", d,
                   ShapeText(lhs), ShapeText(rhs));
    return std::nullopt;
  }
  return result;
}

}  // namespace

Op BroadcastTo(Operation& operation, const Op& operand, const Shape& dims, bool is_inner) {
  if (!operation.ok()) return operation.Invalid();
  const Shape from = operation.ShapeOf(operand);
  Shape to = StaticDims(dims, from.element_type());
  std::vector<int64_t> kept;
  Shape kept_shape = Shape::Array(from.element_type(), {});
  for (int64_t i = 0; i < from.rank(); ++i) {
    if (from.dim(i) != to.dim(i)) continue;
    kept.push_back(i);
    AppendDimOf(kept_shape, from, i);
    to.set_dynamic(i, from.is_dynamic(i));
  }
  Op shrunk = operand;
  if (kept_shape.rank() < from.rank()) {
    shrunk = operation.AddInner(Opcode::kReshape, {operand}).As(kept_shape);
  }
  return (is_inner ? operation.AddInner(Opcode::kBroadcast, {shrunk})
                   : operation.Add(Opcode::kBroadcast, {shrunk}))
      .Set<Attr::kDimensions>(kept)
      .As(to);
}

void BroadcastOperands(Operation& operation, Op& lhs, Op& rhs, Ints broadcast_dimensions) {
  if (!operation.ok() || !lhs.shape().IsArray() || !rhs.shape().IsArray()) return;
  if (lhs.shape().rank() < rhs.shape().rank()) {
    RaiseRank(operation, lhs, rhs, broadcast_dimensions);
  } else if (lhs.shape().rank() > rhs.shape().rank()) {
    RaiseRank(operation, rhs, lhs, broadcast_dimensions);
  } else {
    CheckEqualRankList(operation, lhs.shape(), broadcast_dimensions);
  }
  if (!operation.ok() || HaveEqualSizes(lhs.shape(), rhs.shape())) return;
  if (!CheckBounded(operation, lhs.shape()) || !CheckBounded(operation, rhs.shape())) return;
  const std::optional<Shape> result = Together(operation, lhs.shape(), rhs.shape());
  if (!result) return;
  for (Op* side : {&lhs, &rhs}) {
    if (HaveEqualSizes(side->shape(), *result)) continue;
    *side = BroadcastTo(operation, *side, *result, /*is_inner=*/true);
  }
}

void BroadcastScalars(Operation& operation, std::span<Op> operands, Rule rule) {
  if (!operation.ok()) return;
  const Op* array = nullptr;
  for (const Op& operand : operands) {
    if (!operand.shape().IsArray()) return;
    if (operand.shape().IsScalar()) continue;
    if (array == nullptr) array = &operand;
    if (DimsCompatible(operand.shape(), array->shape())) continue;
    operation.Fail(rule, "`{}` and `{}` are no scalars and differ in their dimensions",
                   ShapeText(array->shape()), ShapeText(operand.shape()));
    return;
  }
  if (array == nullptr) return;
  const Shape dims = array->shape();
  for (Op& operand : operands) {
    if (!operation.ok() || !operand.shape().IsScalar()) continue;
    if (!CheckBounded(operation, dims)) return;
    operand =
        operation.InnerBroadcast(operand, StaticDims(dims, operand.shape().element_type()), {});
  }
}

}  // namespace hlo
