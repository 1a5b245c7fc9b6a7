// The terminal form: place, severity, message, then the source line with a caret under the range.
// Long lines (dumps have lines of megabytes) are cut to a window around the range.
#include "support/render_diagnostic.h"

#include <algorithm>
#include <iterator>

#include "support/render_structured.h"

namespace hlo {
namespace {

constexpr std::string_view kFormatNames[] = {"text", "concise", "json", "sarif", "github", "junit"};

constexpr size_t kMaxLineWidth = 160;

struct Palette {
  std::string_view place, error, warning, note, caret, reset;
};
constexpr Palette kPlain = {};
constexpr Palette kColored = {"\x1b[1m",    "\x1b[1;31m", "\x1b[1;35m",
                              "\x1b[1;36m", "\x1b[1;32m", "\x1b[0m"};

class TextRenderer {
 public:
  TextRenderer(const RenderOptions& options)
      : with_lines_(options.format == DiagnosticFormat::kText),
        palette_(options.color ? kColored : kPlain) {}

  std::string Render(std::span<const Diagnostic> diagnostics) {
    for (const Diagnostic& diagnostic : diagnostics) {
      WriteEntry(*diagnostic.source, diagnostic.range, diagnostic.severity, diagnostic.message,
                 diagnostic.rule);
      for (const DiagnosticNote& note : diagnostic.notes) {
        WriteEntry(*diagnostic.source, note.range, Severity::kNote, note.message, "");
      }
    }
    return std::move(out_);
  }

 private:
  std::string_view Color(Severity severity) const {
    switch (severity) {
      case Severity::kNote:
        return palette_.note;
      case Severity::kWarning:
        return palette_.warning;
      case Severity::kError:
        return palette_.error;
    }
    HLO_UNREACHABLE();
  }

  void WriteEntry(const SourceText& source, SourceRange range, Severity severity,
                  std::string_view message, std::string_view rule) {
    fmt::format_to(std::back_inserter(out_), "{}{}: {}{}{}: {}", palette_.place,
                   PlaceText(source, range), Color(severity), SeverityName(severity),
                   palette_.reset, message);
    if (!rule.empty()) fmt::format_to(std::back_inserter(out_), " [{}]", rule);
    out_ += '\n';
    if (with_lines_) WriteLine(source, range);
  }

  static std::string PlaceText(const SourceText& source, SourceRange range) {
    if (!source.has_places()) return source.name();
    const LineColumn place = source.Locate(range.begin);
    return fmt::format("{}:{}:{}", source.name(), place.line, place.column);
  }

  void WriteLine(const SourceText& source, SourceRange range) {
    SourceRange line_range;
    const std::string_view line = source.LineAt(range.begin, &line_range);
    if (line.empty()) return;
    const size_t begin = std::min<size_t>(range.begin - line_range.begin, line.size());
    const size_t end = std::clamp<size_t>(range.end - line_range.begin, begin, line.size());
    // The part of the line that is shown.
    size_t from = 0;
    if (line.size() > kMaxLineWidth && begin > kMaxLineWidth / 2) from = begin - kMaxLineWidth / 2;
    const size_t to = std::min(line.size(), from + kMaxLineWidth);
    const std::string_view prefix = from > 0 ? "..." : "";
    out_ += prefix;
    AppendPrintable(line.substr(from, to - from));
    if (to < line.size()) out_ += "...";
    out_ += '\n';
    out_.append(prefix.size(), ' ');
    for (char c : line.substr(from, begin - from)) {
      if (!ContinuesCharacter(c)) out_ += c == '\t' ? '\t' : ' ';
    }
    out_ += palette_.caret;
    out_ += '^';
    const size_t marked_end = std::min(end, to);
    if (marked_end > begin + 1) {
      const std::string_view marked = line.substr(begin + 1, marked_end - begin - 1);
      out_.append(
          marked.size() - static_cast<size_t>(std::ranges::count_if(marked, ContinuesCharacter)),
          '~');
    }
    out_ += palette_.reset;
    out_ += '\n';
  }

  // Whether a byte of UTF-8 is not the first of its character, each of which takes one column.
  static bool ContinuesCharacter(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

  // Control characters would garble the terminal; one column each keeps the caret in place.
  void AppendPrintable(std::string_view text) {
    for (char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      out_ += (byte < 0x20 && c != '\t') || byte == 0x7f ? '?' : c;
    }
  }

  bool with_lines_;
  const Palette& palette_;
  std::string out_;
};

}  // namespace

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  HLO_UNREACHABLE();
}

bool IsStructured(DiagnosticFormat format) {
  switch (format) {
    case DiagnosticFormat::kText:
    case DiagnosticFormat::kConcise:
    case DiagnosticFormat::kGithub:
      return false;
    case DiagnosticFormat::kJson:
    case DiagnosticFormat::kSarif:
    case DiagnosticFormat::kJunit:
      return true;
  }
  return false;
}

std::optional<DiagnosticFormat> ParseDiagnosticFormat(std::string_view name) {
  const auto* it = std::find(std::begin(kFormatNames), std::end(kFormatNames), name);
  if (it == std::end(kFormatNames)) return std::nullopt;
  return static_cast<DiagnosticFormat>(it - std::begin(kFormatNames));
}

std::span<const std::string_view> DiagnosticFormatNames() { return kFormatNames; }

std::string RenderDiagnostics(std::span<const Diagnostic> diagnostics,
                              const RenderOptions& options) {
  switch (options.format) {
    case DiagnosticFormat::kText:
    case DiagnosticFormat::kConcise:
      return TextRenderer(options).Render(diagnostics);
    case DiagnosticFormat::kJson:
      return RenderJson(diagnostics, options);
    case DiagnosticFormat::kSarif:
      return RenderSarif(diagnostics, options);
    case DiagnosticFormat::kGithub:
      return RenderGithub(diagnostics);
    case DiagnosticFormat::kJunit:
      return RenderJunit(diagnostics, options);
  }
  HLO_UNREACHABLE();
}

}  // namespace hlo
