// What the line of progress says of a program that runs.
#ifndef HLOKIT_TOOLS_RUN_PROGRESS_LINE_H_
#define HLOKIT_TOOLS_RUN_PROGRESS_LINE_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "interp/inspect/run_progress.h"

namespace hlo::tools {

// Text is asked for in another thread, which looks at the plan only then: short runs pay nothing.
class RunProgressLine {
 public:
  // `plan`, and what `position` needs, must outlive the object.
  RunProgressLine(const Plan& plan, int64_t run_count, std::function<RunPosition()> position)
      : plan_(plan), run_count_(run_count), position_(std::move(position)) {}

  // Run `number`, from 0, begins.
  void BeginRun(int64_t number) { run_ = number; }

  // "run 2 of 10, step 3 of 17, iteration 12 of 1000 of `while.1`, 12 s left"
  std::string Text();

 private:
  std::string TimeLeft(const RunPosition& position) const;

  const Plan& plan_;
  const int64_t run_count_;
  const std::function<RunPosition()> position_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<int64_t> run_ = 0;
  std::optional<RunProgress> progress_;
};

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_RUN_PROGRESS_LINE_H_
