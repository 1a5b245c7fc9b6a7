// What parses prints to text that parses to an equal module and prints the same, in all styles.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "parser/parser.h"
#include "printer/printer.h"

namespace {

std::optional<hlo::Module> Parse(std::string text) {
  auto source = std::make_shared<const hlo::SourceText>("fuzz", std::move(text));
  hlo::DiagnosticSink sink(source);
  return hlo::ParseModule(source, sink);
}

void Fail(const std::string& what, const std::string& printed) {
  std::fprintf(stderr, "%s\n--- printed:\n%s\n", what.c_str(), printed.c_str());
  std::abort();
}

void CheckStyle(const hlo::Module& module, hlo::PrintStyle style) {
  hlo::PrintOptions options;
  options.style = style;
  const std::string printed = hlo::PrintModule(module, options);
  std::optional<hlo::Module> read_back = Parse(printed);
  if (!read_back) Fail("the print does not parse", printed);
  const std::string difference = hlo::DescribeDifference(module, *read_back);
  if (!difference.empty()) Fail(difference, printed);
  if (hlo::PrintModule(*read_back, options) != printed) Fail("no fixed point", printed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::optional<hlo::Module> module =
      Parse(std::string(reinterpret_cast<const char*>(data), size));
  if (!module) return 0;
  CheckStyle(*module, hlo::PrintStyle::kXla);
  CheckStyle(*module, hlo::PrintStyle::kLong);
  CheckStyle(*module, hlo::PrintStyle::kShort);
  CheckStyle(*module, hlo::PrintStyle::kPretty);
  CheckStyle(*module, hlo::PrintStyle::kKeep);
  hlo::PrintOptions like_xla;
  like_xla.like_xla = true;
  hlo::PrintModule(*module, like_xla);
  return 0;
}
