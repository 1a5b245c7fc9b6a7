// One pass in the order of the text: a fix that begins before the end of the last one that was made
// is left out, and so is one that goes past the text. Fixes that begin at one place keep the order
// of their diagnostics.
#include "support/apply_fixes.h"

#include <algorithm>
#include <vector>

namespace hlo {

std::string ApplyFixes(std::string_view text, std::span<const Diagnostic> diagnostics) {
  std::vector<const FixIt*> fixes;
  for (const Diagnostic& diagnostic : diagnostics) {
    for (const FixIt& fix : diagnostic.fixes) fixes.push_back(&fix);
  }
  std::stable_sort(fixes.begin(), fixes.end(),
                   [](const FixIt* a, const FixIt* b) { return a->range.begin < b->range.begin; });
  std::string result;
  size_t copied = 0;
  for (const FixIt* fix : fixes) {
    if (fix->range.begin < copied || fix->range.end > text.size()) continue;
    result += text.substr(copied, fix->range.begin - copied);
    result += fix->replacement;
    copied = fix->range.end;
  }
  result += text.substr(copied);
  return result;
}

}  // namespace hlo
