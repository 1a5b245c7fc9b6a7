// The vector kernels of transcendental functions against MPFR's correctly rounded ones, in the
// instruction set of this machine. docs/backends.md states the largest error of each.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "interp/simd/block_kernels.h"
#include "testing/exact_functions.h"
#include "testing/stated_errors.h"

namespace hlo::simd {
namespace {

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
Worst Measure(Opcode opcode, UnaryExact exact_function) {
  Samples<T> samples;
  std::vector<T> values(kSampleCount), results(kSampleCount);
  for (T& value : values) value = samples.Next();
  const TileLoop loop =
      GetBlockKernels().elementwise(opcode, sizeof(T) == 4 ? ElementType::kF32 : ElementType::kF64);
  loop(values.data(), nullptr, nullptr, results.data(), kSampleCount);
  Worst worst;
  for (size_t i = 0; i < values.size(); ++i) {
    Exact exact;
    exact_function(exact.get(), Exact(static_cast<double>(values[i])).get(), MPFR_RNDN);
    worst.Add(ErrorInUlp(results[i], exact), fmt::format("f({}) = {}", values[i], results[i]));
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

TEST(VectorMath, IsWhatThePageStates) {
  const std::map<std::string, StatedError> stated = StatedErrors("docs/backends.md");
  for (const Function& function : kFunctions) {
    const std::string name(OpcodeName(function.opcode));
    const auto row = stated.find(name);
    const StatedError limit = row == stated.end() ? StatedError{} : row->second;
    const Worst f32 = Measure<float>(function.opcode, function.f32);
    const Worst f64 = Measure<double>(function.opcode, function.f64);
    EXPECT_LE(f32.error, limit.f32) << name << " f32 " << f32.where;
    EXPECT_LE(f64.error, limit.f64) << name << " f64 " << f64.where;
  }
  EXPECT_EQ(stated.size(), std::size(kFunctions));
}

}  // namespace
}  // namespace hlo::simd
