// Literals behind their shapes, as people give them to programs: what is forgiven in modules
// (grammar.md 2.9) is an error here. Ranges and NaN as in grammar.md 7.8 and 1.7.
#include <bit>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "parser/parser.h"

namespace hlo {
namespace {

struct Result {
  std::optional<Literal> literal;
  std::string rule;  // of the first diagnostic
};

Result Read(const std::string& text) {
  auto source = std::make_shared<SourceText>("test", text);
  DiagnosticSink sink(source);
  Result result{ParseTypedLiteral(source, sink), ""};
  if (!sink.diagnostics().empty()) result.rule = sink.diagnostics().front().rule;
  return result;
}

template <typename T>
T Scalar(const std::string& text) {
  Result result = Read(text);
  EXPECT_TRUE(result.literal.has_value()) << text << ": " << result.rule;
  return result.literal ? result.literal->elements<T>()[0] : T();
}

std::string Rule(const std::string& text) {
  Result result = Read(text);
  EXPECT_FALSE(result.literal.has_value()) << text;
  return result.rule;
}

TEST(ParseLiteral, Integers) {
  EXPECT_EQ(Scalar<int8_t>("s8[] -128"), -128);
  EXPECT_EQ(Rule("s8[] 128"), "literal.range");
  EXPECT_EQ(Rule("u8[] -1"), "literal.range");
  EXPECT_EQ(Rule("u8[] 256"), "literal.range");
  EXPECT_EQ(Scalar<uint64_t>("u64[] 18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(Scalar<uint64_t>("u64[] -1"), UINT64_MAX);
  EXPECT_EQ(Rule("u32[] 4294967296"), "literal.range");
  EXPECT_EQ(int{Scalar<S4>("s4[] -8")}, -8);
  EXPECT_EQ(Rule("s4[] 8"), "literal.range");
  EXPECT_EQ(Rule("u1[] 2"), "literal.range");
  EXPECT_EQ(int{Scalar<S1>("s1[] -1")}, -1);
  EXPECT_TRUE(Scalar<bool>("pred[] true"));
  EXPECT_TRUE(Scalar<bool>("pred[] -3"));
  EXPECT_EQ(Rule("pred[] 1.0"), "literal.integer");
  EXPECT_EQ(Rule("s32[] true"), "literal.integer");
}

TEST(ParseLiteral, Floats) {
  EXPECT_EQ(Scalar<float>("f32[] 0.1"), 0.1f);
  EXPECT_EQ(Scalar<double>("f64[] -1e-320"), -1e-320);
  EXPECT_EQ(Scalar<float>("f32[] -inf"), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(Rule("f32[] 1e39"), "literal.range");
  EXPECT_EQ(Rule("f64[] 1e309"), "literal.range");
  // 65519 rounds to the largest f16, 65520 does not (grammar.md 7.8).
  EXPECT_EQ(Scalar<F16>("f16[] 65519").bits(), 0x7bff);
  EXPECT_EQ(Rule("f16[] 65520"), "literal.range");
  EXPECT_EQ(Scalar<F16>("f16[] 1.00048829").bits(), 0x3c00);
}

TEST(ParseLiteral, Nans) {
  EXPECT_EQ(std::bit_cast<uint32_t>(Scalar<float>("f32[] nan")), 0x7fc00000u);
  EXPECT_EQ(std::bit_cast<uint32_t>(Scalar<float>("f32[] -nan(0x1)")), 0xff800001u);
  EXPECT_EQ(Rule("f32[] nan(0x800000)"), "literal.nan-payload");
  EXPECT_EQ(std::bit_cast<uint64_t>(Scalar<double>("f64[] nan(0xfffffffffffff)")),
            0x7fffffffffffffffu);
  EXPECT_EQ(Scalar<Bf16>("bf16[] nan(0x7f)").bits(), 0x7fff);
  EXPECT_EQ(Rule("bf16[] nan(0x80)"), "literal.nan-payload");
  EXPECT_EQ(Scalar<F8E5M2>("f8e5m2[] nan(0x3)").bits(), 0x7f);
  EXPECT_EQ(Rule("f8e4m3fn[] nan(0x1)"), "literal.nan-payload");
  EXPECT_EQ(Rule("f4e2m1fn[] nan"), "literal.range");
}

// A NaN real part leaves the imaginary part alone (unlike XLA, grammar.md 2.9).
TEST(ParseLiteral, Complex) {
  const C64 value = Scalar<C64>("c64[] (nan, 1)");
  EXPECT_NE(value.real(), value.real());
  EXPECT_EQ(value.imag(), 1.0f);
  EXPECT_EQ(Rule("c64[] 1"), "literal.complex");
  EXPECT_EQ(Rule("c64[] (1)"), "literal.complex");
  EXPECT_EQ(Rule("c64[] (1, 1e39)"), "literal.range");
  EXPECT_EQ(Rule("f32[] (1, 2)"), "literal.complex");
}

TEST(ParseLiteral, NestsAndCounts) {
  Result result = Read("s32[2,2]{0,1} {{1, 2}, {3, 4}}");
  ASSERT_TRUE(result.literal.has_value());
  EXPECT_EQ(result.literal->elements<int32_t>()[1], 2);  // row-major whatever the layout
  EXPECT_TRUE(Read("f32[2,0] { {}, {} }").literal.has_value());
  EXPECT_TRUE(Read("f32[0] {}").literal.has_value());
  EXPECT_TRUE(Read("f32[2] {1,2}").literal.has_value());
  EXPECT_EQ(Rule("f32[3]{0} {1, 2}"), "literal.count");
  EXPECT_EQ(Rule("f32[2]{0} {1, 2, 3}"), "literal.count");
  EXPECT_EQ(Rule("f32[2]{0} {{1}, {2}}"), "literal.nesting");
  EXPECT_EQ(Rule("f32[2]{0} {1 2}"), "parse.unexpected-token");
  EXPECT_EQ(Rule("f32[2]{0} {1,2,}"), "parse.unexpected-token");
  EXPECT_EQ(Rule("f32[2]{0} 1"), "literal.nesting");  // in a module: a warning
}

TEST(ParseLiteral, Tuples) {
  Result result = Read("(s32[], f32[2]) (1, {2, 3})");
  ASSERT_TRUE(result.literal.has_value());
  EXPECT_EQ(result.literal->tuple_elements()[1].elements<float>()[1], 3.0f);
  EXPECT_EQ(Read("(s32[] 1, f32[2]{0} {2, 3})").literal, result.literal);
  EXPECT_TRUE(Read("() ()").literal.has_value());
  EXPECT_EQ(Rule("(s32[], s32[]) (1)"), "literal.tuple-arity");
  EXPECT_EQ(Rule("(s32[]) (1, 2)"), "literal.tuple-arity");
  EXPECT_EQ(Rule("token[] 0"), "literal.non-array");
}

// Sizes come from the text: they must not decide how much memory is taken.
TEST(ParseLiteral, HugeShapesTakeNoMemory) {
  EXPECT_EQ(Rule("f32[9999999999999]{0} {1}"), "literal.count");
  EXPECT_EQ(Rule("f32[9999999999999]{0} 0"), "literal.nesting");
  EXPECT_EQ(Rule("f32[9999999999,9999999999]{1,0} {{1}}"), "literal.count");
  Result elided = Read("f32[9999999999999]{0} {...}");
  ASSERT_TRUE(elided.literal.has_value());
  EXPECT_TRUE(elided.literal->is_elided());
  EXPECT_EQ(elided.literal->byte_size(), 0);
  EXPECT_EQ(Rule("f32[2,2]{1,0} {{...},{1,2}}"), "literal.ellipsis");
}

}  // namespace
}  // namespace hlo
