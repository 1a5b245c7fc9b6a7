// Matrices of wide numbers as kernels walk over them: doubles, of complex numbers the real parts
// of a whole matrix and then the imaginary ones, so that vectors hold parts of one kind.
#ifndef HLOKIT_INTERP_SIMD_LINALG_PLANES_H_
#define HLOKIT_INTERP_SIMD_LINALG_PLANES_H_

#include <cstdint>

#include "interp/reference/wide_number.h"

namespace hlo::simd {

template <typename T>
struct Planes {
  T* real;
  int64_t stride;     // from row to row
  int64_t imaginary;  // from real parts to imaginary ones; not used where there are none

  Planes At(int64_t row, int64_t column) const {
    return {real + row * stride + column, stride, imaginary};
  }
  operator Planes<const T>() const { return {real, stride, imaginary}; }
};

template <typename T>
inline constexpr int64_t kPlaneCount = kTypeClassOf<T> == kComplex ? 2 : 1;

// The number at one place, of those that Ts are widened to.
template <typename T, typename Element>
reference::WideOf<T> NumberAt(const Planes<Element>& planes, int64_t row, int64_t column) {
  const Element* number = planes.At(row, column).real;
  if constexpr (kPlaneCount<T> == 2) {
    return {number[0], number[planes.imaginary]};
  } else {
    return *number;
  }
}
inline void SetNumber(const Planes<double>& planes, int64_t row, int64_t column, double x) {
  *planes.At(row, column).real = x;
}
inline void SetNumber(const Planes<double>& planes, int64_t row, int64_t column,
                      std::complex<double> x) {
  double* number = planes.At(row, column).real;
  number[0] = x.real();
  number[planes.imaginary] = x.imag();
}

inline bool IsFinite(double x) { return x - x == 0; }
inline bool IsFinite(std::complex<double> x) { return IsFinite(x.real()) && IsFinite(x.imag()); }

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_LINALG_PLANES_H_
