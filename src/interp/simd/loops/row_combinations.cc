// Rows that are combined with each other, element by element, and running sums along them. The
// loops of floats are in float_rows-inl.h. Complex numbers are summed in turn.
#include <algorithm>
#include <complex>

#include "interp/simd/loops/block_kernels.h"
#include "interp/simd/loops/row_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/loops/row_combinations.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "interp/simd/loops/float_rows-inl.h"
#include "interp/simd/loops/integer_rows-inl.h"
#include "interp/simd/loops/tile_loops-inl.h"
#include "interp/simd/vector/vector_bf16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

// Neighbours side by side.
template <typename Fn, typename T>
void CombineRowsInTurn(const void* values, int64_t stride, int64_t row_count, int64_t count,
                       const void* init, void* result) {
  constexpr int64_t kLanes = 256 / sizeof(T);
  const T* x = As<T>(values);
  const T first = *As<T>(init);
  for (int64_t i = 0; i < count; i += kLanes) {
    const int64_t width = std::min(kLanes, count - i);
    T lanes[kLanes];
    std::fill_n(lanes, kLanes, first);
    for (int64_t row = 0; row < row_count; ++row) {
      const T* from = x + row * stride + i;
      for (int64_t lane = 0; lane < width; ++lane) lanes[lane] = Fn()(lanes[lane], from[lane]);
    }
    std::copy_n(lanes, width, As<T>(result) + i);
  }
}

// --- Scans

template <typename Fn, typename T>
void Scan(const void* values, int64_t step, int64_t count, const void* init, void* result) {
  const T* x = As<T>(values);
  T* to = As<T>(result);
  T last = *As<T>(init);
  for (int64_t i = 0; i < count; ++i, x += step, to += step) *to = last = Fn()(last, *x);
}

// --- Complex numbers, which are added part by part

CombineRows ComplexRows(Opcode opcode, ElementType type) {
  if (opcode != Opcode::kAdd) return nullptr;
  return type == ElementType::kC64 ? CombineRowsInTurn<AddFn, std::complex<float>>
                                   : CombineRowsInTurn<AddFn, std::complex<double>>;
}
ScanRow ComplexScan(Opcode opcode, ElementType type) {
  if (opcode != Opcode::kAdd) return nullptr;
  return type == ElementType::kC64 ? Scan<AddFn, std::complex<float>>
                                   : Scan<AddFn, std::complex<double>>;
}

// --- Sums of bf16, which are rounded each time

#ifdef HLO_VECTOR_BF16
// Some vectors of neighbours, in registers while the rows go by.
template <int kVectors>
HWY_INLINE void AddVectors(const float* x, int64_t stride, int64_t row_count, const float* starts,
                           float* to) {
  const Floats32 d;
  constexpr auto kWidth = static_cast<int64_t>(hn::MaxLanes(d));
  Wide sums[kVectors];
#pragma GCC unroll 4
  for (int k = 0; k < kVectors; ++k) sums[k] = hn::LoadU(d, starts + k * kWidth);
  for (int64_t row = 0; row < row_count; ++row, x += stride) {
#pragma GCC unroll 4
    for (int k = 0; k < kVectors; ++k) {
      sums[k] = RoundArithmetic()(hn::Add(sums[k], hn::LoadU(d, x + k * kWidth)));
    }
  }
#pragma GCC unroll 4
  for (int k = 0; k < kVectors; ++k) hn::StoreU(sums[k], d, to + k * kWidth);
}

void AddRowsOfBf16(const void* values, int64_t stride, int64_t row_count, int64_t count,
                   const void* starts, void* result) {
  constexpr auto kWidth = static_cast<int64_t>(hn::MaxLanes(Floats32()));
  const float* x = As<float>(values);
  const float* from = As<float>(starts);
  float* to = As<float>(result);
  int64_t i = 0;
  for (; i + 4 * kWidth <= count; i += 4 * kWidth) {
    AddVectors<4>(x + i, stride, row_count, from + i, to + i);
  }
  for (; i + kWidth <= count; i += kWidth) {
    AddVectors<1>(x + i, stride, row_count, from + i, to + i);
  }
  if (i == count) return;
  // Row after row, since there may be nothing behind the last one.
  float sums[kWidth] = {}, terms[kWidth] = {};
  std::copy(from + i, from + count, sums);
  for (int64_t row = 0; row < row_count; ++row) {
    std::copy_n(x + row * stride + i, count - i, terms);
    AddVectors<1>(terms, 0, 1, sums, sums);
  }
  std::copy_n(sums, count - i, to + i);
}
#endif

// --- Tables

CombineRounded Rounded([[maybe_unused]] Opcode opcode, [[maybe_unused]] ElementType type) {
#ifdef HLO_VECTOR_BF16
  if (opcode == Opcode::kAdd && type == ElementType::kBf16) return AddRowsOfBf16;
#endif
  return nullptr;
}

CombineRows Combine(Opcode opcode, ElementType type) {
  if (IsComplex(type)) return ComplexRows(opcode, type);
  if (IsSubByteInteger(type)) {
    return ForSubByte(type, [&]<typename T>() -> CombineRows {
      return ForIntegers<T>(opcode, []<typename Fn, typename E>() -> CombineRows {
        return CombineRowsInTurn<Fn, E>;
      });
    });
  }
  return ForTile(type, [&]<typename T>() -> CombineRows {
    if constexpr (std::is_floating_point_v<T>) {
      return FloatRows<T>(opcode);
    } else {
      return ForIntegers<T>(opcode, []<typename Fn, typename E>() -> CombineRows {
        return CombineRowsInTurn<Fn, E>;
      });
    }
  });
}

CombinePairs Pairs(Opcode opcode, ElementType type) {
  if (type == ElementType::kF32) return FloatPairs<float>(opcode);
  return type == ElementType::kF64 ? FloatPairs<double>(opcode) : nullptr;
}

template <typename T>
ScanRow FloatScan(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
      return Scan<AddFn, T>;
    case Opcode::kMultiply:
      return Scan<MultiplyFn, T>;
    case Opcode::kMaximum:
      return Scan<MaximumFn, T>;
    case Opcode::kMinimum:
      return Scan<MinimumFn, T>;
    default:
      return nullptr;
  }
}

ScanRow ScanOf(Opcode opcode, ElementType type) {
  if (IsComplex(type)) return ComplexScan(opcode, type);
  return ForTile(type, [&]<typename T>() -> ScanRow {
    if constexpr (std::is_floating_point_v<T>) {
      return FloatScan<T>(opcode);
    } else {
      return ForIntegers<T>(opcode,
                            []<typename Fn, typename E>() -> ScanRow { return Scan<Fn, E>; });
    }
  });
}

RowCombinations AllKernels() { return {Combine, Pairs, ScanOf, Rounded}; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(AllKernels);

const RowCombinations& GetRowCombinations() {
  static const RowCombinations kernels = HWY_DYNAMIC_DISPATCH(AllKernels)();
  return kernels;
}

}  // namespace hlo::simd
#endif
