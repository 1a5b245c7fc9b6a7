// hlo-verify: whether HLO text keeps the rules.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "format/unified_diff.h"
#include "parser/parser.h"
#include "parser/spelling.h"
#include "support/apply_fixes.h"
#include "support/write_file.h"
#include "tools/command_line.h"
#include "tools/input_files.h"
#include "tools/tool.h"
#include "verifier/rule_list.h"
#include "verifier/verifier.h"
#include "verifier/verify_config.h"

namespace hlo::tools {
namespace {

struct VerifyFlags {
  bool layout_sensitive = false;
  bool strict_precision = false;
  bool strict_docs = false;
  bool no_unbounded = false;
  bool no_replica_groups = false;
  bool notes = false;
  bool warnings_are_errors = false;
  bool no_config = false;
  std::vector<std::string> strict;
  std::vector<std::string> lint;
  std::vector<std::string> warn;
  std::vector<std::string> select;
  std::vector<std::string> ignore;
  std::string target;
  std::optional<uint32_t> replicas;
  std::optional<uint32_t> partitions;

  std::string explain;
  bool list_rules = false;
  std::string format = "text";
  bool fix = false;
  bool diff = false;
};

std::string StrictHelp() {
  std::string help = "Options that targets may turn on, or all:";
  for (int i = 0; i < kStrictOptionCount; ++i) {
    const StrictOptionInfo& info = GetStrictOptionInfo(static_cast<StrictOption>(i));
    help += fmt::format("\n  {}: {}", info.text, info.help);
  }
  return help;
}

void AddDeviceOptions(CLI::App& app, VerifyFlags* flags) {
  app.add_option("--num-replicas,--replicas,--num_replicas", flags->replicas,
                 "Replicas that run a module whose header does not say how many")
      ->check(SignError);
  app.add_option("--num-partitions,--partitions,--num_partitions", flags->partitions,
                 "Partitions that run a module whose header does not say how many")
      ->check(SignError);
}

void AddModeOptions(CLI::App& app, VerifyFlags* flags) {
  StartGroup(app, "Which rules run");
  app.add_flag("--layout-sensitive", flags->layout_sensitive,
               "Layouts take part wherever shapes are compared");
  app.add_flag("--strict-precision", flags->strict_precision,
               "Mixed float types are errors, as for XLA, not warnings");
  app.add_flag("--strict-docs", flags->strict_docs,
               "What the documents demand and XLA does not check is an error, not a warning");
  app.add_flag("--no-unbounded", flags->no_unbounded,
               "Unbounded dimensions, `?`, are errors, as for XLA, not warnings");
  app.add_option("--target", flags->target,
                 "The modes of a target: xla, what XLA's verifier has by default")
      ->check(CLI::IsMember({"xla"}));
  AddDeviceOptions(app, flags);
  app.add_flag("--no-replica-groups", flags->no_replica_groups, "Do not check replica groups");
  app.add_option("--strict", flags->strict, StrictHelp())
      ->type_name("OPTIONS")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--lint", flags->lint, "Groups of hints: perf")
      ->type_name("GROUPS")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void AddReportOptions(CLI::App& app, VerifyFlags* flags) {
  StartGroup(app, "Which findings are shown");
  app.add_flag("--notes", flags->notes, "Report notes too");
  app.add_option("--warn", flags->warn,
                 "Warnings on and off, read in order: all, none, RULE, no-RULE")
      ->type_name("RULES")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("--Werror,--warnings-as-errors", flags->warnings_are_errors,
               "Warnings are errors (also -Werror)");
  app.add_option("--select", flags->select,
                 "Report these rules only: an id (fusion.kind), a group (fusion), all")
      ->type_name("RULES")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--ignore", flags->ignore, "Never report these rules")
      ->type_name("RULES")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("--no-config", flags->no_config, "Do not look for .hlo-verify.json");
}

void AddActionOptions(CLI::App& app, VerifyFlags* flags) {
  StartGroup(app, "Other work than checking");
  app.add_option("--explain", flags->explain,
                 "Say what a rule (fusion.kind) means, with examples, or the rules of a group "
                 "(fusion)")
      ->type_name("RULE");
  app.add_flag("--list-rules", flags->list_rules, "List the rules");
  app.add_option("--format", flags->format, "How --list-rules writes: text, json, markdown")
      ->check(CLI::IsMember({"text", "json", "markdown"}));
  app.add_flag("--fix", flags->fix, "Correct in the files what is safe to correct");
  app.add_flag("--diff", flags->diff, "Show on stdout what --fix would change; change nothing");
  app.footer(
      "Examples:\n"
      "  hlo-verify module.hlo                         all findings, with positions\n"
      "  hlo-verify --target=xla -Werror dumps/        every HLO file below dumps/\n"
      "  hlo-verify --diff module.hlo                  safe corrections as a diff\n"
      "  hlo-verify --explain=fusion.param-count       a rule in words and examples\n"
      "  hlo-verify --diagnostics=github *.hlo         annotations for a pull request\n\n"
      "A comment `// hlo-verify: allow(RULE)` silences a rule: on its line, on the next line "
      "when\nit stands alone, everywhere when it stands before the module.");
}

// What the command line adds to the configuration.
absl::Status AddFlags(const VerifyFlags& flags, const CommonOptions& common,
                      VerifyOptions* options) {
  options->modes.layout_sensitive |= flags.layout_sensitive;
  options->modes.strict_precision |= flags.strict_precision;
  options->modes.strict_docs |= flags.strict_docs;
  options->modes.allow_unbounded &= !flags.no_unbounded;
  options->check_replica_groups &= !flags.no_replica_groups;
  options->notes |= flags.notes;
  options->warnings_are_errors |= flags.warnings_are_errors;
  if (common.max_errors) options->limits.errors = *common.max_errors;
  if (common.max_warnings) options->limits.warnings = *common.max_warnings;
  if (flags.replicas) options->devices.replicas = *flags.replicas;
  if (flags.partitions) options->devices.partitions = *flags.partitions;
  absl::Status status;
  if (!flags.target.empty()) status.Update(SetTarget(flags.target, options));
  for (const std::string& name : flags.strict) status.Update(SetStrictOption(name, options));
  for (const std::string& name : flags.lint) status.Update(SetLint(name, options));
  for (const std::string& p : flags.warn) status.Update(AddPattern(p, true, &options->warnings));
  for (const std::string& p : flags.select) status.Update(AddPattern(p, false, &options->select));
  for (const std::string& p : flags.ignore) status.Update(AddPattern(p, false, &options->ignore));
  return status;
}

class Verifier {
 public:
  Verifier(const VerifyFlags& flags, const CommonOptions& common)
      : flags_(flags), common_(common) {}

  // Files may be given to it by several threads at a time.
  void VerifyFile(const InputFile& file, Session& session) {
    const VerifyOptions* options = OptionsFor(file.path, session);
    if (options == nullptr) return;
    if (flags_.fix || flags_.diff) return FixFile(file, *options, session);
    for (const auto& source : file.sources) {
      if (IsEmptyPart(file, *source)) continue;
      const TextFindings found = VerifySource(source, *options);
      session.Report(found.findings, found.hidden);
    }
  }

 private:
  static TextFindings VerifySource(const std::shared_ptr<const SourceText>& source,
                                   const VerifyOptions& options) {
    DiagnosticSink sink(source, ParserLimits(options.limits));
    const RecoveredModule recovered = RecoverModule(source, sink);
    return VerifyText(recovered, options, {sink.TakeDiagnostics(), sink.hidden()});
  }

  // Warnings of the parser can be silenced: more of them are kept than are shown.
  static DiagnosticLimits ParserLimits(DiagnosticLimits limits) {
    constexpr int64_t kLeast = 10'000;
    if (limits.warnings > 0) limits.warnings = std::max(limits.warnings, kLeast);
    return limits;
  }

  // A text with its findings.
  struct Checked {
    std::shared_ptr<const SourceText> source;
    TextFindings found;

    int64_t error_count() const {
      return std::ranges::count(found.findings, Severity::kError, &Diagnostic::severity) +
             found.hidden.errors;
    }
  };

  // Corrections hang on the findings that are shown, of which there are more than --max-errors;
  // what is beyond these limits is corrected in a further round. With --diff the text is still the
  // old one, and so are the findings.
  void FixFile(const InputFile& file, const VerifyOptions& options, Session& session) const {
    VerifyOptions all = options;
    all.limits = {.errors = kFixedAtOnce, .warnings = kFixedAtOnce};
    std::string fixed;
    for (const auto& source : file.sources) {
      if (source != file.sources.front()) fixed += "// -----\n";
      if (IsEmptyPart(file, *source)) {
        fixed += source->text();
        continue;
      }
      Checked before{source, VerifySource(source, all)};
      Checked after = FixedAsFarAsSafe(before, all);
      fixed += after.source->text();
      TextFindings& found = flags_.diff ? before.found : after.found;
      found.hidden += Truncate(options.limits, found.findings);
      session.Report(found.findings, found.hidden);
    }
    Deliver(file, fixed, session);
  }

  // One correction may call for the next, of what uses the corrected instruction. The outcome
  // counts only where no error is left that is not in `before`, or fewer are.
  static Checked FixedAsFarAsSafe(const Checked& before, const VerifyOptions& options) {
    constexpr int kMaxRounds = 64;
    Checked now = before;
    for (int round = 0; round < kMaxRounds; ++round) {
      std::string text = ApplyFixes(now.source->text(), now.found.findings);
      if (text == now.source->text()) break;
      now.source = std::make_shared<const SourceText>(before.source->name(), std::move(text),
                                                      before.source->first_line());
      now.found = VerifySource(now.source, options);
    }
    const bool is_safe = now.error_count() < before.error_count() || !HasNewError(before, now);
    return is_safe ? now : before;
  }

  static bool HasNewError(const Checked& before, const Checked& after) {
    absl::flat_hash_set<std::pair<std::string_view, std::string_view>> known;
    for (const Diagnostic& finding : before.found.findings) {
      known.insert({finding.rule, finding.message});
    }
    return std::ranges::any_of(after.found.findings, [&](const Diagnostic& finding) {
      return finding.severity == Severity::kError &&
             !known.contains({finding.rule, finding.message});
    });
  }

  // The options for a file: the configuration nearest to it and the command line. Null after an
  // error, which is reported once for each configuration.
  const VerifyOptions* OptionsFor(const std::string& path, Session& session) {
    std::string config;
    if (!flags_.no_config) config = FindVerifyConfig(path == "-" ? "./-" : path).value_or("");
    std::lock_guard lock(mutex_);
    auto [known, is_new] = options_.try_emplace(config);
    if (is_new) {
      VerifyOptions options;
      absl::Status status = ReadConfig(config, &options);
      if (status.ok()) status = AddFlags(flags_, common_, &options);
      if (status.ok()) {
        known->second = options;
      } else {
        known->second = status;
      }
    }
    if (known->second.ok()) return &*known->second;
    session.ReportEnvironmentOnce(std::string(known->second.status().message()));
    return nullptr;
  }

  static absl::Status ReadConfig(const std::string& path, VerifyOptions* options) {
    if (path.empty()) return absl::OkStatus();
    absl::StatusOr<std::string> text = ReadInput(path, /*max_byte_size=*/1 << 20);
    if (!text.ok()) return text.status();
    return ReadVerifyConfig(path, *text, options);
  }

  void Deliver(const InputFile& file, const std::string& fixed, Session& session) const {
    if (fixed == file.text) return;
    if (flags_.diff) session.AddFinding();
    if (flags_.diff || file.path == "-") {
      session.Write(flags_.diff ? UnifiedDiff(file.name, file.text, file.name + " (fixed)", fixed,
                                              {.color = session.color_stdout()})
                                : fixed);
    } else if (file.path.ends_with(".gz")) {
      session.ReportEnvironment(file.path + ": compressed files are not rewritten");
    } else if (absl::Status status = WriteFileAtomically(file.path, fixed); !status.ok()) {
      session.ReportEnvironment(status);
    } else {
      session.Note("fixed " + file.path);
    }
  }

  static constexpr int64_t kFixedAtOnce = 100'000;
  const VerifyFlags& flags_;
  const CommonOptions& common_;
  std::mutex mutex_;
  std::map<std::string, absl::StatusOr<VerifyOptions>> options_;  // by configuration
};

int Explain(Session& session, const std::string& id) {
  if (std::optional<Rule> rule = FindRule(id)) {
    session.Write(ExplainRule(*rule));
  } else if (const std::string group = ExplainGroup(id); !group.empty()) {
    session.Write(group);
  } else {
    std::vector<std::string_view> ids = RuleGroups();
    for (int i = 0; i < kRuleCount; ++i) ids.push_back(RuleId(static_cast<Rule>(i)));
    session.ReportEnvironment(
        fmt::format("no rule `{}`{}; --list-rules lists them", id, DidYouMean(id, ids)));
  }
  return session.Finish();
}

int ListRules(Session& session, std::string_view format) {
  if (format == "json") {
    session.Write(RuleListJson());
  } else {
    session.Write(format == "markdown" ? RuleListMarkdown() : RuleListText());
  }
  return session.Finish();
}

// What SARIF says of the rules; nothing is made for other formats.
std::vector<RuleDescription> DescribeRules(std::string_view format) {
  std::vector<RuleDescription> rules;
  if (ParseDiagnosticFormat(format) != DiagnosticFormat::kSarif) return rules;
  for (int i = 0; i < kRuleCount; ++i) {
    const RuleInfo& info = GetRuleInfo(static_cast<Rule>(i));
    rules.push_back({std::string(info.id), info.text, ExplainRule(static_cast<Rule>(i))});
  }
  const RuleDescription result_shape = rules[static_cast<size_t>(Rule::kResultShape)];
  for (int i = 0; i < kOpcodeCount; ++i) {
    rules.push_back(result_shape);
    rules.back().id = ResultShapeId(static_cast<Opcode>(i));
  }
  return rules;
}

// Compilers spell this flag with one dash.
std::vector<char*> WithLongWerror(int argc, char** argv) {
  static char long_flag[] = "--Werror";
  std::vector<char*> arguments(argv, argv + argc);
  for (char*& argument : arguments) {
    if (std::string_view(argument) == "-Werror") argument = long_flag;
  }
  return arguments;
}

constexpr std::string_view kCommonOptions[] = {
    "--explain", "--list-rules", "--fix",    "--diff",   "--warnings-as-errors",
    "--warn",    "--select",     "--ignore", "--target", "--diagnostics"};

const OptionNeed kNeeds[] = {{"--format", {"--list-rules"}}};
using Refuses = OptionMode::Refuses;
const OptionMode kModes[] = {{"--explain", Refuses::kAllBut, {}},
                             {"--list-rules", Refuses::kAllBut, {"--format"}},
                             {"--diff", Refuses::kThese, {"--fix"}}};

int Main(int argc, char** argv) {
  CLI::App app("Checks HLO text: every rule, all findings at once.", "hlo-verify");
  CommonOptions common;
  VerifyFlags flags;
  AddActionOptions(app, &flags);
  AddReportOptions(app, &flags);
  AddModeOptions(app, &flags);
  AddCommonOptions(app, &common);
  AddJobsOption(app, &common);
  std::vector<char*> arguments = WithLongWerror(argc, argv);
  std::optional<int> exit_code = ParseCommandLine(app, argc, arguments.data(), kCommonOptions);
  if (!exit_code) exit_code = RefuseIdleOptions(app, kNeeds, kModes);
  if (exit_code) return *exit_code;
  std::vector<RuleDescription> rules = DescribeRules(common.diagnostics);
  Session session("hlo-verify", common, rules);
  if (!flags.explain.empty()) return Explain(session, flags.explain);
  if (flags.list_rules) return ListRules(session, flags.format);
  Verifier verifier(flags, common);
  session.ForEachInputAtOnce(
      [&](const InputFile& file, Session& own) { verifier.VerifyFile(file, own); });
  return session.Finish();
}

}  // namespace
}  // namespace hlo::tools

int main(int argc, char** argv) { return hlo::tools::Main(argc, argv); }
