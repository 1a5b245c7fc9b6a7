// Everything an attribute value refers to: computations, instructions, shapes, literals, and the
// text and lists that lie in its module's arena. One walk, driven by the types of the values, so
// that no attribute can be forgotten: cloning, renumbering and moving between modules use it.
#ifndef HLOKIT_IR_REFERENCES_H_
#define HLOKIT_IR_REFERENCES_H_

#include <concepts>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ir/attribute_map.h"
#include "ir/attribute_values.h"
#include "ir/module.h"
#include "support/aggregate_fields.h"
#include "support/arena.h"
#include "support/check.h"

namespace hlo {

// Where references lead to from now on. Each function maps one kind; the defaults keep everything.
class ReferenceMap {
 public:
  // `copies_storage`: text, lists, shapes and literals are copied too, because the value moves to
  // another module. Otherwise values without ids keep sharing what they show.
  ReferenceMap(Arena& arena, bool copies_storage)
      : arena_(arena), copies_storage_(copies_storage) {}
  virtual ~ReferenceMap() = default;

  virtual ComputationId Map(ComputationId id) = 0;
  virtual InstructionId Map(InstructionId id) = 0;
  virtual ShapeRef Map(ShapeRef shape) { return shape; }
  virtual LiteralRef Map(LiteralRef literal) { return literal; }
  // Of metadata, a number in the module's tables; 0: none.
  virtual int32_t MapStackFrame(int32_t id) { return id; }

  Arena& arena() { return arena_; }
  bool copies_storage() const { return copies_storage_; }

 private:
  Arena& arena_;
  bool copies_storage_;
};

namespace internal {

template <typename T>
inline constexpr bool kIsList = false;
template <typename T>
inline constexpr bool kIsList<List<T>> = true;

template <typename T>
concept ReferenceId = std::same_as<T, ComputationId> || std::same_as<T, InstructionId>;
template <typename T>
concept MappedReference =
    ReferenceId<T> || std::same_as<T, ShapeRef> || std::same_as<T, LiteralRef>;
template <typename T>
concept PlainValue = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <typename T>
concept Text = std::same_as<T, std::string_view>;

// Whether a T holds ids somewhere inside. `Outer`: the types around it, some of which contain lists
// of themselves.
template <typename T, typename... Outer>
constexpr bool HoldsIds() {
  if constexpr (ReferenceId<T>) {
    return true;
  } else if constexpr ((std::same_as<T, Outer> || ...) || PlainValue<T> || MappedReference<T> ||
                       Text<T>) {
    return false;
  } else if constexpr (kIsList<T>) {
    return HoldsIds<std::remove_cvref_t<decltype(std::declval<T>()[0])>, T, Outer...>();
  } else {
    constexpr T kValue{};
    return VisitFields(kValue, [](const auto&... fields) {
      return (HoldsIds<std::remove_cvref_t<decltype(fields)>, T, Outer...>() || ...);
    });
  }
}

}  // namespace internal

// `value` with everything it refers to mapped.
template <typename T>
T MapReferences(const T& value, ReferenceMap& map) {
  if constexpr (internal::MappedReference<T>) {
    return map.Map(value);
  } else if constexpr (internal::PlainValue<T>) {
    return value;
  } else if (!internal::HoldsIds<T>() && !std::same_as<T, Metadata> && !map.copies_storage()) {
    return value;
  } else if constexpr (internal::Text<T>) {
    return map.arena().CopyText(value);
  } else if constexpr (internal::kIsList<T>) {
    using Item = std::remove_cvref_t<decltype(value[0])>;
    const std::span<Item> items = map.arena().CopyItems(std::span<const Item>(value));
    for (Item& item : items) item = MapReferences(item, map);
    return T(items);
  } else {
    T copy = value;
    VisitFields(copy, [&](auto&... fields) { ((fields = MapReferences(fields, map)), ...); });
    if constexpr (std::same_as<T, Metadata>) {
      copy.stack_frame_id = map.MapStackFrame(copy.stack_frame_id);
    }
    return copy;
  }
}

// Brings values into `target`: what they show is copied there. Ids are said by who derives.
class IntoModule : public ReferenceMap {
 public:
  explicit IntoModule(Module& target)
      : ReferenceMap(target.arena(), /*copies_storage=*/true), target_(target) {}
  ShapeRef Map(ShapeRef shape) override;
  LiteralRef Map(LiteralRef literal) override;

 private:
  Module& target_;
};

// The same for the value of the attribute `attr`, and for all attributes of an instruction or a
// module.
AttributeValue MapReferences(Attr attr, const AttributeValue& value, ReferenceMap& map);
AttributeMap MapReferences(const AttributeMap& attributes, ReferenceMap& map);

}  // namespace hlo

#endif  // HLOKIT_IR_REFERENCES_H_
