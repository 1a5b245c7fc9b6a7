// Functions of one array of 16 bits that are looked up in a table: the bits that the same program
// gives for all patterns, of which there are too few for a table.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_replace.h"
#include "interp/backends.h"
#include "ir/element_traits.h"
#include "testing/run_module.h"

namespace hlo::testing {
namespace {

constexpr int64_t kPatterns = 1 << 16;

struct Function {
  std::string_view name;
  // TYPE and N stand for the operand's, x is the operand, s[] a scalar argument; `one` and `ones`
  // and the scalar as an array, `scales`, are there.
  std::string_view body;
  std::string_view result = "TYPE";
};

constexpr Function kFunctions[] = {
    {"Gelu", R"(  a = TYPE[N] multiply(x, scales)
  b = TYPE[N] erf(a)
  c = TYPE[N] add(b, ones)
  ROOT r = TYPE[N] multiply(x, c))"},
    {"Elu", R"(  p = pred[N] compare(x, ones), direction=GT
  t = TYPE[N] tanh(x)
  a = TYPE[N] exponential-minus-one(t)
  ROOT r = TYPE[N] select(p, x, a))"},
    {"Wide", R"(  w = f32[N] convert(x)
  a = f32[N] tanh(w)
  b = f32[N] log(w)
  c = f32[N] atan2(a, b)
  ROOT r = TYPE[N] convert(c))"},
    {"ToIntegers", R"(  a = TYPE[N] logistic(x)
  b = TYPE[N] sine(a)
  ROOT r = s16[N] convert(b))",
     "s16"},
    {"Powers", R"(  a = TYPE[N] power(x, scales)
  b = TYPE[N] cosine(a)
  ROOT r = TYPE[N] clamp(scales, b, ones))"},
};

// Others are blocks as ever: with a second array, a counter, more results, or of wide elements.
constexpr std::string_view kOthers[] = {
    R"(  y = TYPE[N] parameter(2)
  a = TYPE[N] erf(x)
  b = TYPE[N] tanh(a)
  ROOT r = TYPE[N] add(b, y))",
    R"(  i = TYPE[N] iota(), iota_dimension=0
  a = TYPE[N] tanh(x)
  b = TYPE[N] erf(a)
  ROOT r = TYPE[N] multiply(b, i))",
    R"(  a = TYPE[N] tanh(x)
  b = TYPE[N] erf(a)
  ROOT r = (TYPE[N], TYPE[N]) tuple(a, b))",
    R"(  a = TYPE[N] tanh(x)
  b = TYPE[N] erf(a)
  ROOT r = f32[N] convert(b))",
    R"(  ROOT r = TYPE[N] add(x, ones))",
};

std::string Program(std::string_view body, ElementType type, int64_t count) {
  return absl::StrReplaceAll(
      fmt::format(
          "HloModule m\nENTRY main {{\n  x = TYPE[N] parameter(0)\n  s = TYPE[] parameter(1)\n"
          "  scales = TYPE[N] broadcast(s), dimensions={{}}\n  one = TYPE[] constant(1)\n"
          "  ones = TYPE[N] broadcast(one), dimensions={{}}\n{}\n}}\n",
          body),
      {{"TYPE", std::string(ElementTypeName(type))}, {"[N]", fmt::format("[{}]", count)}});
}

// Element i is of pattern i * step, which goes through all of them if `step` is odd.
Literal Numbers(ElementType type, int64_t count, uint32_t step) {
  Literal literal = *Literal::Zeros(MakeShape(fmt::format("{}[{}]", ElementTypeName(type), count)));
  for (int64_t i = 0; i < count; ++i) {
    const auto bits = static_cast<uint16_t>(static_cast<uint32_t>(i) * step);
    std::memcpy(literal.bytes() + i * 2, &bits, sizeof(bits));
  }
  return literal;
}

uint16_t BitsOf(const Literal& literal, int64_t i) {
  uint16_t bits = 0;
  std::memcpy(&bits, literal.bytes() + i * 2, sizeof(bits));
  return bits;
}

std::vector<Literal> Arguments(ElementType type, int64_t count, uint32_t step) {
  std::vector<Literal> arguments;
  arguments.push_back(Numbers(type, count, step));
  Literal scale = *Literal::Zeros(Shape::Scalar(type));
  const uint16_t bits = type == ElementType::kBf16 ? 0x3f35 : 0x39a8;  // about 0.7
  std::memcpy(scale.bytes(), &bits, sizeof(bits));
  arguments.push_back(std::move(scale));
  return arguments;
}

// How many steps of the plan are done by a table.
int64_t CountTables(const Module& module) {
  DiagnosticSink sink(module.source());
  const auto plan = PlanModule(module, sink, {.backend = FindBackend("simd")});
  if (!plan) return -1;
  return std::ranges::count_if(plan->entry->steps, [](const Step& step) {
    return step.program != nullptr && step.program->Text() == ", by a table";
  });
}

void ExpectSameByTable(const Function& function, ElementType type) {
  SCOPED_TRACE(fmt::format("{} of {}", function.name, ElementTypeName(type)));
  constexpr int64_t kCount = 64 * kPatterns + 5;
  constexpr uint32_t kStep = 40503;
  const absl::StatusOr<Module> few = ParseText("few", Program(function.body, type, kPatterns));
  const absl::StatusOr<Module> many = ParseText("many", Program(function.body, type, kCount));
  ASSERT_TRUE(few.ok() && many.ok()) << few.status() << many.status();
  EXPECT_EQ(CountTables(*few), 0);
  EXPECT_EQ(CountTables(*many), 1);
  DeviceContext device;
  const auto values = RunModule(*few, Arguments(type, kPatterns, 1), device, "simd");
  const auto found = RunModule(*many, Arguments(type, kCount, kStep), device, "simd");
  ASSERT_TRUE(values.ok() && found.ok()) << values.status() << found.status();
  for (int64_t i = 0; i < kCount; ++i) {
    const auto pattern = static_cast<uint16_t>(static_cast<uint32_t>(i) * kStep);
    ASSERT_EQ(BitsOf(*found, i), BitsOf(*values, pattern)) << "element " << i << ", " << pattern;
  }
}

TEST(BlockTable, GivesTheBitsOfTheBlock) {
  if (!IsInstructionSetThere()) GTEST_SKIP();
  for (const Function& function : kFunctions) {
    ExpectSameByTable(function, ElementType::kBf16);
    ExpectSameByTable(function, ElementType::kF16);
  }
}

TEST(BlockTable, IsForDearFunctionsOfOneArray) {
  if (!IsInstructionSetThere()) GTEST_SKIP();
  for (std::string_view body : kOthers) {
    const auto module = ParseText("other", Program(body, ElementType::kBf16, 64 * kPatterns));
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_EQ(CountTables(*module), 0) << body;
  }
}

}  // namespace
}  // namespace hlo::testing
