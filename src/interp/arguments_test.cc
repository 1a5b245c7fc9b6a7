// Generated inputs: the same whoever makes them, and alive after it.
#include "interp/arguments.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gtest/gtest.h"
#include "interp/kernel/random_stream.h"
#include "ir/element_traits.h"
#include "ir/narrow_float.h"
#include "testing/run_module.h"

namespace hlo {
namespace {

// Inputs of some megabytes, which lie together, with small ones and tuples between them.
constexpr char kProgram[] = R"(HloModule m
ENTRY main {
  a = f32[1000,1000] parameter(0)
  b = f32[3] parameter(1)
  c = (f64[300000], s32[], bf16[70000]) parameter(2)
  d = f32[1,500000] parameter(3)
  ROOT r = f32[3] negate(b)
}
)";

TEST(Arguments, DependOnTheirNumberAlone) {
  const absl::StatusOr<Module> module = testing::ParseText("arguments", kProgram);
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<Literal> all;
  {
    absl::StatusOr<std::vector<Literal>> made =
        ArgumentGenerator(*module, FakeKind::kRandom, 1).MakeAll();
    ASSERT_TRUE(made.ok()) << made.status();
    all = *std::move(made);
  }
  ASSERT_EQ(all.size(), 4u);
  for (size_t i = all.size(); i-- > 0;) {
    const ArgumentGenerator generator(*module, FakeKind::kRandom, 1);
    const absl::StatusOr<Literal> alone = generator.Make(static_cast<int64_t>(i));
    ASSERT_TRUE(alone.ok()) << alone.status();
    EXPECT_EQ(*alone, all[i]) << "input " << i;
    const Literal copy = all[i];
    all.pop_back();
    EXPECT_EQ(copy, *alone) << "input " << i;
  }
}

TEST(Arguments, ZerosAreZerosInUsedMemory) {
  const absl::StatusOr<Module> module = testing::ParseText("arguments", kProgram);
  ASSERT_TRUE(module.ok()) << module.status();
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(ArgumentGenerator(*module, FakeKind::kRandom, 1).MakeAll().ok());
    const auto zeros = ArgumentGenerator(*module, FakeKind::kZeros, 1).MakeAll();
    ASSERT_TRUE(zeros.ok()) << zeros.status();
    for (const float element : (*zeros)[0].elements<float>()) ASSERT_EQ(element, 0.0f);
  }
}

// What an input of this type is.
Literal InputOf(std::string_view shape) {
  const absl::StatusOr<Module> module = testing::ParseText(
      "arguments",
      fmt::format("HloModule m\nENTRY main {{\n  ROOT a = {} parameter(0)\n}}\n", shape));
  return ArgumentGenerator(module.value(), FakeKind::kRandom, 1).Make(0).value();
}

template <RealElement T>
void ExpectRounded(const Literal& /*numbers*/, std::string_view /*type*/) {}  // not narrow
template <typename T>
void ExpectRounded(const Literal& numbers, std::string_view type) {
  const Literal rounded = InputOf(fmt::format("{}[{}]", type, numbers.element_count()));
  for (size_t i = 0; i < numbers.elements<float>().size(); ++i) {
    const float number = numbers.elements<float>()[i];
    const T expected(T::kFormat.kind == FloatKind::kExponentOnly ? std::abs(number) : number);
    ASSERT_EQ(rounded.elements<T>()[i].bits(), expected.bits()) << type << " " << i;
  }
}

TEST(Arguments, NarrowFloatsAreFloatsRounded) {
  const Literal numbers = InputOf("f32[50001]");
#define HLO_FLOAT_TYPE(Name, text, CppType, ...) ExpectRounded<CppType>(numbers, text);
#define HLO_ARRAY_TYPE(...)
#define HLO_NON_ARRAY_TYPE(...)
#include "ir/element_types.def"
}

TEST(Arguments, ComplexNumbersAreTwoFloats) {
  const Literal numbers = InputOf("f32[100002]"), pairs = InputOf("c64[50001]");
  const Literal wide_numbers = InputOf("f64[100002]"), wide_pairs = InputOf("c128[50001]");
  for (size_t i = 0; i < 50001; ++i) {
    ASSERT_EQ(pairs.elements<std::complex<float>>()[i],
              std::complex(numbers.elements<float>()[2 * i], numbers.elements<float>()[2 * i + 1]));
    ASSERT_EQ(wide_pairs.elements<std::complex<double>>()[i],
              std::complex(wide_numbers.elements<double>()[2 * i],
                           wide_numbers.elements<double>()[2 * i + 1]));
  }
}

TEST(Arguments, IntegersAreRemainders) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (const int64_t highest : {int64_t{0}, int64_t{1}, int64_t{6}, int64_t{20}, int64_t{63},
                                int64_t{32000}, int64_t{1} << 40, kMost - 10, kMost - 4}) {
    const int64_t lowest = std::max<int64_t>(-highest, -3);
    const auto count = static_cast<uint64_t>(highest - lowest) + 1;
    RandomStream stream(7), numbers(7);
    const IntegerRange range(lowest, highest);
    for (int i = 0; i < 10000; ++i) {
      const auto remainder = static_cast<int64_t>(numbers.Next() % count);
      ASSERT_EQ(range.Next(stream), lowest + remainder) << count;
    }
  }
}

}  // namespace
}  // namespace hlo
