// Copies of instructions, computations and modules, and modules without what was erased. All of
// them are one walk: operands go by id, attribute values reference by reference (references.h).
// Text that a copy in another module no longer stands in is not pointed at: its ranges are empty.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "ir/called_computations.h"
#include "ir/module_builder.h"
#include "support/check.h"

namespace hlo {
namespace {

// Ids in a module that lost some: numbered anew in the old order.
template <typename Id>
class Renumbering {
 public:
  explicit Renumbering(size_t count) : new_ids_(count) {}
  void Add(Id old) { new_ids_[old.value] = Id(count_++); }
  Id operator()(Id old) const {
    HLO_CHECK(old.valid() && new_ids_[old.value].valid());
    return new_ids_[old.value];
  }

 private:
  std::vector<Id> new_ids_;
  size_t count_ = 0;
};

// Copies a module as a whole, but for the instructions without a computation and the computations
// that are left out.
class ModuleCopy : public IntoModule {
 public:
  ModuleCopy(const Module& source, Module& copy)
      : IntoModule(copy),
        source_(source),
        copy_(copy),
        computations_(source.computations().size()),
        instructions_(source.instructions().size()) {}

  using IntoModule::Map;
  ComputationId Map(ComputationId id) override { return computations_(id); }
  InstructionId Map(InstructionId id) override { return instructions_(id); }

  // `computations`: those of the copy, in its order.
  void Run(std::span<const ComputationId> computations) {
    for (ComputationId id : computations) computations_.Add(id);
    for (size_t i = 0; i < source_.instructions().size(); ++i) {
      if (source_.instructions()[i].computation.valid()) instructions_.Add(InstructionId(i));
    }
    for (const Instruction& instruction : source_.instructions()) {
      if (instruction.computation.valid()) CopyInstruction(instruction);
    }
    for (ComputationId id : computations) CopyComputation(source_.computation(id));
    CopyHeader();
  }

 private:
  void CopyInstruction(const Instruction& instruction) {
    Instruction copy = instruction;
    copy.name = arena().CopyText(instruction.name);
    copy.shape = Map(ShapeRef{instruction.shape}).shape;
    copy.computation = Map(instruction.computation);
    const std::span<Operand> operands =
        arena().CopyItems(std::span<const Operand>(instruction.operands));
    for (Operand& operand : operands) operand.id = Map(operand.id);
    copy.operands = List<Operand>(operands);
    copy.attributes = MapReferences(instruction.attributes, *this);
    copy_.AddInstruction(copy);
  }

  void CopyComputation(const Computation& computation) {
    Computation copy = computation;
    copy.name = arena().CopyText(computation.name);
    copy.execution_thread = arena().CopyText(computation.execution_thread);
    for (InstructionId& id : copy.instructions) id = Map(id);
    for (InstructionId& id : copy.parameters) id = Map(id);
    if (copy.root.valid()) copy.root = Map(copy.root);
    copy_.AddComputation(std::move(copy));
  }

  void CopyHeader() {
    copy_.set_name(arena().CopyText(source_.name()));
    copy_.set_name_range(source_.name_range());
    copy_.set_form(source_.form());
    copy_.set_attributes(MapReferences(source_.attributes(), *this));
    if (source_.entry_id().valid()) copy_.set_entry(Map(source_.entry_id()));
    copy_.set_comments({source_.comments().begin(), source_.comments().end()});
    StackFrameTables& frames = copy_.mutable_stack_frames();
    frames = source_.stack_frames();
    for (std::string_view& name : frames.file_names) name = arena().CopyText(name);
    for (std::string_view& name : frames.function_names) name = arena().CopyText(name);
  }

  const Module& source_;
  Module& copy_;
  Renumbering<ComputationId> computations_;
  Renumbering<InstructionId> instructions_;
};

}  // namespace

Module CloneModule(const Module& module) {
  std::vector<ComputationId> all;
  for (size_t i = 0; i < module.computations().size(); ++i) all.push_back(ComputationId(i));
  return CloneModule(module, all);
}

Module CloneModule(const Module& module, std::span<const ComputationId> order) {
  HLO_CHECK(order.size() == module.computations().size());
  Module copy(module.source());
  ModuleCopy(module, copy).Run(order);
  return copy;
}

namespace {

std::vector<ComputationId> CalleesOf(const Module& module, ComputationId id) {
  std::vector<ComputationId> callees;
  for (InstructionId instruction : module.computation(id).instructions) {
    ForEachCalledComputation(module.instruction(instruction),
                             [&](Attr, ComputationId callee) { callees.push_back(callee); });
  }
  return callees;
}

// `ids` reordered as little as puts callees first.
std::vector<ComputationId> CalleesFirst(const Module& module, std::vector<ComputationId> ids) {
  std::vector<ComputationId> order;
  absl::flat_hash_set<ComputationId> reached, placed;
  std::ranges::reverse(ids);  // now a stack
  while (!ids.empty()) {
    const ComputationId id = ids.back();
    if (reached.insert(id).second) {  // its callees go before it
      const std::vector<ComputationId> callees = CalleesOf(module, id);
      for (auto callee = callees.rbegin(); callee != callees.rend(); ++callee) {
        if (!reached.contains(*callee)) ids.push_back(*callee);
      }
      continue;
    }
    ids.pop_back();
    if (placed.insert(id).second) order.push_back(id);
  }
  return order;
}

}  // namespace

// What is left of the computations, as they go into the finished module.
std::vector<ComputationId> ModuleBuilder::FinalOrder() const {
  std::vector<ComputationId> order;
  for (size_t i = 0; i < module_->computations().size(); ++i) {
    if (!IsErased(ComputationId(i))) order.push_back(ComputationId(i));
  }
  return callees_first_ ? CalleesFirst(*module_, std::move(order)) : order;
}

Module ModuleBuilder::Finish() && {
  HLO_CHECK(owned_ != nullptr);
  const bool is_whole = std::ranges::all_of(
      module_->instructions(),
      [](const Instruction& instruction) { return instruction.computation.valid(); });
  const std::vector<ComputationId> order = FinalOrder();
  if (is_whole && order.size() == module_->computations().size() && std::ranges::is_sorted(order)) {
    return std::move(*module_);
  }
  Module copy(module_->source());
  ModuleCopy(*module_, copy).Run(order);
  return copy;
}

// --- Parts ---------------------------------------------------------------------------------------

// Clones what belongs together: instructions are made first and filled in afterwards, because
// operands and control predecessors may stand later in the text; callees are declared when they are
// met and filled in by `Finish`, because calls nest deeply.
class ModuleBuilder::Cloner : public IntoModule {
 public:
  Cloner(ModuleBuilder& builder, const Module& from, CloneMap& map)
      : IntoModule(*builder.module_), builder_(builder), from_(from), map_(map) {}

  InstructionId Declare(InstructionId id, ComputationId into) {
    const Instruction original = from_.instruction(id);  // adding may move it
    const InstructionId copy =
        original.opcode == Opcode::kParameter
            ? builder_.AddParameter(into, *original.shape, original.name)
            : builder_.Add(into, original.opcode, *original.shape, {}, original.name);
    map_.instructions[id] = copy;
    return copy;
  }

  void Fill(InstructionId id) {
    const InstructionId copy = map_.instructions.at(id);
    const AttributeMap attributes = MapReferences(from_.instruction(id).attributes, *this);
    std::vector<InstructionId> operands;
    for (const Operand& operand : from_.instruction(id).operands) {
      operands.push_back(MapOperand(operand.id));
    }
    builder_.SetOperands(copy, operands);
    const int64_t number = builder_.instruction(copy).Get<Attr::kParameterNumber>();
    builder_.SetAttributes(copy, attributes);
    if (from_.instruction(id).opcode == Opcode::kParameter) {
      builder_.Set<Attr::kParameterNumber>(copy, number);
    }
    DropUnknownPredecessors(copy);
  }

  ComputationId Declare(ComputationId id) {
    const ComputationId copy = builder_.AddComputation(from_.computation(id).name);
    map_.computations[id] = copy;
    declared_.push_back(id);
    return copy;
  }

  void Finish() {
    while (!declared_.empty()) {
      const ComputationId id = declared_.back();
      declared_.pop_back();
      Fill(id);
    }
  }

  using IntoModule::Map;
  ComputationId Map(ComputationId id) override {
    const auto cloned = map_.computations.find(id);
    if (cloned != map_.computations.end()) return cloned->second;
    return IsSameModule() ? id : Declare(id);
  }
  // A control predecessor.
  InstructionId Map(InstructionId id) override {
    const auto cloned = map_.instructions.find(id);
    return cloned == map_.instructions.end() ? InstructionId() : cloned->second;
  }
  int32_t MapStackFrame(int32_t id) override { return IsSameModule() ? id : 0; }

 private:
  bool IsSameModule() const { return &from_ == builder_.module_; }

  InstructionId MapOperand(InstructionId id) const {
    const auto cloned = map_.instructions.find(id);
    if (cloned != map_.instructions.end()) return cloned->second;
    HLO_CHECK(IsSameModule());
    return id;
  }

  void DropUnknownPredecessors(InstructionId copy) {
    const auto* predecessors =
        builder_.instruction(copy).attributes.GetIf<Attr::kControlPredecessors>();
    if (predecessors == nullptr) return;
    std::vector<InstructionId> known(predecessors->begin(), predecessors->end());
    std::erase_if(known, [](InstructionId predecessor) { return !predecessor.valid(); });
    if (known.empty()) return builder_.RemoveAttribute(copy, Attr::kControlPredecessors);
    builder_.Set<Attr::kControlPredecessors>(copy, known);
  }

  void Fill(ComputationId id) {
    const Computation original = from_.computation(id);  // adding may move it
    const ComputationId copy = map_.computations.at(id);
    // By number: that is how they are counted.
    for (InstructionId parameter : original.parameters) Declare(parameter, copy);
    for (InstructionId instruction : original.instructions) {
      if (from_.instruction(instruction).opcode != Opcode::kParameter) Declare(instruction, copy);
    }
    for (InstructionId instruction : original.instructions) Fill(instruction);
    builder_.SetExecutionThread(copy, original.execution_thread);
    Computation& computation = builder_.module_->mutable_computation(copy);
    computation.instructions.clear();
    for (InstructionId instruction : original.instructions) {
      computation.instructions.push_back(map_.instructions.at(instruction));
    }
    if (original.root.valid()) computation.root = map_.instructions.at(original.root);
  }

  ModuleBuilder& builder_;
  const Module& from_;
  CloneMap& map_;
  std::vector<ComputationId> declared_;
};

InstructionId ModuleBuilder::CloneInstruction(const Module& from, InstructionId id,
                                              ComputationId into, CloneMap& map) {
  Cloner cloner(*this, from, map);
  const InstructionId copy = cloner.Declare(id, into);
  cloner.Fill(id);
  cloner.Finish();
  return copy;
}

ComputationId ModuleBuilder::CloneComputation(const Module& from, ComputationId id, CloneMap& map) {
  Cloner cloner(*this, from, map);
  const ComputationId copy = cloner.Declare(id);
  cloner.Finish();
  return copy;
}

}  // namespace hlo
