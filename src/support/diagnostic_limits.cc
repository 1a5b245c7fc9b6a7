#include "support/diagnostic_limits.h"

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

}  // namespace hlo
