// Rows that become one element each. The loops of floats are in float_rows-inl.h.
#include <algorithm>

#include "interp/simd/loops/block_kernels.h"
#include "interp/simd/loops/row_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/loops/row_reductions.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "interp/simd/loops/float_rows-inl.h"
#include "interp/simd/loops/integer_rows-inl.h"
#include "interp/simd/loops/tile_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

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

// --- Tables

RowLoop Reduce(Opcode opcode, ElementType type) {
  if (type == ElementType::kBf16) return FloatReduce<Bf16Bits, float>(opcode);
  if (IsSubByteInteger(type)) {
    return ForSubByte(type, [&]<typename T>() -> RowLoop {
      return ForIntegers<T>(opcode,
                            []<typename Fn, typename E>() -> RowLoop { return ReduceRows<Fn, E>; });
    });
  }
  return ForTile(type, [&]<typename T>() -> RowLoop {
    if constexpr (std::is_floating_point_v<T>) {
      return FloatReduce<T, T>(opcode);
    } else {
      return ForIntegers<T>(opcode,
                            []<typename Fn, typename E>() -> RowLoop { return ReduceRows<Fn, E>; });
    }
  });
}

SumTerms TermsLoop(ElementType type) {
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

SumRows RowsLoop(ElementType type) {
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

SumPairRows PairsLoop(ElementType type) {
  if (type == ElementType::kF32) return SumPairRowsOf<float>;
  return type == ElementType::kF64 ? SumPairRowsOf<double> : nullptr;
}

RowReductions AllKernels() { return {Reduce, TermsLoop, RowsLoop, PairsLoop}; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(AllKernels);

const RowReductions& GetRowReductions() {
  static const RowReductions kernels = HWY_DYNAMIC_DISPATCH(AllKernels)();
  return kernels;
}

}  // namespace hlo::simd
#endif
