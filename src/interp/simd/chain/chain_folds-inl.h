// Folds of f32: links that combine the elements of a row with lanes of a buffer, and what is done
// before and behind a row. Lanes are read and written in whole vectors: processors hand on what is
// not yet in the caches only as it was written. Compiled once for each instruction set (the guard
// toggles).
#if defined(HLOKIT_INTERP_SIMD_CHAIN_CHAIN_FOLDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_CHAIN_CHAIN_FOLDS_INL_H_
#undef HLOKIT_INTERP_SIMD_CHAIN_CHAIN_FOLDS_INL_H_
#else
#define HLOKIT_INTERP_SIMD_CHAIN_CHAIN_FOLDS_INL_H_
#endif

#include <cmath>
#include <limits>

#include "hwy/highway.h"
#include "interp/simd/chain/chain_arithmetic-inl.h"
#include "interp/simd/chain/chain_links-inl.h"
#include "interp/simd/chain/chain_narrow_floats-inl.h"
#include "interp/simd/loops/row_kernels.h"
#include "interp/simd/vector/vector_extremes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#ifdef HLO_CHAIN_LINKS
// The group in pairs, these in pairs.
template <class Fn>
HWY_INLINE Wide Folded(Wide v0, Wide v1, Wide v2, Wide v3, Wide v4, Wide v5, Wide v6, Wide v7) {
  const Fn fn;
  return fn(fn(fn(v0, v1), fn(v2, v3)), fn(fn(v4, v5), fn(v6, v7)));
}

// Two vectors of sums in f64, of a half of the elements each.
class Sums {
 public:
  using Lane = float;
  Sums(const ChainLink& link, int64_t) : Sums(link.at) {}
  explicit Sums(std::byte* lanes)
      : low_(reinterpret_cast<double*>(lanes)), high_(low_ + kVectorSize<float> / 2) {}

  HWY_INLINE void Start() const {
    // A zero that leaves the sign of what is added to it.
    const hn::Vec<Doubles> zero = hn::Set(Doubles(), -0.0);
    hn::StoreU(zero, Doubles(), low_);
    hn::StoreU(zero, Doubles(), high_);
  }
  HWY_INLINE void AddTerms(Wide x) const {
    const hn::Half<Lanes<float>> half;
    AddTo(low_, hn::PromoteTo(Doubles(), hn::LowerHalf(half, x)));
    AddTo(high_, hn::PromoteTo(Doubles(), hn::UpperHalf(half, x)));
  }
  HWY_INLINE double Total() const {
    const auto all = hn::Add(hn::LoadU(Doubles(), low_), hn::LoadU(Doubles(), high_));
    return hn::GetLane(hn::SumOfLanes(Doubles(), all));
  }

 private:
  using Doubles = hn::ScalableTag<double>;
  static HWY_INLINE void AddTo(double* sums, hn::Vec<Doubles> x) {
    hn::StoreU(hn::Add(hn::LoadU(Doubles(), sums), x), Doubles(), sums);
  }
  double *low_, *high_;
};

// The eight vectors are added in f32, what that gives in f64.
struct SumInF32 : Sums {
  using Sums::Sums;
  HWY_INLINE void operator()(Wide v0, Wide v1, Wide v2, Wide v3, Wide v4, Wide v5, Wide v6,
                             Wide v7) const {
    AddTerms(Folded<Add>(v0, v1, v2, v3, v4, v5, v6, v7));
  }
};
struct SumInF64 : Sums {
  using Sums::Sums;
  HWY_INLINE void operator()(Wide v0, Wide v1, Wide v2, Wide v3, Wide v4, Wide v5, Wide v6,
                             Wide v7) const {
    for (Wide x : {v0, v1, v2, v3, v4, v5, v6, v7}) AddTerms(x);
  }
};

template <class Fn>
struct Extreme : Memory<float> {
  using Memory::Memory;
  HWY_INLINE void operator()(Wide v0, Wide v1, Wide v2, Wide v3, Wide v4, Wide v5, Wide v6,
                             Wide v7) const {
    const Wide extreme = Folded<Fn>(v0, v1, v2, v3, v4, v5, v6, v7);
    hn::StoreU(Fn()(hn::LoadU(Lanes<float>(), at), extreme), Lanes<float>(), at);
  }
};

LinkFunction FoldLink(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
      return LinkOf<SumInF32>();
    case Opcode::kMaximum:
      return LinkOf<Extreme<VectorMaximum>>();
    case Opcode::kMinimum:
      return LinkOf<Extreme<VectorMinimum>>();
    default:  // no order may be chosen for these
      return nullptr;
  }
}
LinkFunction ExactFoldLink(Opcode opcode) {
  return opcode == Opcode::kAdd ? LinkOf<SumInF64>() : FoldLink(opcode);
}

void StartFold(Opcode opcode, std::byte* lanes) {
  if (opcode == Opcode::kAdd) return Sums(lanes).Start();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  hn::StoreU(hn::Set(Lanes<float>(), opcode == Opcode::kMaximum ? -kInfinity : kInfinity),
             Lanes<float>(), reinterpret_cast<float*>(lanes));
}

bool FinishFold(Opcode opcode, std::byte* lanes, const float* rest, int64_t rest_count, float init,
                float* result) {
  if (opcode == Opcode::kAdd) {
    const double total = Sums(lanes).Total();
    double sum = init + total;
    if (rest_count > 0) GetRowReductions().sum_terms(ElementType::kF32)(rest, rest_count, &sum);
    *result = static_cast<float>(sum);
    return std::isfinite(total);
  }
  const RowLoop reduce = GetRowReductions().reduce(opcode, ElementType::kF32);
  reduce(lanes, &init, result, /*row_count=*/1, kVectorSize<float>);
  if (rest_count > 0) reduce(rest, result, result, /*row_count=*/1, rest_count);
  return true;
}
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_CHAIN_CHAIN_FOLDS_INL_H_
