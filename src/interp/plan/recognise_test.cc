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

// A reduce of an f32 and an s32 array by a function of a, i, b and j with this body.
std::string PairProgram(const std::string& body) {
  return "HloModule m\nf {\n  a = f32[] parameter(0)\n  i = s32[] parameter(1)\n"
         "  b = f32[] parameter(2)\n  j = s32[] parameter(3)\n" +
         body +
         "}\nENTRY e {\n  x = f32[3,700] parameter(0)\n  n = s32[3,700] parameter(1)\n"
         "  z = f32[] constant(0)\n  o = s32[] constant(0)\n"
         "  ROOT r = (f32[3], s32[3]) reduce(x, n, z, o), dimensions={1}, to_apply=f\n}\n";
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
  EXPECT_EQ(FormOf(ExtremeProgram(without, "f32")),
            "largest f32 and its place, the smallest of equal ones, NaN by the second");
  // Numbers rather than NaN: nobody writes that.
  std::string numbers = Extreme("f32", "GT", "LT");
  numbers.replace(numbers.find("compare(p, p)"), 13, "compare(q, q)");
  EXPECT_EQ(FormOf(ExtremeProgram(numbers, "f32")), "");
}

// As XLA's own argmax, which TensorFlow and PyTorch/XLA use, with either of equal ones.
TEST(RecogniseTest, ExtremesWithNanByTheSecond) {
  const std::string value =
      "  stays = pred[] compare(a, b), direction=GE\n  v = f32[] select(stays, a, b)\n"
      "  q = s32[] select(stays, i, j)\n";
  EXPECT_EQ(FormOf(PairProgram(value + "  ROOT r = (f32[], s32[]) tuple(v, q)\n")),
            "largest f32 and its place, the first of equal ones, NaN by the second");
  const std::string equal = value + "  equal = pred[] compare(a, b), direction=EQ\n";
  const std::string end =
      "  p = s32[] select(equal, m, q)\n  ROOT r = (f32[], s32[]) tuple(v, p)\n";
  EXPECT_EQ(FormOf(PairProgram(equal + "  m = s32[] minimum(i, j)\n" + end)),
            "largest f32 and its place, the smallest of equal ones, NaN by the second");
  EXPECT_EQ(FormOf(PairProgram(equal + "  m = s32[] maximum(i, j)\n" + end)), "");
  EXPECT_EQ(FormOf(PairProgram("  f = pred[] compare(b, a), direction=LT\n"
                               "  v = f32[] select(f, b, a)\n  p = s32[] select(f, j, i)\n"
                               "  ROOT r = (f32[], s32[]) tuple(v, p)\n")),
            "smallest f32 and its place, the first of equal ones, NaN by the first");
}

TEST(RecogniseTest, ArraysCombinedByThemselves) {
  EXPECT_EQ(FormOf(PairProgram("  s = f32[] add(b, a)\n  p = s32[] subtract(i, j)\n"
                               "  ROOT r = (f32[], s32[]) tuple(s, p)\n")),
            "add f32, subtract s32");
  EXPECT_EQ(FormOf(PairProgram("  s = f32[] maximum(a, b)\n"
                               "  ROOT r = (f32[], s32[]) tuple(s, j)\n")),
            "maximum f32, parameter 1 s32");
  EXPECT_EQ(FormOf(PairProgram("  s = f32[] subtract(b, a)\n"
                               "  ROOT r = (f32[], s32[]) tuple(s, j)\n")),
            "");
  EXPECT_EQ(FormOf(PairProgram("  s = s32[] add(i, i)\n"
                               "  ROOT r = (f32[], s32[]) tuple(a, s)\n")),
            "");
  EXPECT_EQ(FormOf(PairProgram("  c = f32[] convert(i)\n  s = f32[] add(a, c)\n"
                               "  ROOT r = (f32[], s32[]) tuple(s, j)\n")),
            "");
}

// A sort of operands of `types` whose comparator has parameters a0, b0, a1, b1 and so on, of
// `parameter_types`, and `body`.
std::string SortByBody(const std::vector<std::string>& types,
                       const std::vector<std::string>& parameter_types, const std::string& body) {
  std::string parameters, operands, shapes, function = "HloModule m\nf {\n";
  for (size_t k = 0; k < types.size(); ++k) {
    function += fmt::format("  a{0} = {1}[] parameter({2})\n  b{0} = {1}[] parameter({3})\n", k,
                            parameter_types[k], 2 * k, 2 * k + 1);
    parameters += fmt::format("  x{0} = {1}[40] parameter({0})\n", k, types[k]);
    operands += fmt::format("{}x{}", k == 0 ? "" : ", ", k);
    shapes += fmt::format("{}{}[40]", k == 0 ? "" : ", ", types[k]);
  }
  if (types.size() > 1) shapes = "(" + shapes + ")";
  return fmt::format(
      "{}{}}}\nENTRY e {{\n{}  ROOT s = {} sort({}), dimensions={{0}}, is_stable=true, "
      "to_apply=f\n}}\n",
      function, body, parameters, shapes, operands);
}

// One line of a comparator's body.
std::string Let(const std::string& name, const std::string& value) {
  return fmt::format("  {} = pred[] {}\n", name, value);
}

std::string FormOfComparator(const std::vector<std::string>& types, const std::string& body) {
  return FormOf(SortByBody(types, types, body));
}

// less0 and equal0 of the first key, by comparisons of `order`, and less1 of the second.
std::string TwoKeys(const std::string& order, const std::string& direction) {
  return Let("less0", "compare(a0, b0), direction=LT" + order) +
         Let("equal0", "compare(a0, b0), direction=EQ" + order) +
         Let("less1", "compare(a1, b1), direction=" + direction);
}

TEST(RecogniseTest, KeysOfComparatorsHoweverTheyAreWritten) {
  const std::string expected = "ascending operand 0 s32, then descending operand 1 s64";
  const std::vector<std::string> types = {"s32", "s64"};
  const std::string questions = TwoKeys("", "GT");
  EXPECT_EQ(FormOfComparator(types, questions + Let("both", "and(equal0, less1)") +
                                        Let("ROOT r", "or(less0, both)")),
            expected);
  EXPECT_EQ(FormOfComparator(types, questions + Let("ROOT r", "select(equal0, less1, less0)")),
            expected);
  EXPECT_EQ(
      FormOfComparator(types, questions + Let("greater0", "compare(b0, a0), direction=LT") +
                                  Let("late", "select(less0, less0, less1)") +
                                  Let("not", "not(greater0)") + Let("ROOT r", "and(late, not)")),
      expected);
}

TEST(RecogniseTest, KeysInOtherOrdersThanOperands) {
  EXPECT_EQ(FormOfComparator({"f32", "u8", "pred"},
                             Let("less2", "compare(b2, a2), direction=LT") +
                                 Let("equal2", "compare(a2, b2), direction=EQ") +
                                 Let("less0", "compare(a0, b0), direction=LT, type=TOTALORDER") +
                                 Let("ROOT r", "select(equal2, less0, less2)")),
            "descending operand 2 pred, then ascending operand 0 f32 total order");
}

TEST(RecogniseTest, TheLastKeyDecidesTies) {
  EXPECT_EQ(FormOfComparator({"s32", "s32", "s32"},
                             TwoKeys("", "LT") + Let("equal1", "compare(b1, a1), direction=EQ") +
                                 Let("less2", "compare(a2, b2), direction=GT") +
                                 Let("last", "select(equal1, less2, less1)") +
                                 Let("ROOT r", "select(equal0, last, less0)")),
            "ascending operand 0 s32, then ascending operand 1 s32, then descending operand 2 s32");
}

// With NaN neither of two values is less, and they are not equal: what comes out then is in the
// way how it is written.
TEST(RecogniseTest, FloatsComparedByValueAreKeysWithoutNan) {
  EXPECT_EQ(FormOfComparator({"f32", "s32"},
                             TwoKeys("", "LT") + Let("ROOT r", "select(equal0, less1, less0)")),
            "ascending operand 0 f32 without NaN, then ascending operand 1 s32");
  const std::string not_less = Let("l", "compare(a0, b0), direction=GE");
  EXPECT_EQ(FormOfComparator({"f32"}, not_less + Let("ROOT r", "not(l)")),
            "ascending operand 0 f32 without NaN");
  EXPECT_EQ(FormOfComparator({"f32"}, Let("ROOT r", "compare(a0, b0), direction=LT")),
            "ascending operand 0 f32");
}

// One key that is ordered with NaN, too, is what one comparison is, and sorted without calls.
TEST(RecogniseTest, OneKeyOfManyInstructions) {
  for (const std::string type : {"s32", "u8", "bf16", "f32", "f64"}) {
    const bool is_float = type[0] == 'f' || type[0] == 'b';
    const std::string order = is_float ? ", type=TOTALORDER" : "";
    const std::string text = SortByBody({type}, {type},
                                        Let("l", "compare(a0, b0), direction=LE" + order) +
                                            Let("e", "compare(b0, a0), direction=NE" + order) +
                                            Let("ROOT r", "and(l, e)"));
    EXPECT_EQ(FormOf(text),
              fmt::format("ascending operand 0 {}{}", type, is_float ? " total order" : ""));
    ExpectSame(text, FakeKind::kRandom);
  }
}

TEST(RecogniseTest, ComparatorsThatAreNoOrder) {
  const std::vector<std::string> types = {"s32", "s32"};
  // Equal ones come before each other.
  EXPECT_EQ(FormOfComparator(types, Let("less0", "compare(a0, b0), direction=LT") +
                                        Let("equal0", "compare(a0, b0), direction=EQ") +
                                        Let("less1", "compare(a1, b1), direction=LE") +
                                        Let("ROOT r", "select(equal0, less1, less0)")),
            "");
  // The second key decides in one direction only.
  EXPECT_EQ(FormOfComparator(types, TwoKeys("", "LT") + Let("ROOT r", "or(less0, less1)")), "");
  EXPECT_EQ(FormOfComparator(types, TwoKeys("", "LT") + Let("ROOT r", "xor(equal0, less1)")), "");
  // A value beside that of another operand.
  EXPECT_EQ(FormOfComparator(
                types, Let("less", "compare(a0, b1), direction=LT") + Let("ROOT r", "not(less)")),
            "");
}

// The same floats as values and in their total order: which of these zeros are equal?
TEST(RecogniseTest, AKeyIsComparedInOneWay) {
  EXPECT_EQ(FormOfComparator({"f32", "s32"},
                             Let("less0", "compare(a0, b0), direction=LT, type=TOTALORDER") +
                                 Let("equal0", "compare(a0, b0), direction=EQ") +
                                 Let("less1", "compare(a1, b1), direction=LT") +
                                 Let("ROOT r", "select(equal0, less1, less0)")),
            "");
}

// Keys are rounded before they are compared, which makes some of them equal.
TEST(RecogniseTest, KeysHaveTheTypesOfParameters) {
  const std::string body =
      TwoKeys(", type=TOTALORDER", "LT") + Let("ROOT r", "select(equal0, less1, less0)");
  EXPECT_EQ(FormOf(SortByBody({"f32", "s32"}, {"bf16", "s32"}, body)),
            "ascending operand 0 bf16 total order, then ascending operand 1 s32");
  EXPECT_EQ(FormOfComparator({"f32", "s32"},
                             "  x = bf16[] convert(a0)\n  y = bf16[] convert(b0)\n" +
                                 Let("less0", "compare(x, y), direction=LT, type=TOTALORDER") +
                                 Let("equal0", "compare(x, y), direction=EQ, type=TOTALORDER") +
                                 Let("less1", "compare(a1, b1), direction=LT") +
                                 Let("ROOT r", "select(equal0, less1, less0)")),
            "");
}

TEST(RecogniseTest, ComparatorsThatRoundRound) {
  const std::string text = Comparator("bf16", "direction=LT") +
                           "ENTRY e {\n  x = f32[64] parameter(0)\n  ROOT r = f32[64] sort(x), "
                           "dimensions={0}, is_stable=true, to_apply=f\n}\n";
  ExpectSame(text, FakeKind::kRandom);
}

}  // namespace
}  // namespace hlo
