// Operands in the type that products are summed in.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_CARRIER_ARRAY_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_CARRIER_ARRAY_H_

#include <algorithm>
#include <optional>

#include "interp/kernel/array_view.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/loops/block_kernels.h"
#include "interp/simd/product/carrier_conversion.h"
#include "interp/simd/product/matrix_kernels.h"
#include "interp/simd/product/saturated_sums.h"
#include "ir/element_conversion.h"
#include "ir/element_traits.h"

namespace hlo::simd {

// Calls function.operator()<T>() with what products of the result type `type` are summed in
// (semantics.md 10.1): float, double, uint32_t or uint64_t.
template <typename Function>
auto DispatchCarrier(ElementType type, Function&& function) {
  if (type == ElementType::kF64) return function.template operator()<double>();
  if (IsFloat(type)) return function.template operator()<float>();
  if (BitWidth(type) == 64) return function.template operator()<uint64_t>();
  return function.template operator()<uint32_t>();
}

template <typename T>
inline constexpr ElementType kCarrierType = std::is_same_v<T, float>      ? ElementType::kF32
                                            : std::is_same_v<T, double>   ? ElementType::kF64
                                            : std::is_same_v<T, uint32_t> ? ElementType::kU32
                                                                          : ElementType::kU64;

// Whether an array of `type` holds Ts as it is.
template <typename T>
bool IsCarrier(ElementType type) {
  return type == kCarrierType<T> || (std::is_integral_v<T> && !IsFloat(type) &&
                                     BitWidth(type) == 8 * static_cast<int64_t>(sizeof(T)));
}

// Whether products may widen the elements of an array of `type` by themselves.
template <typename T>
bool IsNarrow(ElementType type, ElementType result_type) {
  return std::is_same_v<T, float> && type == ElementType::kBf16 &&
         (result_type == ElementType::kBf16 || result_type == ElementType::kF32);
}

// The type of elements as they lie, where carriers are the same numbers.
template <typename T>
std::optional<ElementType> StoredType(ProductData<T> data) {
  if (data.is_narrow()) return ElementType::kBf16;
  return data.is_unconverted() ? data.conversion->kept_type() : kCarrierType<T>;
}

// Sums of type `carrier` as elements of `type`; `saturates`: those of integers, if they are below
// 32 bits, cut to its range.
inline void StoreCarriers(ElementType carrier, const std::byte* from, ElementType type,
                          std::byte* to, int64_t count, bool saturates) {
  if (saturates) return StoreSaturated(carrier, from, type, to, count);
  const bool is_narrow = type == ElementType::kBf16 || type == ElementType::kF16;
  if (is_narrow && carrier == ElementType::kF32) {
    return GetBlockKernels().narrow(type)(from, nullptr, nullptr, to, count);
  }
  ConvertElements(carrier, from, type, to, count);
}

// An array converted to the result's type and then to carriers; itself where that changes nothing.
template <typename T>
class CarrierArray {
 public:
  // The array as a product takes it, which is itself where the product widens it. `converts`: or
  // converts it, some elements at a time.
  static absl::StatusOr<CarrierArray> MakeForProduct(const DeviceContext& device,
                                                     const ArrayRef& array, ElementType result_type,
                                                     bool converts = false) {
    CarrierArray carriers;
    if (IsNarrow<T>(array.element_type, result_type)) {
      carriers.narrow_ = reinterpret_cast<const uint16_t*>(array.bytes);
      return carriers;
    }
    if (!converts || (IsCarrier<T>(array.element_type) && IsCarrier<T>(result_type))) {
      return Make(device, array, result_type);
    }
    carriers.others_ = array.bytes;
    carriers.conversion_.emplace(array.element_type, result_type, kCarrierType<T>);
    return carriers;
  }

  static absl::StatusOr<CarrierArray> Make(const DeviceContext& device, const ArrayRef& array,
                                           ElementType result_type) {
    CarrierArray carriers;
    if (IsCarrier<T>(array.element_type) && IsCarrier<T>(result_type)) {
      carriers.data_ = reinterpret_cast<const T*>(array.bytes);
      return carriers;
    }
    const int64_t count = array.element_count();
    carriers.storage_ = ScratchArray<T>(device.scratch(), count);
    carriers.data_ = carriers.storage_.get();
    std::byte* to = reinterpret_cast<std::byte*>(carriers.storage_.get());
    constexpr int64_t kPart = int64_t{1} << 14;
    const CarrierConversion conversion(array.element_type, result_type, kCarrierType<T>);
    const absl::Status status = ForEachPart(device, (count + kPart - 1) / kPart, [&](int64_t part) {
      const int64_t begin = part * kPart;
      conversion.Convert(array.bytes + begin * conversion.element_size(),
                         to + begin * static_cast<int64_t>(sizeof(T)),
                         std::min(kPart, count - begin));
    });
    if (!status.ok()) return status;
    return carriers;
  }

  // The type that MakeForProduct leaves elements in, if it is one of those that StoredType knows.
  static std::optional<ElementType> StoredTypeForProduct(ElementType type, ElementType result_type,
                                                         bool converts) {
    if (IsNarrow<T>(type, result_type)) return ElementType::kBf16;
    if (!converts || (IsCarrier<T>(type) && IsCarrier<T>(result_type))) return kCarrierType<T>;
    return CarrierConversion(type, result_type, kCarrierType<T>).kept_type();
  }
  // The bytes MakeForProduct allocates.
  static int64_t ByteSizeForProduct(const Shape& shape, ElementType result_type,
                                    bool converts = false) {
    const bool is_itself = converts || IsNarrow<T>(shape.element_type(), result_type);
    return is_itself ? 0 : ByteSize(shape, result_type);
  }
  // The bytes Make allocates.
  static int64_t ByteSize(const Shape& shape, ElementType result_type) {
    if (IsCarrier<T>(shape.element_type()) && IsCarrier<T>(result_type)) return 0;
    const int64_t count = ElementCount(shape).value_or(INT64_MAX / 16);
    return std::min(count, INT64_MAX / 16) * static_cast<int64_t>(sizeof(T));
  }

  const T* data() const { return data_; }
  // As long as the array lives.
  ProductData<T> product_data() const {
    return {data_, narrow_, others_, conversion_ ? &*conversion_ : nullptr};
  }

 private:
  ScratchArray<T> storage_;
  const T* data_ = nullptr;
  const uint16_t* narrow_ = nullptr;
  const std::byte* others_ = nullptr;
  std::optional<CarrierConversion> conversion_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_CARRIER_ARRAY_H_
