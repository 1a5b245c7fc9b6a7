// Shapes are read and printed back (grammar.md 2.7, 2.8); of those that are wrong the rule is
// printed.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "parser/parser.h"

namespace hlo {
namespace {

// The shape written back, or the rule of the first diagnostic.
std::string Read(const std::string& text, bool fill_missing_layouts = true) {
  auto source = std::make_shared<SourceText>("test", text);
  DiagnosticSink sink(source);
  ParseOptions options;
  options.fill_missing_layouts = fill_missing_layouts;
  std::optional<Shape> shape = ParseShape(source, sink, options);
  return shape ? ShapeTextWithLayout(*shape) : sink.diagnostics().front().rule;
}

TEST(ParseShape, Arrays) {
  EXPECT_EQ(Read("f32[2,3]"), "f32[2,3]{1,0}");
  EXPECT_EQ(Read("f32[2,3]", /*fill_missing_layouts=*/false), "f32[2,3]");
  EXPECT_EQ(Read("f32[ 2, 3 ]{ 0, 1 }"), "f32[2,3]{0,1}");
  EXPECT_EQ(Read("f32[]"), "f32[]");
  EXPECT_EQ(Read("pred[<=4,?]"), "pred[<=4,?]{1,0}");
  EXPECT_EQ(Read("token[]"), "token[]");
  EXPECT_EQ(Read("b(f32[8])"), "b(f32[8]{0})");
  EXPECT_EQ(Read("f32[2] {0}"), "f32[2]{0}");
}

TEST(ParseShape, Tuples) {
  EXPECT_EQ(Read("()"), "()");
  EXPECT_EQ(Read("(f32[], (s32[2], /*index=1*/token[]))"), "(f32[], (s32[2]{0}, token[]))");
  EXPECT_EQ(Read("(f32[], /* ) */ s32[])"), "(f32[], s32[])");
}

TEST(ParseShape, Layouts) {
  for (const char* text : {"f32[8,8]{1,0:T(8,128)(2,1)L(2)#(u32)*(u16)E(4)S(3)SC(0:1,2)M(16)}",
                           "f32[]{:T(128)}", "s4[2]{0:T(2,*)E(4)}", "f32[2]{0:S(5)}"}) {
    EXPECT_EQ(Read(text), text);
  }
  EXPECT_EQ(Read("f32[2]{0:D(D)T(2)}"), "f32[2]{0:T(2)}");
}

TEST(ParseShape, Errors) {
  EXPECT_EQ(Read("f32"), "shape.dims-required");
  EXPECT_EQ(Read("f31[2]"), "shape.element-type");
  EXPECT_EQ(Read("f32[-3]"), "shape.dim-nonnegative");
  EXPECT_EQ(Read("f32[18446744073709551615]"), "shape.dim-nonnegative");
  EXPECT_EQ(Read("f32[<=?]"), "parse.unexpected-token");
  EXPECT_EQ(Read("f32[2"), "parse.unexpected-token");
  EXPECT_EQ(Read("opaque[3]"), "shape.non-array-dims");
  EXPECT_EQ(Read("token[2]"), "token.shape-form");
  EXPECT_EQ(Read("token[]{:S(1)}"), "token.shape-form");
  EXPECT_EQ(Read("opaque[]{:S(1)}"), "layout.on-array-only");
  EXPECT_EQ(Read("(f32[2]){0}"), "layout.on-array-only");
  EXPECT_EQ(Read("b((f32[]))"), "buffer.content");
  EXPECT_EQ(Read("f32[2,3]{0}"), "layout.minor-to-major-length");
  EXPECT_EQ(Read("f32[8]{0:S(1)T(8)}"), "layout.part-order");
  EXPECT_EQ(Read("f32[8]{0:#(s32)}"), "layout.sparse-type-unsigned");
  EXPECT_EQ(Read("f32[8]{0:P(f32[8])}"), "layout.physical-shape");
  EXPECT_EQ(Read("f32[8]{0:D(X)}"), "layout.level-types");
  EXPECT_EQ(Read("f32[2] 7"), "parse.unexpected-token");
}

// A shape that was seen before is found by its bytes: what follows must not matter.
TEST(ParseShape, KnownBytesInOtherSurroundings) {
  EXPECT_EQ(Read("(f32[2], f32[2] {0}, f32[2]{0}, f32[2])"),
            "(f32[2]{0}, f32[2]{0}, f32[2]{0}, f32[2]{0})");
}

TEST(ParseShape, NestingIsBounded) {
  const std::string deep(100000, '(');
  EXPECT_EQ(Read(deep), "inst.nesting-depth");
  EXPECT_EQ(Read(std::string(500, '(') + std::string(500, ')')),
            std::string(500, '(') + std::string(500, ')'));
}

}  // namespace
}  // namespace hlo
