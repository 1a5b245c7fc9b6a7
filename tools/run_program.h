// Runs one program as hlo-run's options say.
#ifndef HLOKIT_TOOLS_RUN_PROGRAM_H_
#define HLOKIT_TOOLS_RUN_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interp/backend.h"
#include "interp/compare.h"
#include "interp/inspect.h"
#include "interp/plan.h"
#include "tools/run_inputs.h"
#include "tools/tool.h"

namespace hlo::tools {

struct RunOptions {
  InputOptions input;
  std::string backend = "reference";
  bool print_plan = false;
  bool print_literals = false;
  int64_t repeat = 1;
  uint64_t max_memory = 0;  // bytes; 0: 90 % of the machine's
  int64_t max_iterations = -1;
  std::vector<std::string> custom_call_libraries;
  int64_t max_print = 100000;  // elements
  std::vector<std::string> outputs;
  std::string expect;
  std::string reference_backend;
  ToleranceOverrides tolerance;
  int64_t max_report = 5;
  std::optional<std::string> trace;  // a pattern of instruction names
  bool first_nan = false;
  std::string repro_out;
  std::vector<std::string> dumps;  // REGEX:DIR
  bool profile = false;
  std::string profile_out;
};

class ProgramRunner {
 public:
  ProgramRunner(Session& session, const RunOptions& options);

  // Parses, checks, plans, runs, prints and compares. Whatever is wrong is reported to the session.
  void Run(const std::shared_ptr<const SourceText>& source);

 private:
  std::optional<Module> Load(const std::shared_ptr<const SourceText>& source);
  bool FitsMemory(const Plan& plan, DiagnosticSink& sink) const;
  std::optional<Literal> Execute(const Plan& plan, const std::vector<Literal>& arguments,
                                 DiagnosticSink& sink);
  void ReportStop(const Module& module, InstructionId at, const absl::Status& status,
                  DiagnosticSink& sink);
  void PrintTimes(const std::vector<double>& seconds);
  void RunLoaded(const Module& module, DiagnosticSink& sink);
  void WriteRepro(const Module& module, const FirstNanFinder& finder);
  bool Compare(const Literal& result, const Literal& expected);
  void CompareWithFile(const Literal& result);
  void CompareWithBackend(const Module& module, const Literal& result,
                          const std::vector<Literal>& arguments, DiagnosticSink& sink);

  Session& session_;
  const RunOptions& options_;
};

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_RUN_PROGRAM_H_
