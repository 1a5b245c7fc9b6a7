// What a project says about formatting in its `.hlo-format` file: a JSON object whose keys are
// the names of hlo-fmt's options.
//
//   { "style": "pretty", "width": 120, "metadata": false }
#ifndef HLOKIT_FORMAT_FORMAT_CONFIG_H_
#define HLOKIT_FORMAT_FORMAT_CONFIG_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "printer/printer.h"

namespace hlo {

inline constexpr std::string_view kFormatConfigName = ".hlo-format";

std::span<const std::string_view> PrintStyleNames();
std::optional<PrintStyle> ParsePrintStyle(std::string_view name);
std::string_view PrintStyleName(PrintStyle style);

// Sets in `options` what the JSON `text` says. Fails with kInvalidArgument for anything that is
// not as described above; `name` is how messages call the text.
absl::Status ReadFormatConfig(std::string_view name, std::string_view text, PrintOptions* options);

// The complete configuration as JSON, which ReadFormatConfig reads back.
std::string WriteFormatConfig(const PrintOptions& options);

// The path of the configuration nearest to `path`: in its folder or one above.
std::optional<std::string> FindFormatConfig(const std::string& path);

}  // namespace hlo

#endif  // HLOKIT_FORMAT_FORMAT_CONFIG_H_
