// JSON, SARIF 2.1.0, GitHub workflow commands and JUnit XML, streamed as text.
#include "support/render_structured.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace hlo {
namespace {

// The bytes of the UTF-8 sequence at the start of `text`; 0 when there is none.
size_t Utf8SequenceLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const size_t length = lead < 0x80   ? 1
                        : lead < 0xc2 ? 0
                        : lead < 0xe0 ? 2
                        : lead < 0xf0 ? 3
                        : lead < 0xf5 ? 4
                                      : 0;
  if (length == 0 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if (lead == 0xe0 && byte(1) < 0xa0) return 0;  // overlong
  if (lead == 0xed && byte(1) > 0x9f) return 0;  // surrogates
  if (lead == 0xf0 && byte(1) < 0x90) return 0;  // overlong
  if (lead == 0xf4 && byte(1) > 0x8f) return 0;  // beyond U+10FFFF
  return length;
}

struct Region {
  LineColumn begin;
  LineColumn end;
};

Region Locate(const SourceText& source, SourceRange range) {
  return {source.Locate(range.begin), source.Locate(std::max(range.begin, range.end))};
}

// Units of UTF-16 in a text: two for what lies beyond U+FFFF, one for a byte that is no UTF-8.
int64_t Utf16Length(std::string_view text) {
  int64_t count = 0;
  while (!text.empty()) {
    const size_t length = std::max<size_t>(Utf8SequenceLength(text), 1);
    count += length == 4 ? 2 : 1;
    text.remove_prefix(length);
  }
  return count;
}

// What SARIF counts columns in.
LineColumn InUtf16(const SourceText& source, uint32_t offset) {
  LineColumn place = source.Locate(offset);
  place.column = Utf16Length(source.LineAt(offset).substr(0, place.column - 1)) + 1;
  return place;
}

Region LocateInUtf16(const SourceText& source, SourceRange range) {
  return {InUtf16(source, range.begin), InUtf16(source, std::max(range.begin, range.end))};
}

// The region's keys in the spelling that JSON consumers of either format expect.
std::string RegionJson(const Region& region) {
  return fmt::format(R"("startLine":{},"startColumn":{},"endLine":{},"endColumn":{})",
                     region.begin.line, region.begin.column, region.end.line, region.end.column);
}

// A path as a relative or absolute URI reference: what RFC 3986 does not allow in one is escaped.
// What begins with two slashes would name a host.
std::string UriOf(std::string_view path) {
  while (path.starts_with("//")) path.remove_prefix(1);
  std::string uri;
  for (const char c : path) {
    const unsigned char byte = static_cast<unsigned char>(c);
    const bool is_plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                          (byte >= '0' && byte <= '9') ||
                          std::string_view("-._~/+,;=@!$&'()*").find(c) != std::string_view::npos;
    uri += is_plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return uri;
}

std::string SarifLocation(const SourceText& source, SourceRange range, std::string_view message) {
  std::string text =
      fmt::format(R"({{"physicalLocation":{{"artifactLocation":{{"uri":"{}"}},"region":{{{}}}}})",
                  UriOf(source.name()), RegionJson(LocateInUtf16(source, range)));
  if (!message.empty()) {
    text += fmt::format(R"(,"message":{{"text":"{}"}})", EscapeJson(message));
  }
  return text + "}";
}

// The rules that occur, each once, sorted: SARIF results refer to them by index.
std::vector<std::string_view> RulesOf(std::span<const Diagnostic> diagnostics) {
  std::vector<std::string_view> ids;
  for (const Diagnostic& diagnostic : diagnostics) ids.push_back(diagnostic.rule);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

std::string SarifRule(std::string_view id, std::span<const RuleDescription> rules) {
  const auto rule = std::ranges::find(rules, id, &RuleDescription::id);
  const bool is_known = rule != rules.end();
  std::string text = fmt::format(R"({{"id":"{}","shortDescription":{{"text":"{}"}})",
                                 EscapeJson(id), EscapeJson(is_known ? rule->text : id));
  if (is_known && !rule->help.empty()) {
    text += fmt::format(R"(,"help":{{"text":"{}"}})", EscapeJson(rule->help));
  }
  return text + "}";
}

// Names a finding across runs: its rule, its line's text and its message, not its line number.
std::string Fingerprint(const Diagnostic& diagnostic) {
  uint64_t hash = 0xcbf29ce484222325u;
  auto mix = [&](std::string_view text) {
    for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    hash = (hash ^ 0xff) * 0x100000001b3u;
  };
  mix(diagnostic.rule);
  mix(diagnostic.source->LineAt(diagnostic.range.begin));
  mix(diagnostic.message);
  return fmt::format("{:016x}", hash);
}

std::string SarifFixes(const Diagnostic& diagnostic) {
  std::string replacements;
  for (const FixIt& fix : diagnostic.fixes) {
    if (!replacements.empty()) replacements += ',';
    replacements += fmt::format(R"({{"deletedRegion":{{{}}},"insertedContent":{{"text":"{}"}}}})",
                                RegionJson(LocateInUtf16(*diagnostic.source, fix.range)),
                                EscapeJson(fix.replacement));
  }
  return fmt::format(
      R"("fixes":[{{"artifactChanges":[{{"artifactLocation":{{"uri":"{}"}},"replacements":[{}]}}]}}])",
      UriOf(diagnostic.source->name()), replacements);
}

std::string SarifResult(const Diagnostic& diagnostic, size_t rule_index) {
  std::string text = fmt::format(
      R"({{"ruleId":"{}","ruleIndex":{},"level":"{}","message":{{"text":"{}"}},"locations":[{}])",
      EscapeJson(diagnostic.rule), rule_index, SeverityName(diagnostic.severity),
      EscapeJson(diagnostic.message), SarifLocation(*diagnostic.source, diagnostic.range, ""));
  if (!diagnostic.notes.empty()) {
    text += R"(,"relatedLocations":[)";
    for (size_t i = 0; i < diagnostic.notes.size(); ++i) {
      if (i > 0) text += ',';
      text +=
          SarifLocation(*diagnostic.source, diagnostic.notes[i].range, diagnostic.notes[i].message);
    }
    text += ']';
  }
  text += fmt::format(R"(,"partialFingerprints":{{"hlokit/v1":"{}"}})", Fingerprint(diagnostic));
  if (!diagnostic.fixes.empty()) text += "," + SarifFixes(diagnostic);
  return text + "}";
}

// Workflow commands are single lines: the characters that end them or their parts are escaped.
std::string EscapeGithub(std::string_view text, bool is_property) {
  std::string escaped;
  for (char c : text) {
    if (c == '%' || c == '\n' || c == '\r' || (is_property && (c == ':' || c == ','))) {
      fmt::format_to(std::back_inserter(escaped), "%{:02X}", static_cast<unsigned char>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// What XML 1.0 has no place for, not even escaped: control characters, U+FFFE and U+FFFF.
bool IsXmlCharacter(std::string_view sequence) {
  if (sequence == "\xef\xbf\xbe" || sequence == "\xef\xbf\xbf") return false;
  const unsigned char c = static_cast<unsigned char>(sequence[0]);
  return c >= 0x20 || c == '\t' || c == '\n';
}

std::string EscapeXml(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const size_t length = Utf8SequenceLength(text);
    const char c = text.front();
    switch (c) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        if (length > 0 && IsXmlCharacter(text.substr(0, length))) {
          escaped += text.substr(0, length);
        } else {
          escaped += "\xef\xbf\xbd";
        }
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return escaped;
}

}  // namespace

std::string EscapeJson(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  while (!text.empty()) {
    const size_t length = Utf8SequenceLength(text);
    const char c = text.front();
    if (length == 0) {
      escaped += "\xef\xbf\xbd";
    } else if (c == '"' || c == '\\') {
      escaped += '\\';
      escaped += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(escaped), "\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      escaped += text.substr(0, length);
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return escaped;
}

std::string RenderJson(std::span<const Diagnostic> diagnostics, const RenderOptions& options) {
  std::string out = "[";
  for (const ToolMessage& message : options.messages) {
    out += out.size() > 1 ? ",\n" : "\n";
    out += fmt::format(R"({{"file":null,"severity":"{}","rule":"tool.message","message":"{}"}})",
                       SeverityName(message.severity), EscapeJson(message.text));
  }
  for (const Diagnostic& diagnostic : diagnostics) {
    out += out.size() > 1 ? ",\n" : "\n";
    out += fmt::format(R"({{"file":"{}","severity":"{}","rule":"{}","message":"{}",{},"notes":[)",
                       EscapeJson(diagnostic.source->name()), SeverityName(diagnostic.severity),
                       EscapeJson(diagnostic.rule), EscapeJson(diagnostic.message),
                       RegionJson(Locate(*diagnostic.source, diagnostic.range)));
    for (size_t i = 0; i < diagnostic.notes.size(); ++i) {
      const DiagnosticNote& note = diagnostic.notes[i];
      if (i > 0) out += ',';
      out += fmt::format(R"({{"message":"{}",{}}})", EscapeJson(note.message),
                         RegionJson(Locate(*diagnostic.source, note.range)));
    }
    out += "]}";
  }
  return out + "\n]\n";
}

std::string RenderSarif(std::span<const Diagnostic> diagnostics, const RenderOptions& options) {
  const std::vector<std::string_view> ids = RulesOf(diagnostics);
  std::string rules;
  for (std::string_view id : ids) {
    if (!rules.empty()) rules += ',';
    rules += SarifRule(id, options.rules);
  }
  std::string results;
  for (const Diagnostic& diagnostic : diagnostics) {
    const auto rule = std::lower_bound(ids.begin(), ids.end(), diagnostic.rule);
    results += results.empty() ? "\n" : ",\n";
    results += SarifResult(diagnostic, rule - ids.begin());
  }
  std::string notifications;
  bool is_successful = true;
  for (const ToolMessage& message : options.messages) {
    is_successful &= message.severity != Severity::kError;
    notifications += fmt::format(R"({}{{"level":"{}","message":{{"text":"{}"}}}})",
                                 notifications.empty() ? "" : ",", SeverityName(message.severity),
                                 EscapeJson(message.text));
  }
  return fmt::format(
      R"({{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{{)"
      R"("tool":{{"driver":{{"name":"{}","version":"{}","rules":[{}]}}}},"columnKind":"utf16CodeUnits",)"
      R"("invocations":[{{"executionSuccessful":{},"toolExecutionNotifications":[{}]}}],)"
      R"("results":[{}]}}]}})"
      "\n",
      EscapeJson(options.tool_name), EscapeJson(options.tool_version), rules, is_successful,
      notifications, results);
}

std::string RenderGithub(std::span<const Diagnostic> diagnostics) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) {
    const Region region = Locate(*diagnostic.source, diagnostic.range);
    const std::string_view command =
        diagnostic.severity == Severity::kNote ? "notice" : SeverityName(diagnostic.severity);
    fmt::format_to(std::back_inserter(out),
                   "::{} file={},line={},col={},endLine={},endColumn={},title={}::{}\n", command,
                   EscapeGithub(diagnostic.source->name(), true), region.begin.line,
                   region.begin.column, region.end.line, region.end.column,
                   EscapeGithub(diagnostic.rule, true), EscapeGithub(diagnostic.message, false));
  }
  return out;
}

std::string RenderJunit(std::span<const Diagnostic> diagnostics, const RenderOptions& options) {
  const auto errors = std::count_if(diagnostics.begin(), diagnostics.end(),
                                    [](const auto& d) { return d.severity == Severity::kError; });
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n",
      EscapeXml(options.tool_name), diagnostics.size(), errors);
  for (const Diagnostic& diagnostic : diagnostics) {
    const LineColumn place = diagnostic.source->Locate(diagnostic.range.begin);
    const std::string where =
        fmt::format("{}:{}:{}", diagnostic.source->name(), place.line, place.column);
    const std::string_view element =
        diagnostic.severity == Severity::kError ? "failure" : "system-out";
    const std::string attributes =
        diagnostic.severity == Severity::kError
            ? fmt::format(" type=\"{}\" message=\"{}\"", EscapeXml(diagnostic.rule),
                          EscapeXml(diagnostic.message))
            : "";
    fmt::format_to(std::back_inserter(out),
                   "  <testcase classname=\"{}\" name=\"{}\"><{}{}>{}: {}</{}></testcase>\n",
                   EscapeXml(diagnostic.rule), EscapeXml(where), element, attributes,
                   EscapeXml(where), EscapeXml(diagnostic.message), element);
  }
  std::string messages;  // a suite has one <system-err> at the most
  for (const ToolMessage& message : options.messages) {
    messages += fmt::format("{}: {}\n", SeverityName(message.severity), EscapeXml(message.text));
  }
  if (!messages.empty()) out += fmt::format("  <system-err>{}</system-err>\n", messages);
  return out + "</testsuite>\n";
}

}  // namespace hlo
