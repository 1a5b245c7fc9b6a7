// Reading HLO text: the largest dumps of the shared corpus, one benchmark for each.
//   bytes_per_second  text read, complete with its module
//   ir_per_text       bytes of the module for each byte of text
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "parser/parser.h"

namespace hlo {
namespace {

constexpr uintmax_t kLeastFileByteSize = uintmax_t{1} << 21;

std::shared_ptr<const SourceText> ReadSource(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return std::make_shared<SourceText>(path.filename().string(), text.str());
}

void BM_Parse(benchmark::State& state, const std::shared_ptr<const SourceText>& source) {
  size_t module_byte_size = 0;
  for (auto _ : state) {
    DiagnosticSink sink(source);
    std::optional<Module> module = ParseModule(source, sink);
    if (!module) return state.SkipWithError("does not parse");
    state.PauseTiming();
    module_byte_size = module->MemoryByteSize();
    module.reset();
    state.ResumeTiming();
  }
  const double byte_size = static_cast<double>(source->text().size());
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * source->text().size()));
  state.counters["ir_per_text"] = static_cast<double>(module_byte_size) / byte_size;
}

void RegisterCorpus(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.file_size() >= kLeastFileByteSize) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    const std::shared_ptr<const SourceText> source = ReadSource(file);
    benchmark::RegisterBenchmark(("Parse/" + source->name()).c_str(), BM_Parse, source);
  }
}

}  // namespace
}  // namespace hlo

int main(int argc, char** argv) {
  const std::filesystem::path models =
      std::filesystem::path(HLOKIT_SOURCE_DIR) / ".." / "shared" / "corpus" / "models";
  if (std::filesystem::is_directory(models)) {
    hlo::RegisterCorpus(models);
  } else {
    std::cerr << "no corpus at " << models << ": nothing to measure\n";
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
