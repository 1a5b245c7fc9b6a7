// Whether a module is valid: our verdict beside XLA's, on a corpus of dumps and on the cases of
// XLA's own tests, each with the settings that its test gives the verifier. What differs on purpose
// is listed in docs/differences.md.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "parser/parser.h"
#include "testing/xla_cases.h"
#include "verifier/verifier.h"
#include "verifier/verify_config.h"

namespace hlo::testing {
namespace {

using nlohmann::json;

// What XLA says; nothing where the answers are silent. What a test of the parser or the verifier
// expects, with its settings, stands before what holds without them.
std::optional<bool> IsAccepted(const json& answer) {
  const std::string file = answer["file"].is_string() ? answer["file"] : "";
  const std::string expect = answer.value("expect", "");
  if (file.starts_with("verifier/")) return expect == "ok";
  if (file.starts_with("parser/") && expect == "error") return false;
  if (answer.contains("verifies")) return answer["verifies"] == true;
  if (!answer.value("parses", true)) return false;
  return std::nullopt;
}

void SetOption(const json& option, VerifyOptions& options) {
  static const std::map<std::string, StrictOption> kStrict = {
      {"VerifyBroadcastDimensionsOrder", StrictOption::kBroadcastDimsSorted},
      {"VerifyCallNestedComputationThreadName", StrictOption::kNestedCallThreads},
      {"VerifyInstructionNameUnchanged", StrictOption::kNamesUnchanged},
      {"VerifyNoHostMemorySpace", StrictOption::kNoHostMemory},
      {"VerifyReshapeIsBitcast", StrictOption::kReshapeIsBitcast},
  };
  const auto strict = kStrict.find(option[0].get<std::string>());
  if (strict != kStrict.end()) {
    options.modes.Set(strict->second);
  } else if (option == json({"WithCheckReplicaGroups", "false"})) {
    options.check_replica_groups = false;
  } else {
    ADD_FAILURE() << "unknown option " << option;
  }
}

VerifyOptions SettingsOf(const json& answer) {
  VerifyOptions options;
  EXPECT_TRUE(SetTarget("xla", &options).ok());
  options.warnings = {"none"};
  options.modes.strict_precision = !answer.value("mixed_precision", false);
  options.modes.layout_sensitive = answer.value("layout_sensitive", false);
  const json given = answer.value("options", json::object());
  for (const json& option : given.value("opts", json::array())) SetOption(option, options);
  if (given.value("no_collective_deadlocks", false)) {
    options.modes.Set(StrictOption::kCollectiveDeadlock);
  }
  // In other cases `config` says how a module runs, not how it is verified.
  if (!answer["file"].get<std::string>().starts_with("verifier/")) return options;
  const json config = answer.value("config", json::object());
  options.devices.replicas = config.value("replica_count", 1);
  options.devices.partitions = config.value("num_partitions", 1);
  return options;
}

// What there is to say against a module.
struct Verdict {
  bool is_read = false;  // whether the parser took it
  std::optional<std::string> error;
};

Verdict VerdictOn(const std::string& name, std::string text, const VerifyOptions& options) {
  const auto source = std::make_shared<const SourceText>(name, std::move(text));
  DiagnosticSink sink(source);
  const RecoveredModule recovered = RecoverModule(source, sink);
  const TextFindings found = VerifyText(recovered, options, {sink.TakeDiagnostics(), {}});
  for (const Diagnostic& finding : found.findings) {
    if (finding.severity != Severity::kError) continue;
    return {recovered.is_complete, finding.message + " [" + finding.rule + "]"};
  }
  return {recovered.is_complete, std::nullopt};
}

class VerdictTest : public ::testing::TestWithParam<const char*> {};

TEST_P(VerdictTest, AgreesWithXla) {
  const std::filesystem::path folder = AnswersFolder(GetParam());
  std::set<std::string> compared;
  std::map<std::string, std::string> differing;
  for (const json& answer : LoadAnswers(folder)) {
    const std::optional<bool> is_accepted = IsAccepted(answer);
    if (!is_accepted || !answer["file"].is_string()) continue;
    const std::string file = answer["file"];
    const size_t number = answer.value("module", 0);
    const std::string name = number == 0 ? file : file + "#" + std::to_string(number);
    const Verdict verdict =
        VerdictOn(name, ReadModuleText(folder / file, number), SettingsOf(answer));
    // A text that we should read and do not is a difference of another kind: it has no verdict.
    if (*is_accepted && !verdict.is_read) continue;
    compared.insert(name);
    if (*is_accepted == verdict.error.has_value()) {
      differing[name] = *is_accepted ? "XLA accepts it: " + *verdict.error : "XLA refuses it";
    }
  }
  if (compared.empty()) GTEST_SKIP() << "no answers in " << folder;
  Differences(Differences::Kind::kVerdict).Check(compared, differing);
  std::printf("%s: %zu verdicts, %zu differ\n", GetParam(), compared.size(), differing.size());
}

INSTANTIATE_TEST_SUITE_P(Xla, VerdictTest, ::testing::Values("corpus", "xla_tests"));

// Modules with a schedule have their layouts assigned: what XLA accepts is accepted when layouts
// take part too.
TEST(Verdict, SchedulesAreLayoutSensitive) {
  const std::filesystem::path folder = AnswersFolder("corpus");
  int64_t count = 0;
  for (const json& answer : LoadAnswers(folder)) {
    if (IsAccepted(answer) != true) continue;
    std::string text = ReadModuleText(folder / answer["file"], answer.value("module", 0));
    if (text.find("is_scheduled=true") == std::string::npos) continue;
    VerifyOptions options;
    options.modes.layout_sensitive = true;
    const std::string name = answer["file"];
    const Verdict verdict = VerdictOn(name, std::move(text), options);
    EXPECT_FALSE(verdict.error) << name << ": " << *verdict.error;
    ++count;
  }
  if (count == 0) GTEST_SKIP() << "no answers in " << folder;
}

}  // namespace
}  // namespace hlo::testing
