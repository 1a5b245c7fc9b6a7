// The tables as arrays, and their hash lookups. A name is found by one probe sequence in a table
// twice its size; attribute names that several rows share are chained.
#include "ir/opcode.h"

#include <array>
#include <bitset>

#include "support/hash_bytes.h"

namespace hlo {
namespace {

constexpr Arity Exactly(int count, Rule rule = Rule::kInstArity) { return {count, count, 1, rule}; }
constexpr Arity AtLeast(int count, Rule rule = Rule::kInstArity) {
  return {count, Arity::kUnlimited, 1, rule};
}
constexpr Arity Multiple(int least, int step, Rule rule = Rule::kInstArity) {
  return {least, Arity::kUnlimited, step, rule};
}
constexpr bool kInferred = true;
constexpr bool kWritten = false;

// One constant array of uses for each row.
namespace uses {
using schema::Discarded;
using schema::IfGiven;
using schema::Optional;
using schema::Required;
using schema::Shown;
#define HLO_OPCODE(Name, text, family, arity, shape, traits, ...) \
  constexpr std::initializer_list<AttributeUse> k##Name = {__VA_ARGS__};
#include "ir/opcodes.def"
}  // namespace uses

// What only elementwise rows say.
struct ElementwiseColumns {
  std::optional<TypeSet> domain;
  int operations = 0;
};
constexpr ElementwiseColumns kElementwise[] = {
#define HLO_ELEMENTWISE(Name, text, arity, shape, operations, ...) {std::nullopt, operations},
#define HLO_UNARY(Name, text, domain, operations, ...) {domain, operations},
#define HLO_BINARY(Name, text, domain, accepted, rule, operations, ...) {domain, operations},
#define HLO_OPCODE(...) {},
#include "ir/opcodes.def"
};

constexpr OpcodeInfo kInfos[] = {
#define HLO_OPCODE(Name, text, family, arity, shape, traits, ...)              \
  {text,                                                                       \
   OpcodeFamily::family,                                                       \
   arity,                                                                      \
   shape,                                                                      \
   traits,                                                                     \
   std::span<const AttributeUse>(uses::k##Name.begin(), uses::k##Name.size()), \
   kElementwise[static_cast<size_t>(Opcode::k##Name)].domain,                  \
   kElementwise[static_cast<size_t>(Opcode::k##Name)].operations,              \
   #Name},
#include "ir/opcodes.def"
};

// Open addressing over names that never change.
template <size_t kSlotCount>
class NameTable {
 public:
  void Insert(std::string_view text, uint8_t value) {
    size_t slot = HashBytes(text) % kSlotCount;
    while (used_[slot]) slot = (slot + 1) % kSlotCount;
    used_[slot] = true;
    texts_[slot] = text;
    values_[slot] = value;
  }

  // Calls `accept(value)` for every entry with this text until one is accepted.
  template <typename Accept>
  std::optional<uint8_t> Find(std::string_view text, Accept accept) const {
    for (size_t slot = HashBytes(text) % kSlotCount; used_[slot]; slot = (slot + 1) % kSlotCount) {
      if (EqualBytes(texts_[slot], text) && accept(values_[slot])) return values_[slot];
    }
    return std::nullopt;
  }

 private:
  std::array<std::string_view, kSlotCount> texts_;
  std::array<uint8_t, kSlotCount> values_{};
  std::bitset<kSlotCount> used_;
};

const NameTable<512>& OpcodeTable() {
  static const NameTable<512> table = [] {
    NameTable<512> result;
    for (int i = 0; i < kOpcodeCount; ++i) result.Insert(kInfos[i].text, static_cast<uint8_t>(i));
    return result;
  }();
  return table;
}

const NameTable<512>& AttributeTable() {
  static const NameTable<512> table = [] {
    NameTable<512> result;
    for (int i = 0; i < kAttributeCount; ++i) {
      std::string_view text = AttributeName(static_cast<Attr>(i));
      if (!text.empty()) result.Insert(text, static_cast<uint8_t>(i));
    }
    return result;
  }();
  return table;
}

using AttributeSet = std::bitset<kAttributeCount>;

const std::array<AttributeSet, kOpcodeCount>& AttributeSets() {
  static const std::array<AttributeSet, kOpcodeCount> sets = [] {
    std::array<AttributeSet, kOpcodeCount> result;
    for (int i = 0; i < kOpcodeCount; ++i) {
      for (const AttributeUse& use : kInfos[i].attributes) {
        result[i].set(static_cast<size_t>(use.attr));
      }
      for (Attr attr : CommonAttributes()) result[i].set(static_cast<size_t>(attr));
    }
    return result;
  }();
  return sets;
}

}  // namespace

const OpcodeInfo& GetOpcodeInfo(Opcode opcode) { return kInfos[static_cast<size_t>(opcode)]; }

std::optional<Opcode> ParseOpcode(std::string_view text) {
  std::optional<uint8_t> value = OpcodeTable().Find(text, [](uint8_t) { return true; });
  if (!value) return std::nullopt;
  return static_cast<Opcode>(*value);
}

std::optional<Attr> FindAttribute(Opcode opcode, std::string_view text) {
  const AttributeSet& allowed = AttributeSets()[static_cast<size_t>(opcode)];
  std::optional<uint8_t> value =
      AttributeTable().Find(text, [&](uint8_t candidate) { return allowed[candidate]; });
  if (!value) return std::nullopt;
  return static_cast<Attr>(*value);
}

std::optional<Attr> FindModuleAttribute(std::string_view text) {
  std::optional<uint8_t> value = AttributeTable().Find(text, [](uint8_t candidate) {
    return GetAttributeInfo(static_cast<Attr>(candidate)).place == AttributePlace::kModule;
  });
  if (!value) return std::nullopt;
  return static_cast<Attr>(*value);
}

const AttributeUse* FindAttributeUse(Opcode opcode, Attr attr) {
  for (const AttributeUse& use : GetOpcodeInfo(opcode).attributes) {
    if (use.attr == attr) return &use;
  }
  return nullptr;
}

}  // namespace hlo
