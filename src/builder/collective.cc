// Collectives of tuples are ones of their elements, which are taken out first.
#include "builder/collective.h"

#include <algorithm>
#include <numeric>

#include "builder/called_computations.h"
#include "builder/operation.h"
#include "inference/compatibility.h"
#include "inference/shape_inference.h"
#include "support/checked_math.h"

namespace hlo::ops {
namespace {

Draft& SetDevices(Draft& draft, const CollectiveOptions& options) {
  options.groups.WithAttribute(
      [&](const ReplicaGroups& groups) { draft.Set<Attr::kReplicaGroups>(groups); });
  if (options.channel) draft.Set<Attr::kChannelId>(options.channel->id);
  return draft.SetGiven<Attr::kUseGlobalDeviceIds>(options.use_global_device_ids);
}

// The arrays in the operand: itself, or the elements of a tuple, of which there are some.
std::vector<Op> ArraysOf(Operation& operation, const Op& operand) {
  if (!operation.ok() || !operand.shape().IsTuple()) return {operand};
  if (operand.shape().element_count() == 0) {
    operation.Fail(Rule::kBuilderAllReduceEmptyTuple, "the operand is an empty tuple");
  }
  std::vector<Op> arrays;
  for (int64_t i = 0; i < operand.shape().element_count(); ++i) {
    arrays.push_back(operation.InnerElement(operand, i));
  }
  return arrays;
}

bool CheckOneType(Operation& operation, Ops arrays) {
  if (!operation.ok()) return false;
  const ElementType first = arrays[0].shape().element_type();
  for (const Op& array : arrays) {
    if (array.shape().element_type() == first) continue;
    operation.Fail(Rule::kBuilderAllReduceOneType, "the tuple has arrays of `{}` and of `{}`",
                   ElementTypeName(first), ElementTypeName(array.shape().element_type()));
    return false;
  }
  return true;
}

bool CheckShards(Operation& operation, const DeviceGroups& groups, int64_t shard_count, Rule rule) {
  if (!operation.ok()) return false;
  const std::optional<int64_t> group_size = groups.group_size();
  if (shard_count > 0 && (!group_size || *group_size == shard_count)) return true;
  if (shard_count <= 0) {
    operation.Fail(rule, "the number of shards is {}", shard_count);
  } else {
    operation.Fail(rule, "{} shards among groups of {}", shard_count, *group_size);
  }
  return false;
}

// A layout given for the result, or none.
void SetLayout(Shape& shape, const std::optional<Layout>& layout) {
  if (layout) shape.set_layout(*layout);
}

struct ResizeRules {
  Rule array;      // what no array breaks
  Rule dimension;  // what other dimensions than those of the arrays break
};

// The arrays with sizes along `dimension` that `resize` makes of theirs, as one or as a tuple.
template <typename Resize>
std::optional<Shape> ResizedShapes(Operation& operation, Ops arrays, int64_t dimension,
                                   const std::optional<Layout>& layout, const ResizeRules& rules,
                                   const Resize& resize) {
  std::vector<Shape> shapes;
  for (const Op& array : arrays) {
    Shape shape = array.shape();
    if (operation.ok() && !shape.IsArray()) {
      operation.Fail(rules.array, "`{}` is no array", ShapeText(shape));
    }
    if (!operation.CheckDimension(dimension, shape.rank(), rules.dimension)) return std::nullopt;
    const std::optional<int64_t> size =
        shape.is_unbounded(dimension) ? Shape::kUnbounded : resize(shape.dim(dimension));
    if (!size) return std::nullopt;
    shape.set_dim(dimension, *size);
    shape.set_dynamic(dimension, *size == Shape::kUnbounded);
    SetLayout(shape, layout);
    shapes.push_back(std::move(shape));
  }
  return OneOrTuple(std::move(shapes));
}

}  // namespace

Op AllGather(const Op& operand, int64_t dimension, int64_t shard_count,
             const CollectiveOptions& options, const std::optional<Layout>& layout,
             SourceLocation at) {
  Operation operation("AllGather", at, {operand});
  const std::vector<Op> arrays = ArraysOf(operation, operand);
  if (!CheckShards(operation, options.groups, shard_count, Rule::kBuilderAllGatherShardCount)) {
    return operation.Invalid();
  }
  const auto shape =
      ResizedShapes(operation, arrays, dimension, layout,
                    {Rule::kAllGatherOperands, Rule::kAllGatherDimension}, [&](int64_t size) {
                      const std::optional<int64_t> total = CheckedMul(size, shard_count);
                      if (!total)
                        operation.Fail(Rule::kShapeCountOverflow, "the gathered size overflows");
                      return total;
                    });
  if (!shape) return operation.Invalid();
  Draft draft = operation.Add(Opcode::kAllGather, arrays);
  return SetDevices(draft, options)
      .Set<Attr::kDimensions>(IntList(&dimension, 1))
      .SetIf<Attr::kConstrainLayout>(layout.has_value(), true)
      .As(*shape);
}

namespace {

// The operand's shape with the layouts of `given`, whose arrays are the same.
std::optional<Shape> ShapeWithLayout(Operation& operation, const Op& operand,
                                     const std::optional<Shape>& given) {
  if (!operation.ok()) return std::nullopt;
  if (!given) return operand.shape();
  if (Compatible(*given, operand.shape())) return given;
  operation.FailResultShape(Opcode::kAllReduce, "shape_with_layout is `{}`, the operand `{}`",
                            ShapeText(*given), ShapeText(operand.shape()));
  return std::nullopt;
}

Op AddAllReduce(Operation& operation, const Op& operand, Ops arrays, const Callee& computation,
                const CollectiveOptions& options, const std::optional<Shape>& shape_with_layout) {
  if (!CheckOneType(operation, arrays) || !operation.Check(computation)) return operation.Invalid();
  const auto shape = ShapeWithLayout(operation, operand, shape_with_layout);
  if (!shape) return operation.Invalid();
  const bool is_tuple = shape->IsTuple();
  const bool wraps = is_tuple && arrays.size() == 1;
  Draft draft = wraps ? operation.AddInner(Opcode::kAllReduce, arrays)
                      : operation.Add(Opcode::kAllReduce, arrays);
  const Op result = SetDevices(draft, options)
                        .SetIf<Attr::kConstrainLayout>(shape_with_layout.has_value(), true)
                        .SetCallee<Attr::kToApply>(computation)
                        .As(wraps ? shape->element(0) : *shape);
  return wraps ? operation.Add(Opcode::kTuple, {result}).Infer() : result;
}

}  // namespace

Op AllReduce(const Op& operand, const Callee& computation, const CollectiveOptions& options,
             const std::optional<Shape>& shape_with_layout, SourceLocation at) {
  Operation operation("AllReduce", at, {operand});
  const std::vector<Op> arrays = ArraysOf(operation, operand);
  return AddAllReduce(operation, operand, arrays, computation, options, shape_with_layout);
}

Op CrossReplicaSum(const Op& operand, const DeviceGroups& groups, SourceLocation at) {
  Operation operation("CrossReplicaSum", at, {operand});
  const std::vector<Op> arrays = ArraysOf(operation, operand);
  if (!operation.ok() || !arrays[0].shape().IsArray()) {
    return operation.Fail(Rule::kAllReduceOperands, "`{}` is no array", ShapeText(operand.shape()));
  }
  const Callee sum = SumComputation(operation, arrays[0].shape().element_type());
  return AddAllReduce(operation, operand, arrays, sum, {.groups = groups}, {});
}

Op ReduceScatter(const Op& operand, const Callee& computation, int64_t dimension,
                 int64_t shard_count, const CollectiveOptions& options,
                 const std::optional<Layout>& layout, SourceLocation at) {
  Operation operation("ReduceScatter", at, {operand});
  const std::vector<Op> arrays = ArraysOf(operation, operand);
  if (!CheckOneType(operation, arrays) || !operation.Check(computation) ||
      !CheckShards(operation, options.groups, shard_count, Rule::kReduceScatterShardCount)) {
    return operation.Invalid();
  }
  const auto shape =
      ResizedShapes(operation, arrays, dimension, layout,
                    {Rule::kReduceScatterOperands, Rule::kReduceScatterDimension},
                    [&](int64_t size) -> std::optional<int64_t> {
                      if (size % shard_count == 0) return size / shard_count;
                      operation.Fail(Rule::kReduceScatterDivisible,
                                     "{} elements do not divide into {} shards", size, shard_count);
                      return std::nullopt;
                    });
  if (!shape) return operation.Invalid();
  Draft draft = operation.Add(Opcode::kReduceScatter, arrays);
  return SetDevices(draft, options)
      .Set<Attr::kDimensions>(IntList(&dimension, 1))
      .SetIf<Attr::kConstrainLayout>(layout.has_value(), true)
      .SetCallee<Attr::kToApply>(computation)
      .As(*shape);
}

// --- AllToAll ------------------------------------------------------------------------------------

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
    SetLayout(shapes.back(), layout);
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
  if (!CheckSplit(operation, operand.shape(), split, groups)) return operation.Invalid();
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

Op RaggedAllToAll(const Op& input, const Op& input_offsets, const Op& send_sizes, const Op& output,
                  const Op& output_offsets, const Op& recv_sizes, const DeviceGroups& groups,
                  const std::optional<ChannelHandle>& channel, SourceLocation at) {
  const Op operands[] = {input, output, input_offsets, send_sizes, output_offsets, recv_sizes};
  Operation operation("RaggedAllToAll", at, operands);
  if (!operation.ok()) return operation.Invalid();
  Draft draft = operation.Add(Opcode::kRaggedAllToAll, operands);
  return SetDevices(draft, {.groups = groups, .channel = channel}).As(output.shape());
}

// --- Broadcast, permutation, ids -----------------------------------------------------------------

namespace {

Op AddCollectiveBroadcast(Operation& operation, Ops operands, const CollectiveOptions& options,
                          bool has_dynamic_root) {
  Draft draft = operation.Add(Opcode::kCollectiveBroadcast, operands);
  SetDevices(draft, options).SetIf<Attr::kHasDynamicRoot>(has_dynamic_root, true);
  return operands.empty() ? draft.InferFrom(Shape::Tuple({}))
                          : draft.InferFrom(operands[0].shape());
}

// With a dynamic root the last operand has a number for each of the others.
bool CheckRoot(Operation& operation, Ops operands) {
  if (!operation.ok()) return false;
  const auto data_count = operands.ssize() - 1;
  if (data_count >= 1) {
    const Shape& root = operands[data_count].shape();
    const bool is_vector = root.element_type() == ElementType::kS32 && root.rank() == 1;
    if (is_vector && root.dim(0) == data_count) return true;
  }
  operation.Fail(Rule::kCollectiveBroadcastDynamicRoot,
                 "the last of {} operands is not `s32[{}]`, a root for each of the others",
                 operands.size(), std::max<int64_t>(data_count, 0));
  return false;
}

}  // namespace

Op CollectiveBroadcast(const Op& operand, const DeviceGroups& groups,
                       const std::optional<ChannelHandle>& channel, SourceLocation at) {
  Operation operation("CollectiveBroadcast", at, {operand});
  return AddCollectiveBroadcast(operation, {operand}, {.groups = groups, .channel = channel},
                                false);
}

Op CollectiveBroadcast(const HloBuilder& builder, Ops operands, const DeviceGroups& groups,
                       const std::optional<ChannelHandle>& channel, bool has_dynamic_root,
                       SourceLocation at) {
  Operation operation("CollectiveBroadcast", at, builder, operands);
  if (has_dynamic_root && !CheckRoot(operation, operands)) return operation.Invalid();
  return AddCollectiveBroadcast(operation, operands, {.groups = groups, .channel = channel},
                                has_dynamic_root);
}

namespace {

Draft StartPermute(Operation& operation, Ops operands, SourceTargetPairs pairs,
                   const std::optional<ChannelHandle>& channel) {
  std::vector<int64_t> numbers;
  for (const auto& [source, target] : pairs) numbers.insert(numbers.end(), {source, target});
  std::vector<IntList> lists;
  for (size_t i = 0; i < pairs.size(); ++i) lists.push_back(IntList(&numbers[2 * i], 2));
  Draft draft = operation.Add(Opcode::kCollectivePermute, operands);
  draft.Set<Attr::kSourceTargetPairs>(lists);
  if (channel) draft.Set<Attr::kChannelId>(channel->id);
  return draft;
}

}  // namespace

Op CollectivePermute(const Op& operand, SourceTargetPairs pairs,
                     const std::optional<ChannelHandle>& channel, bool inplace, SourceLocation at) {
  Operation operation("CollectivePermute", at, {operand});
  if (inplace) {
    return operation.Fail(Rule::kBuilderCollectivePermuteInplace,
                          "`inplace` does not say where: give output, offsets and slice sizes");
  }
  return StartPermute(operation, {operand}, pairs, channel).InferFrom(operand.shape());
}

Op CollectivePermute(const Op& input, const Op& output, const Op& input_offsets,
                     const Op& output_offsets, SourceTargetPairs pairs,
                     ListArg<std::vector<int64_t>> slice_sizes,
                     const std::optional<ChannelHandle>& channel, SourceLocation at) {
  const Op operands[] = {input, output, input_offsets, output_offsets};
  Operation operation("CollectivePermute", at, operands);
  const std::vector<IntList> sizes(slice_sizes.begin(), slice_sizes.end());
  return StartPermute(operation, operands, pairs, channel)
      .Set<Attr::kPermuteSliceSizes>(sizes)
      .InferFrom(output.shape());
}

Op MultiCollectivePermute(const HloBuilder& builder, Ops operands, SourceTargetPairs pairs,
                          const std::optional<ChannelHandle>& channel, SourceLocation at) {
  Operation operation("MultiCollectivePermute", at, builder, operands);
  std::vector<Shape> shapes;
  for (const Op& operand : operands) shapes.push_back(operand.shape());
  return StartPermute(operation, operands, pairs, channel)
      .InferFrom(Shape::Tuple(std::move(shapes)));
}

Op ReplicaId(const HloBuilder& builder, SourceLocation at) {
  Operation operation("ReplicaId", at, builder);
  return operation.Add(Opcode::kReplicaId, {}).Infer();
}

Op PartitionId(const HloBuilder& builder, SourceLocation at) {
  Operation operation("PartitionId", at, builder);
  return operation.Add(Opcode::kPartitionId, {}).Infer();
}

}  // namespace hlo::ops
