// hlo: one name for all the tools. `hlo run FILE` is `hlo-run FILE`.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "parser/spelling.h"
#include "tools/command_doc.h"
#include "tools/tool.h"

namespace hlo::tools {
namespace {

CommandDoc Describe() {
  const auto commands = Subcommands();
  return {.name = "hlo",
          .description = "Reads, checks, runs and draws XLA's HLO text.",
          .arguments = "COMMAND [ARGUMENTS]",
          .examples = "`hlo COMMAND --help` says more; `hlo --version` which version this is.",
          .commands = {commands.begin(), commands.end()}};
}

std::string Usage() { return HelpText(Describe(), /*shows_all=*/true, /*width=*/80); }

int Fail(const std::string& message) {
  fmt::print(stderr, "hlo: {}\n", message);
  return kExitEnvironment;
}

// The tool that lies beside this one, or else the one that the shell would find.
std::string PathOfTool(const std::string& tool) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return tool;
  const std::filesystem::path beside = self.parent_path() / tool;
  return std::filesystem::exists(beside, error) ? beside.string() : tool;
}

int Run(const SubcommandDoc& command, int argc, char** argv) {
  const std::string tool(command.tool);
  const std::string path = PathOfTool(tool);
  std::vector<const char*> arguments = {tool.c_str()};
  if (command.takes_rule) {
    if (argc < 3) return Fail(std::string(command.description));
    arguments.push_back("--explain");
  }
  arguments.insert(arguments.end(), argv + 2, argv + argc);
  arguments.push_back(nullptr);
  execvp(path.c_str(), const_cast<char**>(arguments.data()));
  return Fail(fmt::format("cannot start {}: {}", path, std::strerror(errno)));
}

// What is asked of `hlo` itself; nothing when it is none of that.
std::optional<std::string> OwnAnswer(std::string_view option) {
  constexpr std::string_view kGenerate = "--generate=";
  if (option == "--help" || option == "--help-all" || option == "-h" || option == "help") {
    return Usage();
  }
  if (option == "--version") return VersionText("hlo") + "\n";
  if (!option.starts_with(kGenerate)) return std::nullopt;
  return GenerateDocument(Describe(), option.substr(kGenerate.size()));
}

int Main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name.empty()) {
    fmt::print(stderr, "{}", Usage());
    return kExitEnvironment;
  }
  if (const std::optional<std::string> answer = OwnAnswer(name)) {
    return PrintToStdout("hlo", *answer);
  }
  const auto commands = Subcommands();
  const auto command = std::ranges::find(commands, name, &SubcommandDoc::name);
  if (command != commands.end()) return Run(*command, argc, argv);
  std::vector<std::string_view> names;
  for (const SubcommandDoc& known : commands) names.push_back(known.name);
  return Fail(fmt::format("no command `{}`{}\n\n{}", name, DidYouMean(name, names), Usage()));
}

}  // namespace
}  // namespace hlo::tools

int main(int argc, char** argv) { return hlo::tools::Main(argc, argv); }
