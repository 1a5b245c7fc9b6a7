// Builds the tree of a plan: regions, steps, slots, and how long every buffer is in use. Where
// buffers lie is decided afterwards (buffer_plan.h).
#ifndef HLOKIT_INTERP_PLAN_BUILDER_H_
#define HLOKIT_INTERP_PLAN_BUILDER_H_

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "interp/plan.h"
#include "interp/schedule.h"
#include "interp/tuple_leaves.h"

namespace hlo {

// Calls visit(leaf) for the leaves of `shape`, depth first, until it returns false.
template <typename Visit>
bool ForEachLeaf(const Shape& shape, const Visit& visit) {
  if (!shape.IsTuple()) return visit(shape);
  for (const Shape& element : shape.elements()) {
    if (!ForEachLeaf(element, visit)) return false;
  }
  return true;
}

// Buffers hold an array as their one element.
inline const Shape& ArrayShapeOf(const Shape& leaf) {
  return leaf.IsBuffer() ? leaf.element(0) : leaf;
}

class PlanBuilder {
 public:
  PlanBuilder(const Module& module, DiagnosticSink& sink, const PlanOptions& options);

  std::optional<Plan> Build();

 private:
  // The leaves of a value, depth first; tokens and opaque leaves are invalid ids.
  using Value = std::span<const SlotId>;

  // What async-start, -update and -done of one operation have come to (semantics.md 15.4).
  struct AsyncOperation {
    ComputationId computation;
    std::vector<Value> arguments;
    std::optional<Value> result;
  };

  // A loop around what is being built.
  struct OpenLoop {
    int32_t number;
    Region* outer;  // that the loop is a step of
    int64_t begin;  // position of that step
  };

  // --- plan_builder.cc: computations, kernels, slots
  std::optional<Value> BuildComputation(ComputationId id, std::span<const Value> arguments,
                                        SourceRange caller);
  bool FitsLimits(const Instruction& instruction);
  bool BuildInstruction(const Instruction& instruction);
  bool BuildKernel(const Instruction& instruction);
  std::optional<Value> BuildStep(const Instruction& instruction, Step& step);
  // plan_hoist.cc: how many of the open loops `step` must stay in, and building it outside of the
  // others.
  size_t LoopsAround(const Instruction& instruction, const Step& step) const;
  size_t LoopDepthOf(const Buffer& buffer) const;
  bool BuildHoistedStep(const Instruction& instruction, Step& step, size_t loop_count);
  bool BuildFunctions(const Instruction& instruction, Step& step);
  std::unique_ptr<Region> OpenRegion(Region::Role role, ComputationId computation);
  bool CloseRegion(Region& region, Value results);

  bool HasOperands(const Instruction& instruction) const;
  bool IsView(const Instruction& instruction) const;
  bool TakesSizesAtRunTime(const Instruction& instruction, const Step& step) const;
  // The sizes of these arrays are known at run time only; scalars have none.
  void MarkDynamic(std::span<const SlotId> slots);
  // Whether `value`, of `shape`, has all its arrays.
  bool IsComplete(const Shape& shape, Value value) const;
  bool MakesNoElements(const Instruction& instruction) const;
  void CountScratch(int64_t byte_size, InstructionId instruction);
  SlotId ViewOf(SlotId slot, const Shape* shape);
  std::optional<BufferId> NewBuffer(Buffer::Kind kind, const Shape& shape);
  std::optional<SlotId> NewSlot(Buffer::Kind kind, const Shape& shape);
  // One new arena slot for every array leaf of `shape`.
  std::optional<Value> NewValue(const Shape& shape);
  const Literal* ExpandedConstant(const Literal& literal);
  std::optional<SlotId> ConstantSlot(const Literal& written, const Shape& shape);
  std::optional<Value> ConstantValue(const Literal& literal, const Shape& shape);
  std::optional<SlotId> ZeroSlot(const Shape& shape);
  std::optional<Value> ZeroValue(const Shape& shape);
  // `slot` is read at `position`, which lies in the loops that are open now.
  void Read(SlotId slot, int64_t position);
  void Read(Value value, int64_t position);
  std::span<const SlotId> ArraysOf(Value value);
  std::span<const SlotId> OperandArrays(const Instruction& instruction);

  Value& value_of(const Instruction& instruction) {
    return values_[module_.id_of(instruction).value];
  }
  Value operand_value(const Instruction& instruction, size_t i) const {
    return values_[instruction.operands[i].id.value];
  }
  Value KeepValue(std::span<const SlotId> slots) { return plan_.arena_.CopyItems(slots); }
  // The instruction's value is `value`, as Adapted to its shape.
  bool SetValue(const Instruction& instruction, std::optional<Value> value);
  // plan_adapt.cc: `value` as a value of `shape`. Where verified modules mix float types, leaves of
  // another one are converted; anything else that differs is reported as a mistake of
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
  Failure Mismatch(const Instruction& instruction);
  Failure TooLarge(const Instruction& instruction, const absl::Status& status);

  // --- plan_routes.cc, plan_control.cc: one function for each kRouted opcode
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

  const Module& module_;
  DiagnosticSink& sink_;
  Scheduler scheduler_;
  Plan plan_;
  std::vector<Value> values_;  // by instruction; of the computations being built
  int64_t max_byte_size_;
  int call_depth_ = 0;
  int64_t instruction_count_ = 0;  // that were planned, each as often as its computation is called
  int64_t leaf_count_ = 0;         // of their values
  Region* region_ = nullptr;       // that steps are added to
  const Instruction* current_ = nullptr;
  int64_t position_ = 0;
  std::vector<OpenLoop> open_loops_;
  bool hides_sizes_ = false;  // some array has other sizes at run time than are written
  size_t hoist_floor_ = 0;    // loops that surround a branch or function: nothing leaves these
  std::vector<std::span<const Value>> arguments_;  // of the open computations
  absl::flat_hash_map<InstructionId, AsyncOperation> async_operations_;
  TupleLeaves tuple_leaves_;
  absl::flat_hash_set<const Literal*> counted_constants_;
  absl::flat_hash_map<const Literal*, const Literal*> expanded_constants_;
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_PLAN_BUILDER_H_
