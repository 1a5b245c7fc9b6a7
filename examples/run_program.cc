// A module is verified, planned, and the plan is bound to memory; who runs it often keeps the plan
// and the executor.
#include "run_program.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "interp/executor.h"
#include "interp/make_plan.h"
#include "interp/plan/runnable_module.h"

absl::StatusOr<hlo::Literal> RunProgram(const hlo::Module& module,
                                        std::span<const hlo::Literal> arguments) {
  hlo::DiagnosticSink sink(module.source());
  const std::optional<hlo::RunnableModule> runnable = hlo::RunnableModule::Verify(module, sink);
  std::optional<hlo::Plan> plan;
  if (runnable) plan = hlo::MakePlan(*runnable, sink);
  if (!plan) return absl::InvalidArgumentError(sink.diagnostics().back().message);
  hlo::DeviceContext device;
  absl::StatusOr<std::unique_ptr<hlo::Executor>> executor = hlo::Executor::Create(*plan, device);
  if (!executor.ok()) return executor.status();
  if (absl::Status status = (*executor)->Run(arguments); !status.ok()) return status;
  return (*executor)->Result();
}

hlo::Literal FloatArray(std::vector<int64_t> sizes, const std::vector<float>& elements) {
  hlo::Literal array =
      hlo::Literal::Zeros(hlo::Shape::ArrayWithDefaultLayout(hlo::ElementType::kF32, sizes))
          .value();
  std::copy(elements.begin(), elements.end(), array.elements<float>().begin());
  return array;
}
