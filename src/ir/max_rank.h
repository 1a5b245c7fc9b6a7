// The most dimensions an array has here. XLA sets no limit; numpy has the same one, and what is
// beyond it is no program but a mistake or an attack: loops over dimensions need not care.
#ifndef HLOKIT_IR_MAX_RANK_H_
#define HLOKIT_IR_MAX_RANK_H_

#include <cstdint>

namespace hlo {

inline constexpr int64_t kMaxRank = 64;

}  // namespace hlo

#endif  // HLOKIT_IR_MAX_RANK_H_
