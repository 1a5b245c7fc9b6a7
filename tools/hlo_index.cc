// hlo-index: which elements of its operands each element of a result is made of.
#include <string>
#include <vector>

#include "parser/parser.h"
#include "tools/command_line.h"
#include "tools/index_flags.h"
#include "tools/index_map_text.h"
#include "tools/index_module.h"
#include "tools/tool.h"
#include "verifier/verifier.h"

namespace hlo::tools {
namespace {

void AddSelectionOptions(CLI::App& app, IndexFlags* flags) {
  StartGroup(app, "Which instructions");
  app.add_option("--instr,--instruction", flags->instructions,
                 "Instructions whose whole name matches this pattern (RE2)")
      ->type_name("REGEX");
  app.add_option("--opcode", flags->opcodes, "Instructions whose opcode matches this pattern")
      ->type_name("REGEX");
  app.add_flag("--root", flags->root, "The root of the entry computation");
  CLI::Option* from =
      app.add_option("--from", flags->from, "Maps from the index of this instruction ...")
          ->type_name("NAME");
  CLI::Option* to =
      app.add_option("--to", flags->to, "... to that of this one, through all between them")
          ->type_name("NAME");
  from->needs(to);
  to->needs(from);
}

void AddMapOptions(CLI::App& app, IndexFlags* flags) {
  StartGroup(app, "Which maps");
  app.add_option("--direction", flags->direction, "Which way maps go: out-to-in, in-to-out, both")
      ->transform(CLI::Transformer({{"o2i", "out-to-in"},
                                    {"i2o", "in-to-out"},
                                    {"output-to-input", "out-to-in"},
                                    {"input-to-output", "in-to-out"}})
                      .description(""))
      ->check(CLI::IsMember({"out-to-in", "in-to-out", "both"}))
      ->capture_default_str();
  app.add_option("--output", flags->output, "Only this element of tuple-shaped results")
      ->check(SignError);
  app.add_option("--operand", flags->operand, "Only from this operand, with --direction=in-to-out")
      ->check(SignError);
  app.add_flag(
      "--grouped", flags->grouped,
      "Everything the instruction (a fusion: its inside) is made of, not only its operands");
  app.add_flag("--by-producer", flags->by_producer,
               "Unite the maps of operands that are the same instruction");
  app.add_flag("--physical", flags->physical,
               "Indices in the order of the dimensions in memory, by the layouts");
  app.add_flag("--sound", flags->sound,
               "The exact map where XLA's is less precise, and the right one where it is wrong");
  app.add_option("--style", flags->style, "xla: what XLA prints; lines: an item a line, `floordiv`")
      ->check(CLI::IsMember({"xla", "lines"}))
      ->capture_default_str();
  app.add_flag("--json", flags->json, "Write JSON");
}

void AddAnalysisOptions(CLI::App& app, IndexFlags* flags) {
  const char* group = "What is said of the maps";
  CLI::Option* element =
      app.add_option("--element", flags->element,
                     "The elements of the operands that this element of the result, '[3,5]', is "
                     "made of")
          ->type_name("INDEX")
          ->group(group);
  app.add_flag("--why", flags->why, "With --element: through everything before the instruction")
      ->group(group)
      ->needs(element);
  app.add_flag("--utilization,--utilisation", flags->utilization,
               "How many elements of each operand are read")
      ->group(group);
  app.add_option("--coalescing", flags->coalescing,
                 "How vectors of so many (4) consecutive elements of the result read memory")
      ->expected(0, 1)
      ->default_str("4")
      ->check(SignError)
      ->group(group);
  app.add_option("--tile", flags->tile,
                 "The tile of each operand that a tile of the result, '16,32', needs")
      ->type_name("SIZES")
      ->group(group);
  app.add_flag("--symbolic-tile", flags->symbolic_tile,
               "The same for tiles of any size, as XLA prints it")
      ->group(group);
  app.add_flag("--check", flags->check,
               "Compare the maps with what changes when the instruction is run on changed elements")
      ->group(group);
}

void AddTextOptions(CLI::App& app, IndexFlags* flags) {
  const char* group = "Maps given as text";
  app.add_option("--simplify", flags->simplify, "Simplify a map")->type_name("MAP")->group(group);
  app.add_flag("--preserve-points", flags->preserve_points,
               "With --simplify: what has one value only does not become a constant")
      ->group(group);
  app.add_option("--compose", flags->compose, "Apply the first map, then the next ones")
      ->type_name("MAP")
      ->group(group)
      ->expected(2, 16);
  app.add_option("--remove-unused", flags->remove_unused, "Drop variables that nothing needs")
      ->type_name("MAP")
      ->group(group);
  app.add_option("--remove-unused-symbols", flags->remove_unused_symbols,
                 "The same for ranges and runtime variables only")
      ->type_name("MAP")
      ->group(group);
  app.add_option("--rescale", flags->rescale,
                 "Let ranges that are known modulo a number count its multiples")
      ->type_name("MAP")
      ->group(group);
  app.add_option("--print", flags->print, "Print a map as it is")->type_name("MAP")->group(group);
  app.footer(
      "Examples:\n"
      "  hlo-index module.hlo                           the maps of every instruction\n"
      "  hlo-index --root --direction=both module.hlo   of the root, both ways\n"
      "  hlo-index --instr='fusion.*' --json dump.hlo   of what matches, as JSON\n"
      "  hlo-index --from=root --to=p0 module.hlo       through everything between two\n"
      "  hlo-index --root --element='[3,5]' --why m.hlo     what one element is made of\n"
      "  hlo-index --root --utilization --coalescing m.hlo  how operands are read\n"
      "  hlo-index --root --tile=16,32 module.hlo       what a tile of the root needs\n"
      "  hlo-index --simplify='(d0) -> (d0 mod 8), domain: d0 in [0, 7]'");
}

class Indexer {
 public:
  Indexer(const IndexFlags& flags, const InstructionFilter& filter)
      : flags_(flags), filter_(filter) {}

  // Files may be given to it by several threads at a time.
  void IndexFile(const InputFile& file, Session& session) const {
    for (const auto& source : file.sources) {
      if (!IsEmptyPart(file, *source)) IndexText(source, session);
    }
  }

 private:
  // Maps are those of modules without errors; warnings are none of this tool's business.
  void IndexText(const std::shared_ptr<const SourceText>& source, Session& session) const {
    DiagnosticSink sink(source, session.limits());
    const std::optional<Module> module = ParseModule(source, sink);
    if (module) {
      VerifyOptions options;
      options.warnings = {"none"};
      options.heed_comments = false;
      Verify(*module, options, sink);
    }
    session.Report(sink);
    if (module && sink.error_count() == 0) IndexModule(*module, flags_, filter_, session);
  }

  const IndexFlags& flags_;
  const InstructionFilter& filter_;
};

constexpr std::string_view kCommonOptions[] = {
    "--instr",   "--root", "--direction", "--from",        "--to",
    "--element", "--why",  "--tile",      "--utilization", "--json"};

const OptionNeed kNeeds[] = {{"--preserve-points", {"--simplify"}}};
using Refuses = OptionMode::Refuses;
const OptionMode kModes[] = {
    {"--json", Refuses::kThese, {"--style", "--element", "--check", "--by-producer"}},
    {"--root", Refuses::kThese, {"--instr", "--opcode"}},
    {"--from",
     Refuses::kThese,
     {"--instr", "--opcode", "--root", "--direction", "--output", "--operand", "--grouped",
      "--by-producer", "--physical", "--element", "--utilization", "--coalescing", "--tile",
      "--symbolic-tile", "--check"}},
    {"--element",
     Refuses::kThese,
     {"--grouped", "--by-producer", "--physical", "--utilization", "--coalescing", "--tile",
      "--symbolic-tile", "--check", "--style"}},
    {"--check",
     Refuses::kThese,
     {"--grouped", "--by-producer", "--physical", "--utilization", "--coalescing", "--tile",
      "--symbolic-tile", "--style"}},
    {"--grouped",
     Refuses::kThese,
     {"--by-producer", "--physical", "--utilization", "--coalescing", "--tile",
      "--symbolic-tile"}}};

// Results are asked about on the way to the inputs, operands on the way back.
std::optional<int> RefuseIdleQuestion(const CLI::App& app, const IndexFlags& flags) {
  if (flags.operand && !flags.towards_outputs()) {
    return UsageError(app, "--operand has no effect without --direction=in-to-out or both");
  }
  if (flags.output && !flags.towards_inputs()) {
    return UsageError(app, "--output has no effect with --direction=in-to-out");
  }
  return std::nullopt;
}

int Main(int argc, char** argv) {
  CLI::App app("Says which elements of its operands each element of a result is made of.",
               "hlo-index");
  CommonOptions common;
  IndexFlags flags;
  AddSelectionOptions(app, &flags);
  AddMapOptions(app, &flags);
  AddAnalysisOptions(app, &flags);
  AddTextOptions(app, &flags);
  AddCommonOptions(app, &common);
  AddJobsOption(app, &common);
  std::optional<int> exit_code = ParseCommandLine(app, argc, argv, kCommonOptions);
  if (!exit_code) exit_code = RefuseIdleOptions(app, kNeeds, kModes);
  if (!exit_code) exit_code = RefuseIdleQuestion(app, flags);
  if (exit_code) return *exit_code;
  Session session("hlo-index", common);
  WorkOnMapTexts(session, flags);
  const absl::StatusOr<InstructionFilter> filter = InstructionFilter::Make(flags);
  if (!filter.ok()) {
    session.ReportEnvironment(filter.status());
  } else if (!flags.HasMapText() || !common.inputs.empty()) {
    const Indexer indexer(flags, *filter);
    session.ForEachInputAtOnce(
        [&](const InputFile& file, Session& own) { indexer.IndexFile(file, own); });
  }
  return session.Finish();
}

}  // namespace
}  // namespace hlo::tools

int main(int argc, char** argv) { return hlo::tools::Main(argc, argv); }
