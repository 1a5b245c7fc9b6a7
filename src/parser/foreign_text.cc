// Only beginnings are looked at: magic numbers at the first byte, the first fields of protocol
// buffers, words behind white space and `//` comments. What begins in another way is for the parser
// to judge.
#include "parser/foreign_text.h"

#include <algorithm>
#include <cstdint>

namespace hlo {
namespace {

constexpr std::string_view kMlir =
    "this is MLIR text, such as StableHLO: JAX prints HLO with `lowered.as_text(dialect=\"hlo\")`, "
    "and stablehlo-translate converts files";
constexpr std::string_view kBytecode =
    "this is MLIR bytecode, such as a StableHLO artifact: stablehlo-translate converts it";
constexpr std::string_view kJaxpr =
    "this is a jaxpr: `jax.jit(f).lower(...).as_text(dialect=\"hlo\")` prints HLO";
constexpr std::string_view kProto =
    "this is a protocol buffer, such as HloModuleProto: XLA writes text with "
    "--xla_dump_hlo_as_text";
constexpr std::string_view kOnnx = "this is an ONNX model: there is no HLO in it";
constexpr std::string_view kArray = "these are numpy arrays: inputs of a program, not the program";

// How a kind of file begins, after white space where that may stand.
struct Beginning {
  std::string_view bytes;
  std::string_view description;
};
constexpr Beginning kMagics[] = {
    {"ML\xefR", kBytecode},
    {"\x93NUMPY", kArray},
    {"PK\x03\x04", kArray},
};
constexpr Beginning kTexts[] = {
    {"module @", kMlir},
    {"module {", kMlir},
    {"module attributes", kMlir},
    {"\"builtin.module\"", kMlir},
    {"builtin.module", kMlir},
    {"func.func", kMlir},
    {"#loc", kMlir},
    {"{ lambda", kJaxpr},
    {"{lambda", kJaxpr},
};

uint8_t ByteAt(std::string_view text, size_t i) { return static_cast<uint8_t>(text[i]); }

// A field of bytes: `tag`, a length below 128, that many printable characters. Behind it; 0: none.
size_t EndOfStringField(std::string_view text, uint8_t tag) {
  if (text.size() < 2 || ByteAt(text, 0) != tag || ByteAt(text, 1) >= 128) return 0;
  const size_t size = ByteAt(text, 1);
  if (size == 0 || text.size() < 2 + size) return 0;
  const std::string_view name = text.substr(2, size);
  const bool is_printable = std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~'; });
  return is_printable ? 2 + size : 0;
}

// HloModuleProto begins with its name (field 1) and goes on with the entry's (field 2); HloProto
// has the module as field 1, whose length and tag stand before.
bool IsModuleProto(std::string_view text) {
  constexpr uint8_t kField1 = 0x0a, kField2 = 0x12;
  if (const size_t end = EndOfStringField(text, kField1)) {
    return EndOfStringField(text.substr(end), kField2) > 0;
  }
  if (text.size() < 3 || ByteAt(text, 0) != kField1) return false;
  size_t inner = 1;
  while (inner < text.size() && ByteAt(text, inner) >= 128) ++inner;
  return EndOfStringField(text.substr(std::min(inner + 1, text.size())), kField1) > 0;
}

// ModelProto begins with the version of its format (field 1, a small number) and goes on with the
// producer's name (field 2) or the version of the operators.
bool IsOnnx(std::string_view text) {
  return text.size() > 3 && ByteAt(text, 0) == 0x08 && ByteAt(text, 1) < 32 &&
         EndOfStringField(text.substr(2), 0x12) > 0;
}

std::string_view SkipSpaceAndComments(std::string_view text) {
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (!text.starts_with("//")) return text;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

// `name = ...` or `ROOT name = ...`: a computation may well be called `module`.
bool BeginsInstruction(std::string_view text) {
  text = SkipSpaceAndComments(text);
  if (text.starts_with("ROOT ")) text = SkipSpaceAndComments(text.substr(5));
  const size_t end = text.find_first_of(" \t\r\n=(@\"");
  if (end == std::string_view::npos || end == 0) return false;
  return SkipSpaceAndComments(text.substr(end)).starts_with("=");
}

}  // namespace

std::optional<ForeignText> FindForeignText(std::string_view text) {
  for (const Beginning& magic : kMagics) {
    if (text.starts_with(magic.bytes)) return ForeignText{0, magic.description};
  }
  if (IsOnnx(text)) return ForeignText{0, kOnnx};
  if (IsModuleProto(text)) return ForeignText{0, kProto};
  const std::string_view first = SkipSpaceAndComments(text);
  for (const Beginning& beginning : kTexts) {
    if (!first.starts_with(beginning.bytes)) continue;
    if (BeginsInstruction(first.substr(beginning.bytes.size()))) continue;
    return ForeignText{static_cast<uint32_t>(text.size() - first.size()), beginning.description};
  }
  return std::nullopt;
}

}  // namespace hlo
