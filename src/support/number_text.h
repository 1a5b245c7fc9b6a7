// The numbers of HLO text, read exactly (grammar.md 1.6).
#ifndef HLOKIT_SUPPORT_NUMBER_TEXT_H_
#define HLOKIT_SUPPORT_NUMBER_TEXT_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace hlo {

// `-?[0-9]+` as 64 bits: -2^63 ... 2^64 - 1, where values from 2^63 on have the same bits as a
// negative number. Nothing when the value needs more bits, or the text is no such number.
std::optional<int64_t> ParseInteger(std::string_view text);

// The double nearest to a decimal number: `1`, `-.5`, `1.e5`, `3e+2`. Too small ones give zero.
// Nothing when the number is too large for a double, or the text is no decimal number.
std::optional<double> ParseDecimal(std::string_view text);

}  // namespace hlo

#endif  // HLOKIT_SUPPORT_NUMBER_TEXT_H_
