// Plain loops, which the compiler makes vectors of, for each instruction set; what looks for few of
// many is written in vectors.
#include "interp/simd/sort/key_loops.h"

#include <algorithm>
#include <bit>

#include "interp/simd/sort/sort_keys.h"
#include "interp/simd/vector/independent.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/sort/key_loops.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Whether one of the floats of these bits is NaN or -0.
template <typename T>
KeyLoss LossOf(const SortKey<T>* bits, int64_t stride, int64_t count) {
  using Key = SortKey<T>;
  constexpr Key kSign = kKeySign<T>;
  Key nan = 0, zero = 0;
  for (int64_t i = 0; i < count; ++i) {
    const Key element = bits[i * stride];
    nan |= static_cast<Key>(element & ~kSign) > InfinityBits<T>() ? Key{1} : Key{0};
    zero |= element == kSign ? Key{1} : Key{0};
  }
  return {nan != 0, (nan | zero) != 0};
}

// Of floats of 8 bits and fewer, which are not made of keys again.
template <typename T>
bool IsAnyNan(const T* elements, int64_t stride, int64_t count) {
  bool is_nan = false;
  for (int64_t i = 0; i < count; ++i) is_nan |= elements[i * stride] != elements[i * stride];
  return is_nan;
}

template <typename T, bool kMerged, typename From>
void KeysOf(const From* from, int64_t stride, int64_t count, SortKey<T> flip, SortKey<T>* to) {
  HLO_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (kIsIeee<T>) {
      to[i] = SortKeyOfBits<T, kMerged>(from[i * stride]) ^ flip;
    } else {
      to[i] = SortKeyOf<T, kMerged>(from[i * stride]) ^ flip;
    }
  }
}

template <typename T, bool kMerged>
KeyLoss ToKeys(const std::byte* elements, int64_t stride, int64_t count, bool ascending,
               std::byte* keys) {
  using Key = SortKey<T>;
  // Structs keep the compiler from vectors.
  const auto* from = reinterpret_cast<const std::conditional_t<kIsIeee<T>, Key, T>*>(elements);
  Key* to = reinterpret_cast<Key*>(keys);
  const Key flip = ascending ? Key{0} : static_cast<Key>(~Key{0});
  if (stride == 1) {
    KeysOf<T, kMerged>(from, 1, count, flip, to);
  } else {
    KeysOf<T, kMerged>(from, stride, count, flip, to);
  }
  if constexpr (kMerged && kIsIeee<T>) {
    return stride == 1 ? LossOf<T>(from, 1, count) : LossOf<T>(from, stride, count);
  } else if constexpr (kMerged) {
    return {IsAnyNan(from, stride, count), /*has_merged=*/true};
  }
  return {};
}

template <typename T>
void FromKeys(const std::byte* keys, int64_t count, bool ascending, std::byte* elements) {
  using Key = SortKey<T>;
  const Key* from = reinterpret_cast<const Key*>(keys);
  T* to = reinterpret_cast<T*>(elements);
  const Key flip = ascending ? Key{0} : static_cast<Key>(~Key{0});
  HLO_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    to[i] = ElementOfKey<T>(static_cast<Key>(from[i] ^ flip));
  }
}

// Most vectors have none.
template <typename Key>
int64_t FindBelow(const std::byte* keys, int64_t count, uint64_t limit, int32_t* numbers) {
  const hn::ScalableTag<Key> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const Key* from = reinterpret_cast<const Key*>(keys);
  const Key end = static_cast<Key>(limit);
  int64_t found = 0, i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto is_below = hn::Lt(hn::LoadU(d, from + i), hn::Set(d, end));
    if (hn::AllFalse(d, is_below)) continue;
    uint64_t bits = 0;  // at most as many as there are lanes: 64 bytes
    hn::StoreMaskBits(d, is_below, reinterpret_cast<uint8_t*>(&bits));
    for (; bits != 0; bits &= bits - 1) {
      numbers[found++] = static_cast<int32_t>(i + std::countr_zero(bits));
    }
  }
  for (; i < count; ++i) {
    numbers[found] = static_cast<int32_t>(i);
    found += from[i] < end ? 1 : 0;
  }
  return found;
}

KeyLoops FindLoops(ElementType type, bool merged) {
  return DispatchElementType<kPred | kInteger | kFloat>(type, [&]<typename T>() -> KeyLoops {
    KeyLoops loops = {.key_size = sizeof(SortKey<T>), .to_keys = ToKeys<T, false>};
    loops.find_below = FindBelow<SortKey<T>>;
    if constexpr (kTypeClassOf<T> == kFloat) {
      if (merged) loops.to_keys = ToKeys<T, true>;
    }
    if constexpr (kHasElementOfKey<T>) loops.from_keys = FromKeys<T>;
    return loops;
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(FindLoops);

KeyLoops FindKeyLoops(ElementType type, bool merged) {
  if (type != ElementType::kPred && !IsInteger(type) && !IsFloat(type)) return {};
  return HWY_DYNAMIC_DISPATCH(FindLoops)(type, merged);
}

}  // namespace hlo::simd
#endif
