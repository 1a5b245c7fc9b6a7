// Butterflies of radix 2, 4, 8 and of odd radices. These put inputs k and radix - k together: their
// sum meets cosines only, their difference sines only, which makes half as many products.
#include "interp/simd/linalg/fft_kernels.h"

#include <cstddef>
#include <numbers>

// The file is compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/linalg/fft_kernels.cc"
#include "interp/simd/vector/targets.h"
// After targets.h, which says for which.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, static_cast<size_t>(kFftLanes)>;
using V = hn::Vec<D>;
constexpr int64_t kElement = 2 * kFftLanes;  // doubles

struct Complex {
  V re, im;
};

HWY_INLINE Complex Load(const double* at) {
  return {hn::LoadU(D(), at), hn::LoadU(D(), at + kFftLanes)};
}
HWY_INLINE void Store(Complex x, double* at) {
  hn::StoreU(x.re, D(), at);
  hn::StoreU(x.im, D(), at + kFftLanes);
}
HWY_INLINE Complex operator+(Complex a, Complex b) {
  return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)};
}
HWY_INLINE Complex operator-(Complex a, Complex b) {
  return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)};
}
// a - i b and a + i b
HWY_INLINE Complex MinusI(Complex a, Complex b) {
  return {hn::Add(a.re, b.im), hn::Sub(a.im, b.re)};
}
HWY_INLINE Complex PlusI(Complex a, Complex b) {
  return {hn::Sub(a.re, b.im), hn::Add(a.im, b.re)};
}
HWY_INLINE Complex Times(Complex a, V re, V im) {
  return {hn::MulSub(a.re, re, hn::Mul(a.im, im)), hn::MulAdd(a.re, im, hn::Mul(a.im, re))};
}
HWY_INLINE Complex Times(Complex a, std::complex<double> b) {
  return Times(a, hn::Set(D(), b.real()), hn::Set(D(), b.imag()));
}

template <int kRadix>
struct Butterfly;

template <>
struct Butterfly<2> {
  static HWY_INLINE void Run(Complex* a) {
    const Complex sum = a[0] + a[1];
    a[1] = a[0] - a[1];
    a[0] = sum;
  }
};

template <>
struct Butterfly<4> {
  static HWY_INLINE void Run(Complex& a, Complex& b, Complex& c, Complex& d) {
    const Complex even = a + c, even_difference = a - c;
    const Complex odd = b + d, odd_difference = b - d;
    a = even + odd;
    b = MinusI(even_difference, odd_difference);
    c = even - odd;
    d = PlusI(even_difference, odd_difference);
  }
  static HWY_INLINE void Run(Complex* a) { Run(a[0], a[1], a[2], a[3]); }
};

template <>
struct Butterfly<8> {
  static HWY_INLINE void Run(Complex* a) {
    Butterfly<4>::Run(a[0], a[2], a[4], a[6]);
    Butterfly<4>::Run(a[1], a[3], a[5], a[7]);
    // The odd ones, turned by 1, 1/8, 2/8 and 3/8 of a circle.
    const V half = hn::Set(D(), std::numbers::sqrt2 / 2);
    const Complex one = a[3], three = a[7], first = a[1], second = a[5];
    const Complex eighth = {hn::Mul(hn::Add(one.re, one.im), half),
                            hn::Mul(hn::Sub(one.im, one.re), half)};
    const Complex three_eighths = {hn::Mul(hn::Sub(three.im, three.re), half),
                                   hn::Mul(hn::Add(three.im, three.re), half)};  // but for the sign
    const Complex e0 = a[0], e1 = a[2], e2 = a[4], e3 = a[6];
    a[0] = e0 + first;
    a[4] = e0 - first;
    a[1] = e1 + eighth;
    a[5] = e1 - eighth;
    a[2] = MinusI(e2, second);
    a[6] = PlusI(e2, second);
    a[3] = {hn::Add(e3.re, three_eighths.re), hn::Sub(e3.im, three_eighths.im)};
    a[7] = {hn::Sub(e3.re, three_eighths.re), hn::Add(e3.im, three_eighths.im)};
  }
};

// Radix 0: as the stage says.
template <int kRadix>
HWY_INLINE void OddButterfly(int64_t stage_radix, const double* waves, Complex* a) {
  const int64_t radix = kRadix == 0 ? stage_radix : kRadix;
  const int64_t half = radix / 2;
  Complex sums[kMaxFftRadix / 2], differences[kMaxFftRadix / 2];
  const Complex first = a[0];
  for (int64_t k = 0; k < half; ++k) {
    sums[k] = a[k + 1] + a[radix - 1 - k];
    differences[k] = a[k + 1] - a[radix - 1 - k];
    a[0] = a[0] + sums[k];
  }
  for (int64_t j = 0; j < half; ++j) {
    Complex even = first, odd = {hn::Zero(D()), hn::Zero(D())};
    for (int64_t k = 0; k < half; ++k) {
      const V cosine = hn::Set(D(), waves[2 * (j * half + k)]);
      const V sine = hn::Set(D(), waves[2 * (j * half + k) + 1]);
      even = {hn::MulAdd(sums[k].re, cosine, even.re), hn::MulAdd(sums[k].im, cosine, even.im)};
      odd = {hn::MulAdd(differences[k].re, sine, odd.re),
             hn::MulAdd(differences[k].im, sine, odd.im)};
    }
    a[j + 1] = PlusI(even, odd);
    a[radix - 1 - j] = MinusI(even, odd);
  }
}

template <int kRadix>
void RunStage(const FftStage& stage, const double* from, double* to) {
  const int64_t radix = kRadix == 0 ? stage.radix : kRadix;
  const int64_t step = stage.parts * stage.stride * kElement;
  for (int64_t p = 0; p < stage.parts; ++p) {
    const std::complex<double>* roots = stage.roots + p * (radix - 1);
    for (int64_t q = 0; q < stage.stride; ++q) {
      const double* source = from + (q + stage.stride * p) * kElement;
      double* target = to + (q + stage.stride * radix * p) * kElement;
      for (size_t lane = 0; lane < kFftLanes; lane += hn::Lanes(D())) {
        Complex a[kRadix == 0 ? kMaxFftRadix : kRadix];
        for (int64_t k = 0; k < radix; ++k) a[k] = Load(source + k * step + lane);
        if constexpr (kRadix == 2 || kRadix == 4 || kRadix == 8) {
          Butterfly<kRadix>::Run(a);
        } else {
          OddButterfly<kRadix>(radix, stage.waves, a);
        }
        Store(a[0], target + lane);
        for (int64_t j = 1; j < radix; ++j) {
          if (p > 0) a[j] = Times(a[j], roots[j - 1]);
          Store(a[j], target + j * stage.stride * kElement + lane);
        }
      }
    }
  }
}

void Stage(const FftStage& stage, const double* from, double* to) {
  switch (stage.radix) {
    case 2:
      return RunStage<2>(stage, from, to);
    case 3:
      return RunStage<3>(stage, from, to);
    case 4:
      return RunStage<4>(stage, from, to);
    case 5:
      return RunStage<5>(stage, from, to);
    case 8:
      return RunStage<8>(stage, from, to);
    default:  // odd
      return RunStage<0>(stage, from, to);
  }
}

void Multiply(const std::complex<double>* factors, int64_t count, bool conjugates, double* data) {
  for (int64_t i = 0; i < count; ++i) {
    for (size_t lane = 0; lane < kFftLanes; lane += hn::Lanes(D())) {
      double* element = data + i * kElement + lane;
      Complex product = Times(Load(element), factors[i]);
      if (conjugates) product.im = hn::Neg(product.im);
      Store(product, element);
    }
  }
}

void Conjugate(int64_t count, double* data) {
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t lane = 0; lane < kFftLanes; ++lane) {
      double& imaginary = data[i * kElement + kFftLanes + lane];
      imaginary = -imaginary;
    }
  }
}

template <typename T>
void LoadComplex(const std::byte* from, int64_t stride, int64_t count, bool swaps, double* to) {
  const int64_t re = swaps ? kFftLanes : 0, im = kFftLanes - re;
  for (int64_t i = 0; i < count; ++i) {
    const T* row = reinterpret_cast<const T*>(from + i * stride);
    double* element = to + i * kElement;
    for (int64_t lane = 0; lane < kFftLanes; ++lane) {
      element[re + lane] = static_cast<double>(row[2 * lane]);
      element[im + lane] = static_cast<double>(row[2 * lane + 1]);
    }
  }
}

template <typename T>
void LoadReal(const std::byte* from, int64_t stride, int64_t count, double* to) {
  for (int64_t i = 0; i < count; ++i) {
    const T* row = reinterpret_cast<const T*>(from + i * stride);
    double* element = to + i * kElement;
    for (int64_t lane = 0; lane < kFftLanes; ++lane) {
      element[lane] = static_cast<double>(row[lane]);
      element[kFftLanes + lane] = 0;
    }
  }
}

void LoadRows(LineType type, const std::byte* from, int64_t stride, int64_t count, bool swaps,
              double* to) {
  switch (type) {
    case LineType::kC64:
      return LoadComplex<float>(from, stride, count, swaps, to);
    case LineType::kC128:
      return LoadComplex<double>(from, stride, count, swaps, to);
    case LineType::kF32:
      return LoadReal<float>(from, stride, count, to);
    case LineType::kF64:
      return LoadReal<double>(from, stride, count, to);
  }
}

template <typename T>
void StoreComplex(const double* from, int64_t count, bool swaps, double scale, std::byte* to,
                  int64_t stride) {
  const int64_t re = swaps ? kFftLanes : 0, im = kFftLanes - re;
  for (int64_t i = 0; i < count; ++i) {
    T* row = reinterpret_cast<T*>(to + i * stride);
    const double* element = from + i * kElement;
    for (int64_t lane = 0; lane < kFftLanes; ++lane) {
      row[2 * lane] = static_cast<T>(element[re + lane] * scale);
      row[2 * lane + 1] = static_cast<T>(element[im + lane] * scale);
    }
  }
}

template <typename T>
void StoreReal(const double* from, int64_t count, bool swaps, double scale, std::byte* to,
               int64_t stride) {
  for (int64_t i = 0; i < count; ++i) {
    T* row = reinterpret_cast<T*>(to + i * stride);
    const double* element = from + i * kElement + (swaps ? kFftLanes : 0);
    for (int64_t lane = 0; lane < kFftLanes; ++lane) {
      row[lane] = static_cast<T>(element[lane] * scale);
    }
  }
}

void StoreRows(LineType type, const double* from, int64_t count, bool swaps, double scale,
               std::byte* to, int64_t stride) {
  switch (type) {
    case LineType::kC64:
      return StoreComplex<float>(from, count, swaps, scale, to, stride);
    case LineType::kC128:
      return StoreComplex<double>(from, count, swaps, scale, to, stride);
    case LineType::kF32:
      return StoreReal<float>(from, count, swaps, scale, to, stride);
    case LineType::kF64:
      return StoreReal<double>(from, count, swaps, scale, to, stride);
  }
}

void Turn(const double* from, int64_t count, const double* root_reals,
          const double* root_imaginaries, int64_t pitch, double* reals, double* imaginaries) {
  for (int64_t i = 0; i < count; ++i) {
    for (size_t lane = 0; lane < kFftLanes; lane += hn::Lanes(D())) {
      const int64_t place = i * pitch + static_cast<int64_t>(lane);
      const Complex product =
          Times(Load(from + i * kElement + lane), hn::LoadU(D(), root_reals + place),
                hn::LoadU(D(), root_imaginaries + place));
      hn::StoreU(product.re, D(), reals + place);
      hn::StoreU(product.im, D(), imaginaries + place);
    }
  }
}

const FftKernels* Kernels() {
  static constexpr FftKernels kKernels = {Stage, Multiply, Conjugate, LoadRows, StoreRows, Turn};
  return &kKernels;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(Kernels);

const FftKernels& GetFftKernels() { return *HWY_DYNAMIC_DISPATCH(Kernels)(); }

}  // namespace hlo::simd
#endif
