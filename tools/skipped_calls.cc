// A call that is skipped changes no value, but somebody may wait for what it prints. The first few
// are named, all are counted.
#include "tools/skipped_calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "interp/reference/custom_calls/custom_calls.h"
#include "support/count_text.h"

namespace hlo::tools {

std::string SkippedCallsText(const Module& module) {
  constexpr size_t kMaxShown = 5;
  std::vector<std::string> calls;
  int64_t count = 0;
  for (const Instruction& instruction : module.instructions()) {
    if (!reference::IsSkippedCallback(instruction) || ++count > int64_t{kMaxShown}) continue;
    std::string& text = calls.emplace_back(fmt::format("`{}`", instruction.name));
    const Metadata* metadata = instruction.attributes.GetIf<Attr::kMetadata>();
    if (metadata != nullptr && !metadata->op_name.empty()) {
      text += fmt::format(" ({})", metadata->op_name);
    }
  }
  if (calls.empty()) return "";
  if (count > int64_t{kMaxShown}) calls.emplace_back("...");
  return fmt::format("{} of Python for effects alone {} skipped: {}", CountText(count, "call"),
                     count == 1 ? "is" : "are", fmt::join(calls, ", "));
}

}  // namespace hlo::tools
