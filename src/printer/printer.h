// Module to text (grammar.md 10).
#ifndef HLOKIT_PRINTER_PRINTER_H_
#define HLOKIT_PRINTER_PRINTER_H_

#include <cstdint>
#include <string>

#include "ir/literal.h"
#include "ir/module.h"

namespace hlo {

enum class PrintStyle : uint8_t {
  kXla,     // what XLA itself prints, constants in full
  kLong,    // the same with operand shapes
  kShort,   // XLA's short parsable form
  kPretty,  // for reading
  kKeep,    // as it was written, but for white space, attribute order, numbers; without a text kXla
};

struct PrintOptions {
  PrintStyle style = PrintStyle::kXla;
  bool metadata = true;
  bool backend_config = true;
  bool layouts = true;
  bool comments = true;
  int64_t elide_literals = -1;  // constants with more elements print as {...}; -1: none
  bool resolve_frames = false;  // stack frames as `file:line` comments instead of tables
  int width = 100;              // kPretty
  bool color = false;           // kPretty
  // Also what XLA changes while reading: post-order, module-wide unique names, callees first,
  // discarded attributes. For comparison with XLA's own output.
  bool like_xla = false;
};

std::string PrintModule(const Module& module, const PrintOptions& options = {});

// The elements as in constant(...): "{1, 2}". More than `elide_above` elements (when >= 0) print
// as `{...}`.
std::string PrintLiteral(const Literal& literal, int64_t elide_above = -1);
// The same with every leaf behind its shape: "f32[2]{0} {1, 2}", "( s32[] 1, f32[2]{0} {1, 2} )".
std::string PrintTypedLiteral(const Literal& literal, int64_t elide_above = -1);
// As XLA prints evaluated results: shapes without layouts, a row a line, a tuple element a line. Of
// arrays with more than `shorten_above` elements (when > 0) a dimension of more than six items
// shows the first three and the last three, with `...` between them.
std::string PrintResultLiteral(const Literal& literal, int64_t shorten_above = 0);

}  // namespace hlo

#endif  // HLOKIT_PRINTER_PRINTER_H_
