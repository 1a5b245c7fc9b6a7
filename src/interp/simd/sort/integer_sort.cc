// Highway sorts integers on one thread. Many are put into a few ranges of values first, which are
// sorted on all threads. A sample says which ranges hold about as many each; where it is wrong that
// costs time alone, since the order of integers does not depend on how it is found.
#include "interp/simd/sort/integer_sort.h"

#include <algorithm>
#include <array>

#include "interp/kernel/scratch_pool.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/sort/byte_sort.h"
#include "interp/simd/sort/integer_partition.h"
#include "interp/simd/sort/register_sort.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr size_t kFew = 32;            // that are sorted without vectors
constexpr size_t kManyForBytes = 256;  // fewer are sorted by Highway's networks of vectors

constexpr int64_t kFewRanges = 8;
constexpr int64_t kMaxRangeSize = int64_t{1} << 23;  // integers: a run may be asked to stop
constexpr int64_t kPartSize = int64_t{1} << 16;      // integers that are worth a part of their own
constexpr int64_t kMaxParts = 256;
constexpr int64_t kSampleRuns = 64, kRunLength = 64;

template <typename Integer>
const IntegerPartition<Integer>& PartitionOf() {
  if constexpr (sizeof(Integer) == 2) return GetIntegerPartitions().of_16_bits;
  if constexpr (sizeof(Integer) == 4) return GetIntegerPartitions().of_32_bits;
  if constexpr (sizeof(Integer) == 8) return GetIntegerPartitions().of_64_bits;
}

int64_t PartSize(int64_t count) { return std::max(kPartSize, CeilDiv(count, kMaxParts)); }

// Each range costs time for every integer. Two of a few threads let these end together.
int64_t RangeCount(int64_t count, int64_t thread_count) {
  const int64_t wanted = std::max(std::min(2 * thread_count, kFewRanges), thread_count);
  return std::min(std::max(wanted, count / kMaxRangeSize), static_cast<int64_t>(kMaxRanges));
}

// Ranges of integers, and which integers of each part are in them.
template <typename Integer>
class Ranges {
 public:
  Ranges(const ManyIntegers<Integer>& many, int64_t count, int64_t thread_count)
      : many_(many), count_(count), part_size_(PartSize(count)) {
    std::array<Integer, kSampleRuns * kRunLength> sample;
    for (int64_t run = 0; run < kSampleRuns; ++run) {
      const int64_t begin = (count - kRunLength) / (kSampleRuns - 1) * run;
      many.fill(begin,
                std::span(sample).subspan(static_cast<size_t>(run * kRunLength), kRunLength));
    }
    IntegerSorter().Sort<Integer>(sample);
    const auto range_count = static_cast<size_t>(RangeCount(count, thread_count));
    for (size_t k = 1; k < range_count; ++k) {
      const Integer start = sample[k * sample.size() / range_count];
      starts_[start_count_++] = static_cast<Integer>(start >> many.tie_bits << many.tie_bits);
    }
  }

  int64_t range_count() const { return static_cast<int64_t>(start_count_) + 1; }
  int64_t part_count() const { return CeilDiv(count_, part_size_); }

  PerRange Count(int64_t part) const {
    PerRange counts = {};
    ForEachChunk(part, [&](std::span<const Integer> integers) {
      PartitionOf<Integer>().count(integers, starts(), counts);
    });
    return counts;
  }
  // To `places` of `to`.
  void Move(int64_t part, PerRange places, Integer* to) const {
    ForEachChunk(part, [&](std::span<const Integer> integers) {
      PartitionOf<Integer>().move(integers, starts(), places, to);
    });
  }

 private:
  std::span<const Integer> starts() const { return {starts_.data(), start_count_}; }

  template <typename Visit>
  void ForEachChunk(int64_t part, Visit&& visit) const {
    alignas(64) std::array<Integer, kPartitionSize> chunk;
    const int64_t end = std::min(count_, (part + 1) * part_size_);
    for (int64_t begin = part * part_size_; begin < end; begin += kPartitionSize) {
      const std::span<Integer> integers(chunk.data(),
                                        static_cast<size_t>(std::min(kPartitionSize, end - begin)));
      many_.fill(begin, integers);
      visit(integers);
    }
  }

  const ManyIntegers<Integer>& many_;
  const int64_t count_, part_size_;
  std::array<Integer, kMaxRanges - 1> starts_ = {};
  size_t start_count_ = 0;
};

// Counts of each part become the places where its integers go. Returns where ranges end.
PerRange PlacesOf(std::span<PerRange> parts) {
  PerRange ends;
  int64_t place = 0;
  for (size_t k = 0; k < ends.size(); ++k) {
    for (PerRange& part : parts) {
      const int64_t count = part[k];
      part[k] = place;
      place += count;
    }
    ends[k] = place;
  }
  return ends;
}

}  // namespace

int64_t ManyIntegersScratch(int64_t count) {
  return count < kManyIntegers ? 0 : CeilDiv(count, PartSize(count)) * int64_t{sizeof(PerRange)};
}

template <typename Integer>
void IntegerSorter::Sort(std::span<Integer> integers) const {
  if (integers.size() <= kFew) {
    std::ranges::sort(integers);
    return;
  }
  if constexpr (sizeof(Integer) == sizeof(uint16_t)) {
    if (integers.size() >= kManyForBytes && IsByteSortFaster()) return SortByBytes(integers);
  }
  if constexpr (sizeof(Integer) == sizeof(uint32_t)) {
    const RegisterSort sort = GetRegisterSort();
    if (sort != nullptr) return sort(integers.data(), integers.size());
  }
  sorter_(integers.data(), integers.size(), hwy::SortAscending());
}

template <typename Integer>
absl::Status ManyIntegers<Integer>::Sort(const DeviceContext& device,
                                         std::span<Integer> integers) const {
  const Ranges<Integer> ranges(*this, static_cast<int64_t>(integers.size()), ThreadCount(device));
  const ScratchArray<PerRange> parts(device.scratch(), ranges.part_count());
  absl::Status status = ForEachPart(device, ranges.part_count(),
                                    [&](int64_t part) { parts[part] = ranges.Count(part); });
  if (!status.ok() || (is_useless != nullptr && *is_useless)) return status;
  const PerRange ends = PlacesOf({parts.get(), static_cast<size_t>(ranges.part_count())});
  status = ForEachPart(device, ranges.part_count(),
                       [&](int64_t part) { ranges.Move(part, parts[part], integers.data()); });
  if (!status.ok()) return status;
  return ForEachPart(device, ranges.range_count(), [&](int64_t range) {
    const auto number = static_cast<size_t>(range);
    const int64_t begin = range == 0 ? 0 : ends[number - 1];
    const std::span<Integer> in_range =
        integers.subspan(static_cast<size_t>(begin), static_cast<size_t>(ends[number] - begin));
    if (in_range.empty()) return;
    IntegerSorter().Sort(in_range);
    finish(begin, in_range);
  });
}

template void IntegerSorter::Sort(std::span<uint16_t>) const;
template void IntegerSorter::Sort(std::span<uint32_t>) const;
template void IntegerSorter::Sort(std::span<uint64_t>) const;
template struct ManyIntegers<uint16_t>;
template struct ManyIntegers<uint32_t>;
template struct ManyIntegers<uint64_t>;

}  // namespace hlo::simd
