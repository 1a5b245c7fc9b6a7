// What element types are to templates: kinds as concepts, and integers at their width.
#ifndef HLOKIT_IR_ELEMENT_TRAITS_H_
#define HLOKIT_IR_ELEMENT_TRAITS_H_

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ir/element_type.h"

namespace hlo {

template <typename T>
concept PredElement = std::same_as<T, bool>;
template <typename T>
concept IntegerElement = (kTypeClassOf<T> & kInteger) != 0;
template <typename T>
concept RealElement = std::floating_point<T>;
template <typename T>
concept ComplexElement = (kTypeClassOf<T> & kComplex) != 0;
template <typename T>
concept FloatElement = RealElement<T> || ComplexElement<T>;

// The C++ integer that holds an element, and the bits of it that count.
template <typename T>
struct IntegerTraits {
  using Native = T;
  static constexpr int kBits = sizeof(T) * 8;
  static constexpr T kMin = std::numeric_limits<T>::min();
  static constexpr T kMax = std::numeric_limits<T>::max();
};
template <int kBitWidth, bool kSigned>
struct IntegerTraits<NarrowInt<kBitWidth, kSigned>> {
  using Native = typename NarrowInt<kBitWidth, kSigned>::Byte;
  static constexpr int kBits = kBitWidth;
  static constexpr Native kMin = NarrowInt<kBitWidth, kSigned>::kMin;
  static constexpr Native kMax = NarrowInt<kBitWidth, kSigned>::kMax;
};

template <IntegerElement T>
inline constexpr bool kIsSigned = std::is_signed_v<typename IntegerTraits<T>::Native>;

template <IntegerElement T>
constexpr auto NativeValue(T x) {
  return static_cast<typename IntegerTraits<T>::Native>(x);
}

// The value modulo 2^32 or 2^64: arithmetic that no promotion to int can overflow.
template <IntegerElement T>
constexpr auto Wrapping(T x) {
  using Unsigned = std::conditional_t<(sizeof(T) <= 4), uint32_t, uint64_t>;
  return static_cast<Unsigned>(NativeValue(x));
}

// The bits of the element, zeros above its width.
template <IntegerElement T>
constexpr auto WidthBits(T x) {
  auto bits = Wrapping(x);
  constexpr int kUnused = static_cast<int>(sizeof(bits)) * 8 - IntegerTraits<T>::kBits;
  return static_cast<decltype(bits)>(bits << kUnused) >> kUnused;
}

}  // namespace hlo

#endif  // HLOKIT_IR_ELEMENT_TRAITS_H_
