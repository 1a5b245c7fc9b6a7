// Element types, their properties, and dispatch from the run-time type to the C++ type.
#ifndef HLOKIT_IR_ELEMENT_TYPE_H_
#define HLOKIT_IR_ELEMENT_TYPE_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ir/narrow_float.h"
#include "support/check.h"

namespace hlo {

enum class ElementType : uint8_t {
#define HLO_ELEMENT_TYPE(Name, ...) k##Name,
#include "ir/element_types.def"
};

// A set of classes of element types: the domain of an operation.
enum TypeSet : uint8_t {
  kNonArray = 0,
  kPred = 1,
  kSigned = 2,
  kUnsigned = 4,
  kFloat = 8,
  kComplex = 16,
  kInteger = kSigned | kUnsigned,
  kAnyArray = kPred | kInteger | kFloat | kComplex,
};
constexpr TypeSet operator|(TypeSet a, TypeSet b) {
  return static_cast<TypeSet>(static_cast<int>(a) | static_cast<int>(b));
}

struct ElementTypeInfo {
  std::string_view text;  // empty for tuple and buffer
  TypeSet type_class;
  int bit_width;       // bits of one logical element; 0 for non-array types
  int byte_size;       // bytes one element takes in our arrays; 0 for non-array types
  FloatFormat format;  // of float types, and of the components of complex types; else zeros
};
const ElementTypeInfo& GetElementTypeInfo(ElementType type);

inline std::string_view ElementTypeName(ElementType type) { return GetElementTypeInfo(type).text; }
// The type spelled `text`, in lower case, or nothing.
std::optional<ElementType> ParseElementType(std::string_view text);

inline bool IsIn(ElementType type, TypeSet set) {
  return (GetElementTypeInfo(type).type_class & set) != 0;
}
inline bool IsArrayType(ElementType type) { return IsIn(type, kAnyArray); }
inline bool IsFloat(ElementType type) { return IsIn(type, kFloat); }
inline bool IsComplex(ElementType type) { return IsIn(type, kComplex); }
inline bool IsInteger(ElementType type) { return IsIn(type, kInteger); }
inline bool IsSigned(ElementType type) { return IsIn(type, kSigned); }
inline bool IsUnsigned(ElementType type) { return IsIn(type, kUnsigned); }
// The unsigned integers of so many bits, or nothing.
std::optional<ElementType> UnsignedTypeOf(int bit_width);
inline int BitWidth(ElementType type) { return GetElementTypeInfo(type).bit_width; }
inline int ElementByteSize(ElementType type) { return GetElementTypeInfo(type).byte_size; }

// The type of the parts of a complex type, and of a complex type's magnitude: f32 for c64.
inline ElementType ComponentType(ElementType complex_type) {
  return complex_type == ElementType::kC128 ? ElementType::kF64 : ElementType::kF32;
}

namespace internal {
template <typename T>
struct ElementTypeOf;
#define HLO_ARRAY_TYPE(Name, text, CppType, ...)               \
  template <>                                                  \
  struct ElementTypeOf<CppType> {                              \
    static constexpr ElementType value = ElementType::k##Name; \
  };
#define HLO_NON_ARRAY_TYPE(...)
#include "ir/element_types.def"

template <ElementType kType>
struct CppTypeOf;
#define HLO_ARRAY_TYPE(Name, text, CppType, type_class, ...) \
  template <>                                                \
  struct CppTypeOf<ElementType::k##Name> {                   \
    using type = CppType;                                    \
    static constexpr TypeSet kClass = TypeSet::type_class;   \
  };
#define HLO_NON_ARRAY_TYPE(...)
#include "ir/element_types.def"
}  // namespace internal

// The element type whose elements are Ts in memory, and back.
template <typename T>
inline constexpr ElementType kElementTypeOf = internal::ElementTypeOf<T>::value;
template <ElementType kType>
using CppType = typename internal::CppTypeOf<kType>::type;
template <typename T>
inline constexpr TypeSet kTypeClassOf = internal::CppTypeOf<kElementTypeOf<T>>::kClass;

// Calls `function.template operator()<T>()` with T the C++ type of `type`, which must be in
// `kDomain`: only the types of the domain are instantiated.
//   DispatchElementType<kFloat>(type, [&]<typename T>() { ... });
template <TypeSet kDomain, typename Function>
decltype(auto) DispatchElementType(ElementType type, Function&& function) {
  switch (type) {
#define HLO_ARRAY_TYPE(Name, text, CppType, type_class, ...) \
  case ElementType::k##Name:                                 \
    if constexpr ((kDomain & TypeSet::type_class) != 0) {    \
      return function.template operator()<CppType>();        \
    } else {                                                 \
      break;                                                 \
    }
#define HLO_NON_ARRAY_TYPE(Name, ...) \
  case ElementType::k##Name:          \
    break;
#include "ir/element_types.def"
  }
  HLO_UNREACHABLE();
}

}  // namespace hlo

#endif  // HLOKIT_IR_ELEMENT_TYPE_H_
