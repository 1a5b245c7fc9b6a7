// Counts in messages: "1 operand", "2 operands".
#ifndef HLOKIT_SUPPORT_COUNT_TEXT_H_
#define HLOKIT_SUPPORT_COUNT_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace hlo {

inline std::string CountText(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace hlo

#endif  // HLOKIT_SUPPORT_COUNT_TEXT_H_
