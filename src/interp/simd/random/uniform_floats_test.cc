// Floats made many at a time are those of the stream, one by one, bit for bit.
#include "interp/simd/random/uniform_floats.h"

#include <cmath>
#include <span>
#include <type_traits>
#include <vector>

#include "gtest/gtest.h"
#include "ir/element_type.h"
#include "ir/narrow_float.h"

namespace hlo::simd {
namespace {

template <typename T>
void ExpectThoseOfTheStream(const UniformRange& range, uint64_t seed, int64_t count) {
  std::vector<T> many(static_cast<size_t>(count));
  FillUniform(kElementTypeOf<T>, range, RandomStream(seed),
              std::as_writable_bytes(std::span(many)).data(), count);
  using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
  RandomStream stream(seed);
  for (int64_t i = 0; i < count; ++i) {
    const auto one = static_cast<T>(static_cast<Real>(range.Next(stream)));
    ASSERT_EQ(many[static_cast<size_t>(i)], one)
        << "number " << i << " of seed " << seed << " by " << range.divisor;
  }
}

TEST(UniformFloats, AreThoseOfTheStream) {
  for (int64_t count = 0; count < 70; ++count) {
    ExpectThoseOfTheStream<float>({2, -1, 3}, 7, count);
    ExpectThoseOfTheStream<double>({1, 0.5, 1}, 7, count);
    ExpectThoseOfTheStream<Bf16>({2, -1, 3}, 7, count);
  }
  uint64_t seed = 1;
  // The divisors of generated inputs: square roots of numbers of terms.
  for (int64_t terms = 1; terms < (int64_t{1} << 40); terms = terms * 3 / 2 + 1) {
    const UniformRange range = {2, -1, std::sqrt(static_cast<double>(terms))};
    ExpectThoseOfTheStream<float>(range, seed++, 10'000);
    ExpectThoseOfTheStream<double>(range, seed++, 10'000);
    ExpectThoseOfTheStream<F8E4M3Fn>(range, seed++, 10'000);
  }
}

}  // namespace
}  // namespace hlo::simd
