// Arithmetic on sizes that come from input: every product and sum is checked, so that a shape
// such as f32[9999999999,9999999999] is an error and never a small allocation.
#ifndef HLOKIT_SUPPORT_CHECKED_MATH_H_
#define HLOKIT_SUPPORT_CHECKED_MATH_H_

#include <cstdint>
#include <optional>
#include <span>

namespace hlo {

// a * b, or nothing when it leaves the range of int64.
inline std::optional<int64_t> CheckedMul(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

// a + b, or nothing when it leaves the range of int64.
inline std::optional<int64_t> CheckedAdd(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

// a - b, or nothing when it leaves the range of int64.
inline std::optional<int64_t> CheckedSub(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_sub_overflow(a, b, &result)) return std::nullopt;
  return result;
}

// The product of `factors` (1 when empty). A zero factor makes the product 0 even where the
// others alone would overflow.
inline std::optional<int64_t> CheckedProduct(std::span<const int64_t> factors) {
  for (int64_t factor : factors) {
    if (factor == 0) return 0;
  }
  int64_t product = 1;
  for (int64_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product)) return std::nullopt;
  }
  return product;
}

// ceil(a / b) for a >= 0, b > 0.
constexpr int64_t CeilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }
// The next multiple of `multiple` from `value` on.
constexpr int64_t RoundUp(int64_t value, int64_t multiple) {
  return CeilDiv(value, multiple) * multiple;
}

}  // namespace hlo

#endif  // HLOKIT_SUPPORT_CHECKED_MATH_H_
