// reduce-window (semantics.md 9.2) and select-and-scatter (9.4): folds over the window positions
// that fall on elements; padding and holes are skipped.
#include <algorithm>
#include <cstring>
#include <vector>

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/reference/called_fold.h"
#include "interp/reference/converted_array.h"
#include "interp/reference/eval.h"
#include "interp/reference/reducer.h"
#include "interp/reference/scratch.h"
#include "interp/reference/set_result.h"
#include "interp/reference/strided.h"
#include "interp/reference/window_positions.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

// The window placements over an array and the elements each one covers.
class WindowWalk {
 public:
  WindowWalk(const Window& window, std::span<const int64_t> base_dims)
      : strides_(DenseStrides(base_dims)) {
    for (size_t d = 0; d < base_dims.size(); ++d) {
      const WindowDimension dimension = WindowDimensionAt(window, d);
      output_dims_.push_back(WindowOutputSize(dimension, base_dims[d]));
      runs_.emplace_back(dimension, output_dims_[d], base_dims[d]);
    }
    covered_dims_.resize(base_dims.size());
    covered_strides_.resize(base_dims.size());
  }

  std::span<const int64_t> output_dims() const { return AsSpan(output_dims_); }

  // visit(offset) for every element under the placement at `output`, row-major.
  template <typename Visit>
  void ForEachCovered(const Index& output, Visit&& visit) {
    int64_t base = 0;
    for (size_t d = 0; d < output.size(); ++d) {
      const WindowRun run = runs_[d][output[d]];
      covered_dims_[d] = run.count;
      covered_strides_[d] = run.base_step * strides_[d];
      base += run.base_first * strides_[d];
    }
    ForEachOffset(AsSpan(covered_dims_), AsSpan(covered_strides_),
                  [&](int64_t offset) { visit(base + offset); });
  }

 private:
  Index strides_;
  Index output_dims_;
  std::vector<WindowRuns> runs_;  // by dimension
  Index covered_dims_, covered_strides_;
};

struct ReduceWindowPlan {
  explicit ReduceWindowPlan(const Evaluation& e)
      : walk(e.Get<Attr::kWindow>(), e.operand(0).dims), fold(e, Attr::kToApply) {}

  WindowWalk walk;
  FoldFrame fold;
};

bool ReduceWindowByOpcode(Evaluation& e, WindowWalk& walk, Opcode opcode, ElementType type) {
  ScratchPool& pool = e.device().scratch();
  const ConvertedArray values(pool, e.operand(0), type);
  const ConvertedArray init(pool, e.operand(1), type);
  ResultInType result(pool, e.result(), type);
  const bool recognised = DispatchReducer(opcode, type, [&]<typename T, typename Reducer>() {
    const T* elements = values.data<T>();
    T* next = View<T>(result.ref()).data();
    for (const Index& output : IndexSpace(walk.output_dims())) {
      T accumulator = init.data<T>()[0];
      walk.ForEachCovered(output, [&](int64_t offset) {
        accumulator = Reducer::Apply(accumulator, elements[offset]);
      });
      *next++ = accumulator;
    }
  });
  if (recognised) result.Finish();
  return recognised;
}

absl::Status ReduceWindowByCalls(Evaluation& e, ReduceWindowPlan& plan) {
  WindowWalk& walk = plan.walk;
  CalledFold fold(e, Attr::kToApply, plan.fold);
  absl::Status status;
  int64_t position = 0;
  for (const Index& output : IndexSpace(walk.output_dims())) {
    fold.Start();
    walk.ForEachCovered(output, [&](int64_t offset) {
      if (status.ok()) status = fold.Step(offset);
    });
    HLO_RETURN_IF_ERROR(status);
    fold.Store(position++);
  }
  fold.Finish();
  return absl::OkStatus();
}

// `select` as a question about two elements of the operand: greater-or-equal and its kin are
// called like any other computation.
class Selector {
 public:
  Selector(Evaluation& e, const ArrayRef& values)
      : function_(e.Function(Attr::kSelect)), values_(values) {}

  // Whether the candidate stays against the element at `next`.
  absl::StatusOr<bool> Keeps(int64_t candidate, int64_t next) {
    const int64_t size = ElementByteSize(values_.element_type);
    const std::byte* arguments[] = {values_.bytes + candidate * size, values_.bytes + next * size};
    bool keeps = false;
    std::byte* results[] = {reinterpret_cast<std::byte*>(&keeps)};
    HLO_RETURN_IF_ERROR(function_.Call(arguments, results));
    return keeps;
  }

 private:
  ScalarFunction& function_;
  ArrayRef values_;
};

// The element the window at `output` selects, or -1 when it covers none.
absl::StatusOr<int64_t> SelectElement(WindowWalk& walk, const Index& output, Selector& selector) {
  int64_t candidate = -1;
  absl::Status status;
  walk.ForEachCovered(output, [&](int64_t offset) {
    if (!status.ok()) return;
    if (candidate < 0) {
      candidate = offset;
      return;
    }
    absl::StatusOr<bool> keeps = selector.Keeps(candidate, offset);
    if (!keeps.ok()) {
      status = keeps.status();
    } else if (!*keeps) {
      candidate = offset;
    }
  });
  if (!status.ok()) return status;
  return candidate;
}

void FillWith(const MutableArrayRef& array, const std::byte* element) {
  const int64_t size = ElementByteSize(array.element_type);
  for (int64_t i = 0; i < array.element_count(); ++i) {
    std::memcpy(array.bytes + i * size, element, static_cast<size_t>(size));
  }
}

struct SelectAndScatterPlan {
  explicit SelectAndScatterPlan(const Evaluation& e)
      : walk(e.Get<Attr::kWindow>(), e.operand(0).dims),
        value_type(ParameterType(e, e.Get<Attr::kSelect>(), 0)),
        source_type(ParameterType(e, e.Get<Attr::kScatter>(), 1)),
        result_type(ParameterType(e, e.Get<Attr::kScatter>(), 0)) {}

  WindowWalk walk;
  ElementType value_type, source_type, result_type;  // what the functions take
};

}  // namespace

double ReduceWindowScratch(const OpView& op) { return ReduceScratch(op); }

double ReduceWindowState(const OpView& op) {
  return WindowRuns::ByteSize(op.Get<Attr::kWindow>(), op.operand_shape(0).dims());
}

absl::StatusOr<std::unique_ptr<KernelState>> PrepareReduceWindow(Evaluation& e) {
  return Prepare<ReduceWindowPlan>(e);
}

absl::Status EvalReduceWindow(Evaluation& e) {
  ReduceWindowPlan& plan = PreparedOf<ReduceWindowPlan>(e);
  for (size_t i = 0; i < e.results().size(); ++i) {
    HLO_RETURN_IF_ERROR(EnsureResultDims(e, i, plan.walk.output_dims()));
  }
  if (e.operands().size() == 2) {
    const FunctionForm& form = e.Function(Attr::kToApply).form();
    if (form.IsBinary() && ReduceWindowByOpcode(e, plan.walk, form.opcode, form.element_type)) {
      return absl::OkStatus();
    }
  }
  return ReduceWindowByCalls(e, plan);
}

double SelectAndScatterScratch(const OpView& op) {
  const ComputationId scatter = op.Get<Attr::kScatter>();
  const ElementType type = op.parameter_shape(scatter, 0).element_type();
  return ConvertedByteSize(op.operand_shape(0),
                           op.parameter_shape(op.Get<Attr::kSelect>(), 0).element_type()) +
         ConvertedByteSize(op.operand_shape(1), op.parameter_shape(scatter, 1).element_type()) +
         ConvertedByteSize(*op.written_shape(), type);
}

double SelectAndScatterState(const OpView& op) {
  return WindowRuns::ByteSize(op.Get<Attr::kWindow>(), op.operand_shape(0).dims());
}

absl::StatusOr<std::unique_ptr<KernelState>> PrepareSelectAndScatter(Evaluation& e) {
  return Prepare<SelectAndScatterPlan>(e);
}

absl::Status EvalSelectAndScatter(Evaluation& e) {
  SelectAndScatterPlan& plan = PreparedOf<SelectAndScatterPlan>(e);
  ScratchPool& pool = e.device().scratch();
  const ConvertedArray values(pool, e.operand(0), plan.value_type);
  const ConvertedArray sources(pool, e.operand(1), plan.source_type);
  const ElementType type = plan.result_type;
  const ConvertedArray init(pool, e.operand(2), type);
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, e.operand(0).dims));
  ResultInType result(pool, e.result(), type);
  FillWith(result.ref(), init.ref().bytes);

  if (!std::ranges::equal(plan.walk.output_dims(), e.operand(1).dims)) {
    return absl::InvalidArgumentError("the source's sizes differ from the number of windows");
  }
  Selector selector(e, values.ref());
  ScalarFunction& combine = e.Function(Attr::kScatter);
  const std::byte* source = sources.ref().bytes;
  for (const Index& output : IndexSpace(plan.walk.output_dims())) {
    HLO_ASSIGN_OR_RETURN(const int64_t selected, SelectElement(plan.walk, output, selector));
    if (selected >= 0) {
      std::byte* target = result.ref().bytes + selected * ElementByteSize(type);
      const std::byte* arguments[] = {target, source};
      std::byte* results[] = {target};
      HLO_RETURN_IF_ERROR(combine.Call(arguments, results));
    }
    source += ElementByteSize(sources.ref().element_type);
  }
  result.Finish();
  return absl::OkStatus();
}

}  // namespace hlo::reference
