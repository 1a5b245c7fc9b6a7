// Entry (i, j) of all matrices lies in one array of doubles, a few vectors. Where one of the
// matrices has no factor the others go on: what its pivots then are is not a number, or not asked
// for.
#include "interp/simd/linalg/small_matrices.h"

#include <algorithm>
#include <type_traits>

#include "interp/reference/cholesky_factor.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/linalg/small_matrices.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

using reference::Round;
using reference::TriangularForm;
using reference::Widen;

// An entry of all matrices.
struct Entry {
  alignas(64) double of[kMatricesAtOnce];
};

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, kMatricesAtOnce>;
using V = hn::Vec<D>;

// body(m) for the matrices from m on that a vector holds.
template <typename Body>
HWY_INLINE void ForEachVector(const Body& body) {
  for (size_t m = 0; m < kMatricesAtOnce; m += hn::Lanes(D())) body(m);
}

// To the element type. In loops GCC 12 leaves out the way from double to float and back.
template <typename T>
HWY_INLINE void RoundTo(Entry& entry) {
  if constexpr (std::is_same_v<T, float>) {
    ForEachVector([&](size_t m) {
      const auto narrow = hn::DemoteTo(hn::Rebind<float, D>(), hn::Load(D(), entry.of + m));
      hn::Store(hn::PromoteTo(D(), narrow), D(), entry.of + m);
    });
  } else if constexpr (!std::is_same_v<T, double>) {
    for (double& x : entry.of) x = Round<T>(x);
  }
}

// from: the entry of the first matrix; the next ones are `distance` apart.
template <typename T>
HWY_INLINE void Load(const T* from, int64_t distance, Entry& entry) {
  for (int64_t m = 0; m < kMatricesAtOnce; ++m) entry.of[m] = Widen(from[m * distance]);
}
template <typename T>
HWY_INLINE void Store(const Entry& entry, int64_t distance, T* to) {
  for (int64_t m = 0; m < kMatricesAtOnce; ++m) to[m * distance] = static_cast<T>(entry.of[m]);
}

HWY_INLINE void SubtractProduct(const Entry& a, const Entry& b, Entry& from) {
  ForEachVector([&](size_t m) {
    const V product = hn::Mul(hn::Load(D(), a.of + m), hn::Load(D(), b.of + m));
    hn::Store(hn::Sub(hn::Load(D(), from.of + m), product), D(), from.of + m);
  });
}
template <typename T>
HWY_INLINE void Divide(const Entry& divisor, Entry& entry) {
  ForEachVector([&](size_t m) {
    const V quotient = hn::Div(hn::Load(D(), entry.of + m), hn::Load(D(), divisor.of + m));
    hn::Store(quotient, D(), entry.of + m);
  });
  RoundTo<T>(entry);
}
template <typename T>
HWY_INLINE void TakeRoot(Entry& entry) {
  ForEachVector(
      [&](size_t m) { hn::Store(hn::Sqrt(hn::Load(D(), entry.of + m)), D(), entry.of + m); });
  RoundTo<T>(entry);
}

template <typename T>
void Factorize(const T* operand, int64_t size, bool lower, T* result) {
  Entry entries[kSmallSize][kSmallSize];
  bool has_factor[kMatricesAtOnce];
  std::fill_n(has_factor, kMatricesAtOnce, true);
  const int64_t distance = size * size;
  const auto place = [&](int64_t i, int64_t j) { return lower ? i * size + j : j * size + i; };
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = 0; j <= i; ++j) Load(operand + place(i, j), distance, entries[i][j]);
  }
  for (int64_t j = 0; j < size; ++j) {
    Entry& pivot = entries[j][j];
    for (int64_t k = 0; k < j; ++k) SubtractProduct(entries[j][k], entries[j][k], pivot);
    for (int64_t m = 0; m < kMatricesAtOnce; ++m) has_factor[m] &= pivot.of[m] >= 0;
    TakeRoot<T>(pivot);
    for (int64_t i = j + 1; i < size; ++i) {
      for (int64_t k = 0; k < j; ++k) SubtractProduct(entries[i][k], entries[j][k], entries[i][j]);
      Divide<T>(pivot, entries[i][j]);
    }
  }
  std::fill_n(result, kMatricesAtOnce * distance, static_cast<T>(0.0f));
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = 0; j <= i; ++j) Store(entries[i][j], distance, result + place(i, j));
  }
  for (int64_t m = 0; m < kMatricesAtOnce; ++m) {
    if (!has_factor[m]) reference::StoreNoFactor(size, result + m * distance);
  }
}

template <typename T>
void Solve(const TriangularForm& form, const T* a, const T* b, T* x) {
  Entry factors[kSmallSize][kSmallSize];
  Entry rows[kSmallSize][kSmallSize];
  const int64_t size = form.size, width = form.width;
  const auto place = [&](int64_t s, int64_t c) { return form.PlaceOf(form.RowOf(s), c); };
  for (int64_t s = 0; s < size; ++s) {
    for (int64_t c = 0; c < width; ++c) Load(b + place(s, c), size * width, rows[s][c]);
    for (int64_t t = 0; t < s + (form.unit_diagonal ? 0 : 1); ++t) {
      const int64_t i = form.RowOf(s), k = form.RowOf(t);
      const int64_t entry = form.is_transposed ? k * size + i : i * size + k;
      Load(a + entry, size * size, factors[s][t]);
    }
  }
  for (int64_t s = 0; s < size; ++s) {
    for (int64_t c = 0; c < width; ++c) {
      for (int64_t t = 0; t < s; ++t) SubtractProduct(factors[s][t], rows[t][c], rows[s][c]);
      form.unit_diagonal ? RoundTo<T>(rows[s][c]) : Divide<T>(factors[s][s], rows[s][c]);
    }
  }
  for (int64_t s = 0; s < size; ++s) {
    for (int64_t c = 0; c < width; ++c) Store(rows[s][c], size * width, x + place(s, c));
  }
}

template <typename T>
SmallMatrices<T> Kernels() {
  return {Factorize<T>, Solve<T>};
}
SmallMatrices<float> OfF32() { return Kernels<float>(); }
SmallMatrices<double> OfF64() { return Kernels<double>(); }
SmallMatrices<Bf16> OfBf16() { return Kernels<Bf16>(); }
SmallMatrices<F16> OfF16() { return Kernels<F16>(); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(OfF32);
HWY_EXPORT(OfF64);
HWY_EXPORT(OfBf16);
HWY_EXPORT(OfF16);

template <>
const SmallMatrices<float>& GetSmallMatrices() {
  static const SmallMatrices<float> kernels = HWY_DYNAMIC_DISPATCH(OfF32)();
  return kernels;
}
template <>
const SmallMatrices<double>& GetSmallMatrices() {
  static const SmallMatrices<double> kernels = HWY_DYNAMIC_DISPATCH(OfF64)();
  return kernels;
}
template <>
const SmallMatrices<Bf16>& GetSmallMatrices() {
  static const SmallMatrices<Bf16> kernels = HWY_DYNAMIC_DISPATCH(OfBf16)();
  return kernels;
}
template <>
const SmallMatrices<F16>& GetSmallMatrices() {
  static const SmallMatrices<F16> kernels = HWY_DYNAMIC_DISPATCH(OfF16)();
  return kernels;
}

}  // namespace hlo::simd
#endif
