// XLA's test suite as texts: what XLA reads we read, what it refuses we refuse, and what it prints
// we print. Round trips of the same files are in roundtrip_test. What differs on purpose stands in
// docs/differences.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "parser/parser.h"
#include "printer/printer.h"
#include "testing/xla_cases.h"
#include "verifier/verifier.h"

namespace hlo::testing {
namespace {

using nlohmann::json;

const std::filesystem::path kCases = AnswersFolder("xla_tests");

std::shared_ptr<const SourceText> ReadCase(const std::string& file) {
  return std::make_shared<const SourceText>(file, ReadModuleText(kCases / file));
}

std::string FirstError(const DiagnosticSink& sink) {
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    if (diagnostic.severity != Severity::kError) continue;
    return fmt::format("line {}: {} [{}]", diagnostic.source->Locate(diagnostic.range.begin).line,
                       diagnostic.message, diagnostic.rule);
  }
  return "";
}

// Why we refuse the text, as a reader does that also checks what it builds; empty when we do not.
std::string Refusal(const std::shared_ptr<const SourceText>& source, bool also_verify) {
  DiagnosticSink sink(source);
  const std::optional<Module> module = ParseModule(source, sink);
  if (module && also_verify) Verify(*module, {}, sink);
  const std::string error = FirstError(sink);
  EXPECT_TRUE(module.has_value() || !error.empty()) << source->name();
  return error;
}

TEST(XlaText, ReadsWhatXlaReads) {
  const std::vector<json> answers = LoadAnswers(kCases);
  if (answers.empty()) GTEST_SKIP() << "no cases at " << kCases;
  std::set<std::string> compared;
  std::map<std::string, std::string> differing;
  for (const json& answer : answers) {
    if (!answer["file"].is_string()) continue;
    const std::string file = answer["file"];
    // Where nothing is recorded XLA's own tests load the module.
    const bool is_read = answer.value("parses", true);
    const std::string refusal = Refusal(ReadCase(file), /*also_verify=*/!is_read);
    compared.insert(file);
    if (is_read && !refusal.empty()) differing[file] = refusal;
    if (!is_read && refusal.empty()) differing[file] = "accepted here";
  }
  EXPECT_GT(compared.size(), 4000u);
  Differences(Differences::Kind::kParse).Check(compared, differing);
}

// With each run of white space replaced by one blank.
std::string Squeezed(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c != ' ' && c != '\n') {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  while (result.ends_with(' ')) result.pop_back();
  return result;
}

std::string FirstDifference(const std::string& ours, const std::string& xlas) {
  size_t at = 0;
  while (at < ours.size() && at < xlas.size() && ours[at] == xlas[at]) ++at;
  const size_t begin = at < 40 ? 0 : at - 40;
  return fmt::format("`{}` instead of `{}`", ours.substr(begin, 80), xlas.substr(begin, 80));
}

TEST(XlaText, PrintsWhatXlaPrints) {
  const std::vector<json> answers = LoadAnswers(kCases);
  if (answers.empty()) GTEST_SKIP() << "no cases at " << kCases;
  std::set<std::string> compared;
  std::map<std::string, std::string> differing;
  for (const json& answer : answers) {
    if (!answer.contains("prints")) continue;
    const std::string file = answer["file"];
    const auto source = ReadCase(file);
    DiagnosticSink sink(source);
    const std::optional<Module> module = ParseModule(source, sink);
    compared.insert(file);
    if (!module) {
      differing[file] = FirstError(sink);
      continue;
    }
    PrintOptions options;
    options.style = answer["style"] == "long" ? PrintStyle::kLong : PrintStyle::kShort;
    options.like_xla = true;
    const std::string ours = Squeezed(PrintModule(*module, options));
    const std::string xlas = Squeezed(answer["prints"].get<std::string>());
    if (ours != xlas) differing[file] = FirstDifference(ours, xlas);
  }
  EXPECT_GT(compared.size(), 90u);
  Differences(Differences::Kind::kText).Check(compared, differing);
}

}  // namespace
}  // namespace hlo::testing
