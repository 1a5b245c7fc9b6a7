// Times a program on the simd backend for somebody who asks in turns:
//   time_program FILE [--fresh] [--threads=N] [--isa=NAME]
// The inputs are generated. Each number that is read from stdin is a count of runs; the answer is a
// line with their median in milliseconds. The inputs of all runs are the same and count as such, so
// kernels keep what they make of weights; with --fresh they make it in every run. --isa is that of
// hlo-run.
#include <charconv>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/peers/timed_loop.h"
#include "interp/arguments.h"
#include "interp/executor.h"
#include "interp/make_plan.h"
#include "interp/simd/instruction_set.h"
#include "parser/parser.h"
#include "support/render_diagnostic.h"

namespace hlo {
namespace {

struct Options {
  std::string file;
  bool is_fresh = false;
  int threads = ThreadPool::ProcessorCount();
};

std::optional<Options> ReadOptions(int argc, char** argv) {
  constexpr std::string_view kThreads = "--threads=", kIsa = "--isa=";
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view text = argv[i];
    if (text == "--fresh") {
      options.is_fresh = true;
    } else if (text.starts_with(kThreads)) {
      const std::string_view count = text.substr(kThreads.size());
      const auto parsed =
          std::from_chars(count.data(), count.data() + count.size(), options.threads);
      if (parsed.ptr != count.data() + count.size() || options.threads < 1) return std::nullopt;
    } else if (text.starts_with(kIsa)) {
      if (!simd::ForceInstructionSet(text.substr(kIsa.size()))) return std::nullopt;
    } else if (text.starts_with("--") || !options.file.empty()) {
      return std::nullopt;
    } else {
      options.file = text;
    }
  }
  if (options.file.empty()) return std::nullopt;
  return options;
}

// What went wrong, on one line: the other side waits for one.
int Fail(const std::string& reason) {
  std::cout << "missing " << reason << std::endl;
  return 1;
}

int Fail(const DiagnosticSink& sink) {
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    if (diagnostic.severity == Severity::kError) return Fail(diagnostic.message);
  }
  return Fail("not a program");
}

int Time(const Options& options) {
  std::ifstream file(options.file, std::ios::binary);
  if (!file) return Fail("cannot read " + options.file);
  auto source = std::make_shared<const SourceText>(
      options.file, std::string(std::istreambuf_iterator<char>(file), {}));
  DiagnosticSink sink(source);
  std::optional<Module> module = ParseModule(source, sink);
  if (!module) return Fail(sink);
  const std::optional<RunnableModule> runnable = RunnableModule::Verify(*module, sink);
  if (!runnable) return Fail(sink);
  const auto arguments = ArgumentGenerator(*module, FakeKind::kRandom, 1).MakeAll();
  if (!arguments.ok()) return Fail(std::string(arguments.status().message()));
  PlanOptions plan_options;
  plan_options.freezes_arguments = !options.is_fresh;
  const std::optional<Plan> plan = MakePlan(*runnable, sink, plan_options);
  if (!plan) return Fail(sink);
  DeviceContext device;
  ThreadPool threads(options.threads);
  device.set_thread_pool(&threads);
  const auto executor = Executor::Create(*plan, device);
  if (!executor.ok()) return Fail(std::string(executor.status().message()));
  if (const absl::Status status = (*executor)->Run(*arguments); !status.ok()) {
    return Fail(std::string(status.message()));
  }
  return bench::ServeTimes([&] { return (*executor)->Run(*arguments).ok(); });
}

}  // namespace
}  // namespace hlo

int main(int argc, char** argv) {
  const std::optional<hlo::Options> options = hlo::ReadOptions(argc, argv);
  if (!options) {
    std::cerr << "usage: time_program FILE [--fresh] [--threads=N] [--isa=NAME]\n";
    return 2;
  }
  return hlo::Time(*options);
}
