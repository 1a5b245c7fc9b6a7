// What all builders of one module, and the handles they give out, share. Not part of the interface.
#ifndef HLOKIT_BUILDER_BUILDER_STATE_H_
#define HLOKIT_BUILDER_BUILDER_STATE_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "builder/hlo_builder.h"
#include "builder/op.h"
#include "ir/module_builder.h"
#include "support/diagnostic.h"

namespace hlo {

class BuilderState {
 public:
  explicit BuilderState(std::string_view name) : builder(name) {}

  // A call of a function, kept for each instruction: findings about it are told with it.
  struct Call {
    std::string_view operation;
    ops::SourceLocation at;
  };
  struct ComputationState {
    std::map<int64_t, InstructionId> parameters;  // by number
    InstructionId feed_token;                     // of the last infeed or outfeed
    bool finished = false;
    bool has_late_predecessors = false;  // an instruction waits for one that was made after it
  };

  const Module& module() const { return builder.module(); }
  ComputationId entry() const { return module().entry_id(); }
  bool failed() const { return error.has_value(); }
  // Whether operations can still be added and values used.
  bool open() const { return !built && !failed(); }
  // Keeps the first error, under the id of its rule.
  void Fail(const Call& call, std::string_view rule, std::string message);
  // Fails with the first error in `sink`, if there is one; whether that is so.
  bool FailWith(const Call& call, const DiagnosticSink& sink);

  static const std::shared_ptr<BuilderState>& Of(const ops::Op& op) { return op.state_; }
  static const std::shared_ptr<BuilderState>& Of(const ops::Callee& callee) {
    return callee.state_;
  }
  static InstructionId IdOf(const ops::Op& op) { return op.id_; }
  static ComputationId IdOf(const ops::Callee& callee) { return callee.id_; }

  // Parameters without gaps become those of the computation, `root` its result.
  bool FinishComputation(const Call& call, ComputationId id, InstructionId root);
  // `id` was added by `call`.
  void Record(InstructionId id, const Call& call);
  // The module, without the computations that were not finished.
  Module Finish();
  // Checks the finished module as the verifier does.
  bool Verify(const Call& call, Module& module);

  void SpreadSharding(InstructionId id);
  // Moves instructions behind those that they wait for.
  void OrderByDependencies(ComputationId id);

  ModuleBuilder builder;
  bool built = false;
  std::optional<BuildError> error;
  std::vector<Call> calls;  // by instruction
  absl::flat_hash_map<ComputationId, ComputationState> computations;

  // Of the scopes; what they show lies in the module.
  std::optional<Metadata> metadata;
  std::optional<Sharding> sharding;
  FrontendAttributesScope::Attributes frontend_attributes;
};

}  // namespace hlo

#endif  // HLOKIT_BUILDER_BUILDER_STATE_H_
