// scatter (semantics.md 7.7): each update window either lies inside the operand and is combined
// element by element, or is dropped whole.
#include <algorithm>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interp/kernel/prepared.h"
#include "interp/reference/call_frame.h"
#include "interp/reference/converted_array.h"
#include "interp/reference/eval.h"
#include "interp/reference/reducer.h"
#include "interp/reference/scatter_windows.h"
#include "interp/reference/scratch.h"
#include "interp/reference/set_result.h"
#include "interp/reference/strided_copy.h"
#include "ir/element_conversion.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

struct ScatterPlan {
  explicit ScatterPlan(const Evaluation& e)
      : windows(e),
        frame(e, Attr::kToApply),
        copy(ElementByteSize(e.result().element_type), windows.window_sizes(),
             windows.update_strides(), windows.target_strides()) {}

  ScatterWindows windows;
  CallFrame frame;
  StridedCopy copy;  // of one window
};

absl::Status Overwrite(Evaluation& e, ScatterPlan& plan) {
  const int64_t size = ElementByteSize(e.result().element_type);
  return plan.windows.ForEach(plan.windows.Indices(e), [&](int64_t target, int64_t update) {
    plan.copy(e.operand(2).bytes + update * size, e.result().bytes + target * size);
    return absl::OkStatus();
  });
}

bool CombineByOpcode(Evaluation& e, ScatterWindows& windows, Opcode opcode) {
  return DispatchReducer(opcode, e.result().element_type, [&]<typename T, typename Reducer>() {
    T* result = View<T>(e.result()).data();
    const T* updates = View<T>(e.operand(2)).data();
    windows
        .ForEach(windows.Indices(e),
                 [&](int64_t target, int64_t update) {
                   windows.ForEachElement(target, update, [&](int64_t to, int64_t from) {
                     result[to] = Reducer::Apply(result[to], updates[from]);
                   });
                   return absl::OkStatus();
                 })
        .IgnoreError();  // never fails
  });
}

absl::Status CombineByCalls(Evaluation& e, ScatterPlan& plan) {
  const size_t count = e.results().size();
  ScatterWindows& windows = plan.windows;
  CallFrame& frame = plan.frame;
  ScalarFunction& function = e.Function(Attr::kToApply);
  CallFrame::Arrays arrays(e, frame);  // operands: updates
  for (size_t k = 0; k < count; ++k) {
    const ArrayRef& operand = e.operand(k);
    arrays.AddResult(k, k);
    arrays.AddOperand(count + 1 + k, count + k);
    if (frame.type(k) != e.result(k).element_type) {
      ConvertElements(operand.element_type, operand.bytes, frame.type(k), arrays.result(k).bytes,
                      operand.element_count());
    }
  }
  const auto combine = [&](int64_t target, int64_t update) {
    for (size_t k = 0; k < count; ++k) {
      const ArrayRef& from = arrays.operand(k);
      const MutableArrayRef& to = arrays.result(k);
      frame.outputs[k] = to.bytes + target * ElementByteSize(to.element_type);
      frame.arguments[k] = frame.outputs[k];
      frame.arguments[count + k] = from.bytes + update * ElementByteSize(from.element_type);
    }
    return function.Call(frame.arguments, frame.outputs);
  };
  HLO_RETURN_IF_ERROR(windows.ForEach(windows.Indices(e), [&](int64_t target, int64_t update) {
    absl::Status status;
    windows.ForEachElement(target, update, [&](int64_t to, int64_t from) {
      if (status.ok()) status = combine(to, from);
    });
    return status;
  }));
  arrays.Finish();
  return absl::OkStatus();
}

// Arrays are walked together: the verifier only warns where their sizes differ, and dynamic ones
// may turn out to.
absl::Status CheckSameSizes(Evaluation& e, size_t first, std::string_view what) {
  for (size_t i = first + 1; i < first + e.results().size(); ++i) {
    if (std::ranges::equal(e.operand(i).dims, e.operand(first).dims)) continue;
    return absl::InvalidArgumentError(fmt::format(
        "the {} have the sizes [{}] and [{}]: nothing says which elements belong "
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

// Results and updates in the types the computation declares, and the indices.
double ScatterScratch(const OpView& op) {
  const ComputationId computation = op.Get<Attr::kToApply>();
  const int64_t count = op.operand_count() / 2;  // of arrays, with the indices between them
  double byte_size = ConvertedByteSize(op.operand_shape(count), ElementType::kS64);
  for (int64_t k = 0; k < count; ++k) {
    byte_size +=
        ConvertedByteSize(op.operand_shape(k), op.parameter_shape(computation, k).element_type()) +
        ConvertedByteSize(op.operand_shape(count + 1 + k),
                          op.parameter_shape(computation, count + k).element_type());
  }
  return byte_size;
}

absl::StatusOr<std::unique_ptr<KernelState>> PrepareScatter(Evaluation& e) {
  return Prepare<ScatterPlan>(e);
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
  ScatterPlan& plan = PreparedOf<ScatterPlan>(e);
  const FunctionForm& form = e.Function(Attr::kToApply).form();
  if (IsUniform(e, form)) {
    if (form.IsParameter(0)) return absl::OkStatus();
    if (form.IsParameter(1)) return Overwrite(e, plan);
    if (form.IsBinary() && CombineByOpcode(e, plan.windows, form.opcode)) return absl::OkStatus();
  }
  return CombineByCalls(e, plan);
}

}  // namespace hlo::reference
