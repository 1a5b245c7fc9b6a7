// Bits are what costs: every opcode counts as the words of its result, whatever distribution is
// made of them.
#include "interp/cost/cost_family.h"

namespace hlo::cost {

// Philox makes four words of 32 bits in ten rounds of ten operations, Threefry two in twenty of
// three.
Cost OfRandom(const OpView& op) {
  constexpr double kFlopsPerWord = 25;
  return Computed(op, ResultBytes(op) / 4 * kFlopsPerWord);
}

}  // namespace hlo::cost
