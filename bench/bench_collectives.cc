// Collectives between participants of one process, beside what copying memory allows.
//
// The model for large all-reduces is a ring of memcpy: n participants with s bytes each copy
// 2 (n - 1) / n * s bytes each, 2 (n - 1) s bytes in all, with all cores, and add for nothing.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "interp/make_plan.h"
#include "interp/replica/replica_run.h"
#include "parser/parser.h"
#include "testing/add_computation.h"

namespace hlo {
namespace {

using testing::AddComputation;

// A program on `replicas` participants, ready to run.
class Program {
 public:
  Program(std::string text, int64_t replicas) {
    const auto source = std::make_shared<const SourceText>("bench", std::move(text));
    DiagnosticSink sink(source);
    module_ = ParseModule(source, sink).value();
    plan_ = MakePlan(*RunnableModule::Verify(*module_, sink), sink).value();
    run_.emplace(*plan_, DeviceCounts{.replicas = replicas});
    HLO_CHECK(run_->Start().ok());
    arguments_.resize(static_cast<size_t>(replicas));
  }
  void Run() { HLO_CHECK(run_->Run(arguments_).ok()); }

 private:
  std::optional<Module> module_;
  std::optional<Plan> plan_;
  std::optional<ReplicaRun> run_;
  std::vector<std::vector<const Literal*>> arguments_;
};

// A loop of `count` all-reduces of f32[elements].
std::string Loop(int64_t elements, int64_t count) {
  return fmt::format(R"(HloModule loop
{0}
body {{
  s = (s32[], f32[{1}]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[{1}] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  y = f32[{1}] all-reduce(x), replica_groups={{}}, to_apply=add
  ROOT t = (s32[], f32[{1}]) tuple(next, y)
}}
condition {{
  s = (s32[], f32[{1}]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant({2})
  ROOT c = pred[] compare(i, n), direction=LT
}}
ENTRY main {{
  zero = s32[] constant(0)
  z = f32[] constant(0)
  x = f32[{1}] broadcast(z), dimensions={{}}
  s = (s32[], f32[{1}]) tuple(zero, x)
  ROOT w = (s32[], f32[{1}]) while(s), condition=condition, body=body
}}
)",
                     AddComputation("f32"), elements, count);
}

void BM_SmallAllReduce(benchmark::State& state) {
  constexpr int64_t kCount = 2000;
  Program program(Loop(2, kCount), state.range(0));
  for (auto _ : state) program.Run();
  state.counters["us_a_call"] =
      benchmark::Counter(static_cast<double>(state.iterations() * kCount) / 1e6,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_SmallAllReduce)
    ->Arg(1)
    ->Arg(2)
    ->Arg(8)
    ->Arg(64)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

constexpr int64_t kLargeElements = int64_t{16} << 20;
constexpr int64_t kRingParticipants = 8;

// The same where the operand is read again, so that results take memory of their own.
std::string LoopThatKeeps(int64_t elements, int64_t count) {
  return fmt::format(R"(HloModule keeps
{0}
body {{
  s = (s32[], f32[{1}], f32[{1}]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[{1}] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  y = f32[{1}] all-reduce(x), replica_groups={{}}, to_apply=add
  ROOT t = (s32[], f32[{1}], f32[{1}]) tuple(next, x, y)
}}
condition {{
  s = (s32[], f32[{1}], f32[{1}]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant({2})
  ROOT c = pred[] compare(i, n), direction=LT
}}
ENTRY main {{
  zero = s32[] constant(0)
  z = f32[] constant(0)
  x = f32[{1}] broadcast(z), dimensions={{}}
  s = (s32[], f32[{1}], f32[{1}]) tuple(zero, x, x)
  ROOT w = (s32[], f32[{1}], f32[{1}]) while(s), condition=condition, body=body
}}
)",
                     AddComputation("f32"), elements, count);
}

// Several calls, so that making the arrays counts little.
void BM_LargeAllReduce(benchmark::State& state, decltype(Loop) loop) {
  constexpr int64_t kCount = 4;
  Program program(loop(kLargeElements, kCount), kRingParticipants);
  for (auto _ : state) program.Run();
  state.counters["ms_a_call"] =
      benchmark::Counter(static_cast<double>(state.iterations() * kCount) / 1e3,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(BM_LargeAllReduce, in_place, Loop)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(BM_LargeAllReduce, apart, LoopThatKeeps)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// The ring's copies, spread over the cores in blocks of what a participant sends in a step.
void BM_MemcpyRing(benchmark::State& state) {
  const size_t block = kLargeElements * sizeof(float) / kRingParticipants;
  const size_t copies = 2 * (kRingParticipants - 1) * kRingParticipants;
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::vector<char>> arrays(kRingParticipants,
                                        std::vector<char>(block * kRingParticipants, 1));
  for (auto _ : state) {
    std::vector<std::thread> threads;
    for (size_t core = 0; core < cores; ++core) {
      threads.emplace_back([&, core] {
        for (size_t i = core; i < copies; i += cores) {
          const size_t to = i % kRingParticipants;
          const size_t from = (to + 1) % kRingParticipants;
          const size_t at = (i / kRingParticipants + to) % kRingParticipants * block;
          std::memcpy(arrays[to].data() + at, arrays[from].data() + at, block);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}
BENCHMARK(BM_MemcpyRing)->Unit(benchmark::kMillisecond)->UseRealTime();

// A hundred collectives of every kind on many participants, from text to result.
void BM_HundredCollectives(benchmark::State& state) {
  std::string text = fmt::format(
      "HloModule hundred\n{}ENTRY main {{\n  z = f32[] constant(1)\n  x0 = f32[256] broadcast(z), "
      "dimensions={{}}\n",
      AddComputation("f32"));
  for (int64_t i = 0; i < 100; ++i) {
    const char* const kinds[] = {
        "f32[256] all-reduce(x{0}), replica_groups={{}}, to_apply=add",
        "f32[256] all-to-all(x{0}), dimensions={{0}}, replica_groups={{}}",
        "f32[256] collective-permute(x{0}), source_target_pairs={{{{0,1}},{{1,2}},{{2,0}}}}",
        "f32[256] collective-broadcast(x{0}), replica_groups={{}}",
    };
    text += fmt::format("  {}x{} = {}\n", i == 99 ? "ROOT " : "", i + 1,
                        fmt::format(fmt::runtime(kinds[i % 4]), i));
  }
  text += "}\n";
  for (auto _ : state) Program(text, state.range(0)).Run();
}
BENCHMARK(BM_HundredCollectives)->Arg(16)->Arg(256)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace hlo

BENCHMARK_MAIN();
