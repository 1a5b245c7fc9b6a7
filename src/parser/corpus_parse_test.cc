// Every module of the shared corpus: we accept what XLA accepts, and nothing else.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <re2/re2.h>

#include "parser/parser.h"

namespace hlo {
namespace {

const std::filesystem::path kCorpus =
    std::filesystem::path(HLOKIT_SOURCE_DIR) / ".." / "shared" / "corpus";

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The modules of a file, split by lines `// -----`; each knows its place in the file.
std::vector<std::shared_ptr<const SourceText>> SplitModules(const std::string& name,
                                                            const std::string& text) {
  std::vector<std::shared_ptr<const SourceText>> modules;
  std::string part;
  int64_t line_number = 1;
  int64_t first_line = 1;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line); ++line_number) {
    if (line.rfind("// -----", 0) == 0) {
      modules.push_back(std::make_shared<SourceText>(name, part, first_line));
      part.clear();
      first_line = line_number + 1;
      continue;
    }
    part += line + "\n";
  }
  modules.push_back(std::make_shared<SourceText>(name, part, first_line));
  return modules;
}

std::string FirstDiagnostic(const SourceText& source, const DiagnosticSink& sink) {
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    if (diagnostic.severity != Severity::kError) continue;
    const LineColumn place = source.Locate(diagnostic.range.begin);
    return fmt::format("{}:{}:{}: {} [{}]", source.name(), place.line, place.column,
                       diagnostic.message, diagnostic.rule);
  }
  return "no error";
}

TEST(CorpusParse, VerdictsAreXlas) {
  std::ifstream answers(kCorpus / "answers.jsonl");
  if (!answers) GTEST_SKIP() << "no corpus at " << kCorpus;
  std::map<std::string, std::vector<std::shared_ptr<const SourceText>>> files;
  const RE2 answer_start(R"re("file": "([^"]*)", "module": (\d+), "parses": (true|false))re");
  int64_t count = 0;
  for (std::string line; std::getline(answers, line);) {
    // The results at the end of a line may hold NaN, which is no JSON.
    std::string file, verdict;
    size_t number = 0;
    ASSERT_TRUE(RE2::PartialMatch(line, answer_start, &file, &number, &verdict)) << line;
    if (!files.count(file)) files[file] = SplitModules(file, ReadFile(kCorpus / file));
    ASSERT_LT(number, files[file].size()) << file;
    const std::shared_ptr<const SourceText>& source = files[file][number];
    DiagnosticSink sink(source);
    const bool parses = ParseModule(source, sink).has_value();
    EXPECT_EQ(parses, verdict == "true")
        << file << " module " << number << ": " << FirstDiagnostic(*source, sink);
    ++count;
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace hlo
