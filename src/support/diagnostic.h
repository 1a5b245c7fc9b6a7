// What a stage has to say about its input: severity, rule, place, text, notes.
#ifndef HLOKIT_SUPPORT_DIAGNOSTIC_H_
#define HLOKIT_SUPPORT_DIAGNOSTIC_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "support/source.h"

namespace hlo {

enum class Severity : uint8_t { kNote, kWarning, kError };

// A second place that belongs to a diagnostic, such as an earlier definition.
struct DiagnosticNote {
  SourceRange range;
  std::string message;
};

// Replaces the bytes of `range`; empty ranges insert.
struct FixIt {
  SourceRange range;
  std::string replacement;
};

struct Diagnostic {
  Severity severity = Severity::kError;
  std::string rule;  // stable id, for example "inst.opcode-known"
  std::shared_ptr<const SourceText> source;
  SourceRange range;
  std::string message;
  std::vector<DiagnosticNote> notes;
  std::vector<FixIt> fixes;
};

// Numbers of diagnostics by severity.
struct DiagnosticCounts {
  int64_t notes = 0;
  int64_t warnings = 0;
  int64_t errors = 0;

  int64_t& of(Severity severity);
  DiagnosticCounts& operator+=(const DiagnosticCounts& other);
};

// At most so many diagnostics, one number for each severity; 0: all.
struct DiagnosticLimits {
  int64_t errors = 0;
  int64_t warnings = 0;  // of warnings, and as many notes

  int64_t of(Severity severity) const { return severity == Severity::kError ? errors : warnings; }
};

// Takes away what is beyond `limits`, in the order given; how much that was.
DiagnosticCounts Truncate(const DiagnosticLimits& limits, std::vector<Diagnostic>& diagnostics);

// "Already reported": converts to false and to any empty optional, so that the function that
// reports can return it.
class Failure {
 public:
  // Nothing but bool: a conversion to numbers through bool would make an optional<int64_t> hold 0.
  template <std::same_as<bool> T>
  operator T() const {
    return false;
  }
  operator std::nullopt_t() const { return std::nullopt; }
  template <typename T>
  operator std::optional<T>() const {
    return std::nullopt;
  }
};

// What a diagnostic is about: a value of an enum, whose stable id the function RuleId(rule) gives.
template <typename T>
concept DiagnosticRule = std::is_enum_v<T> && requires(T rule) {
  { RuleId(rule) } -> std::convertible_to<std::string_view>;
};

// Collects the diagnostics about one source text. Not thread safe.
class DiagnosticSink {
 public:
  // Beyond `limits` diagnostics are counted, not kept.
  explicit DiagnosticSink(std::shared_ptr<const SourceText> source, DiagnosticLimits limits = {})
      : source_(std::move(source)), limits_(limits) {}

  // Reports an error of `rule` at `range`. Text is made with fmt.
  template <DiagnosticRule Rule, typename... Args>
  Failure Error(Rule rule, SourceRange range, fmt::format_string<Args...> format, Args&&... args) {
    return Report(Severity::kError, RuleId(rule), range,
                  fmt::format(format, std::forward<Args>(args)...));
  }
  template <DiagnosticRule Rule, typename... Args>
  void Warning(Rule rule, SourceRange range, fmt::format_string<Args...> format, Args&&... args) {
    Report(Severity::kWarning, RuleId(rule), range,
           fmt::format(format, std::forward<Args>(args)...));
  }
  template <DiagnosticRule Rule>
  Failure Report(Severity severity, Rule rule, SourceRange range, std::string message) {
    return Report(severity, RuleId(rule), range, std::move(message));
  }
  // Hands on what was reported somewhere else, under its id.
  Failure Report(Severity severity, std::string_view rule, SourceRange range, std::string message);

  // Adds a second place to the diagnostic reported last.
  template <typename... Args>
  void Note(SourceRange range, fmt::format_string<Args...> format, Args&&... args) {
    AddNote(range, fmt::format(format, std::forward<Args>(args)...));
  }
  void AddNote(SourceRange range, std::string message);
  // Adds a safe correction to the diagnostic reported last.
  void AddFix(SourceRange range, std::string replacement);

  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  std::vector<Diagnostic> TakeDiagnostics() { return std::exchange(diagnostics_, {}); }
  int64_t error_count() const { return error_count_; }
  // What the limits left out.
  const DiagnosticCounts& hidden() const { return hidden_; }
  const std::shared_ptr<const SourceText>& source() const { return source_; }

  // Hands on what was collected, which is then gone from here, whenever that is much; not while
  // somebody holds the sink.
  using Drain = std::function<void(std::vector<Diagnostic>)>;
  void DrainTo(Drain drain) { drain_ = std::move(drain); }
  // For as long as it lives the sink keeps all that is reported, so that RewindTo can take it back.
  class Hold {
   public:
    explicit Hold(DiagnosticSink& sink) : sink_(sink) { ++sink_.hold_count_; }
    ~Hold() { --sink_.hold_count_; }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    DiagnosticSink& sink_;
  };

  // Takes back everything reported after the first `count` diagnostics, for parsers that try.
  void RewindTo(size_t count);

 private:
  std::shared_ptr<const SourceText> source_;
  std::vector<Diagnostic> diagnostics_;
  int64_t error_count_ = 0;
  DiagnosticLimits limits_;
  DiagnosticCounts kept_;
  DiagnosticCounts hidden_;
  bool is_last_hidden_ = false;
  Drain drain_;
  int hold_count_ = 0;
};

}  // namespace hlo

#endif  // HLOKIT_SUPPORT_DIAGNOSTIC_H_
