// What a program does with its inputs, as far as it restricts which values make sense.
#ifndef HLOKIT_INTERP_ARGUMENT_USES_H_
#define HLOKIT_INTERP_ARGUMENT_USES_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "interp/plan/tuple_leaves.h"
#include "ir/module.h"

namespace hlo {

// The values one leaf should take.
struct ValueRange {
  std::optional<int64_t> index_limit;  // it selects among that many positions: [0, limit)
  bool is_divisor = false;             // it should not be 0
  bool is_positive = false;            // its root or logarithm is taken
  int64_t term_count = 1;              // products with it are summed over that many terms
};

// Finds the range of every leaf of a parameter or constant by following it through instructions
// that only move data, and through calls.
class ValueRangeFinder {
 public:
  explicit ValueRangeFinder(const Module& module);

  std::vector<ValueRange> Find(InstructionId value) const;

 private:
  struct Use {
    InstructionId user;
    uint32_t operand;
  };
  struct Leaf {
    InstructionId instruction;
    int64_t leaf;
  };
  class Search;

  const Module& module_;
  std::vector<std::vector<Use>> uses_;  // by instruction; those of one element are in the other
  absl::flat_hash_map<std::pair<InstructionId, int64_t>, std::vector<InstructionId>> element_uses_;
  mutable TupleLeaves tuple_leaves_;
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_ARGUMENT_USES_H_
