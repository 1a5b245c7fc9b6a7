// Closed intervals of integers. The extreme int64 values stand for minus and plus infinity; sums
// and products saturate there (indexing.md 1.3).
#ifndef HLOKIT_INDEXING_INTERVAL_H_
#define HLOKIT_INDEXING_INTERVAL_H_

#include <cstdint>
#include <optional>

namespace hlo::indexing {

struct Interval {
  static constexpr int64_t kMin = INT64_MIN;
  static constexpr int64_t kMax = INT64_MAX;

  int64_t lower = 0;
  int64_t upper = -1;

  static constexpr Interval Point(int64_t value) { return {value, value}; }
  // The indices of a dimension of `size` elements.
  static constexpr Interval OfSize(int64_t size) { return {0, size - 1}; }
  static constexpr Interval All() { return {kMin, kMax}; }

  bool IsFeasible() const { return lower <= upper; }
  bool IsPoint() const { return lower == upper; }
  bool Contains(int64_t value) const { return lower <= value && value <= upper; }
  bool Contains(const Interval& other) const { return Intersect(other) == other; }
  // The number of members; nothing when that is no int64.
  std::optional<int64_t> TripCount() const;

  // An empty intersection is [lower, lower - 1].
  Interval Intersect(const Interval& other) const;
  Interval Union(const Interval& other) const;

  bool operator==(const Interval&) const = default;
};

Interval operator+(const Interval& a, const Interval& b);
Interval operator-(const Interval& a);
Interval operator-(const Interval& a, const Interval& b);
Interval operator*(const Interval& a, const Interval& b);
Interval Min(const Interval& a, const Interval& b);
Interval Max(const Interval& a, const Interval& b);
// c != 0. Infinite ends stay infinite.
Interval FloorDiv(const Interval& a, int64_t c);
// `tight`: a block that does not wrap keeps its ends, wherever it lies; otherwise only one that
// lies in [0, |c| - 1] does, as XLA has it.
Interval Mod(const Interval& a, int64_t c, bool tight = false);

// Three-valued: nothing when it depends on the members, or an interval is empty.
std::optional<bool> Less(const Interval& a, const Interval& b);
std::optional<bool> Greater(const Interval& a, const Interval& b);
std::optional<bool> LessEqual(const Interval& a, const Interval& b);
std::optional<bool> GreaterEqual(const Interval& a, const Interval& b);
std::optional<bool> Equal(const Interval& a, const Interval& b);

// floor(a / b) and a - |b| * floor(a / |b|), for b != 0; nothing when the quotient overflows.
std::optional<int64_t> FloorDiv(int64_t a, int64_t b);
int64_t FloorMod(int64_t a, int64_t b);

}  // namespace hlo::indexing

#endif  // HLOKIT_INDEXING_INTERVAL_H_
