// Reading of answers and of docs/differences.md. The page is the list: a case that differs and has
// no row fails the test that compares it, and so does a row whose case agrees.
#include "testing/xla_cases.h"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include <fstream>

namespace hlo::testing {
namespace {

using nlohmann::json;

// A function: tests ask while constants of other sources may not be made yet.
std::filesystem::path Project() { return HLOKIT_SOURCE_DIR; }

constexpr std::string_view kKindNames[] = {"parse", "verdict", "text", "result"};

// Python writes NaN, Infinity and -Infinity, which JSON has not: these words outside of strings
// become strings.
std::string WithQuotedSpecials(std::string_view line) {
  constexpr std::pair<std::string_view, std::string_view> kSpecials[] = {
      {"NaN", "\"nan\""}, {"-Infinity", "\"-inf\""}, {"Infinity", "\"inf\""}};
  std::string result;
  bool is_string = false;
  while (!line.empty()) {
    size_t length = 1;
    std::string_view text = line.substr(0, 1);
    if (is_string && line.front() == '\\') {
      text = line.substr(0, length = 2);
    } else if (line.front() == '"') {
      is_string = !is_string;
    } else if (!is_string) {
      for (const auto& [word, quoted] : kSpecials) {
        if (!line.starts_with(word)) continue;
        length = word.size();
        text = quoted;
        break;
      }
    }
    result += text;
    line.remove_prefix(length);
  }
  return result;
}

}  // namespace

std::filesystem::path AnswersFolder(std::string_view name) {
  return Project() / ".." / "shared" / name;
}

std::vector<json> LoadAnswers(const std::filesystem::path& folder) {
  std::vector<json> answers;
  std::ifstream file(folder / "answers.jsonl");
  for (std::string line; std::getline(file, line);) {
    answers.push_back(json::parse(WithQuotedSpecials(line)));
  }
  return answers;
}

std::string ReadModuleText(const std::filesystem::path& path, size_t number) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("// -----")) {
      if (number-- == 0) break;
      text.clear();
    } else {
      text += line + "\n";
    }
  }
  return text;
}

Differences::Differences(Kind kind) : kind_(kKindNames[static_cast<size_t>(kind)]) {
  std::ifstream page(Project() / "docs" / "differences.md");
  EXPECT_TRUE(page) << "docs/differences.md is missing";
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `")) continue;
    std::string name, kind_name, reason;
    EXPECT_TRUE(RE2::FullMatch(line, R"re(\| `([^`]+)` \| (\w+) \| (\S.*) \|)re", &name, &kind_name,
                               &reason))
        << line;
    EXPECT_NE(std::ranges::find(kKindNames, kind_name), std::end(kKindNames)) << line;
    if (kind_name == kind_) names_.insert(name);
  }
}

void Differences::Check(const std::set<std::string>& compared,
                        const std::map<std::string, std::string>& differing) const {
  for (const auto& [name, what] : differing) {
    EXPECT_TRUE(Contains(name)) << name << " differs (" << kind_ << "): " << what;
  }
  for (const std::string& name : names_) {
    EXPECT_TRUE(!compared.contains(name) || differing.contains(name))
        << name << " agrees (" << kind_ << "): its row in docs/differences.md is out of date";
  }
}

}  // namespace hlo::testing
