// Each stage works on what the one before gave, and the first error ends it all: a test has no use
// for more. A backend that nobody names is the reference one, not the tools' default.
#include "testing/run_module.h"

#include <fmt/format.h>

#include <cstdlib>

#include "interp/backends.h"
#include "interp/executor.h"
#include "interp/make_plan.h"
#include "interp/simd/instruction_set.h"
#include "parser/parser.h"
#include "support/status_macros.h"

namespace hlo::testing {
namespace {

const bool is_instruction_set_there = [] {
  const char* name = std::getenv("HLOKIT_ISA");
  return name == nullptr || simd::ForceInstructionSet(name);
}();

absl::Status FirstError(const DiagnosticSink& sink) {
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    if (diagnostic.severity != Severity::kError) continue;
    return absl::InvalidArgumentError(fmt::format(
        "{}:{}: {} [{}]", sink.source()->name(), sink.source()->Locate(diagnostic.range.begin).line,
        diagnostic.message, diagnostic.rule));
  }
  return absl::InternalError("failed without a diagnostic");
}

}  // namespace

bool IsInstructionSetThere() { return is_instruction_set_there; }

absl::StatusOr<Module> ParseText(std::string name, std::string text) {
  auto source = std::make_shared<const SourceText>(std::move(name), std::move(text));
  DiagnosticSink sink(source);
  std::optional<Module> module = ParseModule(source, sink);
  if (!module) return FirstError(sink);
  return std::move(*module);
}

std::optional<Plan> PlanModule(const Module& module, DiagnosticSink& sink,
                               const PlanOptions& options) {
  const std::optional<RunnableModule> runnable = RunnableModule::Verify(module, sink);
  if (!runnable) return std::nullopt;
  PlanOptions judged = options;
  if (judged.backend == nullptr) judged.backend = FindBackend("reference");
  return MakePlan(*runnable, sink, judged);
}

absl::StatusOr<Literal> RunModule(const Module& module, std::span<const Literal> arguments) {
  DeviceContext device;
  return RunModule(module, arguments, device);
}

absl::StatusOr<Literal> RunModule(const Module& module, std::span<const Literal> arguments,
                                  DeviceContext& device, std::string_view backend) {
  PlanOptions options;
  if (!backend.empty()) options.backend = FindBackend(backend);
  return RunModule(module, arguments, device, options);
}

absl::StatusOr<Literal> RunModule(const Module& module, std::span<const Literal> arguments,
                                  DeviceContext& device, const PlanOptions& options) {
  if (!is_instruction_set_there) return absl::InvalidArgumentError("HLOKIT_ISA is not there");
  DiagnosticSink sink(module.source());
  std::optional<Plan> plan = PlanModule(module, sink, options);
  if (!plan) return FirstError(sink);
  HLO_ASSIGN_OR_RETURN(std::unique_ptr<Executor> executor, Executor::Create(*plan, device));
  HLO_RETURN_IF_ERROR(executor->Run(arguments));
  return executor->Result();
}

Shape MakeShape(std::string_view text) {
  auto source = std::make_shared<const SourceText>("shape", std::string(text));
  DiagnosticSink sink(source);
  return ParseShape(source, sink).value();
}

}  // namespace hlo::testing
