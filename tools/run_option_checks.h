// Checks of the values of hlo-run's options: why a text is none, empty when it is one.
#ifndef HLOKIT_TOOLS_RUN_OPTION_CHECKS_H_
#define HLOKIT_TOOLS_RUN_OPTION_CHECKS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hlo::tools {

std::string PatternError(const std::string& pattern);
std::string ToleranceError(const std::string& text);
std::string TimeLimitError(const std::string& text);  // seconds
std::string WaitLimitError(const std::string& text);  // seconds, or 0 for none
std::string DumpError(const std::string& text);       // REGEX:DIR
std::string OutputFileError(const std::string& text);
std::string SeedError(const std::string& text);
std::string MaxPrintError(const std::string& text);
std::string OutputError(const std::string& text);

// A count of elements, where 0 (also `all` and -1) means that there is no limit; nothing for other
// texts.
std::optional<int64_t> ParseMaxPrint(std::string_view text);
// Whether --output=TEXT says how the result is printed rather than a file.
bool IsOutputForm(std::string_view text);

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_RUN_OPTION_CHECKS_H_
