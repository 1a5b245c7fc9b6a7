// All lengths up to 64 and some beyond, whose prime factors are small (mixed radix) or large
// (Bluestein's algorithm), against the definition summed up in long double.
#include "interp/reference/fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <new>
#include <numbers>

namespace hlo::reference {
namespace {

using Complex = std::complex<double>;

std::vector<Complex> MakeSignal(int64_t length) {
  std::vector<Complex> signal;
  for (int64_t i = 0; i < length; ++i) {
    signal.emplace_back(static_cast<double>(i * 37 % 23) - 11, static_cast<double>(i * 11 % 17));
  }
  return signal;
}

// The definition, with angles reduced exactly.
std::vector<Complex> NaiveTransform(const std::vector<Complex>& signal) {
  const auto length = static_cast<int64_t>(signal.size());
  std::vector<Complex> bins(signal.size());
  for (int64_t k = 0; k < length; ++k) {
    std::complex<long double> sum;
    for (int64_t n = 0; n < length; ++n) {
      const long double angle =
          -2 * std::numbers::pi_v<long double> * static_cast<long double>(k * n % length) / length;
      sum += std::complex<long double>(signal[n]) *
             std::complex<long double>(std::cos(angle), std::sin(angle));
    }
    bins[k] = Complex(sum);
  }
  return bins;
}

double MaxDistance(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  double distance = 0;
  for (size_t i = 0; i < a.size(); ++i) distance = std::max(distance, std::abs(a[i] - b[i]));
  return distance;
}

TEST(FftTest, MatchesTheDefinitionAtEveryKindOfLength) {
  std::vector<int64_t> lengths = {67, 97, 128, 243, 254, 360, 509, 512, 1000};
  for (int64_t length = 1; length <= 64; ++length) lengths.push_back(length);
  for (int64_t length : lengths) {
    const std::vector<Complex> signal = MakeSignal(length);
    std::vector<Complex> bins = signal;
    const FftPlan plan(length);
    std::vector<Complex> scratch(static_cast<size_t>(plan.scratch_count()));
    plan.Forward(bins.data(), scratch.data());
    EXPECT_LT(MaxDistance(bins, NaiveTransform(signal)), 1e-12 * static_cast<double>(length) * 16)
        << length;
    plan.Inverse(bins.data(), scratch.data());
    EXPECT_LT(MaxDistance(bins, signal), 1e-11) << length;
  }
}

TEST(FftTest, QuarterTurnsAreExact) {
  EXPECT_EQ(UnitRoot(0, 12), Complex(1, 0));
  EXPECT_EQ(UnitRoot(3, 12), Complex(0, -1));
  EXPECT_EQ(UnitRoot(6, 12), Complex(-1, 0));
  EXPECT_EQ(UnitRoot(9, 12), Complex(0, 1));
  EXPECT_EQ(UnitRoot(-3, 12), Complex(0, 1));
  EXPECT_NEAR(std::abs(UnitRoot(5, 7) - std::polar(1.0, -2 * std::numbers::pi * 5 / 7)), 0, 1e-15);
}

TEST(FftTest, ZerosStayZeros) {
  for (int64_t length : {4, 12, 37}) {
    std::vector<Complex> data(static_cast<size_t>(length));
    const FftPlan plan(length);
    std::vector<Complex> scratch(static_cast<size_t>(plan.scratch_count()));
    plan.Forward(data.data(), scratch.data());
    for (Complex bin : data) EXPECT_EQ(bin, Complex());
  }
}

// 2 n - 1, the least length of the convolution behind it, has no room in 64 bits.
TEST(FftTest, LengthsBeyondAllMemoryAreRefused) {
  EXPECT_THROW(FftPlan(INT64_MAX), std::bad_alloc);
}

}  // namespace
}  // namespace hlo::reference
