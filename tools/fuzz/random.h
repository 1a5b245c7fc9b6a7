// Chance for fuzz targets.
#ifndef HLOKIT_TOOLS_FUZZ_RANDOM_H_
#define HLOKIT_TOOLS_FUZZ_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace hlo::fuzz {

// splitmix64: good enough, and made from a seed in no time.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // Uniform in [0, count); 0 for an empty range.
  size_t Below(size_t count) { return count == 0 ? 0 : static_cast<size_t>(Next() % count); }
  bool OneIn(size_t count) { return Below(count) == 0; }
  template <typename Range>
  const auto& Pick(const Range& range) {
    return range[Below(std::size(range))];
  }

 private:
  uint64_t state_;
};

}  // namespace hlo::fuzz

#endif  // HLOKIT_TOOLS_FUZZ_RANDOM_H_
