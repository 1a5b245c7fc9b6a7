// Every module of the shared corpus that XLA's evaluator could run, on the pattern inputs: our
// result against its result (answers.jsonl, see the corpus' README), one test each. What differs
// stands in docs/differences.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "testing/run_module.h"
#include "testing/xla_cases.h"
#include "testing/xla_results.h"

namespace hlo::testing {
namespace {

using nlohmann::json;

const std::filesystem::path kCorpus = AnswersFolder("corpus");

constexpr std::string_view kGemma = "models/gemma3_1b_flax_call.hlo";

// What takes long, and when it is run.
struct Large {
  std::string_view file;
  bool is_run;
  std::string_view reason;
};
std::vector<Large> LargeModels() {
  const bool runs_gemma = kIsOptimised && std::getenv("HLOKIT_LARGE_TESTS") != nullptr;
  return {
      {kGemma, runs_gemma, "2 GB of weights: with HLOKIT_LARGE_TESTS=1 in optimised builds"},
      {"models/in_place_dynamic_update_slice_fusion.hlo", kIsOptimised,
       "50 million steps: in optimised builds"},
      {"models/resnet50_keras_jax_f32.hlo", kIsOptimised, "8 Gflop: in optimised builds"},
      {"models/resnet50_generated_weights.hlo", kIsOptimised, "8 Gflop: in optimised builds"},
      {"models/xnn.sequential_dots.optimized.hlo", kIsOptimised, "long dots: in optimised builds"},
  };
}

struct Answer {
  std::string file;
  size_t module = 0;
  json result;
};

std::vector<Answer> AnswersWithResult() {
  std::vector<Answer> answers;
  for (const json& document : LoadAnswers(kCorpus)) {
    for (const char* key : {"result", "compiled_result", "first_array"}) {
      auto result = document.find(key);
      if (result == document.end() || result->is_null()) continue;
      answers.push_back({document["file"], document["module"], *result});
      break;
    }
  }
  return answers;
}

// As docs/differences.md names it.
std::string NameOf(const Answer& answer) {
  const bool is_split = answer.module > 0 || ReadModuleText(kCorpus / answer.file, 1) !=
                                                 ReadModuleText(kCorpus / answer.file, 0);
  return is_split ? fmt::format("{}#{}", answer.file, answer.module) : answer.file;
}

class CorpusRunTest : public ::testing::TestWithParam<Answer> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CorpusRunTest);

TEST_P(CorpusRunTest, GivesXlasResult) {
  const Answer& answer = GetParam();
  for (const Large& large : LargeModels()) {
    if (answer.file == large.file && !large.is_run) GTEST_SKIP() << large.reason;
  }
  absl::StatusOr<Module> module =
      ParseText(answer.file, ReadModuleText(kCorpus / answer.file, answer.module));
  ASSERT_TRUE(module.ok()) << module.status();
  auto arguments = ArgumentGenerator(*module, FakeKind::kPattern, 0).MakeAll();
  ASSERT_TRUE(arguments.ok()) << arguments.status();
  absl::StatusOr<Literal> result = RunModule(*module, *arguments);
  ASSERT_TRUE(result.ok()) << result.status();
  const std::string difference = HasRandomNumbers(*module)
                                     ? DifferenceInSize(*result, answer.result)
                                     : DifferenceFromResult(*result, answer.result);
  std::map<std::string, std::string> differing;
  if (!difference.empty()) differing[NameOf(answer)] = difference;
  Differences(Differences::Kind::kResult).Check({NameOf(answer)}, differing);
}

std::string TestName(const ::testing::TestParamInfo<Answer>& info) {
  std::string name;
  for (char c : info.param.file) {
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  }
  return name + "_" + std::to_string(info.param.module) + "_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(Corpus, CorpusRunTest, ::testing::ValuesIn(AnswersWithResult()), TestName);

TEST(Corpus, IsThere) {
  if (!std::filesystem::exists(kCorpus / "answers.jsonl")) {
    GTEST_SKIP() << "no corpus at " << kCorpus;
  }
}

}  // namespace
}  // namespace hlo::testing
