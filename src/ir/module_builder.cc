// Instructions are never moved in memory while a module is built: what is erased is marked by an
// invalid computation and goes when the module is finished. The users of each instruction are kept
// beside it; callers and control successors, which are rare, are searched for.
#include "ir/module_builder.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "ir/called_computations.h"
#include "support/check.h"

namespace hlo {
namespace {

template <typename T>
void EraseValue(std::vector<T>& items, const T& value) {
  items.erase(std::ranges::find(items, value));
}

}  // namespace

ModuleBuilder::ModuleBuilder(std::string_view name)
    : module_(std::make_shared<SourceText>(std::string(name), "")) {
  module_.set_name(module_.arena().CopyText(name));
}

ModuleBuilder::ModuleBuilder(Module module)
    : module_(std::move(module)), users_(module_.instructions().size()) {
  for (const Computation& computation : module_.computations()) {
    computation_names_.Reserve(computation.name);
  }
  for (size_t i = 0; i < module_.instructions().size(); ++i) {
    const Instruction& instruction = module_.instructions()[i];
    instruction_names_.Reserve(instruction.name);
    for (const Operand& operand : instruction.operands) AddUser(operand.id, InstructionId(i));
  }
}

// --- Making --------------------------------------------------------------------------------------

std::string_view ModuleBuilder::UniqueName(std::string_view name, std::string_view fallback) {
  const std::string sanitized = SanitizeName(name.empty() ? fallback : name);
  return module_.arena().CopyText(instruction_names_.Add(sanitized));
}

ComputationId ModuleBuilder::AddComputation(std::string_view name) {
  Computation computation;
  computation.name = module_.arena().CopyText(
      computation_names_.Add(SanitizeName(name.empty() ? "computation" : name)));
  return module_.AddComputation(std::move(computation));
}

void ModuleBuilder::AddUser(InstructionId id, InstructionId user) {
  auto& users = users_[id.value];
  if (std::ranges::find(users, user) == users.end()) users.push_back(user);
}

void ModuleBuilder::RemoveUser(InstructionId id, InstructionId user) {
  auto& users = users_[id.value];
  const auto place = std::ranges::find(users, user);
  if (place != users.end()) users.erase(place);
}

List<Operand> ModuleBuilder::StoreOperands(std::span<const InstructionId> operands) {
  std::vector<Operand> stored;
  for (InstructionId id : operands) stored.push_back({id, {}});
  return List<Operand>(module_.arena().CopyItems(std::span<const Operand>(stored)));
}

InstructionId ModuleBuilder::Append(ComputationId computation, const Instruction& instruction) {
  const InstructionId id = module_.AddInstruction(instruction);
  module_.mutable_instruction(id).computation = computation;
  module_.mutable_computation(computation).instructions.push_back(id);
  users_.emplace_back();
  for (const Operand& operand : instruction.operands) AddUser(operand.id, id);
  return id;
}

InstructionId ModuleBuilder::Add(ComputationId computation, Opcode opcode, const Shape& shape,
                                 std::span<const InstructionId> operands, std::string_view name) {
  for (InstructionId operand : operands) {
    HLO_CHECK(module_.instruction(operand).computation == computation);
  }
  Instruction instruction;
  instruction.name = UniqueName(name, OpcodeName(opcode));
  instruction.opcode = opcode;
  instruction.shape = module_.InternShape(shape);
  instruction.operands = StoreOperands(operands);
  return Append(computation, instruction);
}

InstructionId ModuleBuilder::AddParameter(ComputationId computation, const Shape& shape,
                                          std::string_view name) {
  const size_t number = module_.computation(computation).parameters.size();
  const InstructionId id = Add(computation, Opcode::kParameter, shape, {}, name);
  Set<Attr::kParameterNumber>(id, static_cast<int64_t>(number));
  module_.mutable_computation(computation).parameters.push_back(id);
  return id;
}

void ModuleBuilder::SetParameters(ComputationId computation,
                                  std::span<const InstructionId> parameters) {
  for (InstructionId id : parameters) HLO_CHECK(instruction(id).computation == computation);
  module_.mutable_computation(computation).parameters.assign(parameters.begin(), parameters.end());
}

InstructionId ModuleBuilder::AddConstant(ComputationId computation, Literal value,
                                         std::string_view name) {
  const InstructionId id = Add(computation, Opcode::kConstant, value.shape(), {}, name);
  module_.SetAttribute<Attr::kConstantValue>(id, {module_.AddLiteral(std::move(value))});
  return id;
}

void ModuleBuilder::SetRoot(ComputationId computation, InstructionId root) {
  HLO_CHECK(module_.instruction(root).computation == computation);
  module_.mutable_computation(computation).root = root;
}

void ModuleBuilder::SetRange(InstructionId id, SourceRange range) {
  Instruction& instruction = module_.mutable_instruction(id);
  instruction.range = instruction.name_range = instruction.opcode_range = range;
}

// --- Changing ------------------------------------------------------------------------------------

void ModuleBuilder::MoveBefore(InstructionId id, InstructionId place) {
  const ComputationId computation = module_.instruction(id).computation;
  HLO_CHECK(computation.valid() && module_.instruction(place).computation == computation);
  if (id == place) return;
  std::vector<InstructionId>& order = module_.mutable_computation(computation).instructions;
  EraseValue(order, id);
  order.insert(std::ranges::find(order, place), id);
}

void ModuleBuilder::SetShape(InstructionId id, const Shape& shape) {
  module_.mutable_instruction(id).shape = module_.InternShape(shape);
}

void ModuleBuilder::SetName(InstructionId id, std::string_view name) {
  module_.mutable_instruction(id).name = UniqueName(name, OpcodeName(instruction(id).opcode));
}

void ModuleBuilder::SetOperand(InstructionId user, size_t operand, InstructionId value) {
  std::vector<InstructionId> operands;
  for (const Operand& old : instruction(user).operands) operands.push_back(old.id);
  operands.at(operand) = value;
  SetOperands(user, operands);
}

void ModuleBuilder::SetOperands(InstructionId user, std::span<const InstructionId> operands) {
  for (const Operand& operand : instruction(user).operands) RemoveUser(operand.id, user);
  for (InstructionId operand : operands) {
    HLO_CHECK(instruction(operand).computation == instruction(user).computation);
    AddUser(operand, user);
  }
  module_.mutable_instruction(user).operands = StoreOperands(operands);
}

void ModuleBuilder::ReplaceAllUses(InstructionId old, InstructionId replacement) {
  if (old == replacement) return;
  HLO_CHECK(instruction(old).computation == instruction(replacement).computation);
  const auto users = users_[old.value];
  for (InstructionId user : users) {
    std::vector<InstructionId> operands;
    for (const Operand& operand : instruction(user).operands) {
      operands.push_back(operand.id == old ? replacement : operand.id);
    }
    SetOperands(user, operands);
  }
  Computation& computation = module_.mutable_computation(instruction(old).computation);
  if (computation.root == old) computation.root = replacement;
  ForEachSuccessor(old, [&](InstructionId successor, std::vector<InstructionId> predecessors) {
    std::ranges::replace(predecessors, old, replacement);
    Set<Attr::kControlPredecessors>(successor, predecessors);
  });
}

template <typename Visit>
void ModuleBuilder::ForEachSuccessor(InstructionId id, const Visit& visit) {
  for (InstructionId other : module_.computation(instruction(id).computation).instructions) {
    const InstructionList* predecessors =
        instruction(other).attributes.GetIf<Attr::kControlPredecessors>();
    if (predecessors == nullptr) continue;
    if (std::ranges::find(*predecessors, id) == predecessors->end()) continue;
    visit(other, std::vector<InstructionId>(predecessors->begin(), predecessors->end()));
  }
}

void ModuleBuilder::Erase(InstructionId id) {
  const Instruction& erased = instruction(id);
  HLO_CHECK(erased.computation.valid() && users_[id.value].empty());
  Computation& computation = module_.mutable_computation(erased.computation);
  HLO_CHECK(computation.root != id);
  for (const Operand& operand : erased.operands) RemoveUser(operand.id, id);
  ForEachSuccessor(id, [&](InstructionId successor, std::vector<InstructionId> predecessors) {
    EraseValue(predecessors, id);
    if (predecessors.empty()) return module_.RemoveAttribute(successor, Attr::kControlPredecessors);
    Set<Attr::kControlPredecessors>(successor, predecessors);
  });
  EraseValue(computation.instructions, id);
  if (erased.opcode == Opcode::kParameter) {
    EraseValue(computation.parameters, id);
    for (size_t i = 0; i < computation.parameters.size(); ++i) {
      Set<Attr::kParameterNumber>(computation.parameters[i], static_cast<int64_t>(i));
    }
  }
  module_.mutable_instruction(id).computation = ComputationId();
}

void ModuleBuilder::Erase(ComputationId id) {
  HLO_CHECK(module_.entry_id() != id && !IsErased(id));
  for (InstructionId instruction : module_.computation(id).instructions) {
    module_.mutable_instruction(instruction).computation = ComputationId();
  }
  erased_computations_.insert(id);
}

}  // namespace hlo
