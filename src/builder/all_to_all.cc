// Exchanges of parts. HLO joins what comes where it was cut; another dimension takes reshapes and a
// transpose, or parts that travel as arrays of their own.
#include <numeric>

#include "builder/collective.h"
#include "builder/collective_devices.h"
#include "builder/operation.h"
#include "inference/shape_inference.h"
#include "support/checked_math.h"

namespace hlo::ops {
namespace {

struct Split {
  int64_t split;   // dimension that is cut
  int64_t concat;  // dimension along which the parts are joined
  int64_t count;   // of the parts
};

bool CheckSplit(Operation& operation, const Shape& shape, const Split& split,
                const DeviceGroups& groups) {
  constexpr Rule kRule = Rule::kBuilderAllToAllDims;
  if (!operation.CheckDimension(split.split, shape.rank(), kRule, "split_dimension") ||
      !operation.CheckDimension(split.concat, shape.rank(), kRule, "concat_dimension") ||
      !CheckShards(operation, groups, split.count, kRule)) {
    return false;
  }
  if (split.count > kMaxOperandPartCount) {
    operation.Fail(kRule, "{} parts, more than {}", split.count, kMaxOperandPartCount);
    return false;
  }
  if (shape.is_unbounded(split.split) || shape.dim(split.split) % split.count == 0) return true;
  operation.Fail(kRule, "dimension {} of `{}` does not divide into {} parts", split.split,
                 ShapeText(shape), split.count);
  return false;
}

// What moves the parts afterwards needs their sizes.
bool CheckJoined(Operation& operation, const Shape& shape, const Split& split, bool is_by_parts) {
  if (!is_by_parts && split.split == split.concat) return true;
  if (shape.HasUnboundedDim()) {
    operation.Fail(Rule::kDynamicUnboundedUnsupported,
                   "`{}` has an unbounded dimension, so that its parts cannot be moved",
                   ShapeText(shape));
  } else if (!CheckedMul(shape.dim(split.concat), split.count)) {
    operation.Fail(Rule::kShapeCountOverflow, "the joined size overflows");
  }
  return operation.ok();
}

CollectiveOptions ExchangeOptions(const Split& split, const DeviceGroups& groups,
                                  const std::optional<ChannelHandle>& channel) {
  if (groups.group_size()) return {.groups = groups, .channel = channel};
  std::vector<int64_t> all(split.count);
  std::iota(all.begin(), all.end(), 0);
  return {.groups = DeviceGroups({all}), .channel = channel};
}

// What came along the split dimension, part after part, brought to the other one: the parts get a
// dimension of their own, which moves in front of that and is merged with it.
Op MoveParts(Operation& operation, const Op& exchanged, const Split& split) {
  std::vector<int64_t> sizes(exchanged.shape().dims().begin(), exchanged.shape().dims().end());
  std::vector<int64_t> joined = sizes;
  joined[split.split] /= split.count;
  joined[split.concat] *= split.count;
  sizes[split.split] /= split.count;
  sizes.insert(sizes.begin() + split.split, split.count);
  std::vector<int64_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  order.erase(order.begin() + split.split);
  order.insert(order.begin() + split.concat, split.split);
  const Op parts = operation.InnerReshape(exchanged, sizes);
  const Op moved =
      operation.AddInner(Opcode::kTranspose, {parts}).Set<Attr::kDimensions>(order).Infer();
  return operation.Add(Opcode::kReshape, {moved})
      .As(Shape::Array(exchanged.shape().element_type(), joined));
}

Op ExchangeArray(Operation& operation, const Op& operand, const Split& split,
                 const CollectiveOptions& options) {
  const bool is_all = split.split == split.concat;
  Draft draft = is_all ? operation.Add(Opcode::kAllToAll, {operand})
                       : operation.AddInner(Opcode::kAllToAll, {operand});
  const Op exchanged = SetDevices(draft, options)
                           .Set<Attr::kDimensions>(IntList(&split.split, 1))
                           .As(operand.shape());
  if (is_all || !operation.ok()) return exchanged;
  return MoveParts(operation, exchanged, split);
}

Op AddTupleExchange(Operation& operation, Ops parts, const CollectiveOptions& options,
                    const std::optional<Layout>& layout, bool is_inner) {
  std::vector<Shape> shapes;
  for (const Op& part : parts) {
    shapes.push_back(part.shape());
    if (layout) shapes.back().set_layout(*layout);
  }
  Draft draft = is_inner ? operation.AddInner(Opcode::kAllToAll, parts)
                         : operation.Add(Opcode::kAllToAll, parts);
  return SetDevices(draft, options)
      .SetIf<Attr::kConstrainLayout>(layout.has_value(), true)
      .As(Shape::Tuple(std::move(shapes)));
}

bool CheckLayoutRank(Operation& operation, const Shape& shape, const Layout& layout) {
  if (!operation.ok() || layout.IsOrderOf(shape.rank())) return operation.ok();
  operation.Fail(Rule::kBuilderAllToAllLayoutRank,
                 "the layout `{}` does not order the {} dimensions", LayoutText(layout),
                 shape.rank());
  return false;
}

// A layout that must not change: the parts travel as arrays of their own.
Op ExchangeParts(Operation& operation, const Op& operand, const Split& split,
                 const CollectiveOptions& options, const Layout& layout) {
  if (!CheckLayoutRank(operation, operand.shape(), layout)) return operation.Invalid();
  std::vector<SliceRange> ranges;
  for (int64_t size : operand.shape().dims()) ranges.push_back({0, size, 1});
  const int64_t part_size = operand.shape().dim(split.split) / split.count;
  std::vector<Op> parts;
  for (int64_t i = 0; operation.ok() && i < split.count; ++i) {
    ranges[split.split] = {i * part_size, (i + 1) * part_size, 1};
    parts.push_back(operation.AddInner(Opcode::kSlice, {operand})
                        .Set<Attr::kSliceRanges>(ranges)
                        .InferFrom(operand.shape()));
  }
  if (!operation.ok()) return operation.Invalid();
  const Op exchanged = AddTupleExchange(operation, parts, options, layout, /*is_inner=*/true);
  std::vector<Op> received;
  for (int64_t i = 0; operation.ok() && i < split.count; ++i) {
    received.push_back(operation.InnerElement(exchanged, i));
  }
  return operation.Add(Opcode::kConcatenate, received)
      .Set<Attr::kDimensions>(IntList(&split.concat, 1))
      .Infer();
}

}  // namespace

Op AllToAll(const Op& operand, int64_t split_dimension, int64_t concat_dimension,
            int64_t split_count, const DeviceGroups& groups, const std::optional<Layout>& layout,
            const std::optional<ChannelHandle>& channel, SourceLocation at) {
  Operation operation("AllToAll", at, {operand});
  const Split split = {split_dimension, concat_dimension, split_count};
  if (operation.ok() && !operand.shape().IsArray()) {
    return operation.Fail(Rule::kAllToAllNotTupleOperand, "`{}` is no array",
                          ShapeText(operand.shape()));
  }
  if (!CheckSplit(operation, operand.shape(), split, groups) ||
      !CheckJoined(operation, operand.shape(), split, layout.has_value())) {
    return operation.Invalid();
  }
  const CollectiveOptions options = ExchangeOptions(split, groups, channel);
  return layout ? ExchangeParts(operation, operand, split, options, *layout)
                : ExchangeArray(operation, operand, split, options);
}

Op AllToAllTuple(const HloBuilder& builder, Ops operands, const DeviceGroups& groups,
                 const std::optional<Layout>& layout, const std::optional<ChannelHandle>& channel,
                 SourceLocation at) {
  Operation operation("AllToAllTuple", at, builder, operands);
  for (const Op& operand : operands) {
    if (layout && !CheckLayoutRank(operation, operand.shape(), *layout)) return operation.Invalid();
  }
  return AddTupleExchange(operation, operands, {.groups = groups, .channel = channel}, layout,
                          /*is_inner=*/false);
}

}  // namespace hlo::ops
