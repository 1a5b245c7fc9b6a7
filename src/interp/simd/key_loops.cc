// Plain loops, which the compiler makes vectors of, for each instruction set.
#include "interp/simd/key_loops.h"

#include <algorithm>

#include "interp/simd/independent.h"
#include "interp/simd/sort_keys.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/key_loops.cc"
#include "interp/simd/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

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

// Most pieces have none.
template <typename Key>
int64_t FindBelow(const std::byte* keys, int64_t count, uint64_t limit, int32_t* numbers) {
  constexpr int64_t kPieceSize = 256 / static_cast<int64_t>(sizeof(Key));
  const Key* from = reinterpret_cast<const Key*>(keys);
  const Key end = static_cast<Key>(limit);
  int64_t found = 0;
  for (int64_t begin = 0; begin < count; begin += kPieceSize) {
    const int64_t size = std::min(kPieceSize, count - begin);
    Key any = 0;
    for (int64_t i = 0; i < size; ++i) any |= from[begin + i] < end ? Key{1} : Key{0};
    if (any == 0) continue;
    for (int64_t i = begin; i < begin + size; ++i) {
      numbers[found] = static_cast<int32_t>(i);
      found += from[i] < end ? 1 : 0;
    }
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
