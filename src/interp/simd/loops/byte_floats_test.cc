// Loops of floats of a byte beside the definition of their codes (narrow_float.h), bit for bit: all
// codes, and numbers of all signs, exponents and upper bits, exact ones, ties and their neighbours
// among them.
#include "interp/simd/loops/byte_floats.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "ir/narrow_float.h"
#include "testing/run_module.h"

namespace hlo::simd {
namespace {

template <typename T>
class ByteFloats : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::IsInstructionSetThere()) GTEST_SKIP();
  }
  static constexpr ElementType Type() { return kElementTypeOf<T>; }
  static constexpr uint32_t kCodeCount = 1u << T::kFormat.bit_width;
};
using Types = ::testing::Types<F8E5M2, F8E4M3, F8E4M3Fn, F8E4M3B11Fnuz, F8E3M4, F8E5M2Fnuz,
                               F8E4M3Fnuz, F8E8M0Fnu, F6E3M2Fn, F6E2M3Fn, F4E2M1Fn>;
TYPED_TEST_SUITE(ByteFloats, Types, );

TYPED_TEST(ByteFloats, CodesAreWidened) {
  std::vector<uint8_t> codes;
  for (int code = 0; code < static_cast<int>(this->kCodeCount); ++code)
    codes.push_back(static_cast<uint8_t>(code));
  std::vector<float> wide(codes.size());
  GetByteFloatLoops(this->Type())
      .widen(codes.data(), nullptr, nullptr, wide.data(), std::ssize(codes));
  for (const uint8_t code : codes) {
    EXPECT_EQ(std::bit_cast<uint32_t>(wide[code]),
              std::bit_cast<uint32_t>(static_cast<float>(TypeParam::FromBits(code))))
        << "code " << int{code};
  }
}

TYPED_TEST(ByteFloats, NumbersAreRounded) {
  constexpr uint32_t kLowBits[] = {0, 1, 0x7ff, 0x800, 0x801, 0xfff};
  std::vector<float> numbers;
  for (uint32_t upper = 0; upper < 1u << 20; ++upper) {
    for (const uint32_t low : kLowBits) numbers.push_back(std::bit_cast<float>(upper << 12 | low));
  }
  const ByteFloatLoops& loops = GetByteFloatLoops(this->Type());
  std::vector<uint8_t> codes(numbers.size());
  loops.narrow(numbers.data(), nullptr, nullptr, codes.data(), std::ssize(numbers));
  std::vector<float> rounded = numbers;
  loops.round(rounded.data(), nullptr, nullptr, rounded.data(), std::ssize(rounded));
  for (size_t i = 0; i < numbers.size(); ++i) {
    const TypeParam expected(numbers[i]);
    ASSERT_EQ(codes[i], expected.bits()) << numbers[i];
    ASSERT_EQ(std::bit_cast<uint32_t>(rounded[i]),
              std::bit_cast<uint32_t>(static_cast<float>(expected)))
        << numbers[i];
  }
}

// Of all numbers whose upper 16 bits have a code or lie beside one, those that f32 would round to a
// tie, and denormals of f32 and below.
TYPED_TEST(ByteFloats, DoublesAreRoundedOnce) {
  constexpr uint64_t kLowBits[] = {0, 1, 0xfffffff, 0x10000000, 0x10000001, 0x1fffffff, 0x80000000};
  std::vector<double> numbers;
  for (uint64_t upper = 0; upper < 1u << 20; ++upper) {
    for (const uint64_t low : kLowBits) {
      numbers.push_back(std::bit_cast<double>(upper << 44 | low));
      numbers.push_back(std::bit_cast<double>((upper << 44) - low));
    }
  }
  std::vector<float> rounded(numbers.size());
  GetByteFloatLoops(this->Type())
      .round_f64(numbers.data(), nullptr, nullptr, rounded.data(), std::ssize(numbers));
  for (size_t i = 0; i < numbers.size(); ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(rounded[i]),
              std::bit_cast<uint32_t>(static_cast<float>(TypeParam(numbers[i]))))
        << numbers[i];
  }
}

}  // namespace
}  // namespace hlo::simd
