// Elements of an operand made what products are summed in (carrier_array.h).
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_CARRIER_CONVERSION_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_CARRIER_CONVERSION_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "interp/simd/loops/block_kernels.h"
#include "ir/element_type.h"

namespace hlo::simd {

// Whether `type` holds all numbers of `from` as they are, as far as it is easily said.
bool HoldsAll(ElementType type, ElementType from);

// Elements of type `from` are converted to `result`, the type of the product's result, and then to
// `carrier`, its carrier (semantics.md 10.1).
class CarrierConversion {
 public:
  CarrierConversion(ElementType from, ElementType result, ElementType carrier);

  int64_t element_size() const { return ElementByteSize(from_); }
  // The type that elements are stored as, if carriers are the same numbers.
  std::optional<ElementType> kept_type() const;
  // `to` receives `count` carriers.
  void Convert(const std::byte* from, std::byte* to, int64_t count) const;

 private:
  void ConvertTwice(const std::byte* from, std::byte* to, int64_t count) const;
  void ConvertPlainly(const std::byte* from, std::byte* to, int64_t count) const;

  ElementType from_, result_, carrier_;
  // Loops over vectors; the second rounds carriers in place, where that changes any. The third
  // widens what the first makes, if that is f32 on the way to f64. Null: no loop.
  TileLoop load_ = nullptr;
  TileLoop round_ = nullptr;
  TileLoop widen_ = nullptr;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_CARRIER_CONVERSION_H_
