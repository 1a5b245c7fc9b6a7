// The memory image of a result as text: what a buffer in the result's layout holds, in order.
#ifndef HLOKIT_VALUES_MEMORY_TEXT_H_
#define HLOKIT_VALUES_MEMORY_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/attribute_enums.h"
#include "ir/literal.h"

namespace hlo {

struct MemoryTextOptions {
  bool as_bytes = false;              // bytes in hexadecimal instead of elements
  int64_t max_print = 0;              // arrays of more elements print as {...}; 0: none does
  int64_t max_byte_size = INT64_MAX;  // of an array and its image
  // The older layout form, which has no text in HLO (semantics.md 16.2): sizes to which the
  // dimensions are padded, and what stands there.
  std::vector<int64_t> padded_dimensions;
  PaddingValue padding_value = PaddingValue::kZero;
};

// One paragraph for each array of `literal`, whose shape says its layout; none means row-major:
//
//   memory of f32[3,5]{1,0:T(2,2)}: 24 elements, 96 bytes
//     0: 1 2 6 7
//
// A line of elements is a tile, or a run along the minor-most dimension, behind its position;
// `_` is padding, whose contents nobody defines. A line of bytes is 16 of them behind their offset.
// Fails with kInvalidArgument when a layout or the padding does not fit, with kResourceExhausted
// when the image takes too much memory.
absl::StatusOr<std::string> MemoryText(const Literal& literal, const MemoryTextOptions& options);

}  // namespace hlo

#endif  // HLOKIT_VALUES_MEMORY_TEXT_H_
