// hlo-fmt: HLO text in canonical form.
#include <fmt/format.h>

#include <map>
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

void AddOptions(CLI::App& app, FmtOptions* options) {
  app.add_flag("-i,-w,--in-place", options->in_place, "Rewrite the files that would change");
  app.add_flag("--check", options->check, "List the files that would change; exit 1 if any");
  app.add_flag("--diff", options->diff, "Show what would change; exit 1 if anything");
  app.add_option("--stdin-filename", options->stdin_name,
                 "The name of stdin, for messages and to find .hlo-format");
  app.add_option("--style", options->style,
                 "xla: as XLA prints, constants in full; long: with operand shapes; short: XLA's "
                 "short parsable form; pretty: for reading")
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
  app.add_flag("--dump-config", options->dump_config, "Print the configuration in effect");
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
  Formatter(const FmtOptions& options, Session& session) : options_(options), session_(session) {}

  void Format(InputFile& file) {
    std::optional<PrintOptions> print = OptionsFor(file.name);
    if (!print) return;
    std::optional<std::string> text = FormatParts(file, *print);
    if (!text) return;
    if (UsesCrLf(file.text)) text = WithCrLf(*text);
    Deliver(file, *text);
  }

  // The configuration for files beside `name`, or nothing after an error.
  std::optional<PrintOptions> OptionsFor(const std::string& name) {
    PrintOptions print;
    if (!ReadConfig(name, &print)) return std::nullopt;
    if (options_.style) print.style = *ParsePrintStyle(*options_.style);
    if (options_.width) print.width = *options_.width;
    if (options_.elide_literals) print.elide_literals = *options_.elide_literals;
    if (options_.no_metadata) print.metadata = false;
    if (options_.no_backend_config) print.backend_config = false;
    if (options_.no_layouts) print.layouts = false;
    if (options_.resolve_frames) print.resolve_frames = true;
    print.like_xla = options_.like_xla;
    print.color =
        session_.color_stdout() && !options_.in_place && !options_.check && !options_.diff;
    return print;
  }

 private:
  bool ReadConfig(const std::string& name, PrintOptions* print) {
    const std::optional<std::string> path = FindFormatConfig(name);
    if (!path) return true;
    auto [known, is_new] = configs_.try_emplace(*path);
    if (is_new) {
      absl::StatusOr<std::string> text = ReadInput(*path, /*max_byte_size=*/1 << 20);
      absl::Status status =
          text.ok() ? ReadFormatConfig(*path, *text, &known->second.emplace()) : text.status();
      if (!status.ok()) {
        session_.ReportEnvironment(status);
        known->second.reset();
      }
    }
    if (known->second) *print = *known->second;
    return known->second.has_value();
  }

  std::optional<std::string> FormatParts(const InputFile& file, const PrintOptions& print) {
    std::string text;
    for (const auto& source : file.sources) {
      if (source != file.sources.front()) text += "// -----\n\n";
      if (IsEmptyPart(file, *source)) continue;
      DiagnosticSink sink(source, session_.limits());
      std::optional<std::string> part = FormatText(source, print, sink);
      session_.Report(sink);
      if (!part) return std::nullopt;
      text += *part;
    }
    return text;
  }

  void Deliver(const InputFile& file, const std::string& text) {
    const bool changes = text != file.text;
    if (!options_.in_place && !options_.check && !options_.diff) return session_.Write(text);
    if (!changes) return;
    if (options_.diff) {
      session_.Write(UnifiedDiff(file.name, file.text, file.name + " (formatted)", text,
                                 {.color = session_.color_stdout()}));
    } else if (options_.check) {
      session_.Write(file.name + "\n");
    }
    if (options_.check || options_.diff) session_.AddFinding();
    if (options_.in_place) Rewrite(file, text);
  }

  void Rewrite(const InputFile& file, const std::string& text) {
    if (file.path == "-") return session_.Write(text);
    if (file.path.ends_with(".gz")) {
      return session_.ReportEnvironment(file.path + ": compressed files are not rewritten");
    }
    if (absl::Status status = WriteFileAtomically(file.path, text); !status.ok()) {
      session_.ReportEnvironment(status);
    } else if (session_.verbosity() > 0) {
      session_.Note("rewrote " + file.path);
    }
  }

  const FmtOptions& options_;
  Session& session_;
  std::map<std::string, std::optional<PrintOptions>> configs_;
};

int Main(int argc, char** argv) {
  CLI::App app("Formats HLO text: the canonical form, as XLA prints it.", "hlo-fmt");
  CommonOptions common;
  FmtOptions options;
  AddCommonOptions(app, &common);
  AddOptions(app, &options);
  if (std::optional<int> exit_code = ParseCommandLine(app, argc, argv)) return *exit_code;

  Session session("hlo-fmt", common);
  Formatter formatter(options, session);
  if (!options.stdin_name.empty()) session.set_stdin_name(options.stdin_name);
  if (options.dump_config) {
    const std::string beside = common.inputs.empty() ? options.stdin_name : common.inputs.front();
    std::optional<PrintOptions> print = formatter.OptionsFor(beside.empty() ? "." : beside);
    if (print) session.Write(WriteFormatConfig(*print));
    return session.Finish();
  }
  session.ForEachInput([&](InputFile& file) { formatter.Format(file); });
  return session.Finish();
}

}  // namespace
}  // namespace hlo::tools

int main(int argc, char** argv) { return hlo::tools::Main(argc, argv); }
