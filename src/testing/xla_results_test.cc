// Every case of XLA's test suite of which a result is known: the result of XLA's evaluator on the
// pattern inputs, or the one that XLA's own test expects of its inputs. What differs stands in
// docs/differences.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/status_macros.h"
#include "testing/run_module.h"
#include "testing/run_participants.h"
#include "testing/xla_cases.h"
#include "testing/xla_results.h"
#include "values/value_shape.h"
#include "values/value_text.h"
#include "verifier/verifier.h"

namespace hlo::testing {
namespace {

using nlohmann::json;

const std::filesystem::path kCases = AnswersFolder("xla_tests");

// Seconds in optimised builds, minutes in others: sums of 10^9 products, or 10^7 elements.
constexpr std::string_view kLarge[] = {
    "exec/constraint_propagator_test.MultiplySquareReverseConstraintShapes.hlo",
    "exec/convolution_cudnn_test.TestCudnnConvInt8x32.hlo",
    "exec/convolution_cudnn_test.TestCudnnConvInt8x32Bias.hlo",
    "exec/convolution_test.ConvolveC64Forward.hlo",
};

// --- Targets that the programs of XLA's tests bring along ---------------------------------------

void CopyArray(const ArrayRef& from, const MutableArrayRef& to) {
  std::memcpy(to.bytes, from.bytes, static_cast<size_t>(from.byte_size()));
}

// (a, b) -> (b, a)
absl::Status Swap(Evaluation& e) {
  CopyArray(e.operand(1), e.result(0));
  CopyArray(e.operand(0), e.result(1));
  return absl::OkStatus();
}

// ((a, b), (c, d)) -> b, c, d, a
absl::Status Rotate(Evaluation& e) {
  const size_t count = e.operands().size();
  for (size_t i = 0; i < count; ++i) CopyArray(e.operand((i + 1) % count), e.result(i));
  return absl::OkStatus();
}

// Three columns become a matrix.
absl::Status Concatenate(Evaluation& e) {
  for (int64_t row = 0; row < e.result().dims[0]; ++row) {
    for (size_t column = 0; column < e.operands().size(); ++column) {
      View<float>(e.result())[Index{row, static_cast<int64_t>(column)}] =
          View<float>(e.operand(column))[Index{row, 0}];
    }
  }
  return absl::OkStatus();
}

void RegisterTargets(CustomCallRegistry& registry) {
  registry.Register("__xla_test$$SwapTupleU32S16ToS16U32", Swap);
  registry.Register("__xla_test$$SwapTupleAnyBuffersToS16U32", Swap);
  registry.Register("__xla_test$$FfiTupleRotate", Rotate);
  registry.Register("__xla_test$$Concat3Vectors", Concatenate);
}

// --- Cases --------------------------------------------------------------------------------------

// The inputs that the case gives, typed literals in the order of the parameters; otherwise the
// pattern.
absl::StatusOr<std::vector<Literal>> MakeArguments(const Module& module, const json& inputs) {
  if (inputs.empty()) return ArgumentGenerator(module, FakeKind::kPattern, 0).MakeAll();
  std::vector<Literal> arguments;
  for (InstructionId parameter : module.entry().parameters) {
    if (arguments.size() == inputs.size()) break;
    HLO_ASSIGN_OR_RETURN(Literal literal,
                         ParseTypedValue(inputs[arguments.size()].get<std::string>()));
    HLO_ASSIGN_OR_RETURN(literal,
                         FitToShape(std::move(literal), *module.instruction(parameter).shape));
    arguments.push_back(std::move(literal));
  }
  return arguments;
}

absl::StatusOr<Literal> RunCase(const Module& module, const json& inputs) {
  HLO_ASSIGN_OR_RETURN(const std::vector<Literal> arguments, MakeArguments(module, inputs));
  DeviceContext device;
  RegisterTargets(device.custom_calls());
  return RunModule(module, arguments, device);
}

// How the case differs from the recorded result, if there is one.
std::string PatternDifference(const Module& module, const json& answer) {
  if (!answer.contains("result")) return "";
  const absl::StatusOr<Literal> result = RunCase(module, json::array());
  if (!result.ok()) return std::string(result.status().message());
  return HasRandomNumbers(module) ? DifferenceInSize(*result, answer["result"])
                                  : DifferenceFromResult(*result, answer["result"]);
}

// How the case differs from what XLA's test expects, if that is known.
std::string ExpectedDifference(const Module& module, const json& answer) {
  if (!answer.contains("expected")) return "";
  const absl::StatusOr<Literal> result = RunCase(module, answer.value("inputs", json::array()));
  if (!result.ok()) return std::string(result.status().message());
  if (answer["expected"].size() != 1) return "several results are expected";
  return DifferenceFromExpected(*result, answer["expected"][0]);
}

bool IsValid(const Module& module) {
  DiagnosticSink sink(module.source());
  Verify(module, {}, sink);
  return sink.error_count() == 0;
}

bool IsLeftOut(const std::string& file) {
  return !kIsOptimised && std::ranges::find(kLarge, file) != std::end(kLarge);
}

// Maps of indices have expectations of another kind.
bool HasResult(const json& answer) {
  return answer["file"].is_string() &&
         !answer["file"].get<std::string>().starts_with("indexing/") &&
         (answer.contains("result") || answer.contains("expected"));
}

TEST(XlaResultsTest, Agree) {
  constexpr double kLeastShare = 0.997;
  std::set<std::string> compared;
  std::map<std::string, std::string> differing;
  size_t refused = 0;
  for (const json& answer : LoadAnswers(kCases)) {
    if (!HasResult(answer) || IsLeftOut(answer["file"])) continue;
    const std::string file = answer["file"];
    compared.insert(file);
    const absl::StatusOr<Module> module = ParseText(file, ReadModuleText(kCases / file));
    if (!module.ok() || !IsValid(*module)) {  // a difference of kind parse or verdict
      ++refused;
      continue;
    }
    std::string difference = PatternDifference(*module, answer);
    if (difference.empty()) difference = ExpectedDifference(*module, answer);
    if (!difference.empty()) differing[file] = difference;
  }
  if (compared.empty()) GTEST_SKIP() << "no cases at " << kCases;
  Differences(Differences::Kind::kResult).Check(compared, differing);
  const size_t agreeing = compared.size() - differing.size() - refused;
  RecordProperty("summary",
                 fmt::format("{} of {} agree, {} are refused", agreeing, compared.size(), refused));
  EXPECT_GE(static_cast<double>(agreeing), kLeastShare * static_cast<double>(compared.size()))
      << agreeing << " of " << compared.size() << " agree, " << refused << " are refused";
}

// How many participants the case is for.
DeviceCounts CountsOf(const json& answer) {
  const json config = answer.value("config", json::object());
  return {config.value("replica_count", int64_t{1}), config.value("num_partitions", int64_t{1})};
}

// What the case's participants compute is recorded nowhere: they have to come to an end.
TEST(XlaResultsTest, SeveralParticipantsRun) {
  int64_t count = 0;
  for (const json& answer : LoadAnswers(kCases)) {
    const DeviceCounts counts = CountsOf(answer);
    const std::string file = answer["file"].is_string() ? answer["file"] : "";
    if (counts.replicas * counts.partitions == 1 || !file.starts_with("exec/")) continue;
    const absl::StatusOr<Module> module = ParseText(file, ReadModuleText(kCases / file));
    if (!module.ok() || !IsValid(*module)) {
      EXPECT_FALSE(answer.value("parses", false) && answer.value("verifies", false)) << file;
      continue;
    }
    ++count;
    const auto arguments = MakeArguments(*module, answer.value("inputs", json::array()));
    ASSERT_TRUE(arguments.ok()) << file << ": " << arguments.status();
    const std::vector<std::vector<Literal>> everybodys = {*arguments};
    const auto results = RunOnParticipants(*module, counts, everybodys);
    EXPECT_TRUE(results.ok()) << file << ": " << results.status();
  }
  if (count == 0) GTEST_SKIP() << "no cases at " << kCases;
}

}  // namespace
}  // namespace hlo::testing
