// Carrying out the safe corrections that diagnostics propose.
#ifndef HLOKIT_SUPPORT_APPLY_FIXES_H_
#define HLOKIT_SUPPORT_APPLY_FIXES_H_

#include <span>
#include <string>
#include <string_view>

#include "support/diagnostic.h"

namespace hlo {

// `text` with the fixes of all `diagnostics` about it. Of two fixes that overlap the first in the
// text is made; running again makes the other.
std::string ApplyFixes(std::string_view text, std::span<const Diagnostic> diagnostics);

}  // namespace hlo

#endif  // HLOKIT_SUPPORT_APPLY_FIXES_H_
