// The slow part of `%.6g` is finding six correct digits. For a normal float the shortest
// representation finds them faster: decimals of 6 digits are at least 1e-6 apart (relatively) and
// floats at most 1.2e-7, so at most one of them reads back as the value, and if there is one it is
// both the shortest text and the nearest decimal of 6 digits. The same holds for double with 15.
#include "support/number_format.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <system_error>

namespace hlo {
namespace {

char* WriteText(char* out, std::string_view text) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

constexpr char kDigitPairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

// A decimal number d.ddd * 10^exponent.
struct Decimal {
  char digits[24];
  int digit_count = 0;
  int exponent = 0;
};

template <typename T>
Decimal ShortestDecimal(T magnitude) {
  char text[40];
  const char* end =
      std::to_chars(text, text + sizeof(text), magnitude, std::chars_format::scientific).ptr;
  Decimal result;
  const char* p = text;
  for (; *p != 'e'; ++p) {
    if (*p != '.') result.digits[result.digit_count++] = *p;
  }
  if (*++p == '+') ++p;
  std::from_chars(p, end, result.exponent);
  return result;
}

// As `%.{precision}g` lays out digits: without an exponent between 1e-4 and 10^precision.
char* LayOutGeneral(char* out, const Decimal& decimal, int precision) {
  const char* digits = decimal.digits;
  const int count = decimal.digit_count;
  const int exponent = decimal.exponent;
  if (exponent < -4 || exponent >= precision) {
    *out++ = digits[0];
    if (count > 1) {
      *out++ = '.';
      out = WriteText(out, {digits + 1, static_cast<size_t>(count - 1)});
    }
    *out++ = 'e';
    *out++ = exponent < 0 ? '-' : '+';
    const int magnitude = std::abs(exponent);
    if (magnitude < 10) *out++ = '0';
    return WriteUint(out, static_cast<uint64_t>(magnitude));
  }
  if (exponent < 0) {
    out = WriteText(out, {"0.000", static_cast<size_t>(1 - exponent)});
    return WriteText(out, {digits, static_cast<size_t>(count)});
  }
  for (int i = 0; i < count || i <= exponent; ++i) {
    if (i == exponent + 1) *out++ = '.';
    *out++ = i < count ? digits[i] : '0';
  }
  return out;
}

template <typename T>
char* WriteFinite(char* out, T value, int short_precision, int long_precision) {
  // Integers that need no exponent are the most frequent constants.
  constexpr T kLimit = sizeof(T) == 4 ? T{1e6} : T{1e15};
  if (std::signbit(value)) *out++ = '-';
  const T magnitude = std::fabs(value);
  if (magnitude < kLimit) {
    const auto integer = static_cast<uint64_t>(magnitude);
    if (static_cast<T>(integer) == magnitude) return WriteUint(out, integer);
  }
  if (magnitude >= std::numeric_limits<T>::min()) {
    const Decimal shortest = ShortestDecimal(magnitude);
    if (shortest.digit_count <= short_precision) {
      return LayOutGeneral(out, shortest, short_precision);
    }
    return WriteGeneral(out, magnitude, long_precision);
  }
  char* end = WriteGeneral(out, magnitude, short_precision);
  T read_back = 0;
  std::from_chars(out, end, read_back);
  return read_back == magnitude ? end : WriteGeneral(out, magnitude, long_precision);
}

char* WriteInfinity(char* out, bool negative) { return WriteText(out, negative ? "-inf" : "inf"); }

}  // namespace

char* WriteUint(char* out, uint64_t value) {
  char buffer[20];
  char* p = buffer + sizeof(buffer);
  while (value >= 100) {
    p -= 2;
    std::memcpy(p, kDigitPairs + 2 * (value % 100), 2);
    value /= 100;
  }
  if (value >= 10) {
    p -= 2;
    std::memcpy(p, kDigitPairs + 2 * value, 2);
  } else {
    *--p = static_cast<char>('0' + value);
  }
  return WriteText(out, {p, static_cast<size_t>(buffer + sizeof(buffer) - p)});
}

char* WriteInt(char* out, int64_t value) {
  if (value >= 0) return WriteUint(out, static_cast<uint64_t>(value));
  *out++ = '-';
  return WriteUint(out, uint64_t{0} - static_cast<uint64_t>(value));
}

char* WriteGeneral(char* out, double value, int digits) {
  return std::to_chars(out, out + kMaxNumberSize, value, std::chars_format::general, digits).ptr;
}

char* WriteFloat(char* out, float value) {
  if (std::isinf(value)) return WriteInfinity(out, value < 0);
  return WriteFinite(out, value, 6, 9);
}

char* WriteDouble(char* out, double value) {
  if (std::isinf(value)) return WriteInfinity(out, value < 0);
  return WriteFinite(out, value, 15, 17);
}

char* WriteShortest(char* out, float value) {
  return std::to_chars(out, out + kMaxNumberSize, value).ptr;
}

char* WriteShortest(char* out, double value) {
  return std::to_chars(out, out + kMaxNumberSize, value).ptr;
}

char* WriteSixDigits(char* out, double value) {
  char* end = WriteGeneral(out, value, 6);
  double read_back = 0;
  std::from_chars(out, end, read_back);
  return read_back == value ? end : WriteShortest(out, value);
}

char* WriteNan(char* out, bool negative, uint64_t payload, uint64_t default_payload) {
  out = WriteText(out, negative ? "-nan" : "nan");
  if (payload == default_payload) return out;
  out = WriteText(out, "(0x");
  out = std::to_chars(out, out + 16, payload, 16).ptr;
  *out++ = ')';
  return out;
}

}  // namespace hlo
