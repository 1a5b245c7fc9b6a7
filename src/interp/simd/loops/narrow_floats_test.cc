// Loops from f32 to bf16 and f16 beside the definition of these (narrow_float.h), bit for bit: of
// all signs, exponents and upper bits, with lower bits that are exact, ties and their neighbours,
// NaN of all kinds among them (processors keep more of the bits of a NaN in f16); any number of
// elements, as whole vectors and behind them.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <type_traits>
#include <vector>

#include "interp/simd/loops/block_kernels.h"
#include "ir/narrow_float.h"
#include "testing/run_module.h"

namespace hlo::simd {
namespace {

template <typename T>
class NarrowFloats : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::IsInstructionSetThere()) GTEST_SKIP();
  }
  static void Expect(const std::vector<float>& numbers) {
    const BlockKernels& kernels = GetBlockKernels();
    std::vector<uint16_t> bits(numbers.size());
    kernels.narrow(kElementTypeOf<T>)(numbers.data(), nullptr, nullptr, bits.data(),
                                      std::ssize(numbers));
    std::vector<float> rounded(numbers.size());
    kernels.round(kElementTypeOf<T>)(numbers.data(), nullptr, nullptr, rounded.data(),
                                     std::ssize(numbers));
    for (size_t i = 0; i < numbers.size(); ++i) {
      const T expected(numbers[i]);
      if (std::is_same_v<T, F16> && std::isnan(numbers[i])) {
        ASSERT_TRUE(std::isnan(static_cast<float>(T::FromBits(bits[i]))));
        ASSERT_TRUE(std::isnan(rounded[i]));
        continue;
      }
      ASSERT_EQ(bits[i], expected.bits()) << std::bit_cast<uint32_t>(numbers[i]);
      ASSERT_EQ(std::bit_cast<uint32_t>(rounded[i]),
                std::bit_cast<uint32_t>(static_cast<float>(expected)))
          << std::bit_cast<uint32_t>(numbers[i]);
    }
  }
};
using Types = ::testing::Types<Bf16, F16>;
TYPED_TEST_SUITE(NarrowFloats, Types, );

TYPED_TEST(NarrowFloats, NumbersAreRounded) {
  constexpr uint32_t kLowBits[] = {0, 1, 0x7ff, 0x800, 0xfff};
  std::vector<float> numbers;
  for (const uint32_t low : kLowBits) {
    for (uint32_t upper = 0; upper < 1u << 20; ++upper) {
      numbers.push_back(std::bit_cast<float>(upper << 12 | low));
    }
  }
  this->Expect(numbers);
}

TYPED_TEST(NarrowFloats, AnyNumberOfElements) {
  for (size_t count = 0; count <= 131; ++count) {
    for (const bool has_nan : {false, true}) {
      std::vector<float> numbers(count);
      for (size_t i = 0; i < count; ++i) numbers[i] = 1.0f / static_cast<float>(i + 3);
      if (has_nan && count > 0) numbers[count / 2] = std::bit_cast<float>(0xff800001);
      this->Expect(numbers);
    }
  }
}

}  // namespace
}  // namespace hlo::simd
