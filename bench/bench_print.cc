// How fast modules become text. MB are those of the printed text.
//
//   bench_print [--benchmark_filter=...]
#include <benchmark/benchmark.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "parser/parser.h"
#include "printer/printer.h"

namespace hlo {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kSmallestFile = 300 << 10;

std::shared_ptr<const SourceText> Load(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return std::make_shared<const SourceText>(path.string(), text.str());
}

void BenchPrint(benchmark::State& state, const fs::path& path, PrintStyle style) {
  auto source = Load(path);
  DiagnosticSink sink(source);
  const std::optional<Module> module = ParseModule(source, sink);
  if (!module) return state.SkipWithError("does not parse");
  PrintOptions options;
  options.style = style;
  int64_t bytes = 0;
  for (auto _ : state) {
    std::string text = PrintModule(*module, options);
    bytes += static_cast<int64_t>(text.size());
    benchmark::DoNotOptimize(text.data());
  }
  state.SetBytesProcessed(bytes);
}

void BenchParseAndPrint(benchmark::State& state, const fs::path& path) {
  auto source = Load(path);
  for (auto _ : state) {
    DiagnosticSink sink(source);
    const std::optional<Module> module = ParseModule(source, sink);
    if (!module) return state.SkipWithError("does not parse");
    benchmark::DoNotOptimize(PrintModule(*module).data());
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * source->text().size()));
}

void RegisterAll() {
  std::error_code error;
  for (const auto& entry :
       fs::directory_iterator(HLOKIT_SOURCE_DIR "/../shared/corpus/models", error)) {
    if (entry.file_size() < kSmallestFile) continue;
    const fs::path path = entry.path();
    const std::string name = path.stem().string();
    benchmark::RegisterBenchmark(("print/" + name).c_str(), BenchPrint, path, PrintStyle::kXla);
    benchmark::RegisterBenchmark(("pretty/" + name).c_str(), BenchPrint, path, PrintStyle::kPretty);
    benchmark::RegisterBenchmark(("parse_and_print/" + name).c_str(), BenchParseAndPrint, path);
  }
}

}  // namespace
}  // namespace hlo

int main(int argc, char** argv) {
  hlo::RegisterAll();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
