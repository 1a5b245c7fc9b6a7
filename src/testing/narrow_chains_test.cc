// Chains of elementwise instructions on all numbers of 16 bits there are: denormals, zeros of both
// signs, infinities and NaN among them. What the simd backend makes of them in registers is what
// the reference backend says, bit for bit but for the sign and payload of NaN.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "ir/element_traits.h"
#include "testing/run_module.h"

namespace hlo::testing {
namespace {

constexpr int64_t kCount = 1 << 16;

std::string Text(ElementType type) { return fmt::format("{}[{}]", ElementTypeName(type), kCount); }

// All bit patterns, in an order that puts unlike numbers beside each other for other `factor`s.
Literal AllNumbers(ElementType type, uint32_t factor) {
  absl::StatusOr<Literal> literal = Literal::Zeros(MakeShape(Text(type)));
  for (uint32_t i = 0; i < kCount; ++i) {
    const auto bits = static_cast<uint16_t>(i * factor + factor / 3);
    std::memcpy(literal->bytes() + i * sizeof(bits), &bits, sizeof(bits));
  }
  return *std::move(literal);
}

template <typename T>
void ExpectSameNumbers(const Literal& actual, const Literal& expected) {
  const auto found = actual.elements<T>(), wanted = expected.elements<T>();
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto x = static_cast<float>(found[i]), y = static_cast<float>(wanted[i]);
    if (x != x && y != y) continue;
    ASSERT_EQ(std::memcmp(&x, &y, sizeof(x)), 0) << "element " << i << ": " << x << ", not " << y;
  }
}

// Every opcode alone, and behind others.
std::string Program(ElementType narrow) {
  const std::string type = Text(narrow), wide_type = Text(ElementType::kF32);
  constexpr std::array<std::string_view, 6> kBinary = {"add",    "subtract", "multiply",
                                                       "divide", "maximum",  "minimum"};
  constexpr std::array<std::string_view, 7> kUnary = {
      "abs", "negate", "sqrt", "rsqrt", "floor", "ceil", "round-nearest-even"};
  std::string body, shapes, names;
  int number = 0;
  const auto add = [&](std::string_view shape, const std::string& definition) {
    body += fmt::format("  v{} = {} {}\n", number, shape, definition);
    shapes += fmt::format("{}{}", number == 0 ? "" : ", ", shape);
    names += fmt::format("{}v{}", number == 0 ? "" : ", ", number);
    return fmt::format("v{}", number++);
  };
  for (std::string_view opcode : kBinary) {
    const std::string first = add(type, fmt::format("{}(x, y)", opcode));
    const std::string again = add(type, fmt::format("{}({}, {})", opcode, first, "x"));
    const std::string swapped = add(type, fmt::format("{}(y, {})", opcode, again));
    add(type, fmt::format("{0}({1}, {1})", opcode, swapped));
  }
  for (std::string_view opcode : kUnary) add(type, fmt::format("{}(x)", opcode));
  const std::string clamped = add(type, "clamp(x, v0, y)");
  add(type, fmt::format("multiply({}, x)", clamped));
  const std::string wide = add(wide_type, "convert(x)");
  const std::string product = add(wide_type, fmt::format("multiply({}, v)", wide));
  add(type, fmt::format("convert({})", product));
  return fmt::format(
      "HloModule chains\nENTRY main {{\n  x = {0} parameter(0)\n"
      "  y = {0} parameter(1)\n  v = {1} parameter(2)\n{2}"
      "  ROOT r = ({3}) tuple({4})\n}}\n",
      type, wide_type, body, shapes, names);
}

// Every number of bf16 divided by one: by those of all bits that one may have, and by special ones.
std::string Divisions() {
  std::vector<std::string> divisors = {"0",    "-0",   "inf",   "nan",   "1e-40",
                                       "1e-5", "3e38", "1e-20", "-1e20", "9e12"};
  for (int i = 0; i < 128; ++i) divisors.push_back(fmt::format("{}", 1 + i / 128.0));
  const std::string type = Text(ElementType::kBf16);
  std::string body, shapes, names;
  for (size_t i = 0; i < divisors.size(); ++i) {
    body += fmt::format(
        "  one.{0} = bf16[] constant({2})\n  all.{0} = {1} broadcast(one.{0}), dimensions={{}}\n"
        "  v{0} = {1} divide(x, all.{0})\n",
        i, type, divisors[i]);
    shapes += fmt::format("{}{}", i == 0 ? "" : ", ", type);
    names += fmt::format("{}v{}", i == 0 ? "" : ", ", i);
  }
  return fmt::format(
      "HloModule divisions\nENTRY main {{\n  x = {0} parameter(0)\n{1}  ROOT r = ({2}) "
      "tuple({3})\n}}\n",
      type, body, shapes, names);
}

// Floats of 32 bits between those of 16, ties among them.
Literal Factors() {
  absl::StatusOr<Literal> literal = Literal::Zeros(MakeShape(Text(ElementType::kF32)));
  const auto elements = literal->elements<float>();
  for (size_t i = 0; i < elements.size(); ++i) {
    elements[i] = 1 + static_cast<float>(i % 1024) / 512;
  }
  return *std::move(literal);
}

template <typename T>
void ExpectSameResults(const std::string& text, std::span<const Literal> arguments) {
  absl::StatusOr<Module> module = ParseText("chains", text);
  ASSERT_TRUE(module.ok()) << module.status();
  DeviceContext device;
  const auto expected = RunModule(*module, arguments, device, "reference");
  const auto actual = RunModule(*module, arguments, device, "simd");
  ASSERT_TRUE(expected.ok() && actual.ok()) << expected.status() << actual.status();
  for (size_t i = 0; i < expected->tuple_elements().size(); ++i) {
    SCOPED_TRACE(fmt::format("v{}", i));
    const Literal& found = actual->tuple_elements()[i];
    const Literal& wanted = expected->tuple_elements()[i];
    if (wanted.shape().element_type() == kElementTypeOf<T>) {
      ExpectSameNumbers<T>(found, wanted);
    } else {
      ExpectSameNumbers<float>(found, wanted);
    }
  }
}

template <typename T>
void ExpectSameChains() {
  constexpr ElementType kType = kElementTypeOf<T>;
  const std::array<Literal, 3> arguments = {AllNumbers(kType, 1), AllNumbers(kType, 40503),
                                            Factors()};
  ExpectSameResults<T>(Program(kType), arguments);
}

TEST(NarrowChains, BF16) {
  if (!IsInstructionSetThere()) GTEST_SKIP();
  ExpectSameChains<Bf16>();
}
TEST(NarrowChains, QuotientsOfBF16) {
  if (!IsInstructionSetThere()) GTEST_SKIP();
  const std::array<Literal, 1> arguments = {AllNumbers(ElementType::kBf16, 1)};
  ExpectSameResults<Bf16>(Divisions(), arguments);
}
TEST(NarrowChains, F16) {
  if (!IsInstructionSetThere()) GTEST_SKIP();
  ExpectSameChains<F16>();
}

}  // namespace
}  // namespace hlo::testing
