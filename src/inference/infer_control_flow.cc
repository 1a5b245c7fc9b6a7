// Opcodes that run computations as control flow (verifier.md 3.11). The shapes of fusion and
// custom-call are what is written.
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "inference/compatibility.h"
#include "inference/infer.h"
#include "inference/operand_checks.h"
#include "inference/signature.h"
#include "support/count_text.h"

namespace hlo {
namespace {

// Gives `shape` the dynamic dimensions that `other`, which is compatible, has.
void MergeDynamicFlags(Shape& shape, const Shape& other) {
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (IsDynamicDim(other, d)) shape.set_dynamic(d, true);
  }
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    MergeDynamicFlags(shape.mutable_element(i), other.element(i));
  }
}

bool CheckOneParameter(const OpView& op, Attr attr, const Signature& callee, Rule rule,
                       DiagnosticSink& sink) {
  if (callee.parameter_count() == 1) return true;
  return sink.Error(rule, op.attribute_range(attr), "`{}` has {} instead of 1", callee.name(),
                    CountText(callee.parameter_count(), "parameter"));
}

bool CheckLoopParameter(const OpView& op, Attr attr, const Signature& callee, Rule count_rule,
                        Rule shape_rule, DiagnosticSink& sink) {
  if (!CheckOneParameter(op, attr, callee, count_rule, sink)) return false;
  if (Compatible(op.operand_shape(0), callee.parameter(0))) return true;
  return sink.Error(shape_rule, op.attribute_range(attr),
                    "the initial value is `{}`, the parameter of `{}` is `{}`",
                    ShapeText(op.operand_shape(0)), callee.name(), ShapeText(callee.parameter(0)));
}

// --- conditional -------------------------------------------------------------------------------

struct Branch {
  Attr attr;
  ComputationId id;
};

// The branches in the order of their numbers: true before false.
std::vector<Branch> BranchesOf(const OpView& op) {
  std::vector<Branch> branches;
  for (ComputationId id : op.Get<Attr::kBranchComputations>()) {
    branches.push_back({Attr::kBranchComputations, id});
  }
  if (op.Has(Attr::kTrueComputation)) {
    branches.push_back({Attr::kTrueComputation, op.Get<Attr::kTrueComputation>()});
  }
  if (op.Has(Attr::kFalseComputation)) {
    branches.push_back({Attr::kFalseComputation, op.Get<Attr::kFalseComputation>()});
  }
  return branches;
}

bool CheckSelector(const OpView& op, DiagnosticSink& sink) {
  if (!CheckScalar(op, 0, Rule::kConditionalSelectorScalar, sink)) return false;
  const ElementType type = op.operand_shape(0).element_type();
  if (type == ElementType::kPred || type == ElementType::kS32) return true;
  return sink.Error(Rule::kConditionalSelectorType, op.operand_range(0),
                    "the selector is `{}`, not pred or s32", ElementTypeName(type));
}

// The branch attributes that `op` has: "`branch_computations` with 3 branches".
std::string BranchFormText(const OpView& op) {
  std::vector<std::string> found;
  for (Attr attr : {Attr::kTrueComputation, Attr::kFalseComputation}) {
    if (op.Has(attr)) found.push_back(fmt::format("`{}`", AttributeName(attr)));
  }
  if (op.Has(Attr::kBranchComputations)) {
    found.push_back(fmt::format("`branch_computations` with {} branches",
                                op.Get<Attr::kBranchComputations>().size()));
  }
  return found.empty() ? "neither" : fmt::format("{}", fmt::join(found, " and "));
}

// A pred chooses between true_computation and false_computation, a number among
// branch_computations.
bool CheckBranchForm(const OpView& op, size_t branch_count, DiagnosticSink& sink) {
  const bool is_pred = op.operand_shape(0).element_type() == ElementType::kPred;
  const bool has_list = op.Has(Attr::kBranchComputations);
  const bool has_true = op.Has(Attr::kTrueComputation);
  const bool has_false = op.Has(Attr::kFalseComputation);
  const bool named = has_true && has_false && !has_list;
  const bool listed = has_list && !has_true && !has_false;
  if (is_pred ? named : listed && branch_count > 0) return true;
  return sink.Error(Rule::kConditionalPredForm, op.opcode_range(), "{}, found {}",
                    is_pred ? "a pred selects between `true_computation` and `false_computation`"
                            : "an s32 selects among the computations of `branch_computations`",
                    BranchFormText(op));
}

bool CheckBranch(const OpView& op, const Branch& branch, const Signature& callee, int64_t operand,
                 DiagnosticSink& sink) {
  if (!CheckOneParameter(op, branch.attr, callee, Rule::kConditionalBranchParams, sink))
    return false;
  if (Compatible(op.operand_shape(operand), callee.parameter(0))) return true;
  return sink.Error(Rule::kConditionalBranchParamShape, op.operand_range(operand),
                    "operand {} is `{}`, the parameter of `{}` is `{}`", operand,
                    ShapeText(op.operand_shape(operand)), callee.name(),
                    ShapeText(callee.parameter(0)));
}

}  // namespace

std::optional<Shape> InferCall(const OpView& op, DiagnosticSink& sink) {
  const std::optional<Signature> callee = SignatureOf<Attr::kToApply>(op);
  if (!callee) return std::nullopt;
  if (callee->parameter_count() != op.operand_count()) {
    return sink.Error(Rule::kCallArity, op.attribute_range(Attr::kToApply),
                      "`{}` has {}, `call` has {}", callee->name(),
                      CountText(callee->parameter_count(), "parameter"),
                      CountText(op.operand_count(), "operand"));
  }
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    if (Compatible(op.operand_shape(i), callee->parameter(i))) continue;
    return sink.Error(Rule::kCallParamShape, op.operand_range(i),
                      "operand {} is `{}`, parameter {} of `{}` is `{}`", i,
                      ShapeText(op.operand_shape(i)), i, callee->name(),
                      ShapeText(callee->parameter(i)));
  }
  return *callee->result;
}

std::optional<Shape> InferConditional(const OpView& op, DiagnosticSink& sink) {
  if (!CheckSelector(op, sink)) return std::nullopt;
  const std::vector<Branch> branches = BranchesOf(op);
  if (!CheckBranchForm(op, branches.size(), sink)) return std::nullopt;
  if (op.operand_count() != 1 + static_cast<int64_t>(branches.size())) {
    return sink.Error(Rule::kConditionalOperandCount, op.opcode_range(),
                      "`conditional` with {} branches takes {} operands, found {}", branches.size(),
                      1 + branches.size(), op.operand_count());
  }
  std::optional<Shape> result;
  for (size_t i = 0; i < branches.size(); ++i) {
    const std::optional<Signature> callee = SignatureOf(op, branches[i].id);
    if (!callee || !CheckBranch(op, branches[i], *callee, i + 1, sink)) return std::nullopt;
    const Shape& expected = result                          ? *result
                            : op.written_shape() != nullptr ? *op.written_shape()
                                                            : *callee->result;
    if (!Compatible(expected, *callee->result)) {
      return sink.Error(Rule::kConditionalBranchResult, op.attribute_range(branches[i].attr),
                        "`{}` returns `{}` instead of `{}`", callee->name(),
                        ShapeText(*callee->result), ShapeText(expected));
    }
    if (result) {
      MergeDynamicFlags(*result, *callee->result);
    } else {
      result = *callee->result;
    }
  }
  return result;
}

std::optional<Shape> InferCustomCall(const OpView& op, DiagnosticSink&) {
  return *op.written_shape();
}

std::optional<Shape> InferFusion(const OpView& op, DiagnosticSink&) { return *op.written_shape(); }

std::optional<Shape> InferWhile(const OpView& op, DiagnosticSink& sink) {
  const std::optional<Signature> body = SignatureOf<Attr::kBody>(op);
  const std::optional<Signature> condition = SignatureOf<Attr::kCondition>(op);
  if (!body || !condition) return std::nullopt;
  if (!CheckLoopParameter(op, Attr::kBody, *body, Rule::kWhileBodyParams,
                          Rule::kWhileBodyParamShape, sink) ||
      !CheckLoopParameter(op, Attr::kCondition, *condition, Rule::kWhileConditionParams,
                          Rule::kWhileConditionParamShape, sink)) {
    return std::nullopt;
  }
  if (!condition->result->IsScalar() || condition->result->element_type() != ElementType::kPred) {
    return sink.Error(Rule::kWhileConditionResult, op.attribute_range(Attr::kCondition),
                      "`{}` returns `{}`, not `pred[]`", condition->name(),
                      ShapeText(*condition->result));
  }
  if (!Compatible(*body->result, op.operand_shape(0))) {
    return sink.Error(Rule::kWhileBodyShape, op.attribute_range(Attr::kBody),
                      "`{}` returns `{}`, the initial value is `{}`", body->name(),
                      ShapeText(*body->result), ShapeText(op.operand_shape(0)));
  }
  return *body->result;
}

}  // namespace hlo
