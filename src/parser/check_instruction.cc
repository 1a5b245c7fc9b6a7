// What an instruction's attributes must say about each other and about its operands to be read at
// all (the rows of verifier.md with source P). Everything else is the verifier's.
#include <array>
#include <string>

#include "parser/module_parser.h"

namespace hlo {

// The check that an attribute brings with it, or null.
constexpr std::array<ModuleParser::AttributeCheck, kAttributeCount>
ModuleParser::AttributeChecks() {
  std::array<AttributeCheck, kAttributeCount> checks{};
  const auto at = [&](Attr attr) -> AttributeCheck& { return checks[static_cast<size_t>(attr)]; };
  at(Attr::kParameterReplication) = &ModuleParser::CheckReplication;
  at(Attr::kSourceTargetPairs) = &ModuleParser::CheckPairs;
  at(Attr::kUseGlobalDeviceIds) = &ModuleParser::CheckGlobalDeviceIds;
  at(Attr::kApiVersion) = &ModuleParser::CheckApiVersion;
  at(Attr::kCalledComputations) = &ModuleParser::CheckCalledComputations;
  at(Attr::kOperandLayoutConstraints) = &ModuleParser::CheckLayoutConstraints;
  at(Attr::kAsyncExecutionThread) = &ModuleParser::CheckInheritedThread;
  return checks;
}

bool ModuleParser::CheckCompleteInstruction(const Instruction& instruction) {
  static constexpr std::array<AttributeCheck, kAttributeCount> kChecks = AttributeChecks();
  for (const Attribute& attribute : instruction.attributes) {
    const AttributeCheck check = kChecks[static_cast<size_t>(attribute.attr)];
    if (check != nullptr && !(this->*check)(instruction, attribute)) return false;
  }
  return true;
}

bool ModuleParser::CheckReplication(const Instruction& instruction, const Attribute& attribute) {
  const int64_t given = static_cast<int64_t>(attribute.value.Get<BoolList>().size());
  const int64_t leaf_count = instruction.shape->LeafCount();
  if (given == leaf_count) return true;
  return sink_.Error(Rule::kParamReplicationLeaves, attribute.range,
                     "{} value{} for the {} arrays of `{}`", given, given == 1 ? "" : "s",
                     leaf_count, ShapeText(*instruction.shape));
}

bool ModuleParser::CheckPairs(const Instruction&, const Attribute& attribute) {
  for (const IntList& pair : attribute.value.Get<IntListList>()) {
    if (pair.size() == 2) continue;
    return sink_.Error(Rule::kCollectivePermutePairForm, attribute.range,
                       "`{{{}}}` is no pair of source and target", fmt::join(pair, ","));
  }
  return true;
}

bool ModuleParser::CheckApiVersion(const Instruction&, const Attribute& attribute) {
  if (attribute.value.Get<CustomCallApiVersion>() != CustomCallApiVersion::kUnspecified) {
    return true;
  }
  return sink_.Error(Rule::kCustomCallApiVersion, attribute.range,
                     "`{}` names no version: leave the attribute out",
                     EnumText(CustomCallApiVersion::kUnspecified));
}

// XLA asks for it where a reduction is applied, and not when `mode` is given (grammar.md 6.2).
bool ModuleParser::CheckGlobalDeviceIds(const Instruction& instruction,
                                        const Attribute& attribute) {
  if (!attribute.value.Get<bool>() ||
      FindAttributeUse(instruction.opcode, Attr::kCollectiveMode) == nullptr ||
      instruction.Has(Attr::kChannelId) || instruction.Has(Attr::kCollectiveMode)) {
    return true;
  }
  return sink_.Error(Rule::kCollectiveGlobalIdsNeedChannel, attribute.range,
                     "`use_global_device_ids=true` needs a `channel_id`");
}

// grammar.md 6.4: XLA silently drops one of the two.
bool ModuleParser::CheckCalledComputations(const Instruction& instruction,
                                           const Attribute& attribute) {
  if (!instruction.Has(Attr::kToApply)) return true;
  sink_.Error(Rule::kCustomCallComputations, attribute.range,
              "`called_computations` and `to_apply` exclude each other");
  sink_.Note(instruction.attributes.Find(Attr::kToApply)->range, "`to_apply` is here");
  return false;
}

bool ModuleParser::CheckLayoutConstraints(const Instruction& instruction,
                                          const Attribute& attribute) {
  const ShapeList& constraints = attribute.value.Get<ShapeList>();
  if (constraints.size() != instruction.operands.size()) {
    return sink_.Error(Rule::kCustomCallLayoutCount, attribute.range,
                       "{} layout constraint{} for {} operand{}", constraints.size(),
                       constraints.size() == 1 ? "" : "s", instruction.operands.size(),
                       instruction.operands.size() == 1 ? "" : "s");
  }
  for (size_t i = 0; i < constraints.size(); ++i) {
    const Instruction& operand = module_.operand(instruction, i);
    if (operand.shape == nullptr || Compatible(*constraints[i].shape, *operand.shape)) continue;
    return sink_.Error(Rule::kCustomCallLayoutOperand, attribute.range,
                       "layout constraint `{}` for operand {}, which has `{}`",
                       ShapeText(*constraints[i].shape), i, ShapeText(*operand.shape));
  }
  return true;
}

// A thread that is repeated later in a chain is that of its start.
bool ModuleParser::CheckInheritedThread(const Instruction& instruction,
                                        const Attribute& attribute) {
  if (instruction.opcode == Opcode::kAsyncStart || instruction.operands.empty()) return true;
  const InstructionId start_id = FindChainStart(instruction);
  if (!start_id.valid()) return true;
  const Instruction& start = module_.instruction(start_id);
  const String* inherited = start.attributes.GetIf<Attr::kAsyncExecutionThread>();
  const std::string_view expected = inherited == nullptr ? "main" : *inherited;
  const std::string_view thread = attribute.value.Get<String>();
  if (thread == expected) return true;
  sink_.Error(Rule::kThreadAsyncInherited, attribute.range,
              "thread `{}` in a chain that starts on thread `{}`", thread, expected);
  sink_.Note(start.name_range, "the start is here");
  return false;
}

}  // namespace hlo
