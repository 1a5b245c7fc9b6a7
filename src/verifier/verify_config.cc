// The name of a key decides what its value must be: a flag, a count, a list of names or, for the
// target, one. Names pass through the functions that the command line uses, so both know the same
// ones. Keys are taken one by one: when one is refused, others may be set already.
#include "verifier/verify_config.h"

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "support/status_macros.h"

namespace hlo {
namespace {

using Json = nlohmann::json;
using absl::InvalidArgumentError;

bool* FlagOf(std::string_view key, VerifyOptions* options) {
  if (key == "layout-sensitive") return &options->modes.layout_sensitive;
  if (key == "strict-precision") return &options->modes.strict_precision;
  if (key == "strict-docs") return &options->modes.strict_docs;
  if (key == "unbounded") return &options->modes.allow_unbounded;
  if (key == "replica-groups") return &options->check_replica_groups;
  if (key == "notes") return &options->notes;
  if (key == "warnings-as-errors") return &options->warnings_are_errors;
  return nullptr;
}

absl::Status ReadFlag(std::string_view key, const Json& value, bool* flag) {
  if (!value.is_boolean()) {
    return InvalidArgumentError(fmt::format("`{}` is {}, not true or false", key, value.dump()));
  }
  *flag = value.get<bool>();
  return absl::OkStatus();
}

int64_t* CountOf(std::string_view key, VerifyOptions* options) {
  if (key == "max-errors") return &options->limits.errors;
  if (key == "max-warnings") return &options->limits.warnings;
  if (key == "num-replicas") return &options->devices.replicas;
  if (key == "num-partitions") return &options->devices.partitions;
  return nullptr;
}

absl::Status ReadCount(std::string_view key, const Json& value, int64_t* count) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > INT64_MAX) {
    return InvalidArgumentError(fmt::format("`{}` is {}, not a count", key, value.dump()));
  }
  *count = value.get<int64_t>();
  return absl::OkStatus();
}

// Calls `read` for each string of the list `value`.
absl::Status ReadList(std::string_view key, const Json& value,
                      const std::function<absl::Status(const std::string&)>& read) {
  if (!value.is_array()) {
    return InvalidArgumentError(fmt::format("`{}` is {}, not a list", key, value.dump()));
  }
  for (const Json& element : value) {
    if (!element.is_string()) {
      return InvalidArgumentError(fmt::format("`{}` holds {}, not a string", key, element.dump()));
    }
    HLO_RETURN_IF_ERROR(read(element.get<std::string>()));
  }
  return absl::OkStatus();
}

absl::Status ReadEntry(const std::string& key, const Json& value, VerifyOptions* options) {
  if (bool* flag = FlagOf(key, options)) return ReadFlag(key, value, flag);
  if (int64_t* count = CountOf(key, options)) return ReadCount(key, value, count);
  if (key == "target") {
    if (value.is_string()) return SetTarget(value.get<std::string>(), options);
    return InvalidArgumentError(fmt::format("`target` is {}, not a string", value.dump()));
  }
  auto read_list = [&](auto read) { return ReadList(key, value, read); };
  auto patterns = [](bool is_warning, std::vector<std::string>* list) {
    return [=](const std::string& pattern) { return AddPattern(pattern, is_warning, list); };
  };
  if (key == "select") return read_list(patterns(false, &options->select));
  if (key == "ignore") return read_list(patterns(false, &options->ignore));
  if (key == "warn") return read_list(patterns(true, &options->warnings));
  if (key == "strict") {
    return read_list([&](const std::string& name) { return SetStrictOption(name, options); });
  }
  if (key == "lint") {
    return read_list([&](const std::string& name) { return SetLint(name, options); });
  }
  return InvalidArgumentError(fmt::format("unknown key `{}`", key));
}

}  // namespace

absl::Status ReadVerifyConfig(std::string_view name, std::string_view text,
                              VerifyOptions* options) {
  const Json config = Json::parse(text, /*cb=*/nullptr, /*allow_exceptions=*/false,
                                  /*ignore_comments=*/true);
  if (!config.is_object()) return InvalidArgumentError(fmt::format("{}: not a JSON object", name));
  for (const auto& [key, value] : config.items()) {
    if (absl::Status status = ReadEntry(key, value, options); !status.ok()) {
      return InvalidArgumentError(fmt::format("{}: {}", name, std::string(status.message())));
    }
  }
  return absl::OkStatus();
}

std::optional<std::string> FindVerifyConfig(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (fs::path folder = fs::absolute(path, error).parent_path(); !error;
       folder = folder.parent_path()) {
    const fs::path candidate = folder / kVerifyConfigName;
    // A folder of this name is found, too, and then cannot be read.
    if (fs::exists(candidate, error)) return candidate.string();
    error.clear();
    if (folder == folder.parent_path()) break;
  }
  return std::nullopt;
}

absl::Status SetStrictOption(std::string_view name, VerifyOptions* options) {
  if (name == "all") {
    for (int i = 0; i < kStrictOptionCount; ++i) options->modes.Set(static_cast<StrictOption>(i));
    return absl::OkStatus();
  }
  std::optional<StrictOption> option = ParseStrictOption(name);
  if (!option) return InvalidArgumentError(fmt::format("no strict option `{}`", name));
  options->modes.Set(*option);
  return absl::OkStatus();
}

absl::Status SetTarget(std::string_view name, VerifyOptions* options) {
  if (name != "xla") return InvalidArgumentError(fmt::format("no target `{}`", name));
  options->modes.strict_precision = true;
  options->modes.allow_unbounded = false;
  return absl::OkStatus();
}

absl::Status SetLint(std::string_view name, VerifyOptions* options) {
  if (name != "perf") return InvalidArgumentError(fmt::format("no hints called `{}`", name));
  options->lint_performance = true;
  return absl::OkStatus();
}

absl::Status AddPattern(std::string_view pattern, bool is_warning,
                        std::vector<std::string>* patterns) {
  std::string_view rule = pattern;
  if (is_warning && rule.starts_with("no-")) rule.remove_prefix(3);
  if (!(is_warning && pattern == "none") && !IsRulePattern(rule)) {
    return InvalidArgumentError(fmt::format("no rule matches `{}`", rule));
  }
  patterns->push_back(std::string(pattern));
  return absl::OkStatus();
}

}  // namespace hlo
