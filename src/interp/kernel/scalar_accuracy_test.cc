// The floating-point functions against MPFR's correctly rounded ones, on values from the whole
// range of the type and from where each function is interesting. docs/numerics.md states the
// largest error of each; this test measures it and compares.
//
// An error is counted in units in the last place (ULP) of the exact result: a correctly rounded
// function has at most 0.5. NaN, infinities and the sign of zeros must be exact.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "interp/kernel/scalar_ops_binary.h"
#include "interp/kernel/scalar_ops_unary.h"
#include "testing/exact_functions.h"
#include "testing/stated_errors.h"

namespace hlo {
namespace {

using testing::BinaryExact;
using testing::ErrorInUlp;
using testing::Exact;
using testing::ExactLogistic;
using testing::ExactRsqrt;
using testing::Samples;
using testing::StatedError;
using testing::StatedErrors;
using testing::UnaryExact;
using testing::Worst;

constexpr int kSampleCount = 20'000;

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

TEST(ScalarAccuracy, IsWhatThePageStates) {
  const std::map<std::string, StatedError> stated = StatedErrors("docs/numerics.md");
  const std::map<std::string, Measured> measured = MeasureAll();
  for (const auto& [name, errors] : measured) {
    const auto row = stated.find(name);
    const StatedError limit = row == stated.end() ? StatedError{} : row->second;
    EXPECT_LE(errors.f32.error, limit.f32) << name << " f32 " << errors.f32.where;
    EXPECT_LE(errors.f64.error, limit.f64) << name << " f64 " << errors.f64.where;
  }
  EXPECT_EQ(stated.size(), measured.size());
}

}  // namespace
}  // namespace hlo
