// Elementwise instructions of the types that are rarely computed with: all pairs of integers
// narrower than a byte, and complex numbers whose parts are zeros of both signs, infinities, NaN,
// denormals and the largest numbers. The simd backend gives what the reference backend does, bit
// for bit but for the sign and payload of NaN, and for functions that have a tolerance.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include "ir/element_traits.h"
#include "testing/compare_backends.h"
#include "testing/run_module.h"

namespace hlo::testing {
namespace {

// A module that grows by results of one shape.
class Program {
 public:
  Program(std::string_view parameters, int64_t count) : body_(parameters), count_(count) {}

  void Add(std::string_view type, const std::string& definition) {
    const std::string shape = fmt::format("{}[{}]", type, count_);
    body_ += fmt::format("  v{} = {} {}\n", number_, shape, definition);
    shapes_ += fmt::format("{}{}", number_ == 0 ? "" : ", ", shape);
    names_ += fmt::format("{}v{}", number_ == 0 ? "" : ", ", number_);
    ++number_;
  }
  std::string Text() const {
    return fmt::format("HloModule rare\nENTRY main {{\n{}  ROOT r = ({}) tuple({})\n}}\n", body_,
                       shapes_, names_);
  }

 private:
  std::string body_, shapes_, names_;
  int64_t count_;
  int number_ = 0;
};

void ExpectSame(const Program& program, std::span<const Literal> arguments, uint64_t ulp = 0) {
  absl::StatusOr<Module> module = ParseText("rare", program.Text());
  ASSERT_TRUE(module.ok()) << module.status() << program.Text();
  DeviceContext device;
  const auto expected = RunModule(*module, arguments, device, "reference");
  const auto actual = RunModule(*module, arguments, device, "simd");
  ASSERT_TRUE(expected.ok() && actual.ok()) << expected.status() << actual.status();
  ExpectNear(*actual, *expected, ulp, [](const Literal&, int64_t) { return 0.0; });
  if (::testing::Test::HasFailure()) ADD_FAILURE() << program.Text();
}

template <typename T>
Literal ArrayOf(const std::vector<T>& elements) {
  const std::string_view type = ElementTypeName(kElementTypeOf<T>);
  Literal literal = *Literal::Zeros(MakeShape(fmt::format("{}[{}]", type, elements.size())));
  std::memcpy(literal.bytes(), elements.data(), elements.size() * sizeof(T));
  return literal;
}

std::string Parameters(std::string_view type, size_t count) {
  return fmt::format("  x = {0}[{1}] parameter(0)\n  y = {0}[{1}] parameter(1)\n", type, count);
}

constexpr std::array<std::string_view, 6> kDirections = {"EQ", "NE", "LT", "LE", "GT", "GE"};

// --- Integers narrower than a byte

template <typename T>
class SubByteIntegers : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!IsInstructionSetThere()) GTEST_SKIP();
  }
};
using SubByteTypes = ::testing::Types<S1, U1, S2, U2, S4, U4>;
TYPED_TEST_SUITE(SubByteIntegers, SubByteTypes, );

TYPED_TEST(SubByteIntegers, AllPairs) {
  std::vector<TypeParam> x, y;
  for (int a = 0; a < 1 << TypeParam::kBitWidth; ++a) {
    for (int b = 0; b < 1 << TypeParam::kBitWidth; ++b) {
      x.push_back(TypeParam(a));
      y.push_back(TypeParam(b));
    }
  }
  const std::string_view type = ElementTypeName(kElementTypeOf<TypeParam>);
  Program program(Parameters(type, x.size()), std::ssize(x));
  for (const std::string_view opcode :
       {"add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "power", "and",
        "or", "xor", "shift-left", "shift-right-logical", "shift-right-arithmetic", "mulhi"}) {
    program.Add(type, fmt::format("{}(x, y)", opcode));
  }
  for (const std::string_view opcode : {"negate", "not", "popcnt", "count-leading-zeros"}) {
    program.Add(type, fmt::format("{}(x)", opcode));
  }
  if (TypeParam::kSigned) {
    for (const std::string_view opcode : {"abs", "sign"}) {
      program.Add(type, fmt::format("{}(x)", opcode));
    }
  }
  program.Add(type, "clamp(y, x, x)");
  for (const std::string_view direction : kDirections) {
    program.Add("pred", fmt::format("compare(x, y), direction={}", direction));
  }
  for (const std::string_view to : {"pred", "s1", "u1", "s2", "u2", "s4", "u4", "s8", "u8", "s64",
                                    "bf16", "f32", "f64", "f8e8m0fnu", "f4e2m1fn", "c64"}) {
    program.Add(to, "convert(x)");
  }
  ExpectSame(program, std::array{ArrayOf(x), ArrayOf(y)});
}

template <typename T>
std::vector<T> Numbers() {
  std::vector<T> numbers;
  for (int i = -600; i <= 600; ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      numbers.push_back(static_cast<T>(i) / 32);
    } else {
      numbers.push_back(static_cast<T>(i));
    }
  }
  using Limits = std::numeric_limits<T>;
  for (const T number : {Limits::max(), Limits::lowest(), Limits::min(), Limits::infinity(),
                         T(-Limits::infinity()), Limits::quiet_NaN()}) {
    numbers.push_back(number);
  }
  return numbers;
}

template <typename T>
void ExpectSameConversions() {
  const std::vector<T> numbers = Numbers<T>();
  const std::string_view type = ElementTypeName(kElementTypeOf<T>);
  Program program(fmt::format("  x = {}[{}] parameter(0)\n", type, numbers.size()),
                  std::ssize(numbers));
  for (const std::string_view to : {"s1", "u1", "s2", "u2", "s4", "u4"}) {
    program.Add(to, "convert(x)");
  }
  ExpectSame(program, std::array{ArrayOf(numbers)});
}

TEST(SubByteConversions, FromOtherTypes) {
  if (!IsInstructionSetThere()) GTEST_SKIP();
  ExpectSameConversions<int8_t>();
  ExpectSameConversions<uint16_t>();
  ExpectSameConversions<int32_t>();
  ExpectSameConversions<uint64_t>();
  ExpectSameConversions<float>();
  ExpectSameConversions<double>();
}

// --- Complex numbers

template <typename T>
class ComplexNumbers : public SubByteIntegers<T> {};
using ComplexTypes = ::testing::Types<C64, C128>;
TYPED_TEST_SUITE(ComplexNumbers, ComplexTypes, );

TYPED_TEST(ComplexNumbers, SpecialParts) {
  using Part = typename TypeParam::value_type;
  using Limits = std::numeric_limits<Part>;
  const std::vector<Part> parts = {0,
                                   -Part(0),
                                   1,
                                   Part(-0.75),
                                   Limits::max(),
                                   Limits::infinity(),
                                   -Limits::infinity(),
                                   Limits::quiet_NaN(),
                                   Limits::denorm_min()};
  std::vector<TypeParam> x, y;
  for (const Part a : parts) {
    for (const Part b : parts) {
      for (const Part c : parts) {
        for (const Part d : parts) {
          x.emplace_back(a, b);
          y.emplace_back(c, d);
        }
      }
    }
  }
  const std::string_view type = ElementTypeName(kElementTypeOf<TypeParam>);
  const std::string_view part = ElementTypeName(kElementTypeOf<Part>);
  Program program(Parameters(type, x.size()), std::ssize(x));
  for (const std::string_view opcode :
       {"add", "subtract", "multiply", "divide", "power", "atan2"}) {
    program.Add(type, fmt::format("{}(x, y)", opcode));
  }
  for (const std::string_view opcode :
       {"negate", "sign", "exponential-minus-one", "log-plus-one", "logistic"}) {
    program.Add(type, fmt::format("{}(x)", opcode));
  }
  for (const std::string_view opcode : {"abs", "real", "imag"}) {
    program.Add(part, fmt::format("{}(y)", opcode));
  }
  program.Add("pred", "compare(x, y), direction=EQ");
  program.Add("pred", "compare(x, y), direction=NE");
  program.Add(type, "select(v14, x, y)");
  program.Add(type, "complex(v11, v12)");
  for (const std::string_view to :
       {"c64", "c128", "pred", "s4", "s32", "u64", "f32", "f64", "bf16", "f8e4m3fnuz"}) {
    program.Add(to, "convert(x)");
  }
  program.Add(type, "convert(v14)");
  program.Add(type, "convert(v13)");
  ExpectSame(program, std::array{ArrayOf(x), ArrayOf(y)});

  const auto expect_near = [&](std::initializer_list<std::string_view> opcodes, uint64_t ulp) {
    Program functions(Parameters(type, x.size()), std::ssize(x));
    for (const std::string_view opcode : opcodes) {
      functions.Add(type, fmt::format("{}(x)", opcode));
    }
    ExpectSame(functions, std::array{ArrayOf(x), ArrayOf(y)}, ulp);
  };
  expect_near({"exponential", "log", "sqrt", "sine", "cosine"}, 4);
  expect_near({"rsqrt", "tan", "tanh"}, 10);
}

}  // namespace
}  // namespace hlo::testing
