// How far a run is.
#ifndef HLOKIT_INTERP_INSPECT_RUN_PROGRESS_H_
#define HLOKIT_INTERP_INSPECT_RUN_PROGRESS_H_

#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "interp/executor.h"

namespace hlo {

class RunProgress {
 public:
  // Of a finished plan, which must outlive the object.
  explicit RunProgress(const Plan& plan);

  // "step 3 of 17, iteration 12 of 1000 of `while.1`": steps of the entry computation, and the
  // loops around the place, outermost first.
  std::string Text(const RunPosition& position) const;

  // About how much of a run lies before that, from 0 to 1: by what steps cost, loops as often as
  // they run. Nothing where a loop of the program does not say how often that is.
  std::optional<double> DoneShare(const RunPosition& position) const;

 private:
  struct Weight {
    double once = 0;               // of the step; of a loop: of an iteration
    std::optional<int64_t> trips;  // of loops
    double all() const { return trips ? once * static_cast<double>(*trips) : once; }
  };

  double WeightOf(const Region& region);
  double WeightOf(const Step& step);
  double WeightBefore(const Region& region, const RunPosition& position) const;

  const Plan& plan_;
  absl::flat_hash_map<const Step*, Weight> weights_;
  bool has_unknown_loops_ = false;
  double total_ = 0;
};

// "12 s", "3 min", "2 h".
std::string DurationText(double seconds);

}  // namespace hlo

#endif  // HLOKIT_INTERP_INSPECT_RUN_PROGRESS_H_
