// sort (semantics.md 9.6). Each line along the dimension is sorted as a list of
// positions; the operands are permuted afterwards.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "interp/reference/converted_array.h"
#include "interp/reference/eval.h"
#include "interp/reference/fold.h"
#include "interp/reference/forward.h"
#include "interp/reference/merge_sort.h"
#include "interp/reference/scratch.h"
#include "interp/reference/sort_lines.h"
#include "interp/reference/strided.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

// Writes each operand's lines in the order `SortLine(base, positions)` puts the positions.
template <typename SortLine>
void PermuteLines(Evaluation& e, const Lines& lines, SortLine&& sort_line) {
  std::vector<int64_t> positions(static_cast<size_t>(lines.length));
  lines.ForEach([&](int64_t base) {
    std::iota(positions.begin(), positions.end(), 0);
    sort_line(base, std::span<int64_t>(positions));
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

void SortPlain(Evaluation& e, const Lines& lines, const FunctionForm& comparator) {
  const ArrayRef& operand = e.operand(static_cast<size_t>(comparator.parameter));
  std::vector<int64_t> scratch(static_cast<size_t>(lines.length));
  DispatchElementType<kPred | kInteger | kFloat>(operand.element_type, [&]<typename T>() {
    WithKeyFunction<T>(comparator, [&](auto to_key) {
      PermuteLines(e, lines, [&](int64_t base, std::span<int64_t> positions) {
        const auto keys = LineKeys<T>(operand, lines, base, to_key);
        SortByKeys(std::span(keys), comparator.ascending, positions, scratch);
      });
    });
  });
}

// The comparator as a call: parameters 2k and 2k+1 are operand k's values.
class CalledComparator {
 public:
  explicit CalledComparator(Evaluation& e)
      : function_(e.Function(Attr::kToApply)), arguments_(2 * e.operands().size()) {
    for (size_t k = 0; k < e.operands().size(); ++k) {
      operands_.emplace_back(e.operand(k), ParameterType(e, e.Get<Attr::kToApply>(), 2 * k));
    }
  }

  // Whether the elements at offset `a` come before those at `b`.
  bool Less(int64_t a, int64_t b) {
    if (!status_.ok()) return false;
    for (size_t k = 0; k < operands_.size(); ++k) {
      const ArrayRef& operand = operands_[k].ref();
      const int64_t size = ElementByteSize(operand.element_type);
      arguments_[2 * k] = operand.bytes + a * size;
      arguments_[2 * k + 1] = operand.bytes + b * size;
    }
    bool less = false;
    std::byte* results[] = {reinterpret_cast<std::byte*>(&less)};
    status_ = function_.Call(arguments_, results);
    return less;
  }
  const absl::Status& status() const { return status_; }

 private:
  ScalarFunction& function_;
  std::vector<ConvertedArray> operands_;
  std::vector<const std::byte*> arguments_;
  absl::Status status_;
};

absl::Status SortByCalls(Evaluation& e, const Lines& lines) {
  CalledComparator comparator(e);
  std::vector<int64_t> scratch(static_cast<size_t>(lines.length));
  PermuteLines(e, lines, [&](int64_t base, std::span<int64_t> positions) {
    auto less = [&](int64_t a, int64_t b) {
      return comparator.Less(base + a * lines.stride, base + b * lines.stride);
    };
    MergeSort(positions, scratch, less);
  });
  return comparator.status();
}

}  // namespace

// Positions, their scratch and keys of one line; the operands as the comparator takes them.
double SortScratch(const OpView& op) {
  const Shape& first = op.operand_shape(0);
  double byte_size =
      3 * sizeof(int64_t) * static_cast<double>(first.dim(op.Get<Attr::kDimensions>()[0]));
  for (int64_t k = 0; k < op.operand_count(); ++k) {
    const Shape& parameter = op.parameter_shape(op.Get<Attr::kToApply>(), 2 * k);
    byte_size += ConvertedByteSize(op.operand_shape(k), parameter.element_type());
  }
  return byte_size;
}

absl::Status EvalSort(Evaluation& e) {
  for (size_t i = 0; i < e.results().size(); ++i) {
    if (!std::ranges::equal(e.operand(i).dims, e.operand(0).dims)) {
      return absl::InvalidArgumentError("the operands have different sizes at run time");
    }
    HLO_RETURN_IF_ERROR(EnsureResultDims(e, i, e.operand(i).dims));
  }
  const Lines lines(e.operand(0).dims, e.Get<Attr::kDimensions>()[0]);
  const FunctionForm& form = e.Function(Attr::kToApply).form();
  if (ComparesElements(e, form)) {
    SortPlain(e, lines, form);
    return absl::OkStatus();
  }
  return SortByCalls(e, lines);
}

}  // namespace hlo::reference
