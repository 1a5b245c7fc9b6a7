// Planning, on the largest dumps of the shared corpus: one benchmark for each dump.
//   Verify  the peer: checking the same module
//   Plan    a verified module to a finished plan; per_instruction: time for each
//           instruction of the text, however often it is called
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/dumps.h"
#include "interp/make_plan.h"
#include "parser/parser.h"

namespace hlo {
namespace {

using bench::Source;

std::optional<Module> Parse(const Source& source) {
  DiagnosticSink sink(source);
  return ParseModule(source, sink);
}

void BM_Verify(benchmark::State& state, const Source& source) {
  const std::optional<Module> module = Parse(source);
  if (!module) return state.SkipWithError("does not parse");
  for (auto _ : state) {
    DiagnosticSink sink(source);
    benchmark::DoNotOptimize(RunnableModule::Verify(*module, sink).has_value());
  }
}

void BM_Plan(benchmark::State& state, const Source& source) {
  const std::optional<Module> module = Parse(source);
  if (!module) return state.SkipWithError("does not parse");
  DiagnosticSink sink(source);
  const std::optional<RunnableModule> runnable = RunnableModule::Verify(*module, sink);
  if (!runnable) return state.SkipWithError("is not accepted");
  for (auto _ : state) {
    const std::optional<Plan> plan = MakePlan(*runnable, sink);
    if (!plan) return state.SkipWithError("cannot be planned");
    benchmark::DoNotOptimize(plan->arena_byte_size);
  }
  const auto count = static_cast<double>(module->instructions().size());
  state.counters["per_instruction"] = benchmark::Counter(
      count, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

}  // namespace
}  // namespace hlo

int main(int argc, char** argv) {
  for (const hlo::Source& source : hlo::bench::ReadDumps()) {
    const auto add = [&](const char* name, auto function) {
      benchmark::RegisterBenchmark((name + source->name()).c_str(), function, source)
          ->Unit(benchmark::kMillisecond);
    };
    add("Verify/", hlo::BM_Verify);
    add("Plan/", hlo::BM_Plan);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
