// The verifier tells where its findings are by ranges of text. A module being built has no text, so
// for the time of the check each instruction gets a byte of its own, by which the finding leads
// back to the call.
#include "builder/builder_state.h"

#include <utility>

#include <fmt/format.h>

#include "absl/container/flat_hash_set.h"

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
  module.set_source(std::make_shared<SourceText>(std::string(module.name())));
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

namespace {

// The instructions of a computation in an order in which each stands behind its operands and
// control predecessors, and otherwise as before: text names no later ones (control.defined). Those
// of a circle stay as they are, for the verifier to find.
class DependencyOrder {
 public:
  explicit DependencyOrder(const ModuleBuilder& builder) : builder_(builder) {}

  std::vector<InstructionId> Of(ComputationId id) {
    for (InstructionId instruction : builder_.module().computation(id).instructions) {
      Visit(instruction);
    }
    return std::move(order_);
  }

 private:
  std::vector<InstructionId> PredecessorsOf(InstructionId id) const {
    const Instruction& instruction = builder_.module().instruction(id);
    std::vector<InstructionId> ids;
    for (const Operand& operand : instruction.operands) ids.push_back(operand.id);
    for (InstructionId before : instruction.Get<Attr::kControlPredecessors>())
      ids.push_back(before);
    return ids;
  }

  // Depth first, on a stack of its own: chains may be long.
  void Visit(InstructionId root) {
    std::vector<std::pair<InstructionId, std::vector<InstructionId>>> stack;
    const auto enter = [&](InstructionId id) {
      if (seen_.insert(id).second) stack.push_back({id, PredecessorsOf(id)});
    };
    for (enter(root); !stack.empty();) {
      auto& [id, waiting] = stack.back();
      if (waiting.empty()) {
        order_.push_back(id);
        stack.pop_back();
        continue;
      }
      const InstructionId next = waiting.back();
      waiting.pop_back();
      enter(next);
    }
  }

  const ModuleBuilder& builder_;
  absl::flat_hash_set<InstructionId> seen_;
  std::vector<InstructionId> order_;
};

}  // namespace

// One sharding of a tuple is that of all its parts, as text has it that is read back.
void BuilderState::SpreadSharding(InstructionId id) {
  const Instruction& instruction = module().instruction(id);
  const Sharding* sharding = instruction.attributes.GetIf<Attr::kSharding>();
  if (sharding == nullptr || sharding->is_tuple || sharding->leaves.empty()) return;
  if (!instruction.shape->IsTuple()) return;
  const std::vector<ShardingLeaf> leaves(std::max<int64_t>(instruction.shape->LeafCount(), 1),
                                         sharding->leaves[0]);
  builder.Set<Attr::kSharding>(id, {/*is_tuple=*/true, leaves});
}

void BuilderState::OrderByDependencies(ComputationId id) {
  builder.SetOrder(id, DependencyOrder(builder).Of(id));
}

Module BuilderState::Finish() {
  built = true;
  for (size_t i = 0; i < module().computations().size(); ++i) {
    const ComputationId id(i);
    if (!computations[id].finished) {
      builder.Erase(id);  // nobody can call it
    } else if (computations[id].has_late_predecessors) {
      OrderByDependencies(id);
    }
  }
  for (size_t i = 0; i < module().instructions().size(); ++i) SpreadSharding(InstructionId(i));
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
