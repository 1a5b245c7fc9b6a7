// `dot` of matrix_kernels.h, compiled once for each instruction set (Highway's pattern for such
// headers: the guard toggles). The terms of both sides lie side by side, and one side is small.
#if defined(HLOKIT_INTERP_SIMD_PRODUCT_LINE_DOTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_PRODUCT_LINE_DOTS_INL_H_
#undef HLOKIT_INTERP_SIMD_PRODUCT_LINE_DOTS_INL_H_
#else
#define HLOKIT_INTERP_SIMD_PRODUCT_LINE_DOTS_INL_H_
#endif

#include "hwy/highway.h"
#include "interp/simd/product/load_wide-inl.h"
#include "interp/simd/product/matrix_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

template <int kCount, class D, typename T>
HWY_INLINE void FoldLanes(D /*d*/, const hn::Vec<D> (&lanes)[kCount], T* sums) {
  for (int i = 0; i < kCount; ++i) sums[i] = hn::GetLane(lanes[i]);
}

#else

// The upper half of the lanes is added to the lower one until 16 bytes are left.
template <class D>
HWY_INLINE auto FoldToBlock(D /*d*/, hn::Vec<D> lanes) {
  if constexpr (hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) > 16) {
    const hn::Half<D> half;
    return FoldToBlock(half, hn::Add(hn::LowerHalf(half, lanes), hn::UpperHalf(half, lanes)));
  } else {
    return lanes;
  }
}

// sums[i] becomes the sum of the lanes of vector i, of kCount rounded up to what 16 bytes hold:
// halves are added to each other, those of two or four vectors at a time.
template <int kCount, class D, typename T>
HWY_INLINE void FoldLanes(D d, const hn::Vec<D> (&lanes)[kCount], T* HWY_RESTRICT sums) {
  constexpr int kBlock = 16 / sizeof(T);
  const hn::FixedTag<T, kBlock> block;
  using V = hn::Vec<decltype(block)>;
  const auto fold_two = [&](V a, V b) HWY_ATTR {
    return hn::Add(hn::ConcatLowerLower(block, b, a), hn::ConcatUpperUpper(block, b, a));
  };
  for (int begin = 0; begin < kCount; begin += kBlock) {
    V some[kBlock];
    for (int i = 0; i < kBlock; ++i) {
      some[i] = begin + i < kCount ? FoldToBlock(d, lanes[HWY_MIN(begin + i, kCount - 1)])
                                   : hn::Zero(block);
    }
    V folded = fold_two(some[0], some[1]);
    if constexpr (kBlock == 4) {
      const V others = fold_two(some[2], some[3]);
      folded = hn::Add(hn::ConcatEven(block, others, folded), hn::ConcatOdd(block, others, folded));
    }
    hn::StoreU(folded, block, sums + begin);
  }
}

#endif

// Sums of kRows rows with kColumns columns, from these rows and columns on. Each is made in kTurns
// vectors of lanes, by turns, the same for all of a product: who its neighbours are does not change
// it.
template <int kTurns, int kRows, int kColumns, typename T, typename S>
HWY_INLINE void DotRows(const DotArguments<T>& dots, const S* all_columns, int64_t row,
                        int64_t column) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const int64_t width = static_cast<int64_t>(hn::Lanes(d));
  const T* rows[kRows];
  const S* columns[kColumns];
  for (int r = 0; r < kRows; ++r) {
    rows[r] = dots.rows + dots.row_offsets[static_cast<size_t>(row + r)];
  }
  for (int c = 0; c < kColumns; ++c) {
    columns[c] = all_columns + dots.column_offsets[static_cast<size_t>(column + c)];
  }
  V sums[kTurns][kRows][kColumns];
  for (auto& some : sums) {
    for (int r = 0; r < kRows; ++r) {
      for (int c = 0; c < kColumns; ++c) some[r][c] = hn::Zero(d);
    }
  }
  const auto add = [&](V(&some)[kRows][kColumns], int64_t k) HWY_ATTR {
    V values[kColumns];
    for (int c = 0; c < kColumns; ++c) values[c] = LoadWide(d, columns[c] + k);
    for (int r = 0; r < kRows; ++r) {
      const V factor = hn::LoadU(d, rows[r] + k);
      for (int c = 0; c < kColumns; ++c) {
        some[r][c] = AddProduct(d, factor, values[c], some[r][c]);
      }
    }
  };
  // What follows, if columns lie one behind the other, goes to the second-level cache in the order
  // in which it lies: of several short streams the processor expects what comes next of none.
  constexpr int64_t kLine = 64;  // bytes
  const auto* next = reinterpret_cast<const char*>(columns[0] + kColumns * dots.count);
  const int64_t step = 2 * width * kColumns * static_cast<int64_t>(sizeof(S));
  int64_t k = 0;
  for (; k + 2 * width <= dots.count; k += 2 * width) {
    for (int64_t i = 0; i < step; i += kLine) __builtin_prefetch(next + i, 0, 2);
    next += step;
    add(sums[0], k);
    add(sums[kTurns - 1], k + width);
  }
  if (k + width <= dots.count) {
    add(sums[0], k);
    k += width;
  }
  V lanes[kRows * kColumns];
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kColumns; ++c) {
      lanes[r * kColumns + c] =
          kTurns > 1 ? hn::Add(sums[0][r][c], sums[kTurns - 1][r][c]) : sums[0][r][c];
    }
  }
  T folded[(kRows * kColumns + 3) / 4 * 4];
  FoldLanes(d, lanes, folded);
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kColumns; ++c) {
      T sum = folded[r * kColumns + c];
      for (int64_t i = k; i < dots.count; ++i) sum += rows[r][i] * Widened(columns[c][i]);
      dots.out[(row + r) * dots.out_stride + column + c] = sum;
    }
  }
}

template <int kTurns, int kRows, typename T, typename S>
HWY_INLINE void DotColumns(const DotArguments<T>& dots, const S* columns, int64_t row,
                           int64_t begin, int64_t end) {
  constexpr int kMany = kRows > 3 ? 3 : 4, kFew = kTurns == 1 ? 3 : kRows > 1 ? 2 : 4;
  constexpr int kColumns = kHasManyRegisters ? kMany : kFew;
  int64_t column = begin;
  for (; column + kColumns <= end; column += kColumns) {
    DotRows<kTurns, kRows, kColumns>(dots, columns, row, column);
  }
  // Few sizes of tiles: each takes long to compile.
  for (; column < end; ++column) {
    for (int r = 0; r < kRows; ++r) DotRows<kTurns, 1, 1>(dots, columns, row + r, column);
  }
}

// `rows` of at most kMaxRows; returns them.
template <int kTurns, int64_t kMaxRows, typename T, typename S>
HWY_INLINE int64_t DotSomeRows(const DotArguments<T>& dots, const S* columns, int64_t row,
                               int64_t rows, int64_t begin, int64_t end) {
  if constexpr (kMaxRows > 1) {
    if (rows < kMaxRows) {
      return DotSomeRows<kTurns, kMaxRows - 1>(dots, columns, row, rows, begin, end);
    }
  }
  DotColumns<kTurns, kMaxRows>(dots, columns, row, begin, end);
  return kMaxRows;
}

// Both sides go in pieces that stay in the second-level cache, in which each row meets each column.
template <int kTurns, int64_t kMaxRows, typename T, typename S>
HWY_INLINE void DotInPieces(const DotArguments<T>& dots, const S* columns) {
  const int64_t row_count = static_cast<int64_t>(dots.row_offsets.size());
  const int64_t column_count = static_cast<int64_t>(dots.column_offsets.size());
  constexpr int64_t kPieceSize = int64_t{32} << 10;  // elements
  const int64_t piece = HWY_MAX(kPieceSize / HWY_MAX(dots.count, 1) / 12 * 12, 12);
  for (int64_t begin = 0; begin < column_count; begin += piece) {
    const int64_t end = HWY_MIN(column_count, begin + piece);
    // In as few turns as there can be, and these alike: columns are read in each.
    for (int64_t row = 0; row < row_count;) {
      const int64_t rows = row_count - row;
      const int64_t turns = (rows + kMaxRows - 1) / kMaxRows;
      row +=
          DotSomeRows<kTurns, kMaxRows>(dots, columns, row, (rows + turns - 1) / turns, begin, end);
    }
  }
}

// Where registers are few, larger tiles have no second vector for each sum: there are enough others
// to add to meanwhile.
template <typename T, typename S>
HWY_INLINE void DotAllColumns(const DotArguments<T>& dots, const S* columns) {
  if constexpr (kHasManyRegisters) {
    DotInPieces<2, 4>(dots, columns);
  } else if (dots.row_offsets.size() > 2) {
    DotInPieces<1, 4>(dots, columns);
  } else {
    DotInPieces<2, 2>(dots, columns);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_LINE_DOTS_INL_H_
