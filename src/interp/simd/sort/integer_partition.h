// The innermost step of sorting many integers: which of a few ranges each is in.
#ifndef HLOKIT_INTERP_SIMD_SORT_INTEGER_PARTITION_H_
#define HLOKIT_INTERP_SIMD_SORT_INTEGER_PARTITION_H_

#include <array>
#include <cstdint>
#include <span>

namespace hlo::simd {

// Integers at a time, and ranges, at most: so many fit the first-level cache.
inline constexpr int64_t kPartitionSize = 512;
inline constexpr size_t kMaxRanges = 16;
using PerRange = std::array<int64_t, kMaxRanges>;

// Range k + 1 begins at the k-th of ascending `starts`.
template <typename Integer>
struct IntegerPartition {
  // Adds to counts[k] the number of integers in range k.
  void (*count)(std::span<const Integer> integers, std::span<const Integer> starts,
                PerRange& counts);
  // Writes them, in order, to `to` from places[k] on, which becomes the place behind the last.
  void (*move)(std::span<const Integer> integers, std::span<const Integer> starts, PerRange& places,
               Integer* to);
};

struct IntegerPartitions {
  IntegerPartition<uint16_t> of_16_bits;
  IntegerPartition<uint32_t> of_32_bits;
  IntegerPartition<uint64_t> of_64_bits;
};

const IntegerPartitions& GetIntegerPartitions();

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_SORT_INTEGER_PARTITION_H_
