#ifndef HLOKIT_SUPPORT_PERMUTATION_H_
#define HLOKIT_SUPPORT_PERMUTATION_H_

#include <cstdint>
#include <span>
#include <vector>

namespace hlo {

// Whether `numbers` are 0 ... count - 1, each once, in any order.
inline bool IsPermutation(std::span<const int64_t> numbers, int64_t count) {
  if (static_cast<int64_t>(numbers.size()) != count) return false;
  std::vector<bool> seen(numbers.size());
  for (int64_t number : numbers) {
    if (number < 0 || number >= count || seen[static_cast<size_t>(number)]) return false;
    seen[static_cast<size_t>(number)] = true;
  }
  return true;
}

}  // namespace hlo

#endif  // HLOKIT_SUPPORT_PERMUTATION_H_
