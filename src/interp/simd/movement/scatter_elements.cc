// A loop for each type and opcode: histograms, sums of segments and gradients of embedded numbers
// are millions of elements, for each of which a call takes longer than what it does.
#include "interp/simd/movement/scatter_elements.h"

#include "interp/reference/element_size.h"
#include "interp/reference/reducer.h"

namespace hlo::simd {

ScatterElements FindScatterElements(Opcode opcode, ElementType type) {
  ScatterElements found = nullptr;
  reference::DispatchReducer(opcode, type, [&]<typename T, typename Reducer>() {
    found = [](std::byte* result, const std::byte* updates, std::span<const RowAndTarget> rows) {
      T* const to = reinterpret_cast<T*>(result);
      const T* const from = reinterpret_cast<const T*>(updates);
      for (const auto& [row, target] : rows) to[target] = Reducer::Apply(to[target], from[row]);
    };
  });
  return found;
}

ScatterElements FindOverwriteElements(ElementType type) {
  ScatterElements found = nullptr;
  reference::DispatchElementSize(ElementByteSize(type), [&]<typename T>() {
    found = [](std::byte* result, const std::byte* updates, std::span<const RowAndTarget> rows) {
      T* const to = reinterpret_cast<T*>(result);
      const T* const from = reinterpret_cast<const T*>(updates);
      for (const auto& [row, target] : rows) to[target] = from[row];
    };
  });
  return found;
}

}  // namespace hlo::simd
