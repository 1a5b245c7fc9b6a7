// Instructions are never moved in memory while a module is built: what is erased is marked by an
// invalid computation and goes when the module is finished. Users and taken names are looked for
// when somebody asks, and kept from then on; callers and control successors, which are rare, are
// searched for.
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
    : ModuleBuilder(Module(std::make_shared<SourceText>(std::string(name)))) {
  module_->set_name(module_->arena().CopyText(name));
}

ModuleBuilder::ModuleBuilder(Module module)
    : owned_(std::make_unique<Module>(std::move(module))), module_(owned_.get()) {}

ModuleBuilder::ModuleBuilder(Module* module) : module_(module) {}

// --- Names and users -----------------------------------------------------------------------------

void ModuleBuilder::LearnNames(ComputationId computation) {
  if (owned_ != nullptr) {
    const std::span<const Instruction> all = module_->instructions();
    for (; named_instruction_count_ < all.size(); ++named_instruction_count_) {
      instruction_names_.Reserve(all[named_instruction_count_].name);
    }
  } else if (named_computation_ != computation) {
    named_computation_ = computation;
    instruction_names_ = UniqueNames();
    for (InstructionId id : module_->computation(computation).instructions) {
      instruction_names_.Reserve(instruction(id).name);
    }
  }
}

void ModuleBuilder::LearnComputationNames() {
  const std::span<const Computation> all = module_->computations();
  for (; named_computation_count_ < all.size(); ++named_computation_count_) {
    computation_names_.Reserve(all[named_computation_count_].name);
  }
}

std::string_view ModuleBuilder::UniqueName(ComputationId computation, std::string_view name,
                                           std::string_view fallback) {
  LearnNames(computation);
  return TakeName(name.empty() ? fallback : name, instruction_names_);
}

// `name`, which then is taken, or what comes nearest to it.
std::string_view ModuleBuilder::TakeName(std::string_view name, UniqueNames& taken) {
  return module_->arena().CopyText(taken.Add(SanitizeName(name)));
}

void ModuleBuilder::MakeNamesUnique(std::span<const ComputationId> order) {
  HLO_CHECK(owned_ != nullptr && order.size() == module_->computations().size());
  instruction_names_ = computation_names_ = UniqueNames();
  named_instruction_count_ = module_->instructions().size();
  named_computation_count_ = order.size();
  for (ComputationId id : order) {
    Computation& computation = module_->mutable_computation(id);
    computation.name = TakeName(computation.name, computation_names_);
    for (InstructionId each : computation.instructions) {
      Instruction& renamed = module_->mutable_instruction(each);
      renamed.name = TakeName(renamed.name, instruction_names_);
    }
  }
}

void ModuleBuilder::LearnUsers() {
  const size_t first = users_.size();
  users_.resize(module_->instructions().size());
  for (size_t i = first; i < users_.size(); ++i) {
    for (const Operand& operand : module_->instructions()[i].operands) {
      AddUser(operand.id, InstructionId(i));
    }
  }
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

std::span<const InstructionId> ModuleBuilder::UsersOf(InstructionId id) {
  LearnUsers();
  return users_[id.value];
}

// --- Making --------------------------------------------------------------------------------------

ComputationId ModuleBuilder::AddComputation(std::string_view name) {
  Computation computation;
  if (owned_ == nullptr) {
    computation.name = module_->arena().CopyText(name);
  } else {
    LearnComputationNames();
    computation.name = TakeName(name.empty() ? "computation" : name, computation_names_);
  }
  return module_->AddComputation(std::move(computation));
}

List<Operand> ModuleBuilder::StoreOperands(std::span<const InstructionId> operands) {
  std::vector<Operand> stored;
  for (InstructionId id : operands) stored.push_back({id, {}});
  return List<Operand>(module_->arena().CopyItems(std::span<const Operand>(stored)));
}

InstructionId ModuleBuilder::Add(ComputationId computation, Opcode opcode, const Shape& shape,
                                 std::span<const InstructionId> operands, std::string_view name) {
  for (InstructionId operand : operands) {
    HLO_CHECK(module_->instruction(operand).computation == computation);
  }
  Instruction instruction;
  instruction.name = UniqueName(computation, name, OpcodeName(opcode));
  instruction.opcode = opcode;
  instruction.shape = module_->InternShape(shape);
  instruction.operands = StoreOperands(operands);
  instruction.computation = computation;
  const InstructionId id = module_->AddInstruction(instruction);
  module_->mutable_computation(computation).instructions.push_back(id);
  if (owned_ != nullptr) ++named_instruction_count_;
  return id;
}

InstructionId ModuleBuilder::AddParameter(ComputationId computation, const Shape& shape,
                                          std::string_view name) {
  const size_t number = module_->computation(computation).parameters.size();
  const InstructionId id = Add(computation, Opcode::kParameter, shape, {}, name);
  Set<Attr::kParameterNumber>(id, static_cast<int64_t>(number));
  module_->mutable_computation(computation).parameters.push_back(id);
  return id;
}

void ModuleBuilder::SetParameters(ComputationId computation,
                                  std::span<const InstructionId> parameters) {
  for (InstructionId id : parameters) HLO_CHECK(instruction(id).computation == computation);
  module_->mutable_computation(computation).parameters.assign(parameters.begin(), parameters.end());
}

InstructionId ModuleBuilder::AddConstant(ComputationId computation, Literal value,
                                         std::string_view name) {
  const InstructionId id = Add(computation, Opcode::kConstant, value.shape(), {}, name);
  module_->SetAttribute<Attr::kConstantValue>(id, {module_->AddLiteral(std::move(value))});
  return id;
}

void ModuleBuilder::SetRoot(ComputationId computation, InstructionId root) {
  HLO_CHECK(module_->instruction(root).computation == computation);
  module_->mutable_computation(computation).root = root;
}

void ModuleBuilder::SetAttributes(InstructionId id, AttributeMap attributes) {
  module_->mutable_instruction(id).attributes = attributes;
}

void ModuleBuilder::SetSpelling(InstructionId id, Spelling spelling) {
  module_->mutable_instruction(id).spelling = spelling;
}

void ModuleBuilder::SetSpelling(ComputationId id, Spelling spelling) {
  module_->mutable_computation(id).spelling = spelling;
}

void ModuleBuilder::SetExecutionThread(ComputationId id, std::string_view thread) {
  module_->mutable_computation(id).execution_thread = Store(thread);
}

void ModuleBuilder::SetStackFrames(StackFrameTables tables) {
  for (std::string_view& name : tables.file_names) name = Store(name);
  for (std::string_view& name : tables.function_names) name = Store(name);
  module_->mutable_stack_frames() = std::move(tables);
}

void ModuleBuilder::SetRange(InstructionId id, SourceRange range) {
  SetRanges(id, {range, range, instruction(id).shape_range, range});
}

void ModuleBuilder::SetRanges(InstructionId id, const InstructionRanges& ranges) {
  Instruction& instruction = module_->mutable_instruction(id);
  instruction.range = ranges.whole;
  instruction.name_range = ranges.name;
  instruction.shape_range = ranges.shape;
  instruction.opcode_range = ranges.opcode;
}

void ModuleBuilder::SetRange(ComputationId id, SourceRange range) {
  Computation& computation = module_->mutable_computation(id);
  computation.range = computation.name_range = range;
}

// --- Changing ------------------------------------------------------------------------------------

void ModuleBuilder::MoveBefore(InstructionId id, InstructionId place) {
  const ComputationId computation = module_->instruction(id).computation;
  HLO_CHECK(computation.valid() && module_->instruction(place).computation == computation);
  if (id == place) return;
  std::vector<InstructionId>& order = module_->mutable_computation(computation).instructions;
  EraseValue(order, id);
  order.insert(std::ranges::find(order, place), id);
}

void ModuleBuilder::SetOrder(ComputationId computation, std::span<const InstructionId> order) {
  std::vector<InstructionId>& instructions = module_->mutable_computation(computation).instructions;
  HLO_CHECK(order.size() == instructions.size());
  for (InstructionId id : order) HLO_CHECK(instruction(id).computation == computation);
  instructions.assign(order.begin(), order.end());
}

void ModuleBuilder::SetShape(InstructionId id, const Shape& shape) {
  module_->mutable_instruction(id).shape = module_->InternShape(shape);
}

void ModuleBuilder::SetName(InstructionId id, std::string_view name) {
  const Instruction& renamed = instruction(id);
  const std::string_view unique = UniqueName(renamed.computation, name, OpcodeName(renamed.opcode));
  module_->mutable_instruction(id).name = unique;
}

void ModuleBuilder::SetOperand(InstructionId user, size_t operand, InstructionId value) {
  std::vector<InstructionId> operands;
  for (const Operand& old : instruction(user).operands) operands.push_back(old.id);
  operands.at(operand) = value;
  SetOperands(user, operands);
}

void ModuleBuilder::SetOperands(InstructionId user, std::span<const InstructionId> operands) {
  for (InstructionId operand : operands) {
    HLO_CHECK(instruction(operand).computation == instruction(user).computation);
  }
  if (HasLearnedUsersOf(user)) {
    LearnUsers();
    for (const Operand& operand : instruction(user).operands) RemoveUser(operand.id, user);
    for (InstructionId operand : operands) AddUser(operand, user);
  }
  module_->mutable_instruction(user).operands = StoreOperands(operands);
}

void ModuleBuilder::ReplaceAllUses(InstructionId old, InstructionId replacement) {
  if (old == replacement) return;
  HLO_CHECK(instruction(old).computation == instruction(replacement).computation);
  LearnUsers();
  const auto users = users_[old.value];
  for (InstructionId user : users) {
    std::vector<InstructionId> operands;
    for (const Operand& operand : instruction(user).operands) {
      operands.push_back(operand.id == old ? replacement : operand.id);
    }
    SetOperands(user, operands);
  }
  Computation& computation = module_->mutable_computation(instruction(old).computation);
  if (computation.root == old) computation.root = replacement;
  ForEachSuccessor(old, [&](InstructionId successor, std::vector<InstructionId> predecessors) {
    std::ranges::replace(predecessors, old, replacement);
    Set<Attr::kControlPredecessors>(successor, predecessors);
  });
}

template <typename Visit>
void ModuleBuilder::ForEachSuccessor(InstructionId id, const Visit& visit) {
  for (InstructionId other : module_->computation(instruction(id).computation).instructions) {
    const InstructionList* predecessors =
        instruction(other).attributes.GetIf<Attr::kControlPredecessors>();
    if (predecessors == nullptr) continue;
    if (std::ranges::find(*predecessors, id) == predecessors->end()) continue;
    visit(other, std::vector<InstructionId>(predecessors->begin(), predecessors->end()));
  }
}

void ModuleBuilder::Erase(InstructionId id) {
  LearnUsers();
  const Instruction& erased = instruction(id);
  HLO_CHECK(erased.computation.valid() && users_[id.value].empty());
  Computation& computation = module_->mutable_computation(erased.computation);
  HLO_CHECK(computation.root != id);
  for (const Operand& operand : erased.operands) RemoveUser(operand.id, id);
  ForEachSuccessor(id, [&](InstructionId successor, std::vector<InstructionId> predecessors) {
    EraseValue(predecessors, id);
    if (predecessors.empty())
      return module_->RemoveAttribute(successor, Attr::kControlPredecessors);
    Set<Attr::kControlPredecessors>(successor, predecessors);
  });
  EraseValue(computation.instructions, id);
  if (erased.opcode == Opcode::kParameter) {
    EraseValue(computation.parameters, id);
    for (size_t i = 0; i < computation.parameters.size(); ++i) {
      Set<Attr::kParameterNumber>(computation.parameters[i], static_cast<int64_t>(i));
    }
  }
  module_->mutable_instruction(id).computation = ComputationId();
}

void ModuleBuilder::Erase(ComputationId id) {
  HLO_CHECK(module_->entry_id() != id && !IsErased(id));
  for (InstructionId instruction : module_->computation(id).instructions) {
    module_->mutable_instruction(instruction).computation = ComputationId();
  }
  erased_computations_.insert(id);
}

}  // namespace hlo
