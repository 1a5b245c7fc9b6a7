// The order in which the instructions of a computation run, and which of them run at all.
#ifndef HLOKIT_INTERP_PLAN_SCHEDULE_H_
#define HLOKIT_INTERP_PLAN_SCHEDULE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ir/module.h"
#include "support/diagnostic.h"

namespace hlo {

// Answers are computed on first use and kept.
class Scheduler {
 public:
  Scheduler(const Module& module, DiagnosticSink& sink);

  // The instructions of `id` that run: what the root needs and what has side effects, in textual
  // order except that operands and control predecessors come first (semantics.md 0.4). Nothing
  // when they depend on each other in a circle, which is reported.
  std::optional<std::span<const InstructionId>> Order(ComputationId id);

  // Whether running `instruction` (or anything it calls) can be noticed besides by its result.
  bool HasSideEffects(const Instruction& instruction);

 private:
  enum class Knowledge : uint8_t { kUnknown, kBusy, kNo, kYes };
  enum class Mark : uint8_t { kUnneeded, kNeeded, kOpen, kDone };

  bool HasSideEffects(ComputationId id);
  void MarkNeeded(InstructionId root);
  bool Emit(InstructionId id, std::vector<InstructionId>& order);
  template <typename Visit>
  void ForEachPredecessor(const Instruction& instruction, Visit visit);

  const Module& module_;
  DiagnosticSink& sink_;
  std::vector<std::optional<std::vector<InstructionId>>> orders_;  // by computation
  std::vector<Knowledge> side_effects_;                            // by computation
  int call_depth_ = 0;                                             // of HasSideEffects
  std::vector<Mark> marks_;                                        // by instruction
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_PLAN_SCHEDULE_H_
