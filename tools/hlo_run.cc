// hlo-run: runs HLO programs.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "interp/backends.h"
#include "interp/replica/open_link.h"
#include "interp/simd/instruction_set.h"
#include "interp/simd/onednn/onednn.h"
#include "tools/interrupt_scope.h"
#include "tools/run_command_line.h"
#include "tools/run_program.h"

namespace hlo::tools {
namespace {

// What tells the results of several programs apart.
std::string HeadingOf(const Session& session, const InputFile& file, const SourceText& part) {
  if (file.sources.size() > 1) return fmt::format("{}:{}", file.name, part.first_line());
  return session.has_several_inputs() ? file.name : "";
}

int Main(int argc, char** argv) {
  CLI::App app("Runs HLO programs and prints their results.", "hlo-run");
  RunCommandLine options;
  AddRunCommandLine(app, &options);
  std::optional<int> exit_code = ParseCommandLine(app, argc, argv, CommonRunOptions());
  if (!exit_code) exit_code = Complete(app, &options);
  if (exit_code) return *exit_code;

  if (options.run.max_memory != 0) {  // texts lie in memory, too
    options.common.max_input_size = std::min(
        options.common.max_input_size, std::max<uint64_t>(options.run.max_memory, kFreeByteSize));
  }
  Session session("hlo-run", options.common);
  if (options.list_backends) {
    for (const Backend& backend : Backends()) {
      session.Write(fmt::format("{}: {}\n", backend.name, backend.description));
    }
    return session.Finish();
  }
  NoteIgnoredFlags(app, session);
  if (!options.run.isa.empty() && !simd::ForceInstructionSet(options.run.isa)) {
    fmt::print(stderr, "hlo-run: this processor has no {}\n", options.run.isa);
    return kExitEnvironment;
  }
  if (options.run.onednn == "always" && !simd::onednn::IsThere()) {
    fmt::print(stderr, "hlo-run: there is no oneDNN 2 (libdnnl.so.2) for --onednn=always\n");
    return kExitEnvironment;
  }
  std::unique_ptr<ProcessLink> link;
  if (options.run.devices.transport == "mpi") {
    absl::StatusOr<std::unique_ptr<ProcessLink>> opened = OpenMpiLink();
    if (!opened.ok()) {
      session.ReportEnvironment("--transport=mpi: " + std::string(opened.status().message()));
      return session.Finish();
    }
    link = *std::move(opened);
  }
  ShareMachine(&options);
  Processes processes(session, std::move(link));
  const auto run_all = [&](ProgramRunner& runner, const InputFile& file) {
    for (const auto& source : file.sources) {
      // Other processes would wait for this one.
      if (InterruptScope::IsInterrupted() && processes.group() == nullptr) return;
      if (!IsEmptyPart(file, *source)) runner.Run(source, HeadingOf(session, file, *source));
    }
  };
  if (options.common.jobs > 1) {
    session.ForEachInputInProcesses([&](const InputFile& file) {
      ProgramRunner runner(session, options.run, processes);  // its threads are the process's
      run_all(runner, file);
    });
    return session.Finish();
  }
  ProgramRunner runner(session, options.run, processes);
  processes.ForEachInput([&](InputFile& file) { run_all(runner, file); });
  return session.Finish();
}

}  // namespace
}  // namespace hlo::tools

int main(int argc, char** argv) { return hlo::tools::Main(argc, argv); }
