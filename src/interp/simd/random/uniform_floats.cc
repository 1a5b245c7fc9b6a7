// A plain loop, which the compiler makes vectors of.
#include "interp/simd/random/uniform_floats.h"

#include <algorithm>
#include <bit>

#include "interp/simd/loops/block_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/random/uniform_floats.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_AVX2
// What has 53 bits at most: no vectors are converted from 64 bits there. Both halves become the low
// digits of a float that has room for them, exactly.
double ToDouble(uint64_t number) {
  const uint64_t low = number & 0xffffffff, high = number >> 32;
  return (std::bit_cast<double>(high | std::bit_cast<uint64_t>(0x1p84)) - (0x1p84 + 0x1p52)) +
         std::bit_cast<double>(low | std::bit_cast<uint64_t>(0x1p52));
}
#else
double ToDouble(uint64_t number) { return static_cast<double>(static_cast<int64_t>(number)); }
#endif

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
// One rounding or two are the same: `unit` is a power of two.
double ProductAndSum(double number, double unit, double offset) {
  return __builtin_fma(number, unit, offset);
}

// By the inverse, corrected twice by what it is off, which fma finds exactly (Markstein 1990): the
// correctly rounded quotient, several times as fast.
class Divisor {
 public:
  explicit Divisor(double value) : value_(value), inverse_(1 / value) {}
  double Divide(double x) const {
    double quotient = x * inverse_;
    for (int i = 0; i < 2; ++i) {
      quotient = __builtin_fma(__builtin_fma(-quotient, value_, x), inverse_, quotient);
    }
    return quotient;
  }

 private:
  double value_, inverse_;
};
#else
double ProductAndSum(double number, double unit, double offset) { return number * unit + offset; }

class Divisor {
 public:
  explicit Divisor(double value) : value_(value) {}
  double Divide(double x) const { return x / value_; }

 private:
  double value_;
};
#endif

template <typename T>
void Fill(const UniformRange& range, RandomStream stream, T* to, int64_t count) {
  const double unit = range.factor * RandomStream::kUnit, offset = range.offset;
  const Divisor divisor(range.divisor);
  for (int64_t i = 0; i < count; ++i) {
    const double number = ToDouble(static_cast<uint64_t>(stream.NextBits()));
    to[i] = static_cast<T>(divisor.Divide(ProductAndSum(number, unit, offset)));
  }
}
void FillF32(const UniformRange& range, RandomStream stream, float* to, int64_t count) {
  Fill(range, stream, to, count);
}
void FillF64(const UniformRange& range, RandomStream stream, double* to, int64_t count) {
  Fill(range, stream, to, count);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(FillF32);
HWY_EXPORT(FillF64);

namespace {

// Some of them as f32 at a time, which stay in the first-level cache.
void FillNarrow(ElementType type, const UniformRange& range, RandomStream stream, std::byte* to,
                int64_t count) {
  constexpr int64_t kAtOnce = 1024;
  const TileLoop narrow = GetBlockKernels().narrow(type);
  const int64_t size = ElementByteSize(type);
  float numbers[kAtOnce];
  for (int64_t i = 0; i < count; i += kAtOnce) {
    const int64_t n = std::min(kAtOnce, count - i);
    HWY_DYNAMIC_DISPATCH(FillF32)(range, stream, numbers, n);
    narrow(numbers, nullptr, nullptr, to + i * size, n);
    stream.Skip(static_cast<uint64_t>(n));
  }
}

}  // namespace

void FillUniform(ElementType type, const UniformRange& range, RandomStream stream, std::byte* to,
                 int64_t count) {
  switch (type) {
    case ElementType::kC64:
      count *= 2;
      [[fallthrough]];
    case ElementType::kF32:
      return HWY_DYNAMIC_DISPATCH(FillF32)(range, stream, reinterpret_cast<float*>(to), count);
    case ElementType::kC128:
      count *= 2;
      [[fallthrough]];
    case ElementType::kF64:
      return HWY_DYNAMIC_DISPATCH(FillF64)(range, stream, reinterpret_cast<double*>(to), count);
    default:
      return FillNarrow(type, range, stream, to, count);
  }
}

}  // namespace hlo::simd
#endif
