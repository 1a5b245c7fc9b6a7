// The tables of loops over rows; those of integers, which the compiler makes vectors of, and scans.
// Those of floats are in float_rows-inl.h. Complex numbers are summed in turn.
#include "interp/simd/loops/row_kernels.h"

#include <algorithm>
#include <complex>

#include "interp/simd/loops/block_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/loops/row_kernels.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "interp/simd/loops/float_rows-inl.h"
#include "interp/simd/loops/tile_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

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

// Calls function.operator()<Fn>() for what the opcode does; null for others.
template <typename Function>
auto ForIntegers(Opcode opcode, Function function)
    -> decltype(function.template operator()<AddFn>()) {
  switch (opcode) {
    case Opcode::kAdd:
      return function.template operator()<AddFn>();
    case Opcode::kMultiply:
      return function.template operator()<MultiplyFn>();
    case Opcode::kMaximum:
      return function.template operator()<MaximumFn>();
    case Opcode::kMinimum:
      return function.template operator()<MinimumFn>();
    case Opcode::kAnd:
      return function.template operator()<AndFn>();
    case Opcode::kOr:
      return function.template operator()<OrFn>();
    case Opcode::kXor:
      return function.template operator()<XorFn>();
    default:  // no order may be chosen for these
      return nullptr;
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

RowLoop Reduce(Opcode opcode, ElementType type) {
  if (type == ElementType::kBf16) return FloatReduce<Bf16Bits, float>(opcode);
  if (IsSubByteInteger(type)) {
    return ForSubByte(type, [&]<typename T>() -> RowLoop {
      return ForIntegers(opcode, []<typename Fn>() -> RowLoop { return ReduceRows<Fn, T>; });
    });
  }
  return ForTile(type, [&]<typename T>() -> RowLoop {
    if constexpr (std::is_floating_point_v<T>) {
      return FloatReduce<T, T>(opcode);
    } else {
      return ForIntegers(opcode, []<typename Fn>() -> RowLoop { return ReduceRows<Fn, T>; });
    }
  });
}

CombineRows Combine(Opcode opcode, ElementType type) {
  if (IsComplex(type)) return ComplexRows(opcode, type);
  if (IsSubByteInteger(type)) {
    return ForSubByte(type, [&]<typename T>() -> CombineRows {
      return ForIntegers(opcode,
                         []<typename Fn>() -> CombineRows { return CombineRowsInTurn<Fn, T>; });
    });
  }
  return ForTile(type, [&]<typename T>() -> CombineRows {
    if constexpr (std::is_floating_point_v<T>) {
      return FloatRows<T>(opcode);
    } else {
      return ForIntegers(opcode,
                         []<typename Fn>() -> CombineRows { return CombineRowsInTurn<Fn, T>; });
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
      return ForIntegers(opcode, []<typename Fn>() -> ScanRow { return Scan<Fn, T>; });
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

RowKernels AllKernels() { return {Reduce, TermsLoop, RowsLoop, PairsLoop, Combine, Pairs, ScanOf}; }

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
