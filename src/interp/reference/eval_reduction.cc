// reduce (semantics.md 9.1). The loops run over kept dimensions outside and reduced ones inside,
// reduced indices in the physical order of operand 0's layout; some neighbouring outputs (lanes)
// advance together, which leaves each output's own order as it is.
#include <algorithm>

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/reference/called_fold.h"
#include "interp/reference/converted_array.h"
#include "interp/reference/eval.h"
#include "interp/reference/reduce_loops.h"
#include "interp/reference/reducer.h"
#include "interp/reference/scratch.h"
#include "interp/reference/set_result.h"
#include "interp/reference/strided.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

constexpr int64_t kMaxLanes = 256;

// Folds step by step in T.
template <typename T, typename Reducer>
class StepFold {
 public:
  explicit StepFold(T init) : init_(init) {}
  void Start(int64_t lanes) { std::fill_n(accumulators_, lanes, init_); }
  void Step(const T* values, int64_t stride, int64_t lanes) {
    for (int64_t i = 0; i < lanes; ++i) {
      accumulators_[i] = Reducer::Apply(accumulators_[i], values[i * stride]);
    }
  }
  void Finish(T* result, int64_t lanes) { std::copy_n(accumulators_, lanes, result); }

 private:
  T init_;
  T accumulators_[kMaxLanes];
};

// A plain float add: sums in f64, 512 elements in a group, groups added in order (9.1).
template <typename T>
class WideSum {
 public:
  explicit WideSum(T init) : init_(static_cast<double>(init)) {}
  void Start(int64_t lanes) {
    std::fill_n(sums_, lanes, init_);
    std::fill_n(group_sums_, lanes, 0.0);
    in_group_ = 0;
  }
  void Step(const T* values, int64_t stride, int64_t lanes) {
    for (int64_t i = 0; i < lanes; ++i) group_sums_[i] += static_cast<double>(values[i * stride]);
    if (++in_group_ == kGroupSize) CloseGroup(lanes);
  }
  void Finish(T* result, int64_t lanes) {
    if (in_group_ > 0) CloseGroup(lanes);
    for (int64_t i = 0; i < lanes; ++i) result[i] = Round(sums_[i]);
  }

 private:
  static constexpr int kGroupSize = 512;

  void CloseGroup(int64_t lanes) {
    for (int64_t i = 0; i < lanes; ++i) sums_[i] += group_sums_[i];
    std::fill_n(group_sums_, lanes, 0.0);
    in_group_ = 0;
  }
  static T Round(double sum) {
    if constexpr (sizeof(T) < 4) return T(static_cast<float>(sum));
    return static_cast<T>(sum);
  }

  double init_;
  int in_group_ = 0;
  double sums_[kMaxLanes];
  double group_sums_[kMaxLanes];
};

// The loops of a reduce, of which the innermost one over kept dimensions is that of the lanes.
struct ReducePlan {
  explicit ReducePlan(const Evaluation& e)
      : loops(e),
        outer_dims(loops.kept_dims),
        outer_strides(loops.kept_strides),
        fold(e, Attr::kToApply) {
    if (outer_dims.empty()) return;
    lane_dim = outer_dims.back();
    lane_stride = outer_strides.back();
    outer_dims.pop_back();
    outer_strides.pop_back();
    // Lanes that are apart in memory still share their cache lines while there are few of them.
    if (lane_stride != 1) max_lanes = 16;
  }

  ReduceLoops loops;
  Index outer_dims, outer_strides;  // of the kept dimensions but the last
  int64_t lane_dim = 1;
  int64_t lane_stride = 1;
  int64_t max_lanes = kMaxLanes;
  FoldFrame fold;
};

template <typename T, typename Fold>
void RunFold(const ReducePlan& plan, Fold fold, const T* values, T* result) {
  const ReduceLoops& loops = plan.loops;
  ForEachOffset(AsSpan(plan.outer_dims), AsSpan(plan.outer_strides), [&](int64_t base) {
    for (int64_t lane = 0; lane < plan.lane_dim; lane += plan.max_lanes) {
      const int64_t stride = plan.lane_stride;
      const int64_t lanes = std::min(plan.max_lanes, plan.lane_dim - lane);
      const T* first = values + base + lane * stride;
      fold.Start(lanes);
      ForEachOffset(AsSpan(loops.reduced_dims), AsSpan(loops.reduced_strides),
                    [&](int64_t offset) { fold.Step(first + offset, stride, lanes); });
      fold.Finish(result, lanes);
      result += lanes;
    }
  });
}

void ReduceBySum(Evaluation& e, const ReducePlan& plan, ElementType type) {
  ScratchPool& pool = e.device().scratch();
  const ConvertedArray values(pool, e.operand(0), type);
  const ConvertedArray init(pool, e.operand(1), type);
  ResultInType result(pool, e.result(), type);
  DispatchElementType<kFloat>(type, [&]<typename T>() {
    RunFold<T>(plan, WideSum<T>(init.data<T>()[0]), values.data<T>(), View<T>(result.ref()).data());
  });
  result.Finish();
}

bool ReduceByOpcode(Evaluation& e, const ReducePlan& plan, Opcode opcode, ElementType type) {
  ScratchPool& pool = e.device().scratch();
  const ConvertedArray values(pool, e.operand(0), type);
  const ConvertedArray init(pool, e.operand(1), type);
  ResultInType result(pool, e.result(), type);
  const bool recognised = DispatchReducer(opcode, type, [&]<typename T, typename Reducer>() {
    RunFold<T>(plan, StepFold<T, Reducer>(init.data<T>()[0]), values.data<T>(),
               View<T>(result.ref()).data());
  });
  if (recognised) result.Finish();
  return recognised;
}

absl::Status ReduceByCalls(Evaluation& e, ReducePlan& plan) {
  const ReduceLoops& loops = plan.loops;
  CalledFold fold(e, Attr::kToApply, plan.fold);
  absl::Status status;
  int64_t output = 0;
  ForEachOffset(AsSpan(loops.kept_dims), AsSpan(loops.kept_strides), [&](int64_t base) {
    fold.Start();
    ForEachOffset(AsSpan(loops.reduced_dims), AsSpan(loops.reduced_strides), [&](int64_t offset) {
      if (status.ok()) status = fold.Step(base + offset);
    });
    fold.Store(output++);
  });
  if (status.ok()) fold.Finish();
  return status;
}

}  // namespace

// Operands and results in the types the computation declares.
double ReduceScratch(const OpView& op) {
  const ComputationId computation = op.Get<Attr::kToApply>();
  const Shape& result = *op.written_shape();
  double byte_size = 0;
  for (int64_t k = 0; k < op.operand_count() / 2; ++k) {
    const ElementType type = op.parameter_shape(computation, k).element_type();
    byte_size += ConvertedByteSize(op.operand_shape(k), type) +
                 ConvertedByteSize(result.IsTuple() ? result.element(k) : result, type);
  }
  return byte_size;
}

absl::StatusOr<std::unique_ptr<KernelState>> PrepareReduce(Evaluation& e) {
  return Prepare<ReducePlan>(e);
}

absl::Status EvalReduce(Evaluation& e) {
  ReducePlan& plan = PreparedOf<ReducePlan>(e);
  for (size_t i = 0; i < e.results().size(); ++i) {
    HLO_RETURN_IF_ERROR(EnsureResultDims(e, i, AsSpan(plan.loops.kept_dims)));
  }
  const FunctionForm& form = e.Function(Attr::kToApply).form();
  if (e.operands().size() == 2 && form.IsBinary()) {
    if (form.opcode == Opcode::kAdd && IsFloat(form.element_type)) {
      ReduceBySum(e, plan, form.element_type);
      return absl::OkStatus();
    }
    if (ReduceByOpcode(e, plan, form.opcode, form.element_type)) return absl::OkStatus();
  }
  return ReduceByCalls(e, plan);
}

}  // namespace hlo::reference
