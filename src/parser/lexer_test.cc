// The surprises of grammar.md 1.2 to 1.8 as lists of tokens; what is no token shows as its rule.
#include "parser/lexer.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "parser/cursor.h"

namespace hlo {
namespace {

// The tokens of a text as `kind text`, one a line, errors by their rule.
std::string Tokens(const std::string& text) {
  SourceText source("test", text);
  DiagnosticSink sink(std::make_shared<SourceText>("test", text));
  Lexer lexer(source, sink);
  std::string result;
  Token token;
  for (lexer.Next(token); token.kind != TokenKind::kEnd; lexer.Next(token)) {
    if (!result.empty()) result += " | ";
    if (token.kind == TokenKind::kError) {
      result += sink.diagnostics().back().rule;
    } else {
      result += std::string(TokenName(token.kind)) + " " + std::string(token.text);
    }
  }
  return result;
}

TEST(Lexer, Numbers) {
  EXPECT_EQ(Tokens("1. 1.5 -.5 3e+2 1.e5"),
            "a decimal number 1. | a decimal number 1.5 | a decimal number -.5 | "
            "a decimal number 3e+2 | a decimal number 1.e5");
  EXPECT_EQ(Tokens(".5"), "parse.illegal-character | an integer 5");
  EXPECT_EQ(Tokens("+1"), "`+` + | an integer 1");
  EXPECT_EQ(Tokens("0x10"), "sizes joined by `x` 0x10");
  EXPECT_EQ(Tokens("2x"), "an integer 2 | an identifier x");
  EXPECT_EQ(Tokens("-1x2"), "an integer -1 | an identifier x2");
  EXPECT_EQ(Tokens("0_0_-1"), "padding 0_0 | an identifier _-1");
  EXPECT_EQ(Tokens("1_4_1x-4_8_0"), "padding 1_4_1x-4_8_0");
  EXPECT_EQ(Tokens("18446744073709551615"), "an integer 18446744073709551615");
  EXPECT_EQ(Tokens("18446744073709551616"), "parse.integer-range");
  EXPECT_EQ(Tokens("-9223372036854775809"), "parse.integer-range");
  EXPECT_EQ(Tokens("- x"), "parse.illegal-character | an identifier x");
}

TEST(Lexer, Identifiers) {
  EXPECT_EQ(Tokens("x=f32 y = %z: w:"),
            "an attribute x | an element type f32 | an identifier y | `=` = | a name z | `:` : | "
            "a name w");
  EXPECT_EQ(Tokens("a->b"), "an identifier a- | parse.illegal-character | an identifier b");
  EXPECT_EQ(Tokens("a ->b"), "an identifier a | `->` -> | an identifier b");
  EXPECT_EQ(Tokens("%0"), "parse.illegal-character | an integer 0");
  EXPECT_EQ(Tokens("ENTRY true inf -inf tuple f8e4m3b11fnuz"),
            "a keyword ENTRY | a keyword true | `inf` inf | `-inf` -inf | an identifier tuple | "
            "an element type f8e4m3b11fnuz");
}

TEST(Lexer, DimLabels) {
  EXPECT_EQ(Tokens("b01f_01io->b01f"), "dimension labels b01f_01io->b01f");
  EXPECT_EQ(Tokens("01bf_i01o->01bf"), "dimension labels 01bf_i01o->01bf");
  EXPECT_EQ(Tokens("?b_io->bf"), "dimension labels ?b_io->bf");
  EXPECT_EQ(Tokens("bf_io"), "an identifier bf_io");
}

TEST(Lexer, Nan) {
  EXPECT_EQ(Tokens("nan -nan nan(0x1)"), "`nan` nan | `nan` -nan | `nan` nan(0x1)");
  EXPECT_EQ(Tokens("nan(0x0)"), "literal.nan-payload");
  EXPECT_EQ(Tokens("nan(0x10000000000000)"), "literal.nan-payload");
}

TEST(Lexer, CommentsAndBlanks) {
  EXPECT_EQ(Tokens("a/* x\n*/b // c\rd"), "an identifier a | an identifier b | an identifier d");
  EXPECT_EQ(Tokens("a /* never closed"), "an identifier a | parse.unterminated-comment");
  EXPECT_EQ(Tokens("/"), "parse.illegal-character");
  EXPECT_EQ(Tokens("\f"), "parse.illegal-character");
  EXPECT_EQ(Tokens(std::string("a\0b", 3)),
            "an identifier a | parse.illegal-character | an identifier b");
  EXPECT_EQ(Tokens(std::string("// \0", 4)), "parse.illegal-character");
}

TEST(Lexer, Strings) {
  EXPECT_EQ(Tokens(R"("a\"b" 'c"d')"), R"(a string a\"b | a string c"d)");
  EXPECT_EQ(Tokens("\"open"), "parse.unterminated-string");
  EXPECT_EQ(Tokens("\"\xc3\xa4\""), "a string \xc3\xa4");
  EXPECT_EQ(Tokens("\"\xff\""), "parse.string-encoding");
  EXPECT_EQ(Tokens("\"\xed\xa0\x80\""), "parse.string-encoding");
}

std::string Decoded(const std::string& text) {
  auto source = std::make_shared<SourceText>("test", text);
  DiagnosticSink sink(source);
  Cursor cursor(*source, sink);
  Arena arena;
  std::optional<std::string_view> decoded = cursor.ExpectString(arena);
  return decoded ? std::string(*decoded) : sink.diagnostics().back().rule;
}

TEST(Lexer, Escapes) {
  EXPECT_EQ(Decoded(R"("\a\n\\\?\'\"")"), "\a\n\\?'\"");
  EXPECT_EQ(Decoded(R"("\101\7\x41")"), "A\aA");
  EXPECT_EQ(Decoded(R"("\u00e4\U0001F600")"), "\xc3\xa4\xf0\x9f\x98\x80");
  EXPECT_EQ(Decoded(R"("\q")"), "parse.bad-escape");
  EXPECT_EQ(Decoded(R"("\400")"), "parse.bad-escape");
  EXPECT_EQ(Decoded(R"("\u12")"), "parse.bad-escape");
  EXPECT_EQ(Decoded(R"("\ud800")"), "parse.bad-escape");
}

}  // namespace
}  // namespace hlo
