// Reductions of rows whose elements an elementwise chain makes: the simd backend combines them in
// registers. Elements are small integers, so that sums are exact and what the reference backend
// says holds bit for bit; some rows are too large for sums in f32, or have NaN and infinities.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_replace.h"
#include "testing/run_module.h"

namespace hlo::testing {
namespace {

constexpr int64_t kRows = 24;

struct Program {
  std::string_view name;
  // x and y are f32[ROWS,LENGTH], r is f32[ROWS], i a scalar; add and max, and rows, r repeated,
  // are there.
  std::string_view body;
};

constexpr Program kPrograms[] = {
    {"SumOfProducts", R"(  p = f32[ROWS,LENGTH] multiply(x, y)
  ROOT s = f32[ROWS] reduce(p, i), dimensions={1}, to_apply=add)"},
    {"MinimumOfDifferences", R"(  d = f32[ROWS,LENGTH] subtract(x, rows)
  ROOT s = f32[ROWS] reduce(d, i), dimensions={1}, to_apply=min)"},
    {"SquaresAround", R"(  d = f32[ROWS,LENGTH] subtract(x, rows)
  q = f32[ROWS,LENGTH] multiply(d, d)
  s = f32[ROWS] reduce(q, i), dimensions={1}, to_apply=add
  t = f32[ROWS] sqrt(s)
  b = f32[ROWS,LENGTH] broadcast(t), dimensions={0}
  ROOT m = f32[ROWS,LENGTH] multiply(d, b))"},
    {"SumAndMaximum", R"(  p = f32[ROWS,LENGTH] multiply(x, y)
  a = f32[ROWS,LENGTH] abs(x)
  s = f32[ROWS] reduce(p, i), dimensions={1}, to_apply=add
  m = f32[ROWS] reduce(a, i), dimensions={1}, to_apply=max
  ROOT t = (f32[ROWS], f32[ROWS]) tuple(s, m))"},
    {"ResultsBeside", R"(  p = f32[ROWS,LENGTH] multiply(x, y)
  n = f32[ROWS,LENGTH] negate(p)
  q = f32[ROWS,LENGTH] multiply(y, y)
  s = f32[ROWS] reduce(q, i), dimensions={1}, to_apply=add
  ROOT t = (f32[ROWS,LENGTH], f32[ROWS,LENGTH], f32[ROWS]) tuple(p, n, s))"},
    {"Rounded", R"(  n = bf16[ROWS,LENGTH] convert(x)
  o = bf16[ROWS,LENGTH] convert(y)
  p = bf16[ROWS,LENGTH] multiply(n, o)
  w = f32[ROWS,LENGTH] convert(p)
  ROOT s = f32[ROWS] reduce(w, i), dimensions={1}, to_apply=add)"},
};

std::string Text(const Program& program, int64_t length) {
  constexpr std::string_view kText = R"(HloModule folds
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] maximum(a, b) }
min { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] minimum(a, b) }
ENTRY main {
  x = f32[ROWS,LENGTH] parameter(0)
  y = f32[ROWS,LENGTH] parameter(1)
  r = f32[ROWS] parameter(2)
  i = f32[] parameter(3)
  rows = f32[ROWS,LENGTH] broadcast(r), dimensions={0}
BODY
}
)";
  const std::string text =
      absl::StrReplaceAll(std::string(kText), {{"BODY", std::string(program.body)}});
  return absl::StrReplaceAll(
      text, {{"ROWS", fmt::format("{}", kRows)}, {"LENGTH", fmt::format("{}", length)}});
}

// Numbers that a backend must not add as f32: their sum is finite, that of a few of them is not.
float LargeNumber(int64_t i) { return i / 16 % 2 == 0 ? 3e38f : -3e38f; }

Literal Elements(int64_t length, int64_t factor) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  absl::StatusOr<Literal> literal =
      Literal::Zeros(MakeShape(fmt::format("f32[{},{}]", kRows, length)));
  const auto elements = literal->elements<float>();
  for (int64_t row = 0; row < kRows; ++row) {
    const auto values = elements.subspan(static_cast<size_t>(row * length));
    for (int64_t i = 0; i < length; ++i) {
      values[static_cast<size_t>(i)] = static_cast<float>((row + 1) * i * factor % 23 - 11) + 0.5f;
    }
    // The first array's; the last element is one that fills no group of vectors at odd lengths.
    const auto some = static_cast<size_t>(row * 5 % length), last = static_cast<size_t>(length - 1);
    if (factor != 1) continue;
    if (row % 8 == 1) values[some] = std::numeric_limits<float>::quiet_NaN();
    if (row % 8 == 2) values[last] = kInfinity;
    if (row % 8 == 3) values[some] = -kInfinity;
    if (row % 8 == 4) values[last] = -values[some];
    for (int64_t i = 0; row % 8 == 5 && i < length; ++i) {
      values[static_cast<size_t>(i)] = LargeNumber(i);
    }
  }
  return *std::move(literal);
}

// Of the large rows the products are by 1.
Literal Factors(int64_t length) {
  Literal literal = Elements(length, 7);
  for (int64_t row = 5; row < kRows; row += 8) {
    const auto values = literal.elements<float>().subspan(static_cast<size_t>(row * length));
    std::fill_n(values.begin(), length, 1.0f);
  }
  return literal;
}

Literal RowValues() {
  absl::StatusOr<Literal> literal = Literal::Zeros(MakeShape(fmt::format("f32[{}]", kRows)));
  const auto elements = literal->elements<float>();
  for (size_t row = 0; row < elements.size(); ++row) elements[row] = static_cast<float>(row % 5);
  return *std::move(literal);
}

Literal Scalar(float value) {
  absl::StatusOr<Literal> literal = Literal::Zeros(MakeShape("f32[]"));
  literal->elements<float>()[0] = value;
  return *std::move(literal);
}

void ExpectSameNumbers(const Literal& actual, const Literal& expected) {
  const auto found = actual.elements<float>(), wanted = expected.elements<float>();
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (std::isnan(wanted[i]) && std::isnan(found[i])) continue;
    ASSERT_EQ(std::memcmp(&found[i], &wanted[i], sizeof(float)), 0)
        << "element " << i << ": " << found[i] << ", not " << wanted[i];
  }
}

void ExpectSameResults(const Literal& actual, const Literal& expected) {
  if (!expected.shape().IsTuple()) return ExpectSameNumbers(actual, expected);
  for (size_t i = 0; i < expected.tuple_elements().size(); ++i) {
    SCOPED_TRACE(fmt::format("result {}", i));
    ExpectSameNumbers(actual.tuple_elements()[i], expected.tuple_elements()[i]);
  }
}

class RowFolds : public ::testing::TestWithParam<Program> {};

TEST_P(RowFolds, AreTheReferences) {
  if (!IsInstructionSetThere()) GTEST_SKIP();
  for (const int64_t length : {63, 64, 65, 100, 128, 200, 256, 777, 9000}) {
    for (const float init : {0.0f, -3.0f}) {
      SCOPED_TRACE(fmt::format("rows of {}, from {}", length, init));
      absl::StatusOr<Module> module = ParseText("folds", Text(GetParam(), length));
      ASSERT_TRUE(module.ok()) << module.status();
      const std::array<Literal, 4> arguments = {Elements(length, 1), Factors(length), RowValues(),
                                                Scalar(init)};
      DeviceContext device;
      const auto expected = RunModule(*module, arguments, device, "reference");
      const auto actual = RunModule(*module, arguments, device, "simd");
      ASSERT_TRUE(expected.ok() && actual.ok()) << expected.status() << actual.status();
      ExpectSameResults(*actual, *expected);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, RowFolds, ::testing::ValuesIn(kPrograms),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace hlo::testing
