// Costs against counts made by hand.
#include <gtest/gtest.h>

#include "interp/backends.h"
#include "interp/cost/step_cost.h"
#include "interp/inspect/estimate.h"
#include "interp/make_plan.h"
#include "parser/parser.h"

namespace hlo {
namespace {

// An entry computation of these lines, called in the module with these computations.
class CostTest : public ::testing::Test {
 protected:
  static Module Parse(std::string_view entry, std::string_view computations = "") {
    auto source = std::make_shared<SourceText>(
        "test", fmt::format("HloModule m\n{}\nENTRY e {{\n{}\n}}\n", computations, entry));
    DiagnosticSink sink(source);
    std::optional<Module> module = ParseModule(source, sink);
    HLO_CHECK(module && sink.error_count() == 0);
    return *std::move(module);
  }

  // Of the root.
  static Cost RootCost(std::string_view entry, std::string_view computations = "") {
    const Module module = Parse(entry, computations);
    return CostOf(OpView(module, module.root(module.entry())));
  }
};

constexpr std::string_view kAdd =
    "add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }";

TEST_F(CostTest, Elementwise) {
  EXPECT_EQ(RootCost("x = f32[10] parameter(0)\n ROOT y = f32[10] multiply(x, x)"),
            (Cost{10, 120}));
  EXPECT_EQ(RootCost("x = c64[10] parameter(0)\n ROOT y = c64[10] multiply(x, x)"),
            (Cost{60, 240}));
  EXPECT_EQ(RootCost("x = f32[10] parameter(0)\n ROOT y = bf16[10] convert(x)"), (Cost{0, 60}));
}

TEST_F(CostTest, MovedPartsAreCountedAsParts) {
  EXPECT_EQ(RootCost("x = f32[100] parameter(0)\n ROOT y = f32[10] slice(x), slice={[0:10]}"),
            (Cost{0, 80}));
  EXPECT_EQ(RootCost("x = f32[100] parameter(0)\n i = s32[] parameter(1)\n"
                     "ROOT y = f32[10] dynamic-slice(x, i), dynamic_slice_sizes={10}"),
            (Cost{0, 84}));
  EXPECT_EQ(RootCost("x = f32[100] parameter(0)\n u = f32[10] parameter(1)\n"
                     "i = s32[] parameter(2)\n ROOT y = f32[100] dynamic-update-slice(x, u, i)"),
            (Cost{0, 84}));
}

TEST_F(CostTest, Contractions) {
  EXPECT_EQ(RootCost("x = f32[2,3] parameter(0)\n y = f32[3,5] parameter(1)\n"
                     "ROOT z = f32[2,5] dot(x, y), lhs_contracting_dims={1}, "
                     "rhs_contracting_dims={0}"),
            (Cost{2 * 2 * 3 * 5, 4 * (6 + 15 + 10)}));
  // A window of 3 over 4 elements with one of padding at both ends: 2 + 3 + 3 + 2 positions.
  EXPECT_EQ(RootCost("x = f32[1,4,2] parameter(0)\n k = f32[3,2,5] parameter(1)\n"
                     "ROOT z = f32[1,4,5] convolution(x, k), window={size=3 pad=1_1}, "
                     "dim_labels=b0f_0io->b0f")
                .flops,
            2 * 10 * 2 * 5);
}

TEST_F(CostTest, FunctionsCountAsOftenAsTheyAreCalled) {
  EXPECT_EQ(RootCost("x = f32[8,4] parameter(0)\n z = f32[] constant(0)\n"
                     "ROOT y = f32[4] reduce(x, z), dimensions={0}, to_apply=add",
                     kAdd),
            (Cost{28, 4 * (32 + 1 + 4)}));
}

// --- Plans -----------------------------------------------------------------------------------

class PlanCostTest : public CostTest {
 protected:
  // The loop `w` that begins at, goes on while and steps by what is written.
  static std::optional<int64_t> Trips(std::string_view begin, std::string_view verdict,
                                      std::string_view next, std::string_view attributes = "") {
    const std::string computations = fmt::format(
        "body {{ p = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(p), index=0\n"
        " x = f32[4] get-tuple-element(p), index=1  one = s32[] constant(1)\n"
        " two = s32[] constant(2)  y = f32[4] add(x, x)  next = s32[] {}\n"
        " ROOT r = (s32[], f32[4]) tuple(next, y) }}\n"
        "condition {{ p = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(p), index=0\n"
        " ten = s32[] constant(10)  ROOT r = pred[] {} }}\n",
        next, verdict);
    const std::string entry = fmt::format(
        "n = s32[] parameter(0)\n x = f32[4] parameter(1)\n zero = s32[] constant(0)\n"
        "twenty = s32[] constant(20)\n t = (s32[], f32[4]) tuple({}, x)\n"
        "ROOT w = (s32[], f32[4]) while(t), condition=condition, body=body{}",
        begin, attributes);
    std::optional<int64_t> trips;
    WithPlan(Parse(entry, computations), [&](const Plan& plan) {
      for (const Step& step : plan.entry->steps) {
        if (step.kind == StepKind::kWhile) trips = TripCount(plan, step);
      }
    });
    return trips;
  }

  static void WithPlan(const Module& module, const std::function<void(const Plan&)>& look) {
    for (const Backend& backend : Backends()) {
      DiagnosticSink sink(module.source());
      const auto runnable = RunnableModule::Verify(module, sink, /*has_warnings=*/false, {});
      HLO_CHECK(runnable.has_value());
      const std::optional<Plan> plan = MakePlan(*runnable, sink, {.backend = &backend});
      HLO_CHECK(plan.has_value());
      look(*plan);
    }
  }
};

TEST_F(PlanCostTest, TripCounts) {
  EXPECT_EQ(Trips("zero", "compare(i, ten), direction=LT", "add(i, one)"), 10);
  EXPECT_EQ(Trips("zero", "compare(ten, i), direction=GT", "add(one, i)"), 10);
  EXPECT_EQ(Trips("zero", "compare(i, ten), direction=LE", "add(i, two)"), 6);
  EXPECT_EQ(Trips("zero", "compare(i, ten), direction=NE", "add(i, two)"), 5);
  EXPECT_EQ(Trips("twenty", "compare(i, ten), direction=GT", "subtract(i, one)"), 10);
  EXPECT_EQ(Trips("twenty", "compare(i, ten), direction=GE", "subtract(i, two)"), 6);
  EXPECT_EQ(Trips("twenty", "compare(i, ten), direction=LT", "add(i, one)"), 0);
}

TEST_F(PlanCostTest, TripCountsNobodyKnows) {
  EXPECT_EQ(Trips("n", "compare(i, ten), direction=LT", "add(i, one)"), std::nullopt);
  EXPECT_EQ(Trips("zero", "compare(i, ten), direction=LT", "multiply(i, two)"), std::nullopt);
  EXPECT_EQ(Trips("zero", "compare(i, ten), direction=LT", "subtract(i, one)"), std::nullopt);
  EXPECT_EQ(Trips("twenty", "compare(i, ten), direction=NE", "add(i, one)"), std::nullopt);
}

TEST_F(PlanCostTest, TheTextMaySayIt) {
  EXPECT_EQ(Trips("n", "compare(i, ten), direction=LT", "multiply(i, two)",
                  ", backend_config={\"known_trip_count\":{\"n\":\"7\"}}"),
            7);
}

TEST_F(PlanCostTest, BlocksMoveWhatGoesInAndComesOut) {
  const Module module = Parse(
      "x = f32[100] parameter(0)\n a = f32[100] add(x, x)\n b = f32[100] negate(a)\n"
      "ROOT c = f32[100] multiply(b, a)");
  WithPlan(module, [](const Plan& plan) {
    const Cost total = Estimate(plan, 1).total();
    EXPECT_EQ(total.flops, 300);
    EXPECT_EQ(total.bytes, plan.entry->steps.size() == 1 ? 800 : 400 * (3 + 2 + 3));
  });
}

TEST_F(PlanCostTest, OfBranchesTheMostExpensiveCounts) {
  const Module module = Parse(
      "p = pred[] parameter(0)\n x = f32[100] parameter(1)\n"
      "ROOT c = f32[100] conditional(p, x, x), true_computation=t, false_computation=f",
      "t { x = f32[100] parameter(0)  ROOT y = f32[100] tanh(x) }\n"
      "f { x = f32[100] parameter(0)  ROOT y = f32[100] negate(x) }");
  WithPlan(module, [](const Plan& plan) { EXPECT_EQ(Estimate(plan, 1).total().flops, 1500); });
}

}  // namespace
}  // namespace hlo
