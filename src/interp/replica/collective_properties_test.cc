// What holds of collectives whatever the values: for groups of several sizes, and for arrays above
// and below the size from which members share the work.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "interp/replica/replica_run.h"
#include "testing/add_computation.h"
#include "testing/run_module.h"
#include "testing/run_participants.h"

namespace hlo {
namespace {

using testing::AddComputation;
using testing::ParseText;
using testing::PlanModule;
using testing::RunTextOnParticipants;

struct Case {
  int64_t participants;
  int64_t block;  // elements for each participant
  std::string type;
};

std::string CaseName(const ::testing::TestParamInfo<Case>& info) {
  return fmt::format("{}of{}x{}", info.param.type, info.param.participants, info.param.block);
}

// A program whose `body` computes `result` and `expected` of `x`, TYPE[COUNT], which every
// participant fills with other numbers. BLOCK elements are a participant's share.
std::string Program(const Case& test, std::string body) {
  std::string text = "HloModule properties" + AddComputation(test.type) + R"(
ENTRY main {
  r = u32[] replica-id()
  rs = u32[COUNT] broadcast(r), dimensions={}
  k = u32[COUNT] iota(), iota_dimension=0
  seven = u32[] constant(7919)
  sevens = u32[COUNT] broadcast(seven), dimensions={}
  mixed = u32[COUNT] add(rs, k)
  product = u32[COUNT] multiply(mixed, sevens)
  shifted = u32[COUNT] xor(product, rs)
  bound = u32[] constant(1021)
  bounds = u32[COUNT] broadcast(bound), dimensions={}
  small = u32[COUNT] remainder(shifted, bounds)
  x = TYPE[COUNT] convert(small)
  ri = s32[] convert(r)
  size = s32[] constant(BLOCK)
  start = s32[] multiply(ri, size)
)" + body + R"(
  ROOT both = (TYPE[], TYPE[]) tuple(result, expected)
}
)";
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
      text.replace(at, from.size(), to);
    }
  };
  replace("(TYPE[], TYPE[])", "(SHAPE, SHAPE)");
  replace("SHAPE", body.find("COUNTED") == std::string::npos ? "TYPE[BLOCK]" : "TYPE[COUNT]");
  replace("COUNTED", "COUNT");
  replace("TYPE", test.type);
  replace("COUNT", std::to_string(test.participants * test.block));
  replace("BLOCK", std::to_string(test.block));
  return text;
}

class CollectiveProperties : public ::testing::TestWithParam<Case> {
 protected:
  void ExpectSame(const std::string& body) {
    for (int64_t processes : {0, 3}) {
      const auto results = RunTextOnParticipants(Program(GetParam(), body),
                                                 {.replicas = GetParam().participants}, processes);
      ASSERT_TRUE(results.ok()) << results.status();
      for (const Literal& result : *results) {
        EXPECT_TRUE(result.tuple_elements()[0] == result.tuple_elements()[1]);
      }
    }
  }
};

TEST_P(CollectiveProperties, GatheringAndSlicingIsNothing) {
  ExpectSame(R"(
  expected = TYPE[BLOCK] dynamic-slice(x, start), dynamic_slice_sizes={BLOCK}
  all = TYPE[COUNT] all-gather(expected), dimensions={0}, replica_groups={}
  result = TYPE[BLOCK] dynamic-slice(all, start), dynamic_slice_sizes={BLOCK})");
}

TEST_P(CollectiveProperties, ReducingAndScatteringIsASliceOfTheReduced) {
  ExpectSame(R"(
  result = TYPE[BLOCK] reduce-scatter(x), dimensions={0}, replica_groups={}, to_apply=add
  all = TYPE[COUNT] all-reduce(x), replica_groups={}, to_apply=add
  expected = TYPE[BLOCK] dynamic-slice(all, start), dynamic_slice_sizes={BLOCK})");
}

TEST_P(CollectiveProperties, ScatteringAndGatheringIsReducing) {
  ExpectSame(R"(
  part = TYPE[BLOCK] reduce-scatter(x), dimensions={0}, replica_groups={}, to_apply=add
  result = TYPE[COUNTED] all-gather(part), dimensions={0}, replica_groups={}
  expected = TYPE[COUNT] all-reduce(x), replica_groups={}, to_apply=add)");
}

// The first sum lies apart from x, the second one in its place.
TEST_P(CollectiveProperties, ReducingInPlaceIsReducing) {
  ExpectSame(R"(
  expected = TYPE[COUNT] all-reduce(x), replica_groups={}, to_apply=add
  result = TYPE[COUNTED] all-reduce(x), replica_groups={}, to_apply=add)");
}

TEST_P(CollectiveProperties, ExchangingTwiceIsNothing) {
  ExpectSame(R"(
  once = TYPE[COUNT] all-to-all(x), dimensions={0}, replica_groups={}
  result = TYPE[COUNTED] all-to-all(once), dimensions={0}, replica_groups={}
  expected = TYPE[COUNT] copy(x))");
}

TEST_P(CollectiveProperties, PermutingRoundIsNothing) {
  std::string pairs, back;
  for (int64_t i = 0; i < GetParam().participants; ++i) {
    const int64_t next = (i + 1) % GetParam().participants;
    pairs += fmt::format("{}{{{},{}}}", i == 0 ? "" : ",", i, next);
    back += fmt::format("{}{{{},{}}}", i == 0 ? "" : ",", next, i);
  }
  ExpectSame(fmt::format(R"(
  away = TYPE[COUNT] collective-permute(x), source_target_pairs={{{}}}
  result = TYPE[COUNTED] collective-permute(away), source_target_pairs={{{}}}
  expected = TYPE[COUNT] copy(x))",
                         pairs, back));
}

INSTANTIATE_TEST_SUITE_P(Sizes, CollectiveProperties,
                         ::testing::Values(Case{2, 1, "s32"}, Case{2, 3, "f32"}, Case{3, 5, "bf16"},
                                           Case{3, 40'000, "f32"}, Case{2, 1'200'000, "f32"},
                                           Case{8, 7, "u8"}, Case{8, 20'001, "s32"},
                                           Case{64, 2, "f64"}),
                         CaseName);

// --- Many participants, and runs that end early --------------------------------------------------

// In one process, and in several.
class ReplicaRunTest : public ::testing::TestWithParam<int64_t> {
 protected:
  static absl::StatusOr<std::vector<Literal>> Run(const std::string& text,
                                                  const DeviceCounts& counts) {
    return RunTextOnParticipants(text, counts, GetParam());
  }
};

INSTANTIATE_TEST_SUITE_P(Processes, ReplicaRunTest, ::testing::Values(0, 1, 2, 5));

TEST_P(ReplicaRunTest, LoopsOfMeetingsStayInStep) {
  const std::string text = "HloModule loop" + AddComputation("u32") + R"(
body {
  s = (u32[], u32[]) parameter(0)
  i = u32[] get-tuple-element(s), index=0
  x = u32[] get-tuple-element(s), index=1
  one = u32[] constant(1)
  next = u32[] add(i, one)
  y = u32[] all-reduce(x), replica_groups={}, to_apply=add
  z = u32[] collective-permute(y), source_target_pairs={{0,1},{1,2},{2,3},{3,0}}
  ROOT t = (u32[], u32[]) tuple(next, z)
}
condition {
  s = (u32[], u32[]) parameter(0)
  i = u32[] get-tuple-element(s), index=0
  n = u32[] constant(500)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY main {
  r = u32[] replica-id()
  zero = u32[] constant(0)
  s = (u32[], u32[]) tuple(zero, r)
  w = (u32[], u32[]) while(s), condition=condition, body=body
  ROOT x = u32[] get-tuple-element(w), index=1
})";
  const auto results = Run(text, {.replicas = 4});
  ASSERT_TRUE(results.ok()) << results.status();
  // 0 + 1 + 2 + 3, then 4 times as much each time, modulo 2^32: 6 * 4^499 is 0.
  for (const Literal& result : *results) EXPECT_EQ(result.elements<uint32_t>()[0], 0u);
}

TEST_P(ReplicaRunTest, OneFailureStopsThoseThatWait) {
  const std::string text = "HloModule failure" + AddComputation("u32") + R"(
ENTRY main {
  r = u32[] replica-id()
  three = u32[] constant(3)
  third = pred[] compare(r, three), direction=EQ
  minus = s32[] constant(-1)
  zero = s32[] constant(0)
  root = s32[] select(third, minus, zero)
  roots = s32[1] broadcast(root), dimensions={}
  b = u32[] collective-broadcast(r, roots), replica_groups={{3}}, has_dynamic_root=true
  ROOT y = u32[] all-reduce(b), replica_groups={}, to_apply=add
})";
  const auto results = Run(text, {.replicas = 32});
  EXPECT_EQ(results.status().message(), "b: its root is -1 in a group of 1");
}

TEST_P(ReplicaRunTest, WaitingInCirclesIsReported) {
  const std::string text = "HloModule circle" + AddComputation("u32") + R"(
first {
  x = u32[] parameter(0)
  a = u32[] all-reduce(x), channel_id=1, replica_groups={{0,1}}, to_apply=add
  ROOT b = u32[] all-reduce(a), channel_id=2, replica_groups={{0,1}}, to_apply=add
}
second {
  x = u32[] parameter(0)
  a2 = u32[] all-reduce(x), channel_id=2, replica_groups={{0,1}}, to_apply=add
  ROOT b2 = u32[] all-reduce(a2), channel_id=1, replica_groups={{0,1}}, to_apply=add
}
ENTRY main {
  r = u32[] replica-id()
  zero = u32[] constant(0)
  is_zero = pred[] compare(r, zero), direction=EQ
  ROOT y = u32[] conditional(is_zero, r, r), true_computation=first, false_computation=second
})";
  const auto results = Run(text, {.replicas = 2});
  EXPECT_EQ(results.status().message(),
            "a: deadlock: replica 0 waits for replica 1 (occurrence 1)\n"
            "at `a2` replica 1 waits for replica 0 (occurrence 1)");
}

// What is received in one iteration was sent in the one before (semantics.md 14.4): after three
// iterations the value of partition 0 is at partition 3.
TEST_P(ReplicaRunTest, PipelinesHandValuesOn) {
  const std::string text = R"(HloModule pipeline
body {
  s = (u32[], u32[]) parameter(0)
  i = u32[] get-tuple-element(s), index=0
  x = u32[] get-tuple-element(s), index=1
  one = u32[] constant(1)
  next = u32[] add(i, one)
  t = token[] after-all()
  rv = (u32[], u32[], token[]) recv(t), channel_id=2, frontend_attributes={_xla_send_recv_source_target_pairs="{{0,1},{1,2},{2,3}}"}
  sd = (u32[], u32[], token[]) send(x, t), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs="{{0,1},{1,2},{2,3}}"}
  rd = (u32[], token[]) recv-done(rv), channel_id=2
  sdd = token[] send-done(sd), channel_id=1
  y = u32[] get-tuple-element(rd), index=0
  ROOT r = (u32[], u32[]) tuple(next, y)
}
condition {
  s = (u32[], u32[]) parameter(0)
  i = u32[] get-tuple-element(s), index=0
  n = u32[] constant(3)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY main {
  p = u32[] partition-id()
  five = u32[] constant(5)
  x = u32[] add(p, five)
  zero = u32[] constant(0)
  s = (u32[], u32[]) tuple(zero, x)
  w = (u32[], u32[]) while(s), condition=condition, body=body
  ROOT r = u32[] get-tuple-element(w), index=1
})";
  const auto results = Run(text, {.replicas = 1, .partitions = 4});
  ASSERT_TRUE(results.ok()) << results.status();
  const uint32_t expected[] = {0, 0, 0, 5};
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ((*results)[i].elements<uint32_t>()[0], expected[i]);
}

// Members in branches of their own meet, wherever they are; groups of which nobody is in the first
// process too.
TEST_P(ReplicaRunTest, BranchesMeet) {
  const std::string text = "HloModule branches" + AddComputation("u32") + R"(
first {
  x = u32[] parameter(0)
  ROOT a = u32[] all-reduce(x), replica_groups={{0,1},{2,3},{4,5}}, to_apply=add
}
second {
  x = u32[] parameter(0)
  ROOT b = u32[] all-reduce(x), replica_groups={{0,1},{2,3},{4,5}}, to_apply=add
}
ENTRY main {
  r = u32[] replica-id()
  one = u32[] constant(1)
  odd = u32[] and(r, one)
  is_odd = pred[] compare(odd, one), direction=EQ
  y = u32[] conditional(is_odd, r, r), true_computation=first, false_computation=second
  z = u32[] conditional(is_odd, y, y), true_computation=first, false_computation=second
  ROOT all = u32[] all-reduce(z), replica_groups={}, to_apply=add
})";
  const auto results = Run(text, {.replicas = 6});
  ASSERT_TRUE(results.ok()) << results.status();
  // 1, 5 and 9 are the sums; twice as much is what two have; of each there are two.
  for (const Literal& result : *results) EXPECT_EQ(result.elements<uint32_t>()[0], 60u);
}

// The first process has none of those that wait.
TEST_P(ReplicaRunTest, WaitingElsewhereIsReported) {
  const std::string text = "HloModule elsewhere" + AddComputation("u32") + R"(
sums {
  x = u32[] parameter(0)
  ROOT a = u32[] all-reduce(x), replica_groups={{0,1},{2,3},{4,5}}, to_apply=add
}
keeps {
  ROOT x = u32[] parameter(0)
}
ENTRY main {
  r = u32[] replica-id()
  four = u32[] constant(4)
  is_four = pred[] compare(r, four), direction=EQ
  ROOT y = u32[] conditional(is_four, r, r), true_computation=sums, false_computation=keeps
})";
  const auto results = Run(text, {.replicas = 6});
  EXPECT_EQ(results.status().message(),
            "a: deadlock: replica 4 waits for replica 5 (occurrence 1)\n"
            "replica 0, replica 1, replica 2, replica 3, replica 5 have finished");
}

// Who fails in the last process ends the run of those in the first.
TEST_P(ReplicaRunTest, SizesThatDifferAreReported) {
  const std::string text = R"(HloModule sizes
short {
  x = u32[] parameter(0)
  y = u32[1] broadcast(x), dimensions={}
  g = u32[5] all-gather(y), channel_id=1, use_global_device_ids=true, replica_groups={{0,1,2,3,4}}, dimensions={0}
  f = u32[1] slice(g), slice={[0:1]}
  ROOT s = u32[] reshape(f)
}
long {
  x = u32[] parameter(0)
  y = u32[2] broadcast(x), dimensions={}
  g2 = u32[10] all-gather(y), channel_id=1, use_global_device_ids=true, replica_groups={{0,1,2,3,4}}, dimensions={0}
  f = u32[1] slice(g2), slice={[0:1]}
  ROOT s = u32[] reshape(f)
}
ENTRY main {
  r = u32[] replica-id()
  four = u32[] constant(4)
  last = pred[] compare(r, four), direction=EQ
  ROOT y = u32[] conditional(last, r, r), true_computation=long, false_computation=short
})";
  const auto results = Run(text, {.replicas = 5});
  const std::string message(results.status().message());
  EXPECT_TRUE(message.starts_with("g2: replica 4 has u32[2] here, replica ")) << message;
  EXPECT_TRUE(message.ends_with(" has u32[1] at `g`")) << message;
}

// Two groups with members in the same processes are complete in any order.
TEST_P(ReplicaRunTest, LargeSumsOfSeveralGroupsStayApart) {
  const std::string text = "HloModule apart" + AddComputation("s32") + R"(
body {
  s = (u32[], s32[40000]) parameter(0)
  i = u32[] get-tuple-element(s), index=0
  x = s32[40000] get-tuple-element(s), index=1
  one = u32[] constant(1)
  next = u32[] add(i, one)
  y = s32[40000] all-reduce(x), replica_groups={{0,5},{1,4},{2,3}}, to_apply=add
  z = s32[40000] all-reduce(y), replica_groups={{0,1,2},{3,4,5}}, to_apply=add
  ROOT t = (u32[], s32[40000]) tuple(next, z)
}
condition {
  s = (u32[], s32[40000]) parameter(0)
  i = u32[] get-tuple-element(s), index=0
  n = u32[] constant(5)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY main {
  r = u32[] replica-id()
  c = s32[] convert(r)
  cs = s32[40000] broadcast(c), dimensions={}
  k = s32[40000] iota(), iota_dimension=0
  x = s32[40000] add(cs, k)
  zero = u32[] constant(0)
  s = (u32[], s32[40000]) tuple(zero, x)
  w = (u32[], s32[40000]) while(s), condition=condition, body=body
  ROOT sums = s32[40000] get-tuple-element(w), index=1
})";
  const auto results = Run(text, {.replicas = 6});
  ASSERT_TRUE(results.ok()) << results.status();
  // Of r + k the first iteration makes 15 + 6k, the others six times as much each.
  for (const Literal& result : *results) {
    EXPECT_EQ(result.elements<int32_t>()[0], 15 * 1296);
    EXPECT_EQ(result.elements<int32_t>()[39'999], (15 + 6 * 39'999) * 1296);
  }
}

// The first process tells that large arrays in different branches meet.
TEST_P(ReplicaRunTest, LargeBranchesMeet) {
  const std::string text = "HloModule branches" + AddComputation("s32") + R"(
first {
  x = s32[40000] parameter(0)
  ROOT a = s32[40000] all-reduce(x), replica_groups={{0,1},{2,3},{4,5}}, to_apply=add
}
second {
  x = s32[40000] parameter(0)
  ROOT b = s32[40000] all-reduce(x), replica_groups={{0,1},{2,3},{4,5}}, to_apply=add
}
ENTRY main {
  r = u32[] replica-id()
  one = u32[] constant(1)
  odd = u32[] and(r, one)
  is_odd = pred[] compare(odd, one), direction=EQ
  c = s32[] convert(r)
  x = s32[40000] broadcast(c), dimensions={}
  y = s32[40000] conditional(is_odd, x, x), true_computation=first, false_computation=second
  z = s32[40000] conditional(is_odd, y, y), true_computation=second, false_computation=first
  ROOT all = s32[40000] all-reduce(z), replica_groups={}, to_apply=add
})";
  const auto results = Run(text, {.replicas = 6});
  ASSERT_TRUE(results.ok()) << results.status();
  for (const Literal& result : *results) EXPECT_EQ(result.elements<int32_t>()[39'999], 60);
}

// One that fails while the others' arrays are on their way.
TEST_P(ReplicaRunTest, AFailureEndsLargeSums) {
  const std::string text = "HloModule fails" + AddComputation("s32") + R"(
sums {
  x = s32[40000] parameter(0)
  y = s32[40000] all-reduce(x), channel_id=1, replica_groups={{0,1},{2,3}}, to_apply=add
  ROOT z = s32[40000] all-reduce(y), channel_id=2, replica_groups={{0,1},{2,3}}, to_apply=add
}
fails {
  x = s32[40000] parameter(0)
  ROOT f = s32[40000] custom-call(x), custom_call_target="no_such_call"
}
ENTRY main {
  r = u32[] replica-id()
  c = s32[] convert(r)
  x = s32[40000] broadcast(c), dimensions={}
  three = u32[] constant(3)
  last = pred[] compare(r, three), direction=EQ
  ROOT y = s32[40000] conditional(last, x, x), true_computation=fails, false_computation=sums
})";
  for (int i = 0; i < 20; ++i) {
    const auto results = Run(text, {.replicas = 4});
    EXPECT_TRUE(std::string(results.status().message())
                    .starts_with("f: custom call target `no_such_call` is not known;"))
        << results.status();
  }
}

// Receives that were begun travel through the loop's state.
TEST_P(ReplicaRunTest, TransfersTravelThroughLoops) {
  const std::string text = R"(HloModule rotated
body {
  s = (u32[], u32[], (u32[], u32[], token[])) parameter(0)
  i = u32[] get-tuple-element(s), index=0
  x = u32[] get-tuple-element(s), index=1
  rv = (u32[], u32[], token[]) get-tuple-element(s), index=2
  rd = (u32[], token[]) recv-done(rv), channel_id=1
  y = u32[] get-tuple-element(rd), index=0
  sum = u32[] add(x, y)
  one = u32[] constant(1)
  next = u32[] add(i, one)
  t = token[] after-all()
  rv2 = (u32[], u32[], token[]) recv(t), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs="{{0,1},{1,0}}"}
  sd = (u32[], u32[], token[]) send(sum, t), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs="{{0,1},{1,0}}"}
  sdd = token[] send-done(sd), channel_id=1
  ROOT r = (u32[], u32[], (u32[], u32[], token[])) tuple(next, sum, rv2)
}
condition {
  s = (u32[], u32[], (u32[], u32[], token[])) parameter(0)
  i = u32[] get-tuple-element(s), index=0
  n = u32[] constant(2)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY main {
  x = u32[] partition-id()
  zero = u32[] constant(0)
  t = token[] after-all()
  rv = (u32[], u32[], token[]) recv(t), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs="{{0,1},{1,0}}"}
  sd = (u32[], u32[], token[]) send(x, t), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs="{{0,1},{1,0}}"}
  sdd = token[] send-done(sd), channel_id=1
  s = (u32[], u32[], (u32[], u32[], token[])) tuple(zero, x, rv)
  w = (u32[], u32[], (u32[], u32[], token[])) while(s), condition=condition, body=body
  last = (u32[], u32[], token[]) get-tuple-element(w), index=2
  rd = (u32[], token[]) recv-done(last), channel_id=1
  y = u32[] get-tuple-element(rd), index=0
  x2 = u32[] get-tuple-element(w), index=1
  ROOT r = u32[] add(x2, y)
})";
  const auto results = Run(text, {.replicas = 1, .partitions = 2});
  ASSERT_TRUE(results.ok()) << results.status();
  // (0, 1) -> (1, 1) -> (2, 2), and the sum of both.
  for (const Literal& result : *results) EXPECT_EQ(result.elements<uint32_t>()[0], 4u);
}

// A participant that computes for long is told of once, and may then come.
TEST(WaitingTest, IsNotedAndGoesOn) {
  const absl::StatusOr<Module> module = ParseText("waiting", R"(HloModule waiting
ENTRY main {
  r = u32[] replica-id()
  x = u32[1] reshape(r)
  slow = u32[1] custom-call(x), custom_call_target="slow"
  ROOT all = u32[2] all-gather(slow), dimensions={0}, replica_groups={}
})");
  ASSERT_TRUE(module.ok()) << module.status();
  DiagnosticSink sink(module->source());
  const std::optional<Plan> plan = PlanModule(*module, sink);
  ASSERT_TRUE(plan.has_value());
  ReplicaRun run(*plan, {.replicas = 2});
  std::atomic<int> note_count = 0;
  std::atomic<bool> is_slow = false;
  for (ParticipantId id = 0; id < 2; ++id) {
    run.device(id).custom_calls().Register("slow", [&, id](Evaluation& e) {
      if (id == 1) is_slow = true;
      while (id == 0 ? !is_slow : note_count == 0) std::this_thread::yield();
      std::memcpy(e.result().bytes, e.operand(0).bytes, sizeof(uint32_t));
      return absl::OkStatus();
    });
  }
  MeshFailure told;
  run.NoteWaiting(0.01, [&](const MeshFailure& waiting) {
    told = waiting;
    ++note_count;
  });
  ASSERT_TRUE(run.Start().ok());
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(run.Run(std::vector<std::vector<const Literal*>>(2)).ok());
    EXPECT_EQ(run.Result(0)->elements<uint32_t>()[1], 1u);
  }
  EXPECT_EQ(note_count, 1);
  EXPECT_EQ(told.status.message(),
            "nobody has come for 0.01 s: replica 0 waits for replica 1 (occurrence 1)");
  ASSERT_EQ(told.notes.size(), 1u);
  EXPECT_EQ(told.notes[0].text, "replica 1 is at `slow`");
}

}  // namespace
}  // namespace hlo
