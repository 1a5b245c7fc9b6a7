// Some rows and two vectors of columns are in registers while all terms pass by: elements of `a`
// are repeated over a vector, rows of `b` read as they are. Nothing is fused (fma), which would
// leave out a rounding.
#include "interp/simd/linalg/subtract_tile.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/linalg/subtract_tile.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;

constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(D()));

template <int64_t kRows>
HWY_INLINE void SubtractReal(int64_t term_count, Planes<const double> a, Planes<const double> b,
                             Planes<double> c) {
  const D d;
  V sums[kRows][2];
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t v = 0; v < 2; ++v) sums[r][v] = hn::LoadU(d, c.At(r, v * kLanes).real);
  }
  for (int64_t k = 0; k < term_count; ++k) {
    const V b0 = hn::LoadU(d, b.real + k * b.stride);
    const V b1 = hn::LoadU(d, b.real + k * b.stride + kLanes);
    for (int64_t r = 0; r < kRows; ++r) {
      const V factor = hn::Set(d, a.real[r * a.stride + k]);
      sums[r][0] = hn::Sub(sums[r][0], hn::Mul(factor, b0));
      sums[r][1] = hn::Sub(sums[r][1], hn::Mul(factor, b1));
    }
  }
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t v = 0; v < 2; ++v) hn::StoreU(sums[r][v], d, c.At(r, v * kLanes).real);
  }
}

template <int64_t kRows>
HWY_INLINE void SubtractComplex(int64_t term_count, Planes<const double> a, Planes<const double> b,
                                Planes<double> c) {
  const D d;
  V real[kRows][2], imaginary[kRows][2];
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t v = 0; v < 2; ++v) {
      const double* from = c.At(r, v * kLanes).real;
      real[r][v] = hn::LoadU(d, from);
      imaginary[r][v] = hn::LoadU(d, from + c.imaginary);
    }
  }
  for (int64_t k = 0; k < term_count; ++k) {
    for (int64_t v = 0; v < 2; ++v) {
      const double* row = b.real + k * b.stride + v * kLanes;
      const V b_real = hn::LoadU(d, row);
      const V b_imaginary = hn::LoadU(d, row + b.imaginary);
      for (int64_t r = 0; r < kRows; ++r) {
        const double* factor = a.real + r * a.stride + k;
        const V a_real = hn::Set(d, factor[0]);
        const V a_imaginary = hn::Set(d, factor[a.imaginary]);
        real[r][v] = hn::Sub(real[r][v],
                             hn::Sub(hn::Mul(a_real, b_real), hn::Mul(a_imaginary, b_imaginary)));
        imaginary[r][v] = hn::Sub(
            imaginary[r][v], hn::Add(hn::Mul(a_real, b_imaginary), hn::Mul(a_imaginary, b_real)));
      }
    }
  }
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t v = 0; v < 2; ++v) {
      double* to = c.At(r, v * kLanes).real;
      hn::StoreU(real[r][v], d, to);
      hn::StoreU(imaginary[r][v], d, to + c.imaginary);
    }
  }
}

void Real(int64_t row_count, int64_t term_count, Planes<const double> a, Planes<const double> b,
          Planes<double> c) {
  for (int64_t j = 0; j < kTileWidth; j += 2 * kLanes) {
    int64_t r = 0;
    for (; r + 4 <= row_count; r += 4) {
      SubtractReal<4>(term_count, a.At(r, 0), b.At(0, j), c.At(r, j));
    }
    for (; r < row_count; ++r) SubtractReal<1>(term_count, a.At(r, 0), b.At(0, j), c.At(r, j));
  }
}

void Complex(int64_t row_count, int64_t term_count, Planes<const double> a, Planes<const double> b,
             Planes<double> c) {
  for (int64_t j = 0; j < kTileWidth; j += 2 * kLanes) {
    int64_t r = 0;
    for (; r + 2 <= row_count; r += 2) {
      SubtractComplex<2>(term_count, a.At(r, 0), b.At(0, j), c.At(r, j));
    }
    for (; r < row_count; ++r) SubtractComplex<1>(term_count, a.At(r, 0), b.At(0, j), c.At(r, j));
  }
}

TileSubtraction AllKernels() { return {Real, Complex}; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(AllKernels);

const TileSubtraction& GetTileSubtraction() {
  static const TileSubtraction kernels = HWY_DYNAMIC_DISPATCH(AllKernels)();
  return kernels;
}

}  // namespace hlo::simd
#endif
