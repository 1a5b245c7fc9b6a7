// Comparison of results with expected values.
#ifndef HLOKIT_VALUES_COMPARE_H_
#define HLOKIT_VALUES_COMPARE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/literal.h"

namespace hlo {

// A float matches when it is within `ulp` representable values, or |a - e| <= absolute + relative *
// |e|, which for complex numbers are norms. NaN matches NaN, infinities only themselves, zeros each
// other (semantics.md 17). Integers have no ulp: their difference is taken exactly.
struct Tolerance {
  uint64_t ulp = 0;
  double absolute = 0;
  double relative = 0;
};

// What the command line says. As soon as it says something, what it does not say is 0.
struct ToleranceOverrides {
  std::optional<uint64_t> ulp = std::nullopt;
  std::optional<double> absolute = std::nullopt;
  std::optional<double> relative = std::nullopt;
};

// For results of whole programs (semantics.md 17 gives bounds for single instructions): integers
// and pred exact, floats of up to 8 bits 1 ulp, of 16 bits 2 ulp, others 4 ulp or a relative error
// of 64 times 2^-(mantissa bits); complex numbers as their parts. No absolute error: nobody knows
// the size of the numbers that cancelled.
Tolerance DefaultTolerance(ElementType type);

// The tolerance in effect. pred is always exact.
Tolerance ToleranceFor(ElementType type, const ToleranceOverrides& overrides);

// Units in the last place between two elements: the number of representable values from one to
// the other, zeros identified; the difference of integers. For complex types that of the part that
// differs more. Nothing when exactly one is NaN.
std::optional<uint64_t> UlpDistance(ElementType type, const std::byte* a, const std::byte* b);

// One array against its expectation.
struct ArrayComparison {
  static constexpr size_t kBucketCount = 8;

  std::string name;     // "result", "result{0,1}"
  std::string problem;  // shapes that differ; then nothing else is filled in
  int64_t element_count = 0;
  int64_t mismatch_count = 0;
  int64_t worst = -1;      // linear index of the mismatch with the largest error
  double worst_error = 0;  // absolute
  std::optional<uint64_t> worst_ulp;
  std::string worst_actual;
  std::string worst_expected;
  std::vector<int64_t> worst_index;
  // Elements by ULP distance: 0, 1, 2-3, 4-15, 16-255, 256-65535, more, NaN on one side.
  std::array<int64_t, kBucketCount> histogram = {};

  bool matches() const { return problem.empty() && mismatch_count == 0; }
};

// Compares leaf by leaf; tuples must have the same structure.
std::vector<ArrayComparison> CompareLiterals(const Literal& actual, const Literal& expected,
                                             const ToleranceOverrides& overrides = {});

// The comparison in words, several lines.
std::string ComparisonText(const ArrayComparison& comparison);

}  // namespace hlo

#endif  // HLOKIT_VALUES_COMPARE_H_
