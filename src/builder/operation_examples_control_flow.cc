// Calls, collectives and effects. What takes several instructions is shown with all of them, in
// order: the elements of tuples, the chain of tokens between feeds (builder.md 2), an all-to-all
// that joins along another dimension than it cuts. Transfers between devices are shown with both
// halves.
#include "builder/operation_examples.h"

namespace hlo::testing {

using namespace ops;

namespace {

// x -> function(x) on values of `shape`.
Callee Unary(HloBuilder& b, std::string_view name, std::string_view shape,
             Op (*function)(const Op&, SourceLocation)) {
  return b.AddComputation(name, {MakeShape(shape)}, [&](HloBuilder&, Ops x) {
    return function(x[0], SourceLocation::current());
  });
}

}  // namespace

std::vector<OperationExample> ControlFlowExamples() {
  return {
      {"Call",
       [](HloBuilder& b) { return Call(b, Unary(b, "f", "f32[2]", Neg), {P(b, 0, "f32[2]")}); },
       R"(
ROOT call = f32[2] call(p0), to_apply=f
)"},
      {"CompositeCall",
       [](HloBuilder& b) {
         return CompositeCall(b, Unary(b, "f", "f32[2]", Neg), {P(b, 0, "f32[2]")}, "my.neg",
                              "{n = 1 : i32}", 3);
       },
       R"(
ROOT call = f32[2] call(p0), to_apply=f, is_composite=true, frontend_attributes={composite.attributes={n = 1 : i32},composite.name="my.neg",composite.version="3"}
)"},
      {"Conditional",
       [](HloBuilder& b) {
         return Conditional(P(b, 0, "pred[]"), P(b, 1, "f32[]"), Unary(b, "f", "f32[]", Neg),
                            P(b, 2, "f32[]"), Unary(b, "g", "f32[]", Abs));
       },
       R"(
ROOT conditional = f32[] conditional(p0, p1, p2), true_computation=f, false_computation=g
)"},
      {"Conditional",
       [](HloBuilder& b) {
         const Op x = P(b, 0, "f32[]");
         return Conditional(P(b, 1, "s32[]"),
                            {Unary(b, "f", "f32[]", Neg), Unary(b, "g", "f32[]", Abs)}, {x, x});
       },
       R"(
ROOT conditional = f32[] conditional(p1, p0, p0), branch_computations={f, g}
)"},
      {"While",
       [](HloBuilder& b) {
         const Callee again = b.AddComputation(
             "again", {MakeShape("s32[]")},
             [](HloBuilder& f, Ops x) { return Lt(x[0], ConstantR0<int32_t>(f, 9)); });
         return While(again, Unary(b, "twice", "s32[]", Neg), P(b, 0, "s32[]"));
       },
       R"(
ROOT while = s32[] while(p0), condition=again, body=twice
)"},
      {"CustomCall",
       [](HloBuilder& b) {
         return CustomCall(b, "mine", {P(b, 0, "f32[2]"), P(b, 1, "f32[3]")}, MakeShape("f32[2]"),
                           {.opaque = "n=1",
                            .has_side_effect = true,
                            .aliasing = {{.output_index = {}, .operand = 0}},
                            .literal = Literal::Scalar<int32_t>(5),
                            .schedule = CustomCallSchedule::kEarliest,
                            .api_version = CustomCallApiVersion::kTypedFfi});
       },
       R"(
ROOT custom-call = f32[2] custom-call(p0, p1), custom_call_target="mine", custom_call_has_side_effect=true, literal=s32[] 5, output_to_operand_aliasing={{}: (0, {})}, schedule=SCHEDULE_EARLIEST, api_version=API_VERSION_TYPED_FFI, backend_config="n=1"
)"},
      {"CustomCallWithComputation",
       [](HloBuilder& b) {
         return CustomCallWithComputation(b, "mine", {P(b, 0, "f32[2]")},
                                          Unary(b, "f", "f32[]", Neg), MakeShape("f32[2]"));
       },
       R"(
ROOT custom-call = f32[2] custom-call(p0), custom_call_target="mine", to_apply=f
)"},
      {"CustomCallWithLayout",
       [](HloBuilder& b) {
         return CustomCallWithLayout(b, "mine", {P(b, 0, "f32[2,3]")}, MakeShape("f32[2,3]{0,1}"),
                                     {MakeShape("f32[2,3]{0,1}")});
       },
       R"(
ROOT custom-call = f32[2,3] custom-call(p0), custom_call_target="mine", operand_layout_constraints={f32[2,3]}
)"},
      {"CustomCallWithConvDnums",
       [](HloBuilder& b) {
         return CustomCallWithConvDnums(b, "conv", {P(b, 0, "f32[1,2,7]"), P(b, 1, "f32[3,2,3]")},
                                        MakeShape("f32[1,3,5]"), {.sizes = {3}},
                                        ConvDimensionNumbers::Default(1));
       },
       R"(
ROOT custom-call = f32[1,3,5] custom-call(p0, p1), window={size=3}, dim_labels=bf0_oi0->bf0, custom_call_target="conv"
)"},
  };
}

std::vector<OperationExample> CollectiveExamples() {
  return {
      {"AllGather",
       [](HloBuilder& b) {
         return AllGather(P(b, 0, "f32[4,2]"), 0, 2, {.groups = {{0, 1}}});
       },
       R"(
ROOT all-gather = f32[8,2] all-gather(p0), replica_groups={{0,1}}, dimensions={0}
)"},
      {"AllGather",
       [](HloBuilder& b) {
         return AllGather(P(b, 0, "(f32[4], s32[2])"), 0, 2,
                          {.groups = DeviceGroups::Iota(2, 2, {4}),
                           .channel = ChannelHandle{1},
                           .use_global_device_ids = true});
       },
       R"(
get-tuple-element = f32[4] get-tuple-element(p0), index=0
get-tuple-element.1 = s32[2] get-tuple-element(p0), index=1
ROOT all-gather = (f32[8], s32[4]) all-gather(get-tuple-element, get-tuple-element.1), channel_id=1, replica_groups=[2,2]<=[4], dimensions={0}, use_global_device_ids=true
)"},
      {"AllReduce",
       [](HloBuilder& b) {
         return AllReduce(P(b, 0, "f32[4]"), ScalarFunction(b, "add", ElementType::kF32, Add),
                          {.groups = DeviceGroups::Mesh({{"x", 2}, {"y", 4}}, {"y"})});
       },
       R"(
ROOT all-reduce = f32[4] all-reduce(p0), replica_groups=mesh['x'=2,'y'=4] {'y'}, to_apply=add
)"},
      {"AllReduce",
       [](HloBuilder& b) {
         return AllReduce(P(b, 0, "(f32[4])"), ScalarFunction(b, "max", ElementType::kF32, Max), {},
                          MakeShape("(f32[4]{0})"));
       },
       R"(
get-tuple-element = f32[4] get-tuple-element(p0), index=0
all-reduce = f32[4] all-reduce(get-tuple-element), replica_groups={}, constrain_layout=true, to_apply=max
ROOT tuple = (f32[4]) tuple(all-reduce)
)"},
      {"CrossReplicaSum",
       [](HloBuilder& b) {
         return CrossReplicaSum(P(b, 0, "s32[4]"), {{0, 1}});
       },
       R"(
ROOT all-reduce = s32[4] all-reduce(p0), replica_groups={{0,1}}, to_apply=sum
)"},
      {"ReduceScatter",
       [](HloBuilder& b) {
         return ReduceScatter(P(b, 0, "f32[4,2]"), ScalarFunction(b, "add", ElementType::kF32, Add),
                              0, 2, {.groups = {{0, 1}}});
       },
       R"(
ROOT reduce-scatter = f32[2,2] reduce-scatter(p0), replica_groups={{0,1}}, dimensions={0}, to_apply=add
)"},
      {"AllToAll", [](HloBuilder& b) { return AllToAll(P(b, 0, "f32[4,2]"), 0, 0, 2); }, R"(
ROOT all-to-all = f32[4,2] all-to-all(p0), replica_groups={{0,1}}, dimensions={0}
)"},
      {"AllToAll",
       [](HloBuilder& b) {
         return AllToAll(P(b, 0, "f32[2,4]"), 1, 0, 2, {{0, 1}});
       },
       R"(
all-to-all = f32[2,4] all-to-all(p0), replica_groups={{0,1}}, dimensions={1}
reshape = f32[2,2,2] reshape(all-to-all)
transpose = f32[2,2,2] transpose(reshape), dimensions={1,0,2}
ROOT reshape.1 = f32[4,2] reshape(transpose)
)"},
      {"AllToAll",
       [](HloBuilder& b) {
         return AllToAll(P(b, 0, "f32[2,4]"), 1, 0, 2, {{0, 1}},
                         *MakeShape("f32[2,4]{0,1}").layout());
       },
       R"(
slice = f32[2,2] slice(p0), slice={[0:2], [0:2]}
slice.1 = f32[2,2] slice(p0), slice={[0:2], [2:4]}
all-to-all = (f32[2,2], f32[2,2]) all-to-all(slice, slice.1), replica_groups={{0,1}}, constrain_layout=true
get-tuple-element = f32[2,2] get-tuple-element(all-to-all), index=0
get-tuple-element.1 = f32[2,2] get-tuple-element(all-to-all), index=1
ROOT concatenate = f32[4,2] concatenate(get-tuple-element, get-tuple-element.1), dimensions={0}
)"},
      {"AllToAllTuple",
       [](HloBuilder& b) {
         return AllToAllTuple(b, {P(b, 0, "f32[2]"), P(b, 1, "f32[2]")}, {{0, 1}});
       },
       R"(
ROOT all-to-all = (f32[2], f32[2]) all-to-all(p0, p1), replica_groups={{0,1}}
)"},
      {"RaggedAllToAll",
       [](HloBuilder& b) {
         const Op offsets = P(b, 0, "s32[2]");
         const Op sizes = P(b, 1, "s32[2]");
         return RaggedAllToAll(P(b, 2, "f32[8]"), offsets, sizes, P(b, 3, "f32[6]"), offsets, sizes,
                               {{0, 1}});
       },
       R"(
ROOT ragged-all-to-all = f32[6] ragged-all-to-all(p2, p3, p0, p1, p0, p1), replica_groups={{0,1}}
)"},
      {"CollectiveBroadcast",
       [](HloBuilder& b) {
         return CollectiveBroadcast(P(b, 0, "f32[2]"), {{0, 1}}, ChannelHandle{3});
       },
       R"(
ROOT collective-broadcast = f32[2] collective-broadcast(p0), channel_id=3, replica_groups={{0,1}}, has_dynamic_root=false
)"},
      {"CollectiveBroadcast",
       [](HloBuilder& b) {
         return CollectiveBroadcast(b, {P(b, 0, "f32[2]"), P(b, 1, "s32[1]")}, {{0, 1}}, {}, true);
       },
       R"(
ROOT collective-broadcast = f32[2] collective-broadcast(p0, p1), replica_groups={{0,1}}, has_dynamic_root=true
)"},
      {"CollectivePermute",
       [](HloBuilder& b) {
         return CollectivePermute(P(b, 0, "f32[2]"), {{0, 1}, {1, 0}});
       },
       R"(
ROOT collective-permute = f32[2] collective-permute(p0), source_target_pairs={{0,1},{1,0}}
)"},
      {"CollectivePermute",
       [](HloBuilder& b) {
         return CollectivePermute(P(b, 0, "f32[8]"), P(b, 1, "f32[8]"), P(b, 2, "((s32[]))"),
                                  P(b, 3, "((s32[]))"), {{0, 1}}, {{4}});
       },
       R"(
ROOT collective-permute = f32[8] collective-permute(p0, p1, p2, p3), source_target_pairs={{0,1}}, slice_sizes={{4}}
)"},
      {"MultiCollectivePermute",
       [](HloBuilder& b) {
         return MultiCollectivePermute(b, {P(b, 0, "f32[2]"), P(b, 1, "s32[3]")}, {{0, 1}});
       },
       R"(
ROOT collective-permute = (f32[2], s32[3]) collective-permute(p0, p1), source_target_pairs={{0,1}}
)"},
      {"ReplicaId", [](HloBuilder& b) { return ReplicaId(b); }, R"(
ROOT replica-id = u32[] replica-id()
)"},
      {"PartitionId", [](HloBuilder& b) { return PartitionId(b); }, R"(
ROOT partition-id = u32[] partition-id()
)"},
  };
}

std::vector<OperationExample> EffectsExamples() {
  using Type = ChannelHandle::Type;
  return {
      {"AfterAll",
       [](HloBuilder& b) {
         return AfterAll(b, {CreateToken(b), CreateToken(b)});
       },
       R"(
after-all = token[] after-all()
after-all.1 = token[] after-all()
ROOT after-all.2 = token[] after-all(after-all, after-all.1)
)"},
      {"CreateToken", [](HloBuilder& b) { return CreateToken(b); }, R"(
ROOT after-all = token[] after-all()
)"},
      {"Infeed",
       [](HloBuilder& b) {
         const Op first = Infeed(b, MakeShape("f32[2]{0}"), "text");
         return Add(first, Infeed(b, MakeShape("f32[2]{0}")));
       },
       R"(
after-all = token[] after-all()
infeed = (f32[2], token[]) infeed(after-all), infeed_config="text"
get-tuple-element = token[] get-tuple-element(infeed), index=1
get-tuple-element.1 = f32[2] get-tuple-element(infeed), index=0
infeed.1 = (f32[2], token[]) infeed(get-tuple-element)
get-tuple-element.2 = token[] get-tuple-element(infeed.1), index=1
get-tuple-element.3 = f32[2] get-tuple-element(infeed.1), index=0
ROOT add = f32[2] add(get-tuple-element.1, get-tuple-element.3)
)"},
      {"InfeedWithToken",
       [](HloBuilder& b) {
         return InfeedWithToken(CreateToken(b), MakeShape("(f32[2]{0}, s32[])"));
       },
       R"(
after-all = token[] after-all()
ROOT infeed = ((f32[2], s32[]), token[]) infeed(after-all)
)"},
      {"Outfeed",
       [](HloBuilder& b) {
         const Op data = Infeed(b, MakeShape("f32[2]{0}"));
         return Outfeed(data, MakeShape("f32[2]{0}"), "text");
       },
       R"(
after-all = token[] after-all()
infeed = (f32[2], token[]) infeed(after-all)
get-tuple-element = token[] get-tuple-element(infeed), index=1
get-tuple-element.1 = f32[2] get-tuple-element(infeed), index=0
outfeed = token[] outfeed(get-tuple-element.1, get-tuple-element), outfeed_shape=f32[2], outfeed_config="text"
ROOT tuple = () tuple()
)"},
      {"OutfeedWithToken",
       [](HloBuilder& b) {
         return OutfeedWithToken(P(b, 0, "f32[2]"), CreateToken(b), MakeShape("f32[2]{0}"));
       },
       R"(
after-all = token[] after-all()
ROOT outfeed = token[] outfeed(p0, after-all), outfeed_shape=f32[2]
)"},
      {"Send",
       [](HloBuilder& b) {
         Send(P(b, 0, "f32[2]"), {1});
         return Recv(b, MakeShape("f32[2]"), {1});
       },
       R"(
after-all = token[] after-all()
send = (f32[2], u32[], token[]) send(p0, after-all), channel_id=1
send-done = token[] send-done(send), channel_id=1
after-all.1 = token[] after-all()
recv = (f32[2], u32[], token[]) recv(after-all.1), channel_id=1
recv-done = (f32[2], token[]) recv-done(recv), channel_id=1
ROOT get-tuple-element = f32[2] get-tuple-element(recv-done), index=0
)"},
      {"Recv",
       [](HloBuilder& b) {
         Send(P(b, 0, "f32[2]"), {2});
         return Recv(b, MakeShape("f32[2]"), {2});
       },
       R"(
after-all = token[] after-all()
send = (f32[2], u32[], token[]) send(p0, after-all), channel_id=2
send-done = token[] send-done(send), channel_id=2
after-all.1 = token[] after-all()
recv = (f32[2], u32[], token[]) recv(after-all.1), channel_id=2
recv-done = (f32[2], token[]) recv-done(recv), channel_id=2
ROOT get-tuple-element = f32[2] get-tuple-element(recv-done), index=0
)"},
      {"SendWithToken",
       [](HloBuilder& b) {
         const Op token = SendWithToken(P(b, 0, "f32[2]"), CreateToken(b), {1});
         return RecvWithToken(token, MakeShape("f32[2]"), {1});
       },
       R"(
after-all = token[] after-all()
send = (f32[2], u32[], token[]) send(p0, after-all), channel_id=1
send-done = token[] send-done(send), channel_id=1
recv = (f32[2], u32[], token[]) recv(send-done), channel_id=1
ROOT recv-done = (f32[2], token[]) recv-done(recv), channel_id=1
)"},
      {"RecvWithToken",
       [](HloBuilder& b) {
         const Op token = SendWithToken(P(b, 0, "f32[2]"), CreateToken(b), {1});
         return RecvWithToken(token, MakeShape("f32[2]"), {1});
       },
       R"(
after-all = token[] after-all()
send = (f32[2], u32[], token[]) send(p0, after-all), channel_id=1
send-done = token[] send-done(send), channel_id=1
recv = (f32[2], u32[], token[]) recv(send-done), channel_id=1
ROOT recv-done = (f32[2], token[]) recv-done(recv), channel_id=1
)"},
      {"SendToHost",
       [](HloBuilder& b) {
         return SendToHost(P(b, 0, "f32[2,3]"), CreateToken(b), MakeShape("f32[2,3]{0,1}"),
                           {1, Type::kDeviceToHost});
       },
       R"(
after-all = token[] after-all()
send = (f32[2,3], u32[], token[]) send(p0, after-all), channel_id=1, is_host_transfer=true
ROOT send-done = token[] send-done(send), channel_id=1, is_host_transfer=true
)"},
      {"RecvFromHost",
       [](HloBuilder& b) {
         return RecvFromHost(CreateToken(b), MakeShape("f32[2]{0}"), {1, Type::kHostToDevice});
       },
       R"(
after-all = token[] after-all()
recv = (f32[2], u32[], token[]) recv(after-all), channel_id=1, is_host_transfer=true
ROOT recv-done = (f32[2], token[]) recv-done(recv), channel_id=1, is_host_transfer=true
)"},
  };
}

}  // namespace hlo::testing
