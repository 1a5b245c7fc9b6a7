// The verifier decides; what is its warning is none of the runner's business.
#include "interp/plan/runnable_module.h"

#include "verifier/verifier.h"

namespace hlo {

std::optional<RunnableModule> RunnableModule::Verify(const Module& module, DiagnosticSink& sink,
                                                     bool has_warnings,
                                                     const DeviceCounts& devices) {
  VerifyOptions options;
  options.devices = devices;
  options.modes.allow_unbounded = false;
  options.heed_comments = false;
  options.warnings = has_warnings ? std::vector<std::string>() : std::vector<std::string>{"none"};
  const int64_t errors_before = sink.error_count();
  hlo::Verify(module, options, sink);
  if (sink.error_count() != errors_before) return std::nullopt;
  return RunnableModule(module);
}

}  // namespace hlo
