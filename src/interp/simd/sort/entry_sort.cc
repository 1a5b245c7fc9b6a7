// Integers in ascending order are the stable order of elements, since an element's place stands
// below its digit. Where neighbours have the same digit and there are more, of the same key or of
// the next one, they are sorted by those, and so on; then all operands are put in that order.
#include "interp/simd/sort/entry_sort.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "interp/kernel/device.h"
#include "interp/reference/element_size.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/sort/integer_sort.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

using reference::Lines;

constexpr int64_t kPartSize = int64_t{1} << 11;  // elements that are worth a part of their own
constexpr size_t kChunkSize = 512;               // elements at a time, in the first-level cache

template <typename Entry>
inline constexpr int kPlaceBits = 4 * sizeof(Entry);
template <typename Entry>
inline constexpr Entry kPlaceMask = static_cast<Entry>(~Entry{0}) >> kPlaceBits<Entry>;

// Elements `stride` apart, in the order of the places that `order` holds.
template <typename Element, typename Entry>
void Permute(const std::byte* from, std::byte* to, int64_t from_stride, int64_t to_stride,
             std::span<const Entry> order) {
  const auto* elements = reinterpret_cast<const Element*>(from);
  auto* next = reinterpret_cast<Element*>(to);
  for (const Entry entry : order) {
    *next = elements[static_cast<int64_t>(entry & kPlaceMask<Entry>) * from_stride];
    next += to_stride;
  }
}

// The keys of which entries have all bits.
template <typename Key, typename Entry>
void GetKeys(std::span<const Entry> entries, std::byte* keys) {
  Key* to = reinterpret_cast<Key*>(keys);
  for (const Entry entry : entries) *to++ = static_cast<Key>(entry >> kPlaceBits<Entry>);
}

// Puts digits of `keys` above the places of entries.
template <typename Key, typename Entry>
void SetDigits(const std::byte* keys, int shift, std::span<Entry> entries) {
  const Key* from = reinterpret_cast<const Key*>(keys);
  for (size_t i = 0; i < entries.size(); ++i) {
    const auto digit = static_cast<Entry>(from[i] >> shift);
    entries[i] = digit << kPlaceBits<Entry> | (entries[i] & kPlaceMask<Entry>);
  }
}

template <typename Entry>
class LineSorter {
 public:
  LineSorter(Evaluation& e, const Lines& lines, std::span<const SortDigit> digits)
      : e_(e), lines_(lines), digits_(digits) {}

  // The line at `base`, on this thread.
  void Sort(const IntegerSorter& sorter, int64_t base, std::span<Entry> entries) const {
    const KeyLoss loss = Start(base, 0, entries);
    sorter.Sort(entries);
    Finish(sorter, base, 0, entries, loss);
  }
  // On all threads.
  absl::Status SortLong(int64_t base, std::span<Entry> entries) const {
    std::atomic<bool> has_merged = false;
    const auto fill = [&](int64_t begin, std::span<Entry> to) {
      if (Start(base, begin, to).has_merged) has_merged.store(true, std::memory_order_relaxed);
    };
    const auto finish = [&](int64_t begin, std::span<Entry> sorted) {
      Finish(IntegerSorter(), base, begin, sorted, {.has_merged = has_merged});
    };
    const ManyIntegers<Entry> many = {
        .fill = fill, .finish = finish, .tie_bits = kPlaceBits<Entry>};
    return many.Sort(e_.device(), entries);
  }

 private:
  struct alignas(64) Chunk {
    std::array<std::byte, kChunkSize * sizeof(uint64_t)> bytes;
  };

  const std::byte* LineOf(const SortDigit& digit, int64_t base) const {
    return e_.operand(digit.operand).bytes + base * digit.element_size;
  }

  // Entries of the elements from `begin` on, by their first digit.
  KeyLoss Start(int64_t base, int64_t begin, std::span<Entry> entries) const {
    const SortDigit& digit = digits_[0];
    Chunk keys;
    KeyLoss loss;
    while (!entries.empty()) {
      const std::span<Entry> now = entries.first(std::min(kChunkSize, entries.size()));
      const auto count = static_cast<int64_t>(now.size());
      loss |= digit.loops.to_keys(LineOf(digit, base) + begin * lines_.stride * digit.element_size,
                                  lines_.stride, count, digit.ascending, keys.bytes.data());
      for (size_t i = 0; i < now.size(); ++i) {
        now[i] = static_cast<Entry>(begin + static_cast<int64_t>(i));
      }
      SetDigits(digit, keys, now);
      begin += count;
      entries = entries.subspan(now.size());
    }
    return loss;
  }

  // The same for elements at the places that the entries hold.
  void Continue(const SortDigit& digit, int64_t base, std::span<Entry> entries) const {
    Chunk elements, keys;
    while (!entries.empty()) {
      const std::span<Entry> now = entries.first(std::min(kChunkSize, entries.size()));
      reference::DispatchElementSize(digit.element_size, [&]<typename Element>() {
        if constexpr (sizeof(Element) <= sizeof(uint64_t)) {
          Permute<Element, Entry>(LineOf(digit, base), elements.bytes.data(), lines_.stride, 1,
                                  now);
        }
      });
      digit.loops.to_keys(elements.bytes.data(), 1, static_cast<int64_t>(now.size()),
                          digit.ascending, keys.bytes.data());
      SetDigits(digit, keys, now);
      entries = entries.subspan(now.size());
    }
  }

  static void SetDigits(const SortDigit& digit, const Chunk& keys, std::span<Entry> entries) {
    switch (digit.loops.key_size) {
      case 2:
        return simd::SetDigits<uint16_t>(keys.bytes.data(), digit.shift, entries);
      case 4:
        return simd::SetDigits<uint32_t>(keys.bytes.data(), digit.shift, entries);
      default:
        return simd::SetDigits<uint64_t>(keys.bytes.data(), digit.shift, entries);
    }
  }

  // Sorts those of sorted entries that are equal in digits before `number`.
  void SortTies(const IntegerSorter& sorter, size_t number, int64_t base,
                std::span<Entry> entries) const {
    if (number == digits_.size()) return;
    const auto digit_of = [](Entry entry) { return entry >> kPlaceBits<Entry>; };
    for (size_t begin = 0; begin < entries.size();) {
      size_t end = begin + 1;
      while (end < entries.size() && digit_of(entries[end]) == digit_of(entries[begin])) ++end;
      if (end - begin > 1) {
        const std::span<Entry> equal = entries.subspan(begin, end - begin);
        Continue(digits_[number], base, equal);
        sorter.Sort(equal);
        SortTies(sorter, number + 1, base, equal);
      }
      begin = end;
    }
  }

  // Writes the elements of sorted entries, the first of which are the line's from `begin` on.
  void Finish(const IntegerSorter& sorter, int64_t base, int64_t begin, std::span<Entry> entries,
              const KeyLoss& loss) const {
    SortTies(sorter, 1, base, entries);
    for (size_t k = 0; k < e_.results().size(); ++k) {
      const int64_t size = ElementByteSize(e_.operand(k).element_type);
      std::byte* to = e_.result(k).bytes + (base + begin * lines_.stride) * size;
      if (k == digits_[0].operand && HaveElements() && !loss.has_merged) {
        StoreElements(entries, to);
        continue;
      }
      reference::DispatchElementSize(size, [&]<typename Element>() {
        Permute<Element, Entry>(e_.operand(k).bytes + base * size, to, lines_.stride, lines_.stride,
                                entries);
      });
    }
  }

  // Whether sorted entries have all bits of an operand's elements, so that these need not be
  // fetched from where they are.
  bool HaveElements() const {
    const SortDigit& digit = digits_[0];
    return digits_.size() == 1 && lines_.stride == 1 && digit.loops.from_keys != nullptr &&
           digit.loops.key_size * 8 <= kPlaceBits<Entry>;
  }
  void StoreElements(std::span<const Entry> entries, std::byte* to) const {
    const SortDigit& digit = digits_[0];
    Chunk keys;
    while (!entries.empty()) {
      const std::span<const Entry> now = entries.first(std::min(kChunkSize, entries.size()));
      if (digit.loops.key_size == 2) {
        GetKeys<uint16_t>(now, keys.bytes.data());
      } else {
        GetKeys<uint32_t>(now, keys.bytes.data());
      }
      const auto count = static_cast<int64_t>(now.size());
      digit.loops.from_keys(keys.bytes.data(), count, digit.ascending, to);
      to += count * digit.element_size;
      entries = entries.subspan(now.size());
    }
  }

  Evaluation& e_;
  const Lines& lines_;
  const std::span<const SortDigit> digits_;
};

template <typename Entry>
absl::Status SortBy(Evaluation& e, const Lines& lines, std::span<const SortDigit> digits) {
  const LineSorter<Entry> sorter(e, lines, digits);
  const int64_t line_count = e.operand(0).element_count() / lines.length;
  const auto base_of = [&](int64_t line) {
    return line / lines.stride * lines.length * lines.stride + line % lines.stride;
  };
  if (lines.length >= kManyIntegers) {
    const ScratchArray<Entry> entries(e.device().scratch(), lines.length);
    absl::Status status;
    for (int64_t line = 0; line < line_count && status.ok(); ++line) {
      status = sorter.SortLong(base_of(line), {entries.get(), static_cast<size_t>(lines.length)});
    }
    return status;
  }
  const int64_t lines_per_part = std::max<int64_t>(1, kPartSize / lines.length);
  return ForEachPart(e.device(), CeilDiv(line_count, lines_per_part), [&](int64_t part) {
    const IntegerSorter integer_sorter;
    const ScratchArray<Entry> entries(e.device().scratch(), lines.length);
    const int64_t end = std::min(line_count, (part + 1) * lines_per_part);
    for (int64_t line = part * lines_per_part; line < end; ++line) {
      sorter.Sort(integer_sorter, base_of(line),
                  {entries.get(), static_cast<size_t>(lines.length)});
    }
  });
}

}  // namespace

EntryOrder::EntryOrder(std::span<const FunctionForm::Key> keys, int64_t length) {
  const bool is_short = std::ranges::all_of(
      keys, [](const FunctionForm::Key& key) { return ElementByteSize(key.element_type) <= 2; });
  place_bits_ = is_short && length <= int64_t{1} << kPlaceBits<uint32_t> ? kPlaceBits<uint32_t>
                                                                         : kPlaceBits<uint64_t>;
  for (const FunctionForm::Key& key : keys) {
    SortDigit digit = {.operand = static_cast<size_t>(key.parameter),
                       .element_size = ElementByteSize(key.element_type),
                       .ascending = key.ascending,
                       .shift = 0,
                       .loops = FindKeyLoops(key.element_type, MergesValues(key))};
    if (digit.loops.key_size * 8 > place_bits_) {
      digit.shift = place_bits_;
      digits_.push_back(digit);
      digit.shift = 0;
    }
    digits_.push_back(digit);
  }
}

absl::Status EntryOrder::Sort(Evaluation& e, const Lines& lines) const {
  return place_bits_ == kPlaceBits<uint32_t> ? SortBy<uint32_t>(e, lines, digits_)
                                             : SortBy<uint64_t>(e, lines, digits_);
}

}  // namespace hlo::simd
