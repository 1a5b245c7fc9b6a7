// Links of arithmetic and functions: what each opcode does to registers. Compiled once for each
// instruction set (the guard toggles).
#if defined(HLOKIT_INTERP_SIMD_CHAIN_CHAIN_ARITHMETIC_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_CHAIN_CHAIN_ARITHMETIC_INL_H_
#undef HLOKIT_INTERP_SIMD_CHAIN_CHAIN_ARITHMETIC_INL_H_
#else
#define HLOKIT_INTERP_SIMD_CHAIN_CHAIN_ARITHMETIC_INL_H_
#endif

#include "hwy/highway.h"
#include "interp/simd/chain/chain_conversions-inl.h"
#include "interp/simd/chain/chain_division-inl.h"
#include "interp/simd/chain/chain_links-inl.h"
#include "interp/simd/chain/chain_masks-inl.h"
#include "interp/simd/chain/chain_shifts-inl.h"
#include "interp/simd/vector/vector_extremes-inl.h"
#include "interp/simd/vector/vector_functions-inl.h"
#include "interp/simd/vector/vector_power-inl.h"
#include "interp/simd/vector/vector_rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#ifdef HLO_CHAIN_LINKS
// --- The meaning of each opcode is in kernel/scalar_ops_*.h

#define HLO_LINK_OF_TWO(Name, expression)         \
  struct Name {                                   \
    template <class Vector>                       \
    Vector operator()(Vector a, Vector b) const { \
      return expression;                          \
    }                                             \
  };
HLO_LINK_OF_TWO(Add, hn::Add(a, b))
HLO_LINK_OF_TWO(Subtract, hn::Sub(a, b))
HLO_LINK_OF_TWO(Multiply, hn::Mul(a, b))
HLO_LINK_OF_TWO(And, hn::And(a, b))
HLO_LINK_OF_TWO(Or, hn::Or(a, b))
HLO_LINK_OF_TWO(Xor, hn::Xor(a, b))
HLO_LINK_OF_TWO(IntegerMaximum, hn::Max(a, b))
HLO_LINK_OF_TWO(IntegerMinimum, hn::Min(a, b))
#ifdef HLO_VECTOR_POWER
HLO_LINK_OF_TWO(Power, VectorPower()(hn::DFromV<Vector>(), a, b))
#endif
#ifdef HLO_VECTOR_ATAN2
HLO_LINK_OF_TWO(Atan2, VectorAtan2()(hn::DFromV<Vector>(), a, b))
#endif
#undef HLO_LINK_OF_TWO

#define HLO_LINK_OF_ONE(Name, expression) \
  struct Name {                           \
    template <class Vector>               \
    Vector operator()(Vector x) const {   \
      return expression;                  \
    }                                     \
  };
HLO_LINK_OF_ONE(Abs, hn::Abs(x))
HLO_LINK_OF_ONE(Negate, hn::Neg(x))
HLO_LINK_OF_ONE(Not, hn::Not(x))
HLO_LINK_OF_ONE(Sqrt, hn::Sqrt(x))
HLO_LINK_OF_ONE(Rsqrt, hn::Div(hn::Set(hn::DFromV<Vector>(), 1), hn::Sqrt(x)))
HLO_LINK_OF_ONE(Floor, hn::Floor(x))
HLO_LINK_OF_ONE(Ceil, hn::Ceil(x))
HLO_LINK_OF_ONE(RoundNearestEven, hn::Round(x))
HLO_LINK_OF_ONE(RoundNearestAfz, VectorRoundAfz()(hn::DFromV<Vector>(), x))
HLO_LINK_OF_ONE(IsFinite, hn::VecFromMask(hn::DFromV<Vector>(), hn::IsFinite(x)))
#undef HLO_LINK_OF_ONE
struct Sign {
  template <class Vector>
  Vector operator()(Vector x) const {
    const hn::DFromV<Vector> d;
    const auto has_sign = hn::Gt(hn::Abs(x), hn::Zero(d));
    return hn::IfThenElse(has_sign, hn::CopySign(hn::Set(d, 1), x), x);
  }
};

#if HWY_TARGET == HWY_AVX2
// The larger or the smaller of each of four pairs, one look for NaN for all: with three
// instructions for each pair such a link takes some four times as long as an addition.
template <class Fn, typename Vector>
HWY_INLINE void ChooseOfFour(const Vector (&a)[4], const Vector (&b)[4], Vector (&to)[4]) {
  if (HWY_UNLIKELY(HasNan(b))) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) to[i] = Fn()(a[i], b[i]);
    return;
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) to[i] = Fn::OfNumbers(a[i], b[i]);
}
// What is not in registers is the first operand, or the second.
template <typename T, class Fn, bool kIsFirst>
struct ExtremeWithMemory : Memory<T> {
  using Memory<T>::Memory;
  HWY_INLINE void operator()(V<T> (&x)[4], int64_t first) const {
    V<T> other[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) other[i] = hn::LoadU(Lanes<T>(), this->Vector(first + i));
    kIsFirst ? ChooseOfFour<Fn>(other, x, x) : ChooseOfFour<Fn>(x, other, x);
  }
};
template <typename T, class Fn, bool kIsFirst>
struct ExtremeWithOne : One<T> {
  using One<T>::One;
  HWY_INLINE void operator()(V<T> (&x)[4], int64_t) const {
    const V<T> other[4] = {this->vector, this->vector, this->vector, this->vector};
    kIsFirst ? ChooseOfFour<Fn>(other, x, x) : ChooseOfFour<Fn>(x, other, x);
  }
};
template <typename T, class Fn>
LinkFunction ExtremeLink(LinkOperands operands) {
  switch (operands) {
    case LinkOperands::kRegistersMemory:
      return LinkOf<ExtremeWithMemory<T, Fn, false>>();
    case LinkOperands::kMemoryRegisters:
      return LinkOf<ExtremeWithMemory<T, Fn, true>>();
    case LinkOperands::kRegistersOne:
      return LinkOf<ExtremeWithOne<T, Fn, false>>();
    case LinkOperands::kOneRegisters:
      return LinkOf<ExtremeWithOne<T, Fn, true>>();
    case LinkOperands::kRegistersTwice:
      break;
  }
  return Binary<T, Fn>(operands);
}
#else
template <typename T, class Fn>
LinkFunction ExtremeLink(LinkOperands operands) {
  return Binary<T, Fn>(operands);
}
#endif

#ifdef HLO_VECTOR_FUNCTIONS
// The library takes and gives vectors of the compiler.
template <class Fn>
struct OfLibrary {
  template <class Vector>
  Vector operator()(Vector x) const {
    x.raw = Fn()(x.raw);
    return x;
  }
};
#endif

// --- Links

template <typename T, typename Integer>
LinkFunction IntegerBinary(Opcode opcode, LinkOperands operands) {
  switch (opcode) {
    case Opcode::kAdd:
      return Binary<T, OnBits<Integer, Add>>(operands);
    case Opcode::kSubtract:
      return Binary<T, OnBits<Integer, Subtract>>(operands);
    case Opcode::kMultiply:
      return Binary<T, OnBits<Integer, Multiply>>(operands);
    case Opcode::kAnd:
      return Binary<T, OnBits<Integer, And>>(operands);
    case Opcode::kOr:
      return Binary<T, OnBits<Integer, Or>>(operands);
    case Opcode::kXor:
      return Binary<T, OnBits<Integer, Xor>>(operands);
    case Opcode::kMaximum:
      return Binary<T, OnBits<Integer, IntegerMaximum>>(operands);
    case Opcode::kMinimum:
      return Binary<T, OnBits<Integer, IntegerMinimum>>(operands);
    default:
      return ShiftLink<T, Integer>(opcode, operands);
  }
}

template <typename T>
LinkFunction FloatBinary(Opcode opcode, LinkOperands operands) {
  switch (opcode) {
    case Opcode::kAdd:
      return Binary<T, Add>(operands);
    case Opcode::kSubtract:
      return Binary<T, Subtract>(operands);
    case Opcode::kMultiply:
      return Binary<T, Multiply>(operands);
    case Opcode::kDivide:
      return DivideLink<T>(operands);
    case Opcode::kMaximum:
      return ExtremeLink<T, VectorMaximum>(operands);
    case Opcode::kMinimum:
      return ExtremeLink<T, VectorMinimum>(operands);
#ifdef HLO_VECTOR_POWER
    case Opcode::kPower:
      return Binary<T, Power>(operands);
#endif
#ifdef HLO_VECTOR_ATAN2
    case Opcode::kAtan2:
      return Binary<T, Atan2>(operands);
#endif
    default:  // no link of these types
      return nullptr;
  }
}

// Fn on the bits as integers.
template <typename Integer, class Fn>
struct OnBitsOfOne {
  template <class Vector>
  Vector operator()(Vector x) const {
    return hn::BitCast(hn::DFromV<Vector>(), Fn()(hn::BitCast(hn::ScalableTag<Integer>(), x)));
  }
};
template <typename T>
LinkFunction IntegerUnary(Opcode opcode, bool is_signed) {
  using Signed = hn::TFromD<hn::RebindToSigned<Lanes<T>>>;
  switch (opcode) {
    case Opcode::kNot:
      return LinkOf<Alone<T, Not>>();
    case Opcode::kNegate:
      return LinkOf<Alone<T, OnBitsOfOne<Signed, Negate>>>();
    case Opcode::kAbs:
      return is_signed ? LinkOf<Alone<T, OnBitsOfOne<Signed, Abs>>>() : nullptr;
    default:  // no link of these types
      return nullptr;
  }
}

// Of truth values.
template <typename T>
LinkFunction LogicalBinary(Opcode opcode, LinkOperands operands) {
  switch (opcode) {
    case Opcode::kAnd:
      return Binary<T, And>(operands);
    case Opcode::kOr:
      return Binary<T, Or>(operands);
    case Opcode::kXor:
      return Binary<T, Xor>(operands);
    default:  // no link of these types
      return nullptr;
  }
}

template <typename T>
LinkFunction BinaryLink(Opcode opcode, ElementType type, LinkOperands operands) {
  using Signed = hn::TFromD<hn::RebindToSigned<Lanes<T>>>;
  using Unsigned = hn::TFromD<Words<T>>;
  if (type == ElementType::kPred) return LogicalBinary<T>(opcode, operands);
  if (type == kElementTypeOf<T>) return FloatBinary<T>(opcode, operands);
  if (type == kElementTypeOf<Signed>) return IntegerBinary<T, Signed>(opcode, operands);
  if (type == kElementTypeOf<Unsigned>) return IntegerBinary<T, Unsigned>(opcode, operands);
  return nullptr;
}

#ifdef HLO_VECTOR_FUNCTIONS
template <typename T, class Fn>
LinkFunction FunctionLink() {
  if constexpr (TakesFour<Fn, T>) return LinkOf<InFours<T, Fn>>();
  return LinkOf<Alone<T, OfLibrary<Fn>>>();
}
#endif

template <typename T>
LinkFunction UnaryLink(Opcode opcode, ElementType type) {
  if (type == ElementType::kPred && opcode == Opcode::kNot) return LinkOf<Alone<T, Not>>();
  using Signed = hn::TFromD<hn::RebindToSigned<Lanes<T>>>;
  if (type == kElementTypeOf<Signed>) return IntegerUnary<T>(opcode, /*is_signed=*/true);
  if (type == kElementTypeOf<hn::TFromD<Words<T>>>) {
    return IntegerUnary<T>(opcode, /*is_signed=*/false);
  }
  if (type != kElementTypeOf<T>) return nullptr;
  switch (opcode) {
    case Opcode::kSign:
      return LinkOf<Alone<T, Sign>>();
    case Opcode::kIsFinite:
      return LinkOf<Alone<T, IsFinite>>();
    case Opcode::kAbs:
      return LinkOf<Alone<T, Abs>>();
    case Opcode::kNegate:
      return LinkOf<Alone<T, Negate>>();
    case Opcode::kSqrt:
      return LinkOf<Alone<T, Sqrt>>();
    case Opcode::kRsqrt:
      return LinkOf<Alone<T, Rsqrt>>();
    case Opcode::kFloor:
      return LinkOf<Alone<T, Floor>>();
    case Opcode::kCeil:
      return LinkOf<Alone<T, Ceil>>();
    case Opcode::kRoundNearestEven:
      return LinkOf<Alone<T, RoundNearestEven>>();
    case Opcode::kRoundNearestAfz:
      return LinkOf<Alone<T, RoundNearestAfz>>();
#ifdef HLO_VECTOR_FUNCTIONS
#define HLO_ROW(Name, name) \
  case Opcode::k##Name:     \
    return FunctionLink<T, Vector_##name>();
      HLO_VECTOR_FUNCTIONS(HLO_ROW)
#undef HLO_ROW
#endif
    default:  // no link of one operand
      return nullptr;
  }
}

template <typename T>
LinkFunction LoadOneLink() {
  return LinkOf<LoadOne<T>>();
}
template <typename T>
LinkFunction FetchLink(int64_t element_size) {
  switch (element_size) {
    case 2:
      return LinkOf<Fetch<T, uint16_t>>();
    case 4:
      return LinkOf<Fetch<T, float>>();
    case 8:
      return LinkOf<Fetch<T, double>>();
    default:  // nothing that chains read
      return nullptr;
  }
}
template <typename T>
LinkFunction EndLink() {
  return reinterpret_cast<LinkFunction>(End<T>);
}

// All but those that the size of elements makes different.
template <typename T>
ChainKernels KernelsOfAll() {
  return {.group_size = kGroupSize<T>,
          .type = kElementTypeOf<T>,
          .unary = UnaryLink<T>,
          .binary = BinaryLink<T>,
          .convert = ConversionLink<T>,
          .compare = ComparisonLink<T>,
          .select = SelectLink<T>,
          .load_one_mask = LoadOneMaskLink<T>,
          .join_shifts = JoinedShiftsLink<T>,
          .mix = MixingRoundLink<T>,
          .load_one = LoadOneLink<T>,
          .fetch = FetchLink<T>,
          .end = EndLink<T>,
          .run = Run<T>};
}
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_CHAIN_CHAIN_ARITHMETIC_INL_H_
