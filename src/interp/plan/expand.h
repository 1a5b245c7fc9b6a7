// Pass expand: builds the tree of a plan, its regions, steps and slots.
#ifndef HLOKIT_INTERP_PLAN_EXPAND_H_
#define HLOKIT_INTERP_PLAN_EXPAND_H_

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "interp/plan/passes.h"
#include "interp/plan/schedule.h"
#include "interp/plan/tuple_leaves.h"
#include "ir/named_place.h"

namespace hlo {

class Expander {
 public:
  Expander(Plan& plan, const PassContext& context);

  // False when what was reported ends planning.
  bool Run();

 private:
  // The leaves of a value, depth first; tokens and opaque leaves are invalid ids.
  using Value = std::span<const SlotId>;

  // What async-start, -update and -done of one operation have come to (semantics.md 15.4).
  struct AsyncOperation {
    ComputationId computation;
    std::vector<Value> arguments;
    std::optional<Value> result;
  };

  // --- expand.cc: computations, kernels, slots
  std::optional<Value> BuildComputation(ComputationId id, std::span<const Value> arguments,
                                        SourceRange caller);
  bool FitsLimits(const Instruction& instruction);
  bool BuildInstruction(const Instruction& instruction);
  bool BuildKernel(const Instruction& instruction);
  std::optional<Value> BuildStep(const Instruction& instruction, Step& step);
  bool BuildFunctions(const Instruction& instruction, Step& step);
  std::unique_ptr<Region> NewRegion(Region::Role role, ComputationId computation);
  void SetResults(Region& region, Value results);

  bool HasOperands(const Instruction& instruction) const;
  bool IsPlainCopy(const Instruction& instruction) const;
  bool TakesSizesAtRunTime(const Instruction& instruction, const Step& step) const;
  // The sizes of these arrays are known at run time only; scalars have none.
  void MarkDynamic(std::span<const SlotId> slots);
  // Whether `value`, of `shape`, has all its arrays.
  bool IsComplete(const Shape& shape, Value value) const;
  bool MakesNoElements(const Instruction& instruction) const;
  std::optional<SlotId> NewSlot(const Shape& shape);
  // One new slot for every array leaf of `shape`.
  std::optional<Value> NewValue(const Shape& shape);
  const Literal* ExpandedConstant(const Literal& literal);
  std::optional<SlotId> ConstantSlot(const Literal& written, const Shape& shape);
  std::optional<Value> ConstantValue(const Literal& literal, const Shape& shape);
  std::optional<SlotId> ZeroSlot(const Shape& shape);
  std::optional<Value> ZeroValue(const Shape& shape);
  std::span<const SlotId> ArraysOf(Value value);
  std::span<const SlotId> OperandArrays(const Instruction& instruction);

  Value& value_of(const Instruction& instruction) {
    return values_[module_.id_of(instruction).value];
  }
  Value operand_value(const Instruction& instruction, size_t i) const {
    return values_[instruction.operands[i].id.value];
  }
  Value KeepValue(std::span<const SlotId> slots) { return plan_.lists.CopyItems(slots); }
  // The instruction's value is `value`, as Adapted to its shape.
  bool SetValue(const Instruction& instruction, std::optional<Value> value);
  // expand_conversions.cc: `value` as a value of `shape`. Where verified modules mix float types,
  // leaves of another one are converted; anything else that differs is reported as a mistake of
  // `instruction`'s. Leaves of an asynchronous operation that has not started stay invalid.
  std::optional<Value> Adapted(const Instruction& instruction, Value value, const Shape& shape);
  std::optional<SlotId> AdaptedLeaf(const Instruction& instruction, SlotId slot, const Shape& leaf);
  std::optional<SlotId> Converted(SlotId slot, const Shape& shape);
  // What the kernel of `instruction` makes: the shape of its value, or the same in the type of what
  // it moves, which the value is converted from.
  const Shape& KernelResult(const Instruction& instruction);
  // Brings operands of the step into one type where its kernel moves elements from several.
  bool AlignOperands(const Instruction& instruction, Step& step);
  // As what the kernel of `instruction` hands parameter `number` to the function it calls as
  // `attr`, and takes the function's results. Both differ from the function's own in types of
  // floats only.
  const Shape& FunctionParameter(const Instruction& instruction, Attr attr,
                                 const Computation& function, size_t number);
  const Shape& FunctionResult(const Instruction& instruction, Attr attr, const Instruction& root);
  const Shape& WithType(const Shape& shape, ElementType type);
  // False, and reported, when the sum leaves 63 bits.
  bool AddTo(int64_t& total, int64_t byte_size);
  // What was reported last, of an instruction that may have no text.
  Failure Named(const Instruction& instruction, Failure failure) {
    NotePlace(module_, instruction, sink_);
    return failure;
  }
  Failure Mismatch(const Instruction& instruction);
  Failure TooLarge(const Instruction& instruction, const absl::Status& status);

  // --- expand_routes.cc, expand_control.cc: one function for each kRouted opcode
#define HLO_OPCODE(Name, ...) bool Route##Name(const Instruction& instruction);
#include "ir/opcodes.def"
  // Adds operands from `first_argument` on to the operation, which starts when it has them all.
  bool RouteAsync(const Instruction& instruction, AsyncOperation operation, size_t first_argument);
  bool RouteCalled(const Instruction& instruction, ComputationId callee);
  const AsyncOperation* FindAsyncOperation(const Instruction& instruction) const;
  std::optional<Value> AsyncValue(const Instruction& instruction, const AsyncOperation& operation);
  std::optional<Value> StartedResult(const Instruction& instruction);
  Failure NoChain(const Instruction& instruction);
  bool BuildBranch(const Instruction& instruction, ComputationId branch, Value argument,
                   Step& step);
  Value BodyParameters(Value carried);
  // Whether `slots` is one scalar of `type`.
  bool IsScalar(std::span<const SlotId> slots, ElementType type) const;

  Plan& plan_;
  const Module& module_;
  DiagnosticSink& sink_;
  Scheduler scheduler_;
  std::vector<Value> values_;  // by instruction; of the computations being built
  int64_t max_byte_size_;
  int call_depth_ = 0;
  int64_t instruction_count_ = 0;  // that were planned, each as often as its computation is called
  int64_t leaf_count_ = 0;         // of their values
  Region* region_ = nullptr;       // that steps are added to
  const Instruction* current_ = nullptr;
  int64_t step_count_ = 0;
  bool hides_sizes_ = false;  // some array has other sizes at run time than are written
  std::vector<std::span<const Value>> arguments_;  // of the open computations
  absl::flat_hash_map<InstructionId, AsyncOperation> async_operations_;
  TupleLeaves tuple_leaves_;
  absl::flat_hash_set<const Literal*> counted_constants_;
  absl::flat_hash_map<const Literal*, const Literal*> expanded_constants_;
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_PLAN_EXPAND_H_
