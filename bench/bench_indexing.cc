// Indexing maps: how many are simplified, composed and made a second.
//   Simplify/K    map text K below, parsed before, simplified in a context of its own
//   Fusion/N      the maps of a fusion of N instructions that move and combine elements
#include <memory>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "indexing/op_maps.h"
#include "indexing/parse_map.h"
#include "indexing/simplify.h"
#include "parser/parser.h"

namespace hlo::indexing {
namespace {

constexpr const char* kMaps[] = {
    "(d0, d1) -> (d0 + d1 / 16, d1 mod 16), domain: d0 in [0, 6], d1 in [0, 14]",
    "(d0, d1) -> ((d0 / 1536) * 786432 + (((d0 * 2 + d1 / 64) / 3) mod 1024) * 768 + ((d0 * 2 + d1 "
    "/ 64) mod 3) * 256 + (d1 mod 64) * 4), domain: d0 in [0, 3071], d1 in [0, 127]",
    "()[s0, s1, s2, s3] -> ((s0 * 458752 + s1 + s2 * 4 + s3 * 512) mod 20000), domain: s0 in [0, "
    "871], s1 in [0, 3], s2 in [0, 127], s3 in [0, 895]",
    "(d0, d1)[s0, s1] -> (d0 * 2 + s0 - 1, d1 + s1), domain: d0 in [0, 6], d1 in [0, 16], s0 in "
    "[0, 2], s1 in [0, 1], d0 * 2 + s0 in [1, 13], d1 + s1 in [0, 16]",
};

void Simplify(benchmark::State& state) {
  const std::string text = kMaps[state.range(0)];
  for (auto _ : state) {
    state.PauseTiming();
    auto context = std::make_unique<ExprContext>();
    DiagnosticSink sink(std::make_shared<const SourceText>("map", text));
    IndexingMap map = *ParseMap(*context, sink);
    state.ResumeTiming();
    indexing::Simplify(map);
    benchmark::DoNotOptimize(map.results.data());
    state.PauseTiming();
    context.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(Simplify)->DenseRange(0, 3);

std::string FusionText(int64_t count) {
  std::string body = "f {\n  v0 = f32[24,40] parameter(0)\n";
  for (int64_t i = 0; i < count; ++i) {
    const char* steps[] = {"f32[40,24] transpose(v{}), dimensions={{1,0}}", "f32[960] reshape(v{})",
                           "f32[24,40] reshape(v{})", "f32[24,40] add(v{0}, v{0})"};
    body += fmt::format("  {}v{} = {}\n", i + 1 == count ? "ROOT " : "", i + 1,
                        fmt::format(fmt::runtime(steps[i % 4]), i));
  }
  return "HloModule m\n" + body + "}\nENTRY main {\n  x = f32[24,40] parameter(0)\n" +
         "  ROOT r = f32[24,40] fusion(x), kind=kLoop, calls=f\n}\n";
}

void Fusion(benchmark::State& state) {
  auto source = std::make_shared<const SourceText>("fusion", FusionText(state.range(0)));
  DiagnosticSink sink(source);
  const Module module = *ParseModule(source, sink);
  for (auto _ : state) {
    ExprContext context;
    benchmark::DoNotOptimize(
        OutputToInput(OpView(module, module.root(module.entry())), 0, context));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(Fusion)->Arg(8)->Arg(100);

}  // namespace
}  // namespace hlo::indexing

BENCHMARK_MAIN();
