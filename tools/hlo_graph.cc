// hlo-graph: draws HLO programs.
#include <fmt/format.h>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "parser/parser.h"
#include "parser/spelling.h"
#include "support/write_file.h"
#include "tools/command_line.h"
#include "tools/graph_text.h"

namespace hlo::tools {
namespace {

struct GraphFlags {
  std::string computation;  // empty: the entry, or that of `around`
  std::string around;
  int64_t depth = 2;
  std::string output;  // empty: dot text on stdout
};

class Grapher {
 public:
  Grapher(const GraphFlags& flags, Session& session) : flags_(flags), session_(session) {}

  void Draw(const std::shared_ptr<const SourceText>& source) {
    if (has_drawn_ && !flags_.output.empty()) {
      return session_.ReportEnvironment(
          fmt::format("{}: not drawn, `{}` is the place of the first program's", source->name(),
                      flags_.output));
    }
    has_drawn_ = true;
    DiagnosticSink sink(source, session_.limits());
    const std::optional<Module> module = ParseModule(source, sink);
    session_.Report(sink);
    if (!module) return;
    const std::optional<GraphOptions> options = OptionsFor(*module);
    if (options) WriteGraph(GraphText(*module, *options));
  }

 private:
  std::optional<GraphOptions> OptionsFor(const Module& module) {
    GraphOptions options{.computation = module.entry_id(), .around = {}, .depth = flags_.depth};
    if (!flags_.computation.empty()) {
      const std::optional<ComputationId> found = FindComputation(module);
      if (!found) return std::nullopt;
      options.computation = *found;
    }
    if (!flags_.around.empty()) {
      const std::optional<InstructionId> found = FindInstruction(module, options.computation);
      if (!found) return std::nullopt;
      options.around = found;
      options.computation = module.instruction(*found).computation;
    }
    return options;
  }

  std::optional<ComputationId> FindComputation(const Module& module) {
    const std::string_view name = WithoutSigil(flags_.computation);
    std::vector<std::string_view> names;
    for (size_t i = 0; i < module.computations().size(); ++i) {
      const ComputationId id(static_cast<uint32_t>(i));
      if (module.computation(id).name == name) return id;
      names.push_back(module.computation(id).name);
    }
    session_.ReportEnvironment(fmt::format("{}: no computation `{}`{}", module.source()->name(),
                                           name, DidYouMean(name, names)));
    return std::nullopt;
  }

  // In the computation that is drawn, or else the first of that name anywhere.
  std::optional<InstructionId> FindInstruction(const Module& module, ComputationId computation) {
    const std::string_view name = WithoutSigil(flags_.around);
    std::optional<InstructionId> found;
    std::vector<std::string_view> names;
    for (const Instruction& instruction : module.instructions()) {
      names.push_back(instruction.name);
      if (instruction.name != name || !instruction.computation.valid()) continue;
      const bool is_here = instruction.computation == computation;
      if (!found || is_here) found = module.id_of(instruction);
      if (is_here) break;
    }
    if (!found) {
      session_.ReportEnvironment(fmt::format("{}: no instruction `{}`{}", module.source()->name(),
                                             name, DidYouMean(name, names)));
    }
    return found;
  }

  static std::string_view WithoutSigil(std::string_view name) {
    return name.starts_with('%') ? name.substr(1) : name;
  }

  void WriteGraph(const std::string& text) {
    if (flags_.output.empty()) return session_.Write(text);
    if (flags_.output.ends_with(".svg")) return WriteSvg(text);
    const absl::Status written = WriteFileAtomically(flags_.output, text);
    if (!written.ok()) session_.ReportEnvironment(written);
  }

  // Graphviz reads the text from a file beside the picture.
  void WriteSvg(const std::string& text) {
    const std::string dot = flags_.output + ".dot";
    const absl::Status written = WriteFileAtomically(dot, text);
    if (!written.ok()) return session_.ReportEnvironment(written);
    const char* arguments[] = {"dot", "-Tsvg", "-o", flags_.output.c_str(), dot.c_str(), nullptr};
    pid_t child = 0;
    int status = -1;
    const bool is_started =
        posix_spawnp(&child, "dot", nullptr, nullptr, const_cast<char**>(arguments), environ) == 0;
    if (is_started) waitpid(child, &status, 0);
    if (is_started && status == 0) {
      std::remove(dot.c_str());
      return;
    }
    session_.ReportEnvironment(
        fmt::format("{}: {}; {} has the graph", flags_.output,
                    is_started ? "dot failed" : "there is no dot, which Graphviz brings", dot));
  }

  const GraphFlags& flags_;
  Session& session_;
  bool has_drawn_ = false;
};

constexpr std::string_view kCommonOptions[] = {"--computation", "--around", "--depth", "--output"};

const OptionNeed kNeeds[] = {{"--depth", {"--around"}}};

int Main(int argc, char** argv) {
  CLI::App app("Draws HLO programs: Graphviz text, or SVG where dot is installed.", "hlo-graph");
  CommonOptions common;
  GraphFlags flags;
  StartGroup(app, "What is drawn");
  app.add_option("--computation", flags.computation, "Draw this one instead of the entry")
      ->type_name("NAME");
  app.add_option("--around", flags.around, "Draw only what is near this instruction")
      ->type_name("NAME");
  app.add_option("--depth", flags.depth, "With --around: so many edges away")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 30))
      ->capture_default_str();
  app.add_option("-o,--output", flags.output, "A file: x.svg a picture, anything else the text")
      ->type_name("FILE");
  app.footer(
      "Examples:\n"
      "  hlo-graph model.hlo > model.dot                      the entry computation\n"
      "  hlo-graph model.hlo --around=dot.3 --depth=4 -o near.svg\n"
      "  hlo-graph dump.hlo --computation=body.17 -o body.svg");
  AddCommonOptions(app, &common);
  std::optional<int> exit_code = ParseCommandLine(app, argc, argv, kCommonOptions);
  if (!exit_code) exit_code = RefuseIdleOptions(app, kNeeds, {});
  if (exit_code) return *exit_code;
  Session session("hlo-graph", common);
  Grapher grapher(flags, session);
  session.ForEachInput([&](const InputFile& file) {
    for (const auto& source : file.sources) {
      if (!IsEmptyPart(file, *source)) grapher.Draw(source);
    }
  });
  return session.Finish();
}

}  // namespace
}  // namespace hlo::tools

int main(int argc, char** argv) { return hlo::tools::Main(argc, argv); }
