// Floats rounded to integers in vectors beside the functors that define it: the same bits, but NaN,
// which stays one. Near each multiple of a half, of every magnitude, and of any bits.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "interp/kernel/scalar_ops_unary.h"
#include "interp/simd/loops/block_kernels.h"
#include "testing/run_module.h"

namespace hlo::simd {
namespace {

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

template <typename T>
std::vector<T> Numbers() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> numbers = {0,
                            Limits::denorm_min(),
                            Limits::min(),
                            Limits::max(),
                            Limits::infinity(),
                            Limits::quiet_NaN()};
  std::mt19937_64 generator(20240611);
  for (int bit = -2; bit <= Limits::digits + 1; ++bit) {
    for (int i = 0; i < 50; ++i) {
      const auto integer = static_cast<T>(generator() % 1000) + std::exp2(static_cast<T>(bit));
      for (const T number : {integer, integer + T(0.5)}) {
        numbers.push_back(number);
        numbers.push_back(std::nextafter(number, T(0)));
        numbers.push_back(std::nextafter(number, Limits::max()));
      }
    }
  }
  for (int i = 0; i < 100'000; ++i) {
    numbers.push_back(std::bit_cast<T>(static_cast<BitsOf<T>>(generator())));
  }
  const size_t count = numbers.size();
  for (size_t i = 0; i < count; ++i) numbers.push_back(-numbers[i]);
  return numbers;
}

template <class Fn, typename T>
void ExpectAsFunctor(Opcode opcode) {
  const ElementType type = sizeof(T) == 4 ? ElementType::kF32 : ElementType::kF64;
  const std::vector<T> numbers = Numbers<T>();
  std::vector<T> results(numbers.size());
  GetBlockKernels().elementwise(opcode, type)(numbers.data(), nullptr, nullptr, results.data(),
                                              std::ssize(numbers));
  for (size_t i = 0; i < numbers.size(); ++i) {
    const T expected = Fn()(numbers[i]);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(results[i])) << numbers[i];
    } else {
      ASSERT_EQ(std::bit_cast<BitsOf<T>>(results[i]), std::bit_cast<BitsOf<T>>(expected))
          << "of " << numbers[i] << ": " << results[i] << ", not " << expected;
    }
  }
}

template <class Fn>
void ExpectAsFunctor(Opcode opcode) {
  if (!testing::IsInstructionSetThere()) GTEST_SKIP() << "no such instruction set here";
  ExpectAsFunctor<Fn, float>(opcode);
  ExpectAsFunctor<Fn, double>(opcode);
}

TEST(VectorRounding, Floor) { ExpectAsFunctor<FloorFn>(Opcode::kFloor); }
TEST(VectorRounding, Ceil) { ExpectAsFunctor<CeilFn>(Opcode::kCeil); }
TEST(VectorRounding, NearestAwayFromZero) {
  ExpectAsFunctor<RoundNearestAfzFn>(Opcode::kRoundNearestAfz);
}
TEST(VectorRounding, NearestEven) {
  ExpectAsFunctor<RoundNearestEvenFn>(Opcode::kRoundNearestEven);
}

}  // namespace
}  // namespace hlo::simd
