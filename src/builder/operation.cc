// An instruction is added first and gets attributes and shape afterwards, because inference asks
// them of the module. When inference refuses, the program is one that nobody will see.
#include "builder/operation.h"

#include <algorithm>

#include "inference/shape_inference.h"
#include "ir/leaves.h"
#include "ir/max_rank.h"
#include "verifier/verifier.h"

namespace hlo {

using ops::Callee;
using ops::Ints;
using ops::Op;
using ops::Ops;

// --- Operation -----------------------------------------------------------------------------------

Operation::Operation(std::string_view name, ops::SourceLocation at, Ops operands)
    : name_(name), at_(at) {
  for (const Op& operand : operands) {
    if (state_ == nullptr) state_ = BuilderState::Of(operand);
    if (computation_.valid() || !operand.valid() || BuilderState::Of(operand) != state_) continue;
    computation_ = module().instruction(BuilderState::IdOf(operand)).computation;
  }
  CheckOperands(operands);
}

Operation::Operation(std::string_view name, ops::SourceLocation at, const HloBuilder& builder,
                     Ops operands)
    : name_(name), at_(at), state_(builder.state()), computation_(builder.computation()) {
  CheckOperands(operands);
}

void Operation::CheckOperands(Ops operands) {
  if (!CheckOpen()) return;
  ok_ = true;
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::shared_ptr<BuilderState>& owner = BuilderState::Of(operands[i]);
    if (owner != nullptr && owner != state_) {
      Fail(Rule::kBuilderOneModule, "argument {} is an operation of another builder's module", i);
    } else if (!operands[i].valid()) {
      Fail(Rule::kBuilderOperationHandle, "argument {} is no operation: nothing was assigned to it",
           i);
    } else if (const ComputationId other =
                   module().instruction(BuilderState::IdOf(operands[i])).computation;
               other != computation_) {
      Fail(Rule::kBuilderOneComputation,
           "argument {} is an operation of `{}`, the others are of `{}`", i,
           module().computation(other).name, module().computation(computation_).name);
    }
  }
}

// Whether there is a computation that can be added to.
bool Operation::CheckOpen() {
  if (state_ == nullptr || !state_->open()) return false;
  if (!computation_.valid()) {
    FailWith(RuleId(Rule::kBuilderOperationHandle),
             "no argument is an operation: nothing was assigned to it");
    return false;
  }
  if (!computation_state().finished) return true;
  Fail(Rule::kBuilderComputationFinished, "the computation `{}` was built and cannot be added to",
       module().computation(computation_).name);
  return false;
}

Op Operation::FailWith(std::string_view rule_id, std::string message) {
  if (state_ != nullptr && !state_->built) state_->Fail(call(), rule_id, std::move(message));
  ok_ = false;
  return Invalid();
}

const Shape& Operation::ShapeOf(const Op& op) const { return op.shape(); }

bool Operation::Check(const Callee& callee) {
  if (!ok_) return false;
  const std::shared_ptr<BuilderState>& owner = BuilderState::Of(callee);
  if (owner == nullptr || !BuilderState::IdOf(callee).valid()) {
    Fail(Rule::kBuilderOperationHandle, "the computation to call was never built");
  } else if (owner != state_) {
    Fail(Rule::kBuilderOneModule, "the computation to call is one of another builder's module");
  }
  return ok_;
}

namespace {

int64_t LargestRank(const Shape& shape) {
  int64_t rank = 0;
  ForEachLeaf(shape, [&](const Shape& leaf) { rank = std::max(rank, ArrayShapeOf(leaf).rank()); });
  return rank;
}

}  // namespace

bool Operation::CheckShape(const Shape& shape) {
  if (!ok_) return false;
  if (const int64_t rank = LargestRank(shape); rank > kMaxRank) {
    Fail(Rule::kShapeRank, "an array with {} dimensions, more than {}", rank, kMaxRank);
    return false;
  }
  if (const int depth = shape.Depth(); depth >= kMaxTupleDepth) {
    Fail(Rule::kInstNestingDepth, "the tuples nest {} levels deep", depth);
    return false;
  }
  if (const int64_t count = shape.PartCount(); count > kMaxOperandPartCount) {
    Fail(Rule::kShapePartCount, "the tuples have {} parts, more than {}", count,
         kMaxOperandPartCount);
    return false;
  }
  DiagnosticSink sink(module().source());
  VerifyShape(shape, sink);
  if (state_->FailWith(call(), sink)) ok_ = false;
  return ok_;
}

bool Operation::CheckDimension(int64_t dimension, int64_t rank, Rule rule, std::string_view what) {
  if (!ok_) return false;
  if (dimension >= 0 && dimension < rank) return true;
  Fail(rule, "{} {} of an array with {} dimension{}", what, dimension, rank, rank == 1 ? "" : "s");
  return false;
}

void Operation::ApplyScopes(InstructionId id, bool is_inner) {
  ModuleBuilder& builder = state_->builder;
  if (state_->metadata) builder.Set<Attr::kMetadata>(id, *state_->metadata);
  if (state_->sharding && !is_inner) builder.Set<Attr::kSharding>(id, *state_->sharding);
  if (state_->frontend_attributes.empty()) return;
  std::vector<FrontendAttribute> attributes;
  for (const auto& [key, value] : state_->frontend_attributes) attributes.push_back({key, value});
  builder.Set<Attr::kFrontendAttributes>(id, attributes);
}

Draft Operation::Add(Opcode opcode, Ops operands, bool is_inner,
                     std::string_view instruction_name) {
  if (!ok_) return Draft(*this, {});
  std::vector<InstructionId> ids;
  for (const Op& operand : operands) ids.push_back(BuilderState::IdOf(operand));
  const InstructionId id =
      state_->builder.Add(computation_, opcode, Shape::Token(), ids, instruction_name);
  state_->Record(id, call());
  ApplyScopes(id, is_inner);
  return Draft(*this, id);
}

Draft Operation::Add(Opcode opcode, Ops operands, std::string_view instruction_name) {
  return Add(opcode, operands, false, instruction_name);
}

Draft Operation::AddInner(Opcode opcode, Ops operands) { return Add(opcode, operands, true, {}); }

void Operation::Remove(const Op& op) { state_->builder.Erase(BuilderState::IdOf(op)); }

Op Operation::InnerReshape(const Op& operand, Ints sizes) {
  if (!ok_) return Invalid();
  return AddInner(Opcode::kReshape, {operand})
      .As(Shape::Array(ShapeOf(operand).element_type(), {sizes.data(), sizes.size()}));
}

Op Operation::InnerBroadcast(const Op& operand, const Shape& shape, Ints dimensions) {
  return AddInner(Opcode::kBroadcast, {operand})
      .Set<Attr::kDimensions>(ToList(dimensions))
      .As(shape);
}

Op Operation::InnerElement(const Op& tuple, int64_t index) {
  return AddInner(Opcode::kGetTupleElement, {tuple}).Set<Attr::kIndex>(index).Infer();
}

Op Operation::InnerToken(Ops tokens) { return AddInner(Opcode::kAfterAll, tokens).Infer(); }

Op Operation::AddConstant(Literal value, bool is_inner) {
  if (!CheckShape(value.shape())) return Invalid();
  const InstructionId id = state_->builder.AddConstant(computation_, std::move(value));
  state_->Record(id, call());
  ApplyScopes(id, is_inner);
  return OpOf(id);
}

Op Operation::AddConstant(Literal value) { return AddConstant(std::move(value), false); }
Op Operation::InnerConstant(Literal value) { return AddConstant(std::move(value), true); }

// --- Draft ---------------------------------------------------------------------------------------

std::optional<Shape> Draft::InferredShape(const Shape* written) {
  if (!operation_.ok()) return std::nullopt;
  Instruction instruction = operation_.module().instruction(id_);
  instruction.shape = written;
  DiagnosticSink sink(operation_.module().source());
  std::optional<Shape> shape = InferShape(OpView(operation_.module(), instruction), sink);
  if (operation_.state_->FailWith(operation_.call(), sink)) operation_.ok_ = false;
  return operation_.ok() ? std::move(shape) : std::nullopt;
}

Op Draft::Finish(std::optional<Shape> shape) {
  if (!shape) return operation_.Invalid();
  operation_.state_->builder.SetShape(id_, *shape);
  return operation_.OpOf(id_);
}

Op Draft::Infer() { return Finish(InferredShape(nullptr)); }

Op Draft::InferAs(std::optional<ElementType> type) {
  std::optional<Shape> shape = InferredShape(nullptr);
  if (shape && type) shape->set_element_type(*type);
  if (shape && !operation_.CheckShape(*shape)) shape.reset();
  return Finish(std::move(shape));
}

Op Draft::InferFrom(const Shape& shape) {
  std::optional<Shape> inferred = InferredShape(&shape);
  if (inferred && !operation_.CheckShape(*inferred)) inferred.reset();
  return Finish(std::move(inferred));
}

Op Draft::As(const Shape& shape) {
  Shape written = shape;
  written.FillDefaultLayouts();
  if (!operation_.CheckShape(written) || !InferredShape(&written)) return operation_.Invalid();
  return Finish(std::move(written));
}

namespace ops {

std::vector<Op> Joined(Ops first, Ops second) {
  std::vector<Op> all = first.ToVector();
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

}  // namespace ops
}  // namespace hlo
