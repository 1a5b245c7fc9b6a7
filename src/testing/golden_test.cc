// Runs every golden below one folder of testdata: golden_test TOOL_DIR FOLDER. The working
// directory is the source tree, so that the paths in messages are relative and stable.
//
// HLO_UPDATE_GOLDENS=1 rewrites the expectations; the diff is reviewed like code.
#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "testing/golden.h"

namespace hlo::testing {
namespace {

struct Outcome {
  int exit_code = 0;
  std::string out;
  std::string err;
};

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void WriteFile(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

void ReplaceAll(std::string* text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text->find(from, at)) != std::string::npos; at += to.size()) {
    text->replace(at, from.size(), to);
  }
}

class Runner {
 public:
  Runner(std::string tool_dir, std::string scratch_dir)
      : tool_dir_(std::move(tool_dir)), scratch_dir_(std::move(scratch_dir)) {
    std::filesystem::create_directories(scratch_dir_);
  }

  // Runs one golden; an empty string when it is as expected, otherwise what differs.
  std::string Run(const std::string& path, bool update) {
    const Golden golden = ReadGolden(path);
    ++count_;
    if (golden.runs.empty()) return "no RUN line\n";
    Outcome outcome;
    for (const std::string& command : golden.runs) {
      const Outcome step = Execute(command, path);
      outcome.out += step.out;
      outcome.err += step.err;
      outcome.exit_code = std::max(outcome.exit_code, step.exit_code);
    }
    if (update) {
      Update(golden, outcome);
      return "";
    }
    return Compare(golden, outcome);
  }

  int count() const { return count_; }

 private:
  Outcome Execute(std::string command, const std::string& path) {
    const std::string out = scratch_dir_ + "/out";
    const std::string err = scratch_dir_ + "/err";
    ReplaceAll(&command, "%s", path);
    ReplaceAll(&command, "%t", scratch_dir_ + "/output");
    const std::string line = fmt::format("PATH='{}':\"$PATH\" NO_COLOR=1 sh -c '{}' >'{}' 2>'{}'",
                                         tool_dir_, Quoted(command), out, err);
    const int status = std::system(line.c_str());
    const int exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return {exit_code, ReadFile(out), ReadFile(err)};
  }

  static std::string Quoted(std::string text) {
    ReplaceAll(&text, "'", "'\\''");
    return text;
  }

  static void Update(const Golden& golden, const Outcome& outcome) {
    const bool as_expected = Compare(golden, outcome).empty();
    if (as_expected) return;
    WriteFile(golden.path, WithExpectations(golden, ReadFile(golden.path), outcome.exit_code,
                                            outcome.out, outcome.err));
    if (golden.out_in_file) WriteFile(golden.path + ".out", outcome.out);
  }

  static std::string Compare(const Golden& golden, const Outcome& outcome) {
    std::string difference;
    if (outcome.exit_code != golden.exit_code) {
      difference += fmt::format("exit code {}, expected {}\n", outcome.exit_code, golden.exit_code);
    }
    if (!MatchesExpectation(golden.out, outcome.out)) {
      difference += fmt::format("--- stdout, expected:\n{}--- got:\n{}", golden.out, outcome.out);
    }
    if (!MatchesExpectation(golden.err, outcome.err)) {
      difference += fmt::format("--- stderr, expected:\n{}--- got:\n{}", golden.err, outcome.err);
    }
    return difference;
  }

  std::string tool_dir_;
  std::string scratch_dir_;
  int count_ = 0;
};

std::vector<std::string> FindGoldens(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".hlo") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

int Main(const std::string& tool_dir, const std::string& folder, const std::string& scratch_dir) {
  const bool update = std::getenv("HLO_UPDATE_GOLDENS") != nullptr;
  Runner runner(tool_dir, scratch_dir);
  int failed = 0;
  for (const std::string& path : FindGoldens(folder)) {
    const std::string difference = runner.Run(path, update);
    if (difference.empty()) continue;
    ++failed;
    fmt::print("FAILED {}\n{}\n", path, difference);
  }
  fmt::print("{} passed, {} failed\n", runner.count() - failed, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace hlo::testing

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: golden_test TOOL_DIR FOLDER SCRATCH_DIR\n");
    return 2;
  }
  return hlo::testing::Main(argv[1], argv[2], argv[3]);
}
