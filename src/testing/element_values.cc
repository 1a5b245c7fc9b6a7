// All conversions go through the interpreter's, which has its own tests for every pair of types.
#include "testing/element_values.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ir/element_conversion.h"

namespace hlo::testing {
namespace {

// Half the distance of neighbouring numbers, some for the computation, and the smallest number.
double Tolerance(ElementType type, double magnitude) {
  if (!IsFloat(type) && !IsComplex(type)) return 0;
  const FloatFormat& format = GetElementTypeInfo(type).format;
  return std::ldexp(magnitude, 2 - format.mantissa_bits) +
         std::ldexp(1.0, 1 - format.bias - format.mantissa_bits);
}

}  // namespace

std::vector<ElementType> ArrayTypes() {
  return {
#define HLO_ARRAY_TYPE(Name, ...) ElementType::k##Name,
#define HLO_NON_ARRAY_TYPE(...)
#include "ir/element_types.def"
  };
}

Literal MakeLiteral(ElementType type, const std::vector<Complex>& values) {
  const int64_t dims[] = {static_cast<int64_t>(values.size())};
  Literal literal = *Literal::Zeros(Shape::ArrayWithDefaultLayout(type, dims));
  ConvertElements(ElementType::kC128, reinterpret_cast<const std::byte*>(values.data()), type,
                  literal.bytes(), dims[0]);
  return literal;
}

std::vector<Complex> Values(const Literal& literal) {
  int64_t count = literal.element_count();
  if (!literal.dynamic_sizes().empty()) {
    count = 1;
    for (int64_t size : literal.dynamic_sizes()) count *= size;
  }
  std::vector<Complex> values(static_cast<size_t>(count));
  ConvertElements(literal.shape().element_type(), literal.bytes(), ElementType::kC128,
                  reinterpret_cast<std::byte*>(values.data()), count);
  return values;
}

Complex InType(ElementType type, Complex exact) {
  if (type == ElementType::kPred) return exact != Complex(0) ? 1 : 0;
  if (!IsInteger(type)) return exact;
  const double modulus = std::ldexp(1.0, BitWidth(type));
  const double wrapped = exact.real() - std::floor(exact.real() / modulus) * modulus;
  return IsSigned(type) && wrapped >= modulus / 2 ? wrapped - modulus : wrapped;
}

void ExpectNear(ElementType type, Complex found, Complex expected, const std::string& what,
                double least_magnitude) {
  // A real function that leaves the real line, a pole, or a number that e8m0 does not have.
  const bool is_complex_value = !IsComplex(type) && std::abs(expected.imag()) > 1e-12;
  const bool has_no_code = type == ElementType::kF8E8M0Fnu && expected.real() <= 0;
  if (is_complex_value || has_no_code || !std::isfinite(std::abs(expected))) {
    const FloatKind kind = GetElementTypeInfo(type).format.kind;
    EXPECT_TRUE(!std::isfinite(found.real()) || kind == FloatKind::kFinite) << what;
    return;
  }
  EXPECT_LE(std::abs(found - expected),
            Tolerance(type, std::max(least_magnitude, std::abs(expected))))
      << what << ": " << found << " instead of " << expected;
}

}  // namespace hlo::testing
