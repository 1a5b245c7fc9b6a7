// Any text is verified without harm as far as it can be read, also with every rule on.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "parser/parser.h"
#include "verifier/verifier.h"

namespace {

hlo::VerifyOptions EveryRule() {
  hlo::VerifyOptions options;
  options.modes.layout_sensitive = true;
  options.modes.strict_precision = true;
  options.modes.strict_docs = true;
  options.modes.allow_unbounded = false;
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
  const hlo::RecoveredModule recovered = hlo::RecoverModule(source, sink);
  const std::vector<hlo::Diagnostic> parse_findings = sink.TakeDiagnostics();
  hlo::VerifyText(recovered, {}, {parse_findings, {}});
  hlo::VerifyText(recovered, EveryRule(), {parse_findings, {}});
  return 0;
}
