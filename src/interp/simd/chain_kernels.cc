// What chains are made of: links of arithmetic and functions, and the tables of all links
// (chain_links-inl.h says what a link is).
#include "interp/simd/chain_kernels.h"

#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/chain_kernels.cc"
#include "interp/simd/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "interp/simd/chain_division-inl.h"
#include "interp/simd/chain_folds-inl.h"
#include "interp/simd/chain_links-inl.h"
#include "interp/simd/chain_narrow_floats-inl.h"
#include "interp/simd/vector_extremes-inl.h"
#include "interp/simd/vector_functions-inl.h"
#include "interp/simd/vector_power-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#ifdef HLO_CHAIN_LINKS
// --- Arithmetic; the meaning of each opcode is in kernel/scalar_ops_*.h

struct Subtract {
  V operator()(V a, V b) const { return hn::Sub(a, b); }
};
struct Multiply {
  V operator()(V a, V b) const { return hn::Mul(a, b); }
};

#ifdef HLO_VECTOR_POWER
struct Power {
  V operator()(V a, V b) const { return VectorPower()(Floats(), a, b); }
};
#endif

struct Abs {
  V operator()(V x) const { return hn::Abs(x); }
};
struct Negate {
  V operator()(V x) const { return hn::Neg(x); }
};
struct Sqrt {
  V operator()(V x) const { return hn::Sqrt(x); }
};
struct Rsqrt {
  V operator()(V x) const { return hn::Div(hn::Set(Floats(), 1.0f), hn::Sqrt(x)); }
};
struct Floor {
  V operator()(V x) const { return hn::Floor(x); }
};
struct Ceil {
  V operator()(V x) const { return hn::Ceil(x); }
};
struct RoundNearestEven {
  V operator()(V x) const { return hn::Round(x); }
};

// Fn on the bits as elements of D.
template <class D, class Fn>
struct OnBits {
  template <class... Vs>
  V operator()(Vs... x) const {
    return hn::BitCast(Floats(), Fn()(hn::BitCast(D(), x)...));
  }
};
#define HLO_LINK_OF_INTEGERS(Name, expression) \
  struct Integer##Name {                       \
    template <class W>                         \
    W operator()(W a, W b) const {             \
      return expression;                       \
    }                                          \
  };
HLO_LINK_OF_INTEGERS(Add, hn::Add(a, b))
HLO_LINK_OF_INTEGERS(Subtract, hn::Sub(a, b))
HLO_LINK_OF_INTEGERS(Multiply, hn::Mul(a, b))
HLO_LINK_OF_INTEGERS(And, hn::And(a, b))
HLO_LINK_OF_INTEGERS(Or, hn::Or(a, b))
HLO_LINK_OF_INTEGERS(Xor, hn::Xor(a, b))
HLO_LINK_OF_INTEGERS(Maximum, hn::Max(a, b))
HLO_LINK_OF_INTEGERS(Minimum, hn::Min(a, b))
#undef HLO_LINK_OF_INTEGERS

template <class D>
LinkFunction IntegerBinary(Opcode opcode, LinkOperands operands) {
  switch (opcode) {
    case Opcode::kAdd:
      return Binary<OnBits<D, IntegerAdd>>(operands);
    case Opcode::kSubtract:
      return Binary<OnBits<D, IntegerSubtract>>(operands);
    case Opcode::kMultiply:
      return Binary<OnBits<D, IntegerMultiply>>(operands);
    case Opcode::kAnd:
      return Binary<OnBits<D, IntegerAnd>>(operands);
    case Opcode::kOr:
      return Binary<OnBits<D, IntegerOr>>(operands);
    case Opcode::kXor:
      return Binary<OnBits<D, IntegerXor>>(operands);
    case Opcode::kMaximum:
      return Binary<OnBits<D, IntegerMaximum>>(operands);
    case Opcode::kMinimum:
      return Binary<OnBits<D, IntegerMinimum>>(operands);
    default:  // no link of these types
      return nullptr;
  }
}

LinkFunction FloatBinary(Opcode opcode, LinkOperands operands) {
  switch (opcode) {
    case Opcode::kAdd:
      return Binary<AddVectors>(operands);
    case Opcode::kSubtract:
      return Binary<Subtract>(operands);
    case Opcode::kMultiply:
      return Binary<Multiply>(operands);
    case Opcode::kDivide:
      return DivideLink(operands);
    case Opcode::kMaximum:
      return Binary<VectorMaximum>(operands);
    case Opcode::kMinimum:
      return Binary<VectorMinimum>(operands);
#ifdef HLO_VECTOR_POWER
    case Opcode::kPower:
      return Binary<Power>(operands);
#endif
    default:  // no link of these types
      return nullptr;
  }
}

LinkFunction BinaryLink(Opcode opcode, ElementType type, LinkOperands operands) {
  switch (type) {
    case ElementType::kF32:
      return FloatBinary(opcode, operands);
    case ElementType::kBf16:
      return opcode == Opcode::kDivide ? DivideNarrowLink(operands) : FloatBinary(opcode, operands);
    case ElementType::kS32:
      return IntegerBinary<Integers>(opcode, operands);
    case ElementType::kU32:
      return IntegerBinary<Words>(opcode, operands);
    default:  // no 32 bits
      return nullptr;
  }
}

#ifdef HLO_VECTOR_FUNCTIONS
// The library takes and gives vectors of the compiler.
template <class Fn>
struct OfLibrary {
  V operator()(V x) const {
    VectorF32 vector;
    hwy::CopySameSize(&x, &vector);
    vector = Fn()(vector);
    hwy::CopySameSize(&vector, &x);
    return x;
  }
};

template <class Fn>
LinkFunction FunctionLink() {
  if constexpr (TakesFour<Fn, float>) return LinkOf<InFours<Fn>>();
  return LinkOf<Alone<OfLibrary<Fn>>>();
}
#endif

LinkFunction UnaryLink(Opcode opcode, ElementType type) {
  if (type != ElementType::kF32) return nullptr;
  switch (opcode) {
    case Opcode::kAbs:
      return LinkOf<Alone<Abs>>();
    case Opcode::kNegate:
      return LinkOf<Alone<Negate>>();
    case Opcode::kSqrt:
      return LinkOf<Alone<Sqrt>>();
    case Opcode::kRsqrt:
      return LinkOf<Alone<Rsqrt>>();
    case Opcode::kFloor:
      return LinkOf<Alone<Floor>>();
    case Opcode::kCeil:
      return LinkOf<Alone<Ceil>>();
    case Opcode::kRoundNearestEven:
      return LinkOf<Alone<RoundNearestEven>>();
#ifdef HLO_VECTOR_FUNCTIONS
#define HLO_ROW(Name, name) \
  case Opcode::k##Name:     \
    return FunctionLink<Vector_##name>();
      HLO_VECTOR_FUNCTIONS(HLO_ROW)
#undef HLO_ROW
#endif
    default:  // no link of one operand
      return nullptr;
  }
}

// --- Tables

LinkFunction LoadOneLink() { return LinkOf<LoadOne>(); }
LinkFunction LoadLink(ElementType type) {
  if (type == ElementType::kBf16) return LinkOf<LoadBF16>();
  return type == ElementType::kF16 ? LoadOfF16() : LinkOf<Load>();
}
LinkFunction StoreLink(ElementType type) {
  if (type == ElementType::kBf16) return LinkOf<StoreBF16>();
  return type == ElementType::kF16 ? StoreOfF16() : LinkOf<Store>();
}
LinkFunction StreamLink(ElementType type) {
  // What is less than 16 bytes has no way past the caches.
  constexpr bool kIsHalfTooShort = hn::MaxLanes(Halves()) * sizeof(uint16_t) < 16;
  if (type == ElementType::kBf16) {
    return LinkOf<std::conditional_t<kIsHalfTooShort, StoreBF16, StreamBF16>>();
  }
  return type == ElementType::kF16 ? StoreOfF16() : LinkOf<Stream>();
}
LinkFunction RoundLink(ElementType type, bool is_arithmetic_result) {
  if (type == ElementType::kF16) return RoundOfF16();
  return is_arithmetic_result ? LinkOf<Alone<RoundArithmetic>>() : LinkOf<InFours<RoundAny>>();
}
LinkFunction FetchLink(int64_t element_size) {
  switch (element_size) {
    case 2:
      return LinkOf<Fetch<uint16_t>>();
    case 4:
      return LinkOf<Fetch<float>>();
    default:  // nothing that chains read
      return nullptr;
  }
}
LinkFunction EndLink() { return reinterpret_cast<LinkFunction>(End); }

ChainKernels AllKernels() {
  return {.group_size = kGroupSize,
          .unary = UnaryLink,
          .binary = BinaryLink,
          .load_one = LoadOneLink,
          .load = LoadLink,
          .store = StoreLink,
          .stream = StreamLink,
          .round = RoundLink,
          .fetch = FetchLink,
          .fold = FoldLink,
          .exact_fold = ExactFoldLink,
          .start_fold = StartFold,
          .finish_fold = FinishFold,
          .end = EndLink,
          .run = Run};
}
#else
ChainKernels AllKernels() { return {}; }
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(AllKernels);

const ChainKernels& GetChainKernels() {
  static const ChainKernels kernels = HWY_DYNAMIC_DISPATCH(AllKernels)();
  return kernels;
}

}  // namespace hlo::simd
#endif
