// A row of functions for each element type, made by templates: who reads a literal asks for the
// type once. Floats are rounded first and refused when a finite number is none any more (grammar.md
// 7.8). Integers come as 64 bits with a sign; for floats, those of 2^63 and more are refused before
// they get here.
#include "parser/store_element.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace hlo {
namespace {

template <typename T>
StoreResult Put(T value, std::byte* element) {
  std::memcpy(element, &value, sizeof(T));
  return StoreResult::kOk;
}

// 64-bit types take any pattern; narrower ones what they can represent.
template <ElementType kType>
StoreResult StoreInteger(int64_t value, std::byte* element) {
  using T = CppType<kType>;
  if constexpr (kType == ElementType::kPred) {
    return Put(value != 0, element);
  } else {
    const int width = BitWidth(kType);
    if (width < 64) {
      const bool is_signed = IsSigned(kType);
      const int64_t least = is_signed ? -(int64_t{1} << (width - 1)) : 0;
      const int64_t most = (int64_t{1} << (is_signed ? width - 1 : width)) - 1;
      if (value < least || value > most) return StoreResult::kOutOfRange;
    }
    return Put(T(value), element);
  }
}

template <typename T>
double LargestFinite() {
  if constexpr (std::is_floating_point_v<T>) {
    return std::numeric_limits<T>::max();
  } else {
    return static_cast<float>(T::FromBits(
        static_cast<typename T::Bits>(GetElementTypeInfo(kElementTypeOf<T>).format.max_finite())));
  }
}

// What rounds to a finite value fits; what exceeds the largest and does not, does not.
template <typename T>
StoreResult StoreDecimal(double value, std::byte* element) {
  const T converted(value);
  if constexpr (!std::is_same_v<T, double>) {
    const bool overflows = std::isfinite(value) && !std::isfinite(static_cast<float>(converted)) &&
                           std::abs(value) > LargestFinite<T>();
    if (overflows) return StoreResult::kOutOfRange;
    if constexpr (!std::is_same_v<T, float>) {
      const FloatKind kind = GetElementTypeInfo(kElementTypeOf<T>).format.kind;
      if (std::isinf(value) && kind == FloatKind::kFinite) return StoreResult::kNoNan;
    }
  }
  return Put(converted, element);
}

template <typename T>
StoreResult StoreFloatFromInteger(int64_t value, std::byte* element) {
  return StoreDecimal<T>(static_cast<double>(value), element);
}

// Components of complex types are out of range where they round to infinity.
template <typename T>
StoreResult StoreComponent(double value, std::byte* element) {
  // What rounds to the largest number is in range (grammar.md 7.8 does not round), or its print,
  // which has fewer digits, could not be read back.
  const T rounded = static_cast<T>(value);
  if (std::isfinite(value) && !std::isfinite(rounded)) return StoreResult::kOutOfRange;
  return Put(rounded, element);
}

template <typename T>
StoreResult StoreComponentFromInteger(int64_t value, std::byte* element) {
  return StoreComponent<T>(static_cast<double>(value), element);
}

template <typename T, typename Bits>
StoreResult StoreIeeeNan(NanValue nan, int mantissa_bits, std::byte* element) {
  const Bits default_payload = Bits{1} << (mantissa_bits - 1);
  if (nan.payload >> mantissa_bits != 0) return StoreResult::kPayloadRange;
  constexpr int kWidth = sizeof(Bits) * 8;
  const Bits exponent = ((Bits{1} << (kWidth - 1 - mantissa_bits)) - 1) << mantissa_bits;
  const Bits payload = nan.payload == 0 ? default_payload : static_cast<Bits>(nan.payload);
  return Put<Bits>(static_cast<Bits>(Bits{nan.negative} << (kWidth - 1)) | exponent | payload,
                   element);
}

template <typename T>
StoreResult StoreNan(NanValue nan, std::byte* element) {
  if constexpr (std::is_same_v<T, double>) {
    return StoreIeeeNan<T, uint64_t>(nan, 52, element);
  } else if constexpr (std::is_same_v<T, float>) {
    return StoreIeeeNan<T, uint32_t>(nan, 23, element);
  } else {
    const FloatFormat& format = GetElementTypeInfo(kElementTypeOf<T>).format;
    if (format.kind == FloatKind::kFinite) return StoreResult::kNoNan;
    uint32_t bits = format.nan(nan.negative);
    if (nan.payload != 0) {
      if (format.kind != FloatKind::kIeee) return StoreResult::kNoPayload;
      if (nan.payload >> format.mantissa_bits != 0) return StoreResult::kPayloadRange;
      bits = (nan.negative ? format.sign_bit() : 0) | format.infinity() |
             static_cast<uint32_t>(nan.payload);
    }
    return Put(T::FromBits(static_cast<typename T::Bits>(bits)), element);
  }
}

template <ElementType kType, TypeSet kClass>
constexpr ElementStore MakeStore() {
  using T = CppType<kType>;
  if constexpr (kClass == TypeSet::kFloat) {
    return {StoreFloatFromInteger<T>, StoreDecimal<T>, StoreNan<T>, sizeof(T)};
  } else if constexpr (kClass == TypeSet::kComplex) {
    using Component = typename T::value_type;
    return {StoreComponentFromInteger<Component>, StoreComponent<Component>, StoreNan<Component>,
            sizeof(Component)};
  } else {
    return {StoreInteger<kType>, nullptr, nullptr, sizeof(T)};
  }
}

constexpr ElementStore kStores[] = {
#define HLO_ARRAY_TYPE(Name, text, CppType, type_class, ...) \
  MakeStore<ElementType::k##Name, TypeSet::type_class>(),
#define HLO_NON_ARRAY_TYPE(...) ElementStore{nullptr, nullptr, nullptr, 0},
#include "ir/element_types.def"
};

}  // namespace

const ElementStore& GetElementStore(ElementType type) { return kStores[static_cast<size_t>(type)]; }

}  // namespace hlo
