// How many diagnostics about one text are shown.
#ifndef HLOKIT_SUPPORT_DIAGNOSTIC_LIMITS_H_
#define HLOKIT_SUPPORT_DIAGNOSTIC_LIMITS_H_

#include <cstdint>
#include <vector>

#include "support/diagnostic.h"

namespace hlo {

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

}  // namespace hlo

#endif  // HLOKIT_SUPPORT_DIAGNOSTIC_LIMITS_H_
