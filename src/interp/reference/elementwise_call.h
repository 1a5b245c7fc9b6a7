// Elementwise kernels on vectors in one line: for tests.
#ifndef HLOKIT_INTERP_REFERENCE_ELEMENTWISE_CALL_H_
#define HLOKIT_INTERP_REFERENCE_ELEMENTWISE_CALL_H_

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "interp/reference/kernel_call.h"

namespace hlo::reference {

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kInf = std::numeric_limits<float>::infinity();

template <typename T, typename Result = T>
std::vector<Result> Unary(Opcode opcode, std::vector<T> x) {
  const int64_t count = static_cast<int64_t>(x.size());
  KernelCall call(opcode, ArrayShape(kElementTypeOf<Result>, {count}));
  return ToVector<Result>(*call.Operand(MakeVector(x)).Run());
}

template <typename T, typename Result = T>
std::vector<Result> Binary(Opcode opcode, std::vector<T> a, std::vector<T> b) {
  const int64_t count = static_cast<int64_t>(a.size());
  KernelCall call(opcode, ArrayShape(kElementTypeOf<Result>, {count}));
  return ToVector<Result>(*call.Operand(MakeVector(a)).Operand(MakeVector(b)).Run());
}

// Equal bits, or both NaN.
template <typename T>
void ExpectSame(const std::vector<T>& found, const std::vector<T>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(found[i]) && std::isnan(expected[i])) continue;
    EXPECT_EQ(found[i], expected[i]) << i;
    EXPECT_EQ(std::signbit(found[i]), std::signbit(expected[i])) << i;
  }
}

// The float types whose codes can all be tried.
inline std::vector<ElementType> FloatsOfAByte() {
  std::vector<ElementType> types;
#define HLO_FLOAT_TYPE(Name, text, CppType, bit_width, ...) \
  if (bit_width <= 8) types.push_back(ElementType::k##Name);
#include "ir/element_types.def"
  return types;
}

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_ELEMENTWISE_CALL_H_
