// Where in its loops a run is: for what observers say of a step.
#ifndef HLOKIT_INTERP_INSPECT_LOOP_PATH_H_
#define HLOKIT_INTERP_INSPECT_LOOP_PATH_H_

#include <cstdint>
#include <span>
#include <vector>

#include "interp/plan/plan.h"

namespace hlo {

// The iteration that a loop is in, from 0.
struct LoopIteration {
  InstructionId loop;
  int64_t iteration = 0;

  bool operator==(const LoopIteration&) const = default;
};

// Kept by an observer that passes on what it is told.
class LoopPath {
 public:
  void BeforeStep(const Step& step) {
    if (step.kind == StepKind::kWhile) loops_.push_back({step.instruction, 0});
  }
  void BeforeIteration(int64_t iteration) { loops_.back().iteration = iteration; }
  void AfterStep(const Step& step) {
    if (step.kind == StepKind::kWhile) loops_.pop_back();
  }
  // A run begins, after one that may have stopped anywhere.
  void Clear() { loops_.clear(); }

  // Outermost first.
  std::span<const LoopIteration> loops() const { return loops_; }

 private:
  std::vector<LoopIteration> loops_;
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_INSPECT_LOOP_PATH_H_
