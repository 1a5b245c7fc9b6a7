// Squares of 16 bytes each way, as many side by side as fill a vector, turned in registers.
// Compiled once for each instruction set (the guard toggles).
#if defined(HLOKIT_INTERP_SIMD_VECTOR_TURNED_SQUARES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_VECTOR_TURNED_SQUARES_INL_H_
#undef HLOKIT_INTERP_SIMD_VECTOR_TURNED_SQUARES_INL_H_
#else
#define HLOKIT_INTERP_SIMD_VECTOR_TURNED_SQUARES_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
// Elements of a square each way, and how many squares fill a vector.
template <typename T>
constexpr int64_t kSquare = 1;
template <typename T>
constexpr int64_t kSquares = 1;

template <typename T, class Load, class Store>
HWY_INLINE void TurnSquares(const Load& load, const Store& store) {
  const hwy::HWY_NAMESPACE::ScalableTag<T> d;
  store(0, load(d, 0));
}
#else
template <typename T>
constexpr int64_t kSquare = 16 / sizeof(T);
template <typename T>
constexpr int64_t kSquares =
    hwy::HWY_NAMESPACE::MaxLanes(hwy::HWY_NAMESPACE::ScalableTag<T>()) / kSquare<T>;

// The first elements of lines `line`, `line` + kSquare and so on, which fill a vector.
template <class D, class Load>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<D> LoadBlocks(D d, const Load& load, int64_t line) {
  namespace hn = hwy::HWY_NAMESPACE;
  constexpr int64_t n = kSquare<hn::TFromD<D>>;
  if constexpr (hn::MaxLanes(d) == n) {
    return load(d, line);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, LoadBlocks(half, load, line + static_cast<int64_t>(hn::MaxLanes(half))),
                       LoadBlocks(half, load, line));
  }
}

// Turns a vector's width of lines of kSquare elements: load(d, line) gives a line, store(i, vector)
// takes element i of all. As many perfect shuffles as there are bits in the number of a line.
template <typename T, class Load, class Store>
HWY_INLINE void TurnSquares(const Load& load, const Store& store) {
  namespace hn = hwy::HWY_NAMESPACE;
  constexpr int64_t n = kSquare<T>;
  const hn::ScalableTag<T> d;
  hn::Vec<decltype(d)> lines[n], shuffled[n];
  for (int64_t i = 0; i < n; ++i) lines[i] = LoadBlocks(d, load, i);
  for (int64_t stage = 1; stage < n; stage *= 2) {
    for (int64_t i = 0; i < n / 2; ++i) {
      shuffled[2 * i] = hn::InterleaveLower(d, lines[i], lines[i + n / 2]);
      shuffled[2 * i + 1] = hn::InterleaveUpper(d, lines[i], lines[i + n / 2]);
    }
    for (int64_t i = 0; i < n; ++i) lines[i] = shuffled[i];
  }
  for (int64_t i = 0; i < n; ++i) store(i, lines[i]);
}
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_VECTOR_TURNED_SQUARES_INL_H_
