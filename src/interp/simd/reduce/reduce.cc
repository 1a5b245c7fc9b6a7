// reduce (semantics.md 9.1), also of what is converted, which need not be written then. Arrays are
// reduced one after the other (reduction.h).
#include "interp/simd/reduce/reduce.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "interp/kernel/prepared.h"
#include "interp/reference/scratch.h"
#include "interp/simd/loops/block_kernels.h"
#include "interp/simd/loops/row_kernels.h"
#include "interp/simd/reduce/reduction.h"
#include "interp/simd/simd.h"
#include "support/status_macros.h"

namespace hlo::simd {
namespace {

absl::Status RunReduce(Evaluation& e) { return PreparedOf<Reduction>(e).Run(e); }

// Several arrays, each by an opcode of its own.
struct ArrayReductions {
  explicit ArrayReductions(Evaluation& e) {
    const FunctionForm& form = e.Function(Attr::kToApply).form();
    for (size_t k = 0; k < e.results().size(); ++k) {
      list.emplace_back(e.op(), k, e.operand(k).element_type, form.Of(k).opcode);
    }
  }

  std::vector<Reduction> list;
};

absl::Status RunReduceOfArrays(Evaluation& e) {
  for (const Reduction& reduction : PreparedOf<ArrayReductions>(e).list) {
    HLO_RETURN_IF_ERROR(reduction.Run(e));
  }
  return absl::OkStatus();
}

// One array after the other; sums are as large as those of additions at most.
int64_t ScratchOf(const OpView& op) {
  double most = 0;
  for (int64_t k = 0; k < op.operand_count() / 2; ++k) {
    const ElementType type = op.operand_shape(k).element_type();
    const Reduction reduction(op, static_cast<size_t>(k), type, Opcode::kAdd);
    most = std::max(most, reduction.ScratchByteSize());
  }
  return reference::ByteSizeOf(most);
}

constexpr Kernel kReduceKernel = {
    .run = RunReduce, .prepare = Prepare<Reduction>, .scratch_byte_size = ScratchOf};
constexpr Kernel kReduceOfArraysKernel = {
    .run = RunReduceOfArrays, .prepare = Prepare<ArrayReductions>, .scratch_byte_size = ScratchOf};

// Whether array `k` of so many is reduced by loops, in any order, when `form` is what combines it.
bool HasLoops(const OpView& op, int64_t k, int64_t count, const FunctionForm& form) {
  const Shape& input = op.operand_shape(k);
  const Shape& written = *op.written_shape();
  const Shape& result = written.IsTuple() ? written.element(k) : written;
  const ElementType type = input.element_type();
  if (!form.IsBinary() || form.element_type != type || !HasTiles(type) || !result.IsArray() ||
      op.operand_shape(count + k).element_type() != type || result.element_type() != type ||
      input.HasDynamicDim()) {
    return false;
  }
  const ElementType sum_type = SumType(form.opcode, type);
  const bool has_row_loop =
      IsComplex(type) || GetRowReductions().reduce(form.opcode, sum_type) != nullptr;
  if (!has_row_loop || GetBlockKernels().elementwise(form.opcode, sum_type) == nullptr) {
    return false;
  }
  switch (form.opcode) {
    case Opcode::kAdd:  // of several arrays narrow floats round at every step
      return count == 1 || !IsNarrow(type);
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      return true;
    case Opcode::kMultiply:  // floats round at every step
      return !IsRealOrComplex(type);
    default:
      return false;
  }
}

}  // namespace

std::shared_ptr<const ConversionReduce> ConversionReduce::Make(const Plan& plan, const Step& step,
                                                               SlotId source) {
  if (step.opcode != Opcode::kReduce || step.operands.size() != 2 ||
      FindKernel(plan, step) != &kReduceKernel) {
    return nullptr;
  }
  const Shape& from = *plan.slot(source).shape;
  const Shape& to = *plan.slot(step.operands[0]).shape;
  const bool is_sum = step.regions[0]->form.opcode == Opcode::kAdd;
  const bool is_widened =
      is_sum && from.element_type() == ElementType::kBf16 && to.element_type() == ElementType::kF32;
  if ((from.element_type() != to.element_type() && !is_widened) || plan.slot(source).is_dynamic ||
      from.HasDynamicDim() || ElementCount(from) != ElementCount(to)) {
    return nullptr;
  }
  auto program = std::make_shared<ConversionReduce>();
  program->operands_ = {source, step.operands[1]};
  program->scratch_byte_size_ = ScratchOf(OpView(*plan.module, plan.instruction(step)));
  return program;
}

const Kernel& ConversionReduce::kernel() const { return kReduceKernel; }

const Kernel* FindReduceKernel(const OpView& op, const FunctionForm& form) {
  const int64_t count = op.operand_count() / 2;
  if (op.operand_count() != 2 * count || op.written_shape()->IsTuple() != (count > 1) ||
      (count > 1 && form.kind != FunctionForm::Kind::kByArray)) {
    return nullptr;
  }
  for (int64_t k = 0; k < count; ++k) {
    if (!HasLoops(op, k, count, form.Of(static_cast<size_t>(k))) ||
        !std::ranges::equal(op.operand_shape(k).dims(), op.operand_shape(0).dims())) {
      return nullptr;
    }
  }
  return count == 1 ? &kReduceKernel : &kReduceOfArraysKernel;
}

}  // namespace hlo::simd
