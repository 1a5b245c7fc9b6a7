// Everything is compared as text: programs with what a test expects, results of the backends with
// each other. The entry's lines are cut out of the printer's short form, so this file knows how
// that looks.
#include "testing/built_program.h"

#include <fmt/format.h>

#include "interp/backends.h"
#include "interp/executor.h"
#include "interp/make_plan.h"
#include "printer/printer.h"
#include "support/status_macros.h"

namespace hlo::testing {
namespace {

const PrintOptions kShortText = {.style = PrintStyle::kShort, .layouts = false};

absl::StatusOr<Literal> RunOn(const Backend& backend, const Module& module,
                              std::span<const Literal> arguments) {
  DiagnosticSink sink(module.source());
  const std::optional<RunnableModule> runnable = RunnableModule::Verify(module, sink);
  std::optional<Plan> plan;
  if (runnable) plan = MakePlan(*runnable, sink, {.backend = &backend});
  if (!plan) return absl::InvalidArgumentError(sink.diagnostics().back().message);
  DeviceContext device;
  HLO_ASSIGN_OR_RETURN(std::unique_ptr<Executor> executor, Executor::Create(*plan, device));
  HLO_RETURN_IF_ERROR(executor->Run(arguments));
  return executor->Result();
}

}  // namespace

std::string ProgramText(const absl::StatusOr<Module>& module) {
  if (!module.ok()) return std::string(module.status().message());
  const std::string text = PrintModule(*module, kShortText);
  return text.substr(text.find('\n') + 1);
}

std::string EntryText(const absl::StatusOr<Module>& module) {
  if (!module.ok()) return std::string(module.status().message());
  const std::string program = ProgramText(module);
  std::string text;
  size_t begin = program.find('\n', program.find("ENTRY")) + 1;
  for (size_t end = program.find('\n', begin); program[begin] != '}';
       begin = end + 1, end = program.find('\n', begin)) {
    const std::string line = program.substr(begin, end - begin);
    const std::string trimmed = line.substr(line.find_first_not_of(' '));
    const bool is_root = trimmed.starts_with("ROOT ");
    if (is_root || trimmed.find(" parameter(") == std::string::npos) text += trimmed + "\n";
  }
  return text;
}

std::string LiteralText(const Literal& literal) {
  if (!literal.shape().IsTuple()) {
    return fmt::format("{} {}", ShapeText(literal.shape()), PrintLiteral(literal));
  }
  std::vector<std::string> elements;
  for (const Literal& element : literal.tuple_elements()) elements.push_back(LiteralText(element));
  return fmt::format("({})", fmt::join(elements, ", "));
}

std::string ResultText(const absl::StatusOr<Module>& module, std::span<const Literal> arguments) {
  if (!module.ok()) return std::string(module.status().message());
  std::string text;
  for (const Backend& backend : Backends()) {
    const absl::StatusOr<Literal> result = RunOn(backend, *module, arguments);
    if (!result.ok()) return std::string(result.status().message());
    const std::string other = LiteralText(*result);
    if (!text.empty() && text != other) {
      return fmt::format("{}; on {}: {}", text, backend.name, other);
    }
    text = other;
  }
  return text;
}

std::string FirstRule(const HloBuilder& builder) {
  return builder.error() == nullptr ? "" : builder.error()->rule;
}

}  // namespace hlo::testing
