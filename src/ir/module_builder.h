// Makes modules in code and changes them: add, insert, erase, replace, clone. Everything goes by
// ids, which stay what they are until Finish.
//
//   ModuleBuilder builder("scaled");
//   ComputationId main = builder.AddComputation("main");
//   InstructionId x = builder.AddParameter(main, Shape::Scalar(ElementType::kF32), "x");
//   builder.SetRoot(main, builder.Add(main, Opcode::kNegate, shape, {x}));
//   builder.SetEntry(main);
//   Module module = std::move(builder).Finish();
//
// Wrong use (an id of another module, erasing what is used) is a defect of the caller and aborts;
// whether the program means anything is the verifier's question.
#ifndef HLOKIT_IR_MODULE_BUILDER_H_
#define HLOKIT_IR_MODULE_BUILDER_H_

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "ir/module.h"
#include "ir/references.h"
#include "ir/unique_names.h"

namespace hlo {

// What became of computations and instructions that were cloned.
struct CloneMap {
  absl::flat_hash_map<ComputationId, ComputationId> computations;
  absl::flat_hash_map<InstructionId, InstructionId> instructions;
};

// Where an instruction stands in a text.
struct InstructionRanges {
  SourceRange whole;
  SourceRange name;
  SourceRange shape;
  SourceRange opcode;
};

class ModuleBuilder {
 public:
  // An empty module without text.
  explicit ModuleBuilder(std::string_view name);
  // A module to change. Names and attributes stay as they are.
  explicit ModuleBuilder(Module module);
  // A part in the making of `module`, which somebody else reads from a text, adds to as well and
  // finishes. As in texts, instructions have names unique in their computation, and computations
  // those they are given; none is added to by both.
  explicit ModuleBuilder(Module* module);

  const Module& module() const { return *module_; }
  const Instruction& instruction(InstructionId id) const { return module_->instruction(id); }

  // --- Making ----------------------------------------------------------------------------------

  // Names that are taken get a number: `add`, `add.1`. An empty name is made of the opcode.
  ComputationId AddComputation(std::string_view name);
  // Appends to `computation`.
  InstructionId Add(ComputationId computation, Opcode opcode, const Shape& shape,
                    std::span<const InstructionId> operands = {}, std::string_view name = {});
  InstructionId Add(ComputationId computation, Opcode opcode, const Shape& shape,
                    std::initializer_list<InstructionId> operands, std::string_view name = {}) {
    return Add(computation, opcode, shape, std::span(operands.begin(), operands.size()), name);
  }
  // The next parameter of `computation`.
  InstructionId AddParameter(ComputationId computation, const Shape& shape, std::string_view name);
  // The parameters of `computation`, by number: for who makes them in another order, by Add.
  void SetParameters(ComputationId computation, std::span<const InstructionId> parameters);
  InstructionId AddConstant(ComputationId computation, Literal value, std::string_view name = {});
  // Sets or replaces an attribute; text and lists are copied into the module.
  template <Attr kAttr>
  void Set(InstructionId id, const AttributeType<kAttr>& value) {
    Storage storage(*module_);
    module_->SetAttribute<kAttr>(id, MapReferences(value, storage));
  }
  template <Attr kAttr>
  void SetModule(const AttributeType<kAttr>& value) {
    Storage storage(*module_);
    module_->SetModuleAttribute<kAttr>(MapReferences(value, storage));
  }
  // A copy of an attribute's value that lives as long as the module.
  template <typename T>
  T Store(const T& value) {
    Storage storage(*module_);
    return MapReferences(value, storage);
  }
  void RemoveAttribute(InstructionId id, Attr attr) { module_->RemoveAttribute(id, attr); }
  // Replaces all attributes by those of another instruction of this module, or values stored here.
  void SetAttributes(InstructionId id, AttributeMap attributes);
  void SetRoot(ComputationId computation, InstructionId root);
  void SetEntry(ComputationId computation) { module_->set_entry(computation); }
  void SetForm(ModuleForm form) { module_->set_form(form); }
  void SetSpelling(InstructionId id, Spelling spelling);
  void SetSpelling(ComputationId id, Spelling spelling);
  void SetExecutionThread(ComputationId id, std::string_view thread);
  void SetStackFrames(StackFrameTables tables);
  // Where diagnostics are, in the text that the finished module will have.
  void SetRange(InstructionId id, SourceRange range);
  void SetRanges(InstructionId id, const InstructionRanges& ranges);
  void SetRange(ComputationId id, SourceRange range);

  // --- Changing --------------------------------------------------------------------------------

  // Moves `id` in the order of its computation, right before `place`.
  void MoveBefore(InstructionId id, InstructionId place);
  // All instructions of `computation`, in their new order.
  void SetOrder(ComputationId computation, std::span<const InstructionId> order);
  void SetShape(InstructionId id, const Shape& shape);
  void SetName(InstructionId id, std::string_view name);
  // Renames what shares its name with something before it in the whole module, as XLA does behind
  // the parser (grammar.md 7.3): computations and, apart from them, instructions in the order of
  // their computations. `order` has each computation once.
  void MakeNamesUnique(std::span<const ComputationId> order);
  void SetOperand(InstructionId user, size_t operand, InstructionId value);
  void SetOperands(InstructionId user, std::span<const InstructionId> operands);
  // Every use of `old` (operands, control predecessors, the root) becomes one of `replacement`.
  void ReplaceAllUses(InstructionId old, InstructionId replacement);
  // The instructions with `id` as an operand, once each.
  std::span<const InstructionId> UsersOf(InstructionId id);
  // Removes an instruction that nobody uses and that is no root; what had to wait for it does so no
  // longer. Parameters behind an erased one are renumbered.
  void Erase(InstructionId id);
  // Removes a computation, its instructions included. Nobody may call it.
  void Erase(ComputationId id);
  bool IsErased(InstructionId id) const { return !module_->instruction(id).computation.valid(); }
  bool IsErased(ComputationId id) const { return erased_computations_.contains(id); }

  // --- Cloning ---------------------------------------------------------------------------------

  // A copy of `id` at the end of `into`. `from` may be this builder's module or another one.
  // Operands, control predecessors and callees are looked up in `map`: operands must be there,
  // unless they are of this module and `into`; missing callees are cloned, missing control
  // predecessors dropped. The copy is entered into `map`.
  InstructionId CloneInstruction(const Module& from, InstructionId id, ComputationId into,
                                 CloneMap& map);
  // A copy of a computation and, of another module, of all that it calls; within one module the
  // callees are shared. Stack frames, which are numbers in their module's tables, are left behind
  // by what goes to another module.
  ComputationId CloneComputation(const Module& from, ComputationId id, CloneMap& map);

  // Finish puts each computation behind those that it calls, as XLA prints them.
  void OrderCalleesFirst() { callees_first_ = true; }

  // The module without what was erased; ids are dense again, in the old order. For who owns it.
  Module Finish() &&;

 private:
  // Values of this module: the ids are its own.
  class Storage : public IntoModule {
   public:
    using IntoModule::IntoModule;
    using IntoModule::Map;
    ComputationId Map(ComputationId id) override { return id; }
    InstructionId Map(InstructionId id) override { return id; }
  };
  class Cloner;

  // Calls visit(user, predecessors) for the instructions of a computation that name `id` there.
  template <typename Visit>
  void ForEachSuccessor(InstructionId id, const Visit& visit);
  // Users are looked for when they are first asked for, and after that among what came since.
  void LearnUsers();
  bool HasLearnedUsersOf(InstructionId user) const { return user.value < users_.size(); }
  // The same for the names that are taken where `computation` is.
  void LearnNames(ComputationId computation);
  void LearnComputationNames();
  std::string_view TakeName(std::string_view name, UniqueNames& taken);
  std::string_view UniqueName(ComputationId computation, std::string_view name,
                              std::string_view fallback);
  void AddUser(InstructionId id, InstructionId user);
  void RemoveUser(InstructionId id, InstructionId user);
  std::vector<ComputationId> FinalOrder() const;
  List<Operand> StoreOperands(std::span<const InstructionId> operands);

  std::unique_ptr<Module> owned_;  // null for a part of somebody else's module
  Module* module_;
  UniqueNames instruction_names_;
  size_t named_instruction_count_ = 0;  // of the module; their names are among those
  ComputationId named_computation_;     // in a part: the one they are the names of
  UniqueNames computation_names_;
  size_t named_computation_count_ = 0;
  std::vector<absl::InlinedVector<InstructionId, 2>> users_;  // by instruction, the first of them
  absl::flat_hash_set<ComputationId> erased_computations_;
  bool callees_first_ = false;
};

// A deep copy of `module`, with its text and source ranges.
Module CloneModule(const Module& module);
// The same with its computations in `order`, which has each once.
Module CloneModule(const Module& module, std::span<const ComputationId> order);

}  // namespace hlo

#endif  // HLOKIT_IR_MODULE_BUILDER_H_
