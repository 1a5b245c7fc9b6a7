// Large numbers for people: three digits and a decimal prefix.
#ifndef HLOKIT_SUPPORT_SCALED_TEXT_H_
#define HLOKIT_SUPPORT_SCALED_TEXT_H_

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>

namespace hlo {

// "0", "999", "1.23k", "45.6M", "789G".
inline std::string ScaledText(double number) {
  constexpr std::string_view kPrefixes[] = {"", "k", "M", "G", "T", "P", "E", "Z"};
  size_t prefix = 0;
  // What rounds up to four digits belongs to the next prefix.
  for (; number >= 999.5 && prefix + 1 < std::size(kPrefixes); ++prefix) number /= 1000;
  const int digits = prefix == 0 || number >= 99.95 ? 0 : (number >= 9.995 ? 1 : 2);
  return fmt::format("{:.{}f}{}", number, digits, kPrefixes[prefix]);
}

}  // namespace hlo

#endif  // HLOKIT_SUPPORT_SCALED_TEXT_H_
