// The links of 64 bits: f64, also from and to f32 in memory, s64 and u64 (chain_links-inl.h says
// what a link is). They are compiled apart from those of 32 bits, which takes long enough.
#include "interp/simd/chain/chain_kernels.h"

#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/chain/chain_kernels_64.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "interp/simd/chain/chain_arithmetic-inl.h"
#include "interp/simd/chain/chain_links-inl.h"
#include "interp/simd/chain/chain_masks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#ifdef HLO_CHAIN_LINKS
// --- Elements of 4 bytes in memory

using Singles = hn::Rebind<float, Lanes<double>>;

template <typename S>
struct LoadWidened : Memory<double, S> {
  using Memory<double, S>::Memory;
  V<double> operator()(V<double>, int64_t i) const {
    const hn::Rebind<S, Lanes<double>> narrow;
    return hn::PromoteTo(Lanes<double>(), hn::LoadU(narrow, this->Vector(i)));
  }
};
struct StoreSingles : Memory<double, float> {
  using Memory::Memory;
  V<double> operator()(V<double> x, int64_t i) const {
    hn::StoreU(hn::DemoteTo(Singles(), x), Singles(), Vector(i));
    return x;
  }
};
struct StreamSingles : Memory<double, float> {
  using Memory::Memory;
  V<double> operator()(V<double> x, int64_t i) const {
    hn::Stream(hn::DemoteTo(Singles(), x), Singles(), Vector(i));
    return x;
  }
};

// --- Tables

LinkFunction LoadLink(ElementType type) {
  if (type == ElementType::kPred) return LinkOf<LoadMask<double>>();
  if (type == ElementType::kF32) return LinkOf<LoadWidened<float>>();
  return type == ElementType::kS32 ? LinkOf<LoadWidened<int32_t>>() : LinkOf<Load<double>>();
}
LinkFunction StoreLink(ElementType type) {
  if (type == ElementType::kPred) return LinkOf<StoreMask<double>>();
  return type == ElementType::kF32 ? LinkOf<StoreSingles>() : LinkOf<Store<double>>();
}
LinkFunction StreamLink(ElementType type) {
  if (type == ElementType::kPred) return LinkOf<StoreMask<double>>();
  // What is less than 16 bytes has no way past the caches.
  constexpr bool kIsHalfTooShort = hn::MaxLanes(Singles()) * sizeof(float) < 16;
  if (type != ElementType::kF32) return LinkOf<Stream<double>>();
  return LinkOf<std::conditional_t<kIsHalfTooShort, StoreSingles, StreamSingles>>();
}

ChainKernels AllKernels() {
  ChainKernels kernels = KernelsOfAll<double>();
  kernels.load = LoadLink;
  kernels.store = StoreLink;
  kernels.stream = StreamLink;
  kernels.round = [](ElementType, bool) -> LinkFunction { return nullptr; };
  kernels.fold = [](Opcode) -> LinkFunction { return nullptr; };
  return kernels;
}
#else
ChainKernels AllKernels() { return {}; }
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(AllKernels);

const ChainKernels& GetChainKernels64() {
  static const ChainKernels kernels = HWY_DYNAMIC_DISPATCH(AllKernels)();
  return kernels;
}

}  // namespace hlo::simd
#endif
