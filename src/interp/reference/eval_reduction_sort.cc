// sort (semantics.md 9.6). Each line along the dimension is sorted as a list of
// positions; the operands are permuted afterwards.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "interp/kernel/prepared.h"
#include "interp/reference/call_frame.h"
#include "interp/reference/eval.h"
#include "interp/reference/merge_sort.h"
#include "interp/reference/scratch.h"
#include "interp/reference/set_result.h"
#include "interp/reference/sort_lines.h"
#include "interp/reference/strided.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

struct SortPlan {
  explicit SortPlan(const Evaluation& e)
      : lines(e.operand(0).dims, e.Get<Attr::kDimensions>()[0]), frame(e, Attr::kToApply) {}

  Lines lines;
  CallFrame frame;
};

// Writes each operand's lines in the order in which `sort_line(base)` puts the positions.
template <typename SortLine>
void PermuteLines(Evaluation& e, const Lines& lines, std::span<int64_t> positions,
                  SortLine&& sort_line) {
  lines.ForEach([&](int64_t base) {
    std::iota(positions.begin(), positions.end(), 0);
    sort_line(base);
    for (size_t k = 0; k < e.operands().size(); ++k) {
      const int64_t size = ElementByteSize(e.operand(k).element_type);
      const std::byte* from = e.operand(k).bytes + base * size;
      std::byte* to = e.result(k).bytes + base * size;
      for (int64_t i = 0; i < lines.length; ++i) {
        std::memcpy(to + i * lines.stride * size, from + positions[i] * lines.stride * size,
                    static_cast<size_t>(size));
      }
    }
  });
}

template <typename Key>
void SortByKeys(std::span<const Key> keys, bool ascending, std::span<int64_t> positions,
                std::span<int64_t> scratch) {
  if (ascending) {
    auto less = [&](int64_t a, int64_t b) { return keys[a] < keys[b]; };
    MergeSort(positions, scratch, less);
  } else {
    auto greater = [&](int64_t a, int64_t b) { return keys[a] > keys[b]; };
    MergeSort(positions, scratch, greater);
  }
}

void SortPlain(Evaluation& e, const Lines& lines, const FunctionForm::Key& sort_key) {
  const ArrayRef& operand = e.operand(static_cast<size_t>(sort_key.parameter));
  const LineRoom room(e, lines, 3);
  DispatchElementType<kPred | kInteger | kFloat>(operand.element_type, [&]<typename T>() {
    WithKeyFunction<T>(sort_key, [&](auto to_key) {
      using Key = KeyOf<T, decltype(to_key)>;
      const std::span<Key> keys = room.keys<Key>();
      PermuteLines(e, lines, room.positions(), [&](int64_t base) {
        FillKeys<T>(operand, lines, base, to_key, keys);
        SortByKeys<Key>(keys, sort_key.ascending, room.positions(), room.scratch());
      });
    });
  });
}

// The comparator as a call: parameters 2k and 2k+1 are operand k's values.
class CalledComparator {
 public:
  CalledComparator(Evaluation& e, CallFrame& frame)
      : function_(e.Function(Attr::kToApply)),
        frame_(frame),
        arrays_(e, frame),
        operand_count_(e.operands().size()) {
    for (size_t k = 0; k < operand_count_; ++k) arrays_.AddOperand(k, 2 * k);
  }

  // Whether the elements at offset `a` come before those at `b`.
  bool Less(int64_t a, int64_t b) {
    if (!status_.ok()) return false;
    for (size_t k = 0; k < operand_count_; ++k) {
      const ArrayRef& operand = arrays_.operand(k);
      const int64_t size = ElementByteSize(operand.element_type);
      frame_.arguments[2 * k] = operand.bytes + a * size;
      frame_.arguments[2 * k + 1] = operand.bytes + b * size;
    }
    bool less = false;
    std::byte* results[] = {reinterpret_cast<std::byte*>(&less)};
    status_ = function_.Call(frame_.arguments, results);
    return less;
  }
  const absl::Status& status() const { return status_; }

 private:
  ScalarFunction& function_;
  CallFrame& frame_;
  CallFrame::Arrays arrays_;
  size_t operand_count_;
  absl::Status status_;
};

absl::Status SortByCalls(Evaluation& e, SortPlan& plan) {
  const Lines& lines = plan.lines;
  CalledComparator comparator(e, plan.frame);
  const LineRoom room(e, lines, 2);
  PermuteLines(e, lines, room.positions(), [&](int64_t base) {
    auto less = [&](int64_t a, int64_t b) {
      return comparator.Less(base + a * lines.stride, base + b * lines.stride);
    };
    MergeSort(room.positions(), room.scratch(), less);
  });
  return comparator.status();
}

}  // namespace

// Positions, their scratch and keys of one line; the operands as the comparator takes them.
double SortScratch(const OpView& op) {
  const Shape& first = op.operand_shape(0);
  double byte_size = LineRoom::ByteSize(first.dim(op.Get<Attr::kDimensions>()[0]), 3);
  for (int64_t k = 0; k < op.operand_count(); ++k) {
    const Shape& parameter = op.parameter_shape(op.Get<Attr::kToApply>(), 2 * k);
    byte_size += ConvertedByteSize(op.operand_shape(k), parameter.element_type());
  }
  return byte_size;
}

absl::StatusOr<std::unique_ptr<KernelState>> PrepareSort(Evaluation& e) {
  return Prepare<SortPlan>(e);
}

absl::Status EvalSort(Evaluation& e) {
  for (size_t i = 0; i < e.results().size(); ++i) {
    if (!std::ranges::equal(e.operand(i).dims, e.operand(0).dims)) {
      return absl::InvalidArgumentError("the operands have different sizes at run time");
    }
    HLO_RETURN_IF_ERROR(EnsureResultDims(e, i, e.operand(i).dims));
  }
  SortPlan& plan = PreparedOf<SortPlan>(e);
  const FunctionForm& form = e.Function(Attr::kToApply).form();
  if (ComparesElements(e, form)) {
    SortPlain(e, plan.lines, form.keys[0]);
    return absl::OkStatus();
  }
  return SortByCalls(e, plan);
}

}  // namespace hlo::reference
