// A file can break a rule a million times. Whenever many findings have come together, they are put
// into the order of the text and those beyond the limits are counted and dropped, so that in the
// end the first ones of the text are there, however they came.
#include "verifier/finding_collector.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "verifier/rule_context.h"

namespace hlo {

FindingCollector::FindingCollector(const Module& module, const VerifyOptions& options)
    : options_(options), suppressions_(module) {}

bool FindingCollector::IsShown(const Diagnostic& finding) const {
  if (!IsReported(finding.rule, options_)) return false;
  return !options_.heed_comments || !suppressions_.Covers(finding);
}

void FindingCollector::Add(std::vector<Diagnostic> findings) {
  std::copy_if(std::make_move_iterator(findings.begin()), std::make_move_iterator(findings.end()),
               std::back_inserter(findings_),
               [this](const Diagnostic& finding) { return IsShown(finding); });
  if (findings_.size() < settle_size_) return;
  Settle();
  settle_size_ = std::max(settle_size_, 2 * findings_.size());
}

void FindingCollector::Prepend(TextFindings found) {
  findings_.insert(findings_.begin(), std::make_move_iterator(found.findings.begin()),
                   std::make_move_iterator(found.findings.end()));
  hidden_ += found.hidden;
}

void FindingCollector::Settle() {
  std::ranges::stable_sort(findings_, {},
                           [](const Diagnostic& finding) { return finding.range.begin; });
  hidden_ += Truncate(options_.limits, findings_);
}

TextFindings FindingCollector::Take() {
  Settle();
  return {std::move(findings_), hidden_};
}

}  // namespace hlo
