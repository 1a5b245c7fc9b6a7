// Windows over a line with holes between its elements, as the gradient of an average pool has them.
// Results whose windows begin at the same place between two elements have terms alike, each one
// element further than the last: these are a phase, and are made together.
#include <algorithm>

#include "interp/simd/reduce/places.h"
#include "interp/simd/reduce/window_pass.h"
#include "support/checked_math.h"

namespace hlo::simd {

using reference::WindowRun;

namespace {

constexpr int64_t kResultsAtOnce = 2048;
constexpr int64_t kMaxPhases = 32;

}  // namespace

// The longest stretch of results that are such, of all phases.
void WindowPass::FindPhases() {
  const int64_t phases = window_.base_dilation / window_.stride;
  if (window_.base_dilation % window_.stride != 0 || phases > kMaxPhases) return;
  const auto goes_on = [&](int64_t o) {
    const WindowRun run = runs_[o], next = runs_[o + phases];
    return run.count == next.count && (run.count == 0 || (next.base_first == run.base_first + 1 &&
                                                          next.base_step == run.base_step));
  };
  for (int64_t begin = 0; begin + phases < out_;) {
    int64_t end = begin;
    while (end + phases < out_ && goes_on(end)) ++end;
    if (end > begin && end + phases - begin > whole_end_ - whole_begin_) {
      phase_count_ = phases;
      whole_begin_ = begin;
      whole_end_ = end + phases;
    }
    begin = end + 1;
  }
}

void WindowPass::ReducePhases(const WindowCombination& combination, const Line& line,
                              const std::byte* init) const {
  alignas(64) std::byte phases[kResultsAtOnce * kMostElementSize];
  const int64_t size = combination.element_size;
  const int64_t length = kResultsAtOnce / phase_count_;  // results of a phase
  for (int64_t begin = whole_begin_; begin < whole_end_; begin += length * phase_count_) {
    const int64_t count = std::min(length * phase_count_, whole_end_ - begin);
    std::byte* to = line.to + begin * size;
    if (init == nullptr) SortByPlace(size, to, count, phase_count_, length, phases);
    for (int64_t p = 0; p < std::min(phase_count_, count); ++p) {
      ReducePhase(combination, line, init, begin + p, CeilDiv(count - p, phase_count_),
                  phases + p * length * size);
    }
    PutIntoPlaces(size, phases, count, phase_count_, length, to);
  }
}

// `count` results from `first` on.
void WindowPass::ReducePhase(const WindowCombination& combination, const Line& line,
                             const std::byte* init, int64_t first, int64_t count,
                             std::byte* to) const {
  const int64_t size = combination.element_size;
  const WindowRun run = runs_[first];
  if (combination.round == nullptr) {
    combination.combine_rows(Row(line, run.base_first, size), run.base_step, run.count, count, init,
                             to);
    return;
  }
  FillElements(to, init, size, count);
  for (int64_t i = 0; i < run.count; ++i) {
    combination(to, Row(line, run.base_first + i * run.base_step, size), count);
  }
}

}  // namespace hlo::simd
