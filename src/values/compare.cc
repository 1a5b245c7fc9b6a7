// Distances are exact: the bits of floats become integers in the order of values, whose difference
// has 64 bits. Errors are long double, because differences of doubles may overflow and those of
// integers would be rounded. NaN and infinities match only themselves, whatever the tolerance
// (semantics.md 17), in complex numbers part by part.
#include "values/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "ir/run_time_dims.h"

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

template <typename T>
bool IsFinite(T value) {
  if constexpr (kIsComplex<T>) {
    return IsFinite(value.real()) && IsFinite(value.imag());
  } else if constexpr (kIsFloat<T>) {
    return std::isfinite(ToDouble(value));
  } else {
    return true;
  }
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
  if constexpr (std::is_same_v<T, F8E8M0Fnu>) return static_cast<int64_t>(bits);  // has no sign
  int width = BitWidth(kElementTypeOf<T>);
  uint64_t sign = uint64_t{1} << (width - 1);
  int64_t magnitude = static_cast<int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

template <typename T>
std::optional<uint64_t> UlpDistanceOf(T a, T b) {
  if constexpr (kIsComplex<T>) {
    const std::optional<uint64_t> real = UlpDistanceOf(a.real(), b.real());
    const std::optional<uint64_t> imag = UlpDistanceOf(a.imag(), b.imag());
    if (!real || !imag) return std::nullopt;
    return std::max(*real, *imag);
  } else if constexpr (kIsFloat<T>) {
    if (IsNan(a) != IsNan(b)) return std::nullopt;
    return IsNan(a) ? 0 : Difference(OrderKey(a), OrderKey(b));
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    return a > b ? a - b : b - a;
  } else {
    return Difference(static_cast<int64_t>(a), static_cast<int64_t>(b));
  }
}

// Wide, for differences and norms of the largest doubles.
template <typename T>
long double Magnitude(T value) {
  if constexpr (kIsComplex<T>) {
    return std::abs(std::complex<long double>(value));
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    return static_cast<long double>(value);
  } else if constexpr (kIsFloat<T>) {
    return std::abs(static_cast<long double>(ToDouble(value)));
  } else {
    return std::abs(static_cast<long double>(static_cast<int64_t>(value)));
  }
}

template <typename T>
long double AbsoluteError(T a, T b) {
  if constexpr (kIsComplex<T>) {
    return std::abs(std::complex<long double>(a) - std::complex<long double>(b));
  } else if constexpr (kIsFloat<T>) {
    return std::abs(static_cast<long double>(ToDouble(a)) - static_cast<long double>(ToDouble(b)));
  } else {
    return static_cast<long double>(*UlpDistanceOf(a, b));
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

size_t BucketOf(std::optional<uint64_t> ulp) {
  constexpr uint64_t kLimits[] = {0, 1, 3, 15, 255, 65535};
  if (!ulp) return ArrayComparison::kBucketCount - 1;
  return static_cast<size_t>(std::ranges::lower_bound(kLimits, *ulp) - std::begin(kLimits));
}

// The largest error that `expected` allows.
template <typename T>
long double ErrorBound(T expected, const Tolerance& tolerance) {
  const long double scale = Magnitude(expected);
  if (scale == 0) return tolerance.absolute;  // also when `relative` is infinite
  return tolerance.absolute + tolerance.relative * scale;
}

template <typename T>
bool Matches(T actual, T expected, const Tolerance& tolerance) {
  const std::optional<uint64_t> ulp = UlpDistanceOf(actual, expected);
  if (ulp == uint64_t{0}) return true;
  if (!IsFinite(actual) || !IsFinite(expected)) {
    if constexpr (kIsComplex<T>) {
      return Matches(actual.real(), expected.real(), tolerance) &&
             Matches(actual.imag(), expected.imag(), tolerance);
    }
    return false;  // NaN and infinities match only themselves (semantics.md 17)
  }
  if (*ulp <= tolerance.ulp) return true;
  const long double bound = ErrorBound(expected, tolerance);
  if constexpr (kIsFloat<T> || kIsComplex<T>) {
    return AbsoluteError(actual, expected) <= bound;
  } else {  // no integer is rounded on the way
    return bound >= 0x1p64L || *ulp <= static_cast<uint64_t>(bound);
  }
}

// How far an element is off. NaN against a number is worst.
template <typename T>
std::pair<long double, uint64_t> Badness(T actual, T expected, std::optional<uint64_t> ulp) {
  if (!ulp) return {std::numeric_limits<long double>::infinity(), UINT64_MAX};
  const long double error = AbsoluteError(actual, expected);
  return {std::isnan(error) ? std::numeric_limits<long double>::infinity() : error, *ulp};
}

template <typename T>
void CompareElements(const Literal& actual, const Literal& expected, const Tolerance& tolerance,
                     ArrayComparison& comparison) {
  const T* a = actual.elements<T>().data();
  const T* e = expected.elements<T>().data();
  std::pair<long double, uint64_t> worst;
  for (int64_t i = 0; i < comparison.element_count; ++i) {
    const std::optional<uint64_t> ulp = UlpDistanceOf(a[i], e[i]);
    ++comparison.histogram[BucketOf(ulp)];
    if (Matches(a[i], e[i], tolerance)) continue;
    ++comparison.mismatch_count;
    const auto badness = Badness(a[i], e[i], ulp);
    if (comparison.worst >= 0 && badness <= worst) continue;
    worst = badness;
    comparison.worst = i;
    comparison.worst_error = static_cast<double>(badness.first);
    comparison.worst_ulp = ulp;
  }
  if (comparison.worst < 0) return;
  comparison.worst_actual = ElementText(a[comparison.worst]);
  comparison.worst_expected = ElementText(e[comparison.worst]);
}

std::vector<int64_t> SizesOf(const Literal& literal) {
  std::span<const int64_t> sizes = RunTimeDims(literal);
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
  Tolerance tolerance = ToleranceFor(type, overrides);
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

Tolerance DefaultTolerance(ElementType type) {
  if (IsComplex(type)) return DefaultTolerance(ComponentType(type));
  if (!IsFloat(type)) return {};
  const int bit_width = BitWidth(type);
  if (bit_width <= 8) return {.ulp = 1};
  if (bit_width <= 16) return {.ulp = 2};
  const int mantissa_bits = GetElementTypeInfo(type).format.mantissa_bits;
  return {.ulp = 4, .relative = std::ldexp(64, -mantissa_bits)};
}

Tolerance ToleranceFor(ElementType type, const ToleranceOverrides& overrides) {
  if (type == ElementType::kPred) return {};
  if (!overrides.ulp && !overrides.absolute && !overrides.relative) return DefaultTolerance(type);
  const bool has_ulp = IsFloat(type) || IsComplex(type);
  return {.ulp = has_ulp ? overrides.ulp.value_or(0) : 0,
          .absolute = overrides.absolute.value_or(0),
          .relative = overrides.relative.value_or(0)};
}

std::optional<uint64_t> UlpDistance(ElementType type, const std::byte* a, const std::byte* b) {
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
    if (comparison.worst_ulp) {
      text += fmt::format(" ({} ulp, error {:.3g})", *comparison.worst_ulp, comparison.worst_error);
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
