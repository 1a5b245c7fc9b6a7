// The positions of a step (Step::begin, end) enclose those of all steps inside, so the step that
// runs and the iterations of the loops around it say where a run is. Steps are weighed once, by
// bytes or operations, with some for the step itself; a loop weighs as much as all of its
// iterations.
#include "interp/inspect/run_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interp/cost/step_cost.h"

namespace hlo {
namespace {

// Bytes that move in the time of a step without any, and operations in that of a byte.
constexpr double kBytesPerStep = 1000;
constexpr double kFlopsPerByte = 10;

bool Holds(const Step& step, const Step& inner) {
  return step.begin <= inner.begin && inner.begin <= step.end;
}

}  // namespace

RunProgress::RunProgress(const Plan& plan) : plan_(plan), total_(WeightOf(*plan.entry)) {}

double RunProgress::WeightOf(const Region& region) {
  double sum = 0;
  for (const Step& step : region.steps) sum += WeightOf(step);
  return sum;
}

double RunProgress::WeightOf(const Step& step) {
  Weight weight;
  if (step.kind == StepKind::kWhile) {
    weight.trips = TripCount(plan_, step);
    has_unknown_loops_ |= !weight.trips;
    for (const auto& region : step.regions) weight.once += WeightOf(*region);
  } else if (step.kind == StepKind::kConditional) {
    for (const auto& region : step.regions) weight.once = std::max(weight.once, WeightOf(*region));
  } else {
    const Cost cost = CostOf(plan_, step);
    weight.once = std::max(cost.flops / kFlopsPerByte, cost.bytes) + kBytesPerStep;
  }
  weights_[&step] = weight;
  return weight.all();
}

double RunProgress::WeightBefore(const Region& region, const RunPosition& position) const {
  double sum = 0;
  for (const Step& step : region.steps) {
    if (step.begin > position.step->begin) break;
    const Weight& weight = weights_.at(&step);
    if (!Holds(step, *position.step)) {
      sum += weight.all();
      continue;
    }
    if (step.kind == StepKind::kKernel) break;
    for (const RunPosition::Loop& loop : position.loops) {
      if (loop.step == &step) sum += weight.once * static_cast<double>(loop.iteration);
    }
    for (const auto& inner : step.regions) {
      const bool is_inside = inner->begin <= position.step->begin;
      if (is_inside && (step.kind == StepKind::kWhile || position.step->begin <= inner->end)) {
        sum += WeightBefore(*inner, position);
      }
    }
    break;
  }
  return sum;
}

std::optional<double> RunProgress::DoneShare(const RunPosition& position) const {
  if (has_unknown_loops_ || position.step == nullptr || total_ <= 0) return std::nullopt;
  return std::min(1.0, WeightBefore(*plan_.entry, position) / total_);
}

std::string RunProgress::Text(const RunPosition& position) const {
  if (position.step == nullptr) return "";
  const std::vector<Step>& steps = plan_.entry->steps;
  const auto at =
      std::ranges::find_if(steps, [&](const Step& step) { return Holds(step, *position.step); });
  std::string text = fmt::format("step {} of {}", at - steps.begin() + 1, steps.size());
  for (const RunPosition::Loop& loop : position.loops) {
    const auto weight = weights_.find(loop.step);
    const bool is_known = weight != weights_.end() && weight->second.trips.has_value();
    text += fmt::format(", iteration {}{} of `{}`", loop.iteration + 1,
                        is_known ? fmt::format(" of {}", *weight->second.trips) : "",
                        plan_.instruction(*loop.step).name);
  }
  return text;
}

std::string DurationText(double seconds) {
  if (seconds < 99.5) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 99.5 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.0f} h", seconds / 3600);
}

}  // namespace hlo
