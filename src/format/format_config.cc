// A key is a row: its name and the option that it sets, a flag, a count or a number; only the
// style, a word, is read by hand. Writing walks the same rows. Keys are taken one by one: when one
// is refused, others may be set already.
#include "format/format_config.h"

#include <fmt/format.h>

#include <climits>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/status_macros.h"

namespace hlo {
namespace {

constexpr std::string_view kStyleNames[] = {"xla", "long", "short", "pretty", "keep"};

// One entry for each key.
struct Key {
  std::string_view name;
  bool PrintOptions::*flag = nullptr;
  int64_t PrintOptions::*count = nullptr;
  int PrintOptions::*number = nullptr;
};
constexpr Key kKeys[] = {
    {.name = "metadata", .flag = &PrintOptions::metadata},
    {.name = "backend_config", .flag = &PrintOptions::backend_config},
    {.name = "layouts", .flag = &PrintOptions::layouts},
    {.name = "resolve_frames", .flag = &PrintOptions::resolve_frames},
    {.name = "elide_literals", .count = &PrintOptions::elide_literals},
    {.name = "width", .number = &PrintOptions::width},
};

absl::Status ReadStyle(const nlohmann::json& value, PrintOptions* options) {
  std::optional<PrintStyle> style;
  if (value.is_string()) style = ParsePrintStyle(value.get<std::string>());
  if (!style) {
    return absl::InvalidArgumentError(
        fmt::format("`style` is {}, not one of {}", value.dump(), fmt::join(kStyleNames, ", ")));
  }
  options->style = *style;
  return absl::OkStatus();
}

absl::Status ReadKey(const Key& key, const nlohmann::json& value, PrintOptions* options) {
  if (key.flag != nullptr) {
    if (!value.is_boolean()) {
      return absl::InvalidArgumentError(
          fmt::format("`{}` is {}, not true or false", key.name, value.dump()));
    }
    options->*key.flag = value.get<bool>();
    return absl::OkStatus();
  }
  if (!value.is_number_integer()) {
    return absl::InvalidArgumentError(
        fmt::format("`{}` is {}, not an integer", key.name, value.dump()));
  }
  const auto number = value.get<int64_t>();
  if (key.number != nullptr && (number < 0 || number > INT_MAX)) {
    return absl::InvalidArgumentError(
        fmt::format("`{}` is {}, not in 0 ... {}", key.name, number, INT_MAX));
  }
  if (key.count != nullptr) options->*key.count = number;
  if (key.number != nullptr) options->*key.number = static_cast<int>(number);
  return absl::OkStatus();
}

absl::Status ReadEntry(std::string_view name, const nlohmann::json& value, PrintOptions* options) {
  if (name == "style") return ReadStyle(value, options);
  for (const Key& key : kKeys) {
    if (key.name == name) return ReadKey(key, value, options);
  }
  return absl::InvalidArgumentError(fmt::format("unknown key `{}`", name));
}

}  // namespace

std::span<const std::string_view> PrintStyleNames() { return kStyleNames; }

std::optional<PrintStyle> ParsePrintStyle(std::string_view name) {
  for (size_t i = 0; i < std::size(kStyleNames); ++i) {
    if (kStyleNames[i] == name) return static_cast<PrintStyle>(i);
  }
  return std::nullopt;
}

std::string_view PrintStyleName(PrintStyle style) {
  return kStyleNames[static_cast<size_t>(style)];
}

absl::Status ReadFormatConfig(std::string_view name, std::string_view text, PrintOptions* options) {
  const nlohmann::json config = nlohmann::json::parse(text, /*cb=*/nullptr,
                                                      /*allow_exceptions=*/false,
                                                      /*ignore_comments=*/true);
  if (!config.is_object()) {
    return absl::InvalidArgumentError(fmt::format("{}: not a JSON object", name));
  }
  for (const auto& [key, value] : config.items()) {
    if (absl::Status status = ReadEntry(key, value, options); !status.ok()) {
      return absl::InvalidArgumentError(fmt::format("{}: {}", name, std::string(status.message())));
    }
  }
  return absl::OkStatus();
}

std::string WriteFormatConfig(const PrintOptions& options) {
  std::string text = fmt::format("{{\n  \"style\": \"{}\"", PrintStyleName(options.style));
  for (const Key& key : kKeys) {
    text += fmt::format(",\n  \"{}\": ", key.name);
    if (key.flag != nullptr) text += options.*key.flag ? "true" : "false";
    if (key.count != nullptr) text += fmt::format("{}", options.*key.count);
    if (key.number != nullptr) text += fmt::format("{}", options.*key.number);
  }
  return text + "\n}\n";
}

std::optional<std::string> FindFormatConfig(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (fs::path folder = fs::absolute(path, error).parent_path(); !error;
       folder = folder.parent_path()) {
    const fs::path candidate = folder / kFormatConfigName;
    // A folder of this name is found, too, and then cannot be read.
    if (fs::exists(candidate, error)) return candidate.string();
    error.clear();
    if (folder == folder.parent_path()) break;
  }
  return std::nullopt;
}

}  // namespace hlo
