// The merges of the reference kernel (reference/merge_sort.h), without most of their work: no
// number goes before a NaN, nor a NaN before a number. So a NaN of the right run, and all that
// follows it there, stays where it is, and only the numbers in front of it move into the left run.
// If NaN are many these are few, and those that go before an element of the left run are found and
// moved in place.
#include "interp/simd/sort/nan_sort.h"

#include <algorithm>
#include <cstring>

#include "interp/kernel/device.h"
#include "interp/reference/element_size.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/sort/merge_tree.h"
#include "interp/simd/vector/wide.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

using reference::Lines;

// Elements that are worth a part of their own, and of lines of which threads share each.
constexpr int64_t kPartSize = int64_t{1} << 15;
constexpr int64_t kLongLine = int64_t{1} << 17;

// The first of [at, end) that x goes before; or `end`.
template <typename T>
int64_t FindBehind(T x, const T* keys, int64_t at, int64_t end) {
  constexpr int64_t kBlock = 32;
  for (; at + kBlock <= end; at += kBlock) {
    int found = 0;
    for (int64_t i = 0; i < kBlock; ++i) found |= x < keys[at + i] ? 1 : 0;
    if (found != 0) break;
  }
  while (at < end && !(x < keys[at])) ++at;
  return at;
}

template <typename T>
int64_t FindNan(const T* keys, int64_t at, int64_t end) {
  while (at < end && keys[at] == keys[at]) ++at;
  return at;
}

// A line as its keys, which go up, and the places of their elements; and room for as many.
template <typename T>
class NanLine {
 public:
  NanLine(ScratchPool& pool, int64_t length)
      : keys_(pool, length),
        moved_keys_(pool, length),
        places_(pool, length),
        moved_places_(pool, length),
        targets_(pool, length) {}

  // Elements [begin, end) of the line at `base`.
  void Load(const ArrayRef& operand, int64_t base, int64_t stride, bool ascending, int64_t begin,
            int64_t end) {
    DispatchElementType<kFloat>(operand.element_type, [&]<typename Element>() {
      const Element* from = View<Element>(operand).data() + base;
      for (int64_t i = begin; i < end; ++i) {
        const auto key = static_cast<T>(Wide(from[i * stride]));
        keys_[i] = ascending ? key : -key;
        places_[i] = static_cast<uint32_t>(i);
      }
    });
  }
  void Sort(int64_t begin, int64_t size) {
    if (size < int64_t{reference::kMinMergeLength}) return Insert(begin, size);
    Sort(begin, size / 2);
    Sort(begin + size / 2, size - size / 2);
    Merge(begin, size);
  }
  void Merge(int64_t begin, int64_t size);
  void Store(const ArrayRef& operand, const MutableArrayRef& result, int64_t base, int64_t stride,
             int64_t begin, int64_t end) const {
    const int64_t element_size = ElementByteSize(operand.element_type);
    reference::DispatchElementSize(element_size, [&]<typename Element>() {
      const auto* from = reinterpret_cast<const Element*>(operand.bytes) + base;
      auto* to = reinterpret_cast<Element*>(result.bytes) + base;
      for (int64_t i = begin; i < end; ++i) to[i * stride] = from[places_[i] * stride];
    });
  }

 private:
  void Insert(int64_t begin, int64_t size);
  void MoveTo(int64_t from, int64_t to, int64_t count) {
    std::memmove(&keys_[to], &keys_[from], static_cast<size_t>(count) * sizeof(T));
    std::memmove(&places_[to], &places_[from], static_cast<size_t>(count) * sizeof(uint32_t));
  }

  ScratchArray<T> keys_, moved_keys_;
  ScratchArray<uint32_t> places_, moved_places_, targets_;
};

// Binary insertion as the reference kernel has it.
template <typename T>
void NanLine<T>::Insert(int64_t begin, int64_t size) {
  for (int64_t i = begin + 1; i < begin + size; ++i) {
    const T key = keys_[i];
    const uint32_t place = places_[i];
    int64_t low = begin, high = i;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (key < keys_[middle]) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    for (int64_t k = i; k > low; --k) {
      keys_[k] = keys_[k - 1];
      places_[k] = places_[k - 1];
    }
    keys_[low] = key;
    places_[low] = place;
  }
}

template <typename T>
void NanLine<T>::Merge(int64_t begin, int64_t size) {
  const int64_t middle = begin + size / 2;
  const int64_t end = FindNan(keys_.get(), middle, begin + size);
  for (int64_t i = middle, target = begin; i < end; ++i) {
    target = FindBehind(keys_[i], keys_.get(), target, middle);
    targets_[i] = static_cast<uint32_t>(target);
    moved_keys_[i] = keys_[i];
    moved_places_[i] = places_[i];
  }
  // From the last on, with what is behind their targets.
  int64_t rest = middle, to = end;
  for (int64_t i = end; i-- > middle && targets_[middle] < middle;) {
    const int64_t count = rest - targets_[i];
    if (count > 0) MoveTo(targets_[i], to - count, count);
    rest = targets_[i];
    to -= count + 1;
    keys_[to] = moved_keys_[i];
    places_[to] = moved_places_[i];
  }
}

template <typename T>
class NanSorter {
 public:
  NanSorter(Evaluation& e, const FunctionForm::Key& key, const Lines& lines)
      : e_(e), key_(key), lines_(lines) {}

  absl::Status Run() const {
    const int64_t length = lines_.length;
    const int64_t line_count = e_.operand(0).element_count() / length;
    if (length >= kLongLine) {
      NanLine<T> line(e_.device().scratch(), length);
      absl::Status status;
      for (int64_t i = 0; i < line_count && status.ok(); ++i) status = SortLong(BaseOf(i), line);
      return status;
    }
    const int64_t lines_per_part = std::max<int64_t>(1, kPartSize / length);
    return ForEachPart(e_.device(), CeilDiv(line_count, lines_per_part), [&](int64_t part) {
      NanLine<T> line(e_.device().scratch(), length);
      const int64_t end = std::min(line_count, (part + 1) * lines_per_part);
      for (int64_t i = part * lines_per_part; i < end; ++i) {
        Load(BaseOf(i), line, 0, length);
        line.Sort(0, length);
        Store(BaseOf(i), line, 0, length);
      }
    });
  }

 private:
  int64_t BaseOf(int64_t line) const {
    return line / lines_.stride * lines_.length * lines_.stride + line % lines_.stride;
  }
  void Load(int64_t base, NanLine<T>& line, int64_t begin, int64_t end) const {
    line.Load(e_.operand(static_cast<size_t>(key_.parameter)), base, lines_.stride, key_.ascending,
              begin, end);
  }
  void Store(int64_t base, const NanLine<T>& line, int64_t begin, int64_t end) const {
    for (size_t k = 0; k < e_.results().size(); ++k) {
      line.Store(e_.operand(k), e_.result(k), base, lines_.stride, begin, end);
    }
  }

  // On all threads.
  absl::Status SortLong(int64_t base, NanLine<T>& line) const {
    const MergeTree tree(lines_.length);
    int depth = 0;
    while (tree.MaxSize(depth) > kPartSize) ++depth;
    absl::Status status = ForEachPart(e_.device(), int64_t{1} << depth, [&](int64_t number) {
      const MergeTree::Node node = tree.At(depth, number);
      Load(base, line, node.begin, node.end());
      line.Sort(node.begin, node.size);
    });
    for (int d = depth; d-- > 0 && status.ok();) {
      status = ForEachPart(e_.device(), int64_t{1} << d, [&](int64_t number) {
        const MergeTree::Node node = tree.At(d, number);
        line.Merge(node.begin, node.size);
      });
    }
    if (!status.ok()) return status;
    return ForEachPart(e_.device(), CeilDiv(lines_.length, kPartSize), [&](int64_t part) {
      Store(base, line, part * kPartSize, std::min(lines_.length, (part + 1) * kPartSize));
    });
  }

  Evaluation& e_;
  const FunctionForm::Key& key_;
  const Lines& lines_;
};

}  // namespace

absl::Status SortManyNan(Evaluation& e, const FunctionForm::Key& key, const Lines& lines) {
  if (key.element_type == ElementType::kF64) return NanSorter<double>(e, key, lines).Run();
  return NanSorter<float>(e, key, lines).Run();
}

int64_t ManyNanScratch(int64_t length, int64_t line_count) {
  constexpr int64_t kByteSize = 2 * sizeof(double) + 3 * sizeof(uint32_t);
  const int64_t lines_at_once = length >= kLongLine ? 1 : PartsAtOnce(line_count);
  return std::max<int64_t>(1, lines_at_once) * length * kByteSize;
}

}  // namespace hlo::simd
