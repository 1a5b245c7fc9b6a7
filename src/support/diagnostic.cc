// Notes and fixes share the fate of their diagnostic: a hidden one loses them. Before a diagnostic
// is added, never after, those collected may be drained, so that the last one is always here for
// its notes. Under a Hold nothing is drained or hidden, so that RewindTo can take everything back.
#include "support/diagnostic.h"

#include "support/check.h"

namespace hlo {

int64_t& DiagnosticCounts::of(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return notes;
    case Severity::kWarning:
      return warnings;
    case Severity::kError:
      return errors;
  }
  HLO_UNREACHABLE();
}

DiagnosticCounts& DiagnosticCounts::operator+=(const DiagnosticCounts& other) {
  notes += other.notes;
  warnings += other.warnings;
  errors += other.errors;
  return *this;
}

DiagnosticCounts Truncate(const DiagnosticLimits& limits, std::vector<Diagnostic>& diagnostics) {
  DiagnosticCounts seen, hidden;
  std::erase_if(diagnostics, [&](const Diagnostic& diagnostic) {
    const int64_t limit = limits.of(diagnostic.severity);
    if (limit == 0 || ++seen.of(diagnostic.severity) <= limit) return false;
    ++hidden.of(diagnostic.severity);
    return true;
  });
  return hidden;
}

Failure DiagnosticSink::Report(Severity severity, std::string_view rule, SourceRange range,
                               std::string message) {
  constexpr size_t kMuch = 1024;
  if (drain_ && hold_count_ == 0 && diagnostics_.size() >= kMuch) drain_(TakeDiagnostics());
  if (severity == Severity::kError) ++error_count_;
  const int64_t limit = limits_.of(severity);
  is_last_hidden_ = limit > 0 && hold_count_ == 0 && kept_.of(severity) >= limit;
  if (is_last_hidden_) {
    ++hidden_.of(severity);
    return Failure();
  }
  ++kept_.of(severity);
  diagnostics_.push_back({severity, std::string(rule), source_, range, std::move(message),
                          /*notes=*/{}, /*fixes=*/{}});
  return Failure();
}

void DiagnosticSink::AddNote(SourceRange range, std::string message) {
  if (is_last_hidden_) return;
  HLO_CHECK(!diagnostics_.empty());
  diagnostics_.back().notes.push_back({range, std::move(message)});
}

void DiagnosticSink::AddFix(SourceRange range, std::string replacement) {
  if (is_last_hidden_) return;
  HLO_CHECK(!diagnostics_.empty());
  diagnostics_.back().fixes.push_back({range, std::move(replacement)});
}

void DiagnosticSink::RewindTo(size_t count) {
  while (diagnostics_.size() > count) {
    const Severity severity = diagnostics_.back().severity;
    if (severity == Severity::kError) --error_count_;
    --kept_.of(severity);
    diagnostics_.pop_back();
  }
}

}  // namespace hlo
