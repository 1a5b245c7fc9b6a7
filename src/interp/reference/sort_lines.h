// Lines of arrays and the keys they are sorted by: what sort and top-k share.
#ifndef HLOKIT_INTERP_REFERENCE_SORT_LINES_H_
#define HLOKIT_INTERP_REFERENCE_SORT_LINES_H_

#include <cstdint>
#include <span>
#include <type_traits>

#include "interp/kernel/device.h"
#include "interp/kernel/evaluation.h"
#include "interp/reference/sort_key.h"
#include "interp/reference/strided.h"

namespace hlo::reference {

// The lines of an array along one dimension: element i of a line is at base + i * stride.
struct Lines {
  Lines(std::span<const int64_t> array_dims, int64_t dimension)
      : dims(array_dims.begin(), array_dims.end()), strides(DenseStrides(array_dims)) {
    length = dims[dimension];
    stride = strides[dimension];
    dims[dimension] = dims[dimension] == 0 ? 0 : 1;
  }

  template <typename Visit>
  void ForEach(Visit&& visit) const {
    ForEachOffset(AsSpan(dims), AsSpan(strides), visit);
  }

  Index dims, strides;
  int64_t length;
  int64_t stride;
};

// Whether `form` is a comparator of one operand's elements as they are.
inline bool ComparesElements(const Evaluation& e, const FunctionForm& form) {
  if (form.kind != FunctionForm::Kind::kComparator) return false;
  const FunctionForm::Key& key = form.keys[0];
  return key.parameter < static_cast<int64_t>(e.operands().size()) &&
         e.operand(static_cast<size_t>(key.parameter)).element_type == key.element_type;
}

template <typename T, typename ToKey>
using KeyOf = std::invoke_result_t<ToKey, T>;

// Writes the keys of one line of `array`.
template <typename T, typename ToKey>
void FillKeys(const ArrayRef& array, const Lines& lines, int64_t base, ToKey to_key,
              std::span<KeyOf<T, ToKey>> keys) {
  const T* elements = View<T>(array).data() + base;
  for (int64_t i = 0; i < lines.length; ++i) keys[i] = to_key(elements[i * lines.stride]);
}

// Room for putting one line in order: arrays of as many numbers as it has elements.
class LineRoom {
 public:
  // Three arrays, or two of which the second has scratch numbers or keys.
  LineRoom(Evaluation& e, const Lines& lines, int64_t array_count)
      : length_(static_cast<size_t>(lines.length)),
        last_(static_cast<size_t>((array_count - 1) * lines.length)),
        storage_(e.device().scratch(), array_count * lines.length) {}

  static double ByteSize(int64_t length, int64_t array_count) {
    return static_cast<double>(array_count) * sizeof(int64_t) * static_cast<double>(length);
  }

  std::span<int64_t> positions() const { return {storage_.get(), length_}; }
  // For a merge sort.
  std::span<int64_t> scratch() const { return {storage_.get() + length_, length_}; }
  template <typename Key>
  std::span<Key> keys() const {
    static_assert(sizeof(Key) == sizeof(int64_t));
    return {reinterpret_cast<Key*>(storage_.get() + last_), length_};
  }

 private:
  size_t length_;
  size_t last_;  // where the last array begins
  ScratchArray<int64_t> storage_;
};

// Calls function(to_key) with the function on Ts whose values a comparator by `key` compares.
template <typename T, typename Function>
void WithKeyFunction(const FunctionForm::Key& key, Function&& function) {
  if (key.is_canonical) {
    function([](T x) { return CanonicalKey(x); });
  } else if (key.total_order) {
    function([](T x) { return TotalKey(x); });
  } else {
    function([](T x) { return ValueKey(x); });
  }
}

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_SORT_LINES_H_
