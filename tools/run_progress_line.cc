// The time left follows from the time so far and the share of the cost that lies behind: a fifth in
// 10 s leaves 40 s. It is not told in the first hundredth, nor where a loop does not say how often
// it runs.
#include "tools/run_progress_line.h"

#include <fmt/format.h>

namespace hlo::tools {

// By what has been done in the time so far. The first hundredth says little.
std::string RunProgressLine::TimeLeft(const RunPosition& position) const {
  constexpr double kLeastShare = 0.01;
  const std::optional<double> of_run = progress_->DoneShare(position);
  if (!of_run) return "";
  const double share = (static_cast<double>(run_) + *of_run) / static_cast<double>(run_count_);
  if (share < kLeastShare || share >= 1) return "";
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  return fmt::format(", about {} left", DurationText(elapsed.count() * (1 - share) / share));
}

std::string RunProgressLine::Text() {
  if (!progress_) progress_.emplace(plan_);
  const RunPosition position = position_();
  if (position.step == nullptr) return "";
  const std::string run = run_count_ > 1 ? fmt::format("run {} of {}, ", run_ + 1, run_count_) : "";
  return run + progress_->Text(position) + TimeLeft(position);
}

}  // namespace hlo::tools
