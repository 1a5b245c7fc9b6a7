// Lines of arrays and the keys they are sorted by: what sort and top-k share.
#ifndef HLOKIT_INTERP_REFERENCE_SORT_LINES_H_
#define HLOKIT_INTERP_REFERENCE_SORT_LINES_H_

#include <cstdint>
#include <span>
#include <vector>

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
  return form.kind == FunctionForm::Kind::kComparator &&
         form.parameter < static_cast<int64_t>(e.operands().size()) &&
         e.operand(static_cast<size_t>(form.parameter)).element_type == form.element_type;
}

// Keys of one line of `array`.
template <typename T, typename ToKey>
auto LineKeys(const ArrayRef& array, const Lines& lines, int64_t base, ToKey to_key) {
  const T* elements = View<T>(array).data() + base;
  std::vector<decltype(to_key(T{}))> keys(static_cast<size_t>(lines.length));
  for (int64_t i = 0; i < lines.length; ++i) keys[i] = to_key(elements[i * lines.stride]);
  return keys;
}

// Calls function(to_key) with the function on Ts whose values the comparator compares.
template <typename T, typename Function>
void WithKeyFunction(const FunctionForm& comparator, Function&& function) {
  if (comparator.is_canonical) {
    function([](T x) { return CanonicalKey(x); });
  } else if (comparator.total_order) {
    function([](T x) { return TotalKey(x); });
  } else {
    function([](T x) { return ValueKey(x); });
  }
}

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_SORT_LINES_H_
