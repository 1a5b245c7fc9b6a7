// What the files of tile loops share, compiled once for each instruction set (Highway's pattern for
// such headers: the guard toggles).
#if defined(HLOKIT_INTERP_SIMD_LOOPS_TILE_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_LOOPS_TILE_LOOPS_INL_H_
#undef HLOKIT_INTERP_SIMD_LOOPS_TILE_LOOPS_INL_H_
#else
#define HLOKIT_INTERP_SIMD_LOOPS_TILE_LOOPS_INL_H_
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "interp/kernel/scalar_ops_binary.h"
#include "interp/kernel/scalar_ops_compare.h"
#include "interp/kernel/scalar_ops_unary.h"
#include "interp/simd/loops/block_kernels.h"
#include "interp/simd/vector/independent.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

template <typename T>
const T* As(const void* pointer) {
  return static_cast<const T*>(pointer);
}
template <typename T>
T* As(void* pointer) {
  return static_cast<T*>(pointer);
}

// Calls body(i) for each of `count` elements. Scalars, which loops of programs are made of, do not
// pay for what vectors need around them.
template <typename Body>
HWY_INLINE void ForEachElement(int64_t count, const Body& body) {
  if (count == 1) return body(0);
  HLO_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) body(i);
}

// What integers of less than 32 bits, from `min` to `max`, are made of floats by (semantics.md 2):
// truncation, saturation, 0 for NaN. Choices between floats alone: masks keep the width of vectors.
template <typename Float>
HWY_INLINE int32_t TruncatedWithin(Float x, Float min, Float max) {
  const Float inside = x >= max ? max : x <= min ? min : x;
  return static_cast<int32_t>(x == x ? inside : Float(0));
}

template <typename Fn, typename T>
void UnaryTile(const void* a, const void*, const void*, void* result, int64_t count) {
  using Result = std::invoke_result_t<Fn, T>;
  const T* x = As<T>(a);
  Result* to = As<Result>(result);
  ForEachElement(count, [&](int64_t i) { to[i] = Fn()(x[i]); });
}
template <typename Fn, typename T>
void BinaryTile(const void* a, const void* b, const void*, void* result, int64_t count) {
  using Result = std::invoke_result_t<Fn, T, T>;
  const T* x = As<T>(a);
  const T* y = As<T>(b);
  Result* to = As<Result>(result);
  ForEachElement(count, [&](int64_t i) { to[i] = Fn()(x[i], y[i]); });
}
template <typename Fn, typename T>
void TernaryTile(const void* a, const void* b, const void* c, void* result, int64_t count) {
  const T* x = As<T>(a);
  const T* y = As<T>(b);
  const T* z = As<T>(c);
  T* to = As<T>(result);
  ForEachElement(count, [&](int64_t i) { to[i] = Fn()(x[i], y[i], z[i]); });
}

template <typename Fn, typename T, TypeSet kDomain>
TileLoop Unary() {
  if constexpr ((kTypeClassOf<T> & kDomain) != 0 && std::invocable<Fn, T>) {
    return UnaryTile<Fn, T>;
  }
  return nullptr;
}
template <typename Fn, typename T, TypeSet kDomain>
TileLoop Binary() {
  if constexpr ((kTypeClassOf<T> & kDomain) != 0 && std::invocable<Fn, T, T>) {
    return BinaryTile<Fn, T>;
  }
  return nullptr;
}

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
// The vectors that a functor takes: of as many elements as it says, Fn::Tag<T>.
template <class Fn, typename T>
struct TagOf {
  using Type = hwy::HWY_NAMESPACE::ScalableTag<T>;
};
template <class Fn, typename T>
requires requires { typename Fn::template Tag<T>; }
struct TagOf<Fn, T> {
  using Type = typename Fn::template Tag<T>;
};

// Of functors of whole vectors, Fn()(d, x).
template <class Fn, typename T>
void VectorUnaryTile(const void* a, const void*, const void*, void* result, int64_t count) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<T> d;
  constexpr auto kWidth = static_cast<int64_t>(hn::MaxLanes(decltype(d)()));
  const T* x = As<T>(a);
  T* to = As<T>(result);
  int64_t i = 0;
  for (; i + kWidth <= count; i += kWidth) hn::StoreU(Fn()(d, hn::LoadU(d, x + i)), d, to + i);
  if (i == count) return;
  HWY_ALIGN T last[kWidth] = {};
  std::copy(x + i, x + count, last);
  hn::Store(Fn()(d, hn::Load(d, last)), d, last);
  std::copy_n(last, count - i, to + i);
}

// Of functors of whole vectors, Fn()(d, x, y), and of scalars what they may say besides, Fn::OfOne.
// The last vector is filled up with ones.
template <class Fn, typename T>
void VectorBinaryTile(const void* a, const void* b, const void*, void* result, int64_t count) {
  namespace hn = hwy::HWY_NAMESPACE;
  using D = typename TagOf<Fn, T>::Type;
  const D d;
  constexpr auto kWidth = static_cast<int64_t>(hn::MaxLanes(D()));
  const T* x = As<T>(a);
  const T* y = As<T>(b);
  T* to = As<T>(result);
  if constexpr (requires { typename Fn::OfOne; }) {
    if (count == 1) {
      to[0] = typename Fn::OfOne()(x[0], y[0]);
      return;
    }
  }
  int64_t i = 0;
  for (; i + kWidth <= count; i += kWidth) {
    hn::StoreU(Fn()(d, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, to + i);
  }
  if (i == count) return;
  HWY_ALIGN T last_x[kWidth], last_y[kWidth];
  std::fill_n(last_x, kWidth, T(1));
  std::fill_n(last_y, kWidth, T(1));
  std::copy(x + i, x + count, last_x);
  std::copy(y + i, y + count, last_y);
  hn::Store(Fn()(d, hn::Load(d, last_x), hn::Load(d, last_y)), d, last_x);
  std::copy_n(last_x, count - i, to + i);
}
#endif

// The loop of an opcode that has a functor; null for others.
template <typename T>
TileLoop FunctorLoop(Opcode opcode) {
  switch (opcode) {
#define HLO_UNARY(Name, text, domain, ...) \
  case Opcode::k##Name:                    \
    return Unary<Name##Fn, T, (domain)>();
#define HLO_BINARY(Name, text, domain, ...) \
  case Opcode::k##Name:                     \
    return Binary<Name##Fn, T, (domain)>();
#define HLO_OPCODE(Name, ...)
#include "ir/opcodes.def"
    case Opcode::kClamp:
      if constexpr (std::invocable<ClampFn, T, T, T>) return TernaryTile<ClampFn, T>;
      return nullptr;
    default:  // no functor of these types
      return nullptr;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_LOOPS_TILE_LOOPS_INL_H_
