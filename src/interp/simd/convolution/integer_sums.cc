// A sum is at most as large as the largest product, as often as there are terms.
#include "interp/simd/convolution/integer_sums.h"

#include "ir/attribute_values.h"

namespace hlo::simd {
namespace {

// The largest magnitude of integers of `type`, or pred.
double Magnitude(ElementType type) {
  if (type == ElementType::kPred) return 1;
  const double size = static_cast<double>(uint64_t{1} << (BitWidth(type) - 1));
  return IsSigned(type) ? size : 2 * size - 1;
}

// Of the elements of an operand, once they are converted to `result`.
double MagnitudeAs(ElementType result, ElementType type) {
  return Magnitude(HoldsAll(result, type) ? type : result);
}

}  // namespace

bool SumsFitWords(const OpView& op) {
  const ElementType type = op.written_shape()->element_type();
  const Shape& kernel = op.operand_shape(1);
  const int64_t feature = op.Get<Attr::kDimLabels>().kernel_output_feature;
  double largest = MagnitudeAs(type, op.operand_shape(0).element_type()) *
                   MagnitudeAs(type, kernel.element_type());
  for (int64_t d = 0; d < kernel.rank(); ++d) {
    if (d != feature) largest *= static_cast<double>(kernel.dim(d));
  }
  return largest < (IsSigned(type) ? 0x1p31 : 0x1p32);
}

}  // namespace hlo::simd
