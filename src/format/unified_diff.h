// Line differences in the unified format of diff and patch.
#ifndef HLOKIT_FORMAT_UNIFIED_DIFF_H_
#define HLOKIT_FORMAT_UNIFIED_DIFF_H_

#include <string>
#include <string_view>

namespace hlo {

struct DiffOptions {
  int context_line_count = 3;
  bool color = false;
};

// The difference of two texts with headers `--- old_name`, `+++ new_name`; empty when they are
// equal. Lines end at LF.
std::string UnifiedDiff(std::string_view old_name, std::string_view old_text,
                        std::string_view new_name, std::string_view new_text,
                        const DiffOptions& options = {});

}  // namespace hlo

#endif  // HLOKIT_FORMAT_UNIFIED_DIFF_H_
