// The mini conformance set of grammar.md 12: what must be accepted, and what must be rejected and
// under which rule.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "parser/parser.h"

namespace hlo {
namespace {

// The rules of all errors, joined by blanks; empty when the text is accepted.
std::string Errors(const std::string& text) {
  auto source = std::make_shared<SourceText>("test", text);
  DiagnosticSink sink(source);
  const bool accepted = ParseModule(source, sink).has_value();
  std::string rules;
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    if (diagnostic.severity != Severity::kError) continue;
    if (!rules.empty()) rules += ' ';
    rules += diagnostic.rule;
  }
  EXPECT_EQ(accepted, rules.empty());
  return rules;
}

TEST(Conformance, Accepted) {
  const std::string texts[] = {
      R"(HloModule m
   sum2 { u = f32[] parameter(0)  v = f32[] parameter(1)  ROOT w = f32[] add(u, v) }
   ENTRY e (x: f32[4]) -> f32[] {
     %x = f32[4]{0} parameter(0)  /* any comment */
     z = f32[] constant(0)        // and this one
     ROOT %r = f32[] reduce(f32[4] %x, z), dimensions={0}, to_apply=sum2
   })",
      "e { ROOT r = negate(exponential(f32[2,2] parameter(0))) }",
      "f32[4] add(f32[4], f32[4])",
      "HloModule m: ENTRY e { t = (f32[2], (s32[], s32[])) parameter(0) "
      "ROOT r = s32[] add(t#1#0, s32[] %t#1#1) }",
      "HloModule m ENTRY e { c = f32[2,2] constant({{1, nan}, {-inf, 3e-2}}) "
      "ROOT d = f32[2,2]{0,1:T(2,128)S(1)} copy(c) }",
      "HloModule m ENTRY e { p = f32[<=4,?] parameter(0) ROOT q = f32[<=4,?] abs(f32[4,7] p) }",
      R"(HloModule m ENTRY e { p = f32[2] parameter(0) ROOT w = f32[2] while(p),
           body={ ROOT b = f32[2] parameter(0) },
           condition={ c = f32[2] parameter(0) ROOT t = pred[] constant(true) } })",
      "HloModule m ENTRY e { ROOT c = c64[2] constant({(1, -2), (0.5, inf)}) }",
      R"(HloModule m ENTRY e { in = f32[8] parameter(0)
     s = ((f32[8]), f32[8], u32[]) negate-start(in), async_execution_thread="side"
     ROOT d = f32[8] negate-done(s) })",
      R"(HloModule m ENTRY e { ROOT p = f32[4,4] parameter(0),
     sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate},
     frontend_attributes={k.a="v",k.b={x: [1]}},
     metadata={op_name="n" source_line=3, source_file="f"} })",
      "HloModule m ENTRY e { ROOT c = f32[3] constant(5) }"};
  for (const std::string& text : texts) EXPECT_EQ(Errors(text), "") << text;
}

TEST(Conformance, Rejected) {
  const struct {
    std::string text;
    std::string rules;
  } cases[] = {
      {"HloModule m ENTRY e { x=f32[] parameter(0) }", "name.syntax"},
      {"HloModule m ENTRY e { ROOT a = f32[] add(b, b)  b = f32[] parameter(0) }",
       "ref.operand-before-use"},
      {"HloModule m ENTRY e { a = f32[] parameter(0)  a = f32[] negate(a) }",
       "name.instruction-duplicate"},
      {"HloModule m ENTRY e { a = f32[2] parameter(0) ROOT b = f32[2] negate(f32[3] a) }",
       "ref.operand-shape"},
      {"HloModule m ENTRY e { ROOT c = s32[] constant(1.5) }", "literal.integer"},
      {"HloModule m ENTRY e { ROOT c = u8[] constant(-1) }", "literal.range"},
      {"HloModule m ENTRY e { ROOT c = f32[2,2] constant({1,2,3,4}) }", "literal.nesting"},
      {"HloModule m ENTRY e { p = f32[2] parameter(0) "
       "ROOT r = f32[2] reverse(p), dimensions={0}, dimensions={0} }",
       "attr.duplicate"},
      {"HloModule m ENTRY e { p = f32[2] parameter(0) ROOT r = f32[2] reverse(p), dims={0} }",
       "attr.unknown"},
      {"HloModule m ENTRY e { p = f32[2,2] parameter(0) ROOT r = f32[2,2]{0} copy(p) }",
       "layout.minor-to-major-length"},
      {"HloModule m ENTRY e { ROOT %f32 = f32[] parameter(0) }", "name.syntax"},
      {"HloModule m ENTRY a { ROOT p = f32[] parameter(0) } "
       "ENTRY b { ROOT p = f32[] parameter(0) }",
       "comp.multiple-entry"},
      {"HloModule m ENTRY e () -> f32[2] { ROOT c = f32[3] constant({1,2,3}) }",
       "comp.signature-result"},
      {"f (x: f32[]) -> f32[] { ROOT x = f32[] parameter(0) }", "parse.headerless-signature"},
      {"HloModule m ENTRY e { a = f32[] parameter(1) ROOT b = f32[] negate(a) }",
       "comp.params-contiguous"},
      {"HloModule m ENTRY e { a = f32[] parameter(0) ROOT t = tuple(maximum(a), a) }",
       "inst.arity"},
      {"HloModule m ENTRY e { ROOT c = s32[] constant(true) }", "literal.integer"}};
  for (const auto& [text, rules] : cases) EXPECT_EQ(Errors(text), rules) << text;
}

// Errors at the very first token, and behind the last computation.
TEST(Conformance, ErrorsAtTheEnds) {
  EXPECT_EQ(Errors("/{ a"), "parse.illegal-character");
  EXPECT_EQ(Errors(""), "parse.empty-text");
  EXPECT_EQ(Errors("e { ROOT a = f32[] parameter(0) } ROOT b = f32[] negate(a)"),
            "parse.unexpected-token");
}

// One mistake, one message: what was reported does not make its users wrong.
TEST(Conformance, BrokenDefinitionsAreReportedOnce) {
  EXPECT_EQ(Errors(R"(HloModule m
g { x = f32[2] frobnicate(), ROOT y = f32[2] negate(x) }
ENTRY e {
  a = f32[2] paramater(0)
  b = f32[2] add(a, a)
  c = f32[2] negate(b), dims={}
  d = f32[2] call(c), to_apply=g
  ROOT r = f32[2] multiply(c, d)
})"),
            "inst.opcode-known inst.opcode-known attr.unknown");
}

}  // namespace
}  // namespace hlo
