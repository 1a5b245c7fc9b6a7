// hlo: one name for all the tools. `hlo run FILE` is `hlo-run FILE`.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "parser/spelling.h"
#include "tools/tool.h"

namespace hlo::tools {
namespace {

struct Command {
  std::string_view name;
  const char* tool;
  const char* first_argument;  // before those of the user, or null
  std::string_view description;
};
constexpr Command kCommands[] = {
    {"run", "hlo-run", nullptr, "run programs"},
    {"verify", "hlo-verify", nullptr, "check them"},
    {"fmt", "hlo-fmt", nullptr, "format them"},
    {"index", "hlo-index", nullptr, "say which elements results are made of"},
    {"graph", "hlo-graph", nullptr, "draw them"},
    {"explain", "hlo-verify", "--explain", "explain a rule: hlo explain RULE"},
};

std::string Usage() {
  std::string text =
      "Reads, checks, runs and draws XLA's HLO text.\n"
      "Usage: hlo COMMAND [ARGUMENTS]\n\nCommands:\n";
  for (const Command& command : kCommands) {
    text += fmt::format("  {:<10}{}\n", command.name, command.description);
  }
  return text + "\n`hlo COMMAND --help` says more; `hlo --version` which version this is.\n";
}

int Fail(const std::string& message) {
  fmt::print(stderr, "hlo: {}\n", message);
  return kExitEnvironment;
}

// The tool that lies beside this one, or else the one that the shell would find.
std::string PathOfTool(const char* tool) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return tool;
  const std::filesystem::path beside = self.parent_path() / tool;
  return std::filesystem::exists(beside, error) ? beside.string() : tool;
}

int Run(const Command& command, int argc, char** argv) {
  const std::string path = PathOfTool(command.tool);
  std::vector<const char*> arguments = {command.tool};
  if (command.first_argument != nullptr) {
    if (argc < 3) return Fail(fmt::format("{}", command.description));
    arguments.push_back(command.first_argument);
  }
  arguments.insert(arguments.end(), argv + 2, argv + argc);
  arguments.push_back(nullptr);
  execvp(path.c_str(), const_cast<char**>(arguments.data()));
  return Fail(fmt::format("cannot start {}: {}", path, std::strerror(errno)));
}

int Main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name == "--help" || name == "-h" || name == "help") {
    fmt::print("{}", Usage());
    return kExitFine;
  }
  if (name == "--version") {
    fmt::print("{}\n", VersionText("hlo"));
    return kExitFine;
  }
  if (name.empty()) {
    fmt::print(stderr, "{}", Usage());
    return kExitEnvironment;
  }
  const auto command = std::ranges::find(kCommands, name, &Command::name);
  if (command != std::end(kCommands)) return Run(*command, argc, argv);
  std::vector<std::string_view> names;
  for (const Command& known : kCommands) names.push_back(known.name);
  return Fail(fmt::format("no command `{}`{}\n\n{}", name, DidYouMean(name, names), Usage()));
}

}  // namespace
}  // namespace hlo::tools

int main(int argc, char** argv) { return hlo::tools::Main(argc, argv); }
