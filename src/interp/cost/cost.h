// What an instruction costs, as far as shapes say: for estimates before a run and for judging its
// times. Counts are those of the program, not of a backend: a product of matrices is 2 m n k
// operations whoever computes it.
#ifndef HLOKIT_INTERP_COST_COST_H_
#define HLOKIT_INTERP_COST_COST_H_

#include "ir/op_view.h"

namespace hlo {

// Doubles: both outgrow 64 bits where loops are long.
struct Cost {
  // Operations on elements: one for an addition, a comparison or a multiplication, of integers too,
  // more for what takes more of these (kFlopsPerElement); two for each product of a contraction.
  // Moving elements is none.
  double flops = 0;
  // Read and written, each array once: of what selects a part of an array, that part.
  double bytes = 0;

  Cost& operator+=(const Cost& other) {
    flops += other.flops;
    bytes += other.bytes;
    return *this;
  }
  friend Cost operator*(double times, const Cost& cost) {
    return {times * cost.flops, times * cost.bytes};
  }
  bool operator==(const Cost&) const = default;
};

// The cost of executing `op` once. Dynamic dimensions count with their bounds. What a call runs
// counts where it stands, not here, except for the functions called per element. Custom calls are
// their arrays: nobody says what they compute.
Cost CostOf(const OpView& op);

}  // namespace hlo

#endif  // HLOKIT_INTERP_COST_COST_H_
