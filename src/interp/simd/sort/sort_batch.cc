// The elements, and keys of them, that the comparator reads are put side by side, line after line,
// and go from one set of arrays to another and back, depth after depth, as merges (merge_rounds.h)
// put them in order. Their places in the line go with them where there are operands that the
// comparator does not read, or in another type, and say at the end where the elements of these are.
//
// Up to runs of kSubtreeSize elements a part of the batch stays in a cache; after that each depth
// passes by as a whole, so that there are many merges at a time for long.
#include "interp/simd/sort/sort_batch.h"

#include <algorithm>
#include <numeric>

#include "interp/kernel/device.h"
#include "interp/reference/element_size.h"
#include "interp/simd/base/parallel.h"
#include "ir/element_conversion.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

using reference::Lines;

constexpr int64_t kMaxPartSize = int64_t{1} << 15;  // elements that stay in a cache
constexpr int64_t kMinPartSize = int64_t{1} << 12;  // elements that are worth a part of their own
constexpr int64_t kSubtreeSize = int64_t{1} << 11;  // elements
constexpr int64_t kMaxMergesPerPart = 32;

// How many of `count` items, of some elements each, are one part: what these are makes no
// difference to results.
int64_t ItemsPerPart(const DeviceContext& device, int64_t count, int64_t item_size) {
  const int64_t share = CeilDiv(count, ThreadCount(device));
  const int64_t least = CeilDiv(kMinPartSize, item_size);
  return std::clamp(share, least, std::max(least, kMaxPartSize / item_size));
}

// The same of merges that are worth a part each.
int64_t MergesPerPart(const DeviceContext& device, int64_t count) {
  return std::min(kMaxMergesPerPart, CeilDiv(count, ThreadCount(device)));
}

int SubtreeDepth(const MergeTree& tree) {
  int depth = 0;
  while (tree.MaxSize(depth) > kSubtreeSize) ++depth;
  return depth;
}

// to[i] = from[source[i]].
template <typename T>
void Permute(const std::byte* from, std::span<const uint32_t> source, std::byte* to) {
  const T* elements = reinterpret_cast<const T*>(from);
  T* next = reinterpret_cast<T*>(to);
  for (const uint32_t i : source) *next++ = elements[i];
}

// Elements that lie apart.
template <typename T>
void CopyStrided(const std::byte* from, int64_t from_stride, std::byte* to, int64_t to_stride,
                 int64_t count) {
  const T* elements = reinterpret_cast<const T*>(from);
  T* next = reinterpret_cast<T*>(to);
  for (int64_t i = 0; i < count; ++i) next[i * to_stride] = elements[i * from_stride];
}

}  // namespace

SortBatch::SortBatch(const Comparator& comparator, Evaluation& e, const Lines& lines,
                     int64_t line_count, bool has_places)
    : comparator_(comparator),
      e_(e),
      lines_(lines),
      tree_(lines.length),
      source_(e.device().scratch(), line_count * lines.length),
      arrays_(e.device().scratch()) {
  for (const Comparator::Array& array : comparator.arrays()) AddArray(array, line_count);
  if (has_places) AddArray({.operand = kPlaces, .type = kPlaceType}, line_count);
}

int64_t SortBatch::ScratchByteSize(const Comparator& comparator, bool has_places, int64_t count) {
  int64_t element_size = has_places ? ElementByteSize(kPlaceType) : 0;
  for (const Comparator::Array& array : comparator.arrays()) {
    element_size += ElementByteSize(array.type);
  }
  const int64_t part_count = CeilDiv(count, kSubtreeSize);  // at most
  return count * (2 * element_size + int64_t{sizeof(uint32_t)}) +
         PartsAtOnce(part_count) *
             (MergeRounds::ScratchByteSize(comparator) + ElementKeys::ScratchByteSize(comparator));
}

absl::Status SortBatch::Sort(int64_t first_line, int64_t line_count) {
  first_line_ = first_line;
  const int depth = SubtreeDepth(tree_);
  absl::Status status = SortSubtrees(depth, line_count << depth);
  for (int d = depth; d-- > 0 && status.ok();) status = MergeDepth(d, line_count << d);
  return status.ok() ? StoreAll(line_count) : status;
}

void SortBatch::AddArray(const Comparator::Array& array, int64_t line_count) {
  const int64_t element_size = ElementByteSize(array.type);
  Array& added =
      arrays_.emplace_back(Array{array.operand, array.type, array.key, element_size, {}});
  for (ScratchArray<std::byte>& bytes : added.bytes) {
    bytes =
        ScratchArray<std::byte>(e_.device().scratch(), line_count * lines_.length * element_size);
  }
}

// What the comparator reads.
SortBatch::List<MergedArray> SortBatch::ArraysAt(int turn) const {
  List<MergedArray> arrays{ScratchAllocator<MergedArray>(e_.device().scratch())};
  for (const Array& array : arrays_) {
    if (array.operand == kPlaces) continue;
    arrays.push_back({array.bytes[turn].get(), array.element_size});
  }
  return arrays;
}

void SortBatch::Load(int64_t begin, int64_t end) {
  for (Array& array : arrays_) {
    if (array.operand == Comparator::kNoOperand) continue;
    if (array.operand == kPlaces) {
      LoadPlaces(array, begin, end);
      continue;
    }
    ForEachLine(begin, end, [&](int64_t line, int64_t i, int64_t count) {
      LoadElements(array.operand, array.type, line, i, count,
                   array.bytes[0].get() + i * array.element_size);
    });
  }
  if (comparator_.has_keys()) LoadKeys(begin, end);
}

// Elements [begin, begin + count) of the batch, which are of `line`, as `type`.
void SortBatch::LoadElements(size_t operand, ElementType type, int64_t line, int64_t begin,
                             int64_t count, std::byte* to) const {
  constexpr int64_t kChunk = 256;
  alignas(16) std::byte chunk[kChunk * 16];
  const ArrayRef& from = e_.operand(operand);
  const bool is_as_is = from.element_type == type;
  const int64_t size = ElementByteSize(from.element_type);
  const std::byte* next = from.bytes + OffsetOf(line, begin) * size;
  for (int64_t done = 0; done < count;) {
    const int64_t now = is_as_is ? count : std::min(kChunk, count - done);
    reference::DispatchElementSize(size, [&]<typename T>() {
      CopyStrided<T>(next + done * lines_.stride * size, lines_.stride, is_as_is ? to : chunk, 1,
                     now);
    });
    if (!is_as_is) {
      ConvertElements(from.element_type, chunk, type, to + done * ElementByteSize(type), now);
    }
    done += now;
  }
}

void SortBatch::LoadKeys(int64_t begin, int64_t end) {
  ElementKeys keys(comparator_, e_);
  const auto sources = comparator_.key_sources();
  ForEachLine(begin, end, [&](int64_t line, int64_t first, int64_t line_count) {
    for (int64_t i = first; i < first + line_count; i += Comparator::kMaxPairs) {
      const int64_t count = std::min(Comparator::kMaxPairs, first + line_count - i);
      for (size_t k = 0; k < sources.size(); ++k) {
        if (!sources[k].type) continue;
        LoadElements(sources[k].operand, *sources[k].type, line, i, count, keys.elements(k));
      }
      for (Array& array : arrays_) {
        if (array.operand != Comparator::kNoOperand) continue;
        keys.SetKey(array.key, array.bytes[0].get() + i * array.element_size);
      }
      keys.Run(count);
    }
  });
}

void SortBatch::LoadPlaces(Array& array, int64_t begin, int64_t end) {
  auto* places = reinterpret_cast<uint32_t*>(array.bytes[0].get());
  ForEachLine(begin, end, [&](int64_t line, int64_t i, int64_t count) {
    std::iota(places + i, places + i + count, static_cast<uint32_t>(i - line * lines_.length));
  });
}

void SortBatch::Move(int64_t begin, int64_t end, int turn) {
  const std::span<const uint32_t> source(source_.get() + begin, static_cast<size_t>(end - begin));
  for (Array& array : arrays_) {
    reference::DispatchElementSize(array.element_size, [&]<typename T>() {
      Permute<T>(array.bytes[turn].get(), source,
                 array.bytes[1 - turn].get() + begin * int64_t{sizeof(T)});
    });
  }
}

// Some nodes, from the single elements on.
absl::Status SortBatch::SortSubtrees(int depth, int64_t node_count) {
  const int64_t nodes_per_part = ItemsPerPart(e_.device(), node_count, tree_.MaxSize(depth));
  return ForEachPart(e_.device(), CeilDiv(node_count, nodes_per_part), [&](int64_t part) {
    MergeRounds rounds(comparator_, e_);
    int64_t first = part * nodes_per_part;
    int64_t last = std::min(node_count, first + nodes_per_part);
    const int64_t begin = tree_.At(depth, first).begin, end = tree_.At(depth, last - 1).end();
    Load(begin, end);
    first <<= tree_.depth() - depth;
    last <<= tree_.depth() - depth;
    rounds.SortLeaves(tree_, first, last, ArraysAt(0), source_.get());
    Move(begin, end, 0);
    for (int d = tree_.depth(); d-- > depth;) {
      first >>= 1;
      last >>= 1;
      rounds.Merge(tree_, d, first, last, ArraysAt(TurnAt(d + 1)), source_.get());
      Move(begin, end, TurnAt(d + 1));
    }
  });
}

absl::Status SortBatch::MergeDepth(int depth, int64_t node_count) {
  const int64_t nodes_per_part = MergesPerPart(e_.device(), node_count);
  const int turn = TurnAt(depth + 1);
  return ForEachPart(e_.device(), CeilDiv(node_count, nodes_per_part), [&](int64_t part) {
    MergeRounds rounds(comparator_, e_);
    const int64_t first = part * nodes_per_part;
    const int64_t last = std::min(node_count, first + nodes_per_part);
    rounds.Merge(tree_, depth, first, last, ArraysAt(turn), source_.get());
    if (e_.device().is_interrupted()) return;
    Move(tree_.At(depth, first).begin, tree_.At(depth, last - 1).end(), turn);
  });
}

absl::Status SortBatch::StoreAll(int64_t line_count) {
  const int64_t count = line_count * lines_.length;
  const int64_t part_size = ItemsPerPart(e_.device(), count, 1);
  return ForEachPart(e_.device(), CeilDiv(count, part_size), [&](int64_t part) {
    const int64_t begin = part * part_size, end = std::min(count, begin + part_size);
    for (size_t k = 0; k < e_.results().size(); ++k) Store(k, begin, end);
  });
}

void SortBatch::Store(size_t k, int64_t begin, int64_t end) {
  const auto found = std::ranges::find(arrays_, k, &Array::operand);
  const bool is_here = found != arrays_.end() && found->type == e_.operand(k).element_type;
  const std::byte* bytes = (is_here ? *found : arrays_.back()).bytes[TurnAt(0)].get();
  reference::DispatchElementSize(ElementByteSize(e_.operand(k).element_type), [&]<typename T>() {
    T* results = reinterpret_cast<T*>(e_.result(k).bytes);
    const T* operands = reinterpret_cast<const T*>(e_.operand(k).bytes);
    const auto* places = reinterpret_cast<const uint32_t*>(bytes);
    ForEachLine(begin, end, [&](int64_t line, int64_t first, int64_t count) {
      T* to = results + OffsetOf(line, first);
      if (is_here) {
        CopyStrided<T>(bytes + first * int64_t{sizeof(T)}, 1, reinterpret_cast<std::byte*>(to),
                       lines_.stride, count);
        return;
      }
      const T* from = operands + BaseOf(line);
      for (int64_t i = 0; i < count; ++i) {
        to[i * lines_.stride] = from[places[first + i] * lines_.stride];
      }
    });
  });
}

}  // namespace hlo::simd
