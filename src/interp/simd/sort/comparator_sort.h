// sort by any comparator that is elementwise instructions, in the order of the reference kernel
// whatever the comparator answers.
#ifndef HLOKIT_INTERP_SIMD_SORT_COMPARATOR_SORT_H_
#define HLOKIT_INTERP_SIMD_SORT_COMPARATOR_SORT_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "interp/reference/sort_lines.h"
#include "interp/simd/sort/comparator.h"

namespace hlo::simd {

class ComparatorSort final : public StepProgram {
 public:
  // Null when the function has other instructions, or another kernel does well.
  static std::shared_ptr<const ComparatorSort> Make(const Plan& plan, const Step& step);

  // The step's operands, and behind them the function's constants.
  std::span<const SlotId> operands() const { return comparator_.operands(); }

  const Kernel& kernel() const override;
  int64_t ScratchByteSize() const override;
  std::string Text() const override;

  absl::Status Run(Evaluation& e, const reference::Lines& lines) const;

 private:
  explicit ComparatorSort(Comparator comparator) : comparator_(std::move(comparator)) {}

  Comparator comparator_;
  // The kernel of a sort by keys that leaves NaN to this one, or null.
  const Kernel* by_keys_ = nullptr;
  int64_t by_keys_byte_size_ = 0;  // what it takes
  bool has_places_ = false;        // it does not read all operands as they are
  int64_t length_ = 0;             // of a line
  int64_t line_count_ = 0;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_SORT_COMPARATOR_SORT_H_
