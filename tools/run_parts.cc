// --only: parts of a program as programs of their own.
#include <fmt/format.h>
#include <re2/re2.h>

#include "interp/inspect/inspect.h"
#include "parser/parser.h"
#include "printer/printer.h"
#include "tools/run_program.h"

namespace hlo::tools {

absl::StatusOr<Module> ProgramRunner::ExtractPart(const Module& module, InstructionId id,
                                                  std::string* how) const {
  CollectiveLimits limits = options_.only_limits;
  if (limits.participants == 0 && limits.dimension == 0) return ExtractInstruction(module, id);
  if (limits.participants == 0) limits.participants = ReplicaRun::kMaxParticipants;
  if (limits.dimension == 0) limits.dimension = INT64_MAX;
  return ExtractCutCollective(module, id, limits, how);
}

// The part is printed and read, so that messages show its text.
void ProgramRunner::RunPart(const Module& part, const std::string& name) {
  const auto source =
      std::make_shared<const SourceText>(name, PrintModule(part, {.style = PrintStyle::kPretty}));
  DiagnosticSink sink(source, session_.limits());
  std::optional<Module> module = ParseModule(source, sink);
  if (module) RunParsed(*module, sink);
  session_.Report(sink);
}

void ProgramRunner::RunParts(const Module& module, DiagnosticSink& sink) {
  const RE2 pattern(options_.only, RE2::Quiet);
  const std::string heading = heading_;
  const std::string file(sink.source()->name());
  int64_t count = 0;
  is_part_ = true;
  const auto run = [&](const Module& part, std::string_view name) {
    ++count;
    heading_ = name;
    RunPart(part, fmt::format("{}, {}", file, name));
  };
  for (size_t i = 0; i < module.computations().size(); ++i) {
    const Computation& computation = module.computations()[i];
    if (Matches(pattern, computation.name)) {
      run(ExtractComputation(module, ComputationId(static_cast<uint32_t>(i))), computation.name);
    }
  }
  for (const Instruction& instruction : module.instructions()) {
    if (!Matches(pattern, instruction.name) || instruction.opcode == Opcode::kParameter) continue;
    std::string how;
    const absl::StatusOr<Module> part = ExtractPart(module, module.id_of(instruction), &how);
    if (!part.ok()) {
      sink.Error(Rule::kRunNotImplemented, instruction.opcode_range, "{}",
                 std::string(part.status().message()));
      continue;
    }
    if (!how.empty()) session_.Note(fmt::format("`{}`: {}", instruction.name, how));
    run(*part, instruction.name);
  }
  is_part_ = false;
  heading_ = heading;
  if (count == 0 && sink.error_count() == 0) {
    sink.Error(Rule::kRunInput, module.name_range(), "no name matches `--only={}`", options_.only);
  }
}

}  // namespace hlo::tools
