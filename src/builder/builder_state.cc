// The verifier tells where its findings are by ranges of text. A module being built has no text, so
// for the time of the check each instruction gets a byte of its own, by which the finding leads
// back to the call.
#include "builder/builder_state.h"

#include <fmt/format.h>

#include "verifier/verifier.h"

namespace hlo {

void BuilderState::Fail(const Call& call, std::string_view rule, std::string message) {
  if (failed()) return;
  error = BuildError{std::string(rule), std::string(call.operation), std::move(message), call.at};
}

bool BuilderState::FailWith(const Call& call, const DiagnosticSink& sink) {
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    if (diagnostic.severity != Severity::kError) continue;
    Fail(call, diagnostic.rule, diagnostic.message);
    return true;
  }
  return false;
}

bool BuilderState::FinishComputation(const Call& call, ComputationId id, InstructionId root) {
  ComputationState& state = computations[id];
  std::vector<InstructionId> parameters;
  for (const auto& [number, parameter] : state.parameters) {
    if (number != static_cast<int64_t>(parameters.size())) {
      Fail(call, RuleId(Rule::kCompParamsContiguous),
           fmt::format("`{}` has a parameter {}, but none with the number {}",
                       module().computation(id).name, number, parameters.size()));
      return false;
    }
    parameters.push_back(parameter);
  }
  builder.SetParameters(id, parameters);
  builder.SetRoot(id, root);
  state.finished = true;
  return true;
}

namespace {

void ClearRanges(Module& module) {
  module.set_source(std::make_shared<SourceText>(std::string(module.name()), ""));
  for (size_t i = 0; i < module.instructions().size(); ++i) {
    Instruction& instruction = module.mutable_instruction(InstructionId(i));
    instruction.range = instruction.name_range = instruction.opcode_range = {};
  }
}

}  // namespace

void BuilderState::Record(InstructionId id, const Call& call) {
  const auto place = static_cast<uint32_t>(id.value + 1);
  builder.SetRange(id, {place, place + 1});
  calls.resize(id.value + 1);
  calls[id.value] = call;
}

Module BuilderState::Finish() {
  built = true;
  for (size_t i = 0; i < module().computations().size(); ++i) {
    const ComputationId id(i);
    if (!computations[id].finished) builder.Erase(id);  // nobody can call it
  }
  const Computation& main = module().entry();
  std::vector<ShapeRef> parameters;
  for (InstructionId id : main.parameters) parameters.push_back({module().instruction(id).shape});
  const EntryComputationLayout layout = {parameters, {module().root(main).shape}};
  builder.SetModule<Attr::kEntryComputationLayout>(layout);
  builder.OrderCalleesFirst();
  return std::move(builder).Finish();
}

bool BuilderState::Verify(const Call& call, Module& module) {
  module.set_source(std::make_shared<SourceText>(std::string(module.name()),
                                                 std::string(calls.size() + 2, '\n')));
  VerifyOptions options;
  options.heed_comments = false;
  DiagnosticSink sink(module.source());
  hlo::Verify(module, options, sink);
  ClearRanges(module);
  for (const Diagnostic& finding : sink.diagnostics()) {
    if (finding.severity != Severity::kError) continue;
    const bool is_about_module = finding.range.begin == 0;
    Fail(is_about_module ? call : calls[finding.range.begin - 1], finding.rule, finding.message);
    return false;
  }
  return true;
}

}  // namespace hlo
