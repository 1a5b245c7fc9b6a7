// The reducers and combiners that need no call per element: single binary opcodes.
#ifndef HLOKIT_INTERP_REFERENCE_REDUCER_H_
#define HLOKIT_INTERP_REFERENCE_REDUCER_H_

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "interp/kernel/scalar_ops_binary.h"
#include "ir/opcode.h"

namespace hlo::reference {

// One step of a reduction in T, rounded to T.
template <typename Fn>
struct Reducer {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (kTypeClassOf<T> == kFloat && sizeof(T) < 4) {
      return T(Fn()(static_cast<float>(a), static_cast<float>(b)));
    } else {
      return Fn()(a, b);
    }
  }
};

template <typename T>
using ComputeTypeOf = std::conditional_t<kTypeClassOf<T> == kFloat && sizeof(T) < 4, float, T>;

// Types that are rare in reductions get no loops of their own: f8 and narrower, s4 and narrower.
template <typename T>
inline constexpr bool kHasReducerLoops = sizeof(T) > 1 || std::is_same_v<T, bool> ||
                                         std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t>;

// Calls function.operator()<T, Reducer<Fn>>() and returns true when `opcode` over `type` is one
// that is worth loops of its own; else returns false.
template <typename Function>
bool DispatchReducer(Opcode opcode, ElementType type, Function&& function) {
  auto dispatch = [&]<typename Fn>() {
    return DispatchElementType<kAnyArray>(type, [&]<typename T>() {
      using C = ComputeTypeOf<T>;
      if constexpr (kHasReducerLoops<T> && std::invocable<Fn, C, C>) {
        function.template operator()<T, Reducer<Fn>>();
        return true;
      }
      return false;
    });
  };
  if (opcode == Opcode::kAdd) return dispatch.template operator()<AddFn>();
  if (opcode == Opcode::kMultiply) return dispatch.template operator()<MultiplyFn>();
  if (opcode == Opcode::kMaximum) return dispatch.template operator()<MaximumFn>();
  if (opcode == Opcode::kMinimum) return dispatch.template operator()<MinimumFn>();
  if (opcode == Opcode::kAnd) return dispatch.template operator()<AndFn>();
  if (opcode == Opcode::kOr) return dispatch.template operator()<OrFn>();
  if (opcode == Opcode::kXor) return dispatch.template operator()<XorFn>();
  return false;
}

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_REDUCER_H_
