// hlo-fmt: HLO text in canonical form.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "format/format_config.h"
#include "format/format_text.h"
#include "format/unified_diff.h"
#include "support/write_file.h"
#include "tools/command_line.h"
#include "tools/input_files.h"
#include "tools/tool.h"

namespace hlo::tools {
namespace {

struct FmtOptions {
  bool in_place = false;
  bool check = false;
  bool diff = false;
  bool dump_config = false;
  std::string stdin_name;
  // What the command line says; it overrules the configuration file.
  std::optional<std::string> style;
  std::optional<int> width;
  std::optional<int64_t> elide_literals;
  bool no_metadata = false;
  bool no_backend_config = false;
  bool no_layouts = false;
  bool resolve_frames = false;
  bool like_xla = false;
};

void AddActionOptions(CLI::App& app, FmtOptions* options) {
  StartGroup(app, "What becomes of the text");
  app.add_flag("-i,-w,--in-place", options->in_place, "Rewrite the files that would change");
  app.add_flag("--check", options->check, "List the files that would change; exit 1 if any");
  app.add_flag("--diff", options->diff, "Show what would change; exit 1 if anything");
  app.add_flag("--dump-config", options->dump_config, "Print the configuration in effect");
  app.add_option("--stdin-filename", options->stdin_name,
                 "The name of stdin, for messages and to find .hlo-format")
      ->type_name("FILE")
      ->group("Files");
}

void AddStyleOptions(CLI::App& app, FmtOptions* options) {
  StartGroup(app, "How it looks");
  app.add_option("--style", options->style,
                 "xla: as XLA prints, constants in full; long: with operand shapes; short: XLA's "
                 "short parsable form; pretty: for reading; keep: what was written, but for white "
                 "space, the order of attributes and the form of numbers")
      ->check(IsOneOf(PrintStyleNames()));
  app.add_option("--width", options->width, "Where the pretty style wraps")->check(SignError);
  app.add_option("--elide-literals", options->elide_literals,
                 "Print constants with more elements than this as {...}");
  app.add_flag("--no-metadata", options->no_metadata, "Drop metadata and stack-frame tables");
  app.add_flag("--no-backend-config", options->no_backend_config, "Drop backend_config");
  app.add_flag("--no-layouts", options->no_layouts, "Drop layouts");
  app.add_flag("--resolve-frames", options->resolve_frames,
               "Show stack frames as file:line comments instead of tables");
  app.add_flag("--like-xla", options->like_xla,
               "Also change what XLA changes while reading: order, unique names, canonical values");
  app.footer(
      "Examples:\n"
      "  hlo-fmt module.hlo                          the canonical text on stdout\n"
      "  hlo-fmt -i dumps/                           rewrite every HLO file below dumps/\n"
      "  hlo-fmt --check --diff *.hlo                for CI: what would change, exit 1 if "
      "anything\n"
      "  hlo-fmt --style=pretty --no-metadata a.hlo | less -R");
}

bool UsesCrLf(std::string_view text) {
  const size_t end = text.find('\n');
  return end != std::string_view::npos && end > 0 && text[end - 1] == '\r';
}

std::string WithCrLf(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' && (i == 0 || text[i - 1] != '\r')) result += '\r';
    result += text[i];
  }
  return result;
}

class Formatter {
 public:
  explicit Formatter(const FmtOptions& options) : options_(options) {}

  // Files may be given to it by several threads at a time.
  void Format(const InputFile& file, Session& session) {
    std::optional<PrintOptions> print = OptionsFor(file.name, session);
    if (!print) return;
    std::optional<std::string> text = FormatParts(file, *print, session);
    if (!text) return;
    if (UsesCrLf(file.text)) text = WithCrLf(*text);
    Deliver(file, *text, session);
  }

  // The configuration for files beside `name`, or nothing after an error.
  std::optional<PrintOptions> OptionsFor(const std::string& name, Session& session) {
    PrintOptions print;
    if (!ReadConfig(name, &print, session)) return std::nullopt;
    if (options_.style) print.style = *ParsePrintStyle(*options_.style);
    if (options_.width) print.width = *options_.width;
    if (options_.width && print.style != PrintStyle::kPretty) {
      session.ReportEnvironmentOnce(
          fmt::format("--width has no effect with --style={}", PrintStyleName(print.style)));
      return std::nullopt;
    }
    if (options_.elide_literals) print.elide_literals = *options_.elide_literals;
    if (options_.no_metadata) print.metadata = false;
    if (options_.no_backend_config) print.backend_config = false;
    if (options_.no_layouts) print.layouts = false;
    if (options_.resolve_frames) print.resolve_frames = true;
    print.like_xla = options_.like_xla;
    print.color = session.color_stdout() && !options_.in_place && !options_.check && !options_.diff;
    return print;
  }

 private:
  bool ReadConfig(const std::string& name, PrintOptions* print, Session& session) {
    const std::optional<std::string> path = FindFormatConfig(name);
    if (!path) return true;
    std::lock_guard lock(mutex_);
    auto [known, is_new] = configs_.try_emplace(*path);
    if (is_new) known->second = ReadConfigFile(*path);
    if (known->second.ok()) {
      *print = *known->second;
    } else {
      session.ReportEnvironmentOnce(std::string(known->second.status().message()));
    }
    return known->second.ok();
  }

  static absl::StatusOr<PrintOptions> ReadConfigFile(const std::string& path) {
    absl::StatusOr<std::string> text = ReadInput(path, /*max_byte_size=*/1 << 20);
    if (!text.ok()) return text.status();
    PrintOptions print;
    if (absl::Status status = ReadFormatConfig(path, *text, &print); !status.ok()) return status;
    return print;
  }

  static std::optional<std::string> FormatParts(const InputFile& file, const PrintOptions& print,
                                                Session& session) {
    std::string text;
    for (const auto& source : file.sources) {
      if (source != file.sources.front()) text += "// -----\n\n";
      if (IsEmptyPart(file, *source)) continue;
      DiagnosticSink sink(source, session.limits());
      std::optional<std::string> part = FormatText(source, print, sink);
      session.Report(sink);
      if (!part) return std::nullopt;
      text += *part;
    }
    return text;
  }

  void Deliver(const InputFile& file, const std::string& text, Session& session) const {
    const bool changes = text != file.text;
    if (!options_.in_place && !options_.check && !options_.diff) return session.Write(text);
    if (!changes) return;
    if (options_.diff) {
      session.Write(UnifiedDiff(file.name, file.text, file.name + " (formatted)", text,
                                {.color = session.color_stdout()}));
    } else if (options_.check) {
      session.Write(file.name + "\n");
    }
    if (options_.check || options_.diff) session.AddFinding();
    if (options_.in_place) Rewrite(file, text, session);
  }

  static void Rewrite(const InputFile& file, const std::string& text, Session& session) {
    if (file.path == "-") return session.Write(text);
    if (file.path.ends_with(".gz")) {
      return session.ReportEnvironment(file.path + ": compressed files are not rewritten");
    }
    if (absl::Status status = WriteFileAtomically(file.path, text); !status.ok()) {
      session.ReportEnvironment(status);
    } else if (session.verbosity() > 0) {
      session.Note("rewrote " + file.path);
    }
  }

  const FmtOptions& options_;
  std::mutex mutex_;
  std::map<std::string, absl::StatusOr<PrintOptions>> configs_;
};

constexpr std::string_view kCommonOptions[] = {"--in-place",
                                               "--check",
                                               "--diff",
                                               "--style",
                                               "--width",
                                               "--no-metadata",
                                               "--no-backend-config",
                                               "--no-layouts",
                                               "--elide-literals",
                                               "--jobs"};

const OptionMode kModes[] = {{"--dump-config",
                              OptionMode::Refuses::kThese,
                              {"--in-place", "--check", "--diff", "--split-input-file", "--jobs"}},
                             {"--no-metadata", OptionMode::Refuses::kThese, {"--resolve-frames"}}};

// What rewrites more than the style lets it.
std::optional<int> RefuseRewriting(const CLI::App& app, const FmtOptions& options) {
  if (options.style != PrintStyleName(PrintStyle::kKeep)) return std::nullopt;
  for (const char* option : {"--no-layouts", "--resolve-frames", "--like-xla"}) {
    if (app.count(option) > 0) {
      return UsageError(app, fmt::format("{} has no effect with --style=keep", option));
    }
  }
  return std::nullopt;
}

// What the files given have no use for.
std::optional<int> RefuseIdleName(const CLI::App& app, const FmtOptions& options,
                                  const CommonOptions& common) {
  const bool reads_stdin = common.inputs.empty() || std::ranges::count(common.inputs, "-") > 0;
  if (reads_stdin || options.stdin_name.empty()) return std::nullopt;
  return UsageError(app, "--stdin-filename has no effect without stdin");
}

int Main(int argc, char** argv) {
  CLI::App app("Formats HLO text: the canonical form, as XLA prints it.", "hlo-fmt");
  CommonOptions common;
  FmtOptions options;
  AddActionOptions(app, &options);
  AddStyleOptions(app, &options);
  AddCommonOptions(app, &common);
  AddJobsOption(app, &common);
  std::optional<int> exit_code = ParseCommandLine(app, argc, argv, kCommonOptions);
  if (!exit_code) exit_code = RefuseIdleOptions(app, {}, kModes);
  if (!exit_code) exit_code = RefuseRewriting(app, options);
  if (!exit_code) exit_code = RefuseIdleName(app, options, common);
  if (exit_code) return *exit_code;
  Session session("hlo-fmt", common);
  Formatter formatter(options);
  if (!options.stdin_name.empty()) session.set_stdin_name(options.stdin_name);
  if (options.dump_config) {
    const std::string beside = common.inputs.empty() ? options.stdin_name : common.inputs.front();
    std::optional<PrintOptions> print =
        formatter.OptionsFor(beside.empty() ? "." : beside, session);
    if (print) session.Write(WriteFormatConfig(*print));
    return session.Finish();
  }
  session.ForEachInputAtOnce(
      [&](const InputFile& file, Session& own) { formatter.Format(file, own); });
  return session.Finish();
}

}  // namespace
}  // namespace hlo::tools

int main(int argc, char** argv) { return hlo::tools::Main(argc, argv); }
