// Rounding by looking: an independent judge for the narrow float formats. All values of a format
// are listed, computed from its columns with ldexp; rounding picks the nearest of them. For tests.
#ifndef HLOKIT_IR_SLOW_FLOAT_H_
#define HLOKIT_IR_SLOW_FLOAT_H_

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ir/element_type.h"

namespace hlo {

class SlowFloat {
 public:
  explicit SlowFloat(const FloatFormat& format) : format_(format) {
    for (uint32_t code = 0; code <= LargestFinite(); ++code) {
      magnitudes_.push_back(Magnitude(code));
    }
    // Where the next larger number would be if there were one: the end of the rounding range.
    magnitudes_.push_back(Magnitude(LargestFinite() + 1));
  }

  // The value of a code; a NaN for NaN.
  double Decode(uint32_t code) const {
    const bool negative = (code & SignBit()) != 0;
    const uint32_t magnitude = code & ~SignBit() & Mask();
    if (format_.kind == FloatKind::kFnuz && negative && magnitude == 0) return NAN;
    if (magnitude > LargestFinite()) {
      const bool is_infinity = format_.kind == FloatKind::kIeee && magnitude == LargestFinite() + 1;
      return is_infinity ? (negative ? -INFINITY : INFINITY) : (negative ? -NAN : NAN);
    }
    const double value = magnitudes_[magnitude];
    return negative ? -value : value;
  }

  // The code of `value` rounded to nearest even (semantics.md 1.3).
  uint32_t Encode(double value) const {
    const bool negative = std::signbit(value);
    const uint32_t sign = negative ? SignBit() : 0;
    if (std::isnan(value)) return Nan(negative);
    if (std::isinf(value)) return Overflow(negative);
    if (format_.kind == FloatKind::kExponentOnly && value <= 0) return 0xff;
    const uint32_t magnitude = Nearest(std::fabs(value));
    if (magnitude > LargestFinite()) return Overflow(negative);
    if (magnitude == 0 && format_.kind == FloatKind::kFnuz) return 0;
    return sign | magnitude;
  }

 private:
  uint32_t SignBit() const {
    return format_.kind == FloatKind::kExponentOnly ? 0 : 1u << (format_.bit_width - 1);
  }
  uint32_t Mask() const { return (1u << format_.bit_width) - 1; }

  uint32_t LargestFinite() const {
    const uint32_t all_ones = Mask() & ~SignBit();
    switch (format_.kind) {
      case FloatKind::kIeee:
        return all_ones - (1u << format_.mantissa_bits);
      case FloatKind::kFn:
      case FloatKind::kExponentOnly:
        return all_ones - 1;
      case FloatKind::kFnuz:
      case FloatKind::kFinite:
        return all_ones;
    }
    return 0;
  }

  double Magnitude(uint32_t code) const {
    const int exponent = static_cast<int>(code >> format_.mantissa_bits);
    const double fraction = std::ldexp(
        static_cast<double>(code & ((1u << format_.mantissa_bits) - 1)), -format_.mantissa_bits);
    if (exponent == 0 && format_.kind != FloatKind::kExponentOnly) {
      return std::ldexp(fraction, 1 - format_.bias);
    }
    return std::ldexp(1 + fraction, exponent - format_.bias);
  }

  uint32_t Nearest(double magnitude) const {
    const auto above = std::lower_bound(magnitudes_.begin(), magnitudes_.end(), magnitude);
    if (above == magnitudes_.end()) return LargestFinite() + 1;
    const uint32_t high = static_cast<uint32_t>(above - magnitudes_.begin());
    if (high == 0 || *above == magnitude) return high;
    const double to_high = *above - magnitude;
    const double to_low = magnitude - *(above - 1);
    if (to_high != to_low) return to_high < to_low ? high : high - 1;
    if (format_.kind == FloatKind::kExponentOnly) return high;
    return high % 2 == 0 ? high : high - 1;
  }

  uint32_t Overflow(bool negative) const {
    const uint32_t sign = negative ? SignBit() : 0;
    if (format_.kind == FloatKind::kIeee) return sign | (LargestFinite() + 1);
    if (format_.kind == FloatKind::kFinite) return sign | LargestFinite();
    return Nan(negative);
  }

  uint32_t Nan(bool negative) const {
    const uint32_t sign = negative ? SignBit() : 0;
    switch (format_.kind) {
      case FloatKind::kIeee:
        return sign | (LargestFinite() + 1) | (1u << (format_.mantissa_bits - 1));
      case FloatKind::kFn:
        return sign | (Mask() & ~SignBit());
      case FloatKind::kFnuz:
        return SignBit();
      case FloatKind::kFinite:
        return negative ? 0 : SignBit();
      case FloatKind::kExponentOnly:
        return 0xff;
    }
    return 0;
  }

  FloatFormat format_;
  std::vector<double> magnitudes_;
};

}  // namespace hlo

#endif  // HLOKIT_IR_SLOW_FLOAT_H_
