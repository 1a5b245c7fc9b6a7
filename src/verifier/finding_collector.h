// Findings as they come in: silenced where a comment or an option says so, and no more kept than
// will be shown.
#ifndef HLOKIT_VERIFIER_FINDING_COLLECTOR_H_
#define HLOKIT_VERIFIER_FINDING_COLLECTOR_H_

#include <vector>

#include "ir/module.h"
#include "support/diagnostic.h"
#include "verifier/suppression.h"
#include "verifier/verifier.h"

namespace hlo {

class FindingCollector {
 public:
  FindingCollector(const Module& module, const VerifyOptions& options);

  const Suppressions& suppressions() const { return suppressions_; }

  // Whether options and comments let `finding` through.
  bool IsShown(const Diagnostic& finding) const;

  void Add(std::vector<Diagnostic> findings);
  // Puts what was found earlier, and is to be shown, before all else.
  void Prepend(TextFindings found);

  // The findings that come first in the text, in its order, as many as the options let through.
  TextFindings Take();

 private:
  void Settle();

  const VerifyOptions& options_;
  Suppressions suppressions_;
  std::vector<Diagnostic> findings_;
  DiagnosticCounts hidden_;
  size_t settle_size_ = 8192;
};

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_FINDING_COLLECTOR_H_
