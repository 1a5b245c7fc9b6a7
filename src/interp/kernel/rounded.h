// Arithmetic of programs that say each operation by itself.
#ifndef HLOKIT_INTERP_KERNEL_ROUNDED_H_
#define HLOKIT_INTERP_KERNEL_ROUNDED_H_

#include <cmath>
#include <type_traits>

namespace hlo {

// A number of float type T under arithmetic that rounds to T after every operation. It has no
// member functions: where the address of a number is taken, compilers leave loops unvectorised.
template <typename T>
struct Rounded {
  using Wide = std::conditional_t<(sizeof(T) < 4), float, T>;

  Wide value;  // of a T

  static Rounded Of(T x) { return {static_cast<Wide>(x)}; }
  static Rounded Nearest(double x) { return {Round(static_cast<Wide>(x))}; }

  friend Rounded operator+(Rounded a, Rounded b) { return {Round(a.value + b.value)}; }
  friend Rounded operator-(Rounded a, Rounded b) { return {Round(a.value - b.value)}; }
  friend Rounded operator*(Rounded a, Rounded b) { return {Round(a.value * b.value)}; }
  friend Rounded operator/(Rounded a, Rounded b) { return {Round(a.value / b.value)}; }
  friend Rounded Rsqrt(Rounded x) { return {Round(Wide(1) / std::sqrt(x.value))}; }

 private:
  static Wide Round(Wide x) { return static_cast<Wide>(static_cast<T>(x)); }
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_KERNEL_ROUNDED_H_
