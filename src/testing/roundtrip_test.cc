// Every HLO text at hand, printed in every style: the print reads back as an equal module and is
// a fixed point.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "ir/module_builder.h"
#include "parser/parser.h"
#include "printer/printer.h"

namespace hlo {
namespace {

namespace fs = std::filesystem;

constexpr PrintStyle kStyles[] = {PrintStyle::kXla, PrintStyle::kLong, PrintStyle::kShort,
                                  PrintStyle::kPretty, PrintStyle::kKeep};

std::string ReadFile(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// The parts of a file between lines that start with `// -----`.
std::vector<std::string> Parts(const std::string& text) {
  std::vector<std::string> parts(1);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("// -----")) {
      parts.emplace_back();
    } else {
      parts.back() += line + "\n";
    }
  }
  return parts;
}

std::vector<fs::path> HloFiles(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; ++it) {
    if (it->path().extension() == ".hlo") paths.push_back(it->path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::optional<Module> Parse(const std::string& text) {
  auto source = std::make_shared<const SourceText>("text", text);
  DiagnosticSink sink(source);
  return ParseModule(source, sink);
}

// A copy says the same when the original is gone.
Module CopyOf(const std::string& text) { return CloneModule(*Parse(text)); }

// Returns whether `text` is a module; other texts have their tests elsewhere.
bool ExpectRoundTrip(const std::string& name, const std::string& text) {
  std::optional<Module> module = Parse(text);
  if (!module) return false;
  EXPECT_EQ(DescribeDifference(*module, CopyOf(text)), "") << name;
  for (PrintStyle style : kStyles) {
    SCOPED_TRACE(name + ", style " + std::to_string(static_cast<int>(style)));
    PrintOptions options;
    options.style = style;
    const std::string printed = PrintModule(*module, options);
    std::optional<Module> read_back = Parse(printed);
    if (!read_back) {
      ADD_FAILURE() << "does not parse:\n" << printed.substr(0, 2000);
      continue;
    }
    EXPECT_EQ(DescribeDifference(*module, *read_back), "");
    EXPECT_TRUE(PrintModule(*read_back, options) == printed) << "no fixed point";
  }
  return true;
}

// What XLA prints comes back byte for byte.
void ExpectXlaTextUnchanged(const std::string& name, const std::string& text) {
  std::optional<Module> module = Parse(text);
  if (!module) return;
  PrintOptions like_xla;
  like_xla.like_xla = true;
  const std::string xla_text = PrintModule(*module, like_xla);
  std::optional<Module> read_back = Parse(xla_text);
  ASSERT_TRUE(read_back.has_value()) << name;
  EXPECT_TRUE(PrintModule(*read_back) == xla_text) << name;
}

int TestFolder(const fs::path& folder) {
  int count = 0;
  for (const fs::path& path : HloFiles(folder)) {
    // Those are modules that XLA would not hold, let alone print.
    const bool breaks_rules =
        path.parent_path().filename() == "verify" || path.filename().string().starts_with("neg.");
    for (const std::string& part : Parts(ReadFile(path))) {
      if (!ExpectRoundTrip(path.string(), part)) continue;
      if (!breaks_rules) ExpectXlaTextUnchanged(path.string(), part);
      ++count;
    }
  }
  return count;
}

TEST(RoundTrip, Testdata) { EXPECT_GT(TestFolder(HLOKIT_SOURCE_DIR "/testdata"), 0); }

TEST(RoundTrip, Corpus) {
  const fs::path corpus = HLOKIT_SOURCE_DIR "/../shared/corpus";
  if (!fs::exists(corpus)) GTEST_SKIP() << "no corpus beside the source tree";
  EXPECT_GT(TestFolder(corpus), 400);
}

TEST(RoundTrip, XlaTests) {
  const fs::path cases = HLOKIT_SOURCE_DIR "/../shared/xla_tests";
  if (!fs::exists(cases)) GTEST_SKIP() << "no cases beside the source tree";
  EXPECT_GT(TestFolder(cases), 4000);
}

}  // namespace
}  // namespace hlo
