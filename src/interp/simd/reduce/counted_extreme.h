// argmax and argmin of arrays whose places count along what is reduced, as those of an iota do:
// they are never in memory.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_COUNTED_EXTREME_H_
#define HLOKIT_INTERP_SIMD_REDUCE_COUNTED_EXTREME_H_

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "interp/plan/plan.h"
#include "interp/simd/block/indexed_read.h"

namespace hlo::simd {

class CountedExtreme final : public StepProgram {
 public:
  // Of a reduce whose second operand is `places`. Null where that does not count, or the reduce is
  // another.
  static std::shared_ptr<const CountedExtreme> Make(const Plan& plan, const Step& step,
                                                    const IndexedRead& places);

  // The step's, without the places.
  std::span<const SlotId> operands() const { return operands_; }

  const Kernel& kernel() const override;
  int64_t ScratchByteSize() const override;
  std::string Text() const override { return ", places are counted"; }

  absl::Status Run(Evaluation& e) const;

 private:
  // The place of row r of [batch, rows, columns], whose rows are reduced: first + r * step.
  struct Form {
    int64_t batch = 1, rows = 1, columns = 1;
    int64_t first = 0, step = 0;
  };
  static bool FindForm(std::span<const int64_t> reduced, const IndexedRead& places, Form& form);

  Form form_;
  ElementType place_type_ = ElementType::kS32;
  std::array<SlotId, 3> operands_;  // the values, and what both results begin with
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_COUNTED_EXTREME_H_
