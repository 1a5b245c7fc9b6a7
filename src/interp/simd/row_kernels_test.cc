// Sums of bf16 are those in f64, whatever is done in f32 on the way: of numbers whose sum f64 has
// exactly, all bits.
#include "interp/simd/row_kernels.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace hlo::simd {
namespace {

float FloatOf(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

double SumOf(const std::vector<uint16_t>& numbers, double first) {
  double sum = first;
  for (const uint16_t bits : numbers) sum += FloatOf(bits);
  return sum;
}

// The sums of rows and of terms.
void ExpectSum(const std::vector<uint16_t>& numbers, double expected) {
  const RowKernels& kernels = GetRowKernels();
  const auto count = static_cast<int64_t>(numbers.size());
  double sum = -0.0;
  kernels.sum_terms(ElementType::kBf16)(numbers.data(), count, &sum);
  const float init = -0.0f;
  float row = 0;
  kernels.reduce(Opcode::kAdd, ElementType::kBf16)(numbers.data(), &init, &row, 1, count);
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(sum) && std::isnan(row)) << count << " numbers";
    return;
  }
  EXPECT_EQ(std::bit_cast<uint64_t>(sum), std::bit_cast<uint64_t>(expected))
      << count << " numbers: " << sum << ", not " << expected;
  EXPECT_EQ(row, static_cast<float>(expected));
}

// With signs, zeros and numbers of all mantissas, of the exponents `lowest` to `lowest` + `range`.
std::vector<uint16_t> Numbers(std::mt19937& random, int64_t count, int lowest, int range) {
  std::vector<uint16_t> numbers;
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t exponent =
        static_cast<uint32_t>(lowest) + random() % (static_cast<uint32_t>(range) + 1);
    const uint32_t sign_and_mantissa = random() & 0x807f;
    const bool is_zero = random() % 50 == 0;
    numbers.push_back(static_cast<uint16_t>(is_zero ? sign_and_mantissa & 0x8000
                                                    : sign_and_mantissa | exponent << 7));
  }
  return numbers;
}

TEST(RowKernels, SumsOfBf16AreThoseInF64) {
  std::mt19937 random(1);
  for (int round = 0; round < 4000; ++round) {
    const auto count = static_cast<int64_t>(random() % 3000);
    const int range = static_cast<int>(random() % 30);  // f64 has 53 bits: 8 + 29 + 12 at most
    const int lowest = static_cast<int>(random() % static_cast<uint32_t>(255 - range));
    const std::vector<uint16_t> numbers = Numbers(random, count, lowest, range);
    ExpectSum(numbers, SumOf(numbers, -0.0));
    if (HasFailure()) FAIL() << "exponents from " << lowest << ", range " << range;
  }
}

// The last bit of a small number is lost in f32 beside seven that are 2^14 times as large.
TEST(RowKernels, SmallNumbersAmongLargeOnes) {
  for (int apart = 0; apart < 30; ++apart) {
    std::vector<uint16_t> numbers(2048, static_cast<uint16_t>((100 + apart) << 7 | 0x7f));
    for (size_t i = 7; i < numbers.size(); i += 97) numbers[i] = (100 << 7) | 1;
    ExpectSum(numbers, SumOf(numbers, -0.0));
  }
}

TEST(RowKernels, SpecialNumbers) {
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<uint16_t> numbers(1000, 0x3f80);
  ExpectSum(numbers, 1000);
  numbers[300] = 0x7f80;
  ExpectSum(numbers, infinity);
  numbers[301] = 0xff80;
  ExpectSum(numbers, NAN);
  ExpectSum(std::vector<uint16_t>(1000, 0x8000), -0.0);
  ExpectSum(std::vector<uint16_t>(1000, 1), 1000 * double{FloatOf(1)});
  // Sums of eight of the largest are no floats.
  std::vector<uint16_t> large(1024, 0x7f7f);
  for (size_t i = 512; i < large.size(); ++i) large[i] = 0xff7f;
  ExpectSum(large, 0);
}

}  // namespace
}  // namespace hlo::simd
