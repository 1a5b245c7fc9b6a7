// Which loop over rows of integers an opcode has; compiled once for each instruction set (the guard
// toggles). The compiler makes vectors of these loops.
#if defined(HLOKIT_INTERP_SIMD_LOOPS_INTEGER_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_LOOPS_INTEGER_ROWS_INL_H_
#undef HLOKIT_INTERP_SIMD_LOOPS_INTEGER_ROWS_INL_H_
#else
#define HLOKIT_INTERP_SIMD_LOOPS_INTEGER_ROWS_INL_H_
#endif

#include <type_traits>

#include "interp/simd/loops/tile_loops-inl.h"
#include "ir/narrow_float.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

// T in a type that others share, as which T's elements lie in memory and compare. Each loop takes
// long to compile.
template <typename T>
struct Shared {
  using Type = T;
};
template <>
struct Shared<bool> {
  using Type = uint8_t;
};
template <int kBitWidth, bool kSigned>
struct Shared<NarrowInt<kBitWidth, kSigned>> {
  using Type = typename NarrowInt<kBitWidth, kSigned>::Byte;
};

// Calls function.operator()<Fn, Element>() for what the opcode does with elements of T, which is
// the same as with those of Element; null for others.
template <typename T, typename Function>
auto ForIntegers(Opcode opcode, Function function)
    -> decltype(function.template operator()<AddFn, T>()) {
  using Number = typename Shared<T>::Type;
  using Bits = std::make_unsigned_t<Number>;
  // Whole bytes wrap alike with a sign and without.
  using Term = std::conditional_t<std::is_same_v<T, Number>, Bits, T>;
  switch (opcode) {
    case Opcode::kAdd:
      return function.template operator()<AddFn, Term>();
    case Opcode::kMultiply:
      return function.template operator()<MultiplyFn, Term>();
    case Opcode::kMaximum:
      return function.template operator()<MaximumFn, Number>();
    case Opcode::kMinimum:
      return function.template operator()<MinimumFn, Number>();
    case Opcode::kAnd:
      return function.template operator()<AndFn, Bits>();
    case Opcode::kOr:
      return function.template operator()<OrFn, Bits>();
    case Opcode::kXor:
      return function.template operator()<XorFn, Bits>();
    default:  // no order may be chosen for these
      return nullptr;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_LOOPS_INTEGER_ROWS_INL_H_
