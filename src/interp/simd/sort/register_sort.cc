// Highway's sort compresses vectors to memory, in one instruction with AVX-512. AMD's processors
// (Zen 4) have microcode for that, some hundred cycles of it, while compressing in a register takes
// two. So what the sort calls is replaced when its header is compiled here. That of 64 bits does
// without already.
#include "interp/simd/sort/register_sort.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/sort/register_sort.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#if HWY_TARGET == HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace hwy {
namespace HWY_NAMESPACE {
// As CompressStore and CompressBlendedStore: those that `mask` chooses go to `to`, the second time
// nothing behind them is written. They return how many these are.
template <class D, class V, class M>
HWY_INLINE size_t CompressAndStore(V v, M mask, D d, TFromD<D>* to) {
  StoreU(Compress(v, mask), d, to);
  return CountTrue(d, mask);
}
template <class D, class V, class M>
HWY_INLINE size_t CompressAndBlend(V v, M mask, D d, TFromD<D>* to) {
  const size_t count = CountTrue(d, mask);
  BlendedStore(Compress(v, mask), FirstN(d, count), d, to);
  return count;
}
}  // namespace HWY_NAMESPACE
}  // namespace hwy
HWY_AFTER_NAMESPACE();

#define CompressStore CompressAndStore
#define CompressBlendedStore CompressAndBlend
#include "hwy/contrib/sort/traits-inl.h"
#include "hwy/contrib/sort/vqsort-inl.h"
#undef CompressStore
#undef CompressBlendedStore
#endif

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_AVX3
void SortInRegisters(uint32_t* integers, size_t count) {
  namespace hn = hwy::HWY_NAMESPACE;
  namespace detail = hn::detail;
  const detail::SharedTraits<detail::TraitsLane<detail::OrderAscending<uint32_t>>> traits;
  uint32_t* const no_room = nullptr;  // it has its own
  hn::Sort(hn::SortTag<uint32_t>(), traits, integers, count, no_room);
}
RegisterSort Choose() { return SortInRegisters; }
#else
RegisterSort Choose() { return nullptr; }
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {
namespace {

bool HasSlowCompressStore() {
#ifdef __x86_64__
  return __builtin_cpu_is("amd") != 0;
#else
  return false;
#endif
}

}  // namespace

HWY_EXPORT(Choose);

RegisterSort GetRegisterSort() {
  static const RegisterSort sort =
      HasSlowCompressStore() ? HWY_DYNAMIC_DISPATCH(Choose)() : nullptr;
  return sort;
}

}  // namespace hlo::simd
#endif
