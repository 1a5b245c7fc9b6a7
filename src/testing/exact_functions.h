// Correctly rounded functions, by MPFR, and errors measured against them: what tests of accuracy
// share.
#ifndef HLOKIT_TESTING_EXACT_FUNCTIONS_H_
#define HLOKIT_TESTING_EXACT_FUNCTIONS_H_

#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace hlo::testing {

inline constexpr mpfr_prec_t kPrecision = 200;
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
inline int ExactRsqrt(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) {
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

}  // namespace hlo::testing

#endif  // HLOKIT_TESTING_EXACT_FUNCTIONS_H_
