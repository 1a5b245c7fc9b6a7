// Floats are combined in several vectors side by side, so that one sum need not wait for the other;
// integers in loops that the compiler makes vectors of.
#include "interp/simd/row_kernels.h"

#include <algorithm>
#include <bit>

#include "interp/simd/block_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/row_kernels.cc"
#include "interp/simd/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "interp/simd/across_lanes-inl.h"
#include "interp/simd/bf16_sums-inl.h"
#include "interp/simd/tile_loops-inl.h"
#include "interp/simd/vector_extremes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// --- Integers

// Some lanes side by side, then these in pairs, then what is left. The order depends on the length
// alone, not on the instruction set.
template <typename Fn, typename T>
void ReduceRows(const void* values, const void* init, void* result, int64_t row_count,
                int64_t length) {
  constexpr int64_t kLanes = 256 / sizeof(T);
  const T* x = As<T>(values);
  const T first = *As<T>(init);
  T* to = As<T>(result);
  for (int64_t row = 0; row < row_count; ++row, x += length) {
    T sum = first;
    int64_t i = 0;
    if (length >= kLanes) {
      T lanes[kLanes];
      std::copy_n(x, kLanes, lanes);
      for (i = kLanes; i + kLanes <= length; i += kLanes) {
        for (int64_t lane = 0; lane < kLanes; ++lane) {
          lanes[lane] = Fn()(lanes[lane], x[i + lane]);
        }
      }
      for (int64_t half = kLanes / 2; half > 0; half /= 2) {
        for (int64_t lane = 0; lane < half; ++lane) {
          lanes[lane] = Fn()(lanes[lane], lanes[lane + half]);
        }
      }
      sum = Fn()(sum, lanes[0]);
    }
    for (; i < length; ++i) sum = Fn()(sum, x[i]);
    to[row] = sum;
  }
}

template <typename T>
RowLoop IntegerReduce(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
      return ReduceRows<AddFn, T>;
    case Opcode::kMultiply:
      return ReduceRows<MultiplyFn, T>;
    case Opcode::kMaximum:
      return ReduceRows<MaximumFn, T>;
    case Opcode::kMinimum:
      return ReduceRows<MinimumFn, T>;
    case Opcode::kAnd:
      return ReduceRows<AndFn, T>;
    case Opcode::kOr:
      return ReduceRows<OrFn, T>;
    default:  // no order may be chosen for these
      return nullptr;
  }
}

// --- Floats

struct VectorAdd {
  template <class V>
  V operator()(V a, V b) const {
    return hn::Add(a, b);
  }
};
// bf16 is the upper half of an f32.
struct Bf16Bits {
  uint16_t bits;
};

// A vector of D from elements of its type or of a narrower one.
template <class D, typename S>
HWY_INLINE hn::Vec<D> LoadAs(D d, const S* from) {
  const hn::Rebind<float, D> floats;
  const hn::Rebind<uint32_t, D> words;
  if constexpr (std::is_same_v<S, Bf16Bits>) {
    const auto narrow = hn::LoadU(hn::Rebind<uint16_t, D>(), As<uint16_t>(from));
    const auto wide = hn::BitCast(floats, hn::ShiftLeft<16>(hn::PromoteTo(words, narrow)));
    if constexpr (std::is_same_v<hn::TFromD<D>, float>) {
      return wide;
    } else {
      return hn::PromoteTo(d, wide);
    }
  } else if constexpr (std::is_same_v<hn::TFromD<D>, S>) {
    return hn::LoadU(d, from);
  } else {
    return hn::PromoteTo(d, hn::LoadU(floats, from));
  }
}

template <typename T>
HWY_INLINE T Element(const T* from) {
  return *from;
}
HWY_INLINE float Element(const Bf16Bits* from) {
  return std::bit_cast<float>(uint32_t{from->bits} << 16);
}

// Combines `count` of S, read as Wides, with `first`: Fn one by one, VectorFn in vectors.
template <typename Fn, typename VectorFn, typename S, typename Wide>
HWY_INLINE Wide Combined(const S* x, int64_t count, Wide first) {
  const hn::ScalableTag<Wide> d;
  using V = hn::Vec<decltype(d)>;
  const VectorFn combine;
  const int64_t width = static_cast<int64_t>(hn::Lanes(d));
  Wide result = first;
  int64_t i = 0;
  if (count >= 8 * width) {
    V v0 = LoadAs(d, x), v1 = LoadAs(d, x + width);
    V v2 = LoadAs(d, x + 2 * width), v3 = LoadAs(d, x + 3 * width);
    V v4 = LoadAs(d, x + 4 * width), v5 = LoadAs(d, x + 5 * width);
    V v6 = LoadAs(d, x + 6 * width), v7 = LoadAs(d, x + 7 * width);
    for (i = 8 * width; i + 8 * width <= count; i += 8 * width) {
      v0 = combine(v0, LoadAs(d, x + i));
      v1 = combine(v1, LoadAs(d, x + i + width));
      v2 = combine(v2, LoadAs(d, x + i + 2 * width));
      v3 = combine(v3, LoadAs(d, x + i + 3 * width));
      v4 = combine(v4, LoadAs(d, x + i + 4 * width));
      v5 = combine(v5, LoadAs(d, x + i + 5 * width));
      v6 = combine(v6, LoadAs(d, x + i + 6 * width));
      v7 = combine(v7, LoadAs(d, x + i + 7 * width));
    }
    const V sums = combine(combine(combine(v0, v1), combine(v2, v3)),
                           combine(combine(v4, v5), combine(v6, v7)));
    result = Fn()(result, Across<VectorFn>(d, sums));
  }
  for (; i < count; ++i) result = Fn()(result, static_cast<Wide>(Element(x + i)));
  return result;
}

// first + x[0] + x[1] ...
template <typename S>
HWY_INLINE double Sum(const S* x, int64_t count, double first) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<S, Bf16Bits>) {
    return SumBf16Terms(As<uint16_t>(x), count, first,
                        [](const uint16_t* from, int64_t n, double sum) HWY_ATTR {
                          return Combined<AddFn, VectorAdd>(As<Bf16Bits>(from), n, sum);
                        });
  }
#endif
  return Combined<AddFn, VectorAdd>(x, count, first);
}

template <typename S, typename T>
void SumFloatRows(const void* values, const void* init, void* result, int64_t row_count,
                  int64_t length) {
  const S* x = As<S>(values);
  const double first = *As<T>(init);
  T* to = As<T>(result);
  for (int64_t row = 0; row < row_count; ++row, x += length) {
    to[row] = static_cast<T>(Sum(x, length, first));
  }
}

template <typename Fn, typename VectorFn, typename S, typename T>
void ReduceFloatRows(const void* values, const void* init, void* result, int64_t row_count,
                     int64_t length) {
  const S* x = As<S>(values);
  const T first = *As<T>(init);
  T* to = As<T>(result);
  for (int64_t row = 0; row < row_count; ++row, x += length) {
    to[row] = Combined<Fn, VectorFn>(x, length, first);
  }
}

// T is the type of results.
template <typename S, typename T>
RowLoop FloatReduce(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
      return SumFloatRows<S, T>;
    case Opcode::kMaximum:
      return ReduceFloatRows<MaximumFn, VectorMaximum, S, T>;
    case Opcode::kMinimum:
      return ReduceFloatRows<MinimumFn, VectorMinimum, S, T>;
    default:
      return nullptr;
  }
}

template <typename S>
void SumTermsOf(const void* values, int64_t count, double* sum) {
  *sum = Sum(As<S>(values), count, *sum);
}

// Some columns at a time: their sums are in registers while the rows go by.
template <typename S>
void SumRowsOf(const void* values, int64_t stride, int64_t row_count, int64_t count, double* sums) {
  const hn::ScalableTag<double> d;
  using V = hn::Vec<decltype(d)>;
  const int64_t width = static_cast<int64_t>(hn::Lanes(d));
  const S* x = As<S>(values);
  int64_t i = 0;
  for (; i + 4 * width <= count; i += 4 * width) {
    V v0 = hn::LoadU(d, sums + i), v1 = hn::LoadU(d, sums + i + width);
    V v2 = hn::LoadU(d, sums + i + 2 * width), v3 = hn::LoadU(d, sums + i + 3 * width);
    for (int64_t row = 0; row < row_count; ++row) {
      const S* from = x + row * stride + i;
      v0 = hn::Add(v0, LoadAs(d, from));
      v1 = hn::Add(v1, LoadAs(d, from + width));
      v2 = hn::Add(v2, LoadAs(d, from + 2 * width));
      v3 = hn::Add(v3, LoadAs(d, from + 3 * width));
    }
    hn::StoreU(v0, d, sums + i);
    hn::StoreU(v1, d, sums + i + width);
    hn::StoreU(v2, d, sums + i + 2 * width);
    hn::StoreU(v3, d, sums + i + 3 * width);
  }
  for (int64_t row = 0; row < row_count; ++row) {
    for (int64_t k = i; k < count; ++k) sums[k] += Element(x + row * stride + k);
  }
}

// --- Tables

RowLoop Reduce(Opcode opcode, ElementType type) {
  if (type == ElementType::kBf16) return FloatReduce<Bf16Bits, float>(opcode);
  return ForTile(type, [&]<typename T>() -> RowLoop {
    if constexpr (std::is_floating_point_v<T>) {
      return FloatReduce<T, T>(opcode);
    } else {
      return IntegerReduce<T>(opcode);
    }
  });
}

SumTerms TermsOf(ElementType type) {
  switch (type) {
    case ElementType::kBf16:
      return SumTermsOf<Bf16Bits>;
    case ElementType::kF32:
      return SumTermsOf<float>;
    case ElementType::kF64:
      return SumTermsOf<double>;
    default:
      return nullptr;
  }
}

SumRows RowsOf(ElementType type) {
  switch (type) {
    case ElementType::kBf16:
      return SumRowsOf<Bf16Bits>;
    case ElementType::kF32:
      return SumRowsOf<float>;
    case ElementType::kF64:
      return SumRowsOf<double>;
    default:
      return nullptr;
  }
}

RowKernels AllKernels() { return {Reduce, TermsOf, RowsOf}; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(AllKernels);

const RowKernels& GetRowKernels() {
  static const RowKernels kernels = HWY_DYNAMIC_DISPATCH(AllKernels)();
  return kernels;
}

}  // namespace hlo::simd
#endif
