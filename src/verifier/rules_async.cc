// Asynchronous chains: async-start, any number of async-updates, async-done.
// Source: verifier.md 1.10. Names follow it: C is the wrapped computation, P its parameters, R its
// result; a start or update has the shape ((P_0 ... P_k-1), R', context ...).
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "ir/computation_equality.h"
#include "support/count_text.h"
#include "verifier/instruction_kind.h"
#include "verifier/producer.h"
#include "verifier/rules.h"
#include "verifier/shape_index.h"

namespace hlo {
namespace {

bool HasContextShape(const Shape& shape) {
  return shape.IsTuple() && shape.element_count() >= 2 && shape.element(0).IsTuple();
}

Shape ParameterTuple(const Module& module, const Computation& computation) {
  std::vector<Shape> shapes;
  for (InstructionId id : computation.parameters) {
    shapes.push_back(*module.instruction(id).shape);
  }
  return Shape::Tuple(std::move(shapes));
}

Shape WithoutBuffer(const Shape& shape) { return shape.IsBuffer() ? shape.element(0) : shape; }

class AsyncChecker {
 public:
  explicit AsyncChecker(const RuleContext& context) : context_(context), tracer_(context) {}

  void Check() {
    // First: a loop's body, which may go on from a start, stands before the loop's caller.
    for (const Instruction& instruction : module().instructions()) {
      if (instruction.opcode != Opcode::kAsyncStart) continue;
      const ComputationId called = instruction.Get<Attr::kCalls>();
      if (called.valid()) wrapped_[module().id_of(instruction)] = called;
    }
    for (const Instruction& instruction : module().instructions()) {
      OpView op = context_.View(instruction);
      if (op.opcode() == Opcode::kAsyncStart) CheckStart(op);
      if (op.opcode() == Opcode::kAsyncUpdate) CheckUpdate(op);
      if (op.opcode() == Opcode::kAsyncDone) CheckDone(op);
    }
    if (!wrapped_.empty()) CheckChains();
  }

 private:
  const Module& module() const { return context_.module(); }

  // --- Comparisons -------------------------------------------------------------------------------

  // Whether two places hold the same: in layout-sensitive mode, where compilers have settled how,
  // in the same way too.
  bool Agree(const Shape& a, const Shape& b) const {
    return context_.layout_sensitive() ? a == b : Compatible(a, b);
  }

  // Equal shapes, the empty tuple, or a tuple whose elements are prefixes of the first of the
  // other.
  bool IsPrefix(const Shape& prefix, const Shape& whole) const {
    if (Agree(prefix, whole)) return true;
    if (!prefix.IsTuple()) return false;
    if (prefix.element_count() == 0) return true;
    if (!whole.IsTuple() || prefix.element_count() > whole.element_count()) return false;
    for (int64_t i = 0; i < prefix.element_count(); ++i) {
      if (!IsPrefix(prefix.element(i), whole.element(i))) return false;
    }
    return true;
  }

  std::string Text(const Shape& shape) const {
    return context_.layout_sensitive() ? ShapeTextWithLayout(shape) : ShapeText(shape);
  }

  // --- Start -------------------------------------------------------------------------------------

  void CheckStart(const OpView& op) {
    InstructionId id = module().id_of(op.instruction());
    ComputationId called = op.Get<Attr::kCalls>();
    if (!called.valid()) {
      context_.Report(Rule::kAsyncCallsRequired, op.opcode_range(),
                      "an `async-start` names the computation it runs in `calls`");
      return;
    }
    const Computation& computation = module().computation(called);
    if (!CheckContextShape(op, computation)) return;
    const Shape& bound = op.written_shape()->element(0);
    if (bound.element_count() != op.operand_count()) {
      context_.Report(Rule::kAsyncStartOperandCount, op.shape_range(), "{}, the shape binds {}",
                      CountText(op.operand_count(), "operand"), bound.element_count());
    } else {
      CheckBoundOperands(op, bound);
    }
    CheckWrapped(op, computation);
    CheckStartAliases(op, computation);
    CheckUsers(id);
  }

  bool CheckContextShape(const OpView& op, const Computation& computation) {
    const Shape& shape = *op.written_shape();
    if (!HasContextShape(shape)) {
      return context_.Report(Rule::kAsyncStartShape, op.shape_range(),
                             "`{}` is not a tuple of the operands' tuple and a result",
                             ShapeText(shape));
    }
    Shape parameters = ParameterTuple(module(), computation);
    if (!IsPrefix(shape.element(0), parameters)) {
      context_.Report(Rule::kAsyncParamsPrefix, op.shape_range(),
                      "the shape binds `{}`, `{}` takes `{}`", Text(shape.element(0)),
                      computation.name, Text(parameters));
    }
    const Shape& result = *module().root(computation).shape;
    if (!IsPrefix(shape.element(1), result)) {
      context_.Report(Rule::kAsyncResultPrefix, op.shape_range(),
                      "the shape holds the result `{}`, `{}` gives `{}`", Text(shape.element(1)),
                      computation.name, Text(result));
    }
    if (shape.element_count() == 2) {
      context_.Report(Rule::kAsyncStateThird, op.shape_range(),
                      "`{}` has no context state behind operands and result", ShapeText(shape));
    }
    return true;
  }

  void CheckBoundOperands(const OpView& op, const Shape& bound) {
    for (int64_t i = 0; i < op.operand_count(); ++i) {
      if (Agree(op.operand_shape(i), bound.element(i))) continue;
      context_.Report(Rule::kAsyncStartOperandShape, op.operand_range(i),
                      "operand {} is `{}`, the shape binds `{}`", i, Text(op.operand_shape(i)),
                      Text(bound.element(i)));
    }
  }

  // The wrapped computation is one instruction with its parameters.
  void CheckWrapped(const OpView& op, const Computation& computation) {
    if (context_.facts().thread(op.Get<Attr::kCalls>()) != "main") return;
    if (FrontendValue(op.instruction(), "_collectives_group")) return;
    const Instruction* extra = nullptr;
    for (InstructionId id : computation.instructions) {
      const Instruction& inner = module().instruction(id);
      if (inner.opcode == Opcode::kParameter || inner.opcode == Opcode::kGetTupleElement) continue;
      if (id != computation.root) extra = &inner;
    }
    if (extra == nullptr) return;
    context_.Report(Rule::kAsyncWrappedSingle, op.attribute_range(Attr::kCalls),
                    "`{}`, on thread `main`, holds `{}` besides its root and parameters",
                    computation.name, extra->name);
    context_.Note(Rule::kAsyncWrappedSingle, extra->name_range, "`{}` is here", extra->name);
  }

  // What a start's aliases speak of: (parameters, result, context ...) as when all is bound.
  Shape FullyBound(const OpView& op, const Computation& computation) const {
    std::vector<Shape> parts = {ParameterTuple(module(), computation),
                                *module().root(computation).shape};
    const std::span<const Shape> written = op.written_shape()->elements();
    parts.insert(parts.end(), written.begin() + 2, written.end());
    return Shape::Tuple(std::move(parts));
  }

  void CheckStartAliases(const OpView& op, const Computation& computation) {
    const OperandAliases aliases = op.Get<Attr::kOutputToOperandAliasing>();
    if (aliases.empty()) return;
    const Shape whole = FullyBound(op, computation);
    for (const OperandAlias& alias : aliases) {
      const Shape* output = SubShape(whole, alias.output_index);
      const Shape* operand = nullptr;
      if (alias.operand >= 0 &&
          alias.operand < static_cast<int64_t>(computation.parameters.size())) {
        operand = SubShape(*module().instruction(computation.parameters[alias.operand]).shape,
                           alias.operand_index);
      }
      if (output != nullptr && operand != nullptr && !alias.output_index.empty() &&
          Agree(WithoutBuffer(*output), WithoutBuffer(*operand))) {
        continue;
      }
      context_.Report(
          Rule::kAsyncStartAliasOperand, op.attribute_range(Attr::kOutputToOperandAliasing),
          "output `{}` cannot alias part `{}` of operand {}", ShapeIndexText(alias.output_index),
          ShapeIndexText(alias.operand_index), alias.operand);
    }
  }

  // --- Update and done ---------------------------------------------------------------------------

  // The computation that a start or update wraps: what it says itself, or what its chain started
  // with. An invalid id where that has no start.
  ComputationId WrappedBy(InstructionId id) {
    std::vector<InstructionId> updates;
    ComputationId called;
    while (id.valid()) {
      const auto [known, is_new] = wrapped_.try_emplace(id);  // invalid in between: no circles
      if (!is_new) {
        called = known->second;
        break;
      }
      updates.push_back(id);
      const Instruction& update = module().instruction(id);
      const ComputationId own = update.Get<Attr::kCalls>();
      if (update.opcode == Opcode::kAsyncUpdate && own.valid() && !IsSugar(own)) {
        called = own;
        break;
      }
      const bool goes_on = update.opcode == Opcode::kAsyncUpdate && !update.operands.empty();
      id = goes_on ? tracer_.Trace(update.operands[0].id).id : InstructionId();
    }
    for (InstructionId update : updates) wrapped_[update] = called;
    return called;
  }

  // The start or update that `op` goes on from, or an invalid id after reporting `rule`.
  InstructionId ProducerOf(const OpView& op, Rule rule) {
    Producer producer;
    if (op.operand_count() > 0) producer = tracer_.Trace(op.instruction().operands[0].id);
    const ComputationId wrapped = WrappedBy(producer.id);
    if (!wrapped.valid()) {
      // A chain that is broken further back has been reported there.
      const bool is_link = producer.id.valid() && IsAsync(module().instruction(producer.id).opcode);
      if (is_link) return InstructionId();
      context_.Report(rule, op.operand_count() > 0 ? op.operand_range(0) : op.opcode_range(),
                      "operand 0 does not come from an `async-start` or `async-update`");
      return InstructionId();
    }
    // A loop may go on from several starts, whose computations say the same.
    const ComputationId* called = op.instruction().attributes.GetIf<Attr::kCalls>();
    if (called != nullptr && *called != wrapped && !IsSugar(*called) &&
        !(producer.through_loop && EqualComputations(module(), *called, wrapped))) {
      context_.Report(Rule::kAsyncSameComputation, op.attribute_range(Attr::kCalls),
                      "`calls={}`, the operation was started with `{}`",
                      module().computation(*called).name, module().computation(wrapped).name);
    }
    CheckThread(op, context_.facts().thread(wrapped));
    // What goes through a loop may have come from any of its rounds.
    if (!producer.through_loop) {
      successors_[producer.id].push_back(module().id_of(op.instruction()));
    }
    return producer.id;
  }

  // A thread repeated on an update or done is that of the start.
  void CheckThread(const OpView& op, std::string_view started_on) const {
    std::string_view thread = op.Get<Attr::kAsyncExecutionThread>();
    if (thread.empty() || thread == started_on) return;
    context_.Report(Rule::kThreadAsyncInherited, op.attribute_range(Attr::kAsyncExecutionThread),
                    "thread `{}`, the operation was started on `{}`", thread, started_on);
  }

  bool IsSugar(ComputationId id) const {
    return module().computation(id).spelling == Spelling::kAsyncSugar;
  }

  void CheckUpdate(const OpView& op) {
    InstructionId producer = ProducerOf(op, Rule::kAsyncUpdateOperand0);
    if (!producer.valid()) return;
    InstructionId id = module().id_of(op.instruction());
    const Computation& computation = module().computation(WrappedBy(id));
    if (!CheckContextShape(op, computation)) return;
    const Shape& before = op.operand_shape(0);
    if (HasContextShape(before)) CheckGrowth(op, before, *op.written_shape());
    CheckUpdateAliases(op);
    CheckUsers(id);
  }

  void CheckGrowth(const OpView& op, const Shape& before, const Shape& after) {
    if (!IsPrefix(before.element(0), after.element(0))) {
      context_.Report(Rule::kAsyncUpdateParamsGrow, op.shape_range(),
                      "operands `{}` were bound before, now `{}`", Text(before.element(0)),
                      Text(after.element(0)));
      return;
    }
    if (!IsPrefix(before.element(1), after.element(1))) {
      context_.Report(Rule::kAsyncUpdateResultGrow, op.shape_range(),
                      "the result was `{}` before, now it is `{}`", Text(before.element(1)),
                      Text(after.element(1)));
    }
    int64_t old_count = before.element(0).element_count();
    int64_t new_count = after.element(0).element_count() - old_count;
    if (op.operand_count() - 1 != new_count) {
      context_.Report(Rule::kAsyncUpdateNewOperands, op.shape_range(),
                      "{}, the shape binds {} more than before",
                      CountText(op.operand_count() - 1, "further operand"), new_count);
      return;
    }
    for (int64_t i = 0; i < new_count; ++i) {
      const Shape& bound = after.element(0).element(old_count + i);
      if (Agree(op.operand_shape(1 + i), bound)) continue;
      context_.Report(Rule::kAsyncUpdateNewOperands, op.operand_range(1 + i),
                      "operand {} is `{}`, the shape binds `{}`", 1 + i,
                      Text(op.operand_shape(1 + i)), Text(bound));
    }
  }

  void CheckUpdateAliases(const OpView& op) {
    for (const OperandAlias& alias : op.Get<Attr::kOutputToOperandAliasing>()) {
      const Shape* output = SubShape(*op.written_shape(), alias.output_index);
      const Shape* operand = SubShape(op.operand_shape(0), alias.operand_index);
      bool is_context = alias.operand == 0 && StartsInContext(alias.output_index) &&
                        StartsInContext(alias.operand_index);
      if (is_context && output != nullptr && operand != nullptr && Agree(*output, *operand)) {
        continue;
      }
      context_.Report(Rule::kAsyncUpdateAlias, op.attribute_range(Attr::kOutputToOperandAliasing),
                      "output `{}` cannot alias part `{}` of operand {}: only the context may",
                      ShapeIndexText(alias.output_index), ShapeIndexText(alias.operand_index),
                      alias.operand);
    }
  }

  static bool StartsInContext(const IntList& index) { return !index.empty() && index[0] >= 2; }

  void CheckDone(const OpView& op) {
    if (op.operand_count() != 1) {
      context_.Report(Rule::kAsyncDoneSingleOperand, op.opcode_range(),
                      "`async-done` takes 1 operand, found {}", op.operand_count());
      if (op.operand_count() == 0) return;
    }
    InstructionId producer = ProducerOf(op, Rule::kAsyncDoneOperand);
    if (!producer.valid()) return;
    const Computation& computation = module().computation(WrappedBy(producer));
    const Shape& result = *module().root(computation).shape;
    if (!Agree(*op.written_shape(), result)) {
      context_.Report(Rule::kAsyncDoneShape, op.shape_range(),
                      "`async-done` is written as `{}`, `{}` gives `{}`", Text(*op.written_shape()),
                      computation.name, Text(result));
    }
    const Shape& context_shape = *module().instruction(producer).shape;
    if (!HasContextShape(context_shape)) return;
    int64_t bound_count = context_shape.element(0).element_count();
    if (bound_count < static_cast<int64_t>(computation.parameters.size())) {
      context_.Report(Rule::kAsyncDoneFullyBound, op.operand_range(0),
                      "only {} of the {} operands of `{}` are bound", bound_count,
                      computation.parameters.size(), computation.name);
    }
  }

  // --- Users and chains --------------------------------------------------------------------------

  void CheckUsers(InstructionId id) {
    const Instruction* previous = nullptr;
    for (InstructionId user_id : context_.facts().users(id)) {
      const Instruction& user = module().instruction(user_id);
      if (&user == previous) continue;
      previous = &user;
      if (IsAsync(user.opcode)) {
        CheckUsePosition(id, context_.View(user));
      } else if (!MayHoldContext(user)) {
        context_.Report(Rule::kAsyncUseKind, user.opcode_range,
                        "`{}` takes `{}`, whose operation is not done", OpcodeName(user.opcode),
                        module().instruction(id).name);
      }
    }
  }

  void CheckUsePosition(InstructionId id, const OpView& user) {
    for (int64_t i = 0; i < user.operand_count(); ++i) {
      if (user.instruction().operands[i].id != id) continue;
      if (i == 0 && user.opcode() != Opcode::kAsyncStart) continue;
      context_.Report(Rule::kAsyncUsePosition, user.operand_range(i),
                      "`{}` is operand {} of `{}`, not what it goes on from",
                      module().instruction(id).name, i, OpcodeName(user.opcode()));
    }
  }

  void CheckChains() {
    for (const auto& [id, computation] : wrapped_) {
      if (!computation.valid()) continue;
      const Instruction& instruction = module().instruction(id);
      auto successors = successors_.find(id);
      if (successors != successors_.end()) {
        CheckFork(instruction, successors->second);
      } else if (!IsCarriedAway(context_, id)) {
        ReportUnfinished(instruction);
      }
    }
  }

  void CheckFork(const Instruction& instruction, const std::vector<InstructionId>& successors) {
    if (successors.size() == 1) return;
    Rule rule =
        instruction.opcode == Opcode::kAsyncStart ? Rule::kAsyncDoneStart : Rule::kAsyncOneChain;
    const Instruction& second = module().instruction(successors[1]);
    const Instruction& first = module().instruction(successors[0]);
    context_.Report(rule, second.name_range, "both `{}` and `{}` go on from `{}`", first.name,
                    second.name, instruction.name);
    context_.Note(rule, first.name_range, "`{}` is here", first.name);
  }

  void ReportUnfinished(const Instruction& instruction) {
    bool is_start = instruction.opcode == Opcode::kAsyncStart;
    context_.Report(is_start ? Rule::kAsyncStartWithoutDone : Rule::kAsyncOrphanUpdate,
                    instruction.name_range, "no `async-done` ends `{}`", instruction.name);
  }

  const RuleContext& context_;
  ProducerTracer tracer_;
  absl::flat_hash_map<InstructionId, ComputationId> wrapped_;  // of starts and updates
  absl::flat_hash_map<InstructionId, std::vector<InstructionId>> successors_;
};

}  // namespace

void VerifyAsync(const RuleContext& context) { AsyncChecker(context).Check(); }

}  // namespace hlo
