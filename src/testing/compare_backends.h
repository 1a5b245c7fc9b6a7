// One program on both backends, and how far their results may be apart.
#ifndef HLOKIT_TESTING_COMPARE_BACKENDS_H_
#define HLOKIT_TESTING_COMPARE_BACKENDS_H_

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "interp/simd/tolerance.h"
#include "ir/literal.h"
#include "ir/module.h"
#include "testing/run_module.h"
#include "values/compare.h"

namespace hlo::testing {

struct BackendRun {
  absl::Status status;
  std::optional<Literal> result;
};

// What a program is, and what comes out of it on one thread.
struct Comparison {
  std::optional<Module> module;
  std::vector<Literal> arguments;
  BackendRun reference, simd;
};

struct CompareOptions {
  int64_t max_work = int64_t{1} << 30;  // of one run: seconds
  LibraryUse library_use = LibraryUse::kWhereFaster;
  bool freezes_arguments = false;  // PlanOptions
  void (*change)(std::vector<Literal>& arguments) = nullptr;
};

// Nothing for what cannot run at all, or takes more than `max_work`. Fails where the backends do
// not agree whether it runs, or where simd's result depends on the number of threads.
std::optional<Comparison> Compare(const std::string& name, const std::string& text,
                                  const CompareOptions& options = {});

// The arrays in a value, tuples opened.
std::vector<const Literal*> Arrays(const Literal& literal);
// Element `i` in bits, and as a number: the magnitude of a complex one.
const std::byte* ElementAt(const Literal& array, int64_t i);
double ValueAt(const Literal& array, int64_t i);
// How far elements `i` of two arrays of a type are apart.
double DistanceAt(const Literal& a, const Literal& b, int64_t i);
bool AreSameBits(const Literal& a, const Literal& b);
// Whether elements `i` of two arrays of a float or complex type are the same bits, or NaN both.
bool AreSameAt(const Literal& a, const Literal& b, int64_t i);
// The row of an instruction of `module`, that of its type if there is one; null when none has one.
const simd::OpcodeTolerance* RowFor(const Module& module);
// What numbers near 1 are rounded to while a sum of this type is made.
double UnitOf(ElementType type);

// Element by element: within `ulp`, or within `bound(array, i)`; where both are 0 bit for bit, but
// for the sign and payload of NaN.
template <typename Bound>
void ExpectNear(const Literal& actual, const Literal& expected, uint64_t ulp, Bound&& bound);
// Bit for bit, but for the sign and payload of NaN.
void ExpectEqual(const Comparison& c);
// The bound of sums: what the same instruction makes of the magnitudes of its operands.
void ExpectProductNear(const Comparison& c, const std::string& text, int64_t term_count);
// Programs whose root is a dot, or a convolution.
void ExpectSameDot(const std::string& text, const CompareOptions& options = {});
void ExpectSameConvolution(const std::string& text, const CompareOptions& options = {});

// How many seeds a test takes that wants `count`: HLOKIT_SEED_FACTOR times as many, for a longer
// look than every change gets.
uint32_t SeedCount(uint32_t count);
// Programs of as many seeds, bit for bit, but for the sign and payload of NaN. Some of them cannot
// run at all.
void ExpectSame(std::string (*make)(uint32_t seed), uint32_t count);

// --- Implementation

template <typename Bound>
void ExpectNear(const Literal& actual, const Literal& expected, uint64_t ulp, Bound&& bound) {
  const auto found = Arrays(actual), wanted = Arrays(expected);
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t a = 0; a < found.size(); ++a) {
    const ElementType type = wanted[a]->shape().element_type();
    ASSERT_EQ(ShapeText(found[a]->shape()), ShapeText(wanted[a]->shape()));
    const bool is_exact = !IsFloat(type) && !IsComplex(type);
    for (int64_t i = 0; i < wanted[a]->element_count(); ++i) {
      const size_t size = static_cast<size_t>(ElementByteSize(type));
      if (std::memcmp(ElementAt(*found[a], i), ElementAt(*wanted[a], i), size) == 0) continue;
      ASSERT_FALSE(is_exact) << "array " << a << " element " << i;
      const std::optional<uint64_t> distance =
          UlpDistance(type, ElementAt(*found[a], i), ElementAt(*wanted[a], i));
      const double apart = DistanceAt(*found[a], *wanted[a], i);
      const double allowed = bound(*wanted[a], i);
      const bool is_near = distance && (*distance <= ulp || apart <= allowed);
      ASSERT_TRUE(ulp > 0 || allowed > 0 ? is_near : AreSameAt(*found[a], *wanted[a], i))
          << "array " << a << " element " << i << ": " << ValueAt(*found[a], i) << ", expected "
          << ValueAt(*wanted[a], i) << ", " << apart << " apart";
    }
  }
}

}  // namespace hlo::testing

#endif  // HLOKIT_TESTING_COMPARE_BACKENDS_H_
