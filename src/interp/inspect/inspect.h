// Looking into a run without changing it: statistics of values.
#ifndef HLOKIT_INTERP_INSPECT_INSPECT_H_
#define HLOKIT_INTERP_INSPECT_INSPECT_H_

#include <re2/re2.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "interp/executor.h"
#include "interp/inspect/loop_path.h"

namespace hlo {

// What an array holds, NaN and infinities left out of the first three.
struct ArrayStatistics {
  int64_t count = 0;
  double min = 0;
  double max = 0;
  double mean = 0;
  int64_t nan_count = 0;
  int64_t infinity_count = 0;

  bool IsFinite() const { return nan_count == 0 && infinity_count == 0; }
};
ArrayStatistics MakeStatistics(const ArrayRef& array);

// A copy of an array.
absl::StatusOr<Literal> ToLiteral(const ArrayRef& array);
absl::StatusOr<Literal> ToLiteral(const MutableArrayRef& array);

// Whether a part of `name` matches, as users say which instructions they mean.
bool Matches(const RE2& pattern, std::string_view name);

// Several observers as one.
class ObserverList final : public StepObserver {
 public:
  void Add(StepObserver* observer) { observers_.push_back(observer); }
  bool empty() const { return observers_.empty(); }

  void BeforeStep(const Step& step, const Evaluation& evaluation) override;
  void BeforeIteration(const Step& loop, int64_t iteration) override;
  absl::Status AfterStep(const Step& step, const Evaluation& evaluation) override;

 private:
  std::vector<StepObserver*> observers_;
};

// Writes a line of statistics for every result of instructions whose name matches. Behind the name
// stand the iterations of the loops around it, `+i+j`, outermost first and from 0.
class Tracer final : public StepObserver {
 public:
  using Write = std::function<void(std::string_view line)>;
  // An empty pattern matches everything.
  Tracer(const Module& module, std::string_view pattern, Write write);

  void BeforeStep(const Step& step, const Evaluation& evaluation) override;
  void BeforeIteration(const Step& loop, int64_t iteration) override;
  absl::Status AfterStep(const Step& step, const Evaluation& evaluation) override;

 private:
  const Module& module_;
  RE2 pattern_;
  LoopPath path_;
  Write write_;
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_INSPECT_INSPECT_H_
