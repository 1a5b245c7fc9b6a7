// Rules that no text can break: the parser sees to them, or the text has no words for it. Modules
// are read and then changed, as programs that make modules may get them wrong.
//
// rule_coverage_test.py reads here which rules have both a module that breaks them
// (ExpectBroken) and one that comes close (ExpectKept): the tests are the list.
#include "verifier/verifier.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module_builder.h"
#include "parser/parser.h"
#include "support/render_diagnostic.h"
#include "verifier/legacy_layout.h"

namespace hlo {
namespace {

Module Parsed(std::string text, const ParseOptions& options = {}) {
  const auto source = std::make_shared<const SourceText>("test.hlo", std::move(text));
  DiagnosticSink sink(source);
  std::optional<Module> module = ParseModule(source, sink, options);
  EXPECT_TRUE(module) << (sink.diagnostics().empty() ? "" : sink.diagnostics()[0].message);
  return *std::move(module);
}

std::vector<Diagnostic> Findings(const Module& module, bool notes = false) {
  VerifyOptions options;
  options.notes = notes;
  options.select = {"call",       "comp",          "constant", "custom-call.layout-result",
                    "inst.arity", "infeed.layout", "module",   "ref",
                    "schedule"};
  DiagnosticSink sink(module.source());
  Verify(module, options, sink);
  return sink.TakeDiagnostics();
}

// One finding, of `rule`: one mistake makes one message.
void ExpectBroken(std::string_view rule, const std::vector<Diagnostic>& findings,
                  std::string_view message) {
  ASSERT_EQ(findings.size(), 1u) << rule;
  EXPECT_EQ(findings[0].rule, rule);
  EXPECT_EQ(findings[0].message, message);
}

void ExpectKept(std::string_view rule, const std::vector<Diagnostic>& findings) {
  for (const Diagnostic& finding : findings) {
    EXPECT_NE(finding.rule, rule) << finding.message;
  }
}

InstructionId Find(const Module& module, std::string_view name) {
  for (const Instruction& instruction : module.instructions()) {
    if (instruction.name == name) return module.id_of(instruction);
  }
  ADD_FAILURE() << "no instruction " << name;
  return InstructionId();
}

void SetOperand(Module& module, std::string_view user, std::string_view operand) {
  const Operand operands[] = {{Find(module, operand), {}}};
  module.mutable_instruction(Find(module, user)).operands =
      List<Operand>(module.arena().CopyItems(std::span<const Operand>(operands)));
}

// p, a, b = abs(a) behind one another; c waits for b.
Module Chain(std::string_view header_end) {
  return Parsed(fmt::format(R"(HloModule chain{}
ENTRY main {{
  p = f32[] parameter(0)
  a = f32[] negate(p)
  b = f32[] abs(a)
  ROOT c = f32[] negate(p), control-predecessors={{b}}
}}
)",
                            header_end));
}

// Lists the instructions of the entry computation in another order.
void Schedule(Module& module, std::initializer_list<std::string_view> names) {
  std::vector<InstructionId> sequence;
  for (std::string_view name : names) sequence.push_back(Find(module, name));
  module.mutable_computation(module.entry_id()).instructions = sequence;
}

TEST(DataflowCycle, OperandOfItself) {
  Module module = Chain("");
  SetOperand(module, "a", "b");
  ExpectBroken("comp.dataflow-cycle", Findings(module), "`a` depends on itself");
}

TEST(DataflowCycle, AnyOrderWithoutACycle) {
  Module module = Chain("");
  Schedule(module, {"c", "b", "a", "p"});
  ExpectKept("comp.dataflow-cycle", Findings(module));
}

TEST(CallCycle, ComputationThatCallsItself) {
  Module module = Parsed(R"(HloModule m
f {
  x = f32[] parameter(0)
  ROOT n = f32[] negate(x)
}
g {
  y = f32[] parameter(0)
  ROOT r = f32[] call(y), to_apply=f
}
ENTRY main {
  p = f32[] parameter(0)
  ROOT c = f32[] call(p), to_apply=g
}
)");
  ExpectKept("module.call-cycle", Findings(module));
  module.SetAttribute<Attr::kToApply>(Find(module, "r"), ComputationId(1));
  ExpectBroken("module.call-cycle", Findings(module), "`r` makes computation `g` call itself");
}

TEST(Operands, OfAnotherComputation) {
  Module module = Parsed(R"(HloModule m
f {
  x = f32[] parameter(0)
  ROOT n = f32[] negate(x)
}
ENTRY main {
  p = f32[] parameter(0)
  ROOT c = f32[] call(p), to_apply=f
}
)");
  ExpectKept("ref.operand-defined", Findings(module));
  SetOperand(module, "n", "p");
  ExpectBroken("ref.operand-defined", Findings(module),
               "operand `p` belongs to another computation");
}

TEST(Operands, TooFew) {
  Module module = Parsed("ENTRY e { p = f32[] parameter(0) ROOT a = f32[] subtract(p, p) }");
  ExpectKept("inst.arity", Findings(module));
  SetOperand(module, "a", "p");
  ExpectBroken("inst.arity", Findings(module), "`subtract` takes 2 operands, found 1");
}

TEST(Computations, WithoutInstructions) {
  Module module = Chain("");
  ExpectKept("comp.nonempty", Findings(module));
  Computation empty;
  empty.name = "empty";
  module.AddComputation(empty);
  ExpectBroken("comp.nonempty", Findings(module), "computation `empty` has no instructions");
}

TEST(Schedule, EveryInstructionOnce) {
  Module module = Chain(", is_scheduled=true");
  Schedule(module, {"p", "b", "c"});
  ExpectBroken("schedule.covers", Findings(module),
               "the sequence of `main` has `a` 0 times instead of once");
  Schedule(module, {"p", "a", "b", "b", "c"});
  ExpectBroken("schedule.covers", Findings(module),
               "the sequence of `main` has `b` 2 times instead of once");
}

TEST(Schedule, OperandsFirst) {
  Module module = Chain(", is_scheduled=true");
  Schedule(module, {"p", "b", "a", "c"});
  ExpectBroken("schedule.operand-order", Findings(module),
               "`b` is scheduled before its operand `a`");
}

TEST(Schedule, ControlPredecessorsFirst) {
  Module module = Chain(", is_scheduled=true");
  Schedule(module, {"p", "a", "c", "b"});
  ExpectBroken("schedule.control-order", Findings(module),
               "`c` is scheduled before its control predecessor `b`");
}

TEST(Schedule, OtherOrdersAreFine) {
  Module module = Parsed(R"(HloModule m, is_scheduled=true
ENTRY main {
  p = f32[] parameter(0)
  a = f32[] negate(p)
  b = f32[] abs(p)
  ROOT c = f32[] add(a, b), control-predecessors={b}
}
)");
  Schedule(module, {"p", "b", "a", "c"});
  ExpectKept("schedule.covers", Findings(module));
  ExpectKept("schedule.operand-order", Findings(module));
  ExpectKept("schedule.control-order", Findings(module));
}

TEST(Call, Aliases) {
  Module module = Parsed(R"(HloModule m
f {
  x = f32[] parameter(0)
  ROOT n = f32[] negate(x)
}
ENTRY main {
  p = f32[] parameter(0)
  ROOT c = f32[] call(p), to_apply=f
}
)");
  ExpectKept("call.no-alias", Findings(module));
  const OperandAlias alias[] = {OperandAlias{}};
  module.SetAttribute<Attr::kOutputToOperandAliasing>(
      Find(module, "c"),
      OperandAliases(module.arena().CopyItems(std::span<const OperandAlias>(alias))));
  ExpectBroken("call.no-alias", Findings(module),
               "`call` has no aliases between operands and result");
}

TEST(Constant, OfAnotherShape) {
  Module module = Parsed(R"(HloModule m
ENTRY main {
  c = f32[2] constant({1, 2})
  ROOT d = f32[] constant(3)
}
)");
  ExpectKept("constant.literal", Findings(module));
  const LiteralRef scalar = module.instruction(Find(module, "d")).Get<Attr::kConstantValue>();
  module.SetAttribute<Attr::kConstantValue>(Find(module, "c"), scalar);
  ExpectBroken("constant.literal", Findings(module),
               "the result is `f32[2]`, the value of the constant `f32[]`");
}

TEST(Infeed, DataWithoutLayout) {
  constexpr std::string_view kText = R"(HloModule m
ENTRY main {
  t = token[] after-all()
  ROOT i = (f32[2,3], token[]) infeed(t)
}
)";
  const Module bare = Parsed(std::string(kText), {.fill_missing_layouts = false});
  ExpectBroken("infeed.layout", Findings(bare, /*notes=*/true),
               "the data `f32[2,3]` comes without a layout");
  ExpectKept("infeed.layout", Findings(Parsed(std::string(kText)), /*notes=*/true));
}

TEST(CustomCallLayout, ResultWithoutOne) {
  constexpr std::string_view kText = R"(HloModule m
ENTRY main {
  p = f32[4]{0} parameter(0)
  ROOT c = f32[2,3] custom-call(p), custom_call_target="f", operand_layout_constraints={f32[4]{0}}
}
)";
  const Module bare = Parsed(std::string(kText), {.fill_missing_layouts = false});
  ExpectBroken("custom-call.layout-result", Findings(bare),
               "the layouts of the operands are fixed, the result `f32[2,3]` has none");
  ExpectKept("custom-call.layout-result", Findings(Parsed(std::string(kText))));
}

// --- Very many findings --------------------------------------------------------------------------

TEST(Limits, TheFirstFindingsOfTheTextAreShown) {
  constexpr int kCount = 30'000;
  std::string text = "HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n";
  for (int i = 0; i < kCount; ++i) text += fmt::format("  a{} = f32[3] negate(p)\n", i);
  text += "  ROOT r = f32[2] negate(p)\n}\n";
  const RecoveredModule read{Parsed(text), /*is_complete=*/true, {}};
  VerifyOptions options;
  options.limits = {.errors = 2, .warnings = 2};
  const TextFindings found = VerifyText(read, options, {});
  ASSERT_EQ(found.findings.size(), 2u);
  EXPECT_EQ(found.hidden.errors, kCount - 2);
  EXPECT_EQ(read.module.source()->Locate(found.findings[0].range.begin).line, 4);
  EXPECT_EQ(read.module.source()->Locate(found.findings[1].range.begin).line, 5);
}

// --- The older layout form -----------------------------------------------------------------------

// The findings about a layout of f32[2,3].
std::vector<Diagnostic> LegacyFindings(const LegacyLayout& layout) {
  const auto source = std::make_shared<const SourceText>("layout", "");
  DiagnosticSink sink(source);
  const int64_t dims[] = {2, 3};
  const bool has_no_error = VerifyLegacyLayout(Shape::Array(ElementType::kF32, dims), layout,
                                               RuleModes{}, SourceRange{}, sink);
  EXPECT_EQ(has_no_error, sink.error_count() == 0);
  return sink.TakeDiagnostics();
}

TEST(LegacyLayout, WithoutOrder) {
  ExpectBroken("layout.minor-to-major-required", LegacyFindings({.padded_dimensions = {3, 5}}),
               "the layout of `f32[2,3]` has no `minor_to_major`");
  ExpectKept("layout.minor-to-major-required", LegacyFindings({.minor_to_major = {{0, 1}}}));
}

TEST(LegacyLayout, OrderOfOtherRankOrRepeated) {
  ExpectBroken("layout.minor-to-major-length", LegacyFindings({.minor_to_major = {{0}}}),
               "`minor_to_major: [0]` has 1 number for the 2 dimensions of `f32[2,3]`");
  ExpectBroken("layout.minor-to-major-permutation", LegacyFindings({.minor_to_major = {{1, 1}}}),
               "`minor_to_major: [1,1]` does not name each of 2 dimensions once");
}

TEST(LegacyLayout, WidthForEachDimension) {
  ExpectBroken("layout.padded-dims-length",
               LegacyFindings({.minor_to_major = {{0, 1}}, .padded_dimensions = {3}}),
               "`padded_dimensions: [3]` has 1 width for the 2 dimensions of `f32[2,3]`");
  ExpectKept("layout.padded-dims-length",
             LegacyFindings({.minor_to_major = {{0, 1}}, .padded_dimensions = {3, 5}}));
}

TEST(LegacyLayout, WidthBelowSize) {
  ExpectBroken("layout.padded-dims-width",
               LegacyFindings({.minor_to_major = {{0, 1}}, .padded_dimensions = {3, 2}}),
               "dimension 1 of `f32[2,3]` is padded from 3 to 2");
  ExpectKept("layout.padded-dims-width",
             LegacyFindings({.minor_to_major = {{0, 1}}, .padded_dimensions = {2, 3}}));
}

constexpr auto kZeroPad = static_cast<int64_t>(PaddingValue::kZero);

TEST(LegacyLayout, PaddingValue) {
  LegacyLayout layout = {.minor_to_major = {{0, 1}}, .padded_dimensions = {3, 5}};
  layout.padding_value = 17;
  ExpectBroken("layout.padding-value", LegacyFindings(layout),
               "`padding_value: 17` is not in 0 ... 5");
  layout.padding_value = static_cast<int64_t>(PaddingValue::kInvalid);
  ExpectBroken("layout.padding-value", LegacyFindings(layout),
               "`padding_value: INVALID_PAD` where dimensions are padded");
  layout.padding_value = kZeroPad;
  ExpectKept("layout.padding-value", LegacyFindings(layout));
}

TEST(LegacyLayout, PaddingValueWithoutPadding) {
  ExpectBroken("layout.padding-value-alone",
               LegacyFindings({.minor_to_major = {{0, 1}}, .padding_value = kZeroPad}),
               "`padding_value: 1` without `padded_dimensions`");
  ExpectKept("layout.padding-value-alone", LegacyFindings({.minor_to_major = {{0, 1}},
                                                           .padded_dimensions = {3, 5},
                                                           .padding_value = kZeroPad}));
}

// --- Places without text -------------------------------------------------------------------------

const Shape kTwo = Shape::ArrayWithDefaultLayout(ElementType::kF32, std::vector<int64_t>{2});
const Shape kThree = Shape::ArrayWithDefaultLayout(ElementType::kF32, std::vector<int64_t>{3});

std::string AllFindings(const Module& module) {
  DiagnosticSink sink(module.source());
  Verify(module, {}, sink);
  return RenderDiagnostics(sink.diagnostics());
}

TEST(VerifierPlaces, WhatIsMadeInCodeIsNamed) {
  ModuleBuilder builder("made");
  const ComputationId main = builder.AddComputation("main");
  const InstructionId x = builder.AddParameter(main, kTwo, "x");
  const InstructionId y = builder.AddParameter(main, kThree, "y");
  builder.SetRoot(main, builder.Add(main, Opcode::kAdd, kTwo, {x, y}, "sum"));
  builder.SetEntry(main);
  EXPECT_EQ(AllFindings(std::move(builder).Finish()),
            "made: error: operands `f32[2]` and `f32[3]` of `add` differ in their dimensions "
            "[elementwise.no-implicit-broadcast]\n"
            "made: note: in instruction `sum` of computation `main`\n");
}

TEST(VerifierPlaces, NotesAndComputationsAreNamed) {
  ModuleBuilder builder("made");
  builder.AddComputation("empty");
  const ComputationId main = builder.AddComputation("main");
  builder.AddParameter(main, kTwo, "x");
  const InstructionId y = builder.AddParameter(main, kTwo, "y");
  builder.Set<Attr::kParameterNumber>(y, 0);
  builder.SetRoot(main, y);
  builder.SetEntry(main);
  EXPECT_EQ(AllFindings(std::move(builder).Finish()),
            "made: error: a second parameter 0 [comp.param-number-unique]\n"
            "made: note: in instruction `y` of computation `main`\n"
            "made: note: the first one: instruction `x` of computation `main`\n"
            "made: error: computation `empty` has no instructions [comp.nonempty]\n"
            "made: note: in computation `empty`\n");
}

// What was added to a text points at the nearest part of it.
TEST(VerifierPlaces, ClonesInATextAreNamed) {
  ModuleBuilder builder(
      Parsed("HloModule m\n"
             "ENTRY main {\n"
             "  x = f32[2] parameter(0)\n"
             "  ROOT y = f32[2] negate(x)\n"
             "}\n"));
  const ComputationId main(0);
  CloneMap map;
  const InstructionId y = builder.module().computation(main).root;
  const InstructionId copy = builder.CloneInstruction(builder.module(), y, main, map);
  builder.SetShape(copy, kThree);
  builder.SetRoot(main, copy);
  EXPECT_EQ(AllFindings(std::move(builder).Finish()),
            "test.hlo:2:7: error: `negate` is written as `f32[3]` but its operands give `f32[2]`: "
            "dimension 0 is 3 instead of 2 [negate.result-shape]\n"
            "ENTRY main {\n"
            "      ^~~~\n"
            "test.hlo:2:7: note: in instruction `y.1` of computation `main`\n"
            "ENTRY main {\n"
            "      ^~~~\n");
}

TEST(VerifierPlaces, WhatHasTextIsNotNamed) {
  ModuleBuilder builder(Parsed(R"(HloModule m
ENTRY main {
  x = f32[2] parameter(0)
  ROOT y = f32[3] negate(x)
})"));
  const ComputationId main(0);
  const InstructionId y = builder.module().computation(main).root;
  builder.SetRoot(main, builder.Add(main, Opcode::kNegate, kTwo, {y}, "made"));
  builder.SetEntry(main);
  const Module module = std::move(builder).Finish();
  DiagnosticSink sink(module.source());
  VerifyOptions options;
  options.select = {"negate"};
  Verify(module, options, sink);
  ASSERT_EQ(sink.diagnostics().size(), 1u);
  EXPECT_EQ(module.source()->text(sink.diagnostics()[0].range), "f32[3]");
  EXPECT_TRUE(sink.diagnostics()[0].notes.empty());
}

}  // namespace
}  // namespace hlo
