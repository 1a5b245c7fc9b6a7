// Quotients and remainders in vectors beside the functors that define them, whose bits they are:
// of numbers that division turns on, and of such as fill vectors with what is usual, as those have
// ways of their own.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "interp/kernel/scalar_ops_binary.h"
#include "interp/simd/loops/block_kernels.h"
#include "testing/run_module.h"

namespace hlo::simd {
namespace {

template <typename T>
class Operands {
 public:
  // Zero, the ends of the type and what is near powers of two.
  T AnyInteger() {
    const auto near = static_cast<int64_t>(generator_() % 5) - 2;
    switch (generator_() % 5) {
      case 0:
        return static_cast<T>(near);
      case 1:
        return static_cast<T>(std::numeric_limits<T>::min() + (near + 2));
      case 2:
        return static_cast<T>(std::numeric_limits<T>::max() - static_cast<T>(near + 2));
      case 3:
        return static_cast<T>((uint64_t{1} << Bit()) + static_cast<uint64_t>(near));
      default:
        return static_cast<T>(static_cast<T>(generator_()) >> Bit());
    }
  }
  T AnyFloat() {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    using Limits = std::numeric_limits<T>;
    constexpr T kSpecial[] = {T(0),          Limits::infinity(), Limits::quiet_NaN(),
                              Limits::max(), Limits::min(),      Limits::denorm_min()};
    switch (generator_() % 4) {
      case 0:
        return std::bit_cast<T>(static_cast<Bits>(generator_()));
      case 1:
        return kSpecial[generator_() % std::size(kSpecial)] *
               (generator_() % 2 != 0 ? T(1) : T(-1));
      default:
        return UsualFloat();
    }
  }
  T UsualFloat() {
    const auto integer = static_cast<T>(static_cast<int64_t>(generator_() % 2'000'001) - 1'000'000);
    return generator_() % 2 != 0 ? integer / 1024 : integer * T(0.1);
  }

  T Any() {
    if constexpr (std::is_integral_v<T>)
      return AnyInteger();
    else
      return AnyFloat();
  }
  // Divisors are less than 2^11: remainders of most floats have quotients that are not too large.
  T Usual(bool is_divisor) {
    if constexpr (std::is_integral_v<T>) {
      const T most = static_cast<T>(static_cast<T>(generator_()) >> (sizeof(T) == 8 ? 14 : 0));
      return is_divisor ? static_cast<T>(most % 2047) : most;
    } else {
      return UsualFloat() + (is_divisor ? T(0.1) : T(0));
    }
  }
  int Bit() { return static_cast<int>(generator_() % (8 * sizeof(T))); }

 private:
  std::mt19937_64 generator_{20240607};
};

template <typename T>
bool AreSame(T a, T b) {
  if (a != a || b != b) return a != a && b != b;
  if constexpr (std::is_floating_point_v<T>) return a == b && std::signbit(a) == std::signbit(b);
  return a == b;
}

template <class Fn, typename T>
void ExpectSame(Opcode opcode, const std::vector<T>& x, const std::vector<T>& y) {
  const ElementType type = kElementTypeOf<T>;
  const TileLoop loop = GetBlockKernels().elementwise(opcode, type);
  ASSERT_NE(loop, nullptr);
  std::vector<T> results(x.size());
  loop(x.data(), y.data(), nullptr, results.data(), static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_TRUE(AreSame(results[i], Fn()(x[i], y[i])))
        << ElementTypeName(type) << " " << OpcodeName(opcode) << " of " << +x[i] << " and " << +y[i]
        << " is " << +results[i];
  }
}

template <typename T>
void TestType() {
  Operands<T> operands;
  for (const size_t count : {1, 2, 3, 7, 8, 15, 33, 20'003}) {
    for (const bool is_usual : {false, true}) {
      std::vector<T> x(count), y(count);
      for (size_t i = 0; i < count; ++i) {
        x[i] = is_usual ? operands.Usual(/*is_divisor=*/false) : operands.Any();
        y[i] = is_usual ? operands.Usual(/*is_divisor=*/true) : operands.Any();
      }
      if constexpr (std::is_integral_v<T>) ExpectSame<DivideFn>(Opcode::kDivide, x, y);
      ExpectSame<RemainderFn>(Opcode::kRemainder, x, y);
      // Quotients that are integers, or nearly.
      if constexpr (std::is_floating_point_v<T>) {
        for (size_t i = 0; i < count; ++i) {
          x[i] = y[i] * static_cast<T>(i);
          if (i % 3 == 0) x[i] = std::nextafter(x[i], T(0));
        }
        ExpectSame<RemainderFn>(Opcode::kRemainder, x, y);
      }
    }
  }
}

TEST(VectorDivision, IsThatOfTheFunctors) {
  if (!testing::IsInstructionSetThere()) GTEST_SKIP();
  TestType<int8_t>();
  TestType<uint8_t>();
  TestType<int16_t>();
  TestType<uint16_t>();
  TestType<int32_t>();
  TestType<uint32_t>();
  TestType<int64_t>();
  TestType<uint64_t>();
  TestType<float>();
  TestType<double>();
}

// All of them.
TEST(VectorDivision, OfBytes) {
  if (!testing::IsInstructionSetThere()) GTEST_SKIP();
  std::vector<int8_t> x, y;
  for (int a = -128; a < 128; ++a) {
    for (int b = -128; b < 128; ++b) {
      x.push_back(static_cast<int8_t>(a));
      y.push_back(static_cast<int8_t>(b));
    }
  }
  ExpectSame<DivideFn>(Opcode::kDivide, x, y);
  ExpectSame<RemainderFn>(Opcode::kRemainder, x, y);
  const std::vector<uint8_t> u(x.begin(), x.end()), v(y.begin(), y.end());
  ExpectSame<DivideFn>(Opcode::kDivide, u, v);
  ExpectSame<RemainderFn>(Opcode::kRemainder, u, v);
}

}  // namespace
}  // namespace hlo::simd
