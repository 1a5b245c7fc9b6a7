// Values of one element type given where another is wanted: numpy's habit is f64 and s64, a
// program's f32, bf16 and s32.
#ifndef HLOKIT_VALUES_CAST_H_
#define HLOKIT_VALUES_CAST_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ir/literal.h"
#include "ir/shape.h"

namespace hlo {

// When a value's element type gives way to the wanted one.
enum class CastRule : uint8_t {
  kNone,
  kExact,  // when no element changes its value
  kAny,    // rounded, cut and saturated as `convert` has it (semantics.md 2)
};

// The rule called `text` ("exact"), or nothing; and what they are called.
std::optional<CastRule> ParseCastRule(std::string_view text);
std::span<const std::string_view> CastRuleNames();

struct CastValue {
  Literal value;
  std::string note;  // "f64 taken as f32"; empty: nothing was converted
};

// `value` with the element types of `shape`, array by array; sizes are not looked at, and a tuple
// of another structure stays what it is. Fails with kInvalidArgument where `rule` forbids it,
// naming an element that would change and what to write in numpy instead; `rounding_option` is how
// the caller's user asks for kAny.
absl::StatusOr<CastValue> CastTo(Literal value, const Shape& shape, CastRule rule,
                                 std::string_view rounding_option);

}  // namespace hlo

#endif  // HLOKIT_VALUES_CAST_H_
