#include "support/diagnostic.h"

#include "support/check.h"

namespace hlo {

Failure DiagnosticSink::Report(Severity severity, std::string_view rule, SourceRange range,
                               std::string message) {
  if (severity == Severity::kError) ++error_count_;
  diagnostics_.push_back({severity, std::string(rule), source_, range, std::move(message),
                          /*notes=*/{}, /*fixes=*/{}});
  return Failure();
}

void DiagnosticSink::AddNote(SourceRange range, std::string message) {
  HLO_CHECK(!diagnostics_.empty());
  diagnostics_.back().notes.push_back({range, std::move(message)});
}

void DiagnosticSink::AddFix(SourceRange range, std::string replacement) {
  HLO_CHECK(!diagnostics_.empty());
  diagnostics_.back().fixes.push_back({range, std::move(replacement)});
}

void DiagnosticSink::RewindTo(size_t count) {
  while (diagnostics_.size() > count) {
    if (diagnostics_.back().severity == Severity::kError) --error_count_;
    diagnostics_.pop_back();
  }
}

}  // namespace hlo
