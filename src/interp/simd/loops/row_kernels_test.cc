// Sums of floats are off by no more than what eight additions in f32 may be, whatever the numbers;
// those that f32 has no sums of are summed all the same. Rows are combined in the definition's
// order.
#include "interp/simd/loops/row_kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "interp/simd/loops/block_kernels.h"
#include "testing/run_module.h"

namespace hlo::simd {
namespace {

constexpr double kEpsilon = 0x1p-23;
// Seven roundings of half a unit; in f64 and at the end a little more.
constexpr double kMostError = 3.6 * kEpsilon;

template <typename T>
constexpr ElementType kTypeOf = ElementType::kF32;
template <>
constexpr ElementType kTypeOf<uint16_t> = ElementType::kBf16;

float ValueOf(float x) { return x; }
float ValueOf(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

void ExpectNear(double sum, long double expected, long double magnitudes) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(sum)) << sum;
  } else if (std::isinf(expected)) {
    EXPECT_EQ(sum, static_cast<double>(expected));
  } else {
    EXPECT_LE(std::abs(sum - expected), kMostError * magnitudes) << sum;
    EXPECT_EQ(std::signbit(sum), magnitudes == 0 ? std::signbit(expected) : std::signbit(sum));
  }
}

// The numbers as terms of one sum, and as a row.
template <typename T>
void ExpectSums(const std::vector<T>& numbers) {
  const RowReductions& kernels = GetRowReductions();
  const auto count = static_cast<int64_t>(numbers.size());
  long double expected = -0.0L, magnitudes = 0;
  for (const T x : numbers) {
    expected += ValueOf(x);
    magnitudes += std::abs(ValueOf(x));
  }
  double sum = -0.0;
  kernels.sum_terms(kTypeOf<T>)(numbers.data(), count, &sum);
  ExpectNear(sum, expected, magnitudes);

  const float init = -0.0f;
  float row = 0;
  kernels.reduce(Opcode::kAdd, kTypeOf<T>)(numbers.data(), &init, &row, 1, count);
  EXPECT_EQ(std::bit_cast<uint32_t>(row), std::isnan(sum)
                                              ? std::bit_cast<uint32_t>(row)
                                              : std::bit_cast<uint32_t>(static_cast<float>(sum)));
  EXPECT_EQ(std::isnan(row), std::isnan(sum));
}

template <typename T>
void ExpectColumnSums(const std::vector<T>& numbers, int64_t rows, int64_t columns) {
  std::vector<double> sums(static_cast<size_t>(columns), -0.0);
  GetRowReductions().sum_rows(kTypeOf<T>)(numbers.data(), columns, rows, columns, sums.data());
  for (int64_t c = 0; c < columns; ++c) {
    long double expected = -0.0L, magnitudes = 0;
    for (int64_t r = 0; r < rows; ++r) {
      const float x = ValueOf(numbers[static_cast<size_t>(r * columns + c)]);
      expected += x;
      magnitudes += std::abs(x);
    }
    ExpectNear(sums[static_cast<size_t>(c)], expected, magnitudes);
  }
}

// With signs, zeros and numbers of all mantissas, of the exponents `lowest` to `lowest` + `range`.
template <typename T>
std::vector<T> Numbers(std::mt19937& random, int64_t count, int lowest, int range) {
  std::vector<T> numbers;
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t exponent =
        static_cast<uint32_t>(lowest) + random() % (static_cast<uint32_t>(range) + 1);
    uint32_t bits = random() & 0x807fffff;
    bits = random() % 50 == 0 ? bits & 0x80000000 : bits | exponent << 23;
    if constexpr (std::is_same_v<T, float>) {
      numbers.push_back(std::bit_cast<float>(bits));
    } else {
      numbers.push_back(static_cast<T>(bits >> 16));
    }
  }
  return numbers;
}

template <typename T>
class FloatSums : public ::testing::Test {
  void SetUp() override {
    if (!testing::IsInstructionSetThere()) GTEST_SKIP();
  }
};
using Types = ::testing::Types<float, uint16_t>;
TYPED_TEST_SUITE(FloatSums, Types, );

TYPED_TEST(FloatSums, AreAsNearAsTheyAreSaidToBe) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const int range = static_cast<int>(random() % 60);
    const int lowest = static_cast<int>(random() % static_cast<uint32_t>(255 - range));
    const auto count = static_cast<int64_t>(random() % 3000);
    ExpectSums(Numbers<TypeParam>(random, count, lowest, range));
    const auto rows = 1 + static_cast<int64_t>(random() % 9);
    const auto columns = 1 + static_cast<int64_t>(random() % 200);
    ExpectColumnSums(Numbers<TypeParam>(random, rows * columns, lowest, range), rows, columns);
    if (this->HasFailure()) FAIL() << "exponents from " << lowest << ", range " << range;
  }
}

TYPED_TEST(FloatSums, SpecialNumbers) {
  constexpr bool kIsF32 = std::is_same_v<TypeParam, float>;
  const auto number = [](float x) {
    if constexpr (kIsF32) return x;
    return static_cast<TypeParam>(std::bit_cast<uint32_t>(x) >> 16);
  };
  const float infinity = std::numeric_limits<float>::infinity();
  const auto expect = [](const std::vector<TypeParam>& numbers) {
    ExpectSums(numbers);
    ExpectColumnSums(numbers, 8, static_cast<int64_t>(numbers.size()) / 8);
    ExpectColumnSums(numbers, 2, static_cast<int64_t>(numbers.size()) / 2);
  };
  std::vector<TypeParam> numbers(1000, number(1));
  expect(numbers);
  numbers[300] = number(infinity);
  expect(numbers);
  numbers[301] = number(-infinity);
  expect(numbers);
  numbers[425] = number(-infinity);  // below 300 in eight rows
  expect(numbers);
  numbers[7] = number(NAN);
  expect(numbers);
  expect(std::vector<TypeParam>(1000, number(-0.0f)));
  expect(std::vector<TypeParam>(1000, number(0x1p-133f)));
  // Sums of eight of the largest are no floats.
  std::vector<TypeParam> large(1024, number(0x1.fep127f));
  for (size_t i = 512; i < large.size(); ++i) large[i] = number(-0x1.fep127f);
  expect(large);
}

// The bytes of floats, those of all NaNs alike: which of two is taken is left open.
template <typename T>
void MergeNans(std::vector<unsigned char>& bytes) {
  for (size_t i = 0; i < bytes.size(); i += sizeof(T)) {
    T value;
    std::memcpy(&value, &bytes[i], sizeof(T));
    if (std::isnan(value)) value = std::numeric_limits<T>::quiet_NaN();
    std::memcpy(&bytes[i], &value, sizeof(T));
  }
}

// Rows one after the other give what the loops of the elementwise opcodes do.
TEST(CombineRows, KeepTheOrder) {
  if (!testing::IsInstructionSetThere()) GTEST_SKIP();
  constexpr Opcode kOpcodes[] = {Opcode::kAdd,     Opcode::kMultiply, Opcode::kMaximum,
                                 Opcode::kMinimum, Opcode::kAnd,      Opcode::kOr};
  constexpr ElementType kTypes[] = {ElementType::kPred, ElementType::kS8,  ElementType::kU16,
                                    ElementType::kS32,  ElementType::kU64, ElementType::kF32,
                                    ElementType::kF64};
  std::mt19937 random(2);
  int combined = 0;
  for (int round = 0; round < 3000; ++round) {
    const Opcode opcode = kOpcodes[random() % std::size(kOpcodes)];
    const ElementType type = kTypes[random() % std::size(kTypes)];
    const CombineRows combine = GetRowCombinations().combine_rows(opcode, type);
    if (combine == nullptr) continue;
    const auto size = static_cast<size_t>(ElementByteSize(type));
    const size_t rows = random() % 6, count = random() % 300;
    const size_t stride = count + random() % 3;
    std::vector<unsigned char> values(rows * stride * size), init(size);
    // Floats of all bits: NaNs, infinities and zeros among them.
    const auto any = [&] {
      return static_cast<unsigned char>(type == ElementType::kPred ? random() % 2 : random());
    };
    std::ranges::generate(values, any);
    std::ranges::generate(init, any);
    std::vector<unsigned char> expected, result(count * size);
    for (size_t i = 0; i < count; ++i) expected.insert(expected.end(), init.begin(), init.end());
    for (size_t row = 0; row < rows; ++row) {
      GetBlockKernels().elementwise(opcode, type)(expected.data(),
                                                  values.data() + row * stride * size, nullptr,
                                                  expected.data(), static_cast<int64_t>(count));
    }
    combine(values.data(), static_cast<int64_t>(stride), static_cast<int64_t>(rows),
            static_cast<int64_t>(count), init.data(), result.data());
    for (auto* bytes : {&expected, &result}) {
      if (type == ElementType::kF32) MergeNans<float>(*bytes);
      if (type == ElementType::kF64) MergeNans<double>(*bytes);
    }
    ASSERT_EQ(result, expected) << OpcodeName(opcode) << " of " << ElementTypeName(type);
    ++combined;
  }
  EXPECT_GT(combined, 2000);
}

// Sums of bf16 are what adding and rounding give, one after the other, whether they start elsewhere
// or where they end up.
TEST(CombineRounded, AddsAndRounds) {
  if (!testing::IsInstructionSetThere()) GTEST_SKIP();
  const CombineRounded combine =
      GetRowCombinations().combine_rounded(Opcode::kAdd, ElementType::kBf16);
  if (combine == nullptr) GTEST_SKIP();  // there are no vectors
  const BlockKernels& kernels = GetBlockKernels();
  const TileLoop add = kernels.elementwise(Opcode::kAdd, ElementType::kF32);
  const TileLoop round = kernels.round(ElementType::kBf16);
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {
    const size_t rows = random() % 6, count = random() % 300, stride = count + random() % 3;
    // All bits of bf16, and numbers near each other, whose sums are rounded.
    const auto any = [&] {
      const uint32_t bits = random() % 2 == 0 ? random() : 0x3f80 + random() % 0x100;
      return std::bit_cast<float>(bits << 16);
    };
    std::vector<float> values(rows * stride), starts(count), result(count);
    std::ranges::generate(values, any);
    std::ranges::generate(starts, any);
    std::vector<float> expected = starts;
    const auto size = static_cast<int64_t>(count);
    for (size_t row = 0; row < rows; ++row) {
      add(expected.data(), values.data() + row * stride, nullptr, expected.data(), size);
      round(expected.data(), nullptr, nullptr, expected.data(), size);
    }
    combine(values.data(), static_cast<int64_t>(stride), static_cast<int64_t>(rows), size,
            starts.data(), result.data());
    combine(values.data(), static_cast<int64_t>(stride), static_cast<int64_t>(rows), size,
            starts.data(), starts.data());
    for (size_t k = 0; k < count; ++k) {
      for (const float sum : {result[k], starts[k]}) {
        ASSERT_TRUE(std::isnan(expected[k])
                        ? std::isnan(sum)
                        : std::bit_cast<uint32_t>(sum) == std::bit_cast<uint32_t>(expected[k]))
            << sum << ", expected " << expected[k];
      }
    }
  }
}

// Rows of few elements, of which some go side by side: what the scalar loop of the opcode makes of
// one after the other. Numbers are whole and small, so that sums have no order.
template <typename T>
void ExpectShortRows(ElementType type, std::mt19937& random) {
  const auto any = [&] {
    constexpr T kOdd[] = {std::numeric_limits<T>::quiet_NaN(), T(-0.0),
                          -std::numeric_limits<T>::infinity()};
    return random() % 16 == 0 ? kOdd[random() % std::size(kOdd)] : T(int(random() % 99) - 49);
  };
  for (const Opcode opcode : {Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum}) {
    const auto combine = GetBlockKernels().elementwise(opcode, type);
    for (size_t length = 1; length < 10; ++length) {
      for (size_t rows = 0; rows < 40; ++rows) {
        std::vector<T> values(rows * length), result(rows), expected;
        std::ranges::generate(values, any);
        const T init = any();
        for (size_t row = 0; row < rows; ++row) {
          T made = init;
          for (size_t k = 0; k < length; ++k) {
            combine(&made, &values[row * length + k], nullptr, &made, 1);
          }
          expected.push_back(made);
        }
        GetRowReductions().reduce(opcode, type)(values.data(), &init, result.data(),
                                                static_cast<int64_t>(rows),
                                                static_cast<int64_t>(length));
        for (size_t row = 0; row < rows; ++row) {
          const bool is_same =
              std::isnan(expected[row]) ? std::isnan(result[row]) : result[row] == expected[row];
          ASSERT_TRUE(is_same) << OpcodeName(opcode) << " of " << rows << " x " << length << ": "
                               << result[row] << ", not " << expected[row];
        }
      }
    }
  }
}

TEST(Reduce, OfShortRows) {
  if (!testing::IsInstructionSetThere()) GTEST_SKIP();
  std::mt19937 random(5);
  ExpectShortRows<float>(ElementType::kF32, random);
  ExpectShortRows<double>(ElementType::kF64, random);
}

// Windows every two elements: what the scalar loop of the opcode gives, and nothing is read behind
// the last element.
template <typename T>
void ExpectPairs(ElementType type, std::mt19937& random) {
  for (const Opcode opcode : {Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum}) {
    for (size_t count = 1; count < 70; ++count) {
      const size_t terms = random() % 5, step = 1 + random() % 3;
      std::vector<T> values(terms == 0 ? 0 : 2 * (count - 1) + (terms - 1) * step + 1);
      const auto any = [&] {
        constexpr T kOdd[] = {std::numeric_limits<T>::quiet_NaN(), T(0), T(-0.0),
                              std::numeric_limits<T>::infinity()};
        return random() % 8 == 0 ? kOdd[random() % std::size(kOdd)]
                                 : static_cast<T>(static_cast<int32_t>(random())) / 1024;
      };
      std::ranges::generate(values, any);
      const T init = any();
      std::vector<T> expected(count, init), term(count), result(count);
      for (size_t k = 0; k < terms; ++k) {
        for (size_t i = 0; i < count; ++i) term[i] = values[2 * i + k * step];
        GetBlockKernels().elementwise(opcode, type)(expected.data(), term.data(), nullptr,
                                                    expected.data(), static_cast<int64_t>(count));
      }
      GetRowCombinations().combine_pairs(opcode, type)(
          values.data(), static_cast<int64_t>(step), static_cast<int64_t>(terms),
          static_cast<int64_t>(count), &init, result.data());
      for (size_t i = 0; i < count; ++i) {
        if (std::isnan(expected[i]) && std::isnan(result[i])) continue;
        ASSERT_EQ(std::signbit(result[i]), std::signbit(expected[i])) << OpcodeName(opcode);
        ASSERT_EQ(result[i], expected[i]) << OpcodeName(opcode);
      }
    }
  }
}

TEST(CombinePairs, KeepTheOrder) {
  if (!testing::IsInstructionSetThere()) GTEST_SKIP();
  std::mt19937 random(3);
  ExpectPairs<float>(ElementType::kF32, random);
  ExpectPairs<double>(ElementType::kF64, random);
}

}  // namespace
}  // namespace hlo::simd
