// White space of text that somebody wrote, put in order without touching anything else.
#ifndef HLOKIT_PRINTER_RESPACE_H_
#define HLOKIT_PRINTER_RESPACE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hlo {

enum class Respacing : uint8_t {
  kHead,         // `ENTRY name (parameter: shape) -> shape`
  kInstruction,  // `name = shape opcode`
  kOperands,     // `f32[2] x, negate(y), dimensions={0,1}`
  kLiteral,      // `{{1, 2}, {3, 4}}`, and numbers without needless zeros
  kAsWritten,    // runs of blanks become one, nothing else
};

// `text` with canonical white space outside of strings and comments. A line break stays one; the
// line behind it moves `shift` columns to the right.
std::string Respaced(std::string_view text, Respacing respacing, int shift);

// The line break in `gap`, which is white space, or an empty line for several, and the indentation
// behind it, moved as above.
std::string ShiftedLineBreak(std::string_view gap, int shift);

// The column at which blanks end that a line begins with.
int IndentationOf(std::string_view blanks);

// The characters of `text` with the white space of `canonical`, whose other characters have to be
// the same; a `%` is not compared and stays as in `text`. Nothing when they differ otherwise.
std::optional<std::string> WithSpacesOf(std::string_view canonical, std::string_view text);

}  // namespace hlo

#endif  // HLOKIT_PRINTER_RESPACE_H_
