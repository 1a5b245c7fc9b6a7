// Keys (sort_keys.h) are made where the results go, sorted there and become elements again. No
// place is needed beside them: elements with the same key are the same, but for zeros and NaNs that
// are compared as one. Where there are such, which is rare, they are taken once more from the
// operand, in their order there: so the sort is stable.
#include "interp/simd/sort/sort_elements.h"

#include <algorithm>

#include "interp/simd/base/parallel.h"
#include "interp/simd/sort/integer_sort.h"
#include "interp/simd/sort/key_loops.h"
#include "interp/simd/sort/sort_keys.h"
#include "interp/simd/vector/wide.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kPartSize = int64_t{1} << 11;  // elements that are worth a part of their own

template <typename T>
class ElementSort {
  using Key = SortKey<T>;

 public:
  ElementSort(Evaluation& e, const FunctionForm::Key& key, std::atomic<bool>& has_nan)
      : device_(e.device()),
        from_(reinterpret_cast<const T*>(e.operand(0).bytes)),
        to_(reinterpret_cast<T*>(e.result().bytes)),
        loops_(FindKeyLoops(key.element_type, MergesValues(key))),
        ascending_(key.ascending),
        stops_at_nan_(key.IsFloatByValue()),
        has_nan_(has_nan) {}

  absl::Status Run(int64_t line_count, int64_t length) const {
    if (length >= kManyIntegers) {
      absl::Status status;
      for (int64_t line = 0; line < line_count && status.ok() && !IsUseless(); ++line) {
        status = SortLong(line * length, length);
      }
      return status;
    }
    const int64_t lines_per_part = std::max<int64_t>(1, kPartSize / length);
    return ForEachPart(device_, CeilDiv(line_count, lines_per_part), [&](int64_t part) {
      const IntegerSorter sorter;
      const int64_t end = std::min(line_count, (part + 1) * lines_per_part);
      for (int64_t line = part * lines_per_part; line < end && !IsUseless(); ++line) {
        SortShort(sorter, line * length, length);
      }
    });
  }

 private:
  // Whether the caller has to sort in another way.
  bool IsUseless() const { return stops_at_nan_ && has_nan_.load(std::memory_order_relaxed); }
  std::span<Key> KeysAt(int64_t begin, int64_t count) const {
    return {reinterpret_cast<Key*>(to_ + begin), static_cast<size_t>(count)};
  }
  KeyLoss Fill(int64_t begin, std::span<Key> keys) const {
    return loops_.to_keys(reinterpret_cast<const std::byte*>(from_ + begin), 1,
                          static_cast<int64_t>(keys.size()), ascending_,
                          reinterpret_cast<std::byte*>(keys.data()));
  }
  void Finish(std::span<Key> keys) const {
    auto* bytes = reinterpret_cast<std::byte*>(keys.data());
    loops_.from_keys(bytes, static_cast<int64_t>(keys.size()), ascending_, bytes);
  }

  void SortShort(const IntegerSorter& sorter, int64_t base, int64_t length) const {
    const std::span<Key> keys = KeysAt(base, length);
    const KeyLoss loss = Fill(base, keys);
    sorter.Sort(keys);
    Finish(keys);
    Restore(loss, base, length);
  }

  absl::Status SortLong(int64_t base, int64_t length) const {
    std::atomic<bool> has_nan = false, has_merged = false;
    const auto fill = [&](int64_t begin, std::span<Key> keys) {
      const KeyLoss loss = Fill(base + begin, keys);
      if (loss.has_nan) has_nan.store(true, std::memory_order_relaxed);
      if (loss.has_merged) has_merged.store(true, std::memory_order_relaxed);
    };
    const auto finish = [&](int64_t, std::span<Key> keys) { Finish(keys); };
    const ManyIntegers<Key> many = {
        .fill = fill, .finish = finish, .is_useless = stops_at_nan_ ? &has_nan : nullptr};
    const absl::Status status = many.Sort(device_, KeysAt(base, length));
    if (status.ok()) Restore({has_nan, has_merged}, base, length);
    return status;
  }

  // Zeros and NaNs of the line at `base` as they were.
  void Restore(const KeyLoss& loss, int64_t base, int64_t length) const {
    if (loss.has_nan) has_nan_.store(true, std::memory_order_relaxed);
    if (!loss.has_merged || IsUseless()) return;
    if constexpr (kIsIeee<T>) {
      const T* line = from_ + base;
      T* zeros = PlaceOf(static_cast<T>(0.0F), base, length);
      T* nans = PlaceOf(std::bit_cast<T>(static_cast<Key>(~kKeySign<T>)), base, length);
      for (int64_t i = 0; i < length; ++i) {
        const T x = line[i];
        if (x != x) {
          *nans++ = x;
        } else if (Wide(x) == 0) {
          *zeros++ = x;
        }
      }
    }
  }
  // Where the elements begin that are sorted as `x` is.
  T* PlaceOf(T x, int64_t base, int64_t length) const {
    const auto key_of = [&](T element) {
      const Key key = SortKeyOf<T, true>(element);
      return ascending_ ? key : static_cast<Key>(~key);
    };
    return std::ranges::lower_bound(to_ + base, to_ + base + length, key_of(x), {}, key_of);
  }

  const DeviceContext& device_;
  const T* from_;
  T* to_;
  const KeyLoops loops_;
  const bool ascending_;
  const bool stops_at_nan_;  // which has no place in the order
  std::atomic<bool>& has_nan_;
};

}  // namespace

bool SortsElements(const FunctionForm::Key& key) {
  return FindKeyLoops(key.element_type, MergesValues(key)).from_keys != nullptr;
}

absl::Status SortElements(Evaluation& e, const FunctionForm::Key& key,
                          const reference::Lines& lines, std::atomic<bool>& has_nan) {
  const int64_t line_count = e.operand(0).element_count() / lines.length;
  return DispatchElementType<kInteger | kFloat>(key.element_type, [&]<typename T>() {
    if constexpr (kHasElementOfKey<T>) {
      return ElementSort<T>(e, key, has_nan).Run(line_count, lines.length);
    } else {
      return absl::InternalError("elements without keys");
    }
  });
}

}  // namespace hlo::simd
