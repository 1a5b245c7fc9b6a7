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

// --- Tables

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

RowCombinations AllKernels() { return {Combine, Pairs, ScanOf}; }

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
