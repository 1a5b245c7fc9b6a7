// scatter (semantics.md 7.7): each update window either lies inside the operand and is combined
// element by element, or is dropped whole.
#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interp/reference/converted_array.h"
#include "interp/reference/eval.h"
#include "interp/reference/fold.h"
#include "interp/reference/forward.h"
#include "interp/reference/reducer.h"
#include "interp/reference/scatter_windows.h"
#include "interp/reference/scratch.h"
#include "interp/reference/strided_copy.h"
#include "ir/element_conversion.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

absl::Status Overwrite(Evaluation& e, ScatterWindows& windows) {
  const int64_t size = ElementByteSize(e.result().element_type);
  const StridedCopy copy(size, windows.window_sizes(), windows.update_strides(),
                         windows.target_strides());
  return windows.ForEach([&](int64_t target, int64_t update) {
    copy(e.operand(2).bytes + update * size, e.result().bytes + target * size);
    return absl::OkStatus();
  });
}

bool CombineByOpcode(Evaluation& e, ScatterWindows& windows, Opcode opcode) {
  return DispatchReducer(opcode, e.result().element_type, [&]<typename T, typename Reducer>() {
    T* result = View<T>(e.result()).data();
    const T* updates = View<T>(e.operand(2)).data();
    windows
        .ForEach([&](int64_t target, int64_t update) {
          windows.ForEachElement(target, update, [&](int64_t to, int64_t from) {
            result[to] = Reducer::Apply(result[to], updates[from]);
          });
          return absl::OkStatus();
        })
        .IgnoreError();  // never fails
  });
}

absl::Status CombineByCalls(Evaluation& e, ScatterWindows& windows) {
  const size_t count = e.results().size();
  const ComputationId computation = e.Get<Attr::kToApply>();
  ScalarFunction& function = e.Function(Attr::kToApply);
  std::vector<ResultInType> results;
  std::vector<ConvertedArray> updates;
  for (size_t k = 0; k < count; ++k) {
    const ElementType type = ParameterType(e, computation, static_cast<int64_t>(k));
    results.emplace_back(e.result(k), type);
    if (type != e.result(k).element_type) {
      ConvertElements(e.operand(k).element_type, e.operand(k).bytes, type, results[k].ref().bytes,
                      e.operand(k).element_count());
    }
    updates.emplace_back(e.operand(count + 1 + k),
                         ParameterType(e, computation, static_cast<int64_t>(count + k)));
  }
  std::vector<const std::byte*> arguments(2 * count);
  std::vector<std::byte*> outputs(count);
  const auto combine = [&](int64_t target, int64_t update) {
    for (size_t k = 0; k < count; ++k) {
      const ArrayRef& from = updates[k].ref();
      const MutableArrayRef& to = results[k].ref();
      outputs[k] = to.bytes + target * ElementByteSize(to.element_type);
      arguments[k] = outputs[k];
      arguments[count + k] = from.bytes + update * ElementByteSize(from.element_type);
    }
    return function.Call(arguments, outputs);
  };
  HLO_RETURN_IF_ERROR(windows.ForEach([&](int64_t target, int64_t update) {
    absl::Status status;
    windows.ForEachElement(target, update, [&](int64_t to, int64_t from) {
      if (status.ok()) status = combine(to, from);
    });
    return status;
  }));
  for (ResultInType& result : results) result.Finish();
  return absl::OkStatus();
}

// Arrays are walked together: the verifier only warns where their sizes differ, and dynamic ones may
// turn out to.
absl::Status CheckSameSizes(Evaluation& e, size_t first, std::string_view what) {
  for (size_t i = first + 1; i < first + e.results().size(); ++i) {
    if (std::ranges::equal(e.operand(i).dims, e.operand(first).dims)) continue;
    return absl::InvalidArgumentError(
        fmt::format("the {} have the sizes [{}] and [{}]: nothing says which elements belong "
                    "together",
                    what, fmt::join(e.operand(first).dims, ","), fmt::join(e.operand(i).dims, ",")));
  }
  return absl::OkStatus();
}

// Whether one array is combined with one of its type, and `form` computes in that type.
bool IsUniform(const Evaluation& e, const FunctionForm& form) {
  const ElementType type = e.result().element_type;
  return e.operands().size() == 3 && e.operand(2).element_type == type && form.element_type == type;
}

}  // namespace

// Results and updates in the types the computation declares.
double ScatterScratch(const OpView& op) {
  const ComputationId computation = op.Get<Attr::kToApply>();
  const int64_t count = op.operand_count() / 2;  // of arrays, with the indices between them
  double byte_size = 0;
  for (int64_t k = 0; k < count; ++k) {
    byte_size +=
        ConvertedByteSize(op.operand_shape(k), op.parameter_shape(computation, k).element_type()) +
        ConvertedByteSize(op.operand_shape(count + 1 + k),
                          op.parameter_shape(computation, count + k).element_type());
  }
  return byte_size;
}

absl::Status EvalScatter(Evaluation& e) {
  HLO_RETURN_IF_ERROR(CheckSameSizes(e, 0, "operands"));
  HLO_RETURN_IF_ERROR(CheckSameSizes(e, e.results().size() + 1, "updates"));
  for (size_t k = 0; k < e.results().size(); ++k) {
    const ArrayRef& operand = e.operand(k);
    HLO_RETURN_IF_ERROR(EnsureResultDims(e, k, operand.dims));
    if (e.result(k).bytes != operand.bytes) {
      std::memcpy(e.result(k).bytes, operand.bytes, static_cast<size_t>(operand.byte_size()));
    }
  }
  // There may be many windows without elements.
  if (e.operand(e.results().size() + 1).element_count() == 0) return absl::OkStatus();
  ScatterWindows windows(e);
  const FunctionForm& form = e.Function(Attr::kToApply).form();
  if (IsUniform(e, form)) {
    if (form.IsParameter(0)) return absl::OkStatus();
    if (form.IsParameter(1)) return Overwrite(e, windows);
    if (form.IsBinary() && CombineByOpcode(e, windows, form.opcode)) return absl::OkStatus();
  }
  return CombineByCalls(e, windows);
}

}  // namespace hlo::reference
