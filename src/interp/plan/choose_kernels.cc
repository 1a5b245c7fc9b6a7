// Pass choose-kernels, and the hook of pass fuse. Kernels run one after the other: the scratch
// memory of a run is that of the step that takes most.
#include <algorithm>

#include "absl/functional/function_ref.h"
#include "interp/plan/passes.h"
#include "interp/reference/eval.h"
#include "interp/reference/work.h"
#include "support/checked_math.h"

namespace hlo {
namespace {

struct FixedOperands {
  bool operator()(size_t i) const { return plan.is_fixed(step.operands[i], kept_loop); }
  const Plan& plan;
  const Step& step;
  int64_t kept_loop;
};

class KernelChooser {
 public:
  KernelChooser(Plan& plan, DiagnosticSink& sink) : plan_(plan), sink_(sink) {}

  bool Run() {
    CountScratch(CopiedByteSize(plan_), InstructionId());
    return VisitRegion(*plan_.entry);
  }

 private:
  bool VisitRegion(Region& region) {
    return std::ranges::all_of(region.steps, [&](Step& step) { return VisitStep(step); });
  }

  bool VisitStep(Step& step) {
    if (step.kind == StepKind::kKernel) {
      Choose(step);
    } else if (!CountMoves(step)) {
      return false;
    }
    for (const auto& region : step.regions) {
      if (!VisitRegion(*region)) return false;
      if (region->role == Region::Role::kFunction) CountWithCaller(*region);
    }
    return true;
  }

  // What a function does counts where it is called (WorkOfCalls), whether the kernel calls it or
  // knows it by its form: a limit of work means the same for every backend. Loops and branches in
  // it are always run, and count as they are.
  static void CountWithCaller(Region& function) {
    for (Step& step : function.steps) {
      if (step.kind == StepKind::kKernel) step.work = 0;
    }
  }

  void Choose(Step& step) {
    const Instruction& instruction = plan_.instruction(step);
    step.work = WorkOf(step);
    // Before anything else: the last of the steps in a program may be a conversion.
    if (step.program != nullptr) {
      step.kernel = &step.program->kernel();
      ChooseState(step,
                  [&](IsFixedOperand is_fixed) { return step.program->StateByteSize(is_fixed); });
      return CountScratch(step.program->ScratchByteSize(), step.instruction);
    }
    if (IsConversion(step)) {
      step.kernel = &reference::FindKernel(step.opcode);
      return;
    }
    const OpView op(*plan_.module, instruction);
    const auto find_kernel = plan_.backend->find_kernel;
    if (find_kernel != nullptr) step.kernel = find_kernel(plan_, step);
    step.is_fallback = step.kernel == nullptr;
    if (step.is_fallback) step.kernel = &reference::FindKernel(step.opcode);
    ChooseState(step, [&](IsFixedOperand is_fixed) -> int64_t {
      const auto byte_size = step.kernel->state_byte_size;
      return byte_size == nullptr ? 0 : byte_size(op, is_fixed);
    });
    if (step.kernel->scratch_byte_size != nullptr) {
      CountScratch(step.kernel->scratch_byte_size(op), step.instruction);
    }
  }

  // What no instruction of its own asks for.
  bool IsConversion(const Step& step) const {
    return step.opcode != plan_.instruction(step).opcode;
  }

  using CountWork = int64_t (*)(const OpView&);

  int64_t WorkOf(const Step& step, CountWork count = reference::Work) const {
    if (!step.covered.empty()) return WorkOf(step.covered, count);
    if (IsConversion(step)) {
      return ElementCount(*plan_.slot(step.results[0]).shape).value_or(INT64_MAX);
    }
    const OpView op(*plan_.module, plan_.instruction(step));
    return CheckedAdd(count(op), WorkOfCalls(step, op)).value_or(INT64_MAX);
  }

  int64_t WorkOf(const std::vector<Step>& steps, CountWork count) const {
    int64_t work = 0;
    for (const Step& step : steps) {
      if (step.kind != StepKind::kKernel) continue;
      work = CheckedAdd(work, WorkOf(step, count)).value_or(INT64_MAX);
    }
    return work;
  }

  // Every call counts the instructions of the function, but one: that is counted with the elements.
  int64_t WorkOfCalls(const Step& step, const OpView& op) const {
    int64_t of_a_call = 0;
    for (const auto& region : step.regions) {
      if (region->role != Region::Role::kFunction) continue;
      of_a_call =
          CheckedAdd(of_a_call, WorkOf(region->steps, reference::WorkOfCall)).value_or(INT64_MAX);
    }
    if (of_a_call <= 1) return 0;
    return CheckedMul(reference::CallCount(op), of_a_call - 1).value_or(INT64_MAX);
  }

  // The state of a loop is brought into place at its begin.
  bool CountMoves(Step& step) {
    for (const Move& move : step.moves) {
      const std::optional<int64_t> sum = CheckedAdd(step.work, plan_.slot(move.to).byte_size);
      if (!sum) {
        return sink_.Error(Rule::kRunSize, plan_.module->name_range(),
                           "the arrays of the program take more than 2^63 - 1 bytes");
      }
      step.work = *sum;
    }
    return true;
  }

  // What the step's kernel keeps, `byte_size(is_fixed)`, if it can make something of what a loop
  // leaves as it is.
  void ChooseState(Step& step, absl::FunctionRef<int64_t(IsFixedOperand)> byte_size) {
    const int64_t own = byte_size(FixedOperands{plan_, step, 0});
    const int64_t kept =
        step.kept_loop > 0 ? byte_size(FixedOperands{plan_, step, step.kept_loop}) : own;
    if (kept <= own) step.kept_loop = 0;
    CountState(std::max(own, kept));
  }

  void CountState(int64_t byte_size) {
    plan_.state_byte_size = CheckedAdd(plan_.state_byte_size, byte_size).value_or(INT64_MAX);
  }

  void CountScratch(int64_t byte_size, InstructionId instruction) {
    if (byte_size < plan_.scratch_byte_size) return;
    plan_.scratch_byte_size = byte_size;
    plan_.scratch_instruction = instruction;
  }

  Plan& plan_;
  DiagnosticSink& sink_;
};

}  // namespace

int64_t CopiedByteSize(const Plan& plan) {
  int64_t total = 0;
  for (SlotId id : plan.entry->results) {
    if (plan.is_lent(id)) continue;
    total = CheckedAdd(total, plan.slot(id).byte_size).value_or(INT64_MAX);
  }
  return total;
}

bool FuseSteps(Plan& plan, const PassContext& context) {
  if (context.fuses && plan.backend->fuse != nullptr) plan.backend->fuse(plan);
  return true;
}

bool ChooseKernels(Plan& plan, const PassContext& context) {
  return KernelChooser(plan, context.sink).Run();
}

}  // namespace hlo
