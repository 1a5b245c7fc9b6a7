// Results are compared as the numbers of their printed text, which is what the answers summarise.
#include "testing/xla_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "printer/printer.h"
#include "values/compare.h"
#include "values/value_text.h"

namespace hlo::testing {
namespace {

using nlohmann::json;

// Longer texts than this were cut off before their numbers were summarised.
constexpr size_t kLongestPrint = 10'000'000;

double NumberOf(const json& item) {
  return item.is_string() ? std::stod(item.get<std::string>()) : item.get<double>();
}

std::vector<double> NumbersOf(const json& list) {
  std::vector<double> numbers;
  for (const json& item : list) numbers.push_back(NumberOf(item));
  return numbers;
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

std::vector<double> PrintedNumbers(const Literal& literal) {
  return PrintedNumbers(PrintResultLiteral(literal));
}

// How far the narrowest float type of a result may be off.
double ToleranceOf(const Shape& shape) {
  double tolerance = 1e-4;
  for (const Shape& element : shape.elements()) {
    tolerance = std::max(tolerance, ToleranceOf(element));
  }
  if (!IsFloat(shape.element_type())) return tolerance;
  const int mantissa_bits = GetElementTypeInfo(shape.element_type()).format.mantissa_bits;
  return std::max(tolerance, std::ldexp(2.0, -mantissa_bits));
}

// Below the smallest normal number there is no relative precision.
bool IsNear(double actual, double expected, double tolerance, double scale) {
  constexpr double kSmallestNormal = 0x1p-126;
  if (std::isnan(expected)) return std::isnan(actual);
  if (std::isinf(expected)) return actual == expected;
  return std::abs(actual - expected) <= tolerance * (std::abs(expected) + scale) + kSmallestNormal;
}

struct Totals {
  size_t finite = 0;
  double sum = 0;
  double magnitudes = 0;

  double MeanMagnitude() const {
    return finite == 0 ? 0 : magnitudes / static_cast<double>(finite);
  }
};

Totals TotalsOf(std::span<const double> numbers) {
  Totals totals;
  for (double number : numbers) {
    if (!std::isfinite(number)) continue;
    ++totals.finite;
    totals.sum += number;
    totals.magnitudes += std::abs(number);
  }
  return totals;
}

std::string DifferentCount(size_t actual, size_t expected) {
  return actual == expected ? "" : fmt::format("{} numbers, expected {}", actual, expected);
}

// The first number that differs.
std::string DifferentNumber(std::span<const double> actual, std::span<const double> expected,
                            double tolerance, double scale) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (IsNear(actual[i], expected[i], tolerance, scale)) continue;
    return fmt::format("number {} of {} is {}, expected {}", i, expected.size(), actual[i],
                       expected[i]);
  }
  return "";
}

std::string DifferenceFromSummary(std::vector<double> actual, const json& summary,
                                  double tolerance) {
  const auto count = summary["count"].get<size_t>();
  const bool is_cut = actual.size() > count && count > kLongestPrint;
  if (is_cut) actual.resize(count);
  std::string difference = DifferentCount(actual.size(), count);
  if (!difference.empty()) return difference;
  const Totals totals = TotalsOf(actual);
  const std::span<const double> all(actual);
  const std::vector<double> first = NumbersOf(summary["first"]);
  std::vector<double> last = NumbersOf(summary["last"]);
  if (is_cut) last.back() = actual.back();  // perhaps without its last digits
  difference = DifferentNumber(all.first(first.size()), first, tolerance, totals.MeanMagnitude());
  if (difference.empty()) {
    difference = DifferentNumber(all.last(last.size()), last, tolerance, totals.MeanMagnitude());
  }
  if (!difference.empty() || !summary.contains("sum")) return difference;
  if (totals.finite != summary["finite"].get<size_t>()) {
    return fmt::format("{} finite numbers, expected {}", totals.finite,
                       summary["finite"].get<size_t>());
  }
  const double bound = tolerance * totals.magnitudes;
  if (std::abs(totals.sum - NumberOf(summary["sum"])) > bound ||
      std::abs(totals.magnitudes - NumberOf(summary["abs"])) > bound) {
    return fmt::format("sum {} and magnitudes {}, expected {} and {}", totals.sum,
                       totals.magnitudes, NumberOf(summary["sum"]), NumberOf(summary["abs"]));
  }
  return "";
}

}  // namespace

std::string DifferenceFromResult(const Literal& result, const json& recorded) {
  std::vector<double> actual = PrintedNumbers(result);
  if (recorded.is_array()) {  // of the first array alone, from compiled code
    constexpr double kCompiledTolerance = 1e-3;
    const std::vector<double> expected = NumbersOf(recorded);
    if (actual.size() < expected.size()) return DifferentCount(actual.size(), expected.size());
    return DifferentNumber(actual, expected, kCompiledTolerance, 0);
  }
  const double tolerance = ToleranceOf(result.shape());
  if (!recorded.contains("literal")) {
    return DifferenceFromSummary(std::move(actual), recorded, tolerance);
  }
  const std::vector<double> expected = PrintedNumbers(recorded["literal"].get<std::string>());
  if (actual.size() != expected.size()) return DifferentCount(actual.size(), expected.size());
  return DifferentNumber(actual, expected, tolerance, TotalsOf(expected).MeanMagnitude());
}

std::string DifferenceInSize(const Literal& result, const json& recorded) {
  const size_t count = recorded.contains("count")
                           ? recorded["count"].get<size_t>()
                           : PrintedNumbers(recorded["literal"].get<std::string>()).size();
  return DifferentCount(PrintedNumbers(result).size(), count);
}

std::string DifferenceFromExpected(const Literal& result, const json& expected) {
  if (result.shape().IsToken() && expected["literal"] == "token[]") return "";
  const absl::StatusOr<Literal> literal = ParseTypedValue(expected["literal"].get<std::string>());
  if (!literal.ok()) return std::string(literal.status().message());
  const ToleranceOverrides tolerance = {.absolute = expected.value("abs", 0.0),
                                        .relative = expected.value("rel", 0.0)};
  for (const ArrayComparison& comparison : CompareLiterals(result, *literal, tolerance)) {
    if (!comparison.matches()) return ComparisonText(comparison);
  }
  return "";
}

bool HasRandomNumbers(const Module& module) {
  return std::ranges::any_of(module.instructions(), [](const Instruction& instruction) {
    return instruction.opcode == Opcode::kRng;
  });
}

}  // namespace hlo::testing
