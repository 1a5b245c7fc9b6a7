// Eight elements at a time go to memory by one store: processors load several times a cycle, but
// store two bytes as seldom as a whole vector. In the encoding of this processor's instruction set:
// the old one keeps what upper lanes hold, and waits for it. The first two elements come by
// ordinary registers, because vectors are loaded less often. Where the processor gathers fast,
// whole vectors of words are looked up instead, of which each has two elements of the table.
#include "interp/simd/loops/table_lookup.h"

#include <cstring>

#include "hwy/cache_control.h"
#include "interp/simd/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/loops/table_lookup.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#if defined(__x86_64__) && HWY_TARGET != HWY_SCALAR
namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kStep = 8;

// Returns how many it has done.
template <bool kStreams>
int64_t LookUpEights(const uint16_t* table, const uint16_t* from, uint16_t* to, int64_t count) {
  int64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    uint32_t pairs[kStep / 2];
    std::memcpy(pairs, from + i, sizeof(pairs));
    const auto first = [&](int pair) { return table[pairs[pair] & 0xffff]; };
    const auto second = [&](int pair) { return table[pairs[pair] >> 16]; };
    __m128i found = _mm_cvtsi32_si128(static_cast<int>(uint32_t{second(0)} << 16 | first(0)));
    found = _mm_insert_epi16(found, first(1), 2);
    found = _mm_insert_epi16(found, second(1), 3);
    found = _mm_insert_epi16(found, first(2), 4);
    found = _mm_insert_epi16(found, second(2), 5);
    found = _mm_insert_epi16(found, first(3), 6);
    found = _mm_insert_epi16(found, second(3), 7);
    auto* const target = reinterpret_cast<__m128i*>(to + i);
    if constexpr (kStreams) {
      _mm_stream_si128(target, found);
    } else {
      _mm_storeu_si128(target, found);
    }
  }
  return i;
}

// The elements that the lower halves of `numbers` choose, in the lower halves.
template <class D, class V>
HWY_INLINE V Gathered(D d, const uint32_t* words, V numbers) {
  const auto places = hn::BitCast(hn::RebindToSigned<D>(), hn::ShiftRight<1>(numbers));
  const auto shifts = hn::ShiftLeft<4>(hn::And(numbers, hn::Set(d, 1)));
  return hn::And(hn::Shr(hn::GatherIndex(d, words, places), shifts), hn::Set(d, 0xffff));
}

// Returns how many it has done. What comes later is asked for: processors fetch too little ahead
// beside so many loads.
template <bool kStreams>
int64_t LookUpVectors(const uint16_t* table, const uint16_t* from, uint16_t* to, int64_t count) {
  const hn::ScalableTag<uint32_t> d;
  const auto step = 2 * static_cast<int64_t>(hn::Lanes(d));
  const auto* const words = reinterpret_cast<const uint32_t*>(table);
  int64_t i = 0;
  for (; i + step <= count; i += step) {
    constexpr int64_t kAhead = 2048;  // elements
    hwy::Prefetch(from + i + kAhead);
    const auto pairs = hn::LoadU(d, reinterpret_cast<const uint32_t*>(from + i));
    const auto first = Gathered(d, words, hn::And(pairs, hn::Set(d, 0xffff)));
    const auto second = Gathered(d, words, hn::ShiftRight<16>(pairs));
    const auto found = hn::Or(first, hn::ShiftLeft<16>(second));
    auto* const target = reinterpret_cast<uint32_t*>(to + i);
    if constexpr (kStreams) {
      hn::Stream(found, d, target);
    } else {
      hn::StoreU(found, d, target);
    }
  }
  return i;
}

int64_t LookUpMost(const uint16_t* table, const uint16_t* from, uint16_t* to, int64_t count,
                   bool streams) {
  if (HWY_TARGET == HWY_AVX3 && GathersFast()) {
    const bool fills_lines = reinterpret_cast<uintptr_t>(to) % 64 == 0;
    return streams && fills_lines ? LookUpVectors<true>(table, from, to, count)
                                  : LookUpVectors<false>(table, from, to, count);
  }
  const bool is_aligned = reinterpret_cast<uintptr_t>(to) % sizeof(__m128i) == 0;
  return streams && is_aligned ? LookUpEights<true>(table, from, to, count)
                               : LookUpEights<false>(table, from, to, count);
}
#else
int64_t LookUpMost(const uint16_t*, const uint16_t*, uint16_t*, int64_t, bool) { return 0; }
#endif

void LookUpAll(const uint16_t* table, const uint16_t* from, uint16_t* to, int64_t count,
               bool streams) {
  int64_t i = LookUpMost(table, from, to, count, streams);
  for (; i < count; ++i) to[i] = table[from[i]];
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(LookUpAll);

void LookUp(const uint16_t* table, const uint16_t* from, uint16_t* to, int64_t count,
            bool streams) {
  HWY_DYNAMIC_DISPATCH(LookUpAll)(table, from, to, count, streams);
}

}  // namespace hlo::simd
#endif
