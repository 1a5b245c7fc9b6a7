// Findings with a note and a fix in several formats, and what each of these cuts, counts or escapes
// in its own way. The rules are made up: rendering knows none.
#include "support/render_diagnostic.h"

#include <gtest/gtest.h>

#include <memory>

#include <nlohmann/json.hpp>

namespace hlo {
namespace {

enum class TestRule { kUnknownOpcode, kXy, kR };

std::string_view RuleId(TestRule rule) {
  constexpr std::string_view kIds[] = {"parse.unknown-opcode", "x.y", "r"};
  return kIds[static_cast<size_t>(rule)];
}

std::vector<Diagnostic> TwoFindings() {
  auto source = std::make_shared<SourceText>("a.hlo", "HloModule m\n  x = f32[2] neg(p)\n");
  DiagnosticSink sink(source);
  sink.Error(TestRule::kUnknownOpcode, {24, 27}, "unknown opcode `{}`", "neg");
  sink.Note({0, 9}, "in this module");
  sink.Warning(TestRule::kXy, {14, 15}, "odd \"name\"");
  sink.AddFix({14, 15}, "z");
  return sink.TakeDiagnostics();
}

TEST(RenderDiagnostic, TextShowsLineAndCaret) {
  EXPECT_EQ(RenderDiagnostics(TwoFindings()),
            "a.hlo:2:13: error: unknown opcode `neg` [parse.unknown-opcode]\n"
            "  x = f32[2] neg(p)\n"
            "            ^~~\n"
            "a.hlo:1:1: note: in this module\n"
            "HloModule m\n"
            "^~~~~~~~~\n"
            "a.hlo:2:3: warning: odd \"name\" [x.y]\n"
            "  x = f32[2] neg(p)\n"
            "  ^\n");
}

TEST(RenderDiagnostic, LongLinesAreCutAroundTheRange) {
  auto source =
      std::make_shared<SourceText>("a", std::string(1000, 'x') + "!" + std::string(1000, 'y'));
  DiagnosticSink sink(source);
  sink.Error(TestRule::kR, {1000, 1001}, "m");
  const std::string text = RenderDiagnostics(sink.diagnostics());
  EXPECT_LT(text.size(), 500u);
  // The caret stands under the exclamation mark.
  const size_t line_begin = text.find('\n') + 1;
  const size_t caret_begin = text.find('\n', line_begin) + 1;
  EXPECT_EQ(text.find('!') - line_begin, text.find('^') - caret_begin);
}

TEST(RenderDiagnostic, PlacesPastTheEndAreTheEnd) {
  auto source = std::make_shared<SourceText>("a", "ab");
  DiagnosticSink sink(source);
  sink.Error(TestRule::kR, {2, 2}, "m");
  EXPECT_EQ(RenderDiagnostics(sink.diagnostics()), "a:1:3: error: m [r]\nab\n  ^\n");
}

TEST(RenderDiagnostic, WhatIsMadeInCodeHasNoPlaces) {
  DiagnosticSink sink(std::make_shared<SourceText>("made"));
  sink.Error(TestRule::kR, {}, "m");
  EXPECT_EQ(RenderDiagnostics(sink.diagnostics()), "made: error: m [r]\n");
}

TEST(RenderDiagnostic, AnEmptyTextHasOnePlace) {
  DiagnosticSink sink(std::make_shared<SourceText>("empty.hlo", ""));
  sink.Error(TestRule::kR, {}, "m");
  EXPECT_EQ(RenderDiagnostics(sink.diagnostics()), "empty.hlo:1:1: error: m [r]\n");
}

TEST(RenderDiagnostic, JsonIsJson) {
  const auto json =
      nlohmann::json::parse(RenderDiagnostics(TwoFindings(), {.format = DiagnosticFormat::kJson}));
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["file"], "a.hlo");
  EXPECT_EQ(json[0]["startLine"], 2);
  EXPECT_EQ(json[0]["startColumn"], 13);
  EXPECT_EQ(json[0]["notes"][0]["message"], "in this module");
  EXPECT_EQ(json[1]["message"], "odd \"name\"");
}

TEST(RenderDiagnostic, SarifNamesRulesResultsAndFixes) {
  RuleDescription rule{"x.y", "names should not be odd"};
  const auto json = nlohmann::json::parse(
      RenderDiagnostics(TwoFindings(), {.format = DiagnosticFormat::kSarif, .rules = {&rule, 1}}));
  EXPECT_EQ(json["version"], "2.1.0");
  const auto& run = json["runs"][0];
  const auto& result = run["results"][1];
  EXPECT_EQ(
      run["tool"]["driver"]["rules"][result["ruleIndex"].get<int>()]["shortDescription"]["text"],
      "names should not be odd");
  EXPECT_EQ(result["level"], "warning");
  EXPECT_EQ(result["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"],
            "z");
}

// Two bytes of UTF-8 are one unit of UTF-16, four bytes two.
TEST(RenderDiagnostic, SarifCountsColumnsInUtf16) {
  auto source = std::make_shared<SourceText>("a", "\u00e9\U0001f600x");
  DiagnosticSink sink(source);
  sink.Error(TestRule::kR, {6, 7}, "m");
  const auto sarif = nlohmann::json::parse(
      RenderDiagnostics(sink.diagnostics(), {.format = DiagnosticFormat::kSarif}));
  const auto& region = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
  EXPECT_EQ(region["startColumn"], 4);
  EXPECT_EQ(region["endColumn"], 5);
}

TEST(RenderDiagnostic, MessagesOfTheToolArePartOfTheDocument) {
  const ToolMessage messages[] = {{Severity::kError, "a.hlo: No such file or directory"}};
  RenderOptions options{.format = DiagnosticFormat::kJson, .messages = messages};
  const auto json = nlohmann::json::parse(RenderDiagnostics({}, options));
  ASSERT_EQ(json.size(), 1);
  EXPECT_TRUE(json[0]["file"].is_null());
  EXPECT_EQ(json[0]["message"], messages[0].text);

  options.format = DiagnosticFormat::kSarif;
  const auto sarif = nlohmann::json::parse(RenderDiagnostics({}, options));
  const auto& invocation = sarif["runs"][0]["invocations"][0];
  EXPECT_EQ(invocation["executionSuccessful"], false);
  EXPECT_EQ(invocation["toolExecutionNotifications"][0]["message"]["text"], messages[0].text);

  options.format = DiagnosticFormat::kJunit;
  EXPECT_NE(RenderDiagnostics({}, options).find("<system-err>error: a.hlo: No such file"),
            std::string::npos);
}

TEST(RenderDiagnostic, GithubEscapesWhatEndsACommand) {
  auto source = std::make_shared<SourceText>("a,b:c", "x");
  DiagnosticSink sink(source);
  sink.Error(TestRule::kR, {0, 1}, "50%\nmore");
  EXPECT_EQ(RenderDiagnostics(sink.diagnostics(), {.format = DiagnosticFormat::kGithub}),
            "::error file=a%2Cb%3Ac,line=1,col=1,endLine=1,endColumn=2,title=r::50%25%0Amore\n");
}

TEST(EscapeJson, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(EscapeJson("a\xff\"\n\xc3\xa9"), "a\xef\xbf\xbd\\\"\\u000a\xc3\xa9");
}

}  // namespace
}  // namespace hlo
