// Lines are sorted in batches (sort_batch.h) of as many as there is a little memory for.
#include "interp/simd/sort/comparator_sort.h"

#include <algorithm>

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/simd/base/reach.h"
#include "interp/simd/simd.h"
#include "interp/simd/sort/sort_batch.h"

namespace hlo::simd {
namespace {

using reference::Lines;

constexpr int64_t kMaxLength = int64_t{1} << 32;
// Elements of an operand that are worth it where the reference kernel makes no calls.
constexpr int64_t kMinCountWithoutCalls = int64_t{1} << 13;
constexpr int64_t kBatchSize = int64_t{1} << 18;  // elements, of lines that are shorter

// What is worked out once.
struct LinePlan {
  explicit LinePlan(Evaluation& e) : lines(e.result(0).dims, e.Get<Attr::kDimensions>()[0]) {}

  Lines lines;
};

int64_t LinesPerBatch(int64_t length, int64_t line_count) {
  return std::clamp<int64_t>(kBatchSize / length, 1, line_count);
}

absl::Status RunComparatorSort(Evaluation& e) {
  return static_cast<const ComparatorSort*>(e.program())->Run(e, PreparedOf<LinePlan>(e).lines);
}

// Whether another kernel does well: by keys without NaN, or the reference kernel without calls.
bool IsTaken(const FunctionForm& form, const Kernel* by_keys, int64_t count) {
  if (by_keys != nullptr) {
    return std::ranges::none_of(form.keys, &FunctionForm::Key::IsFloatByValue);
  }
  return form.kind == FunctionForm::Kind::kComparator && count < kMinCountWithoutCalls;
}

}  // namespace

std::shared_ptr<const ComparatorSort> ComparatorSort::Make(const Plan& plan, const Step& step) {
  if (step.kind != StepKind::kKernel || step.opcode != Opcode::kSort ||
      plan.instruction(step).opcode != Opcode::kSort || !IsWithinReach(plan, step)) {
    return nullptr;
  }
  const OpView op(*plan.module, plan.instruction(step));
  const Kernel* by_keys = FindKernel(plan, step);
  const Shape& shape = op.operand_shape(0);
  const int64_t length = shape.dim(op.Get<Attr::kDimensions>()[0]);
  const int64_t count = ElementCount(shape).value_or(0);
  if (count == 0 || length < 2 || length >= kMaxLength ||
      IsTaken(step.regions[0]->form, by_keys, count)) {
    return nullptr;
  }
  std::optional<Comparator> comparator = Comparator::Make(plan, step);
  if (!comparator) return nullptr;
  std::shared_ptr<ComparatorSort> sort(new ComparatorSort(*std::move(comparator)));
  const auto holds_operand = [&](const Comparator::Array& array) {
    return array.operand != Comparator::kNoOperand &&
           array.type == plan.slot(step.operands[array.operand]).shape->element_type();
  };
  const auto arrays = sort->comparator_.arrays();
  sort->has_places_ = std::ranges::count_if(arrays, holds_operand) < std::ssize(step.operands);
  sort->length_ = length;
  sort->line_count_ = count / length;
  sort->by_keys_ = by_keys;
  if (by_keys != nullptr) sort->by_keys_byte_size_ = by_keys->scratch_byte_size(op);
  return sort;
}

const Kernel& ComparatorSort::kernel() const {
  static constexpr Kernel kKernel = {.run = RunComparatorSort, .prepare = Prepare<LinePlan>};
  return by_keys_ != nullptr ? *by_keys_ : kKernel;
}

std::string ComparatorSort::Text() const {
  return by_keys_ != nullptr ? "" : ", many comparisons at a time";
}

int64_t ComparatorSort::ScratchByteSize() const {
  const int64_t count = LinesPerBatch(length_, line_count_) * length_;
  return std::max(by_keys_byte_size_, SortBatch::ScratchByteSize(comparator_, has_places_, count));
}

absl::Status ComparatorSort::Run(Evaluation& e, const Lines& lines) const {
  const int64_t lines_per_batch = LinesPerBatch(length_, line_count_);
  SortBatch batch(comparator_, e, lines, lines_per_batch, has_places_);
  absl::Status status;
  for (int64_t line = 0; line < line_count_ && status.ok(); line += lines_per_batch) {
    status = batch.Sort(line, std::min(lines_per_batch, line_count_ - line));
  }
  return status;
}

}  // namespace hlo::simd
