// The attributes of one instruction (or of the module line): a short list of key, place in the
// source, value. Small values are held in place, larger ones in the module's arena.
#ifndef HLOKIT_IR_ATTRIBUTE_MAP_H_
#define HLOKIT_IR_ATTRIBUTE_MAP_H_

#include <cstring>
#include <type_traits>

#include "ir/attribute.h"
#include "ir/list.h"
#include "support/arena.h"
#include "support/source.h"

namespace hlo {

// Sixteen untyped bytes: the key says what they are.
class AttributeValue {
 public:
  template <typename T>
  static AttributeValue Make(const T& value, Arena& arena) {
    static_assert(std::is_trivially_destructible_v<T> && std::is_trivially_copyable_v<T>);
    AttributeValue result;
    if constexpr (sizeof(T) <= sizeof(bytes_)) {
      std::memcpy(result.bytes_, &value, sizeof(T));
    } else {
      const T* stored = arena.New<T>(value);
      std::memcpy(result.bytes_, &stored, sizeof(stored));
    }
    return result;
  }

  template <typename T>
  const T& Get() const {
    if constexpr (sizeof(T) <= sizeof(bytes_)) {
      return *reinterpret_cast<const T*>(bytes_);
    } else {
      const T* stored;
      std::memcpy(&stored, bytes_, sizeof(stored));
      return *stored;
    }
  }

 private:
  alignas(8) unsigned char bytes_[16] = {};
};

struct Attribute {
  Attr attr;
  SourceRange range;  // key and value; empty when no text stands behind it
  AttributeValue value;
};

class AttributeMap {
 public:
  AttributeMap() = default;
  explicit AttributeMap(List<Attribute> attributes) : attributes_(attributes) {}

  // In the order of the text.
  const Attribute* begin() const { return attributes_.begin(); }
  const Attribute* end() const { return attributes_.end(); }
  size_t size() const { return attributes_.size(); }

  const Attribute* Find(Attr attr) const {
    for (const Attribute& attribute : attributes_) {
      if (attribute.attr == attr) return &attribute;
    }
    return nullptr;
  }
  bool Has(Attr attr) const { return Find(attr) != nullptr; }

  // The value, or null when the attribute is not there.
  template <Attr kAttr>
  const AttributeType<kAttr>* GetIf() const {
    const Attribute* attribute = Find(kAttr);
    return attribute == nullptr ? nullptr : &attribute->value.Get<AttributeType<kAttr>>();
  }

 private:
  List<Attribute> attributes_;
};

}  // namespace hlo

#endif  // HLOKIT_IR_ATTRIBUTE_MAP_H_
