// Every module of the shared corpus that XLA's evaluator could run, on the pattern inputs: our
// result against its result (answers.jsonl, see the corpus' README), one test each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "printer/printer.h"
#include "testing/run_module.h"

namespace hlo::testing {
namespace {

using nlohmann::json;

const std::filesystem::path kCorpus =
    std::filesystem::path(HLOKIT_SOURCE_DIR) / ".." / "shared" / "corpus";

// What is not run, and why.
struct Skipped {
  std::string_view file;
  size_t module;
  std::string_view reason;
};
constexpr std::string_view kStablehlo =
    "lit/hlo/translate/hlo_to_mhlo/tests/import_emit_stablehlo.hlo";
constexpr Skipped kSkipped[] = {
    {"models/gemma3_1b_flax_call.hlo", 0, "2 GB of weights: minutes on the reference backend"},
    {"lit/backends/gpu/tests/vectorization.hlo", 0, "the answer's printed text was cut off"},
    {kStablehlo, 78, "rng promises no bits (semantics.md 12.5)"},
    {kStablehlo, 79, "rng promises no bits (semantics.md 12.5)"},
    {kStablehlo, 133,
     "the scatter function tells its arguments apart, and the answer passes them the other way "
     "round than documented (semantics.md 9.4)"},
    {"lit/hlo/translate/hlo_to_mhlo/tests/ragged_dot.hlo", 1,
     "the answer takes row 0 of the group sizes for all rows; semantics.md 10.2 wants each its "
     "own"},
    {"lit/tools/compute_cost_test.hlo", 0, "a bare number for an array is an error here"},
    {kStablehlo, 133,
     "scatter(current, source) as documented; the answer has them the other way (semantics.md "
     "9.4)"},
#ifndef NDEBUG
    {"models/in_place_dynamic_update_slice_fusion.hlo", 0, "50 million steps: optimised builds"},
    {"models/resnet50_keras_jax_f32.hlo", 0, "8 Gflop: optimised builds"},
    {"models/resnet50_generated_weights.hlo", 0, "8 Gflop: optimised builds"},
    {"models/xnn.sequential_dots.optimized.hlo", 0, "long dots: optimised builds"},
#endif
};

struct Answer {
  std::string file;
  size_t module = 0;
  json result;
};

// Python writes NaN and Infinity, which JSON has not.
std::string WithQuotedSpecials(std::string line) {
  for (auto [from, to] : {std::pair<std::string_view, std::string_view>{"-Infinity", "\"-inf\""},
                          {" Infinity", " \"inf\""},
                          {"[Infinity", "[\"inf\""},
                          {"NaN", "\"nan\""}}) {
    for (size_t at = 0; (at = line.find(from, at)) != std::string::npos; at += to.size()) {
      line.replace(at, from.size(), to);
    }
  }
  return line;
}

std::vector<Answer> LoadAnswers() {
  std::vector<Answer> answers;
  std::ifstream file(kCorpus / "answers.jsonl");
  for (std::string line; std::getline(file, line);) {
    json document = json::parse(WithQuotedSpecials(std::move(line)));
    for (const char* key : {"result", "compiled_result", "first_array"}) {
      auto result = document.find(key);
      if (result == document.end() || result->is_null()) continue;
      answers.push_back({document["file"], document["module"], *result});
      break;
    }
  }
  return answers;
}

// Module `number` of a file whose modules are separated by lines `// -----`.
std::string ReadModule(const std::string& name, size_t number) {
  std::ifstream file(kCorpus / name);
  std::string text;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("// -----")) {
      if (number-- == 0) break;
      text.clear();
    } else {
      text += line + "\n";
    }
  }
  return text;
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

class CorpusRunTest : public ::testing::TestWithParam<Answer> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CorpusRunTest);

TEST_P(CorpusRunTest, GivesXlasResult) {
  const Answer& answer = GetParam();
  for (const Skipped& skipped : kSkipped) {
    if (answer.file == skipped.file && answer.module == skipped.module) {
      GTEST_SKIP() << skipped.reason;
    }
  }
  absl::StatusOr<Module> module = ParseText(answer.file, ReadModule(answer.file, answer.module));
  ASSERT_TRUE(module.ok()) << module.status();
  auto arguments = ArgumentGenerator(*module, FakeKind::kPattern, 0).MakeAll();
  ASSERT_TRUE(arguments.ok()) << arguments.status();
  absl::StatusOr<Literal> result = RunModule(*module, *arguments);
  ASSERT_TRUE(result.ok()) << result.status();
  std::vector<double> actual = PrintedNumbers(PrintResultLiteral(*result));
  double tolerance = ToleranceOf(result->shape());
  if (answer.result.is_array()) {  // of the first array alone, from compiled code
    std::vector<double> expected = NumbersOf(answer.result);
    ASSERT_GE(actual.size(), expected.size());
    ExpectNear(std::span(actual).first(expected.size()), expected, 1e-3, 0, "number");
  } else if (answer.result.contains("literal")) {
    std::vector<double> expected = PrintedNumbers(answer.result["literal"].get<std::string>());
    ExpectNear(actual, expected, tolerance, MeanMagnitude(expected), "number");
  } else {
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

INSTANTIATE_TEST_SUITE_P(Corpus, CorpusRunTest, ::testing::ValuesIn(LoadAnswers()), TestName);

TEST(Corpus, IsThere) {
  if (!std::filesystem::exists(kCorpus / "answers.jsonl")) {
    GTEST_SKIP() << "no corpus at " << kCorpus;
  }
}

}  // namespace
}  // namespace hlo::testing
