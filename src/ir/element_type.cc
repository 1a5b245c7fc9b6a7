// The table is the rows of element_types.def, an enumerator the index of its row. Elements take the
// bytes of their C++ type, so one of 4 bits takes a byte; complex types have the format of their
// parts. Tuples and buffers have no spelling and are never found by one.
#include "ir/element_type.h"

#include <array>

#include "absl/container/flat_hash_map.h"

namespace hlo {
namespace {

template <typename T>
constexpr int MemorySize() {
  if constexpr (std::is_void_v<T>) {
    return 0;
  } else {
    return sizeof(T);
  }
}

constexpr ElementTypeInfo kInfos[] = {
#define HLO_ELEMENT_TYPE(Name, text, CppType, type_class, bit_width)                      \
  {text, TypeSet::type_class, bit_width, MemorySize<CppType>(),                           \
   TypeSet::type_class == TypeSet::kComplex ? (bit_width == 64 ? kF32Format : kF64Format) \
                                            : FloatFormat{}},
#define HLO_FLOAT_TYPE(Name, text, CppType, bit_width, ...) \
  {text, TypeSet::kFloat, bit_width, MemorySize<CppType>(), k##Name##Format},
#include "ir/element_types.def"
};

}  // namespace

const ElementTypeInfo& GetElementTypeInfo(ElementType type) {
  return kInfos[static_cast<size_t>(type)];
}

std::optional<ElementType> ParseElementType(std::string_view text) {
  static const auto& by_text = *[] {
    auto* map = new absl::flat_hash_map<std::string, ElementType>;
    for (size_t i = 0; i < std::size(kInfos); ++i) {
      if (!kInfos[i].text.empty()) map->emplace(kInfos[i].text, static_cast<ElementType>(i));
    }
    return map;
  }();
  auto it = by_text.find(std::string(text));
  if (it == by_text.end()) return std::nullopt;
  return it->second;
}

std::optional<ElementType> UnsignedTypeOf(int bit_width) {
  for (size_t i = 0; i < std::size(kInfos); ++i) {
    if (kInfos[i].type_class == kUnsigned && kInfos[i].bit_width == bit_width) {
      return static_cast<ElementType>(i);
    }
  }
  return std::nullopt;
}

}  // namespace hlo
