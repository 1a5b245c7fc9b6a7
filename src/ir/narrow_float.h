// Number types that C++ lacks: floats narrower than f32 and integers narrower than a byte.
//
// A narrow float is its code; it widens exactly to float and is made from float or double by one
// rounding to nearest even (semantics.md 1.3). An integer goes through f32 first, and so does a
// double on its way to f16 and bf16 (1.3, "double rounding"): that is what XLA computes.
#ifndef HLOKIT_IR_NARROW_FLOAT_H_
#define HLOKIT_IR_NARROW_FLOAT_H_

#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace hlo {

// Which codes are not numbers.
enum class FloatKind : uint8_t {
  kIeee,          // the largest exponent holds infinity and NaN
  kFn,            // no infinity; the code with all ones is NaN
  kFnuz,          // no infinity, no -0; the code of -0 is NaN
  kFinite,        // neither infinity nor NaN; overflow saturates
  kExponentOnly,  // a power of two without sign or zero; all ones is NaN
};

struct FloatFormat {
  int bit_width;
  int exponent_bits;
  int mantissa_bits;
  int bias;
  FloatKind kind;

  constexpr uint32_t sign_bit() const {
    return kind == FloatKind::kExponentOnly ? 0 : 1u << (bit_width - 1);
  }
  constexpr uint32_t magnitude_mask() const {
    return kind == FloatKind::kExponentOnly ? 0xffu : sign_bit() - 1;
  }
  constexpr uint32_t infinity() const {  // kIeee only
    return ((1u << exponent_bits) - 1) << mantissa_bits;
  }
  // The code of the largest finite number.
  constexpr uint32_t max_finite() const {
    switch (kind) {
      case FloatKind::kIeee:
        return infinity() - 1;
      case FloatKind::kFn:
        return magnitude_mask() - 1;
      case FloatKind::kFnuz:
        return magnitude_mask();
      case FloatKind::kFinite:
        return magnitude_mask();
      case FloatKind::kExponentOnly:
        return 0xfe;
    }
    return 0;
  }
  // The code a NaN of the given sign rounds to. kFinite has none; -0 and +0 stand in as XLA has
  // it (semantics.md 1.3).
  constexpr uint32_t nan(bool negative) const {
    switch (kind) {
      case FloatKind::kIeee:
        return (negative ? sign_bit() : 0) | infinity() | (1u << (mantissa_bits - 1));
      case FloatKind::kFn:
        return (negative ? sign_bit() : 0) | magnitude_mask();
      case FloatKind::kFnuz:
        return sign_bit();
      case FloatKind::kFinite:
        return negative ? 0 : sign_bit();
      case FloatKind::kExponentOnly:
        return 0xff;
    }
    return 0;
  }
  constexpr bool is_nan(uint32_t code) const {
    switch (kind) {
      case FloatKind::kIeee:
        return (code & magnitude_mask()) > infinity();
      case FloatKind::kFn:
        return (code & magnitude_mask()) == magnitude_mask();
      case FloatKind::kFnuz:
        return code == sign_bit();
      case FloatKind::kFinite:
        return false;
      case FloatKind::kExponentOnly:
        return code == 0xff;
    }
    return false;
  }
};

// The code of `value` rounded to `format`; `value` is any double, NaN and infinity included.
constexpr uint32_t EncodeFloat(const FloatFormat& format, double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const bool negative = bits >> 63;
  const int biased_exponent = static_cast<int>((bits >> 52) & 0x7ff);
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  const uint32_t sign = negative ? format.sign_bit() : 0;
  auto overflow = [&]() -> uint32_t {
    switch (format.kind) {
      case FloatKind::kIeee:
        return sign | format.infinity();
      case FloatKind::kFinite:
        return sign | format.max_finite();
      default:
        return format.nan(negative);
    }
  };
  if (biased_exponent == 0x7ff) return fraction != 0 ? format.nan(negative) : overflow();
  if (format.kind == FloatKind::kExponentOnly && (negative || value == 0)) {
    return format.nan(negative);
  }
  const int unbiased = biased_exponent - 1023;
  const int exponent = unbiased > 1 - format.bias ? unbiased : 1 - format.bias;
  const int shift = 52 - format.mantissa_bits + (exponent - unbiased);
  uint64_t rounded = 0;
  if (biased_exponent != 0 && shift <= 54) {
    const uint64_t significand = fraction | (uint64_t{1} << 52);
    rounded = significand >> shift;
    const uint64_t rest = significand & ((uint64_t{1} << shift) - 1);
    const uint64_t half = uint64_t{1} << (shift - 1);
    const bool tie_goes_up = format.kind == FloatKind::kExponentOnly || (rounded & 1) != 0;
    if (rest > half || (rest == half && tie_goes_up)) ++rounded;
  }
  if (format.kind == FloatKind::kExponentOnly) {
    // Mantissa-free: the leading one itself is the significand; tiny values give 2^-127.
    if (unbiased < -format.bias) return 0;
    const uint64_t power =
        static_cast<uint64_t>(unbiased + format.bias) + (fraction >= (uint64_t{1} << 51) ? 1 : 0);
    return power > 0xfe ? format.nan(false) : static_cast<uint32_t>(power);
  }
  // A carry out of the mantissa raises the exponent field by itself.
  const uint64_t magnitude =
      (static_cast<uint64_t>(exponent + format.bias - 1) << format.mantissa_bits) + rounded;
  if (magnitude > format.max_finite()) return overflow();
  if (magnitude == 0 && format.kind == FloatKind::kFnuz) return 0;
  return sign | static_cast<uint32_t>(magnitude);
}

// The exact value of `code`.
constexpr float DecodeFloat(const FloatFormat& format, uint32_t code) {
  const bool negative = (code & format.sign_bit()) != 0;
  const uint32_t magnitude = code & format.magnitude_mask();
  if (format.is_nan(code)) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    return negative && format.kind != FloatKind::kFnuz ? -nan : nan;
  }
  if (format.kind == FloatKind::kIeee && magnitude == format.infinity()) {
    const float infinity = std::numeric_limits<float>::infinity();
    return negative ? -infinity : infinity;
  }
  int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  double significand = magnitude & ((1u << format.mantissa_bits) - 1);
  if (exponent == 0 && format.kind != FloatKind::kExponentOnly) {
    exponent = 1;
  } else {
    significand += static_cast<double>(1u << format.mantissa_bits);
  }
  // The scale 2^(exponent - bias - mantissa_bits) is a normal double for every format.
  const double scale = std::bit_cast<double>(
      static_cast<uint64_t>(1023 + exponent - format.bias - format.mantissa_bits) << 52);
  const double value = significand * scale;
  return static_cast<float>(negative ? -value : value);
}

namespace internal {

template <FloatFormat kFormat>
constexpr std::array<float, 256> MakeDecodeTable() {
  std::array<float, 256> table{};
  for (uint32_t code = 0; code < 256; ++code) {
    table[code] = DecodeFloat(kFormat, code & ((1u << kFormat.bit_width) - 1));
  }
  return table;
}

template <FloatFormat kFormat>
inline constexpr std::array<float, 256> kDecodeTable = MakeDecodeTable<kFormat>();

}  // namespace internal

template <FloatFormat kFormat_>
class NarrowFloat {
 public:
  static constexpr FloatFormat kFormat = kFormat_;
  using Bits = std::conditional_t<(kFormat.bit_width > 8), uint16_t, uint8_t>;

  constexpr NarrowFloat() = default;
  constexpr explicit NarrowFloat(float value) : bits_(Encode(value)) {}
  constexpr explicit NarrowFloat(double value)
      : bits_(kFormat.bit_width > 8 ? Encode(static_cast<float>(value))
                                    : static_cast<Bits>(EncodeFloat(kFormat, value))) {}
  template <std::integral T>
  constexpr explicit NarrowFloat(T value) : NarrowFloat(static_cast<float>(value)) {}

  static constexpr NarrowFloat FromBits(Bits bits) {
    NarrowFloat result;
    result.bits_ = bits;
    return result;
  }
  constexpr Bits bits() const { return bits_; }

  constexpr operator float() const {
    if constexpr (kFormat.bit_width <= 8) {
      return internal::kDecodeTable<kFormat>[bits_];
    } else if constexpr (kFormat.mantissa_bits == 7) {  // bf16
      return std::bit_cast<float>(static_cast<uint32_t>(bits_) << 16);
    } else {
      return DecodeHalf(bits_);
    }
  }

 private:
  static constexpr Bits Encode(float value) {
    if constexpr (kFormat.mantissa_bits == 7 && kFormat.bit_width == 16) {
      const uint32_t bits = std::bit_cast<uint32_t>(value);
      if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<Bits>(kFormat.nan(bits >> 31));
      return static_cast<Bits>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
    } else {
      return static_cast<Bits>(EncodeFloat(kFormat, value));
    }
  }

  // f16, without a branch on normal numbers: rebias in place.
  static constexpr float DecodeHalf(uint32_t code) {
    const uint32_t magnitude = code & 0x7fff;
    if (magnitude < 0x0400 || magnitude >= 0x7c00) {
      const float special = DecodeFloat(kFormat, code);
      if (magnitude <= 0x7c00) return special;
      // Keep the payload: bits move unchanged through f32 and back where nothing is computed.
      return std::bit_cast<float>(((code & 0x8000) << 16) | 0x7f800000 | ((code & 0x3ff) << 13));
    }
    return std::bit_cast<float>(((code & 0x8000) << 16) | ((magnitude << 13) + (112u << 23)));
  }

  Bits bits_ = 0;
};

// An integer of 1, 2 or 4 bits in a byte of its own; the value wraps on construction.
template <int kBitWidth_, bool kSigned_>
class NarrowInt {
 public:
  static constexpr int kBitWidth = kBitWidth_;
  static constexpr bool kSigned = kSigned_;
  using Byte = std::conditional_t<kSigned, int8_t, uint8_t>;

  constexpr NarrowInt() = default;
  template <std::integral T>
  constexpr explicit NarrowInt(T value) : value_(Wrap(static_cast<uint8_t>(value))) {}

  constexpr operator Byte() const { return value_; }

  static constexpr int kMin = kSigned ? -(1 << (kBitWidth - 1)) : 0;
  static constexpr int kMax = (1 << (kBitWidth - (kSigned ? 1 : 0))) - 1;

 private:
  static constexpr Byte Wrap(uint8_t bits) {
    constexpr int kShift = 8 - kBitWidth;
    return static_cast<Byte>(static_cast<Byte>(static_cast<uint8_t>(bits << kShift)) >> kShift);
  }

  Byte value_ = 0;
};

using S1 = NarrowInt<1, true>;
using S2 = NarrowInt<2, true>;
using S4 = NarrowInt<4, true>;
using U1 = NarrowInt<1, false>;
using U2 = NarrowInt<2, false>;
using U4 = NarrowInt<4, false>;
using C64 = std::complex<float>;
using C128 = std::complex<double>;

// The formats come from the table; `float` and `double` are already C++ types.
#define HLO_FLOAT_TYPE(Name, text, CppType, bit_width, exponent_bits, mantissa_bits, bias, kind) \
  inline constexpr FloatFormat k##Name##Format{bit_width, exponent_bits, mantissa_bits, bias,    \
                                               FloatKind::kind};
#include "ir/element_types.def"

using F16 = NarrowFloat<kF16Format>;
using Bf16 = NarrowFloat<kBf16Format>;
using F8E5M2 = NarrowFloat<kF8E5M2Format>;
using F8E4M3 = NarrowFloat<kF8E4M3Format>;
using F8E4M3Fn = NarrowFloat<kF8E4M3FnFormat>;
using F8E4M3B11Fnuz = NarrowFloat<kF8E4M3B11FnuzFormat>;
using F8E3M4 = NarrowFloat<kF8E3M4Format>;
using F8E5M2Fnuz = NarrowFloat<kF8E5M2FnuzFormat>;
using F8E4M3Fnuz = NarrowFloat<kF8E4M3FnuzFormat>;
using F8E8M0Fnu = NarrowFloat<kF8E8M0FnuFormat>;
using F6E3M2Fn = NarrowFloat<kF6E3M2FnFormat>;
using F6E2M3Fn = NarrowFloat<kF6E2M3FnFormat>;
using F4E2M1Fn = NarrowFloat<kF4E2M1FnFormat>;

}  // namespace hlo

#endif  // HLOKIT_IR_NARROW_FLOAT_H_
