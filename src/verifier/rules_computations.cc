// Names, roots, reachability and order within a computation. Source: verifier.md 1.2, 1.3, 1.7.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "support/count_text.h"
#include "verifier/instruction_kind.h"
#include "verifier/rules.h"

namespace hlo {
namespace {

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

// Whether the text at `range` starts with `keyword`; true where no text stands behind it.
bool StartsWith(const Module& module, SourceRange range, std::string_view keyword) {
  return range.empty() || module.source()->text(range).starts_with(keyword);
}

// Compiler clones keep the scheduling name of the original.
bool IsClone(std::string_view name) {
  return name.find(".remat") != std::string_view::npos ||
         name.find(".clone") != std::string_view::npos;
}

void CheckSchedulingName(const RuleContext& context, const Instruction& instruction) {
  const Metadata* metadata = instruction.attributes.GetIf<Attr::kMetadata>();
  if (metadata == nullptr || metadata->scheduling_name.empty()) return;
  if (metadata->scheduling_name == instruction.name || IsClone(instruction.name)) return;
  context.Report(Rule::kNameChanged, instruction.name_range, "`{}` has the scheduling name `{}`",
                 instruction.name, metadata->scheduling_name);
}

void CheckModuleWideNames(const RuleContext& context) {
  absl::flat_hash_map<std::string_view, const Instruction*> first;
  for (const Instruction& instruction : context.module().instructions()) {
    if (instruction.spelling != Spelling::kNamed) continue;
    auto [entry, is_new] = first.try_emplace(instruction.name, &instruction);
    if (is_new) continue;
    context.Report(Rule::kNameInstructionDuplicateInModule, instruction.name_range,
                   "another computation has an instruction `{}` too", instruction.name);
    context.Note(Rule::kNameInstructionDuplicateInModule, entry->second->name_range, "this one");
  }
}

// What XLA makes of a computation's name (grammar.md 7.2).
std::string SanitizedName(std::string_view name) {
  std::string sanitized(name);
  for (char& c : sanitized) {
    if (!IsNameCharacter(c)) c = '_';
  }
  if (sanitized.starts_with("__") && !sanitized.starts_with("__xla_")) sanitized[0] = 'a';
  if (ParseElementType(sanitized)) sanitized += '_';
  return sanitized;
}

void CheckComputationName(const RuleContext& context, const Computation& computation) {
  if (computation.spelling != Spelling::kNamed) return;
  const std::string sanitized = SanitizedName(computation.name);
  if (sanitized == computation.name) return;
  context.Report(Rule::kNameComputationSyntax, computation.name_range,
                 "XLA renames computation `{}` to `{}`", computation.name, sanitized);
}

void CheckDead(const RuleContext& context, const Computation& computation) {
  if (!context.IsOn(Rule::kInstDead)) return;
  for (InstructionId id : computation.instructions) {
    const Instruction& instruction = context.module().instruction(id);
    if (id == computation.root || context.facts().HasUsers(id)) continue;
    if (instruction.opcode == Opcode::kParameter || HasSideEffect(instruction)) continue;
    context.Report(Rule::kInstDead, instruction.name_range, "nobody uses `{}`", instruction.name);
  }
}

void CheckRoot(const RuleContext& context, const Computation& computation) {
  const Instruction& root = context.module().root(computation);
  if (StartsWith(context.module(), root.range, "ROOT")) return;
  if (computation.spelling == Spelling::kAsyncSugar) return;
  context.Report(Rule::kCompImplicitRoot, root.name_range,
                 "no instruction of `{}` is marked `ROOT`: its last one is taken",
                 computation.name);
}

// One message for all of them: a dump that lists what was inlined away has hundreds.
void CheckReachable(const RuleContext& context) {
  if (!context.IsOn(Rule::kCompUnreachable)) return;
  const std::span<const Computation> computations = context.module().computations();
  const Computation* first = nullptr;
  int64_t count = 0;
  for (size_t i = 0; i < computations.size(); ++i) {
    const SourceRange range = computations[i].name_range;
    if (context.facts().IsReachable(ComputationId(i)) ||
        context.IsSilenced(Rule::kCompUnreachable, range)) {
      continue;
    }
    if (first == nullptr) first = &computations[i];
    ++count;
  }
  if (first == nullptr) return;
  context.Report(
      Rule::kCompUnreachable, first->name_range, "the entry computation never calls `{}`{}",
      first->name,
      count > 1 ? fmt::format(" and {}", CountText(count - 1, "other computation")) : "");
}

void CheckEntry(const RuleContext& context) {
  const Module& module = context.module();
  const Computation& entry = module.entry();
  if (!StartsWith(module, entry.range, "ENTRY")) {
    context.Report(Rule::kCompImplicitEntry, entry.name_range,
                   "no computation is marked `ENTRY`: `{}`, the last one, is taken", entry.name);
  }
  for (const CallSite& site : context.facts().callers(module.entry_id())) {
    const Instruction& caller = module.instruction(site.caller);
    if (caller.opcode != Opcode::kFusion) continue;
    context.Report(Rule::kCompEntryIsFusion, context.View(caller).attribute_range(site.attr),
                   "fusion `{}` calls the entry computation `{}`", caller.name, entry.name);
  }
}

// --- Order -------------------------------------------------------------------------------------

// Calls visit(predecessor) for operands and control predecessors.
template <typename Visitor>
void ForEachPredecessor(const Instruction& instruction, Visitor visit) {
  for (const Operand& operand : instruction.operands) visit(operand.id);
  for (InstructionId id : instruction.Get<Attr::kControlPredecessors>()) visit(id);
}

// Text lists instructions after what they need; modules made in code may not.
bool IsInOrder(const Module& module, const Computation& computation) {
  InstructionId previous;
  for (InstructionId id : computation.instructions) {
    if (previous.valid() && id < previous) return false;
    previous = id;
    bool is_after = true;
    ForEachPredecessor(module.instruction(id),
                       [&](InstructionId predecessor) { is_after &= predecessor < id; });
    if (!is_after) return false;
  }
  return true;
}

// Takes instructions away whose predecessors are gone until none is left, or a cycle is.
void CheckCycle(const RuleContext& context, const Computation& computation) {
  const Module& module = context.module();
  absl::flat_hash_map<InstructionId, int64_t> missing;
  absl::flat_hash_map<InstructionId, std::vector<InstructionId>> successors;
  std::vector<InstructionId> ready;
  for (InstructionId id : computation.instructions) {
    int64_t& count = missing[id];
    ForEachPredecessor(module.instruction(id), [&](InstructionId predecessor) {
      ++count;
      successors[predecessor].push_back(id);
    });
    if (count == 0) ready.push_back(id);
  }
  size_t done_count = 0;
  for (; !ready.empty(); ++done_count) {
    InstructionId id = ready.back();
    ready.pop_back();
    for (InstructionId successor : successors[id]) {
      if (--missing[successor] == 0) ready.push_back(successor);
    }
  }
  if (done_count == computation.instructions.size()) return;
  for (InstructionId id : computation.instructions) {
    if (missing[id] == 0) continue;
    context.Report(Rule::kCompDataflowCycle, module.instruction(id).name_range,
                   "`{}` depends on itself", module.instruction(id).name);
    return;
  }
}

// In a scheduled module the list of a computation is its sequence: it holds every instruction of
// the computation once. Text cannot say anything else. False after a report.
bool CheckSequences(const RuleContext& context) {
  const Module& module = context.module();
  std::vector<int64_t> counts(module.instructions().size(), 0);
  for (const Computation& computation : module.computations()) {
    for (InstructionId id : computation.instructions) ++counts[id.value];
  }
  bool covers = true;
  for (const Instruction& instruction : module.instructions()) {
    const int64_t count = counts[module.id_of(instruction).value];
    if (count == 1 || !instruction.computation.valid()) continue;
    const Computation& computation = module.computation(instruction.computation);
    covers = context.Report(Rule::kScheduleCovers, instruction.name_range,
                            "the sequence of `{}` has `{}` {} times instead of once",
                            computation.name, instruction.name, count);
  }
  return covers;
}

// In a scheduled module the order of the list is the order of execution.
void CheckScheduleOrder(const RuleContext& context, const Computation& computation) {
  const Module& module = context.module();
  absl::flat_hash_map<InstructionId, size_t> position;
  for (size_t i = 0; i < computation.instructions.size(); ++i) {
    position[computation.instructions[i]] = i;
  }
  for (InstructionId id : computation.instructions) {
    const Instruction& instruction = module.instruction(id);
    for (const Operand& operand : instruction.operands) {
      if (position[operand.id] < position[id]) continue;
      context.Report(Rule::kScheduleOperandOrder, instruction.name_range,
                     "`{}` is scheduled before its operand `{}`", instruction.name,
                     module.instruction(operand.id).name);
    }
    for (InstructionId predecessor : instruction.Get<Attr::kControlPredecessors>()) {
      if (position[predecessor] < position[id]) continue;
      context.Report(Rule::kScheduleControlOrder, instruction.name_range,
                     "`{}` is scheduled before its control predecessor `{}`", instruction.name,
                     module.instruction(predecessor).name);
    }
  }
}

}  // namespace

void VerifyNames(const RuleContext& context) {
  for (const Computation& computation : context.module().computations()) {
    CheckComputationName(context, computation);
  }
  if (context.IsOn(Rule::kNameInstructionDuplicateInModule)) CheckModuleWideNames(context);
  if (!context.IsOn(Rule::kNameChanged)) return;
  for (const Instruction& instruction : context.module().instructions()) {
    CheckSchedulingName(context, instruction);
  }
}

void VerifyComputations(const RuleContext& context) {
  CheckEntry(context);
  CheckReachable(context);
  for (const Computation& computation : context.module().computations()) {
    CheckRoot(context, computation);
    CheckDead(context, computation);
  }
}

void VerifyOrder(const RuleContext& context) {
  if (context.module().is_scheduled() && !CheckSequences(context)) return;
  for (const Computation& computation : context.module().computations()) {
    if (IsInOrder(context.module(), computation)) continue;
    CheckCycle(context, computation);
    if (context.module().is_scheduled()) CheckScheduleOrder(context, computation);
  }
}

}  // namespace hlo
