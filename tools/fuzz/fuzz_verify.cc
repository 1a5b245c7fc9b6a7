// What parses is verified without harm, with every rule on.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "parser/parser.h"
#include "verifier/verifier.h"

namespace {

hlo::VerifyOptions EveryRule() {
  hlo::VerifyOptions options;
  options.modes.layout_sensitive = true;
  options.modes.strict_precision = true;
  options.modes.strict_docs = true;
  for (int i = 0; i < hlo::kStrictOptionCount; ++i) {
    options.modes.Set(static_cast<hlo::StrictOption>(i));
  }
  options.notes = true;
  options.lint_performance = true;
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto source = std::make_shared<hlo::SourceText>(
      "fuzz", std::string(reinterpret_cast<const char*>(data), size));
  hlo::DiagnosticSink sink(source);
  const std::optional<hlo::Module> module = hlo::ParseModule(source, sink);
  if (!module) return 0;
  hlo::Verify(*module, {}, sink);
  hlo::Verify(*module, EveryRule(), sink);
  return 0;
}
