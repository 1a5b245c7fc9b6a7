// PartialReduce and ApproxTopK, the two steps of an approximate top-k: any superset of the K best
// elements would do, the reference returns exactly the best ones (semantics.md 15.5).
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <optional>
#include <vector>

#include "interp/kernel/prepared.h"
#include "interp/reference/custom_calls/custom_calls.h"
#include "interp/reference/merge_sort.h"
#include "interp/reference/scratch.h"
#include "interp/reference/sort_lines.h"
#include "interp/reference/strided.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

absl::Status Check(const Evaluation& e, size_t array_count, int64_t dimension) {
  bool fits = array_count > 0 && e.operands().size() >= array_count;
  for (size_t k = 0; fits && k < array_count; ++k) {
    const std::span<const int64_t> dims = e.operand(k).dims;
    const std::span<const int64_t> result_dims = e.result(k).dims;
    fits = dims.size() == result_dims.size() && std::ranges::equal(dims, e.operand(0).dims) &&
           e.operand(k).element_type == e.result(k).element_type;
    for (size_t d = 0; fits && d < dims.size(); ++d) {
      const bool is_line = static_cast<int64_t>(d) == dimension;
      fits = is_line ? result_dims[d] <= dims[d] : result_dims[d] == dims[d];
    }
  }
  if (fits && dimension >= 0 && dimension < static_cast<int64_t>(e.operand(0).dims.size())) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError("the results are no parts of the operands");
}

// Two scalars of each array's type in, a pred out.
absl::Status CheckComparator(const Evaluation& e, ComputationId id, size_t array_count) {
  const Computation& comparator = e.op().computation(id);
  const Module& module = e.module();
  const Shape& verdict = *module.root(comparator).shape;
  bool fits = comparator.parameters.size() == 2 * array_count && verdict.IsScalar() &&
              verdict.element_type() == ElementType::kPred;
  for (size_t k = 0; fits && k < comparator.parameters.size(); ++k) {
    const Shape& parameter = *module.instruction(comparator.parameters[k]).shape;
    fits = parameter.IsScalar() && parameter.element_type() == e.operand(k / 2).element_type;
  }
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError("the comparator does not take two numbers of each array");
}

// Along the last dimension unless the configuration says another one.
int64_t ReducedDimension(const OpView& op, int64_t rank) {
  return ConfigInteger(op.Get<Attr::kBackendConfig>().text, "reduction_dim").value_or(rank - 1);
}

struct PartialReducePlan {
  explicit PartialReducePlan(Evaluation& e) { status = Find(e); }

  absl::Status status;  // the rest is there where this is fine
  std::optional<Lines> lines, result_lines;
  ScalarFunction* comparator = nullptr;
  std::vector<const std::byte*> arguments;  // two elements of each array

 private:
  absl::Status Find(Evaluation& e);
};

absl::Status PartialReducePlan::Find(Evaluation& e) {
  const size_t array_count = e.results().size();
  const int64_t dimension =
      ReducedDimension(e.op(), static_cast<int64_t>(e.operand(0).dims.size()));
  HLO_RETURN_IF_ERROR(Check(e, array_count, dimension));
  const ComputationList called = e.Get<Attr::kCalledComputations>();
  if (called.empty() && !e.op().Has(Attr::kToApply)) {
    return absl::InvalidArgumentError("it calls no comparator");
  }
  HLO_RETURN_IF_ERROR(
      CheckComparator(e, called.empty() ? e.Get<Attr::kToApply>() : called[0], array_count));
  comparator = &e.Function(called.empty() ? Attr::kToApply : Attr::kCalledComputations);
  lines.emplace(e.operand(0).dims, dimension);
  result_lines.emplace(e.result(0).dims, dimension);
  arguments.resize(2 * array_count);
  return absl::OkStatus();
}

// Puts the elements of one line in order.
class LineSorter {
 public:
  LineSorter(Evaluation& e, PartialReducePlan& plan)
      : e_(e), plan_(plan), room_(e, *plan.lines, 2) {}

  // The line that begins at `base`.
  void Sort(int64_t base) {
    base_ = base;
    auto comes_first = [this](int64_t a, int64_t b) { return ComesFirst(a, b); };
    std::iota(room_.positions().begin(), room_.positions().end(), 0);
    MergeSort(room_.positions(), room_.scratch(), comes_first);
  }
  const std::byte* SortedElement(size_t array, int64_t i) const {
    return Element(array, room_.positions()[static_cast<size_t>(i)]);
  }
  const absl::Status& status() const { return status_; }

 private:
  const std::byte* Element(size_t array, int64_t position) const {
    const ArrayRef& operand = e_.operand(array);
    return operand.bytes +
           (base_ + position * plan_.lines->stride) * ElementByteSize(operand.element_type);
  }

  bool ComesFirst(int64_t a, int64_t b) {
    if (!status_.ok()) return false;
    for (size_t k = 0; 2 * k < plan_.arguments.size(); ++k) {
      plan_.arguments[2 * k] = Element(k, a);
      plan_.arguments[2 * k + 1] = Element(k, b);
    }
    bool result = false;
    std::byte* results[] = {reinterpret_cast<std::byte*>(&result)};
    status_ = plan_.comparator->Call(plan_.arguments, results);
    return result;
  }

  Evaluation& e_;
  PartialReducePlan& plan_;
  const LineRoom room_;
  int64_t base_ = 0;
  absl::Status status_;
};

// (arrays..., initial values...) -> for each array the first elements of its lines along
// `reduction_dim`, as many as the result holds, in the order of the called comparator.
absl::Status PartialReduce(Evaluation& e) {
  auto& plan = PreparedOf<PartialReducePlan>(e);
  HLO_RETURN_IF_ERROR(plan.status);
  const Lines& lines = *plan.lines;
  const Lines& result_lines = *plan.result_lines;
  if (result_lines.length == 0) return absl::OkStatus();
  LineSorter sorter(e, plan);
  ForEachOffsets<2>(AsSpan(lines.dims), {AsSpan(lines.strides), AsSpan(result_lines.strides)},
                    [&](const std::array<int64_t, 2>& bases) {
                      sorter.Sort(bases[0]);
                      for (size_t k = 0; k < e.results().size(); ++k) {
                        const int64_t size = ElementByteSize(e.operand(k).element_type);
                        for (int64_t i = 0; i < result_lines.length; ++i) {
                          std::memcpy(
                              e.result(k).bytes + (bases[1] + i * result_lines.stride) * size,
                              sorter.SortedElement(k, i), static_cast<size_t>(size));
                        }
                      }
                    });
  return sorter.status();
}

int64_t PartialReduceScratch(const OpView& op) {
  const std::vector<const Shape*> operands = OperandArrays(op);
  if (operands.empty()) return 0;
  const int64_t rank = operands[0]->rank();
  const int64_t dimension = ReducedDimension(op, rank);
  if (dimension < 0 || dimension >= rank) return 0;
  return ByteSizeOf(LineRoom::ByteSize(operands[0]->dim(dimension), 2));
}

constexpr Kernel kPartialReduce = {.run = PartialReduce,
                                   .prepare = Prepare<PartialReducePlan>,
                                   .scratch_byte_size = PartialReduceScratch};

constexpr CustomCall kPartialReduceCalls[] = {
    {"ApproxTopK", kPartialReduce},
    {"PartialReduce", kPartialReduce},
};

}  // namespace

const Kernel* FindPartialReduceCall(std::string_view target) {
  return FindIn(kPartialReduceCalls, target);
}

}  // namespace hlo::reference
