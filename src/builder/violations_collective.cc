// Collectives. Source: verifier.md 3.10, 4.
#include "builder/violations.h"

namespace hlo::testing {
namespace {

using namespace ops;

const CollectiveOptions& Pairs() {
  static const CollectiveOptions options = {.groups = {{0, 1}, {2, 3}}};
  return options;
}
// In place, a slice of `sizes` from x[0] to x[1], at offsets x[2] and x[3].
void Permute(Ops x, std::vector<int64_t> sizes) {
  CollectivePermute(x[0], x[1], x[2], x[3], {{0, 1}}, {std::move(sizes)});
}
// x[0] to x[1], f32[4]; x[2] are offsets and sizes.
void Ragged(Ops x, const DeviceGroups& groups) {
  RaggedAllToAll(x[0], x[2], x[2], x[1], x[2], x[2], groups);
}

constexpr Violation kViolations[] = {
    {"builder.all-reduce-empty-tuple", "",
     [](HloBuilder& b, Ops) { AllReduce(Tuple(b, {}), AddF32(b)); }},
    {"builder.all-reduce-empty-tuple", "",
     [](HloBuilder& b, Ops) { CrossReplicaSum(Tuple(b, {})); }},
    {"builder.all-reduce-one-type", "(f32[2],s32[2])",
     [](HloBuilder& b, Ops x) { AllReduce(x[0], AddF32(b)); }},
    {"builder.all-gather-shard-count", "f32[2]", [](HloBuilder&, Ops x) { AllGather(x[0], 0, 0); }},
    {"builder.all-gather-shard-count", "f32[2]",
     [](HloBuilder&, Ops x) {
       AllGather(x[0], 0, 3, {.groups = {{0, 1}}});
     }},
    {"builder.all-to-all-dims", "f32[4,15]", [](HloBuilder&, Ops x) { AllToAll(x[0], 1, 0, 4); }},
    {"builder.all-to-all-dims", "f32[4]", [](HloBuilder&, Ops x) { AllToAll(x[0], 0, 1, 2); }},
    {"builder.all-to-all-dims", "f32[4]",
     [](HloBuilder&, Ops x) {
       AllToAll(x[0], 0, 0, 4, {{0, 1}});
     }},
    {"builder.all-to-all-layout-rank", "f32[4,4]",
     [](HloBuilder&, Ops x) { AllToAll(x[0], 0, 0, 2, {}, Layout::Default(1)); }},
    {"builder.collective-permute-inplace", "f32[2]",
     [](HloBuilder&, Ops x) {
       CollectivePermute(x[0], {{0, 1}}, {}, true);
     }},
    {"collective.group-id-unique", "f32[2]",
     [](HloBuilder&, Ops x) {
       CrossReplicaSum(x[0], {{0, 1}, {1, 2}});
     }},
    {"collective.global-ids-need-channel", "f32[2]",
     [](HloBuilder& b, Ops x) {
       AllReduce(x[0], AddF32(b), {.groups = {{0, 1}}, .use_global_device_ids = true});
     }},
    {"collective.group-nonempty", "f32[2]",
     [](HloBuilder& b, Ops x) {
       AllReduce(x[0], AddF32(b), {.groups = {{0, 1}, {}}});
     }},
    {"collective.group-id-range", "f32[2]",
     [](HloBuilder& b, Ops x) {
       AllReduce(x[0], AddF32(b), {.groups = {{0, 2}}});
     }},
    {"collective.group-id-range", "f32[2]",
     [](HloBuilder& b, Ops x) {
       AllReduce(x[0], AddF32(b), {.groups = {{0, -1}}});
     }},
    {"collective.group-count", "f32[2]",
     [](HloBuilder& b, Ops x) {
       b.SetReplicaCount(4);
       AllReduce(x[0], AddF32(b), {.groups = {{0, 1}}});
     }},
    {"collective.group-uniform", "f32[2]",
     [](HloBuilder&, Ops x) {
       AllGather(x[0], 0, 2, {.groups = {{0, 1}, {2}}});
     }},
    {"collective.flattened-needs-groups", "f32[2]",
     [](HloBuilder& b, Ops x) {
       AllReduce(x[0], AddF32(b), {.channel = ChannelHandle{1}, .use_global_device_ids = true});
     }},
    {"collective.iota-size", "f32[2]",
     [](HloBuilder& b, Ops x) {
       AllReduce(x[0], AddF32(b), {.groups = DeviceGroups::Iota(2, 2, {3})});
     }},
    {"collective.iota-size", "f32[2]",
     [](HloBuilder& b, Ops x) {
       AllReduce(x[0], AddF32(b), {.groups = DeviceGroups::Iota(2, 2, {2, 2}, {0, 2})});
     }},
    {"sharding.mesh-axes", "f32[2]",
     [](HloBuilder& b, Ops x) {
       AllReduce(x[0], AddF32(b), {.groups = DeviceGroups::Mesh({{"a", -2}}, {"a"})});
     }},
    {"sharding.mesh-axis-ref", "f32[2]",
     [](HloBuilder& b, Ops x) {
       AllReduce(x[0], AddF32(b), {.groups = DeviceGroups::Mesh({{"a", 2}}, {"b"})});
     }},
    {"sharding.mesh-axis-ref", "f32[2]",
     [](HloBuilder&, Ops x) {
       CollectiveBroadcast(x[0], DeviceGroups::Mesh({{"a", 2}}, {"b"}));
     }},
    {"sharding.mesh-disjoint", "f32[2]",
     [](HloBuilder& b, Ops x) {
       AllReduce(x[0], AddF32(b), {.groups = DeviceGroups::Mesh({{"a", 2}}, {"a", "a"})});
     }},
    {"builder.all-to-all-dims", "f32[0]",
     [](HloBuilder&, Ops x) { AllToAll(x[0], 0, 0, INT64_MAX); }},
    {"collective.iota-size", "f32[2]",
     [](HloBuilder&, Ops x) { CollectiveBroadcast(x[0], DeviceGroups::Iota(2, 2, {3})); }},
    {"collective.constrain-layout-mix", "f32[2]",
     [](HloBuilder& b, Ops x) {
       AllReduce(AllReduce(x[0], AddF32(b)), AddF32(b), {}, MakeShape("f32[2]{0}"));
     }},
    {"collective.reducer-signature", "f32[2]",
     [](HloBuilder& b, Ops x) { AllReduce(x[0], Negation(b)); }},
    {"channel.positive", "f32[2]",
     [](HloBuilder& b, Ops x) { AllReduce(x[0], AddF32(b), {.channel = ChannelHandle{0}}); }},
    {"channel.positive-other", "f32[2]",
     [](HloBuilder&, Ops x) { AllGather(x[0], 0, 2, {.channel = ChannelHandle{-1}}); }},
    {"all-gather.dimension", "f32[4]", [](HloBuilder&, Ops x) { AllGather(x[0], 1, 2); }},
    {"all-gather.operands", "token[]", [](HloBuilder&, Ops x) { AllGather(x[0], 0, 2); }},
    {"all-gather.operand-nonzero", "f32[0]", [](HloBuilder&, Ops x) { AllGather(x[0], 0, 2); }},
    {"all-gather.shard-count", "f32[2]",
     [](HloBuilder& b, Ops x) {
       b.SetReplicaCount(4);
       AllGather(x[0], 0, 2);
     }},
    {"shape.count-overflow", "f32[2]", [](HloBuilder&, Ops x) { AllGather(x[0], 0, INT64_MAX); }},
    {"all-reduce.operands", "((f32[2]))", [](HloBuilder& b, Ops x) { AllReduce(x[0], AddF32(b)); }},
    {"all-reduce.operands", "token[]", [](HloBuilder&, Ops x) { CrossReplicaSum(x[0]); }},
    {"shape.dynamic-flags", "f32[2]",
     [](HloBuilder& b, Ops x) { AllReduce(x[0], AddF32(b), {}, MakeShape("f32[<=2]{0}")); }},
    {"collective-broadcast.dynamic-root", "s32[1]",
     [](HloBuilder& b, Ops x) { CollectiveBroadcast(b, x, {}, {}, true); }},
    {"all-reduce.result-shape", "f32[2]",
     [](HloBuilder& b, Ops x) { AllReduce(x[0], AddF32(b), {}, MakeShape("f32[3]{0}")); }},
    {"reduce-scatter.divisible", "f32[5]",
     [](HloBuilder& b, Ops x) { ReduceScatter(x[0], AddF32(b), 0, 2); }},
    {"reduce-scatter.shard-count", "f32[4]",
     [](HloBuilder& b, Ops x) { ReduceScatter(x[0], AddF32(b), 0, 0); }},
    {"reduce-scatter.operands", "token[]",
     [](HloBuilder& b, Ops x) { ReduceScatter(x[0], AddF32(b), 0, 2); }},
    {"reduce-scatter.dimension", "f32[4]",
     [](HloBuilder& b, Ops x) { ReduceScatter(x[0], AddF32(b), 1, 2); }},
    {"reduce-scatter.shard-count", "f32[4]",
     [](HloBuilder& b, Ops x) { ReduceScatter(x[0], AddF32(b), 0, 4, Pairs()); }},
    {"reduce-scatter.output-nonzero", "f32[0]",
     [](HloBuilder& b, Ops x) { ReduceScatter(x[0], AddF32(b), 0, 2); }},
    {"all-to-all.not-tuple-operand", "(f32[4])",
     [](HloBuilder&, Ops x) { AllToAll(x[0], 0, 0, 2); }},
    {"all-to-all.tuple-same-shape", "f32[2] f32[3]",
     [](HloBuilder& b, Ops x) {
       AllToAllTuple(b, {x[0], x[1]});
     }},
    {"all-to-all.not-tuple-operand", "(f32[4])", [](HloBuilder& b, Ops x) { AllToAllTuple(b, x); }},
    {"all-to-all.no-bounded", "f32[<=4]", [](HloBuilder&, Ops x) { AllToAll(x[0], 0, 0, 2); }},
    {"all-to-all.tuple-count", "f32[2] f32[2]",
     [](HloBuilder& b, Ops x) {
       AllToAllTuple(b, x, {{0, 1, 2}});
     }},
    {"builder.all-to-all-layout-rank", "f32[2]",
     [](HloBuilder& b, Ops x) { AllToAllTuple(b, x, {{0}}, Layout::Default(2)); }},
    {"dynamic.unbounded-unsupported", "f32[?,4]",
     [](HloBuilder&, Ops x) { AllToAll(x[0], 1, 0, 2); }},
    {"dynamic.unbounded-unsupported", "f32[?]",
     [](HloBuilder&, Ops x) { AllToAll(x[0], 0, 0, 2, {}, Layout::Default(1)); }},
    {"shape.count-overflow", "f32[0,4611686018427387904]",
     [](HloBuilder&, Ops x) { AllToAll(x[0], 0, 1, 4); }},
    {"ragged-all-to-all.index-rank", "f32[4] f32[4] s32[]",
     [](HloBuilder&, Ops x) {
       Ragged(x, {{0, 1}});
     }},
    {"ragged-all-to-all.index-same-shape", "f32[4] f32[4] s32[2] s32[3]",
     [](HloBuilder&, Ops x) { RaggedAllToAll(x[0], x[2], x[2], x[1], x[3], x[2]); }},
    {"ragged-all-to-all.output-array", "f32[4] (f32[4]) s32[2]",
     [](HloBuilder&, Ops x) {
       Ragged(x, {{0, 1}});
     }},
    {"ragged-all-to-all.index-integral", "f32[4] f32[4] f32[2]",
     [](HloBuilder&, Ops x) {
       Ragged(x, {{0, 1}});
     }},
    {"ragged-all-to-all.index-length", "f32[4] f32[4] s32[3]",
     [](HloBuilder&, Ops x) {
       Ragged(x, {{0, 1}});
     }},
    {"ragged-all-to-all.data-type", "f32[4] s32[4] s32[2]",
     [](HloBuilder&, Ops x) {
       Ragged(x, {{0, 1}});
     }},
    {"collective-permute.source-unique", "f32[2]",
     [](HloBuilder&, Ops x) {
       CollectivePermute(x[0], {{0, 1}, {0, 2}});
     }},
    {"collective-permute.target-unique", "f32[2]",
     [](HloBuilder&, Ops x) {
       CollectivePermute(x[0], {{0, 2}, {1, 2}});
     }},
    {"collective-permute.id-range", "f32[2]",
     [](HloBuilder&, Ops x) {
       CollectivePermute(x[0], {{0, -1}});
     }},
    {"collective-permute.id-range", "f32[2]",
     [](HloBuilder& b, Ops x) {
       b.SetReplicaCount(2);
       CollectivePermute(x[0], {{0, 2}});
     }},
    {"collective-permute.operands", "(f32[2])",
     [](HloBuilder&, Ops x) {
       CollectivePermute(x[0], {{0, 1}});
     }},
    {"collective-permute.operands", "",
     [](HloBuilder& b, Ops x) {
       MultiCollectivePermute(b, x, {{0, 1}});
     }},
    {"collective-permute.inplace-kind", "f32[4] (f32[4]) (s32[]) (s32[])",
     [](HloBuilder&, Ops x) { Permute(x, {2}); }},
    {"collective-permute.inplace-buffers", "f32[4] s32[4] (s32[]) (s32[])",
     [](HloBuilder&, Ops x) { Permute(x, {2}); }},
    {"collective-permute.inplace-offsets", "f32[4] f32[4] (s32[]) (s32[],s32[])",
     [](HloBuilder&, Ops x) { Permute(x, {2}); }},
    {"collective-permute.offset-type", "f32[4] f32[4] (s32[]) (f32[])",
     [](HloBuilder&, Ops x) { Permute(x, {2}); }},
    {"collective-permute.slice-sizes", "f32[4] f32[4] (s32[]) (s32[])",
     [](HloBuilder&, Ops x) { Permute(x, {5}); }},
    {"collective-broadcast.dynamic-root", "f32[2] f32[]",
     [](HloBuilder& b, Ops x) {
       CollectiveBroadcast(b, {x[0], x[1]}, {{0, 1}}, {}, true);
     }},
    {"collective-broadcast.operand", "(f32[2])",
     [](HloBuilder&, Ops x) { CollectiveBroadcast(x[0]); }},
    {"collective-broadcast.operand", "",
     [](HloBuilder& b, Ops x) { CollectiveBroadcast(b, x, {}); }},
};

}  // namespace

Violations CollectiveViolations() { return kViolations; }

}  // namespace hlo::testing
