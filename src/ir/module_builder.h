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

class ModuleBuilder {
 public:
  // An empty module without text.
  explicit ModuleBuilder(std::string_view name);
  // A module to change. Names and attributes stay as they are.
  explicit ModuleBuilder(Module module);

  const Module& module() const { return module_; }
  const Instruction& instruction(InstructionId id) const { return module_.instruction(id); }

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
    Storage storage(module_);
    module_.SetAttribute<kAttr>(id, MapReferences(value, storage));
  }
  template <Attr kAttr>
  void SetModule(const AttributeType<kAttr>& value) {
    Storage storage(module_);
    module_.SetModuleAttribute<kAttr>(MapReferences(value, storage));
  }
  // A copy of an attribute's value that lives as long as the module.
  template <typename T>
  T Store(const T& value) {
    Storage storage(module_);
    return MapReferences(value, storage);
  }
  void RemoveAttribute(InstructionId id, Attr attr) { module_.RemoveAttribute(id, attr); }
  void SetRoot(ComputationId computation, InstructionId root);
  void SetEntry(ComputationId computation) { module_.set_entry(computation); }
  // Where diagnostics about `id` are, in the text that the finished module will have.
  void SetRange(InstructionId id, SourceRange range);

  // --- Changing --------------------------------------------------------------------------------

  // Moves `id` in the order of its computation, right before `place`.
  void MoveBefore(InstructionId id, InstructionId place);
  void SetShape(InstructionId id, const Shape& shape);
  void SetName(InstructionId id, std::string_view name);
  void SetOperand(InstructionId user, size_t operand, InstructionId value);
  void SetOperands(InstructionId user, std::span<const InstructionId> operands);
  // Every use of `old` (operands, control predecessors, the root) becomes one of `replacement`.
  void ReplaceAllUses(InstructionId old, InstructionId replacement);
  // The instructions with `id` as an operand, once each.
  std::span<const InstructionId> UsersOf(InstructionId id) const { return users_[id.value]; }
  // Removes an instruction that nobody uses and that is no root; what had to wait for it does so no
  // longer. Parameters behind an erased one are renumbered.
  void Erase(InstructionId id);
  // Removes a computation, its instructions included. Nobody may call it.
  void Erase(ComputationId id);
  bool IsErased(InstructionId id) const { return !module_.instruction(id).computation.valid(); }
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

  // The module without what was erased; ids are dense again, in the old order.
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
  std::string_view UniqueName(std::string_view name, std::string_view fallback);
  void AddUser(InstructionId id, InstructionId user);
  void RemoveUser(InstructionId id, InstructionId user);
  std::vector<ComputationId> FinalOrder() const;
  List<Operand> StoreOperands(std::span<const InstructionId> operands);
  InstructionId Append(ComputationId computation, const Instruction& instruction);

  Module module_;
  UniqueNames instruction_names_;
  UniqueNames computation_names_;
  std::vector<absl::InlinedVector<InstructionId, 2>> users_;  // by instruction
  absl::flat_hash_set<ComputationId> erased_computations_;
  bool callees_first_ = false;
};

// A deep copy of `module`, with its text and source ranges.
Module CloneModule(const Module& module);

}  // namespace hlo

#endif  // HLOKIT_IR_MODULE_BUILDER_H_
