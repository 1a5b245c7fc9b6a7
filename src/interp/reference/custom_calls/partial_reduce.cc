// PartialReduce and ApproxTopK, the two steps of an approximate top-k: any superset of the K best
// elements would do, the reference returns exactly the best ones (semantics.md 15.5).
#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <vector>

#include "interp/reference/custom_calls/custom_calls.h"
#include "interp/reference/merge_sort.h"
#include "interp/reference/set_result.h"
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

}  // namespace

absl::Status PartialReduce(Evaluation& e) {
  const size_t array_count = e.results().size();
  const int64_t last =
      e.operands().empty() ? -1 : static_cast<int64_t>(e.operand(0).dims.size()) - 1;
  const int64_t dimension =
      ConfigInteger(e.Get<Attr::kBackendConfig>().text, "reduction_dim").value_or(last);
  HLO_RETURN_IF_ERROR(Check(e, array_count, dimension));
  const ComputationList called = e.Get<Attr::kCalledComputations>();
  if (called.empty() && !e.op().Has(Attr::kToApply)) {
    return absl::InvalidArgumentError("it calls no comparator");
  }
  HLO_RETURN_IF_ERROR(
      CheckComparator(e, called.empty() ? e.Get<Attr::kToApply>() : called[0], array_count));
  ScalarFunction& comparator =
      e.Function(called.empty() ? Attr::kToApply : Attr::kCalledComputations);

  const Lines lines(e.operand(0).dims, dimension);
  const Lines result_lines(e.result(0).dims, dimension);
  std::vector<int64_t> result_bases;
  result_lines.ForEach([&](int64_t base) { result_bases.push_back(base); });
  std::vector<int64_t> positions(static_cast<size_t>(lines.length)), scratch(positions.size());
  std::vector<const std::byte*> arguments(2 * array_count);
  size_t line = 0;
  absl::Status status;
  lines.ForEach([&](int64_t base) {
    if (line >= result_bases.size()) return;  // no elements are asked for
    const auto element = [&](size_t k, int64_t position) {
      return e.operand(k).bytes +
             (base + position * lines.stride) * ElementByteSize(e.operand(k).element_type);
    };
    const auto comes_first = [&](int64_t a, int64_t b) {
      if (!status.ok()) return false;
      for (size_t k = 0; k < array_count; ++k) {
        arguments[2 * k] = element(k, a);
        arguments[2 * k + 1] = element(k, b);
      }
      bool result = false;
      std::byte* results[] = {reinterpret_cast<std::byte*>(&result)};
      status = comparator.Call(arguments, results);
      return result;
    };
    std::iota(positions.begin(), positions.end(), 0);
    MergeSort(std::span<int64_t>(positions), std::span<int64_t>(scratch), comes_first);
    for (size_t k = 0; k < array_count; ++k) {
      const int64_t size = ElementByteSize(e.operand(k).element_type);
      for (int64_t i = 0; i < result_lines.length; ++i) {
        std::memcpy(e.result(k).bytes + (result_bases[line] + i * result_lines.stride) * size,
                    element(k, positions[i]), static_cast<size_t>(size));
      }
    }
    ++line;
  });
  return status;
}

}  // namespace hlo::reference
