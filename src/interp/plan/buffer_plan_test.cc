// What the sharing of buffers comes to is one number, the bytes of the arena: programs are made
// such that a buffer more or less shows in it. Plans are those of the reference backend, which
// makes no blocks that arrays could vanish in.
#include "interp/plan/buffer_sharing.h"

#include <gtest/gtest.h>

#include <string>

#include "testing/run_module.h"

namespace hlo {
namespace {

int64_t ArenaByteSize(const std::string& text) {
  absl::StatusOr<Module> module = testing::ParseText("test", text);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return -1;
  DiagnosticSink sink(module->source());
  std::optional<Plan> plan = testing::PlanModule(*module, sink);
  EXPECT_TRUE(plan);
  return plan ? plan->arena_byte_size : -1;
}

// Arrays of 256 floats take 1 KiB each, scalars the 64 bytes of a cache line.
constexpr int64_t kArray = 1024;
constexpr int64_t kScalar = 64;

TEST(BufferPlanTest, ChainsOfElementwiseStepsTakeOneBuffer) {
  EXPECT_EQ(ArenaByteSize(R"(HloModule m
ENTRY main {
  x = f32[256] parameter(0)
  a = f32[256] negate(x)
  b = f32[256] exponential(a)
  c = f32[256] add(b, x)
  ROOT d = f32[256] multiply(c, c)
})"),
            kArray);
}

TEST(BufferPlanTest, DeadBuffersAreReused) {
  // Transposes do not work in place: two buffers in turn.
  EXPECT_EQ(ArenaByteSize(R"(HloModule m
ENTRY main {
  x = f32[16,16] parameter(0)
  a = f32[16,16] transpose(x), dimensions={1,0}
  b = f32[16,16] transpose(a), dimensions={1,0}
  c = f32[16,16] transpose(b), dimensions={1,0}
  ROOT d = f32[16,16] transpose(c), dimensions={1,0}
})"),
            2 * kArray);
}

TEST(BufferPlanTest, ViewsAndTuplesTakeNothing) {
  EXPECT_EQ(ArenaByteSize(R"(HloModule m
ENTRY main {
  x = f32[16,16] parameter(0)
  a = f32[256] reshape(x)
  t = (f32[256], f32[16,16]) tuple(a, x)
  g = f32[256] get-tuple-element(t), index=0
  ROOT c = f32[256] copy(g)
})"),
            0);
}

TEST(BufferPlanTest, AllReducesReplaceOperandsThatNobodyReadsAgain) {
  const std::string text = R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[256] parameter(0)
  a = f32[256] negate(x)
  sum = f32[256] all-reduce(a), replica_groups={}, to_apply=add
  ROOT r = f32[256] add(sum, LAST)
})";
  const auto with = [&](const std::string& last) {
    std::string result = text;
    return result.replace(result.find("LAST"), 4, last);
  };
  EXPECT_EQ(ArenaByteSize(with("a")) - ArenaByteSize(with("x")), kArray);
}

TEST(BufferPlanTest, LoopsUpdateTheirStateInPlace) {
  // One array, the counter, and the condition's verdict.
  EXPECT_EQ(ArenaByteSize(R"(HloModule m
cond {
  s = (s32[], f32[256]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(256)
  ROOT lt = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[256]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[256] get-tuple-element(s), index=1
  one = s32[] constant(1)
  u = f32[1] constant({7})
  d = f32[256] dynamic-update-slice(x, u, i)
  next = s32[] add(i, one)
  ROOT t = (s32[], f32[256]) tuple(next, d)
}
ENTRY main {
  zero = s32[] constant(0)
  x = f32[256] parameter(0)
  init = (s32[], f32[256]) tuple(zero, x)
  w = (s32[], f32[256]) while(init), condition=cond, body=body
  ROOT r = f32[256] get-tuple-element(w), index=1
})"),
            kArray + 2 * kScalar);
}

TEST(BufferPlanTest, BranchesShareMemory) {
  // The result, and one temporary of whichever branch runs.
  EXPECT_EQ(ArenaByteSize(R"(HloModule m
left {
  x = f32[16,16] parameter(0)
  a = f32[16,16] transpose(x), dimensions={1,0}
  ROOT b = f32[16,16] reverse(a), dimensions={0}
}
right {
  x = f32[16,16] parameter(0)
  a = f32[16,16] reverse(x), dimensions={1}
  ROOT b = f32[16,16] transpose(a), dimensions={1,0}
}
ENTRY main {
  p = pred[] parameter(0)
  x = f32[16,16] parameter(1)
  ROOT c = f32[16,16] conditional(p, x, x), true_computation=left, false_computation=right
})"),
            2 * kArray);
}

TEST(BufferPlanTest, InvariantsAreComputedBeforeTheLoop) {
  absl::StatusOr<Module> module = testing::ParseText("test", R"(HloModule m
cond {
  i = s32[4] parameter(0)
  first = s32[1] slice(i), slice={[0:1]}
  scalar = s32[] reshape(first)
  n = s32[] constant(10)
  ROOT lt = pred[] compare(scalar, n), direction=LT
}
body {
  i = s32[4] parameter(0)
  a = s32[4] iota(), iota_dimension=0
  b = s32[4] multiply(a, a)
  ROOT c = s32[4] add(i, b)
}
ENTRY main {
  x = s32[4] parameter(0)
  ROOT w = s32[4] while(x), condition=cond, body=body
})");
  ASSERT_TRUE(module.ok()) << module.status();
  DiagnosticSink sink(module->source());
  std::optional<Plan> plan = testing::PlanModule(*module, sink);
  ASSERT_TRUE(plan);
  std::vector<std::string> names;
  for (const Step& step : plan->entry->steps) {
    names.emplace_back(module->instruction(step.instruction).name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "w"}));
  EXPECT_EQ(plan->entry->steps[2].regions[1]->steps.size(), 1u);
}

TEST(BufferPlanTest, RecursionIsReported) {
  absl::StatusOr<Module> module = testing::ParseText("test", R"(HloModule m
f {
  x = f32[] parameter(0)
  ROOT y = f32[] negate(x)
}
ENTRY main {
  x = f32[] parameter(0)
  ROOT y = f32[] call(x), to_apply=f
})");
  ASSERT_TRUE(module.ok()) << module.status();
  // The text cannot say it: the callee must stand before the caller. A builder could.
  InstructionId call = module->entry().root;
  module->SetAttribute<Attr::kToApply>(call, module->entry_id());
  DiagnosticSink sink(module->source());
  EXPECT_FALSE(testing::PlanModule(*module, sink));
  ASSERT_EQ(sink.diagnostics().size(), 1u);
  EXPECT_EQ(sink.diagnostics()[0].rule, "module.call-cycle");
}

}  // namespace
}  // namespace hlo
