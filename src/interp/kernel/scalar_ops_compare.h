// Comparisons and clamp on single elements (semantics.md 4.2, 4.3).
#ifndef HLOKIT_INTERP_KERNEL_SCALAR_OPS_COMPARE_H_
#define HLOKIT_INTERP_KERNEL_SCALAR_OPS_COMPARE_H_

#include <complex>

#include "interp/kernel/scalar_ops_binary.h"
#include "ir/element_traits.h"

namespace hlo {

// Comparisons of floats are IEEE's: a NaN makes all but Ne false. Complex numbers are equal or not.

template <typename T>
constexpr auto Comparable(T x) {
  if constexpr (IntegerElement<T>) {
    return NativeValue(x);
  } else {
    return x;
  }
}

struct EqFn {
  template <typename T>
  constexpr bool operator()(T a, T b) const {
    return Comparable(a) == Comparable(b);
  }
};
struct NeFn {
  template <typename T>
  constexpr bool operator()(T a, T b) const {
    return Comparable(a) != Comparable(b);
  }
};
struct LtFn {
  template <typename T>
  requires(!ComplexElement<T>) constexpr bool operator()(T a, T b) const {
    return Comparable(a) < Comparable(b);
  }
};
struct LeFn {
  template <typename T>
  requires(!ComplexElement<T>) constexpr bool operator()(T a, T b) const {
    return Comparable(a) <= Comparable(b);
  }
};
struct GtFn {
  template <typename T>
  requires(!ComplexElement<T>) constexpr bool operator()(T a, T b) const {
    return Comparable(a) > Comparable(b);
  }
};
struct GeFn {
  template <typename T>
  requires(!ComplexElement<T>) constexpr bool operator()(T a, T b) const {
    return Comparable(a) >= Comparable(b);
  }
};

// min(hi, max(x, lo)): lo > hi gives hi, and any NaN is the result.
struct ClampFn {
  constexpr bool operator()(PredElement auto lo, bool x, bool hi) const { return hi & (x | lo); }
  template <typename T>
  requires IntegerElement<T> || RealElement<T>
  constexpr T operator()(T lo, T x, T hi) const { return MinimumFn()(hi, MaximumFn()(x, lo)); }
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_KERNEL_SCALAR_OPS_COMPARE_H_
