// Loops that make keys of elements, and elements of keys.
#ifndef HLOKIT_INTERP_SIMD_SORT_KEY_LOOPS_H_
#define HLOKIT_INTERP_SIMD_SORT_KEY_LOOPS_H_

#include <cstddef>
#include <cstdint>

#include "interp/kernel/function_form.h"
#include "ir/element_type.h"

namespace hlo::simd {

// Whether a comparator by `key` takes zeros of both signs, and NaNs, for one value: by value there
// are no NaNs, or the reference kernel sorts.
inline bool MergesValues(const FunctionForm::Key& key) {
  return !key.total_order || key.is_canonical;
}

// What keys of some elements do not say.
struct KeyLoss {
  bool has_nan = false;
  bool has_merged = false;  // a zero or NaN that ElementOfKey would not give back

  KeyLoss& operator|=(const KeyLoss& other) {
    has_nan |= other.has_nan;
    has_merged |= other.has_merged;
    return *this;
  }
};

// The loops for one type (sort_keys.h). Keys are ascending where elements are, or else descending.
struct KeyLoops {
  int64_t key_size = 0;  // bytes; 0: the type has no keys
  // Keys of elements `stride` apart.
  KeyLoss (*to_keys)(const std::byte* elements, int64_t stride, int64_t count, bool ascending,
                     std::byte* keys) = nullptr;
  // Elements side by side, which may lie where the keys do; null where keys do not have all bits.
  void (*from_keys)(const std::byte* keys, int64_t count, bool ascending,
                    std::byte* elements) = nullptr;
  // Writes the numbers of the keys below `limit`, in order, and returns how many there are.
  int64_t (*find_below)(const std::byte* keys, int64_t count, uint64_t limit,
                        int32_t* numbers) = nullptr;
};

// `merged`: zeros are one value, NaNs another.
KeyLoops FindKeyLoops(ElementType type, bool merged);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_SORT_KEY_LOOPS_H_
