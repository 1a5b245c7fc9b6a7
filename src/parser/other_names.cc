// Dialects' names are opcodes with `_` and a prefix; a short list has names of other interfaces. A
// beginning counts only when all opcodes that have it are variants of one (`-start`, `-done`).
// Types are taken apart into prefix and width; those without a width, and `i1`, are words of their
// own.
#include "parser/other_names.h"

#include <algorithm>
#include <string>

namespace hlo {
namespace {

// Names too far from the opcodes' for a guess (grammar.md 6.1).
struct OtherName {
  std::string_view text;
  Opcode opcode;
};
constexpr OtherName kOtherNames[] = {
    {"clz", Opcode::kCountLeadingZeros},
    {"conv", Opcode::kConvolution},
    {"cos", Opcode::kCosine},
    {"exp", Opcode::kExponential},
    {"expm1", Opcode::kExponentialMinusOne},
    {"log1p", Opcode::kLogPlusOne},
    {"matmul", Opcode::kDot},
    {"mod", Opcode::kRemainder},
    {"mul", Opcode::kMultiply},
    {"optimization-barrier", Opcode::kOptimizationBarrier},
    {"sigmoid", Opcode::kLogistic},
    {"sin", Opcode::kSine},
    {"where", Opcode::kSelect},
};

std::optional<Opcode> OpcodeWithOtherName(std::string_view text) {
  const auto found = std::ranges::find(kOtherNames, text, &OtherName::text);
  return found == std::end(kOtherNames) ? std::nullopt : std::optional(found->opcode);
}

// A word of a dialect: `stablehlo.dynamic_slice`, `tf.MatMul` has another alphabet.
std::string WithoutDialect(std::string_view text) {
  std::string name(text.substr(text.rfind('.') + 1));
  std::ranges::replace(name, '_', '-');
  return name;
}

struct TypePrefix {
  std::string_view text;
  std::string_view ours;
};
constexpr TypePrefix kTypePrefixes[] = {
    {"float", "f"}, {"bfloat", "bf"}, {"int", "s"}, {"uint", "u"},
    {"i", "s"},     {"ui", "u"},      {"si", "s"},  {"complex", "c"},
};
constexpr TypePrefix kTypeNames[] = {
    {"bool", "pred"}, {"i1", "pred"}, {"float", "f32"}, {"double", "f64"},
    {"half", "f16"},  {"int", "s32"}, {"long", "s64"},  {"uint", "u32"},
};

}  // namespace

std::optional<Opcode> OpcodeMeantBy(std::string_view text) {
  const std::string name = WithoutDialect(text);
  if (std::optional<Opcode> opcode = ParseOpcode(name)) return opcode;
  return OpcodeWithOtherName(name);
}

std::optional<Opcode> OpcodeBeginningWith(std::string_view text) {
  constexpr size_t kShortest = 3;
  if (text.size() < kShortest) return std::nullopt;
  std::optional<Opcode> shortest;
  for (int i = 0; i < kOpcodeCount; ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    const bool is_shorter = !shortest || OpcodeName(opcode).size() < OpcodeName(*shortest).size();
    if (OpcodeName(opcode).starts_with(text) && is_shorter) shortest = opcode;
  }
  if (!shortest) return std::nullopt;
  for (int i = 0; i < kOpcodeCount; ++i) {
    const std::string_view name = OpcodeName(static_cast<Opcode>(i));
    const std::string variant = std::string(OpcodeName(*shortest)) + "-";
    if (name.starts_with(text) && name != OpcodeName(*shortest) && !name.starts_with(variant)) {
      return std::nullopt;
    }
  }
  return shortest;
}

std::optional<ElementType> ElementTypeMeantBy(std::string_view text) {
  const auto name = std::ranges::find(kTypeNames, text, &TypePrefix::text);
  if (name != std::end(kTypeNames)) return ParseElementType(name->ours);
  const size_t digits = text.find_first_of("0123456789");
  if (digits == std::string_view::npos) return std::nullopt;
  const auto prefix = std::ranges::find(kTypePrefixes, text.substr(0, digits), &TypePrefix::text);
  if (prefix == std::end(kTypePrefixes)) return std::nullopt;
  return ParseElementType(std::string(prefix->ours) + std::string(text.substr(digits)));
}

}  // namespace hlo
