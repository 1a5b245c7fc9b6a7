// The file's path stands as `%s` in its expectations: it is put in when they are read and taken out
// when they are written, so that goldens can move. In a `.out` file nothing is replaced.
// Expectations that are not the same text become a pattern only if they have placeholders, with all
// else in them quoted.
#include "testing/golden.h"

#include <re2/re2.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace hlo::testing {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool ConsumePrefix(std::string_view* text, std::string_view prefix) {
  if (!text->starts_with(prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}

bool IsExpectation(std::string_view line) {
  return line.starts_with("// EXIT:") || line.starts_with("// OUT:") || line.starts_with("// ERR:");
}

// "// OUT: text", or "// OUT:" for an empty line.
void AppendDirective(std::string* text, std::string_view directive, std::string_view lines) {
  while (!lines.empty()) {
    const size_t end = lines.find('\n');
    const std::string_view line = lines.substr(0, end);
    *text += fmt::format("// {}:{}{}\n", directive, line.empty() ? "" : " ", line);
    if (end == std::string_view::npos) return;
    lines.remove_prefix(end + 1);
  }
}

std::string ReplaceAll(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace

Golden ReadGolden(const std::string& path) {
  Golden golden;
  golden.path = path;
  std::istringstream lines(ReadFile(path));
  for (std::string line; std::getline(lines, line);) {
    std::string_view rest = line;
    const auto text = [&] {
      ConsumePrefix(&rest, " ");
      return std::string(rest);
    };
    if (ConsumePrefix(&rest, "// RUN:")) {
      golden.runs.push_back(text());
    } else if (ConsumePrefix(&rest, "// EXIT:")) {
      golden.exit_code = std::atoi(std::string(rest).c_str());
    } else if (ConsumePrefix(&rest, "// OUT:")) {
      golden.out += text() + "\n";
    } else if (ConsumePrefix(&rest, "// ERR:")) {
      golden.err += text() + "\n";
    }
  }
  golden.out = ReplaceAll(golden.out, "%s", path);
  golden.err = ReplaceAll(golden.err, "%s", path);
  if (std::filesystem::exists(path + ".out")) {
    golden.out = ReadFile(path + ".out");  // verbatim: it may quote the file's own RUN line
    golden.out_in_file = true;
  }
  return golden;
}

bool MatchesExpectation(std::string_view expected, std::string_view actual) {
  if (expected == actual) return true;
  if (expected.find("{{") == std::string_view::npos) return false;
  std::string pattern;
  while (!expected.empty()) {
    const size_t open = expected.find("{{");
    const size_t close = expected.find("}}", open == std::string_view::npos ? 0 : open);
    if (open == std::string_view::npos || close == std::string_view::npos) {
      pattern += RE2::QuoteMeta({expected.data(), expected.size()});
      break;
    }
    pattern += RE2::QuoteMeta({expected.data(), open});
    pattern += fmt::format("(?:{})", expected.substr(open + 2, close - open - 2));
    expected.remove_prefix(close + 2);
  }
  return RE2::FullMatch({actual.data(), actual.size()}, pattern);
}

std::string WithExpectations(const Golden& golden, const std::string& text, int exit_code,
                             const std::string& out, const std::string& err) {
  std::string updated;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (IsExpectation(line)) continue;
    updated += line + "\n";
    if (line.starts_with("// RUN:") && exit_code != 0) {
      updated += fmt::format("// EXIT: {}\n", exit_code);
      exit_code = 0;
    }
  }
  if (!golden.out_in_file) AppendDirective(&updated, "OUT", ReplaceAll(out, golden.path, "%s"));
  AppendDirective(&updated, "ERR", ReplaceAll(err, golden.path, "%s"));
  return updated;
}

}  // namespace hlo::testing
