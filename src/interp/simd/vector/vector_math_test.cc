// The vector kernels of transcendental functions and powers against MPFR's correctly rounded ones,
// in the instruction set of this machine. docs/backends.md states the largest error of each.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "interp/simd/instruction_set.h"
#include "interp/simd/loops/block_kernels.h"
#include "testing/exact_functions.h"
#include "testing/run_module.h"
#include "testing/stated_errors.h"

namespace hlo::simd {
namespace {

using testing::BinaryExact;
using testing::ErrorInUlp;
using testing::Exact;
using testing::ExactLogistic;
using testing::Samples;
using testing::StatedError;
using testing::StatedErrors;
using testing::UnaryExact;
using testing::Worst;

constexpr int kSampleCount = 20'000;

template <typename T>
std::vector<T> AnyNumbers() {
  Samples<T> samples;
  std::vector<T> values(kSampleCount);
  for (T& value : values) value = samples.Next();
  return values;
}

// Up to where exponentials leave the numbers on both sides, which vectors of moderate numbers have
// one of at first; and what has no logarithm.
template <typename T>
std::vector<T> NumbersNearEnds() {
  using Limits = std::numeric_limits<T>;
  constexpr T kEnd = sizeof(T) == 4 ? T(120) : T(800);
  std::vector<T> values;
  std::mt19937_64 generator(20261129);
  std::uniform_real_distribution<T> any(-kEnd, kEnd), moderate(-1, 1);
  for (int i = 0; i < kSampleCount; ++i) {
    values.push_back(i % 64 == 0 || i > kSampleCount / 2 ? any(generator) : moderate(generator));
  }
  for (const T value : {T(-1), T(-2), T(0), T(-0.0), Limits::infinity(), -Limits::infinity(),
                        Limits::quiet_NaN(), Limits::max(), Limits::lowest(), T(1e9), T(-1e9)}) {
    values.push_back(value);
    values.push_back(-kEnd);
  }
  return values;
}

template <typename T>
Worst Measure(Opcode opcode, UnaryExact exact_function, const std::vector<T>& values) {
  std::vector<T> results(values.size());
  const TileLoop loop =
      GetBlockKernels().elementwise(opcode, sizeof(T) == 4 ? ElementType::kF32 : ElementType::kF64);
  loop(values.data(), nullptr, nullptr, results.data(), static_cast<int64_t>(values.size()));
  Worst worst;
  for (size_t i = 0; i < values.size(); ++i) {
    Exact exact;
    exact_function(exact.get(), Exact(static_cast<double>(values[i])).get(), MPFR_RNDN);
    worst.Add(ErrorInUlp(results[i], exact), fmt::format("f({}) = {}", values[i], results[i]));
  }
  return worst;
}

// What functions of two arguments turn on: zeros, infinities, NaN, and for powers even and odd
// exponents up to where all are even.
template <typename T>
std::vector<T> SpecialOperands() {
  using Limits = std::numeric_limits<T>;
  const T first_even = std::exp2(T(Limits::digits));
  std::vector<T> values;
  for (const T magnitude :
       {T(0), T(1), T(2), T(3), T(0.5), T(1.5), T(1e-20), T(1e20), Limits::infinity(),
        Limits::denorm_min(), Limits::min(), Limits::max(), Limits::quiet_NaN(), first_even,
        first_even - 1, first_even / 2 - T(0.5), std::nextafter(T(1), T(0)),
        std::nextafter(T(1), T(2))}) {
    values.push_back(magnitude);
    values.push_back(-magnitude);
  }
  return values;
}

// Pairs of these; then all magnitudes, and such whose powers are near the ends of the type's range.
template <typename T>
void MakeOperands(std::vector<T>& x, std::vector<T>& y) {
  for (const T base : SpecialOperands<T>()) {
    for (const T exponent : SpecialOperands<T>()) {
      x.push_back(base);
      y.push_back(exponent);
    }
  }
  Samples<T> samples;
  std::mt19937_64 generator(20240607);
  const auto uniform = [&](double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(generator);
  };
  for (int i = 0; i < kSampleCount; ++i) {
    x.push_back(samples.Next());
    y.push_back(samples.Next());
    const double base = std::exp2(uniform(-6, 6)), near_one = std::exp2(uniform(-0.1, 0.1));
    const double log =
        uniform(std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits,
                std::numeric_limits<T>::max_exponent + 1);
    for (const double value : {base, near_one}) {
      x.push_back(static_cast<T>(value));
      y.push_back(static_cast<T>(log / std::log2(value)));
    }
  }
  // Whole vectors of cubes.
  for (const T base : SpecialOperands<T>()) x.push_back(base);
  for (int i = 0; i < kSampleCount; ++i) x.push_back(samples.Next());
  y.resize(x.size(), T(3));
}

// The sign of zeros too, also of those that stand for what is smaller.
template <typename T>
Worst MeasureOfTwo(Opcode opcode, BinaryExact exact_function) {
  std::vector<T> x, y;
  MakeOperands(x, y);
  std::vector<T> results(x.size());
  const TileLoop loop =
      GetBlockKernels().elementwise(opcode, sizeof(T) == 4 ? ElementType::kF32 : ElementType::kF64);
  loop(x.data(), y.data(), nullptr, results.data(), static_cast<int64_t>(x.size()));
  Worst worst;
  for (size_t i = 0; i < x.size(); ++i) {
    Exact exact;
    exact_function(exact.get(), Exact(static_cast<double>(x[i])).get(),
                   Exact(static_cast<double>(y[i])).get(), MPFR_RNDN);
    const bool has_sign =
        std::isnan(results[i]) || std::signbit(results[i]) == (mpfr_signbit(exact.get()) != 0);
    worst.Add(has_sign ? ErrorInUlp(results[i], exact) : std::numeric_limits<double>::infinity(),
              fmt::format("f({}, {}) = {}", x[i], y[i], results[i]));
  }
  return worst;
}

struct Function {
  Opcode opcode;
  UnaryExact f32, f64;
};

const Function kFunctions[] = {
    {Opcode::kAcos, mpfr_acos, mpfr_acos},
    {Opcode::kAcosh, mpfr_acosh, mpfr_acosh},
    {Opcode::kAsin, mpfr_asin, mpfr_asin},
    {Opcode::kAsinh, mpfr_asinh, mpfr_asinh},
    {Opcode::kAtanh, mpfr_atanh, mpfr_atanh},
    {Opcode::kCbrt, mpfr_cbrt, mpfr_cbrt},
    {Opcode::kCosh, mpfr_cosh, mpfr_cosh},
    {Opcode::kCosine, mpfr_cos, mpfr_cos},
    {Opcode::kErf, mpfr_erf, mpfr_erf},
    {Opcode::kExponential, mpfr_exp, mpfr_exp},
    {Opcode::kExponentialMinusOne, mpfr_expm1, mpfr_expm1},
    {Opcode::kLog, mpfr_log, mpfr_log},
    {Opcode::kLogPlusOne, mpfr_log1p, mpfr_log1p},
    {Opcode::kLogistic, ExactLogistic<float>, ExactLogistic<double>},
    {Opcode::kSine, mpfr_sin, mpfr_sin},
    {Opcode::kSinh, mpfr_sinh, mpfr_sinh},
    {Opcode::kTan, mpfr_tan, mpfr_tan},
    {Opcode::kTanh, mpfr_tanh, mpfr_tanh},
};

constexpr struct {
  Opcode opcode;
  BinaryExact exact;
} kFunctionsOfTwo[] = {{Opcode::kAtan2, mpfr_atan2}, {Opcode::kPower, mpfr_pow}};

TEST(VectorMath, IsWhatThePageStates) {
  if (!testing::IsInstructionSetThere()) GTEST_SKIP() << "no such instruction set here";
  if (ForcedInstructionSet() == "scalar") {
    GTEST_SKIP() << "without vectors these are the reference kernels' functions, which "
                    "scalar_accuracy_test measures";
  }
  std::map<std::string, StatedError> stated =
      StatedErrors("docs/backends.md", /*pair=*/HasAvx512() ? 0 : 1);
  for (const Function& function : kFunctions) {
    const std::string name(OpcodeName(function.opcode));
    const auto row = stated.find(name);
    const StatedError limit = row == stated.end() ? StatedError{} : row->second;
    const Worst f32 = Measure<float>(function.opcode, function.f32, AnyNumbers<float>());
    const Worst f64 = Measure<double>(function.opcode, function.f64, AnyNumbers<double>());
    EXPECT_LE(f32.error, limit.f32) << name << " f32 " << f32.where;
    EXPECT_LE(f64.error, limit.f64) << name << " f64 " << f64.where;
  }
  for (const auto& function : kFunctionsOfTwo) {
    const std::string name(OpcodeName(function.opcode));
    const StatedError limit = stated[name];
    const Worst f32 = MeasureOfTwo<float>(function.opcode, function.exact);
    const Worst f64 = MeasureOfTwo<double>(function.opcode, function.exact);
    EXPECT_LE(f32.error, limit.f32) << name << " f32 " << f32.where;
    EXPECT_LE(f64.error, limit.f64) << name << " f64 " << f64.where;
  }
  EXPECT_EQ(stated.size(), std::size(kFunctions) + std::size(kFunctionsOfTwo));
}

// Of those that have ways of their own there; within what tolerance.def allows them.
TEST(VectorMath, HoldsNearTheEnds) {
  if (!testing::IsInstructionSetThere()) GTEST_SKIP() << "no such instruction set here";
  if (ForcedInstructionSet() == "scalar") GTEST_SKIP() << "no vectors";
  constexpr double kMost = 4;
  for (const Function& function : kFunctions) {
    if (function.opcode != Opcode::kExponential && function.opcode != Opcode::kLogistic &&
        function.opcode != Opcode::kExponentialMinusOne && function.opcode != Opcode::kLogPlusOne) {
      continue;
    }
    const Worst f32 = Measure<float>(function.opcode, function.f32, NumbersNearEnds<float>());
    const Worst f64 = Measure<double>(function.opcode, function.f64, NumbersNearEnds<double>());
    EXPECT_LE(f32.error, kMost) << OpcodeName(function.opcode) << " f32 " << f32.where;
    EXPECT_LE(f64.error, kMost) << OpcodeName(function.opcode) << " f64 " << f64.where;
  }
}

}  // namespace
}  // namespace hlo::simd
