// HLO text in and out, on the largest dumps of the shared corpus: one benchmark for each dump.
//   Words           the peer: the text cut into words, which are looked up in a hash table; what
//                   any reader with a table of names has to do at least
//   Parse           text to module; ir_per_text: bytes of the module for each byte of text
//   Print, Pretty   module to text
//   ParseAndPrint
//   Verify          the rules alone
//   ParseAndVerify
// MB are those of the dump.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "absl/container/flat_hash_map.h"
#include "bench/dumps.h"
#include "parser/parser.h"
#include "printer/printer.h"
#include "verifier/verifier.h"

namespace hlo {
namespace {

using bench::Source;

void CountBytes(benchmark::State& state, const Source& source) {
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * source->text().size()));
}

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

void BM_Words(benchmark::State& state, const Source& source) {
  const std::string_view text = source->text();
  for (auto _ : state) {
    absl::flat_hash_map<std::string_view, int64_t> counts;
    for (size_t begin = 0; begin < text.size();) {
      size_t end = begin;
      while (end < text.size() && IsWordCharacter(text[end])) ++end;
      if (end != begin) ++counts[text.substr(begin, end - begin)];
      begin = end + 1;
    }
    benchmark::DoNotOptimize(counts.size());
  }
  CountBytes(state, source);
}

std::optional<Module> Parse(const Source& source) {
  DiagnosticSink sink(source);
  return ParseModule(source, sink);
}

void BM_Parse(benchmark::State& state, const Source& source) {
  size_t module_byte_size = 0;
  for (auto _ : state) {
    std::optional<Module> module = Parse(source);
    if (!module) return state.SkipWithError("does not parse");
    state.PauseTiming();
    module_byte_size = module->MemoryByteSize();
    module.reset();
    state.ResumeTiming();
  }
  CountBytes(state, source);
  state.counters["ir_per_text"] =
      static_cast<double>(module_byte_size) / static_cast<double>(source->text().size());
}

void PrintAs(benchmark::State& state, const Source& source, PrintStyle style) {
  const std::optional<Module> module = Parse(source);
  if (!module) return state.SkipWithError("does not parse");
  PrintOptions options;
  options.style = style;
  for (auto _ : state) benchmark::DoNotOptimize(PrintModule(*module, options).data());
  CountBytes(state, source);
}

void BM_Print(benchmark::State& state, const Source& source) {
  PrintAs(state, source, PrintStyle::kXla);
}
void BM_Pretty(benchmark::State& state, const Source& source) {
  PrintAs(state, source, PrintStyle::kPretty);
}

void BM_ParseAndPrint(benchmark::State& state, const Source& source) {
  for (auto _ : state) {
    const std::optional<Module> module = Parse(source);
    if (!module) return state.SkipWithError("does not parse");
    benchmark::DoNotOptimize(PrintModule(*module).data());
  }
  CountBytes(state, source);
}

void BM_Verify(benchmark::State& state, const Source& source) {
  const std::optional<Module> module = Parse(source);
  if (!module) return state.SkipWithError("does not parse");
  for (auto _ : state) {
    DiagnosticSink sink(source);
    Verify(*module, {}, sink);
    benchmark::DoNotOptimize(sink.error_count());
  }
  CountBytes(state, source);
}

void BM_ParseAndVerify(benchmark::State& state, const Source& source) {
  for (auto _ : state) {
    const std::optional<Module> module = Parse(source);
    if (!module) return state.SkipWithError("does not parse");
    DiagnosticSink sink(source);
    Verify(*module, {}, sink);
    benchmark::DoNotOptimize(sink.error_count());
  }
  CountBytes(state, source);
}

void RegisterAll(const std::vector<Source>& sources) {
  const auto each = [&](const std::string& name, auto benchmark) {
    for (const Source& source : sources) {
      benchmark::RegisterBenchmark((name + "/" + source->name()).c_str(), benchmark, source)
          ->Unit(benchmark::kMillisecond);
    }
  };
  each("Words", BM_Words);
  each("Parse", BM_Parse);
  each("Print", BM_Print);
  each("Pretty", BM_Pretty);
  each("ParseAndPrint", BM_ParseAndPrint);
  each("Verify", BM_Verify);
  each("ParseAndVerify", BM_ParseAndVerify);
}

}  // namespace
}  // namespace hlo

int main(int argc, char** argv) {
  hlo::RegisterAll(hlo::bench::ReadDumps());
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
