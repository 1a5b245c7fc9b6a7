// Positions made by hand, in plans of both backends.
#include "interp/inspect/run_progress.h"

#include <gtest/gtest.h>

#include "interp/backends.h"
#include "interp/make_plan.h"
#include "parser/parser.h"

namespace hlo {
namespace {

// A loop of `count` iterations between two steps that cost the same.
std::string Program(std::string_view begin) {
  return fmt::format(R"(HloModule m
body {{
  p = (s32[], f32[1000000]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[1000000] get-tuple-element(p), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  y = f32[1000000] reverse(x), dimensions={{0}}
  ROOT r = (s32[], f32[1000000]) tuple(next, y)
}}
condition {{
  p = (s32[], f32[1000000]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  limit = s32[] constant(8)
  ROOT go = pred[] compare(i, limit), direction=LT
}}
ENTRY e {{
  n = s32[] parameter(0)
  x = f32[1000000] parameter(1)
  zero = s32[] constant(0)
  first = f32[1000000] reverse(x), dimensions={{0}}
  begin = (s32[], f32[1000000]) tuple({}, first)
  loop = (s32[], f32[1000000]) while(begin), condition=condition, body=body
  y = f32[1000000] get-tuple-element(loop), index=1
  ROOT last = f32[1000000] reverse(y), dimensions={{0}}
}}
)",
                     begin);
}

void WithPlans(std::string_view text, const std::function<void(const Plan&)>& look) {
  for (const Backend& backend : Backends()) {
    auto source = std::make_shared<SourceText>("test", std::string(text));
    DiagnosticSink sink(source);
    const std::optional<Module> module = ParseModule(source, sink);
    HLO_CHECK(module.has_value());
    const auto runnable = RunnableModule::Verify(*module, sink, /*has_warnings=*/false, {});
    HLO_CHECK(runnable.has_value());
    const std::optional<Plan> plan = MakePlan(*runnable, sink, {.backend = &backend});
    HLO_CHECK(plan.has_value());
    look(*plan);
  }
}

TEST(RunProgressTest, LoopsCountAsOftenAsTheyRun) {
  WithPlans(Program("zero"), [](const Plan& plan) {
    const std::vector<Step>& steps = plan.entry->steps;
    ASSERT_EQ(steps.size(), 3u);
    const RunProgress progress(plan);
    EXPECT_EQ(progress.Text({&steps[0], {}}), "step 1 of 3");
    EXPECT_EQ(progress.DoneShare({&steps[0], {}}), 0);
    const Step& inside = steps[1].regions[1]->steps[0];
    const RunPosition position = {&inside, {{&steps[1], 5}}};
    EXPECT_EQ(progress.Text(position), "step 2 of 3, iteration 6 of 8 of `loop`");
    EXPECT_NEAR(*progress.DoneShare(position), 0.6, 0.01);  // 6 of 10 reversals
    EXPECT_NEAR(*progress.DoneShare({&steps[2], {}}), 0.9, 0.01);
  });
}

TEST(RunProgressTest, NobodyKnowsHowLongALoopTakesThatDoesNotSay) {
  WithPlans(Program("n"), [](const Plan& plan) {
    const std::vector<Step>& steps = plan.entry->steps;
    const RunProgress progress(plan);
    const RunPosition position = {&steps[1].regions[1]->steps[0], {{&steps[1], 5}}};
    EXPECT_EQ(progress.Text(position), "step 2 of 3, iteration 6 of `loop`");
    EXPECT_EQ(progress.DoneShare(position), std::nullopt);
  });
}

TEST(RunProgressTest, NothingHasRun) {
  WithPlans(Program("zero"), [](const Plan& plan) {
    const RunProgress progress(plan);
    EXPECT_EQ(progress.Text({}), "");
    EXPECT_EQ(progress.DoneShare({}), std::nullopt);
  });
}

TEST(DurationTextTest, Units) {
  EXPECT_EQ(DurationText(0.2), "1 s");
  EXPECT_EQ(DurationText(99), "99 s");
  EXPECT_EQ(DurationText(100), "2 min");
  EXPECT_EQ(DurationText(5000), "83 min");
  EXPECT_EQ(DurationText(7000), "2 h");
}

}  // namespace
}  // namespace hlo
