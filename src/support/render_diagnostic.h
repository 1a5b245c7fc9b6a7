// Diagnostics as people and programs read them.
#ifndef HLOKIT_SUPPORT_RENDER_DIAGNOSTIC_H_
#define HLOKIT_SUPPORT_RENDER_DIAGNOSTIC_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "support/diagnostic.h"

namespace hlo {

enum class DiagnosticFormat : uint8_t {
  kText,     // file:line:col: severity: message [rule], the line, a caret
  kConcise,  // the first of these lines only
  kJson,     // one array of objects
  kSarif,    // SARIF 2.1.0
  kGithub,   // ::error file=...,line=...::message
  kJunit,    // one test case a diagnostic
};

// The format called `name` ("text", "json" ...), or nothing.
// Whether all diagnostics of a tool are one document.
bool IsStructured(DiagnosticFormat format);
std::optional<DiagnosticFormat> ParseDiagnosticFormat(std::string_view name);
// All names, for help texts.
std::span<const std::string_view> DiagnosticFormatNames();

// What SARIF says of a rule besides its id.
struct RuleDescription {
  std::string id;
  std::string_view text;
  std::string help = {};  // several lines; empty: none
};

// What a tool has to say that is about no text: unreadable files, what is not shown.
struct ToolMessage {
  Severity severity = Severity::kError;
  std::string text;
};

struct RenderOptions {
  DiagnosticFormat format = DiagnosticFormat::kText;
  bool color = false;
  std::string_view tool_name = "hlokit";
  std::string_view tool_version = {};
  // Descriptions of the rules that occur; those without one appear by their id.
  std::span<const RuleDescription> rules = {};
  // For the structured formats, whose document has to hold everything.
  std::span<const ToolMessage> messages = {};
};

// Renders `diagnostics`, which may be about different sources, in their order. The structured
// formats make one complete document, also of no diagnostics.
std::string RenderDiagnostics(std::span<const Diagnostic> diagnostics,
                              const RenderOptions& options = {});

// `text` as the inside of a JSON string. Bytes that are not UTF-8 become U+FFFD.
std::string EscapeJson(std::string_view text);

}  // namespace hlo

#endif  // HLOKIT_SUPPORT_RENDER_DIAGNOSTIC_H_
