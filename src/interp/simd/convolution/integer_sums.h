// The types that convolutions sum in: those of dots, but for integers below 32 bits, whose sums are
// exact before they are cut to the range of the type (semantics.md 10.4), and pred, which counts
// its true products and must not come round to 0.
#ifndef HLOKIT_INTERP_SIMD_CONVOLUTION_INTEGER_SUMS_H_
#define HLOKIT_INTERP_SIMD_CONVOLUTION_INTEGER_SUMS_H_

#include "interp/simd/product/carrier_array.h"
#include "ir/op_view.h"

namespace hlo::simd {

// Whether sums of `type` are cut to its range.
inline bool Saturates(ElementType type) { return IsInteger(type) && BitWidth(type) < 32; }

// Whether the sums of a convolution to integers below 32 bits, or pred, fit 32 bits.
bool SumsFitWords(const OpView& op);

// Calls function.operator()<T>() with what the sums of a convolution of real numbers are taken in.
template <typename Function>
auto DispatchSums(const OpView& op, Function&& function) {
  const ElementType type = op.written_shape()->element_type();
  const bool is_exact = Saturates(type) || type == ElementType::kPred;
  if (is_exact && !SumsFitWords(op)) return function.template operator()<uint64_t>();
  return DispatchCarrier(type, function);
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_CONVOLUTION_INTEGER_SUMS_H_
