// Operations that exchange data between devices. Source: verifier.md 3.10, 4; builder.md 2, 3.
#ifndef HLOKIT_BUILDER_COLLECTIVE_H_
#define HLOKIT_BUILDER_COLLECTIVE_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "builder/device_groups.h"
#include "builder/hlo_builder.h"
#include "builder/op.h"

namespace hlo::ops {

// Links the operations that exchange data: those of a channel belong together.
struct ChannelHandle {
  enum class Type { kDeviceToDevice, kDeviceToHost, kHostToDevice };
  int64_t id = 0;
  Type type = Type::kDeviceToDevice;
};

// Who takes part. Groups hold replica numbers; with a channel and `use_global_device_ids` they hold
// replica * num_partitions + partition; verifier.md 3.10 has the four modes.
struct CollectiveOptions {
  DeviceGroups groups = {};
  std::optional<ChannelHandle> channel = {};
  std::optional<bool> use_global_device_ids = {};
};

// The operands of all members of the group along `dimension`, in its order: that is `shard_count`
// times as long. Of a tuple of arrays each is gathered; of one array in it the array is the result.
// With a layout, that of the result, no other is used (builder.all-gather-shard-count,
// all-gather.*).
Op AllGather(const Op& operand, int64_t dimension, int64_t shard_count,
             const CollectiveOptions& options = {}, const std::optional<Layout>& layout = {},
             SourceLocation at = SourceLocation::current());

// The operands of all members combined by `computation`, (x, y) -> z on scalars. Tuples of arrays
// of one element type stay tuples. `shape_with_layout` has the layout of each array
// (builder.all-reduce-*, all-reduce.*).
Op AllReduce(const Op& operand, const Callee& computation, const CollectiveOptions& options = {},
             const std::optional<Shape>& shape_with_layout = {},
             SourceLocation at = SourceLocation::current());
// The sum of the operands of all members; of pred: whether any holds.
Op CrossReplicaSum(const Op& operand, const DeviceGroups& groups = {},
                   SourceLocation at = SourceLocation::current());

// As AllReduce, then the part of this member of the `shard_count` ones along `dimension`
// (reduce-scatter.*).
Op ReduceScatter(const Op& operand, const Callee& computation, int64_t dimension,
                 int64_t shard_count, const CollectiveOptions& options = {},
                 const std::optional<Layout>& layout = {},
                 SourceLocation at = SourceLocation::current());

// Cuts the operand into `split_count` parts along `split_dimension`, sends part i to member i of
// the group, and joins what comes along `concat_dimension`. There are as many members; without
// groups they are 0 ... split_count - 1 (builder.all-to-all-*, all-to-all.*).
Op AllToAll(const Op& operand, int64_t split_dimension, int64_t concat_dimension,
            int64_t split_count, const DeviceGroups& groups = {},
            const std::optional<Layout>& layout = {},
            const std::optional<ChannelHandle>& channel = {},
            SourceLocation at = SourceLocation::current());
// Sends operand i to member i: the tuple of what comes. All have one shape.
Op AllToAllTuple(const HloBuilder& builder, Ops operands, const DeviceGroups& groups = {},
                 const std::optional<Layout>& layout = {},
                 const std::optional<ChannelHandle>& channel = {},
                 SourceLocation at = SourceLocation::current());
// Sends rows of `input` to members: send_sizes[i] of them from input_offsets[i] on, to where
// output_offsets[i] says in member i's output; `output` is what the result starts as. Offsets and
// sizes are integers of one shape (ragged-all-to-all.*).
Op RaggedAllToAll(const Op& input, const Op& input_offsets, const Op& send_sizes, const Op& output,
                  const Op& output_offsets, const Op& recv_sizes, const DeviceGroups& groups = {},
                  const std::optional<ChannelHandle>& channel = {},
                  SourceLocation at = SourceLocation::current());

// The operand of the first member of the group. With a dynamic root the last operand, s32 with a
// number for each of the others, says whose (collective-broadcast.*).
Op CollectiveBroadcast(const Op& operand, const DeviceGroups& groups = {},
                       const std::optional<ChannelHandle>& channel = {},
                       SourceLocation at = SourceLocation::current());
Op CollectiveBroadcast(const HloBuilder& builder, Ops operands, const DeviceGroups& groups,
                       const std::optional<ChannelHandle>& channel = {},
                       bool has_dynamic_root = false,
                       SourceLocation at = SourceLocation::current());

// For each (source, target) the operand of the source, on the target; zeros where there is none. A
// device is source once at most and target once at most. `inplace` alone says nothing and is
// refused (builder.collective-permute-inplace, collective-permute.*).
using SourceTargetPairs = ListArg<std::pair<int64_t, int64_t>>;
Op CollectivePermute(const Op& operand, SourceTargetPairs pairs,
                     const std::optional<ChannelHandle>& channel = {}, bool inplace = false,
                     SourceLocation at = SourceLocation::current());
// Slices of `slice_sizes` from the input's offsets go to the output's, in place of what was there;
// the offsets are tuples of an s32[] for each dimension.
Op CollectivePermute(const Op& input, const Op& output, const Op& input_offsets,
                     const Op& output_offsets, SourceTargetPairs pairs,
                     ListArg<std::vector<int64_t>> slice_sizes,
                     const std::optional<ChannelHandle>& channel = {},
                     SourceLocation at = SourceLocation::current());
// Several operands at once: a tuple.
Op MultiCollectivePermute(const HloBuilder& builder, Ops operands, SourceTargetPairs pairs,
                          const std::optional<ChannelHandle>& channel = {},
                          SourceLocation at = SourceLocation::current());

// The number of this replica and of this partition, u32[].
Op ReplicaId(const HloBuilder& builder, SourceLocation at = SourceLocation::current());
Op PartitionId(const HloBuilder& builder, SourceLocation at = SourceLocation::current());

}  // namespace hlo::ops

#endif  // HLOKIT_BUILDER_COLLECTIVE_H_
