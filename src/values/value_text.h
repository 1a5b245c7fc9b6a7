// Values as the command line writes them.
#ifndef HLOKIT_VALUES_VALUE_TEXT_H_
#define HLOKIT_VALUES_VALUE_TEXT_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "ir/literal.h"

namespace hlo {

// One of
//   f32[2,3]={{1,2,3},{4,5,6}}   a shape and a literal
//   {1,2}                        a literal of `expected`, or of a smaller size where that is
//                                dynamic
//   2x3xf32=0.5                  a number for every element
//   0.5                          the same for `expected`
//   f32[3] {1, 2, 3}             a result as it is printed
// The value need not have the shape `expected`. Fails with kInvalidArgument, in words for the user.
absl::StatusOr<Literal> ParseValue(std::string_view text, const Shape& expected);

// The first equals sign of `text` that is not part of a bound (`<=`), or npos.
size_t FindEqualsSign(std::string_view text);

// Whether `text`, which stands before an equals sign, means a shape: f32[2], 2x3xf32.
bool IsShapeSpelling(std::string_view text);

// A literal behind its shape, as programs print it: f32[2] {1, 2}.
absl::StatusOr<Literal> ParseTypedValue(std::string_view text);

}  // namespace hlo

#endif  // HLOKIT_VALUES_VALUE_TEXT_H_
