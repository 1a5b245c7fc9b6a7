// Loops, branches and calls as they run, and what surrounds a run: caps, stops and their places,
// arguments that stay the same. Everything is run by the reference backend where a test names no
// other.
#include "interp/executor.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "interp/backends.h"
#include "interp/run_limits.h"
#include "ir/module_builder.h"
#include "support/render_diagnostic.h"
#include "testing/run_module.h"

namespace hlo {
namespace {

using testing::ParseText;
using testing::RunModule;

// Runs `text` on f32 vectors and gives all result elements, which are f32 or s32, as floats.
std::vector<float> RunFloats(const std::string& text, std::vector<std::vector<float>> inputs = {}) {
  absl::StatusOr<Module> module = ParseText("test", text);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return {};
  std::vector<Literal> arguments;
  for (const std::vector<float>& input : inputs) {
    std::vector<int64_t> dims = {static_cast<int64_t>(input.size())};
    arguments.push_back(*Literal::Zeros(Shape::ArrayWithDefaultLayout(ElementType::kF32, dims)));
    std::ranges::copy(input, arguments.back().elements<float>().begin());
  }
  absl::StatusOr<Literal> result = RunModule(*module, arguments);
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) return {};
  std::vector<float> elements;
  auto collect = [&](const auto& self, const Literal& literal) -> void {
    for (const Literal& element : literal.tuple_elements()) self(self, element);
    if (literal.shape().element_type() == ElementType::kF32) {
      for (float x : literal.elements<float>()) elements.push_back(x);
    } else if (literal.shape().element_type() == ElementType::kS32) {
      for (int32_t x : literal.elements<int32_t>()) elements.push_back(static_cast<float>(x));
    }
  };
  collect(collect, *result);
  return elements;
}

std::string ErrorOf(const std::string& text) {
  absl::StatusOr<Module> module = ParseText("test", text);
  if (!module.ok()) return "does not parse: " + std::string(module.status().message());
  return std::string(RunModule(*module, {}).status().message());
}

using Floats = std::vector<float>;

TEST(ExecutorTest, AddsAndKeepsArguments) {
  EXPECT_EQ(RunFloats(R"(HloModule m
ENTRY main {
  x = f32[2] parameter(0)
  y = f32[2] add(x, x)
  z = f32[2] multiply(y, x)
  ROOT t = (f32[2], f32[2], f32[2]) tuple(z, y, x)
})",
                      {{1, 3}}),
            (Floats{2, 18, 2, 6, 1, 3}));
}

TEST(ExecutorTest, WhileSwapsItsState) {
  // Each iteration exchanges a and b: moves that read what another move overwrites.
  EXPECT_EQ(RunFloats(R"(HloModule m
cond {
  s = (s32[], f32[2], f32[2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT lt = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[2], f32[2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = f32[2] get-tuple-element(s), index=1
  b = f32[2] get-tuple-element(s), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  ROOT t = (s32[], f32[2], f32[2]) tuple(next, b, a)
}
ENTRY main {
  zero = s32[] constant(0)
  a = f32[2] parameter(0)
  b = f32[2] parameter(1)
  init = (s32[], f32[2], f32[2]) tuple(zero, a, b)
  ROOT w = (s32[], f32[2], f32[2]) while(init), condition=cond, body=body
})",
                      {{1, 2}, {3, 4}}),
            (Floats{3, 3, 4, 1, 2}));
}

TEST(ExecutorTest, WhileUpdatesInPlaceAndReadsTheOldValueElsewhere) {
  // (a, b) -> (a + b, a): Fibonacci. The second result wants the old a.
  EXPECT_EQ(RunFloats(R"(HloModule m
cond {
  s = (s32[], f32[1], f32[1]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(10)
  ROOT lt = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[1], f32[1]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = f32[1] get-tuple-element(s), index=1
  b = f32[1] get-tuple-element(s), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  sum = f32[1] add(a, b)
  ROOT t = (s32[], f32[1], f32[1]) tuple(next, sum, a)
}
ENTRY main {
  zero = s32[] constant(0)
  a = f32[1] parameter(0)
  b = f32[1] parameter(1)
  init = (s32[], f32[1], f32[1]) tuple(zero, a, b)
  w = (s32[], f32[1], f32[1]) while(init), condition=cond, body=body
  ROOT r = f32[1] get-tuple-element(w), index=1
})",
                      {{1}, {0}}),
            (Floats{89}));
}

TEST(ExecutorTest, WhileWithoutTripsReturnsItsInput) {
  EXPECT_EQ(RunFloats(R"(HloModule m
cond {
  s = f32[2] parameter(0)
  ROOT c = pred[] constant(false)
}
body {
  s = f32[2] parameter(0)
  ROOT n = f32[2] negate(s)
}
ENTRY main {
  a = f32[2] parameter(0)
  ROOT w = f32[2] while(a), condition=cond, body=body
})",
                      {{1, 2}}),
            (Floats{1, 2}));
}

TEST(ExecutorTest, LoopInvariantsSurviveTheLoop) {
  // `k` is made outside and read in every iteration; its memory must not be reused inside.
  EXPECT_EQ(RunFloats(R"(HloModule m
cond {
  s = (s32[], f32[2], f32[2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT lt = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[2], f32[2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[2] get-tuple-element(s), index=1
  k = f32[2] get-tuple-element(s), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  n = f32[2] negate(k)
  d = f32[2] subtract(x, n)
  ROOT t = (s32[], f32[2], f32[2]) tuple(next, d, k)
}
ENTRY main {
  zero = s32[] constant(0)
  a = f32[2] parameter(0)
  k = f32[2] add(a, a)
  init = (s32[], f32[2], f32[2]) tuple(zero, a, k)
  w = (s32[], f32[2], f32[2]) while(init), condition=cond, body=body
  x = f32[2] get-tuple-element(w), index=1
  ROOT r = f32[2] add(x, k)
})",
                      {{1, 2}}),
            (Floats{9, 18}));
}

constexpr char kBranches[] = R"(HloModule m
double {
  x = f32[2] parameter(0)
  ROOT y = f32[2] add(x, x)
}
same {
  ROOT x = f32[2] parameter(0)
}
negative {
  x = f32[2] parameter(0)
  ROOT y = f32[2] negate(x)
}
ENTRY main {
  a = f32[2] parameter(0)
  k = s32[] constant(KEY)
  b = f32[2] add(a, a)
  c = f32[2] conditional(k, b, b, b), branch_computations={double, same, negative}
  ROOT t = (f32[2], f32[2]) tuple(c, b)
})";

std::string WithKey(const std::string& key) {
  std::string text = kBranches;
  return text.replace(text.find("KEY"), 3, key);
}

TEST(ExecutorTest, ConditionalTakesTheLastBranchWhenOutOfRange) {
  EXPECT_EQ(RunFloats(WithKey("0"), {{1, 2}}), (Floats{4, 8, 2, 4}));
  EXPECT_EQ(RunFloats(WithKey("1"), {{1, 2}}), (Floats{2, 4, 2, 4}));
  EXPECT_EQ(RunFloats(WithKey("2"), {{1, 2}}), (Floats{-2, -4, 2, 4}));
  EXPECT_EQ(RunFloats(WithKey("7"), {{1, 2}}), (Floats{-2, -4, 2, 4}));
  EXPECT_EQ(RunFloats(WithKey("-1"), {{1, 2}}), (Floats{-2, -4, 2, 4}));
}

TEST(ExecutorTest, CallsAreExpandedAtEveryPlace) {
  EXPECT_EQ(RunFloats(R"(HloModule m
inner {
  x = f32[1] parameter(0)
  y = f32[1] parameter(1)
  ROOT d = f32[1] subtract(x, y)
}
outer {
  x = f32[1] parameter(0)
  y = f32[1] parameter(1)
  a = f32[1] call(x, y), to_apply=inner
  b = f32[1] call(y, x), to_apply=inner
  ROOT t = (f32[1], f32[1]) tuple(a, b)
}
ENTRY main {
  x = f32[1] parameter(0)
  y = f32[1] parameter(1)
  t = (f32[1], f32[1]) call(x, y), to_apply=outer
  f = (f32[1], f32[1]) fusion(y, x), kind=kLoop, calls=outer
  ROOT r = ((f32[1], f32[1]), (f32[1], f32[1])) tuple(t, f)
})",
                      {{5}, {3}}),
            (Floats{2, -2, -2, 2}));
}

TEST(ExecutorTest, AsyncOperationsRunOnce) {
  EXPECT_EQ(RunFloats(R"(HloModule m
ENTRY main {
  x = f32[2] parameter(0)
  s = ((f32[2]), f32[2], s32[]) negate-start(x)
  u = ((f32[2]), f32[2], s32[]) negate-update(s)
  ROOT d = f32[2] negate-done(u)
})",
                      {{1, 2}}),
            (Floats{-1, -2}));
}

TEST(ExecutorTest, OnlyScalarReducersAreCalledPerElement) {
  EXPECT_EQ(RunFloats(R"(HloModule m
odd_sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  two = f32[] constant(2)
  c = f32[] multiply(b, two)
  ROOT s = f32[] add(a, c)
}
ENTRY main {
  x = f32[4] parameter(0)
  zero = f32[] constant(0)
  r = f32[] reduce(x, zero), dimensions={0}, to_apply=odd_sum
  ROOT y = f32[1] reshape(r)
})",
                      {{1, 2, 3, 4}}),
            (Floats{20}));
}

TEST(ExecutorTest, EndlessLoopsStopAtTheCap) {
  absl::StatusOr<Module> module = ParseText("test", R"(HloModule m
cond {
  s = f32[] parameter(0)
  ROOT c = pred[] constant(true)
}
body {
  s = f32[] parameter(0)
  ROOT n = f32[] negate(s)
}
ENTRY main {
  a = f32[] constant(1)
  ROOT w = f32[] while(a), condition=cond, body=body
})");
  ASSERT_TRUE(module.ok()) << module.status();
  DiagnosticSink sink(module->source());
  std::optional<Plan> plan = testing::PlanModule(*module, sink);
  ASSERT_TRUE(plan);
  DeviceContext device;
  device.set_max_iterations(1000);
  auto executor = Executor::Create(*plan, device);
  ASSERT_TRUE(executor.ok());
  absl::Status status = (*executor)->Run({});
  EXPECT_EQ(status.message(), "the loop goes on after 1000 iterations");
  EXPECT_EQ(module->instruction((*executor)->stopped_at()).name, "w");
  device.Interrupt();
  EXPECT_TRUE(absl::IsCancelled((*executor)->Run({})));
}

// What stops a program that was made in code is said of an instruction by its name.
TEST(ExecutorTest, StopsAreNamedWhereThereIsNoText) {
  const Shape number = Shape::Scalar(ElementType::kF32);
  ModuleBuilder builder("made");
  const ComputationId condition = builder.AddComputation("condition");
  builder.AddParameter(condition, number, "s");
  builder.SetRoot(condition, builder.AddConstant(condition, Literal::Scalar(true)));
  const ComputationId body = builder.AddComputation("body");
  builder.SetRoot(body, builder.AddParameter(body, number, "s"));
  const ComputationId main = builder.AddComputation("main");
  const InstructionId start = builder.AddParameter(main, number, "start");
  const InstructionId loop = builder.Add(main, Opcode::kWhile, number, {start}, "loop");
  builder.Set<Attr::kCondition>(loop, condition);
  builder.Set<Attr::kBody>(loop, body);
  builder.SetRoot(main, loop);
  builder.SetEntry(main);
  const Module module = std::move(builder).Finish();

  DiagnosticSink sink(module.source());
  const std::optional<Plan> plan = testing::PlanModule(module, sink);
  ASSERT_TRUE(plan) << RenderDiagnostics(sink.diagnostics());
  DeviceContext device;
  device.set_max_iterations(10);
  auto executor = Executor::Create(*plan, device);
  ASSERT_TRUE(executor.ok());
  const Literal one = Literal::Scalar(1.0f);
  const absl::Status status = (*executor)->Run(std::span(&one, 1));
  ReportStop(module, (*executor)->stopped_at(), status, sink);
  ASSERT_FALSE(FitsMemory(*plan, /*participants=*/1, /*max_byte_size=*/1, sink));
  std::vector<std::string> said;
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    said.push_back(diagnostic.message);
    for (const DiagnosticNote& note : diagnostic.notes) said.push_back(note.message);
  }
  ASSERT_GE(said.size(), 4u);
  EXPECT_EQ(said[0], "`loop`: the loop goes on after 10 iterations");
  EXPECT_EQ(said[1], "in instruction `loop` of computation `main`");
  EXPECT_TRUE(said[3].starts_with("instruction `")) << said[3];
}

TEST(ExecutorTest, WhatCannotBePlannedIsNamedWhereThereIsNoText) {
  ModuleBuilder builder("made");
  const ComputationId main = builder.AddComputation("main");
  builder.SetRoot(main, builder.AddParameter(main, Shape::Scalar(ElementType::kF32), "x"));
  builder.SetEntry(main);
  const Module module = std::move(builder).Finish();
  DiagnosticSink sink(module.source());
  EXPECT_FALSE(testing::PlanModule(module, sink, {.max_byte_size = 1}));
  EXPECT_EQ(RenderDiagnostics(sink.diagnostics()),
            "made: error: the plan of the program takes more than 1 bytes, the limit of a run "
            "[run.memory]\n"
            "made: note: in instruction `x` of computation `main`\n");
}

// Products of arguments that stay the same keep their packed columns, in place or read through a
// transpose, and give the same bits in every run.
TEST(ExecutorTest, FrozenArgumentsArePackedOnce) {
  const absl::StatusOr<Module> module = ParseText("test", R"(HloModule m
ENTRY main {
  x = f32[64,96] parameter(0)
  w = f32[96,80] parameter(1)
  v = f32[72,80] parameter(2)
  y = f32[64,80] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[80,72] transpose(v), dimensions={1,0}
  ROOT z = f32[64,72] dot(y, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto arguments = ArgumentGenerator(*module, FakeKind::kRandom, 1).MakeAll();
  ASSERT_TRUE(arguments.ok()) << arguments.status();
  std::vector<std::string> results;
  for (const bool freezes : {false, true}) {
    DiagnosticSink sink(module->source());
    const std::optional<Plan> plan = testing::PlanModule(
        *module, sink, {.backend = FindBackend("simd"), .freezes_arguments = freezes});
    ASSERT_TRUE(plan.has_value());
    EXPECT_EQ(plan->state_byte_size > 0, freezes);
    DeviceContext device;
    auto executor = Executor::Create(*plan, device);
    ASSERT_TRUE(executor.ok()) << executor.status();
    for (int run = 0; run < 3; ++run) {
      ASSERT_TRUE((*executor)->Run(*arguments).ok());
      const absl::StatusOr<Literal> result = (*executor)->Result();
      ASSERT_TRUE(result.ok()) << result.status();
      results.emplace_back(reinterpret_cast<const char*>(result->bytes()),
                           static_cast<size_t>(result->byte_size()));
    }
  }
  for (const std::string& result : results) EXPECT_EQ(result, results.front());
}

// Small steps keep the addresses of what they read from the second run on; arguments come from
// elsewhere in other runs, in the loop and outside, and one may stay where the other does not.
TEST(ExecutorTest, ArgumentsMayLieElsewhereInEveryRun) {
  const absl::StatusOr<Module> module = ParseText("test", R"(HloModule m
cond {
  s = (s32[], f32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT lt = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  sum = f32[] get-tuple-element(s), index=1
  x = f32[] get-tuple-element(s), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  more = f32[] add(sum, x)
  ROOT t = (s32[], f32[], f32[]) tuple(next, more, x)
}
ENTRY main {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  zero = s32[] constant(0)
  start = f32[] multiply(x, y)
  t = (s32[], f32[], f32[]) tuple(zero, start, x)
  w = (s32[], f32[], f32[]) while(t), condition=cond, body=body
  ROOT sum = f32[] get-tuple-element(w), index=1
})");
  ASSERT_TRUE(module.ok()) << module.status();
  DiagnosticSink sink(module->source());
  const std::optional<Plan> plan =
      testing::PlanModule(*module, sink, {.backend = FindBackend("simd")});
  ASSERT_TRUE(plan.has_value());
  DeviceContext device;
  auto executor = Executor::Create(*plan, device);
  ASSERT_TRUE(executor.ok()) << executor.status();
  std::vector<Literal> numbers;
  for (const float number : {1.0f, 2.0f, 5.0f}) {
    numbers.push_back(*Literal::Zeros(Shape::ArrayWithDefaultLayout(ElementType::kF32, {})));
    numbers.back().elements<float>()[0] = number;
  }
  constexpr std::pair<size_t, size_t> kRuns[] = {{0, 1}, {0, 1}, {0, 1}, {2, 1}, {0, 1},
                                                 {0, 2}, {0, 2}, {1, 2}, {1, 2}, {1, 2}};
  for (const auto& [x, y] : kRuns) {
    const Literal* const arguments[] = {&numbers[x], &numbers[y]};
    ASSERT_TRUE((*executor)->RunOn(arguments).ok());
    const float first = numbers[x].elements<float>()[0], second = numbers[y].elements<float>()[0];
    EXPECT_EQ((*executor)->Result()->elements<float>()[0], first * second + 3 * first);
  }
}

TEST(ExecutorTest, UnusedInstructionsNeitherRunNorMatter) {
  EXPECT_EQ(RunFloats(R"(HloModule m
ENTRY main {
  x = f32[2] parameter(0)
  unused = f32[2] custom-call(x), custom_call_target="nobody_knows_this"
  ROOT y = f32[2] negate(x)
})",
                      {{1, 2}}),
            (Floats{-1, -2}));
}

TEST(ExecutorTest, WrongShapesAreDiagnosed) {
  EXPECT_EQ(
      ErrorOf(R"(HloModule m
ENTRY main {
  x = f32[2] constant({1, 2})
  ROOT y = f32[3] negate(x)
})"),
      "test:4: `negate` is written as `f32[3]` but its operands give `f32[2]`: dimension 0 is 3 "
      "instead of 2 [negate.result-shape]");
}

}  // namespace
}  // namespace hlo
