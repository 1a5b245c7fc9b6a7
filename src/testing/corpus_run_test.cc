// Every module of the shared corpus that XLA's evaluator could run, on the pattern inputs: our
// result against its result (answers.jsonl, see the corpus' README), one test each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "printer/printer.h"
#include "testing/run_module.h"
#include "testing/xla_cases.h"

namespace hlo::testing {
namespace {

using nlohmann::json;

const std::filesystem::path kCorpus = AnswersFolder("corpus");

constexpr std::string_view kGemma = "models/gemma3_1b_flax_call.hlo";
constexpr std::string_view kStablehlo =
    "lit/hlo/translate/hlo_to_mhlo/tests/import_emit_stablehlo.hlo";

// A module that means something else here than it does to the answer, by a rule of the
// specification: written in the other meaning, it gives the answer.
struct Reworded {
  std::string_view file;
  size_t module;
  std::string_view from, to;
};
constexpr Reworded kReworded[] = {
    // The scatter function gets (current, source) (semantics.md 9.4, 22); the answer has
    // (source, current).
    {kStablehlo, 133, "ROOT %Arg_1.11 = f32[] parameter(1)", "ROOT %Arg_1.11 = f32[] parameter(0)"},
    {kStablehlo, 133, "%Arg_0.10 = f32[] parameter(0)", "%Arg_0.10 = f32[] parameter(1)"},
    // Each row has group sizes of its own (semantics.md 10.2); the answer uses row 0 for all.
    {"lit/hlo/translate/hlo_to_mhlo/tests/ragged_dot.hlo", 1, "%Arg_2.3 = s64[19,3] parameter(2)",
     "%sizes = s64[19,3] parameter(2)\n"
     "  %row = s64[1,3] slice(%sizes), slice={[0:1], [0:3]}\n"
     "  %line = s64[3] reshape(%row)\n"
     "  %Arg_2.3 = s64[19,3] broadcast(%line), dimensions={1}"},
    // A number alone is no array (grammar.md 11); the answer takes it for the first element.
    {"lit/tools/compute_cost_test.hlo", 0, "constant(1)",
     "constant({1, 0, 0, 0, 0, 0, 0, 0, 0, 0})"},
};

// Answers that say less than usual.
enum class Scope { kAll, kSizes, kPrefix };
struct Limited {
  std::string_view file;
  size_t module;
  Scope scope;
};
constexpr Limited kLimited[] = {
    // rng promises no bits (semantics.md 12.5).
    {kStablehlo, 78, Scope::kSizes},
    {kStablehlo, 79, Scope::kSizes},
    // The printed text of 29 million elements was cut off: the summary is that of its beginning.
    {"lit/backends/gpu/tests/vectorization.hlo", 0, Scope::kPrefix},
};

// What takes long, and when it is run.
struct Large {
  std::string_view file;
  bool is_run;
  std::string_view reason;
};
#ifdef NDEBUG
constexpr bool kIsOptimised = true;
#else
constexpr bool kIsOptimised = false;
#endif
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

double NumberOf(const json& item) {
  return item.is_string() ? std::stod(item.get<std::string>()) : item.get<double>();
}

// The numbers of a printed result in order, as the summaries count them: everything from the first
// brace on, also what stands in the shapes of later tuple elements (f32[2] has 32 and 2), but not
// the positions in comments.
std::vector<double> PrintedNumbers(std::string_view text) {
  std::vector<double> numbers;
  const char* at = text.data();
  const char* end = at + text.size();
  if (size_t brace = text.find('{'); brace != std::string_view::npos) at += brace;
  while (at < end) {
    char* number_end = nullptr;
    if (end - at > 1 && at[0] == '/' && at[1] == '*') {
      at = std::min(std::find(at + 2, end, '/') + 1, end);
    } else if (double value = std::strtod(at, &number_end); number_end != at) {
      numbers.push_back(value);
      at = number_end;
    } else {
      ++at;
    }
  }
  return numbers;
}

// How far the narrowest float type of a result may be off.
double ToleranceOf(const Shape& shape) {
  double tolerance = 1e-4;
  for (const Shape& element : shape.elements()) {
    tolerance = std::max(tolerance, ToleranceOf(element));
  }
  if (!IsFloat(shape.element_type())) return tolerance;
  int mantissa_bits = GetElementTypeInfo(shape.element_type()).format.mantissa_bits;
  return std::max(tolerance, std::ldexp(2.0, -mantissa_bits));
}

// Sums cancel, in the order of whoever adds: errors are measured against the values around as well.
bool IsNear(double actual, double expected, double tolerance, double scale) {
  if (std::isnan(expected)) return std::isnan(actual);
  if (std::isinf(expected)) return actual == expected;
  return std::abs(actual - expected) <= tolerance * (std::abs(expected) + scale);
}

double MeanMagnitude(const std::vector<double>& numbers) {
  double sum = 0;
  double count = 0;
  for (double number : numbers) {
    if (!std::isfinite(number)) continue;
    sum += std::abs(number);
    ++count;
  }
  return count == 0 ? 0 : sum / count;
}

void ExpectNear(std::span<const double> actual, std::span<const double> expected, double tolerance,
                double scale, std::string_view what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  int reported = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    if (IsNear(actual[i], expected[i], tolerance, scale)) continue;
    ADD_FAILURE() << what << " " << i << ": " << actual[i] << ", expected " << expected[i];
    if (++reported == 3) return;
  }
}

std::vector<double> NumbersOf(const json& list) {
  std::vector<double> numbers;
  for (const json& item : list) numbers.push_back(NumberOf(item));
  return numbers;
}

void ExpectSummary(const std::vector<double>& actual, const json& summary, double tolerance) {
  ASSERT_EQ(actual.size(), summary["count"].get<size_t>());
  double scale = MeanMagnitude(actual);
  std::span<const double> all(actual);
  std::vector<double> first = NumbersOf(summary["first"]);
  std::vector<double> last = NumbersOf(summary["last"]);
  ExpectNear(all.first(first.size()), first, tolerance, scale, "first");
  ExpectNear(all.last(last.size()), last, tolerance, scale, "last");
  if (!summary.contains("sum")) return;
  double sum = 0, magnitudes = 0;
  size_t finite = 0;
  for (double number : actual) {
    if (!std::isfinite(number)) continue;
    ++finite;
    sum += number;
    magnitudes += std::abs(number);
  }
  EXPECT_EQ(finite, summary["finite"].get<size_t>());
  EXPECT_NEAR(sum, NumberOf(summary["sum"]), tolerance * magnitudes) << "sum";
  EXPECT_NEAR(magnitudes, NumberOf(summary["abs"]), tolerance * magnitudes) << "magnitudes";
}

std::string RewordedText(const Answer& answer) {
  std::string text = ReadModuleText(kCorpus / answer.file, answer.module);
  for (const Reworded& reworded : kReworded) {
    if (answer.file != reworded.file || answer.module != reworded.module) continue;
    const size_t at = text.find(reworded.from);
    EXPECT_NE(at, std::string::npos) << reworded.from;
    if (at != std::string::npos) text.replace(at, reworded.from.size(), reworded.to);
  }
  return text;
}

Scope ScopeOf(const Answer& answer) {
  for (const Limited& limited : kLimited) {
    if (answer.file == limited.file && answer.module == limited.module) return limited.scope;
  }
  return Scope::kAll;
}

class CorpusRunTest : public ::testing::TestWithParam<Answer> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CorpusRunTest);

TEST_P(CorpusRunTest, GivesXlasResult) {
  const Answer& answer = GetParam();
  for (const Large& large : LargeModels()) {
    if (answer.file == large.file && !large.is_run) GTEST_SKIP() << large.reason;
  }
  absl::StatusOr<Module> module = ParseText(answer.file, RewordedText(answer));
  ASSERT_TRUE(module.ok()) << module.status();
  auto arguments = ArgumentGenerator(*module, FakeKind::kPattern, 0).MakeAll();
  ASSERT_TRUE(arguments.ok()) << arguments.status();
  absl::StatusOr<Literal> result = RunModule(*module, *arguments);
  ASSERT_TRUE(result.ok()) << result.status();
  std::vector<double> actual = PrintedNumbers(PrintResultLiteral(*result));
  double tolerance = ToleranceOf(result->shape());
  const Scope scope = ScopeOf(answer);
  if (answer.result.is_array()) {  // of the first array alone, from compiled code
    std::vector<double> expected = NumbersOf(answer.result);
    ASSERT_GE(actual.size(), expected.size());
    ExpectNear(std::span(actual).first(expected.size()), expected, 1e-3, 0, "number");
  } else if (answer.result.contains("literal")) {
    std::vector<double> expected = PrintedNumbers(answer.result["literal"].get<std::string>());
    ASSERT_EQ(actual.size(), expected.size());
    if (scope == Scope::kSizes) return;
    ExpectNear(actual, expected, tolerance, MeanMagnitude(expected), "number");
  } else {
    if (scope == Scope::kPrefix) actual.resize(answer.result["count"].get<size_t>());
    ExpectSummary(actual, answer.result, tolerance);
  }
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
