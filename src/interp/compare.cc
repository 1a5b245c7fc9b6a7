#include "interp/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace hlo {
namespace {

template <typename T>
constexpr bool kIsComplex = (kTypeClassOf<T> & kComplex) != 0;
template <typename T>
constexpr bool kIsFloat = (kTypeClassOf<T> & kFloat) != 0;

template <typename T>
double ToDouble(T value) {
  if constexpr (std::is_same_v<T, double>) {
    return value;
  } else if constexpr (kIsFloat<T>) {
    return static_cast<double>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    return static_cast<double>(value);
  } else {
    return static_cast<double>(static_cast<int64_t>(value));
  }
}

template <typename T>
bool IsNan(T value) {
  if constexpr (kIsFloat<T>) return std::isnan(ToDouble(value));
  return false;
}

uint64_t Difference(int64_t a, int64_t b) {
  return a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b)
               : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
}

// Floats in the order of their values: the sign bit turns the magnitude around, both zeros are 0.
template <typename T>
int64_t OrderKey(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  int width = BitWidth(kElementTypeOf<T>);
  uint64_t sign = uint64_t{1} << (width - 1);
  int64_t magnitude = static_cast<int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

template <typename T>
uint64_t UlpDistanceOf(T a, T b) {
  if constexpr (kIsComplex<T>) {
    return std::max(UlpDistanceOf(a.real(), b.real()), UlpDistanceOf(a.imag(), b.imag()));
  } else if constexpr (std::is_same_v<T, F8E8M0Fnu>) {  // has no sign
    uint8_t x, y;
    std::memcpy(&x, &a, 1);
    std::memcpy(&y, &b, 1);
    return IsNan(a) && IsNan(b) ? 0 : Difference(x, y);
  } else if constexpr (kIsFloat<T>) {
    if (IsNan(a) || IsNan(b)) return IsNan(a) && IsNan(b) ? 0 : UINT64_MAX;
    return Difference(OrderKey(a), OrderKey(b));
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    return a > b ? a - b : b - a;
  } else {
    return Difference(static_cast<int64_t>(a), static_cast<int64_t>(b));
  }
}

template <typename T>
double AbsoluteError(T a, T b) {
  if constexpr (kIsComplex<T>) {
    return std::abs(std::complex<double>(a) - std::complex<double>(b));
  } else {
    return std::abs(ToDouble(a) - ToDouble(b));
  }
}

template <typename T>
double Magnitude(T value) {
  if constexpr (kIsComplex<T>) {
    return std::abs(std::complex<double>(value));
  } else {
    return std::abs(ToDouble(value));
  }
}

template <typename T>
std::string ElementText(T value) {
  if constexpr (kIsComplex<T>) {
    return fmt::format("({}, {})", value.real(), value.imag());
  } else if constexpr (kIsFloat<T> && sizeof(T) < 8) {
    return fmt::format("{}", static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, double> ||
                       std::is_same_v<T, uint64_t>) {
    return fmt::format("{}", value);
  } else {
    return fmt::format("{}", static_cast<int64_t>(value));
  }
}

size_t BucketOf(uint64_t ulp) {
  constexpr uint64_t kLimits[] = {0, 1, 3, 15, 255, 65535, UINT64_MAX - 1};
  return static_cast<size_t>(std::ranges::lower_bound(kLimits, ulp) - std::begin(kLimits));
}

template <typename T>
bool Matches(T actual, T expected, uint64_t ulp, const Tolerance& tolerance) {
  if (ulp <= tolerance.ulp) return true;
  double error = AbsoluteError(actual, expected);
  double scale = Magnitude(expected);
  // Infinite errors and expectations match nothing but themselves, which is distance 0.
  return std::isfinite(scale) && error <= tolerance.absolute + tolerance.relative * scale;
}

template <typename T>
void CompareElements(const Literal& actual, const Literal& expected, const Tolerance& tolerance,
                     ArrayComparison& comparison) {
  const T* a = actual.elements<T>().data();
  const T* e = expected.elements<T>().data();
  double worst_rank = -1;
  for (int64_t i = 0; i < comparison.element_count; ++i) {
    uint64_t ulp = UlpDistanceOf(a[i], e[i]);
    ++comparison.histogram[BucketOf(ulp)];
    if (ulp == 0) continue;
    bool matches = Matches(a[i], e[i], ulp, tolerance);
    comparison.mismatch_count += !matches;
    // Mismatches before matches, NaN against a number first, then by absolute error.
    double error = AbsoluteError(a[i], e[i]);
    double rank = std::isnan(error) ? INFINITY : error;
    if (matches) rank = std::min(rank, 0.0);
    if (comparison.worst >= 0 && rank <= worst_rank) continue;
    worst_rank = rank;
    comparison.worst = i;
    comparison.worst_error = error;
    comparison.worst_ulp = ulp;
  }
  if (comparison.worst < 0) return;
  comparison.worst_actual = ElementText(a[comparison.worst]);
  comparison.worst_expected = ElementText(e[comparison.worst]);
}

std::vector<int64_t> SizesOf(const Literal& literal) {
  std::span<const int64_t> sizes =
      literal.dynamic_sizes().empty() ? literal.shape().dims() : literal.dynamic_sizes();
  return {sizes.begin(), sizes.end()};
}

ArrayComparison CompareArrays(std::string name, const Literal& actual, const Literal& expected,
                              const ToleranceOverrides& overrides) {
  ArrayComparison comparison;
  comparison.name = std::move(name);
  std::vector<int64_t> dims = SizesOf(actual);
  ElementType type = actual.shape().element_type();
  if (type != expected.shape().element_type() || dims != SizesOf(expected)) {
    comparison.problem = fmt::format("the result is `{}`, expected is `{}`",
                                     ShapeText(actual.shape()), ShapeText(expected.shape()));
    return comparison;
  }
  comparison.element_count = 1;
  for (int64_t dim : dims) comparison.element_count *= dim;
  Tolerance tolerance = DefaultTolerance(type, overrides);
  DispatchElementType<kAnyArray>(
      type, [&]<typename T>() { CompareElements<T>(actual, expected, tolerance, comparison); });
  if (comparison.worst < 0) return comparison;
  comparison.worst_index.resize(dims.size());
  int64_t rest = comparison.worst;
  for (size_t d = dims.size(); d-- > 0;) {
    comparison.worst_index[d] = rest % dims[d];
    rest /= dims[d];
  }
  return comparison;
}

void Compare(const std::string& name, const Literal& actual, const Literal& expected,
             const ToleranceOverrides& overrides, std::vector<ArrayComparison>& comparisons) {
  const Shape& shape = actual.shape();
  if (!shape.IsTuple() && !expected.shape().IsTuple()) {
    if (shape.IsArray() || expected.shape().IsArray()) {
      comparisons.push_back(CompareArrays(name, actual, expected, overrides));
    }
    return;
  }
  if (shape.IsTuple() != expected.shape().IsTuple() ||
      shape.element_count() != expected.shape().element_count()) {
    ArrayComparison comparison;
    comparison.name = name;
    comparison.problem = fmt::format("the result is `{}`, expected is `{}`", ShapeText(shape),
                                     ShapeText(expected.shape()));
    comparisons.push_back(std::move(comparison));
    return;
  }
  for (size_t i = 0; i < actual.tuple_elements().size(); ++i) {
    Compare(fmt::format("{}{{{}}}", name, i), actual.tuple_elements()[i],
            expected.tuple_elements()[i], overrides, comparisons);
  }
}

}  // namespace

Tolerance DefaultTolerance(ElementType type, const ToleranceOverrides& overrides) {
  Tolerance tolerance;
  if (IsFloat(type) || IsComplex(type)) {
    int mantissa_bits = GetElementTypeInfo(type).format.mantissa_bits;
    double epsilon = std::ldexp(1.0, -mantissa_bits);
    tolerance = {.ulp = 4, .absolute = 16 * epsilon, .relative = 64 * epsilon};
    if (mantissa_bits <= 10) tolerance = {.ulp = 2, .absolute = epsilon, .relative = 2 * epsilon};
  }
  tolerance.ulp = overrides.ulp.value_or(tolerance.ulp);
  tolerance.absolute = overrides.absolute.value_or(tolerance.absolute);
  tolerance.relative = overrides.relative.value_or(tolerance.relative);
  return tolerance;
}

uint64_t UlpDistance(ElementType type, const std::byte* a, const std::byte* b) {
  return DispatchElementType<kAnyArray>(type, [&]<typename T>() {
    T x, y;
    std::memcpy(&x, a, sizeof(T));
    std::memcpy(&y, b, sizeof(T));
    return UlpDistanceOf(x, y);
  });
}

std::vector<ArrayComparison> CompareLiterals(const Literal& actual, const Literal& expected,
                                             const ToleranceOverrides& overrides) {
  std::vector<ArrayComparison> comparisons;
  Compare("result", actual, expected, overrides, comparisons);
  return comparisons;
}

std::string ComparisonText(const ArrayComparison& comparison) {
  if (!comparison.problem.empty()) {
    return fmt::format("{}: {}\n", comparison.name, comparison.problem);
  }
  std::string text = fmt::format("{}: {} of {} elements differ\n", comparison.name,
                                 comparison.mismatch_count, comparison.element_count);
  if (comparison.worst >= 0) {
    text += fmt::format("  worst at [{}]: {}, expected {}", fmt::join(comparison.worst_index, ","),
                        comparison.worst_actual, comparison.worst_expected);
    if (comparison.worst_ulp != UINT64_MAX) {
      text += fmt::format(" ({} ulp, error {:.3g})", comparison.worst_ulp, comparison.worst_error);
    }
    text += '\n';
  }
  constexpr std::string_view kBuckets[] = {"0",      "1",         "2-3",     "4-15",
                                           "16-255", "256-65535", ">=65536", "nan"};
  text += "  ulp";
  for (size_t i = 0; i < comparison.histogram.size(); ++i) {
    if (comparison.histogram[i] == 0) continue;
    text += fmt::format("  {}: {}", kBuckets[i], comparison.histogram[i]);
  }
  text += '\n';
  return text;
}

}  // namespace hlo
