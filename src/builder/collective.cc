// Collectives of tuples are ones of their elements, which are taken out first.
#include "builder/collective.h"

#include <algorithm>

#include "builder/called_computations.h"
#include "builder/collective_devices.h"
#include "builder/operation.h"
#include "inference/compatibility.h"
#include "support/checked_math.h"

namespace hlo::ops {

Draft& SetDevices(Draft& draft, const CollectiveOptions& options) {
  options.groups.WithAttribute(
      [&](const ReplicaGroups& groups) { draft.Set<Attr::kReplicaGroups>(groups); });
  if (options.channel) draft.Set<Attr::kChannelId>(options.channel->id);
  return draft.SetGiven<Attr::kUseGlobalDeviceIds>(options.use_global_device_ids);
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

namespace {

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
    if (layout) shape.set_layout(*layout);
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
