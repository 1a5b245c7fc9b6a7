// Every form that is recognised, beside the same computation called per element.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "interp/executor.h"
#include "testing/run_module.h"

namespace hlo {
namespace {

int64_t ForgetForms(Region& region) {
  int64_t count = 0;
  for (Step& step : region.steps) {
    for (auto& nested : step.regions) count += ForgetForms(*nested);
  }
  count += region.form.kind != FunctionForm::Kind::kOther ? 1 : 0;
  region.form = {};
  return count;
}

absl::StatusOr<Literal> RunPlan(const Plan& plan, FakeKind kind) {
  const ArgumentGenerator generator(*plan.module, kind, 1);
  auto arguments = generator.MakeAll();
  if (!arguments.ok()) return arguments.status();
  DeviceContext device;
  auto executor = Executor::Create(plan, device);
  if (!executor.ok()) return executor.status();
  const absl::Status status = (*executor)->Run(*arguments);
  return status.ok() ? (*executor)->Result() : status;
}

// Runs the module of `text` both ways on numbers of `kind`.
void ExpectSame(const std::string& text, FakeKind kind) {
  SCOPED_TRACE(text);
  const absl::StatusOr<Module> module = testing::ParseText("test", text);
  ASSERT_TRUE(module.ok()) << module.status();
  DiagnosticSink sink(module->source());
  std::optional<Plan> plan = testing::PlanModule(*module, sink);
  ASSERT_TRUE(plan.has_value());
  const absl::StatusOr<Literal> recognised = RunPlan(*plan, kind);
  ASSERT_TRUE(recognised.ok()) << recognised.status();
  ASSERT_EQ(ForgetForms(*plan->entry), 1) << "nothing was recognised";
  const absl::StatusOr<Literal> called = RunPlan(*plan, kind);
  ASSERT_TRUE(called.ok()) << called.status();
  ASSERT_EQ(recognised->byte_size(), called->byte_size());
  EXPECT_EQ(
      std::memcmp(recognised->bytes(), called->bytes(), static_cast<size_t>(called->byte_size())),
      0);
}

std::string Combiner(const std::string& type, const std::string& opcode) {
  return "HloModule m\nf {\n  a = " + type + "[] parameter(0)\n  b = " + type +
         "[] parameter(1)\n  ROOT r = " + type + "[] " + opcode + "(a, b)\n}\n";
}

std::string Comparator(const std::string& type, const std::string& attributes) {
  return "HloModule m\nf {\n  a = " + type + "[] parameter(0)\n  b = " + type +
         "[] parameter(1)\n  ROOT r = pred[] compare(a, b), " + attributes + "\n}\n";
}

const std::vector<std::string> kTypes = {"pred", "s4",  "u8",  "s16", "s32", "u32",      "s64",
                                         "bf16", "f16", "f32", "f64", "c64", "f8e4m3fn", "u64"};

std::vector<std::string> OpcodesOf(const std::string& type) {
  if (type == "pred") return {"and", "or", "xor", "maximum", "minimum"};
  if (type == "c64") return {"multiply"};
  // Sums of floats are rounded less often than calls would: tested on whole numbers below.
  if (type[0] == 'f' || type[0] == 'b') return {"maximum", "minimum"};
  return {"add", "multiply", "maximum", "minimum", "and", "or", "xor"};
}

TEST(RecogniseTest, ReducersGiveWhatCallsGive) {
  for (const std::string& type : kTypes) {
    for (const std::string& opcode : OpcodesOf(type)) {
      const std::string init = type == "pred" ? "true" : type == "c64" ? "(1, 0)" : "1";
      ExpectSame(Combiner(type, opcode) + "ENTRY e {\n  x = " + type +
                     "[3,5,4] parameter(0)\n  i = " + type + "[] constant(" + init +
                     ")\n  ROOT r = " + type +
                     "[3,4] reduce(x, i), dimensions={1}, to_apply=f\n}\n",
                 FakeKind::kRandom);
    }
  }
}

TEST(RecogniseTest, SumsOfWholeNumbersAreExact) {
  for (const std::string type : {"f32", "f64", "c64"}) {
    const std::string zero = type == "c64" ? "(0, 0)" : "0";
    ExpectSame(Combiner(type, "add") + "ENTRY e {\n  x = " + type +
                   "[6,5] parameter(0)\n  i = " + type + "[] constant(" + zero +
                   ")\n  ROOT r = " + type + "[6] reduce(x, i), dimensions={1}, to_apply=f\n}\n",
               FakeKind::kIota);
  }
}

TEST(RecogniseTest, WindowsGiveWhatCallsGive) {
  for (const std::string& type : kTypes) {
    for (const std::string& opcode : OpcodesOf(type)) {
      const std::string init = type == "pred" ? "true" : type == "c64" ? "(1, 0)" : "1";
      ExpectSame(Combiner(type, opcode) + "ENTRY e {\n  x = " + type + "[7] parameter(0)\n  i = " +
                     type + "[] constant(" + init + ")\n  ROOT r = " + type +
                     "[4] reduce-window(x, i), window={size=3 stride=2 pad=1_1}, to_apply=f\n}\n",
                 FakeKind::kRandom);
    }
  }
}

TEST(RecogniseTest, ScattersGiveWhatCallsGive) {
  for (const std::string& type : kTypes) {
    for (const std::string& opcode : OpcodesOf(type)) {
      ExpectSame(Combiner(type, opcode) + "ENTRY e {\n  x = " + type +
                     "[6] parameter(0)\n  i = s32[5,1] constant({{1},{4},{1},{9},{0}})\n  u = " +
                     type + "[5] parameter(1)\n  ROOT r = " + type +
                     "[6] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, "
                     "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f\n}\n",
                 FakeKind::kRandom);
    }
  }
}

TEST(RecogniseTest, ParametersOfScattersGiveWhatCallsGive) {
  for (const std::string root : {"a", "b"}) {
    ExpectSame(
        "HloModule m\nf {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = "
        "f32[] copy(" +
            root +
            ")\n}\nENTRY e {\n  x = f32[6] parameter(0)\n  i = s32[5,1] "
            "constant({{1},{4},{1},{9},{0}})\n  u = f32[5] parameter(1)\n  ROOT r = "
            "f32[6] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, "
            "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f\n}\n",
        FakeKind::kRandom);
  }
}

TEST(RecogniseTest, ComparatorsGiveWhatCallsGive) {
  for (const std::string& type : kTypes) {
    if (type == "c64") continue;
    for (const std::string direction : {"LT", "GT"}) {
      const bool is_float = type[0] == 'f' || type[0] == 'b';
      std::vector<std::string> orders = {""};
      if (is_float) orders.push_back(", type=TOTALORDER");
      for (const std::string& order : orders) {
        ExpectSame(Comparator(type, "direction=" + direction + order) + "ENTRY e {\n  x = " + type +
                       "[4,9] parameter(0)\n  ROOT r = " + type +
                       "[4,9] sort(x), dimensions={1}, is_stable=true, to_apply=f\n}\n",
                   FakeKind::kRandom);
      }
    }
  }
}

// As JAX writes it: zeros are one value, NaNs another; `order` says which is merged first.
std::string CanonicalComparator(const std::string& type, bool zeros_first,
                                const std::string& direction) {
  const auto key = [&](const std::string& name) {
    const std::string zeros = "  " + name + "_is0 = pred[] compare({0}, zero), direction=EQ\n  " +
                              name + "_z = " + type + "[] select(" + name + "_is0, zero, {0})\n";
    const std::string nans = "  " + name + "_no = pred[] compare({0}, {0}), direction=NE\n  " +
                             name + "_n = " + type + "[] select(" + name + "_no, nans, {0})\n";
    return zeros_first ? fmt::format(fmt::runtime(zeros), name) +
                             fmt::format(fmt::runtime(nans), name + "_z")
                       : fmt::format(fmt::runtime(nans), name) +
                             fmt::format(fmt::runtime(zeros), name + "_n");
  };
  const std::string last = zeros_first ? "_n" : "_z";
  return "HloModule m\nf {\n  a = " + type + "[] parameter(0)\n  b = " + type +
         "[] parameter(1)\n  zero = " + type + "[] constant(0)\n  nans = " + type +
         "[] constant(nan)\n" + key("a") + key("b") + "  ROOT r = pred[] compare(a" + last + ", b" +
         last + "), direction=" + direction + ", type=TOTALORDER\n}\n";
}

TEST(RecogniseTest, ComparatorsOfJaxGiveWhatCallsGive) {
  for (const std::string type : {"bf16", "f16", "f32", "f64"}) {
    for (const bool zeros_first : {true, false}) {
      for (const std::string direction : {"LT", "GT"}) {
        // Numbers, zeros and NaN of both signs; the second operand tells which is which.
        ExpectSame(CanonicalComparator(type, zeros_first, direction)
                       .append("ENTRY e {\n  x = " + type + "[20] parameter(0)\n  zero = " + type +
                               "[] constant(0)\n  zeros = " + type +
                               "[20] broadcast(zero), dimensions={}\n  z = " + type +
                               "[20] multiply(x, zeros)\n  n = " + type +
                               "[20] sqrt(x)\n  m = " + type + "[20] negate(n)\n  all = " + type +
                               "[80] concatenate(z, n, x, m), dimensions={0}\n  ROOT r = " + type +
                               "[80] sort(all), dimensions={0}, is_stable=true, to_apply=f\n}\n"),
                   FakeKind::kRandom);
      }
    }
  }
}

// Zeros that stay apart, and a value that is no key: these are called.
TEST(RecogniseTest, OtherComparatorsAreCalled) {
  for (const std::string changed : {"direction=GE", "constant(-nan)", "constant(1)"}) {
    std::string text = CanonicalComparator("f32", true, "LT");
    const std::string from = changed[0] == 'd'          ? "direction=EQ"
                             : changed == "constant(1)" ? "constant(0)"
                                                        : "constant(nan)";
    text.replace(text.find(from), from.size(), changed);
    text +=
        "ENTRY e {\n  x = f32[4] parameter(0)\n  ROOT r = f32[4] sort(x), dimensions={0}, "
        "to_apply=f\n}\n";
    const absl::StatusOr<Module> module = testing::ParseText("test", text);
    ASSERT_TRUE(module.ok()) << text;
    DiagnosticSink sink(module->source());
    const std::optional<Plan> plan = testing::PlanModule(*module, sink);
    ASSERT_TRUE(plan.has_value());
    for (const Step& step : plan->entry->steps) {
      for (const auto& region : step.regions) {
        EXPECT_EQ(region->form.kind, FunctionForm::Kind::kOther) << text;
      }
    }
  }
}

// Keys are rounded before they are compared, which makes some of them equal.
// Selects of selects, each of which tests the one before: too many to follow all ways through them.
TEST(RecogniseTest, LongChainsOfSelectsAreCalled) {
  std::string text =
      "HloModule m\nf {\n  p0 = f32[] parameter(0)\n  q0 = f32[] parameter(1)\n"
      "  z = f32[] constant(0)\n";
  constexpr int kLength = 60;
  for (const char* side : {"p", "q"}) {
    for (int i = 1; i <= kLength; ++i) {
      text += fmt::format(
          "  {0}t{2} = pred[] compare({0}{1}, z), direction=EQ\n"
          "  {0}{2} = f32[] select({0}t{2}, z, {0}{1})\n",
          side, i - 1, i);
    }
  }
  text += fmt::format("  ROOT r = pred[] compare(p{0}, q{0}), direction=LT, type=TOTALORDER\n}}\n",
                      kLength);
  text +=
      "ENTRY e {\n  x = f32[100] parameter(0)\n"
      "  ROOT r = f32[100] sort(x), dimensions={0}, to_apply=f\n}\n";
  const absl::StatusOr<Module> module = testing::ParseText("test", text);
  ASSERT_TRUE(module.ok()) << module.status();
  DiagnosticSink sink(module->source());
  std::optional<Plan> plan = testing::PlanModule(*module, sink);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(ForgetForms(*plan->entry), 0);
  EXPECT_TRUE(RunPlan(*plan, FakeKind::kRandom).ok());
}

// A function of pairs of `type` and s32, as JAX writes argmax and argmin.
std::string Extreme(const std::string& type, const std::string& better, const std::string& tie) {
  return fmt::format(
      "HloModule m\nf {{\n  p = {0}[] parameter(0)\n  i = s32[] parameter(1)\n"
      "  q = {0}[] parameter(2)\n  j = s32[] parameter(3)\n"
      "  above = pred[] compare(p, q), direction={1}\n"
      "  odd = pred[] compare(p, p), direction=NE\n  stays = pred[] or(above, odd)\n"
      "  value = {0}[] select(stays, p, q)\n  equal = pred[] compare(p, q), direction=EQ\n"
      "  before = pred[] compare(i, j), direction={2}\n"
      "  first = pred[] and(equal, before)\n  kept = pred[] or(stays, first)\n"
      "  place = s32[] select(kept, i, j)\n  ROOT r = ({0}[], s32[]) tuple(value, place)\n}}\n",
      type, better, tie);
}

std::string ExtremeProgram(const std::string& function, const std::string& type) {
  return function + fmt::format(
                        "ENTRY e {{\n  x = {0}[3,700] parameter(0)\n"
                        "  i = s32[3,700] parameter(1)\n  z = {0}[] constant(0)\n"
                        "  n = s32[] constant(9)\n  ROOT r = ({0}[3], s32[3]) reduce(x, i, z, n), "
                        "dimensions={{1}}, to_apply=f\n}}\n",
                        type);
}

std::string FormOf(const std::string& text) {
  const absl::StatusOr<Module> module = testing::ParseText("test", text);
  if (!module.ok()) return std::string(module.status().message());
  DiagnosticSink sink(module->source());
  const std::optional<Plan> plan = testing::PlanModule(*module, sink);
  if (!plan) return "no plan";
  for (const Step& step : plan->entry->steps) {
    if (!step.regions.empty()) return FunctionFormText(step.regions[0]->form);
  }
  return "no function";
}

TEST(RecogniseTest, ExtremesAreRecognisedByWhatTheyChoose) {
  EXPECT_EQ(FormOf(ExtremeProgram(Extreme("f32", "GT", "LT"), "f32")),
            "largest f32 and its place, the smallest of equal ones");
  EXPECT_EQ(FormOf(ExtremeProgram(Extreme("bf16", "LT", "LT"), "bf16")),
            "smallest bf16 and its place, the smallest of equal ones");
  EXPECT_EQ(FormOf(ExtremeProgram(Extreme("s32", "GE", "LT"), "s32")),
            "largest s32 and its place, the first of equal ones");
  // The largest place of equal ones: nobody writes that.
  EXPECT_EQ(FormOf(ExtremeProgram(Extreme("f32", "GT", "GT"), "f32")), "");
  EXPECT_EQ(FormOf(ExtremeProgram(Extreme("f32", "EQ", "LT"), "f32")), "");
  // NaN that gives way to what follows.
  std::string without = Extreme("f32", "GT", "LT");
  without.replace(without.find("or(above, odd)"), 14, "or(above, above)");
  EXPECT_EQ(FormOf(ExtremeProgram(without, "f32")), "");
}

TEST(RecogniseTest, ComparatorsThatRoundRound) {
  const std::string text = Comparator("bf16", "direction=LT") +
                           "ENTRY e {\n  x = f32[64] parameter(0)\n  ROOT r = f32[64] sort(x), "
                           "dimensions={0}, is_stable=true, to_apply=f\n}\n";
  ExpectSame(text, FakeKind::kRandom);
}

}  // namespace
}  // namespace hlo
