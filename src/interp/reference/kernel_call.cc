// An evaluation over literals in the place of a plan's memory: their arrays in the order of leaves.
// There are no functions to call, and what a kernel prepares lasts for the one run. Sizes that a
// kernel sets are held against their bounds.
#include "interp/reference/kernel_call.h"

#include <utility>

#include "interp/reference/eval.h"
#include "ir/leaves.h"
#include "ir/run_time_dims.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

class CallEvaluation : public Evaluation {
 public:
  CallEvaluation(OpView op, std::span<const Literal> operands, Literal& result,
                 DeviceContext& device)
      : Evaluation(op), device_(device) {
    for (const Literal& operand : operands) AddOperand(operand);
    AddResult(result);
    operands_ = operand_refs_;
    results_ = result_refs_;
  }

  absl::Status SetResultDims(size_t i, std::span<const int64_t> dims) override {
    if (!result_literals_[i]->shape().HasDynamicDim()) {
      return absl::InvalidArgumentError("static result");
    }
    for (size_t d = 0; d < dims.size(); ++d) {
      if (dims[d] > result_literals_[i]->shape().dim(static_cast<int64_t>(d))) {
        return absl::InvalidArgumentError("size above its bound");
      }
    }
    result_literals_[i]->set_dynamic_sizes(std::vector<int64_t>(dims.begin(), dims.end()));
    result_refs_[i].dims = result_literals_[i]->dynamic_sizes();
    return absl::OkStatus();
  }
  ScalarFunction& Function(Attr) override { HLO_UNREACHABLE(); }
  DeviceContext& device() override { return device_; }
  absl::Status RunInstead(const Kernel&) override { HLO_UNREACHABLE(); }
  void set_state(KernelState* state) { state_ = state; }

 private:
  void AddOperand(const Literal& literal) {
    ForEachLeaf(literal, [&](const Literal& leaf) {
      if (!leaf.shape().IsArray()) return;
      operand_refs_.push_back({leaf.shape().element_type(), RunTimeDims(leaf), leaf.bytes()});
    });
  }
  void AddResult(Literal& literal) {
    ForEachLeaf(literal, [&](Literal& leaf) {
      if (!leaf.shape().IsArray()) return;
      result_refs_.push_back({leaf.shape().element_type(), leaf.shape().dims(), leaf.bytes()});
      result_literals_.push_back(&leaf);
    });
  }

  std::vector<ArrayRef> operand_refs_;
  std::vector<MutableArrayRef> result_refs_;
  std::vector<Literal*> result_literals_;
  DeviceContext& device_;
};

}  // namespace

KernelCall::KernelCall(Opcode opcode, const Shape& result_shape)
    : computation_(builder_.AddComputation("main")),
      instruction_(builder_.Add(computation_, opcode, result_shape)) {}

KernelCall& KernelCall::Operand(Literal operand) {
  operand_ids_.push_back(builder_.AddParameter(computation_, operand.shape(), "operand"));
  operands_.push_back(std::move(operand));
  return *this;
}

absl::StatusOr<Literal> KernelCall::Run() {
  builder_.SetOperands(instruction_, operand_ids_);
  const Instruction& instruction = builder_.instruction(instruction_);
  HLO_ASSIGN_OR_RETURN(Literal result, Literal::Zeros(*instruction.shape));
  CallEvaluation evaluation(OpView(builder_.module(), instruction), operands_, result, *device_);
  const Kernel& kernel = FindKernel(instruction.opcode);
  if (kernel.prepare != nullptr) {
    HLO_ASSIGN_OR_RETURN(const auto state, kernel.prepare(evaluation));
    evaluation.set_state(state.get());
    HLO_RETURN_IF_ERROR(kernel.run(evaluation));
    return result;
  }
  HLO_RETURN_IF_ERROR(kernel.run(evaluation));
  return result;
}

}  // namespace hlo::reference
