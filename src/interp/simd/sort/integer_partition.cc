// Vectors are compressed to the lanes in one range after the other. These go to an array for each
// range that stays in the first-level cache, and from there in one piece to where they belong.
#include "interp/simd/sort/integer_partition.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/sort/integer_partition.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <typename Integer>
void Count(std::span<const Integer> integers, std::span<const Integer> starts, PerRange& counts) {
  auto before = static_cast<int64_t>(integers.size());
  for (size_t k = 0; k < starts.size(); ++k) {
    const Integer start = starts[k];
    Integer reached = 0;  // 512 at most
    for (const Integer integer : integers) reached += integer >= start ? Integer{1} : Integer{0};
    counts[k] += before - reached;
    before = reached;
  }
  counts[starts.size()] += before;
}

// The lanes that `mask` chooses first. Of 64 bits Highway looks up how lanes move, in a table that
// some compilers copy each time.
template <class V, class M>
HWY_INLINE V Chosen(V v, M mask) {
#if HWY_TARGET == HWY_AVX3
  if constexpr (sizeof(hn::TFromV<V>) == sizeof(uint64_t)) {
    return V{_mm512_maskz_compress_epi64(mask.raw, v.raw)};
  }
#endif
  return hn::Compress(v, mask);
}

// Those lanes that `mask` chooses, the rest of a vector behind them; returns how many they are. Of
// 32 and 64 bits not with CompressStore, which takes some processors a hundred cycles
// (register_sort.h).
template <class D, class V, class M>
HWY_INLINE size_t StoreChosen(D d, V v, M mask, hn::TFromD<D>* to) {
  if constexpr (sizeof(hn::TFromD<D>) < sizeof(uint32_t)) {
    return hn::CompressStore(v, mask, d, to);
  } else {
    hn::StoreU(Chosen(v, mask), d, to);
    return hn::CountTrue(d, mask);
  }
}

template <typename Integer>
void Move(std::span<const Integer> integers, std::span<const Integer> starts, PerRange& places,
          Integer* to) {
  const hn::ScalableTag<Integer> d;
  const size_t lanes = hn::Lanes(d);
  // Vectors are stored whole.
  constexpr size_t kRoom = kPartitionSize + 64 / sizeof(Integer);
  alignas(64) Integer room[kMaxRanges][kRoom];
  size_t counts[kMaxRanges] = {};
  size_t i = 0;
  for (; i + lanes <= integers.size(); i += lanes) {
    const auto vector = hn::LoadU(d, integers.data() + i);
    auto before = hn::Ne(hn::Zero(d), hn::Zero(d));  // in no range so far
    for (size_t k = 0; k < starts.size(); ++k) {
      const auto below = hn::Lt(vector, hn::Set(d, starts[k]));
      counts[k] += StoreChosen(d, vector, hn::AndNot(before, below), room[k] + counts[k]);
      before = below;
    }
    const size_t last = starts.size();
    counts[last] += StoreChosen(d, vector, hn::Not(before), room[last] + counts[last]);
  }
  for (; i < integers.size(); ++i) {
    const auto k =
        static_cast<size_t>(std::ranges::upper_bound(starts, integers[i]) - starts.begin());
    room[k][counts[k]++] = integers[i];
  }
  for (size_t k = 0; k <= starts.size(); ++k) {
    std::memcpy(to + places[k], room[k], counts[k] * sizeof(Integer));
    places[k] += static_cast<int64_t>(counts[k]);
  }
}

template <typename Integer>
IntegerPartition<Integer> Partition() {
  return {Count<Integer>, Move<Integer>};
}

IntegerPartitions AllPartitions() {
  return {Partition<uint16_t>(), Partition<uint32_t>(), Partition<uint64_t>()};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(AllPartitions);

const IntegerPartitions& GetIntegerPartitions() {
  static const IntegerPartitions partitions = HWY_DYNAMIC_DISPATCH(AllPartitions)();
  return partitions;
}

}  // namespace hlo::simd
#endif
