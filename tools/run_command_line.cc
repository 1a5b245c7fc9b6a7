// Options are added in the groups that help shows, XLA's spellings as further names. Checks see one
// value; what takes several options or the terminal to know waits for Complete. Options without
// effect are refused last (run_idle_options.cc).
#include "tools/run_command_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "interp/backends.h"
#include "interp/run_limits.h"
#include "interp/simd/instruction_set.h"
#include "support/thread_pool.h"
#include "tools/run_idle_options.h"
#include "tools/run_option_checks.h"
#include "values/value_files.h"

namespace hlo::tools {
namespace {

// Flags of XLA's run_hlo_module that say nothing here, and what does.
struct IgnoredFlag {
  const char* name;
  std::string_view instead;
};
constexpr IgnoredFlag kIgnoredFlags[] = {
    {"--platform", "--backend says who evaluates"},
    {"--reference_platform", "--reference_backend compares with another backend"},
};

void AddIgnoredOptions(CLI::App& app) {
  StartGroup(app, "Of XLA's run_hlo_module");
  for (const IgnoredFlag& flag : kIgnoredFlags) {
    app.add_option(flag.name, "XLA's, without a meaning here: a note says so")->type_name("TEXT");
  }
}

void AddInputOptions(CLI::App& app, RunCommandLine* options) {
  StartGroup(app, "Inputs");
  InputOptions& input = options->run.input;
  app.add_option("--input", input.inputs,
                 "[NAME=]VALUE, by position or parameter name; VALUE is @x.npy, @x.npz, "
                 "f32[2]={1,2}, {1,2}, 2x3xf32=0.5, 0.5, a printed result, or a kind of --fake")
      ->type_name("[NAME=]VALUE")
      ->allow_extra_args(false);
  CLI::Option* archive =
      app.add_option("--inputs", input.archive,
                     "@args.npz or @directory: arrays by parameter name or number")
          ->type_name("FILE");
  app.add_option("--input_literals_file,--input-literals-file", input.literals_file,
                 "Typed literals, one for each parameter in order")
      ->type_name("FILE")
      ->excludes(archive);
  app.add_option("--cast", options->cast,
                 "Values of another element type, also of --expect: converted when none changes, "
                 "always, or never")
      ->check(IsOneOf(CastRuleNames()))
      ->capture_default_str();
  app.add_option("--fake", options->fake, "How inputs that are not given are made")
      ->check(IsOneOf(FakeKindNames()))
      ->capture_default_str();
  app.add_option("--random_seed,--random-seed", input.seed, "Seed of inputs and rng instructions")
      ->check(SeedError)
      ->capture_default_str();
}

void AddFeedOptions(CLI::App& app, RunCommandLine* options) {
  FeedOptions& feeds = options->run.feeds;
  app.add_option("--infeed", feeds.infeed,
                 "An item of the infeed queue, repeatable: a VALUE as for --input")
      ->type_name("VALUE")
      ->allow_extra_args(false);
  app.add_option("--outfeed", feeds.outfeed, "@x.npz, @x.npy or @directory: what was sent there")
      ->type_name("FILE")
      ->check(OutputFileError);
  app.add_option("--from-host", feeds.from_host,
                 "CHANNEL=VALUE, repeatable: an item for recv from the host")
      ->type_name("CHANNEL=VALUE")
      ->allow_extra_args(false);
  app.add_option("--to-host", feeds.to_host,
                 "@x.npz, @x.npy or @directory: what was sent to the host")
      ->type_name("FILE")
      ->check(OutputFileError);
}

std::vector<std::string> BackendNames() {
  std::vector<std::string> names;
  for (const Backend& backend : Backends()) names.emplace_back(backend.name);
  return names;
}

std::vector<std::string> PassNames() {
  std::vector<std::string> names;
  for (const PlanPass& pass : PlanPasses()) names.emplace_back(pass.name);
  return names;
}

void AddRunOptions(CLI::App& app, RunCommandLine* options) {
  StartGroup(app, "How it runs");
  RunOptions& run = options->run;
  app.add_option("--backend", run.backend, "Who evaluates")
      ->check(CLI::IsMember(BackendNames()))
      ->capture_default_str();
  app.add_option("--threads", run.threads,
                 "Threads of the simd backend, whose results do not depend on it; default: one for "
                 "each processor")
      ->check(CLI::Range(int64_t{1}, int64_t{1024}));
  app.add_option("--isa", run.isa,
                 "Instruction set of the simd backend; default: the best there is")
      ->check(IsOneOf(simd::InstructionSetNames()));
  app.add_option(
         "--onednn", run.onednn,
         "Which dots and convolutions the simd backend leaves to oneDNN, if that is there: those "
         "that it does faster (auto), none (never), all that it can do (always)")
      ->check(CLI::IsMember({"auto", "never", "always"}))
      ->capture_default_str();
  app.add_flag("--list-backends", options->list_backends, "List the backends and end");
  app.add_flag("--print-plan{place}", run.print_plan,
               "Print steps and buffers instead of running: the finished plan, or with =PASS as it "
               "is after one of the passes that make it")
      ->check(CLI::IsMember(PassNames()));
  app.add_option("--repeat,--iterations", run.repeat, "Run that often and report times")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  app.add_option("--max-memory,--memory-limit", run.max_memory,
                 "Refuse to run beyond this (such as 4GB); default 90 % of the machine's")
      ->type_name("SIZE")
      ->check(SignError)
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--custom-call-lib", run.custom_call_libraries,
                 "A shared library with custom-call targets: void target(void* out, const void** "
                 "in)")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--unknown-custom-calls", run.unknown_custom_calls,
                 "What targets give that nobody implements")
      ->check(CLI::IsMember({"error", "zeros"}))
      ->capture_default_str();
  app.add_option("--time-limit", run.time_limit, "Stop a run that takes more seconds")
      ->type_name("SECONDS")
      ->check(TimeLimitError);
  app.add_option("--max-iterations", run.max_iterations, "Stop a while loop after this many")
      ->check(SignError);
  app.add_option("--max-work", run.max_work,
                 "Stop a run before a step that takes it beyond so many element operations")
      ->check(SignError);
}

void AddDeviceOptions(CLI::App& app, RunCommandLine* options) {
  StartGroup(app, "Several participants");
  DeviceOptions& devices = options->run.devices;
  const CLI::Range counts(int64_t{1}, ReplicaRun::kMaxParticipants);
  app.add_option("--replicas,--num_replicas,--num-replicas", devices.replicas,
                 "Replicas that run the program; default: what its header or its collectives say")
      ->check(counts);
  app.add_option("--partitions,--num_partitions,--num-partitions", devices.partitions,
                 "Partitions of each replica; default the same")
      ->check(counts);
  app.add_option("--transport", devices.transport,
                 "What joins participants: threads of this process, or with mpi also the processes "
                 "that mpirun has started")
      ->check(CLI::IsMember({"threads", "mpi"}))
      ->capture_default_str();
  app.add_option("--device-assignment", devices.assignment,
                 "The device of each participant, partitions of replica 0 first, such as 3,2,1,0: "
                 "what {device} stands for")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40));
  app.add_flag("--shard-inputs", options->run.input.are_cut,
               "What is given for a parameter is whole: each partition gets the tile that the "
               "parameter's sharding says, with zeros behind sizes that it does not divide");
  app.add_flag("--unshard-outputs", options->run.joins_results,
               "Put the tiles of the result together as its sharding says");
  app.add_option("--collective-timeout", devices.timeout,
                 "End a run in which participants wait and nobody has come for so many seconds; 0: "
                 "never; default: a note after 10 seconds, once, says who waits for whom")
      ->type_name("SECONDS")
      ->check(WaitLimitError);
  app.add_option("--only", options->run.only,
                 "Run the instructions and computations whose names match this pattern, each alone "
                 "on generated operands")
      ->type_name("REGEX")
      ->check(PatternError);
  app.add_option("--only-participants", options->run.only_limits.participants,
                 "With --only: cut the groups of collectives down to so many participants")
      ->check(counts);
  app.add_option("--only-size", options->run.only_limits.dimension,
                 "With --only: cut the dimensions of collectives down to this size")
      ->check(CLI::Range(int64_t{1}, INT64_MAX));
}

void AddOutputOptions(CLI::App& app, RunCommandLine* options) {
  StartGroup(app, "Results");
  RunOptions& run = options->run;
  app.add_flag("--print_literals,--print-literals", run.print_literals, "Print the inputs too");
  app.add_option("--max-print", options->max_print,
                 "Of arrays with more elements three at each end of a dimension are printed; 0 or "
                 "all: in full; default 1000 on a terminal, else all")
      ->type_name("N")
      ->check(MaxPrintError);
  app.add_flag("--print-memory{elements}", options->memory_form,
               "Print the result as its layout has it in memory: elements, or bytes")
      ->check(CLI::IsMember({"elements", "bytes"}));
  app.add_option("--padded-dimensions", options->memory.padded_dimensions,
                 "With --print-memory, the older layout form: padded sizes, such as 3,5")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 60));
  constexpr std::span kPaddingValues = EnumTexts<PaddingValue>::kTexts;
  app.add_option("--padding-value", options->padding_value,
                 "With --padded-dimensions: what stands outside the array")
      ->check(IsOneOf(kPaddingValues.subspan(1)))  // all but INVALID_PAD
      ->capture_default_str();
  app.add_option("--output", options->outputs,
                 "@x.npz, @x.npy, @x.json, @x.csv or @directory/: the result as a file; json or "
                 "text: how it is printed")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->check(OutputError);
  app.add_option("--upcast", options->upcast, "With --output: floats that numpy lacks as this type")
      ->check(CLI::IsMember({"f32"}));
  app.add_option("--expect", run.expect,
                 "@x.npz, @x.npy or @directory: compare the result; exit 1 if it differs")
      ->type_name("FILE");
  app.add_option("--reference_backend,--reference-backend", run.reference_backend,
                 "Compare the result with this backend's")
      ->check(CLI::IsMember(BackendNames()));
  app.add_option("--ulp", run.tolerance.ulp,
                 "Tolerance in units in the last place; default by type, 0 with --atol or --rtol")
      ->check(SignError);
  app.add_option("--atol,--abs_error_bound", run.tolerance.absolute, "Absolute tolerance")
      ->check(ToleranceError);
  app.add_option("--rtol,--rel_error_bound", run.tolerance.relative, "Relative tolerance")
      ->check(ToleranceError);
  app.add_option("--max-report", run.max_report, "Report at most so many differing arrays")
      ->check(SignError)
      ->capture_default_str();
}

void AddInspectionOptions(CLI::App& app, RunCommandLine* options) {
  StartGroup(app, "Looking inside");
  InspectionOptions& inspection = options->run.inspection;
  app.add_flag("--trace{.*}", options->trace,
               "--trace=REGEX: statistics of every value whose name matches; without REGEX of all")
      ->type_name("REGEX")
      ->check(PatternError);
  app.add_flag(
         "--first-nan{nan}", inspection.first_nan,
         "Stop at the first instruction that makes a NaN, or takes one that came from outside; "
         "=inf: or an infinity")
      ->check(CLI::IsMember({"nan", "inf"}));
  app.add_option("--repro-out", inspection.repro_out,
                 "With --first-nan: that instruction as a program")
      ->type_name("FILE");
  app.add_option("--dump", inspection.dumps, "REGEX:DIR, values as npy files")
      ->type_name("REGEX")
      ->allow_extra_args(false)
      ->check(DumpError);
  app.add_flag("--estimate{text}", options->run.estimate,
               "Print memory, operations and bytes instead of running, and the ten most expensive "
               "instructions; =json: for scripts")
      ->check(CLI::IsMember({"text", "json"}));
  app.add_flag("--profile", inspection.profile,
               "Print where the time goes, and how near to the machine's limit it is used");
  app.add_option("--profile-out,--trace-out", inspection.profile_out,
                 "A trace for chrome://tracing or Perfetto")
      ->type_name("FILE");
}

// How many values are to come from stdin.
int64_t CountValuesFromStdin(const RunCommandLine& options) {
  const RunOptions& run = options.run;
  int64_t count = 0;
  const auto is_stdin = [](const std::string& value) {
    return value == "@-" || value.ends_with("=@-");
  };
  for (const std::vector<std::string>* values :
       {&run.input.inputs, &run.feeds.infeed, &run.feeds.from_host}) {
    count += std::ranges::count_if(*values, is_stdin);
  }
  for (const std::string* file : {&run.input.archive, &run.input.literals_file, &run.expect}) {
    count += PathOf(*file) == "-";
  }
  return count;
}

// Whether more than one of program and values is to come from stdin.
bool ReadsStdinTwice(const RunCommandLine& options) {
  const std::vector<std::string>& programs = options.common.inputs;
  const int64_t count = programs.empty() ? 1 : std::ranges::count(programs, "-");
  return count + CountValuesFromStdin(options) > 1;
}

constexpr std::string_view kCommonOptions[] = {
    "--input",  "--inputs", "--backend",   "--replicas", "--partitions",
    "--output", "--expect", "--first-nan", "--trace",    "--profile"};

}  // namespace

void AddRunCommandLine(CLI::App& app, RunCommandLine* options) {
  AddInputOptions(app, options);
  AddFeedOptions(app, options);
  AddRunOptions(app, options);
  AddDeviceOptions(app, options);
  AddOutputOptions(app, options);
  AddInspectionOptions(app, options);
  AddIgnoredOptions(app);
  AddCommonOptions(app, &options->common);
  AddJobsOption(app, &options->common,
                ", each in a process of its own with its share of --threads and --max-memory; "
                "default: 1, for each run has all processors");
  app.footer(
      "Examples:\n"
      "  hlo-run model.hlo                               generated inputs\n"
      "  hlo-run model.hlo --input=@x.npy --input=y=zeros --output=@out.npz\n"
      "  hlo-run model.hlo --inputs=@args.npz --expect=@out.npz --rtol=1e-4\n"
      "  hlo-run model.hlo --first-nan --repro-out=case.hlo\n"
      "  hlo-run model.hlo --replicas=2 --input=@x.{device}.npy --output=@y.{device}.npy");
}

std::span<const std::string_view> CommonRunOptions() { return kCommonOptions; }

std::optional<int> Complete(const CLI::App& app, RunCommandLine* options) {
  RunOptions& run = options->run;
  if (app.count("--trace") > 0) run.inspection.trace = options->trace;
  run.input.fake = *ParseFakeKind(options->fake);
  run.input.cast = *ParseCastRule(options->cast);
  run.input.is_fake_asked = app.count("--fake") > 0;
  constexpr int64_t kTerminalPrint = 1000;  // as numpy
  // mpirun gives its first process a terminal, wherever the output goes.
  const bool is_terminal = run.devices.transport != "mpi" && isatty(STDOUT_FILENO) != 0;
  const int64_t default_max_print = is_terminal ? kTerminalPrint : 0;
  run.max_print = ParseMaxPrint(options->max_print).value_or(default_max_print);
  if (app.count("--print-memory") > 0) {
    options->memory.as_bytes = options->memory_form == "bytes";
    options->memory.max_print = run.max_print;
    options->memory.padding_value = *ParseEnum<PaddingValue>(options->padding_value);
    run.print_memory = options->memory;
  }
  run.upcast = !options->upcast.empty();
  for (const std::string& output : options->outputs) {
    if (output == "json") run.print_json = true;
    if (!IsOutputForm(output)) run.outputs.push_back(output);
  }
  if (run.print_json && std::ranges::count(options->outputs, "text") > 0) {
    return UsageError(app, "the result is printed as --output=json or --output=text");
  }
  if (ReadsStdinTwice(*options)) {
    return UsageError(app, "only one of the program and the values can come from stdin");
  }
  if (run.devices.transport == "mpi" && CountValuesFromStdin(*options) > 0) {
    return UsageError(app, "values do not come from stdin under --transport=mpi");
  }
  if (run.input.are_cut && run.input.VariesWithDevice()) {
    return UsageError(app, fmt::format("inputs are cut by --shard-inputs, or {} names each one's",
                                       kDevicePlaceholder));
  }
  return RefuseIdleRunOptions(app, options->common, run);
}

void ShareMachine(RunCommandLine* options) {
  const int64_t jobs = options->common.jobs;
  if (jobs <= 1) return;
  RunOptions& run = options->run;
  if (run.threads == 0) run.threads = std::max<int64_t>(ThreadPool::ProcessorCount() / jobs, 1);
  if (run.max_memory == 0) run.max_memory = static_cast<uint64_t>(DefaultMemoryLimit() / jobs);
}

void NoteIgnoredFlags(const CLI::App& app, Session& session) {
  for (const IgnoredFlag& flag : kIgnoredFlags) {
    if (app.count(flag.name) == 0) continue;
    session.Note(fmt::format("{} has no meaning here, {}", flag.name, flag.instead));
  }
}

}  // namespace hlo::tools
