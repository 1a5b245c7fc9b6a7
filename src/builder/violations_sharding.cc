// Shardings. Source: verifier.md 1.13.
#include "builder/violations.h"

namespace hlo::testing {
namespace {

using namespace ops;

// A sharding of one leaf, whose lists outlive the call.
void Shard(HloBuilder& b, const Op& op, const ShardingLeaf& leaf) {
  b.SetSharding(op, {.leaves = List<ShardingLeaf>(&leaf, 1)});
}

// Over a mesh of axes a=2, b=4: dimension 0 by `first`, dimension 1 by `second`, the rest
// replicated.
void ShardByMesh(HloBuilder& b, const Op& op, ListArg<AxisRef> first, ListArg<AxisRef> second,
                 ListArg<AxisRef> replicated = {}) {
  static constexpr MeshAxis kAxes[] = {{"a", 2}, {"b", 4}};
  const DimensionSharding dimensions[] = {{.axes = List<AxisRef>(first.data(), first.size())},
                                          {.axes = List<AxisRef>(second.data(), second.size())}};
  ShardingLeaf leaf;
  leaf.kind = ShardingLeaf::Kind::kNamed;
  leaf.mesh.axes = List<MeshAxis>(kAxes, 2);
  leaf.dimensions = List<DimensionSharding>(dimensions, 2);
  leaf.replicated_axes = List<AxisRef>(replicated.data(), replicated.size());
  Shard(b, op, leaf);
}

// Of dimension 0, in four tiles.
void ShardByIota(HloBuilder& b, const Op& op, Ints dims, Ints permutation) {
  static constexpr int64_t kFour[] = {4};
  ShardingLeaf leaf;
  leaf.kind = ShardingLeaf::Kind::kTiled;
  leaf.tile_dims = IntList(kFour, 1);
  leaf.order = DeviceOrder::kIota;
  leaf.device_iota = {IntList(dims.data(), dims.size()),
                      IntList(permutation.data(), permutation.size())};
  Shard(b, op, leaf);
}

// Of nothing, over a mesh of these devices.
void ShardByMesh(HloBuilder& b, const Op& op, ListArg<MeshAxis> axes, Ints devices) {
  const DimensionSharding whole;
  ShardingLeaf leaf;
  leaf.kind = ShardingLeaf::Kind::kNamed;
  leaf.mesh.axes = List<MeshAxis>(axes.data(), axes.size());
  if (!devices.empty()) leaf.mesh.order = DeviceOrder::kList;
  leaf.mesh.device_list = IntList(devices.data(), devices.size());
  leaf.dimensions = List<DimensionSharding>(&whole, 1);
  Shard(b, op, leaf);
}

constexpr Violation kViolations[] = {
    {"sharding.device-range", "f32[2]",
     [](HloBuilder& b, Ops x) { b.SetSharding(x[0], b.MaximalSharding(-1)); }},
    {"sharding.device-range", "f32[2]",
     [](HloBuilder& b, Ops x) {
       b.SetNumPartitions(2);
       b.SetSharding(x[0], b.MaximalSharding(2));
     }},
    {"sharding.device-range", "f32[2]",
     [](HloBuilder& b, Ops x) {
       b.SetSharding(x[0], b.TiledSharding({2}, {0, -1}));
     }},
    {"sharding.device-unique", "f32[2]",
     [](HloBuilder& b, Ops x) {
       b.SetSharding(x[0], b.TiledSharding({2}, {0, 0}));
     }},
    {"sharding.device-total", "f32[2]",
     [](HloBuilder& b, Ops x) {
       b.SetNumPartitions(4);
       b.SetSharding(x[0], b.TiledSharding({2}));
     }},
    {"sharding.tile-rank", "f32[2]",
     [](HloBuilder& b, Ops x) {
       b.SetSharding(x[0], b.TiledSharding({2, 1}));
     }},
    {"sharding.tile-dims", "f32[2]",
     [](HloBuilder& b, Ops x) {
       b.SetSharding(x[0], b.TiledSharding({-2}, {0, 1}));
     }},
    {"sharding.tile-dims", "f32[2]",
     [](HloBuilder& b, Ops x) {
       b.SetSharding(x[0], b.TiledSharding({INT64_MAX, INT64_MAX}));
     }},
    {"sharding.device-count", "f32[2]",
     [](HloBuilder& b, Ops x) {
       b.SetSharding(x[0], b.TiledSharding({4}, {0, 1}));
     }},
    {"sharding.iota-size", "f32[2]", [](HloBuilder& b, Ops x) { ShardByIota(b, x[0], {5}, {}); }},
    {"sharding.iota-perm", "f32[2]",
     [](HloBuilder& b, Ops x) {
       ShardByIota(b, x[0], {2, 2}, {0, 2});
     }},
    {"sharding.mesh-axes", "f32[2]",
     [](HloBuilder& b, Ops x) {
       ShardByMesh(b, x[0], {{"a", 2}, {"a", 2}}, {});
     }},
    {"sharding.mesh-device-ids", "f32[2]",
     [](HloBuilder& b, Ops x) {
       ShardByMesh(b, x[0], {{"a", 2}}, {0, 2});
     }},
    {"sharding.tile-dims", "token[]",
     [](HloBuilder& b, Ops x) {
       b.SetSharding(x[0], b.TiledSharding({-2}, {0, 1}));
     }},
    {"sharding.tile-dims", "()",
     [](HloBuilder& b, Ops x) { b.SetSharding(x[0], b.TiledSharding({0})); }},
    {"sharding.single-tile", "f32[2]",
     [](HloBuilder& b, Ops x) { b.SetSharding(x[0], b.TiledSharding({1})); }},
    {"sharding.single-tile", "f32[2]",
     [](HloBuilder& b, Ops x) {
       const ShardingScope scope(b, b.TiledSharding({1}));
       Neg(x[0]);
     }},
    {"sharding.mesh-axis-ref", "f32[4,4]",
     [](HloBuilder& b, Ops x) { ShardByMesh(b, x[0], {{.axis = 2}}, {}); }},
    {"sharding.mesh-sub-axis", "f32[4,4]",
     [](HloBuilder& b, Ops x) {
       ShardByMesh(b, x[0], {{.axis = 1, .pre_size = 1, .size = 3}}, {});
     }},
    {"sharding.mesh-disjoint", "f32[4,4]",
     [](HloBuilder& b, Ops x) { ShardByMesh(b, x[0], {{.axis = 0}}, {{.axis = 0}}); }},
    {"sharding.mesh-sorted", "f32[4,4]",
     [](HloBuilder& b, Ops x) {
       ShardByMesh(b, x[0], {}, {}, {{.axis = 1}, {.axis = 0}});
     }},
    {"sharding.mesh-device-total", "f32[4,4]",
     [](HloBuilder& b, Ops x) {
       b.SetNumPartitions(4);
       ShardByMesh(b, x[0], {{.axis = 0}}, {});
     }},
    {"sharding.tuple-shape", "(f32[2],f32[2])",
     [](HloBuilder& b, Ops x) {
       const ShardingLeaf leaf;
       b.SetSharding(x[0], {.is_tuple = true, .leaves = List<ShardingLeaf>(&leaf, 1)});
     }},
    {"sharding.while-consistent", "f32[2]",
     [](HloBuilder& b, Ops x) {
       const Callee body = b.AddComputation("body", {x[0].shape()}, [](HloBuilder& f, Ops y) {
         const Op next = Neg(y[0]);
         f.SetSharding(next, f.MaximalSharding(0));
         return next;
       });
       const Callee again = b.AddComputation(
           "again", {x[0].shape()}, [](HloBuilder& f, Ops) { return ConstantR0<bool>(f, false); });
       b.SetSharding(While(again, body, x[0]), b.MaximalSharding(1));
     }},
    {"sharding.conditional-consistent", "pred[] f32[]",
     [](HloBuilder& b, Ops x) {
       const Callee branch = b.AddComputation("branch", {x[1].shape()}, [](HloBuilder& f, Ops y) {
         const Op result = Neg(y[0]);
         f.SetSharding(result, f.MaximalSharding(0));
         return result;
       });
       b.SetSharding(Conditional(x[0], x[1], branch, x[1], branch), b.MaximalSharding(1));
     }},
};

}  // namespace

Violations ShardingViolations() { return kViolations; }

}  // namespace hlo::testing
