// Numbers as text, independent of the locale. Every function writes at `out`, where at least
// kMaxNumberSize bytes must be free, and returns the end of what it wrote.
#ifndef HLOKIT_SUPPORT_NUMBER_FORMAT_H_
#define HLOKIT_SUPPORT_NUMBER_FORMAT_H_

#include <cstdint>

namespace hlo {

inline constexpr int kMaxNumberSize = 48;

char* WriteInt(char* out, int64_t value);
char* WriteUint(char* out, uint64_t value);

// C's `%.{digits}g`: "0.1", "1e-05", "-0"; infinities as inf and -inf. Not for NaN.
char* WriteGeneral(char* out, double value, int digits);

// `%.6g` when that reads back as the same float, otherwise `%.9g`. Not for NaN.
char* WriteFloat(char* out, float value);
// `%.15g` when that reads back as the same double, otherwise `%.17g`. Not for NaN.
char* WriteDouble(char* out, double value);

// The shortest text that reads back as the same number. Not for NaN.
char* WriteShortest(char* out, float value);
char* WriteShortest(char* out, double value);

// `%.6g` when that reads back as the same double, otherwise the shortest text that does. For
// numbers that XLA prints with 6 digits and thereby loses. Not for NaN.
char* WriteSixDigits(char* out, double value);

// "nan" or "-nan", followed by the payload in hexadecimal unless it is `default_payload`.
char* WriteNan(char* out, bool negative, uint64_t payload, uint64_t default_payload);

}  // namespace hlo

#endif  // HLOKIT_SUPPORT_NUMBER_FORMAT_H_
