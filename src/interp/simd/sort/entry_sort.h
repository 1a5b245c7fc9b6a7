// Sorts of any number of operands by any number of keys.
#ifndef HLOKIT_INTERP_SIMD_SORT_ENTRY_SORT_H_
#define HLOKIT_INTERP_SIMD_SORT_ENTRY_SORT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "interp/kernel/evaluation.h"
#include "interp/reference/sort_lines.h"
#include "interp/simd/sort/key_loops.h"

namespace hlo::simd {

// Some bits of an operand's keys, as many as entries have digits.
struct SortDigit {
  size_t operand;
  int64_t element_size;
  bool ascending;
  int shift;  // of the key
  KeyLoops loops;
};

// An order of the elements of lines. An entry is an unsigned integer that has a digit in the upper
// half and the element's place in its line below.
class EntryOrder {
 public:
  // For lines of `length` elements, 2^32 at most.
  EntryOrder(std::span<const FunctionForm::Key> keys, int64_t length);

  // Sorts all operands.
  absl::Status Sort(Evaluation& e, const reference::Lines& lines) const;

 private:
  int place_bits_;
  std::vector<SortDigit> digits_;  // the one that decides first comes first
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_SORT_ENTRY_SORT_H_
