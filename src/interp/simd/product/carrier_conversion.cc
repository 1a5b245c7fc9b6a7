// Loops over vectors convert in one step, or widen and round; what they have no form for goes from
// type to type by the definition of `convert`.
#include "interp/simd/product/carrier_conversion.h"

#include <algorithm>

#include "ir/element_conversion.h"

namespace hlo::simd {
namespace {

// Whether f32 holds all numbers of `type`.
bool IsExactInF32(ElementType type) {
  return type == ElementType::kF32 || type == ElementType::kPred || IsNarrow(type) ||
         (IsInteger(type) && BitWidth(type) <= 16);
}

// From what is in memory to f32 in one step.
TileLoop LoadToF32(ElementType from) {
  if (IsNarrow(from)) return GetBlockKernels().widen(from);
  return GetBlockKernels().convert(StoredType(from), ElementType::kF32);
}

}  // namespace

bool HoldsAll(ElementType type, ElementType from) {
  if (type == from) return true;
  switch (type) {
    case ElementType::kF32:
      return IsExactInF32(from);
    case ElementType::kF64:
      return IsExactInF32(from) || (IsInteger(from) && BitWidth(from) <= 32);
    case ElementType::kBf16:
      return IsExactInF32(from) && BitWidth(from) <= 8;
    case ElementType::kF16:
      return IsInteger(from) && BitWidth(from) <= 8;
    default:
      if (from == ElementType::kPred) return IsInteger(type) && BitWidth(type) > 1;
      return IsInteger(type) && IsInteger(from) && BitWidth(from) < BitWidth(type) &&
             (IsSigned(type) || !IsSigned(from));
  }
}

CarrierConversion::CarrierConversion(ElementType from, ElementType result, ElementType carrier)
    : from_(from), result_(result), carrier_(carrier) {
  if (carrier == ElementType::kF32) {
    if (result != ElementType::kF32 && !IsExactInF32(from)) return;
    if (result != ElementType::kF32 && !HoldsAll(result, from)) {
      round_ = GetBlockKernels().round(result);
      if (round_ == nullptr) return;
    }
    load_ = LoadToF32(from);
  } else if (carrier == ElementType::kF64) {
    const bool is_narrow = IsNarrow(from);
    if (is_narrow) widen_ = GetBlockKernels().convert(ElementType::kF32, carrier);
    load_ = is_narrow ? LoadToF32(from) : GetBlockKernels().convert(StoredType(from), carrier);
  } else if (HoldsAll(result, from) || (IsInteger(from) && BitWidth(result) == BitWidth(carrier))) {
    // Otherwise the result's type cuts bits that sums which saturate would see.
    load_ = GetBlockKernels().convert(StoredType(from), carrier);
  }
}

std::optional<ElementType> CarrierConversion::kept_type() const {
  if (load_ == nullptr || round_ != nullptr || widen_ != nullptr) return std::nullopt;
  return StoredType(from_);
}

void CarrierConversion::Convert(const std::byte* from, std::byte* to, int64_t count) const {
  if (load_ == nullptr) return ConvertPlainly(from, to, count);
  if (widen_ != nullptr) return ConvertTwice(from, to, count);
  load_(from, nullptr, nullptr, to, count);
  if (round_ != nullptr) round_(to, nullptr, nullptr, to, count);
}

void CarrierConversion::ConvertTwice(const std::byte* from, std::byte* to, int64_t count) const {
  constexpr int64_t kBlock = 1024;
  alignas(64) float block[kBlock];
  for (int64_t i = 0; i < count; i += kBlock) {
    const int64_t size = std::min(kBlock, count - i);
    load_(from + i * element_size(), nullptr, nullptr, block, size);
    widen_(block, nullptr, nullptr, to + i * ElementByteSize(carrier_), size);
  }
}

void CarrierConversion::ConvertPlainly(const std::byte* from, std::byte* to, int64_t count) const {
  constexpr int64_t kBlock = 256;
  alignas(64) std::byte rounded[kBlock * sizeof(double)];
  for (int64_t i = 0; i < count; i += kBlock) {
    const int64_t size = std::min(kBlock, count - i);
    const std::byte* source = from + i * element_size();
    std::byte* target = to + i * ElementByteSize(carrier_);
    if (from_ == result_) {
      ConvertElements(from_, source, carrier_, target, size);
    } else {
      ConvertElements(from_, source, result_, rounded, size);
      ConvertElements(result_, rounded, carrier_, target, size);
    }
  }
}

}  // namespace hlo::simd
