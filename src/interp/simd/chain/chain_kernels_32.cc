// The links of 32 bits: f32, what is narrower in memory, s32 and u32 (chain_links-inl.h says what a
// link is).
#include "interp/simd/chain/chain_kernels.h"

#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/chain/chain_kernels_32.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "interp/simd/chain/chain_arithmetic-inl.h"
#include "interp/simd/chain/chain_division-inl.h"
#include "interp/simd/chain/chain_folds-inl.h"
#include "interp/simd/chain/chain_links-inl.h"
#include "interp/simd/chain/chain_masks-inl.h"
#include "interp/simd/chain/chain_narrow_floats-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#ifdef HLO_CHAIN_LINKS
// bf16 that is divided may take less.
LinkFunction BinaryLinkOfAll(Opcode opcode, ElementType type, LinkOperands operands) {
  if (type != ElementType::kBf16) return BinaryLink<float>(opcode, type, operands);
  if (opcode == Opcode::kDivide) return DivideNarrowLink(operands);
  return FloatBinary<float>(opcode, operands);
}
LinkFunction LoadLink(ElementType type) {
  if (type == ElementType::kPred) return LinkOf<LoadMask<float>>();
  if (type == ElementType::kBf16) return LinkOf<LoadBF16>();
  return type == ElementType::kF16 ? LoadOfF16() : LinkOf<Load<float>>();
}
LinkFunction StoreLink(ElementType type) {
  if (type == ElementType::kPred) return LinkOf<StoreMask<float>>();
  if (type == ElementType::kBf16) return LinkOf<StoreBF16>();
  return type == ElementType::kF16 ? StoreOfF16() : LinkOf<Store<float>>();
}
LinkFunction StreamLink(ElementType type) {
  if (type == ElementType::kPred) return LinkOf<StoreMask<float>>();
  // What is less than 16 bytes has no way past the caches.
  constexpr bool kIsHalfTooShort = hn::MaxLanes(Halves()) * sizeof(uint16_t) < 16;
  if (type == ElementType::kBf16) {
    return LinkOf<std::conditional_t<kIsHalfTooShort, StoreBF16, StreamBF16>>();
  }
  return type == ElementType::kF16 ? StoreOfF16() : LinkOf<Stream<float>>();
}
LinkFunction RoundLink(ElementType type, bool is_arithmetic_result) {
  if (type == ElementType::kF16) return RoundOfF16();
  return is_arithmetic_result ? LinkOf<Alone<float, RoundArithmetic>>()
                              : LinkOf<InFours<float, RoundAny>>();
}

ChainKernels AllKernels() {
  ChainKernels kernels = KernelsOfAll<float>();
  kernels.binary = BinaryLinkOfAll;
  kernels.load = LoadLink;
  kernels.store = StoreLink;
  kernels.stream = StreamLink;
  kernels.round = RoundLink;
  kernels.fold = FoldLink;
  kernels.exact_fold = ExactFoldLink;
  kernels.start_fold = StartFold;
  kernels.finish_fold = FinishFold;
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

const ChainKernels& GetChainKernels32() {
  static const ChainKernels kernels = HWY_DYNAMIC_DISPATCH(AllKernels)();
  return kernels;
}

}  // namespace hlo::simd
#endif
