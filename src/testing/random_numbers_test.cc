// rng on both backends: whole numbers and uniform floats bit for bit, normal ones nearly, of all
// kinds of types, with elements in pairs along each dimension or none.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "testing/compare_backends.h"

namespace hlo::testing {
namespace {

constexpr std::string_view kSizes[] = {"",      "1",     "7",    "1000", "3,5",      "2,301",
                                       "301,2", "5,3,7", "0,40", "4,0",  "3,50,101", "70000"};

struct Numbers {
  std::string_view type, a, b;
};

// Twice, since the second time begins behind the first.
std::string Text(std::string_view distribution, const Numbers& numbers, std::string_view sizes) {
  return fmt::format(
      "HloModule m\nENTRY e {{\n  a = {0}[] constant({1})\n  b = {0}[] constant({2})\n"
      "  x = {0}[{3}] rng(a, b), distribution={4}\n  y = {0}[{3}] rng(a, b), distribution={4}\n"
      "  ROOT r = ({0}[{3}], {0}[{3}]) tuple(x, y)\n}}\n",
      numbers.type, numbers.a, numbers.b, sizes, distribution);
}

void ExpectSameNumbers(const std::string& text, uint64_t ulp) {
  SCOPED_TRACE(text);
  const auto found = Compare("random_numbers", text);
  ASSERT_TRUE(found.has_value());
  ASSERT_TRUE(found->simd.result.has_value() && found->reference.result.has_value());
  ExpectNear(*found->simd.result, *found->reference.result, ulp,
             [](const Literal&, int64_t) { return 0.0; });
}

TEST(RandomNumbersTest, UniformNumbersAreTheReferences) {
  // Ranges, and none: of zeros the sign is kept.
  constexpr Numbers kNumbers[] = {
      {"f32", "-2", "3"},        {"f32", "-0", "-1"},       {"f64", "0", "1"},
      {"f64", "-0", "-0"},       {"bf16", "1", "1.5"},      {"f16", "-8", "8"},
      {"f8e4m3fn", "0", "2"},    {"f4e2m1fn", "-3", "3"},   {"f8e8m0fnu", "1", "8"},
      {"s32", "-7", "100"},      {"u64", "3", "200"},       {"s16", "5", "5"},
      {"u8", "1", "255"},        {"s4", "-8", "7"},         {"u2", "0", "2"},
      {"pred", "false", "true"}, {"pred", "false", "false"}};
  for (const Numbers& numbers : kNumbers) {
    for (const std::string_view sizes : kSizes) {
      ExpectSameNumbers(Text("rng_uniform", numbers, sizes), 0);
    }
  }
}

uint64_t NormalUlp() {
  for (const simd::OpcodeTolerance& row : simd::Tolerances()) {
    if (row.opcode == Opcode::kRng) return row.ulp;
  }
  return 0;
}

// Around 0: with another mean the sum may cancel.
TEST(RandomNumbersTest, NormalNumbersAreNearTheReferences) {
  for (const std::string_view type : {"f32", "f64", "bf16", "f16", "f8e5m2", "f8e4m3b11fnuz"}) {
    for (const std::string_view sizes : kSizes) {
      ExpectSameNumbers(Text("rng_normal", {type, "0", "3"}, sizes), NormalUlp());
    }
  }
}

}  // namespace
}  // namespace hlo::testing
