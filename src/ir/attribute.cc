// All three tables are the rows of attributes.def, with the rows of other kinds expanded to
// nothing. The same rows make the enumerators, so an enumerator is the index of its row. Defaults
// of the module line (grammar.md 3) stand here, those of opcodes in opcodes.def.
#include "ir/attribute.h"

#include <vector>

namespace hlo {
namespace {

constexpr AttributeInfo kInfos[] = {
#define HLO_ATTRIBUTE(Name, text, Type) {text, AttributePlace::kOwn},
#define HLO_TAIL_ATTRIBUTE(Name, text, Type) {text, AttributePlace::kTail},
#define HLO_COMMON_ATTRIBUTE(Name, text, Type) {text, AttributePlace::kCommon},
#define HLO_PAYLOAD_ATTRIBUTE(Name, text, Type) {text, AttributePlace::kPayload},
#define HLO_MODULE_ATTRIBUTE(Name, text, Type) {text, AttributePlace::kModule},
#include "ir/attributes.def"
};

constexpr Attr kCommon[] = {
#define HLO_ATTRIBUTE(...)
#define HLO_TAIL_ATTRIBUTE(...)
#define HLO_PAYLOAD_ATTRIBUTE(...)
#define HLO_MODULE_ATTRIBUTE(...)
#define HLO_COMMON_ATTRIBUTE(Name, text, Type) Attr::k##Name,
#include "ir/attributes.def"
};

// Counts default to 1; everything else to its empty value (grammar.md 3).
constexpr int64_t ModuleDefault(Attr attr) {
  return attr == Attr::kReplicaCount || attr == Attr::kNumPartitions ? 1 : 0;
}

constexpr AttributeUse kModuleUses[] = {
#define HLO_ATTRIBUTE(...)
#define HLO_TAIL_ATTRIBUTE(...)
#define HLO_PAYLOAD_ATTRIBUTE(...)
#define HLO_COMMON_ATTRIBUTE(...)
#define HLO_MODULE_ATTRIBUTE(Name, text, Type) \
  schema::Optional(Attr::k##Name, ModuleDefault(Attr::k##Name)),
#include "ir/attributes.def"
};

}  // namespace

const AttributeInfo& GetAttributeInfo(Attr attr) { return kInfos[static_cast<size_t>(attr)]; }
std::span<const AttributeUse> ModuleAttributeUses() { return kModuleUses; }
std::span<const Attr> CommonAttributes() { return kCommon; }

}  // namespace hlo
