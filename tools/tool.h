// What the tools have in common: options, reading inputs, diagnostics, exit codes.
//
//   CommonOptions options;                      // filled by AddCommonOptions (command_line.h)
//   Session session("hlo-verify", options);
//   session.ForEachInput([&](const InputFile& file) {
//     for (const auto& source : file.sources) ...  session.Report(diagnostics);
//   });
//
// Where inputs have nothing to do with each other, several are worked on at a time:
//   session.ForEachInputAtOnce([&](const InputFile& file, Session& session) { ... });
//   return session.Finish();
#ifndef HLOKIT_TOOLS_TOOL_H_
#define HLOKIT_TOOLS_TOOL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "support/diagnostic.h"
#include "support/render_diagnostic.h"
#include "support/source.h"
#include "tools/progress.h"

namespace hlo::tools {

enum ExitCode : int {
  kExitFine = 0,
  kExitFindings = 1,     // the input was rejected, would change, does not match
  kExitEnvironment = 2,  // wrong usage, unreadable files
};

struct CommonOptions {
  std::vector<std::string> inputs;
  bool split_input_file = false;
  std::string color = "auto";        // auto, always, never
  std::string diagnostics = "text";  // a name ParseDiagnosticFormat knows
  bool quiet = false;
  int verbosity = 0;
  std::string progress = "auto";  // auto, always, never
  int64_t jobs = 0;               // inputs worked on at a time; 0: one for each processor
  uint64_t max_input_size = SourceText::kMaxByteSize;
  // How many errors and warnings (and notes) are shown of a text; 0: all.
  std::optional<uint32_t> max_errors;
  std::optional<uint32_t> max_warnings;

  DiagnosticLimits limits() const { return {max_errors.value_or(50), max_warnings.value_or(50)}; }
};

// One file with its bytes and its parts as sources (one unless --split-input-file).
struct InputFile {
  std::string path;  // "-" for stdin
  std::string name;  // as messages call it
  std::string text;
  std::vector<std::shared_ptr<const SourceText>> sources;
};

// Whether one of several parts of a file is nothing but white space, as behind a last separator.
bool IsEmptyPart(const InputFile& file, const SourceText& part);

struct InputPath;  // input_files.h

// One run of a tool. Collects what happened into the exit code.
class Session {
 public:
  Session(std::string_view tool_name, const CommonOptions& options,
          std::span<const RuleDescription> rules = {});

  // The name under which messages speak of stdin.
  void set_stdin_name(std::string name) { stdin_name_ = std::move(name); }

  // Calls `work` for every input that can be read; the others are reported.
  void ForEachInput(const std::function<void(InputFile&)>& work);
  // The same on --jobs threads. `work` says all it has to say to the session it is given; that
  // comes out in the order of the inputs, whichever is done first.
  using Work = std::function<void(InputFile&, Session&)>;
  void ForEachInputAtOnce(const Work& work);
  // The same, each in a process of its own, as many at a time as --jobs says: where inputs want
  // memory, signals or crashes for themselves. Messages are text.
  void ForEachInputInProcesses(const std::function<void(InputFile&)>& work);

  // Shows the diagnostics about a text on stderr, as many as the options let through, and says how
  // many more there are; errors make the exit code 1. The structured formats are written by Finish,
  // as one document.
  void Report(const DiagnosticSink& sink);
  // The same for diagnostics that are chosen already; `hidden` are those that are not among them.
  void Report(std::span<const Diagnostic> diagnostics, const DiagnosticCounts& hidden = {});
  // "tool: message" on stderr, or part of a structured document, and exit code 2.
  void ReportEnvironment(std::string_view message);
  void ReportEnvironment(const absl::Status& status) {
    ReportEnvironment(std::string(status.message()));
  }
  // The same, but a message that was given before is not repeated.
  void ReportEnvironmentOnce(std::string_view message);
  // The input is not as it should be: exit code 1.
  void AddFinding();
  // The same unless -q was given, and without a bearing on the exit code.
  void Note(std::string_view message);

  // Writes results to stdout. A reader that closed the pipe is no error.
  void Write(std::string_view text);

  // What sinks have to keep for Report.
  DiagnosticLimits limits() const { return options_.limits(); }

  // Whether results need the names of their inputs beside them; known inside ForEachInput.
  bool has_several_inputs() const { return has_several_inputs_; }

  bool splits_input_files() const { return options_.split_input_file; }
  std::string_view tool_name() const { return tool_name_; }
  // Where long work shows how far it is; null: nowhere.
  Progress* progress() { return progress_.get(); }

  bool quiet() const { return options_.quiet; }
  int verbosity() const { return options_.verbosity; }
  bool color_stdout() const { return color_stdout_; }

  // What a session has said while it kept silent, for one that speaks for it.
  struct Said {
    std::string out;
    std::string err;
    int exit_code = kExitFine;
  };
  // From now on nothing is shown.
  void KeepSilent() { said_ = Said(); }
  // What was said since the last time.
  Said TakeSaid() { return std::exchange(*said_, Said()); }
  void Show(const Said& said);

  // Writes what was collected and returns the exit code.
  int Finish();

 private:
  using Calls = std::vector<std::function<void(Session&)>>;

  std::vector<InputPath> FindInputs();
  void WorkOn(const InputPath& input, const Work& work);
  void ReadAndWorkOn(const InputPath& input, const std::string& name, const Work& work);
  // A session for one of several inputs: it does not say what it is told but keeps it in `calls`.
  Session Recorder(Calls* calls) const;
  void Replay(const Calls& calls);
  void NoteHidden(std::string_view name, int64_t count, std::string_view what,
                  std::string_view option);
  bool IsStructured() const;
  void WriteErr(std::string_view text);
  void SetExitCode(int exit_code);
  void Say(Severity severity, std::string_view message);
  bool WriteStdout(std::string_view text);
  void CountFiles(size_t done, size_t count);
  RenderOptions MakeRenderOptions() const;

  std::string tool_name_;
  CommonOptions options_;
  std::span<const RuleDescription> rules_;
  std::string stdin_name_ = "<stdin>";
  DiagnosticFormat format_ = DiagnosticFormat::kText;
  bool color_stdout_ = false;
  bool color_stderr_ = false;
  std::vector<Diagnostic> collected_;
  std::vector<ToolMessage> messages_;  // for the structured formats
  std::set<std::string, std::less<>> said_once_;
  bool has_several_inputs_ = false;
  int exit_code_ = kExitFine;
  Calls* calls_ = nullptr;    // of a recorder
  std::optional<Said> said_;  // there: the session is silent
  std::unique_ptr<Progress> progress_;
};

// Prints what was asked for instead of work, such as help. Returns the exit code, which says when
// it could not be written. A reader that closed the pipe is no error.
int PrintToStdout(std::string_view tool_name, std::string_view text);

// "hlo-fmt 0.1.0 (Release, g++ 12.2.0, ...)".
std::string VersionText(std::string_view tool_name);

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_TOOL_H_
