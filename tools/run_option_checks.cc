// Where CLI11 reads a number afterwards, its own reader checks the text, so that both take the same
// texts for numbers. Seeds are read here: it would take -1 for the largest one. Comparisons are
// written such that NaN fails them.
#include "tools/run_option_checks.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <system_error>

#include "values/output_file.h"
#include "values/value_files.h"

namespace hlo::tools {

std::string PatternError(const std::string& pattern) {
  RE2 compiled(pattern, RE2::Quiet);
  return compiled.ok() ? "" : fmt::format("`{}` is no pattern: {}", pattern, compiled.error());
}

// NaN would match nothing and everything below 0 is a slip.
std::string ToleranceError(const std::string& text) {
  double tolerance = 0;
  const bool is_fine = CLI::detail::lexical_cast(text, tolerance) && tolerance >= 0;
  return is_fine ? "" : fmt::format("{} is no number from 0 on", text);
}

std::string TimeLimitError(const std::string& text) {
  double seconds = 0;
  const bool is_fine =
      CLI::detail::lexical_cast(text, seconds) && seconds >= 0.001 && seconds <= 1e9;
  return is_fine ? "" : fmt::format("{} is no number of seconds from 0.001 to 1e9", text);
}

std::string WaitLimitError(const std::string& text) {
  double seconds = -1;
  if (CLI::detail::lexical_cast(text, seconds) && seconds == 0) return "";
  const std::string error = TimeLimitError(text);
  return error.empty() ? "" : error + ", and not 0";
}

std::string DumpError(const std::string& text) {
  size_t colon = text.rfind(':');
  return colon == std::string::npos ? "expected REGEX:DIR" : PatternError(text.substr(0, colon));
}

// A name without `@` is a file by its suffix, lest `--output=jsn` make a directory.
std::string OutputFileError(const std::string& text) {
  const std::string path = PathOf(text);
  if (path.empty()) return fmt::format("`{}` is no @FILE", text);
  const absl::StatusOr<OutputKind> kind = OutputKindOf(path);
  if (!kind.ok()) return std::string(kind.status().message());
  const bool is_meant =
      text.starts_with('@') || text.ends_with('/') || *kind != OutputKind::kDirectory;
  return is_meant ? "" : fmt::format("`{}` is no @FILE", text);
}

std::string SeedError(const std::string& text) {
  uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  const bool is_fine = error == std::errc() && end == text.data() + text.size();
  return is_fine ? "" : fmt::format("{} is no number from 0 to 2^64 - 1", text);
}

std::optional<int64_t> ParseMaxPrint(std::string_view text) {
  if (text == "all" || text == "-1") return 0;
  int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool is_fine = error == std::errc() && end == text.data() + text.size() && count >= 0;
  return is_fine ? std::optional<int64_t>(count) : std::nullopt;
}

std::string MaxPrintError(const std::string& text) {
  return ParseMaxPrint(text) ? "" : fmt::format("`{}` is no number of elements, and not all", text);
}

bool IsOutputForm(std::string_view text) { return text == "json" || text == "text" || text == "-"; }

std::string OutputError(const std::string& text) {
  const std::string error = IsOutputForm(text) ? "" : OutputFileError(text);
  return error.ends_with("@FILE") ? error + ", json or text" : error;
}

}  // namespace hlo::tools
