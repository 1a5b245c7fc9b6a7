// Driven by the tables: an opcode's row says which attributes it shows and in which order, the
// rows of the tail and common attributes follow.
#include "printer/print_instruction.h"

#include <algorithm>
#include <type_traits>

#include "ir/attribute_default.h"
#include "printer/print_literal.h"
#include "printer/print_value.h"

namespace hlo {
namespace {

constexpr Attr kTail[] = {
#define HLO_ATTRIBUTE(...)
#define HLO_PAYLOAD_ATTRIBUTE(...)
#define HLO_MODULE_ATTRIBUTE(...)
#define HLO_TAIL_ATTRIBUTE(Name, ...) Attr::k##Name,
#define HLO_COMMON_ATTRIBUTE HLO_TAIL_ATTRIBUTE
#include "ir/attributes.def"
};

bool IsTail(Attr attr) {
  const AttributePlace place = GetAttributeInfo(attr).place;
  return place == AttributePlace::kTail || place == AttributePlace::kCommon;
}

// A record of metadata that has nothing but its frame, when frames become comments.
bool IsEmptiedByOption(const PrintOptions& options, Attr attr, const AttributeValue& value) {
  if (attr != Attr::kMetadata || !options.resolve_frames) return false;
  Metadata metadata = value.Get<Metadata>();
  metadata.stack_frame_id = 0;
  return metadata == Metadata{};
}

void ListOne(const PrintContext& context, const Instruction& instruction, const AttributeUse* use,
             Attr attr, PrintedAttributes* list) {
  const Attribute* attribute = instruction.attributes.Find(attr);
  if (attribute == nullptr) {
    if (use != nullptr && use->presence == AttributeUse::Presence::kShown) {
      list->push_back({attr, nullptr});
    }
    return;
  }
  const bool always = use != nullptr && use->presence == AttributeUse::Presence::kShown;
  if (!always && IsDefaultValue(use, attr, attribute->value)) return;
  if (IsDroppedByOption(context.options(), attr) ||
      IsEmptiedByOption(context.options(), attr, attribute->value)) {
    return;
  }
  list->push_back({attr, &attribute->value});
}

void ListOwn(const PrintContext& context, const Instruction& instruction, PrintedAttributes* list) {
  for (const AttributeUse& use : GetOpcodeInfo(instruction.opcode).attributes) {
    if (!IsTail(use.attr)) ListOne(context, instruction, &use, use.attr, list);
  }
}

// The attributes of the operation inside stand where `calls` would (grammar.md 10.6).
void ListSugared(const PrintContext& context, const Instruction& instruction,
                 const Computation& body, PrintedAttributes* list) {
  auto own = [&](Attr attr) {
    const AttributeUse* use = FindAttributeUse(instruction.opcode, attr);
    if (use != nullptr) ListOne(context, instruction, use, attr, list);
  };
  const AttributeUse* calls = FindAttributeUse(instruction.opcode, Attr::kCalls);
  own(Attr::kAsyncExecutionThread);
  if (calls->presence == AttributeUse::Presence::kRequired) {
    ListOwn(context, context.module().root(body), list);
  }
  own(Attr::kOutputToOperandAliasing);
}

template <typename T>
void PrintDefault(PrintContext& context, const AttributeUse* use) {
  if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, bool> || AttributeEnum<T>) {
    PrintValue(context, static_cast<T>(use == nullptr ? 0 : use->default_value));
  } else if constexpr (!std::is_same_v<T, LiteralRef> && !std::is_same_v<T, ShapeRef>) {
    PrintValue(context, T{});
  }
}

void PrintDefaultValue(PrintContext& context, const AttributeUse* use, Attr attr) {
  switch (attr) {
#define HLO_ATTRIBUTE(Name, text, Type) \
  case Attr::k##Name:                   \
    return PrintDefault<Type>(context, use);
#include "ir/attributes.def"
  }
}

}  // namespace

PrintedAttributes ListPrintedAttributes(const PrintContext& context,
                                        const Instruction& instruction) {
  PrintedAttributes list;
  const Computation* sugared = context.SugaredBody(instruction);
  if (sugared != nullptr) {
    ListSugared(context, instruction, *sugared, &list);
  } else {
    ListOwn(context, instruction, &list);
  }
  if (instruction.attributes.size() == 0) return list;
  for (Attr attr : kTail) {
    if (!instruction.attributes.Has(attr)) continue;
    ListOne(context, instruction, FindAttributeUse(instruction.opcode, attr), attr, &list);
  }
  return list;
}

int PlaceOfAttribute(Opcode opcode, Attr attr) {
  int place = 0;
  for (const AttributeUse& use : GetOpcodeInfo(opcode).attributes) {
    if (IsTail(use.attr)) continue;
    if (use.attr == attr) return place;
    ++place;
  }
  const auto tail = std::ranges::find(kTail, attr);
  return place + static_cast<int>(tail - std::begin(kTail));
}

bool IsDroppedByOption(const PrintOptions& options, Attr attr) {
  return (attr == Attr::kMetadata && !options.metadata) ||
         (attr == Attr::kBackendConfig && !options.backend_config);
}

bool IsVerbatimAttribute(Attr attr) {
  switch (attr) {
#define HLO_ATTRIBUTE(Name, text, Type) \
  case Attr::k##Name:                   \
    return std::is_same_v<Type, RawText> || std::is_same_v<Type, FrontendAttributes>;
#include "ir/attributes.def"
  }
  return false;
}

void PrintAttribute(PrintContext& context, const Instruction& instruction,
                    const PrintedAttribute& attribute) {
  context.Append(AttributeName(attribute.attr));
  context.Append('=');
  if (attribute.value != nullptr) {
    PrintAttributeValue(context, attribute.attr, *attribute.value);
  } else {
    PrintDefaultValue(context, FindAttributeUse(instruction.opcode, attribute.attr),
                      attribute.attr);
  }
}

void PrintOpcode(PrintContext& context, const Instruction& instruction) {
  std::string_view text = OpcodeName(instruction.opcode);
  if (const Computation* body = context.SugaredBody(instruction)) {
    context.Append(OpcodeName(context.module().root(*body).opcode));
    text.remove_prefix(text.find('-'));
  }
  context.Append(text);
}

bool PrintPayload(PrintContext& context, const Instruction& instruction) {
  if (HasTrait(instruction.opcode, kLiteralPayload)) {
    const LiteralRef value = instruction.Get<Attr::kConstantValue>();
    if (value.literal != nullptr) PrintLiteral(context, *value.literal);
    return true;
  }
  if (HasTrait(instruction.opcode, kParameterPayload)) {
    context.AppendInt(instruction.Get<Attr::kParameterNumber>());
    return true;
  }
  return false;
}

void PrintOperand(PrintContext& context, const Instruction& instruction, size_t i) {
  const InstructionId id = instruction.operands[i].id;
  if (context.traits().operand_shapes) {
    context.Append(context.ResultShape(context.module().instruction(id)));
    context.Append(' ');
  }
  context.PrintReference(id);
}

void PrintInstruction(PrintContext& context, const Instruction& instruction) {
  context.PrintName(instruction.name);
  context.Append(" = ");
  context.Append(context.ResultShape(instruction));
  context.Append(' ');
  PrintOpcode(context, instruction);
  context.Append('(');
  if (!PrintPayload(context, instruction)) {
    const int interval = context.traits().operand_comment_interval;
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      if (i > 0) context.Append(", ");
      if (i > 0 && interval > 0 && i % static_cast<size_t>(interval) == 0) {
        context.Append("/*index=");
        context.AppendInt(static_cast<int64_t>(i));
        context.Append("*/");
      }
      PrintOperand(context, instruction, i);
    }
  }
  context.Append(')');
  for (const PrintedAttribute& attribute : ListPrintedAttributes(context, instruction)) {
    context.Append(", ");
    PrintAttribute(context, instruction, attribute);
  }
}

}  // namespace hlo
