// One call of a function that makes an operation: checks its operands, adds the instructions, keeps
// the first error. Not part of the interface.
#ifndef HLOKIT_BUILDER_OPERATION_H_
#define HLOKIT_BUILDER_OPERATION_H_

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "builder/builder_state.h"
#include "builder/op.h"
#include "ir/rule.h"
#include "verifier/rule.h"

namespace hlo {

class Operation;

// An argument as an attribute's value.
template <typename T>
List<T> ToList(ops::ListArg<T> items) {
  return List<T>(items.data(), items.size());
}

// An instruction that has its operands and waits for attributes and its shape. When the operation
// has failed there is none, and nothing happens.
class Draft {
 public:
  template <Attr kAttr>
  Draft& Set(const AttributeType<kAttr>& value);
  // For attributes that are left out where they say what is meant without them.
  template <Attr kAttr>
  Draft& SetIf(bool is_given, const AttributeType<kAttr>& value) {
    return is_given ? Set<kAttr>(value) : *this;
  }
  template <Attr kAttr>
  Draft& SetGiven(const std::optional<AttributeType<kAttr>>& value) {
    return value ? Set<kAttr>(*value) : *this;
  }
  template <Attr kAttr>
  Draft& SetCallee(const ops::Callee& callee) {
    return Set<kAttr>(BuilderState::IdOf(callee));
  }

  // The operation with the shape that its operands and attributes give.
  ops::Op Infer();
  // The same with elements of another type, if one is named.
  ops::Op InferAs(std::optional<ElementType> type);
  // The shape that they give to an opcode which asks for its result's element type.
  ops::Op InferFrom(const Shape& shape);
  // With this shape, which must be one that they allow.
  ops::Op As(const Shape& shape);

 private:
  friend class Operation;
  Draft(Operation& operation, InstructionId id) : operation_(operation), id_(id) {}
  std::optional<Shape> InferredShape(const Shape* written);
  ops::Op Finish(std::optional<Shape> shape);

  Operation& operation_;
  InstructionId id_;
};

class Operation {
 public:
  // `name` is the function's, and must be a literal. The operation goes where its operands are.
  Operation(std::string_view name, ops::SourceLocation at, ops::Ops operands);
  // The operation goes to `builder`'s computation.
  Operation(std::string_view name, ops::SourceLocation at, const HloBuilder& builder,
            ops::Ops operands = {});
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  // Whether the operands can be used and nothing went wrong so far.
  bool ok() const { return ok_; }
  // The operand, or what Add made, has this shape.
  const Shape& ShapeOf(const ops::Op& op) const;
  // What a computation that was Checked returns.
  const Shape& ResultOf(const ops::Callee& callee) const {
    return *module().root(module().computation(BuilderState::IdOf(callee))).shape;
  }
  const Module& module() const { return state_->module(); }
  ComputationId computation() const { return computation_; }
  BuilderState::ComputationState& computation_state() { return state_->computations[computation_]; }

  // Reports an error of `rule`; the result is what the function returns.
  template <typename... Args>
  ops::Op Fail(Rule rule, fmt::format_string<Args...> format, Args&&... args) {
    return FailWith(RuleId(rule), fmt::format(format, std::forward<Args>(args)...));
  }
  // The same for Rule::kResultShape.
  template <typename... Args>
  ops::Op FailResultShape(Opcode opcode, fmt::format_string<Args...> format, Args&&... args) {
    return FailWith(ResultShapeId(opcode), fmt::format(format, std::forward<Args>(args)...));
  }
  // What a function returns that has failed.
  ops::Op Invalid() const { return ops::Op(state_, {}); }
  // The functions below report and say whether all is well.
  bool Check(const ops::Callee& callee);
  bool CheckShape(const Shape& shape);
  // 0 <= dimension < rank; `what` names the argument.
  bool CheckDimension(int64_t dimension, int64_t rank, Rule rule,
                      std::string_view what = "dimension");

  // The instruction that is the operation's value, and one that is made only on the way to it: that
  // has no sharding of the scope.
  Draft Add(Opcode opcode, ops::Ops operands, std::string_view instruction_name = {});
  Draft AddInner(Opcode opcode, ops::Ops operands);

  // An instruction of this computation as a value.
  ops::Op OpOf(InstructionId id) const { return ops::Op(state_, id); }

  // Instructions that are often made on the way.
  ops::Op InnerReshape(const ops::Op& operand, ops::Ints sizes);
  ops::Op InnerBroadcast(const ops::Op& operand, const Shape& shape, ops::Ints dimensions);
  ops::Op InnerElement(const ops::Op& tuple, int64_t index);
  ops::Op InnerConstant(Literal value);
  ops::Op InnerToken(ops::Ops tokens = {});
  // Constants may be long: the literal moves.
  ops::Op AddConstant(Literal value);

  // Takes back an instruction that Infer or As just made and nobody uses.
  void Remove(const ops::Op& op);

  // The builder of the computation that the operation is added to.
  HloBuilder builder() const { return HloBuilder(state_, computation_); }
  ops::SourceLocation at() const { return at_; }

 private:
  friend class Draft;
  void CheckOperands(ops::Ops operands);
  bool CheckOpen();
  Draft Add(Opcode opcode, ops::Ops operands, bool is_inner, std::string_view instruction_name);
  ops::Op AddConstant(Literal value, bool is_inner);
  ops::Op FailWith(std::string_view rule_id, std::string message);
  BuilderState::Call call() const { return {name_, at_}; }
  void ApplyScopes(InstructionId id, bool is_inner);

  std::string_view name_;
  ops::SourceLocation at_;
  std::shared_ptr<BuilderState> state_;  // none: no operand knows its program
  ComputationId computation_;
  bool ok_ = false;
};

template <Attr kAttr>
Draft& Draft::Set(const AttributeType<kAttr>& value) {
  if (operation_.ok()) operation_.state_->builder.Set<kAttr>(id_, value);
  return *this;
}

namespace ops {

// The operations of both lists, one list behind the other.
std::vector<Op> Joined(Ops first, Ops second);

}  // namespace ops
}  // namespace hlo

#endif  // HLOKIT_BUILDER_OPERATION_H_
