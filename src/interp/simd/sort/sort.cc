// sort (semantics.md 9.6) by comparators of operands' elements, which become integers that Highway
// sorts (sort_elements.cc, entry_sort.cc).
//
// A comparison that is no order, of NaN by value, has a result that depends on how the reference
// kernel sorts: it is left to what sorts as that does (comparator_sort.cc), or to it.
#include "interp/simd/sort/sort.h"

#include <algorithm>
#include <atomic>
#include <optional>

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/reference/eval.h"
#include "interp/reference/sort_lines.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/base/reference_memory.h"
#include "interp/simd/sort/comparator_sort.h"
#include "interp/simd/sort/entry_sort.h"
#include "interp/simd/sort/integer_sort.h"
#include "interp/simd/sort/nan_sort.h"
#include "interp/simd/sort/sort_elements.h"
#include "interp/simd/vector/wide.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

using reference::Lines;

constexpr int64_t kMaxLength = int64_t{1} << 32;
constexpr int64_t kPartSize = int64_t{1} << 16;  // elements looked through for NaN at a time

// What is worked out once.
struct SortPlan {
  explicit SortPlan(Evaluation& e)
      : lines(e.operand(0).dims, e.Get<Attr::kDimensions>()[0]),
        keys(e.Function(Attr::kToApply).form().keys) {
    sorts_elements = e.results().size() == 1 && lines.stride == 1 && SortsElements(keys[0]);
    if (!sorts_elements) order.emplace(keys, lines.length);
  }

  Lines lines;
  std::vector<FunctionForm::Key> keys;
  bool sorts_elements;
  std::optional<EntryOrder> order;  // of other sorts
};

template <typename T>
int64_t CountNan(std::span<const T> elements) {
  int count = 0;
  for (const T element : elements) {
    const auto x = Wide(element);
    count += x != x ? 1 : 0;
  }
  return count;
}

// How many elements that are compared by value are NaN.
absl::StatusOr<int64_t> CountNan(Evaluation& e, std::span<const FunctionForm::Key> keys) {
  std::atomic<int64_t> nan_count = 0;
  for (const FunctionForm::Key& key : keys) {
    if (!key.IsFloatByValue()) continue;
    const ArrayRef& operand = e.operand(static_cast<size_t>(key.parameter));
    const int64_t count = operand.element_count();
    const absl::Status status =
        ForEachPart(e.device(), CeilDiv(count, kPartSize), [&](int64_t part) {
          const int64_t begin = part * kPartSize;
          const int64_t size = std::min(kPartSize, count - begin);
          DispatchElementType<kFloat>(key.element_type, [&]<typename T>() {
            const std::span<const T> elements(View<T>(operand).data() + begin,
                                              static_cast<size_t>(size));
            const int64_t found = CountNan(elements);
            if (found != 0) nan_count.fetch_add(found, std::memory_order_relaxed);
          });
        });
    if (!status.ok()) return status;
  }
  return nan_count.load();
}

absl::Status SortWithNan(Evaluation& e, const SortPlan& plan, int64_t nan_count) {
  if (plan.keys.size() == 1 && AreManyNan(nan_count, e.operand(0).element_count())) {
    return SortManyNan(e, plan.keys[0], plan.lines);
  }
  if (e.program() == nullptr) return e.RunInstead(reference::FindKernel(Opcode::kSort));
  return static_cast<const ComparatorSort*>(e.program())->Run(e, plan.lines);
}

absl::Status RunSort(Evaluation& e) {
  if (e.operand(0).element_count() == 0) return absl::OkStatus();
  const SortPlan& plan = PreparedOf<SortPlan>(e);
  if (plan.sorts_elements) {
    std::atomic<bool> has_nan = false;
    const absl::Status status = SortElements(e, plan.keys[0], plan.lines, has_nan);
    if (!status.ok() || !has_nan || !plan.keys[0].IsFloatByValue()) return status;
  }
  const absl::StatusOr<int64_t> nan_count = CountNan(e, plan.keys);
  if (!nan_count.ok()) return nan_count.status();
  return *nan_count > 0 ? SortWithNan(e, plan, *nan_count) : plan.order->Sort(e, plan.lines);
}

// Entries of a line for each thread, and what threads need to share one. Where values are not
// ordered (NaN) the reference kernel may take over.
int64_t ScratchByteSize(const OpView& op) {
  constexpr int64_t kMost = INT64_MAX / 64;
  const int64_t length = op.operand_shape(0).dim(op.Get<Attr::kDimensions>()[0]);
  const int64_t count = std::min(ElementCount(op.operand_shape(0)).value_or(kMost), kMost);
  const int64_t lines = count / std::max<int64_t>(1, length);
  const int64_t lines_at_once = std::max<int64_t>(1, PartsAtOnce(lines));
  return ScratchWithReference(
      op, std::max(std::min(length * lines_at_once, kMost) * 8 + ManyIntegersScratch(length),
                   ManyNanScratch(length, lines)));
}

}  // namespace

const Kernel* FindSortKernel(const OpView& op, const FunctionForm& form) {
  const auto is_fine = [&](const FunctionForm::Key& key) {
    return key.parameter < op.operand_count() &&
           FindKeyLoops(key.element_type, /*merged=*/false).to_keys != nullptr &&
           op.operand_shape(key.parameter).element_type() == key.element_type;
  };
  const bool is_comparator = form.kind == FunctionForm::Kind::kComparator ||
                             form.kind == FunctionForm::Kind::kLexicographic;
  if (!is_comparator || !std::ranges::all_of(form.keys, is_fine)) return nullptr;
  // Integers for elements: of no use in short lines far apart.
  const int64_t length = op.operand_shape(0).dim(op.Get<Attr::kDimensions>()[0]);
  if (length >= kMaxLength || length < 16) return nullptr;
  static constexpr Kernel kKernel = {
      .run = RunSort, .prepare = Prepare<SortPlan>, .scratch_byte_size = ScratchByteSize};
  return &kKernel;
}

}  // namespace hlo::simd
