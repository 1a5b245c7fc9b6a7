// Sizes of memory in messages.
#ifndef HLOKIT_SUPPORT_SIZE_TEXT_H_
#define HLOKIT_SUPPORT_SIZE_TEXT_H_

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>

namespace hlo {

// "12 bytes", "1.5 MiB". A double holds sums beyond int64.
inline std::string SizeText(double byte_size) {
  constexpr std::string_view kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  for (; byte_size >= 1024 && unit + 1 < std::size(kUnits); ++unit) byte_size /= 1024;
  return fmt::format("{:.{}f} {}", byte_size, unit == 0 ? 0 : 1, kUnits[unit]);
}

}  // namespace hlo

#endif  // HLOKIT_SUPPORT_SIZE_TEXT_H_
