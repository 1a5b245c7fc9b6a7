// A session speaks in one of three ways: on stdout and stderr; silently, for another process to
// show (said_); or by calls that are kept, and replayed in the order of inputs (calls_). Whatever
// says something asks first which it is. The exit code only rises.
#include "tools/tool.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "support/count_text.h"
#include "support/thread_pool.h"
#include "tools/input_files.h"
#include "tools/work_in_order.h"
#include "tools/work_in_processes.h"

namespace hlo::tools {
namespace {

bool WantsColor(std::string_view choice, int fd) {
  if (choice != "auto") return choice == "always";
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return isatty(fd) != 0 && (no_color == nullptr || *no_color == '\0') &&
         (term == nullptr || std::string_view(term) != "dumb");
}

// Of the write that just failed.
std::string StdoutError() {
  return fmt::format("stdout cannot be written: {}", std::strerror(errno));
}

}  // namespace

bool IsEmptyPart(const InputFile& file, const SourceText& part) {
  return file.sources.size() > 1 &&
         part.text().find_first_not_of(" \t\r\n") == std::string_view::npos;
}

Session::Session(std::string_view tool_name, const CommonOptions& options,
                 std::span<const RuleDescription> rules)
    : tool_name_(tool_name),
      options_(options),
      rules_(rules),
      format_(ParseDiagnosticFormat(options.diagnostics).value_or(DiagnosticFormat::kText)),
      color_stdout_(WantsColor(options.color, STDOUT_FILENO)),
      color_stderr_(WantsColor(options.color, STDERR_FILENO)) {
  std::signal(SIGPIPE, SIG_IGN);  // Write sees the closed pipe
}

std::vector<InputPath> Session::FindInputs() {
  std::vector<InputPath> inputs = ExpandInputPaths(options_.inputs);
  has_several_inputs_ = inputs.size() > 1;
  const bool is_quiet = options_.quiet && options_.progress != "always";
  if (Progress::IsWanted(options_.progress) && !is_quiet) {
    progress_ = std::make_unique<Progress>(tool_name_);
    progress_->SetFiles(0, static_cast<int64_t>(inputs.size()));
  }
  return inputs;
}

void Session::ForEachInput(const std::function<void(InputFile&)>& work) {
  const std::vector<InputPath> inputs = FindInputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    WorkOn(inputs[i], [&](InputFile& file, Session&) { work(file); });
    CountFiles(i + 1, inputs.size());
  }
}

void Session::ForEachInputAtOnce(const Work& work) {
  const std::vector<InputPath> inputs = FindInputs();
  const auto count = static_cast<int64_t>(inputs.size());
  const int64_t jobs = options_.jobs > 0 ? options_.jobs : ThreadPool::ProcessorCount();
  if (std::min(jobs, count) <= 1) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      WorkOn(inputs[i], work);
      CountFiles(i + 1, inputs.size());
    }
    return;
  }
  std::vector<Calls> calls(inputs.size());
  WorkInOrder(
      std::min(jobs, count), count, [&](int64_t i) { Recorder(&calls[i]).WorkOn(inputs[i], work); },
      [&](int64_t i) {
        Replay(std::exchange(calls[i], {}));
        CountFiles(static_cast<size_t>(i) + 1, inputs.size());
      });
}

void Session::ForEachInputInProcesses(const std::function<void(InputFile&)>& work) {
  const std::vector<InputPath> inputs = FindInputs();
  const auto work_on = [&](int64_t i) -> ProcessOutput {
    static_cast<void>(progress_.release());  // its thread is in the process that shows it
    KeepSilent();
    WorkOn(inputs[static_cast<size_t>(i)], [&](InputFile& file, Session&) { work(file); });
    Said said = TakeSaid();
    return {std::move(said.out), std::move(said.err), said.exit_code};
  };
  const auto show = [&](int64_t i, const ProcessEnd& end) {
    const auto number = static_cast<size_t>(i);
    Show({end.output.out, end.output.err, end.output.exit_code});
    if (end.signal == SIGINT) {  // before it could say so itself
      AddFinding();
      Say(Severity::kError, inputs[number].path + ": interrupted");
    } else if (end.signal != 0) {
      ReportEnvironment(fmt::format("{}: its process was ended by signal {} ({})",
                                    inputs[number].path, end.signal, strsignal(end.signal)));
    } else if (end.error != 0) {
      ReportEnvironment(fmt::format("{}: there is no process for it: {}", inputs[number].path,
                                    std::strerror(end.error)));
    }
    CountFiles(number + 1, inputs.size());
  };
  WorkInProcesses(std::max<int64_t>(options_.jobs, 1), static_cast<int64_t>(inputs.size()), work_on,
                  show);
}

void Session::CountFiles(size_t done, size_t count) {
  if (progress_ != nullptr) {
    progress_->SetFiles(static_cast<int64_t>(done), static_cast<int64_t>(count));
  }
}

Session Session::Recorder(Calls* calls) const {
  Session recorder(tool_name_, options_, rules_);
  recorder.stdin_name_ = stdin_name_;
  recorder.has_several_inputs_ = has_several_inputs_;
  recorder.calls_ = calls;
  return recorder;
}

void Session::Replay(const Calls& calls) {
  try {
    for (const auto& call : calls) call(*this);
  } catch (const std::bad_alloc&) {
    ReportEnvironment("not enough memory for messages");
  }
}

void Session::WorkOn(const InputPath& input, const Work& work) {
  const std::string name = input.path == "-" ? stdin_name_ : input.path;
  try {
    ReadAndWorkOn(input, name, work);
  } catch (const std::bad_alloc&) {  // what the file asked for is free again: on to the next
    ReportEnvironment(name + ": not enough memory");
  }
}

void Session::ReadAndWorkOn(const InputPath& input, const std::string& name, const Work& work) {
  if (!input.status.ok()) return ReportEnvironment(input.status);
  absl::StatusOr<std::string> text =
      ReadInput(input.path, std::min(options_.max_input_size, SourceText::kMaxByteSize));
  if (!text.ok()) return ReportEnvironment(text.status());
  InputFile file;
  file.path = input.path;
  file.name = name;
  file.text = *std::move(text);
  file.sources = MakeSources(file.name, file.text, options_.split_input_file);
  work(file, *this);
}

// A silent session leaves the form to the one that speaks for it.
bool Session::IsStructured() const { return !said_ && hlo::IsStructured(format_); }

RenderOptions Session::MakeRenderOptions() const {
  const DiagnosticFormat format = said_ ? DiagnosticFormat::kText : format_;
  return {format, color_stderr_, tool_name_, HLOKIT_VERSION, rules_, messages_};
}

void Session::NoteHidden(std::string_view name, int64_t count, std::string_view what,
                         std::string_view option) {
  if (count == 0) return;
  Note(fmt::format("{}: {} not shown; {}=0 shows all", name, CountText(count, what), option));
}

void Session::Report(const DiagnosticSink& sink) {
  std::vector<Diagnostic> shown = sink.diagnostics();
  DiagnosticCounts hidden = Truncate(options_.limits(), shown);
  hidden += sink.hidden();
  Report(shown, hidden);
}

void Session::Report(std::span<const Diagnostic> diagnostics, const DiagnosticCounts& hidden) {
  if (calls_ != nullptr) {
    calls_->push_back([all = std::vector<Diagnostic>(diagnostics.begin(), diagnostics.end()),
                       hidden](Session& session) { session.Report(all, hidden); });
    return;
  }
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == Severity::kError) AddFinding();
  }
  if (IsStructured()) {
    collected_.insert(collected_.end(), diagnostics.begin(), diagnostics.end());
  } else if (!options_.quiet) {
    WriteErr(RenderDiagnostics(diagnostics, MakeRenderOptions()));
  } else {
    for (const Diagnostic& diagnostic : diagnostics) {
      if (diagnostic.severity != Severity::kError) continue;
      WriteErr(RenderDiagnostics(std::span(&diagnostic, 1), MakeRenderOptions()));
    }
  }
  if (diagnostics.empty()) return;
  const std::string name(diagnostics.front().source->name());
  NoteHidden(name, hidden.errors, "more error", "--max-errors");
  NoteHidden(name, hidden.warnings, "more warning", "--max-warnings");
  NoteHidden(name, hidden.notes, "more note", "--max-warnings");
}

void Session::Say(Severity severity, std::string_view message) {
  if (IsStructured()) {
    messages_.push_back({severity, std::string(message)});
  } else {
    WriteErr(fmt::format("{}: {}\n", tool_name_, message));
  }
}

void Session::ReportEnvironment(std::string_view message) {
  if (calls_ != nullptr) {
    calls_->push_back(
        [text = std::string(message)](Session& session) { session.ReportEnvironment(text); });
    return;
  }
  SetExitCode(kExitEnvironment);
  Say(Severity::kError, message);
}

void Session::ReportEnvironmentOnce(std::string_view message) {
  if (calls_ != nullptr) {
    calls_->push_back(
        [text = std::string(message)](Session& session) { session.ReportEnvironmentOnce(text); });
  } else if (said_once_.emplace(message).second) {
    ReportEnvironment(message);
  }
}

void Session::AddFinding() {
  if (calls_ != nullptr) return calls_->push_back([](Session& session) { session.AddFinding(); });
  SetExitCode(kExitFindings);
}

void Session::SetExitCode(int exit_code) {
  int& kept = said_ ? said_->exit_code : exit_code_;
  kept = std::max(kept, exit_code);
}

void Session::Show(const Said& said) {
  if (!said.out.empty()) Write(said.out);
  SetExitCode(said.exit_code);
  if (said.err.empty()) return;
  if (IsStructured()) {
    messages_.push_back({Severity::kError, said.err});
  } else {
    WriteErr(said.err);
  }
}

void Session::WriteErr(std::string_view text) {
  if (said_) {
    said_->err += text;
  } else {
    const Progress::Pause pause(progress_.get());
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
}

void Session::Note(std::string_view message) {
  if (options_.quiet) return;
  if (calls_ == nullptr) return Say(Severity::kNote, message);
  calls_->push_back([text = std::string(message)](Session& session) { session.Note(text); });
}

void Session::Write(std::string_view text) {
  if (calls_ != nullptr) {
    calls_->push_back([text = std::string(text)](Session& session) { session.Write(text); });
    return;
  }
  if (said_) {
    said_->out += text;
    return;
  }
  if (!WriteStdout(text)) ReportEnvironment(StdoutError());
}

bool Session::WriteStdout(std::string_view text) {
  const Progress::Pause pause(progress_.get());
  // In pieces: signals are not seen before the system has taken one.
  constexpr size_t kMaxPiece = size_t{4} << 20;
  errno = 0;
  for (; !text.empty(); text.remove_prefix(std::min(text.size(), kMaxPiece))) {
    const std::string_view piece = text.substr(0, kMaxPiece);
    if (std::fwrite(piece.data(), 1, piece.size(), stdout) != piece.size()) return errno == EPIPE;
  }
  return true;
}

int Session::Finish() {
  progress_.reset();
  errno = 0;
  if (std::fflush(stdout) != 0 && errno != EPIPE && exit_code_ != kExitEnvironment) {
    ReportEnvironment(StdoutError());
  }
  if (IsStructured()) WriteErr(RenderDiagnostics(collected_, MakeRenderOptions()));
  return exit_code_;
}

int PrintToStdout(std::string_view tool_name, std::string_view text) {
  std::signal(SIGPIPE, SIG_IGN);
  errno = 0;
  const bool is_taken = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if ((is_taken && std::fflush(stdout) == 0) || errno == EPIPE) return kExitFine;
  fmt::print(stderr, "{}: {}\n", tool_name, StdoutError());
  return kExitEnvironment;
}

std::string VersionText(std::string_view tool_name) {
  return fmt::format("{} {} ({}, {} {}, {})", tool_name, HLOKIT_VERSION, HLOKIT_BUILD_TYPE,
                     HLOKIT_COMPILER, __VERSION__, HLOKIT_SYSTEM);
}

}  // namespace hlo::tools
