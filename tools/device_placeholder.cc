// {device} in options that name files.
#include <algorithm>

#include "tools/run_inputs.h"

namespace hlo::tools {

bool InputOptions::VariesWithDevice() const {
  return HasDevicePlaceholder(archive) || HasDevicePlaceholder(literals_file) ||
         std::ranges::any_of(inputs,
                             [](const std::string& input) { return HasDevicePlaceholder(input); });
}

bool HasDevicePlaceholder(std::string_view text) {
  return text.find(kDevicePlaceholder) != std::string_view::npos;
}

std::string WithDevice(std::string_view text, int64_t device) {
  std::string result;
  for (size_t at = 0;;) {
    const size_t found = text.find(kDevicePlaceholder, at);
    result += text.substr(at, found - at);
    if (found == std::string_view::npos) return result;
    result += std::to_string(device);
    at = found + kDevicePlaceholder.size();
  }
}

}  // namespace hlo::tools
