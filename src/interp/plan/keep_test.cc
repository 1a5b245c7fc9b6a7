// Products that are prepared once for a loop: what is kept belongs to one time that the loop runs,
// and nothing that a loop carries is kept.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interp/backends.h"
#include "interp/executor.h"
#include "interp/run_limits.h"
#include "testing/run_module.h"

namespace hlo {
namespace {

using testing::ParseText;

constexpr std::string_view kState = "(s32[], f32[64,64], f32[64,64], f32[64,64])";

// A computation of loops that carry a counter `i`, and `x`, `w` and `v`.
std::string Computation(std::string_view name, std::string_view body) {
  return fmt::format(
      "{0} {{\n  s = {1} parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  x = f32[64,64] get-tuple-element(s), index=1\n"
      "  w = f32[64,64] get-tuple-element(s), index=2\n"
      "  v = f32[64,64] get-tuple-element(s), index=3\n  one = s32[] constant(1)\n"
      "  next = s32[] add(i, one)\n{2}}}\n",
      name, kState, body);
}
std::string Condition(std::string_view name, int64_t count) {
  return Computation(name, fmt::format("  n = s32[] constant({})\n"
                                       "  ROOT lt = pred[] compare(i, n), direction=LT\n",
                                       count));
}
std::string Product(std::string_view name, std::string_view left, std::string_view right) {
  return fmt::format(
      "  {} = f32[64,64] dot({}, {}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n",
      name, left, right);
}
std::string While(std::string_view name, std::string_view arrays, std::string_view condition,
                  std::string_view body) {
  return fmt::format(
      "  zero_{0} = s32[] constant(0)\n  init_{0} = {1} tuple(zero_{0}, {2})\n"
      "  {0} = {1} while(init_{0}), condition={3}, body={4}\n",
      name, kState, arrays, condition, body);
}
std::string Program(std::string_view computations, std::string_view body) {
  return fmt::format(
      "HloModule m\n{}ENTRY main {{\n  x = f32[64,64] parameter(0)\n"
      "  w = f32[64,64] parameter(1)\n  v = f32[64,64] parameter(2)\n{}}}\n",
      computations, body);
}

// The inner loop leaves `w` as it is, which the outer one changes, and both leave `v` as it is.
std::string ProductsInLoops() {
  return Program(
      Condition("inner_cond", 20) +
          Computation("inner", Product("y", "x", "w") + "  t = f32[64,64] tanh(y)\n" +
                                   Product("z", "t", "v") +
                                   fmt::format("  ROOT r = {} tuple(next, z, w, v)\n", kState)) +
          Condition("outer_cond", 5) +
          Computation("outer", While("loop", "x, w, v", "inner_cond", "inner") +
                                   fmt::format("  y = f32[64,64] get-tuple-element(loop), index=1\n"
                                               "  more = f32[64,64] cosine(w)\n"
                                               "  ROOT r = {} tuple(next, y, more, v)\n",
                                               kState)),
      While("loop", "x, w, v", "outer_cond", "outer") +
          "  ROOT y = f32[64,64] get-tuple-element(loop), index=1\n");
}

// Our own products pack these whatever the library would do.
PlanOptions Options(bool keeps) {
  return {
      .backend = FindBackend("simd"), .keeps_in_loops = keeps, .library_use = LibraryUse::kNever};
}

size_t CountOf(std::string_view part, std::string_view text) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Runs of one executor, with the arguments of each seed.
std::vector<std::string> ResultsOf(const Module& module, const Plan& plan) {
  std::vector<std::string> results;
  DeviceContext device;
  auto executor = Executor::Create(plan, device);
  EXPECT_TRUE(executor.ok()) << executor.status();
  if (!executor.ok()) return results;
  for (const uint64_t seed : {1, 2, 1}) {
    const auto arguments = ArgumentGenerator(module, FakeKind::kRandom, seed).MakeAll();
    EXPECT_TRUE(arguments.ok() && (*executor)->Run(*arguments).ok());
    const absl::StatusOr<Literal> result = (*executor)->Result();
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) break;
    results.emplace_back(reinterpret_cast<const char*>(result->bytes()),
                         static_cast<size_t>(result->byte_size()));
  }
  return results;
}

TEST(KeepTest, WhatIsKeptBelongsToOneTimeThatTheLoopRuns) {
  const absl::StatusOr<Module> module = ParseText("test", ProductsInLoops());
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<std::string> expected;
  for (const bool keeps : {false, true}) {
    DiagnosticSink sink(module->source());
    const std::optional<Plan> plan = testing::PlanModule(*module, sink, Options(keeps));
    ASSERT_TRUE(plan.has_value());
    EXPECT_EQ(plan->state_byte_size > 0, keeps);
    EXPECT_EQ(CountOf("prepared once for the loop", PlanText(*plan)), keeps ? 2u : 0u);
    const std::vector<std::string> results = ResultsOf(*module, *plan);
    ASSERT_EQ(results.size(), 3u);
    EXPECT_NE(results[0], results[1]);
    if (!keeps) expected = results;
    EXPECT_EQ(results, expected);
  }
}

// The condition multiplies what the loop carries by what it leaves as it is, on both sides, and the
// second loop multiplies by what the first made.
TEST(KeepTest, WhatLoopsCarryIsNotKept) {
  const std::string condition = Computation(
      "cond", Product("left", "w", "x") + Product("right", "x", "w") +
                  "  both = f32[64,64] add(left, right)\n  zero = f32[] constant(0)\n"
                  "  total = f32[] reduce(both, zero), dimensions={0,1}, to_apply=sum\n"
                  "  most = f32[] constant(100000)\n"
                  "  is_small = pred[] compare(total, most), direction=LT\n"
                  "  n = s32[] constant(30)\n  is_early = pred[] compare(i, n), direction=LT\n"
                  "  ROOT goes_on = pred[] and(is_small, is_early)\n");
  const std::string body = Computation(
      "body", fmt::format("  some = f32[] constant(0.25)\n"
                          "  more = f32[64,64] broadcast(some), dimensions={{}}\n"
                          "  y = f32[64,64] add(x, more)\n  ROOT r = {} tuple(next, y, w, v)\n",
                          kState));
  const absl::StatusOr<Module> module = ParseText(
      "test",
      Program("sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }\n" +
                  condition + body,
              "  number = f32[] constant(1)\n"
              "  ones = f32[64,64] broadcast(number), dimensions={}\n" +
                  While("first", "x, ones, v", "cond", "body") +
                  "  made = f32[64,64] get-tuple-element(first), index=1\n" +
                  While("second", "x, made, v", "cond", "body") +
                  "  j = s32[] get-tuple-element(first), index=0\n"
                  "  k = s32[] get-tuple-element(second), index=0\n"
                  "  ROOT r = (s32[], s32[]) tuple(j, k)\n"));
  ASSERT_TRUE(module.ok()) << module.status();
  const auto arguments = ArgumentGenerator(*module, FakeKind::kZeros, 1).MakeAll();
  ASSERT_TRUE(arguments.ok()) << arguments.status();
  DeviceContext device;
  const absl::StatusOr<Literal> result =
      testing::RunModule(*module, *arguments, device, Options(true));
  ASSERT_TRUE(result.ok()) << result.status();
  // In iteration i the total is 2 * 64^3 * i / 4 times the elements of w: at least 100000 from i =
  // 1 on where these are 1, from i = 4 on where they are 1 / 4.
  EXPECT_EQ(result->tuple_elements()[0].elements<int32_t>()[0], 1);
  EXPECT_EQ(result->tuple_elements()[1].elements<int32_t>()[0], 4);
}

TEST(KeepTest, NothingIsKeptWhereMemoryIsShort) {
  const absl::StatusOr<Module> module = ParseText("test", ProductsInLoops());
  ASSERT_TRUE(module.ok()) << module.status();
  DiagnosticSink sink(module->source());
  const std::optional<RunnableModule> runnable = RunnableModule::Verify(*module, sink);
  ASSERT_TRUE(runnable.has_value());
  const auto needs = [&](int64_t limit) {
    const auto plan = MakePlanWithin(*runnable, sink, Options(true), /*participants=*/1, limit);
    return MemoryOf(*plan, 1);
  };
  const MemoryNeeds most = needs(INT64_MAX);
  EXPECT_GT(most.state, 0);
  const MemoryNeeds least = needs(static_cast<int64_t>(most.total()) - 1);
  EXPECT_EQ(least.state, 0);
  EXPECT_LT(least.total(), most.total());
}

}  // namespace
}  // namespace hlo
