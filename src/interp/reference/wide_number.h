// The numbers that matrices are factorized and solved in: f64, or complex f64.
#ifndef HLOKIT_INTERP_REFERENCE_WIDE_NUMBER_H_
#define HLOKIT_INTERP_REFERENCE_WIDE_NUMBER_H_

#include <complex>
#include <type_traits>

#include "ir/element_traits.h"

namespace hlo::reference {

template <typename T>
using WideOf = std::conditional_t<kTypeClassOf<T> == kComplex, std::complex<double>, double>;

template <typename T>
WideOf<T> Widen(T x) {
  if constexpr (kTypeClassOf<T> == kFloat && sizeof(T) < 4) {
    return static_cast<double>(static_cast<float>(x));
  } else {
    return static_cast<WideOf<T>>(x);
  }
}
// A call that stays one: GCC 12 leaves out the way of a complex number from double to float and
// back, whether it goes as a whole or part by part.
template <typename Part>
[[gnu::noinline]] double RoundPart(double x) {
  return static_cast<Part>(x);
}

// Rounded to the element type.
template <typename T>
WideOf<T> Round(WideOf<T> x) {
  if constexpr (kTypeClassOf<T> == kComplex) {
    using Part = typename T::value_type;
    if constexpr (std::is_same_v<Part, double>) return x;
    return {RoundPart<Part>(x.real()), RoundPart<Part>(x.imag())};
  } else {
    return Widen(static_cast<T>(x));
  }
}

inline double Conjugate(double x) { return x; }
inline std::complex<double> Conjugate(std::complex<double> x) { return std::conj(x); }
inline double RealPart(double x) { return x; }
inline double RealPart(std::complex<double> x) { return x.real(); }

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_WIDE_NUMBER_H_
