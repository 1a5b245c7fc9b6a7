// std::from_chars is exact and knows no locale. Of a number out of range it does not say on which
// side: the place of the first significant digit does. Integers without a sign are read as 64 bits
// without one and keep these bits.
#include "support/number_text.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace hlo {
namespace {

// Whether a decimal number that no double can hold is too small, and not too large, for one: the
// exponent of its first significant digit decides.
bool IsTooSmall(std::string_view text) {
  int64_t exponent = 0;  // of the digit before the point, 10^0
  const size_t mark = text.find_first_of("eE");
  if (mark != std::string_view::npos) {
    const char* begin = text.data() + mark + 1;
    if (*begin == '+') ++begin;
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), exponent);
    if (error != std::errc()) return *begin == '-';
    // No text has that many digits.
    constexpr int64_t kLimit = int64_t{1} << 62;
    exponent = std::clamp(exponent, -kLimit, kLimit);
  }
  std::string_view digits = text.substr(0, mark);
  const size_t point = digits.find('.');
  const size_t first = digits.find_first_of("123456789");
  if (first == std::string_view::npos) return true;
  const size_t whole_end = point == std::string_view::npos ? digits.size() : point;
  return exponent + static_cast<int64_t>(whole_end) - static_cast<int64_t>(first) < 0;
}

}  // namespace

std::optional<int64_t> ParseInteger(std::string_view text) {
  const char* end = text.data() + text.size();
  if (!text.empty() && text[0] == '-') {
    int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) return std::nullopt;
    return value;
  }
  uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return static_cast<int64_t>(value);
}

std::optional<double> ParseDecimal(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    if (!IsTooSmall(text)) return std::nullopt;
    return text[0] == '-' ? -0.0 : 0.0;
  }
  if (error != std::errc()) return std::nullopt;
  return value;
}

}  // namespace hlo
