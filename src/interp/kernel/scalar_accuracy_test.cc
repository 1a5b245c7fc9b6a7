// The floating-point functions against MPFR's correctly rounded ones, on values from the whole
// range of the type and from where each function is interesting. docs/numerics.md states the
// largest error of each; this test measures it and compares.
//
// An error is counted in units in the last place (ULP) of the exact result: a correctly rounded
// function has at most 0.5. NaN, infinities and the sign of zeros must be exact.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <re2/re2.h>

#include "interp/kernel/scalar_ops_binary.h"
#include "interp/kernel/scalar_ops_unary.h"

namespace hlo {
namespace {

constexpr mpfr_prec_t kPrecision = 200;
constexpr int kSampleCount = 20'000;

class Exact {
 public:
  Exact() { mpfr_init2(value_, kPrecision); }
  explicit Exact(double x) : Exact() { mpfr_set_d(value_, x, MPFR_RNDN); }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;
  ~Exact() { mpfr_clear(value_); }
  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }

 private:
  mpfr_t value_;
};

using UnaryExact = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using BinaryExact = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

// 1 / (1 + e^-x); 0 where the type cannot hold e^-x (semantics.md 3).
template <typename T>
int ExactLogistic(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) {
  mpfr_neg(result, x, rounding);
  mpfr_exp(result, result, rounding);
  if (mpfr_cmp_d(result, static_cast<double>(std::numeric_limits<T>::max())) > 0) {
    mpfr_set_inf(result, 1);
  }
  mpfr_add_ui(result, result, 1, rounding);
  return mpfr_ui_div(result, 1, result, rounding);
}

// HLO's rsqrt(-0) is -infinity, as 1 / sqrt(-0) is.
int ExactRsqrt(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) {
  mpfr_sqrt(result, x, rounding);
  return mpfr_ui_div(result, 1, result, rounding);
}

// How far `actual` is from `exact`, in ULP of T at the exact value.
template <typename T>
double ErrorInUlp(T actual, const Exact& exact) {
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  if (mpfr_nan_p(exact.get())) return std::isnan(actual) ? 0 : kWrong;
  if (std::isnan(actual)) return kWrong;
  if (mpfr_inf_p(exact.get()) || mpfr_zero_p(exact.get())) {
    const bool is_same = static_cast<T>(mpfr_get_d(exact.get(), MPFR_RNDN)) == actual &&
                         std::signbit(actual) == (mpfr_signbit(exact.get()) != 0);
    return is_same ? 0 : kWrong;
  }
  // Infinity stands for the power of two behind the largest number and all that is larger.
  constexpr int kDigits = std::numeric_limits<T>::digits;
  Exact distance;
  if (std::isinf(actual)) {
    const bool is_beyond = mpfr_get_exp(exact.get()) > std::numeric_limits<T>::max_exponent;
    if (is_beyond) return (actual < 0) == (mpfr_sgn(exact.get()) < 0) ? 0 : kWrong;
    mpfr_set_ui_2exp(distance.get(), 1, std::numeric_limits<T>::max_exponent, MPFR_RNDN);
    if (actual < 0) mpfr_neg(distance.get(), distance.get(), MPFR_RNDN);
  } else {
    mpfr_set_d(distance.get(), static_cast<double>(actual), MPFR_RNDN);
  }
  mpfr_sub(distance.get(), distance.get(), exact.get(), MPFR_RNDN);
  const long exponent =
      std::clamp<long>(mpfr_get_exp(exact.get()), std::numeric_limits<T>::min_exponent,
                       std::numeric_limits<T>::max_exponent);
  mpfr_mul_2si(distance.get(), distance.get(), kDigits - exponent, MPFR_RNDN);
  return std::fabs(mpfr_get_d(distance.get(), MPFR_RNDN));
}

// Values of all magnitudes, and many where functions turn: around 0 and 1, up to some hundreds.
template <typename T>
class Samples {
 public:
  T Next() {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    constexpr T kSpecial[] = {T(0),
                              T(-0.0),
                              T(1),
                              T(-1),
                              std::numeric_limits<T>::infinity(),
                              -std::numeric_limits<T>::infinity(),
                              std::numeric_limits<T>::quiet_NaN(),
                              std::numeric_limits<T>::denorm_min(),
                              std::numeric_limits<T>::min(),
                              std::numeric_limits<T>::max(),
                              std::numeric_limits<T>::lowest()};
    switch (count_++ % 4) {
      case 0:
        return std::bit_cast<T>(static_cast<Bits>(generator_()));
      case 1:
        return T(std::uniform_real_distribution<double>(-1.5, 1.5)(generator_));
      case 2:
        return T(std::uniform_real_distribution<double>(-800, 800)(generator_));
      default:
        return generator_() % 8 == 0
                   ? kSpecial[generator_() % std::size(kSpecial)]
                   : T(std::exp2(std::uniform_real_distribution<double>(-30, 8)(generator_)));
    }
  }

 private:
  std::mt19937_64 generator_{20240607};
  int64_t count_ = 0;
};

struct Worst {
  double error = 0;
  std::string where = "nowhere";

  void Add(double new_error, const std::string& place) {
    if (!(new_error > error)) return;
    error = new_error;
    where = place;
  }
};

template <typename T, typename Function>
Worst MeasureUnary(Function function, UnaryExact exact_function) {
  Worst worst;
  Samples<T> samples;
  for (int i = 0; i < kSampleCount; ++i) {
    const T x = samples.Next();
    Exact exact;
    exact_function(exact.get(), Exact(static_cast<double>(x)).get(), MPFR_RNDN);
    worst.Add(ErrorInUlp(function(x), exact), fmt::format("f({}) = {}", x, function(x)));
  }
  return worst;
}

template <typename T, typename Function>
Worst MeasureBinary(Function function, BinaryExact exact_function) {
  Worst worst;
  Samples<T> samples;
  for (int i = 0; i < kSampleCount; ++i) {
    const T x = samples.Next();
    const T y = samples.Next();
    Exact exact;
    exact_function(exact.get(), Exact(static_cast<double>(x)).get(),
                   Exact(static_cast<double>(y)).get(), MPFR_RNDN);
    worst.Add(ErrorInUlp(function(x, y), exact),
              fmt::format("f({}, {}) = {}", x, y, function(x, y)));
  }
  return worst;
}

struct Measured {
  Worst f32, f64;
};

template <typename Function>
Measured Unary(UnaryExact exact, UnaryExact exact_f64 = nullptr) {
  return {MeasureUnary<float>(Function(), exact),
          MeasureUnary<double>(Function(), exact_f64 != nullptr ? exact_f64 : exact)};
}
template <typename Function>
Measured Binary(BinaryExact exact) {
  return {MeasureBinary<float>(Function(), exact), MeasureBinary<double>(Function(), exact)};
}

std::map<std::string, Measured> MeasureAll() {
  return {
      {"acos", Unary<AcosFn>(mpfr_acos)},
      {"acosh", Unary<AcoshFn>(mpfr_acosh)},
      {"add", Binary<AddFn>(mpfr_add)},
      {"asin", Unary<AsinFn>(mpfr_asin)},
      {"asinh", Unary<AsinhFn>(mpfr_asinh)},
      {"atan2", Binary<Atan2Fn>(mpfr_atan2)},
      {"atanh", Unary<AtanhFn>(mpfr_atanh)},
      {"cbrt", Unary<CbrtFn>(mpfr_cbrt)},
      {"cosh", Unary<CoshFn>(mpfr_cosh)},
      {"cosine", Unary<CosineFn>(mpfr_cos)},
      {"divide", Binary<DivideFn>(mpfr_div)},
      {"erf", Unary<ErfFn>(mpfr_erf)},
      {"exponential", Unary<ExponentialFn>(mpfr_exp)},
      {"exponential-minus-one", Unary<ExponentialMinusOneFn>(mpfr_expm1)},
      {"log", Unary<LogFn>(mpfr_log)},
      {"log-plus-one", Unary<LogPlusOneFn>(mpfr_log1p)},
      {"logistic", Unary<LogisticFn>(ExactLogistic<float>, ExactLogistic<double>)},
      {"multiply", Binary<MultiplyFn>(mpfr_mul)},
      {"power", Binary<PowerFn>(mpfr_pow)},
      {"remainder", Binary<RemainderFn>(mpfr_fmod)},
      {"rsqrt", Unary<RsqrtFn>(ExactRsqrt)},
      {"sine", Unary<SineFn>(mpfr_sin)},
      {"sinh", Unary<SinhFn>(mpfr_sinh)},
      {"sqrt", Unary<SqrtFn>(mpfr_sqrt)},
      {"subtract", Binary<SubtractFn>(mpfr_sub)},
      {"tan", Unary<TanFn>(mpfr_tan)},
      {"tanh", Unary<TanhFn>(mpfr_tanh)},
  };
}

struct Stated {
  double f32 = 0, f64 = 0;
};

// The rows `| opcode | f32 | f64 |` of the page.
std::map<std::string, Stated> StatedErrors() {
  std::map<std::string, Stated> stated;
  std::ifstream page(HLOKIT_SOURCE_DIR "/docs/numerics.md");
  EXPECT_TRUE(page) << "docs/numerics.md is missing";
  for (std::string line; std::getline(page, line);) {
    std::string name;
    Stated row;
    if (RE2::FullMatch(line, R"(\| `([a-z0-9-]+)` \| ([0-9.]+) \| ([0-9.]+) \|.*)", &name, &row.f32,
                       &row.f64)) {
      stated[name] = row;
    }
  }
  return stated;
}

TEST(ScalarAccuracy, IsWhatThePageStates) {
  const std::map<std::string, Stated> stated = StatedErrors();
  const std::map<std::string, Measured> measured = MeasureAll();
  for (const auto& [name, errors] : measured) {
    const auto row = stated.find(name);
    const Stated limit = row == stated.end() ? Stated{} : row->second;
    EXPECT_LE(errors.f32.error, limit.f32) << name << " f32 " << errors.f32.where;
    EXPECT_LE(errors.f64.error, limit.f64) << name << " f64 " << errors.f64.where;
  }
  EXPECT_EQ(stated.size(), measured.size());
}

}  // namespace
}  // namespace hlo
