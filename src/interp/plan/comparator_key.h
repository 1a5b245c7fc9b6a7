// The values that comparators compare: parameters, or what one value is made of several of theirs.
#ifndef HLOKIT_INTERP_PLAN_COMPARATOR_KEY_H_
#define HLOKIT_INTERP_PLAN_COMPARATOR_KEY_H_

#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "interp/plan/plan.h"

namespace hlo {

// A parameter, and what of it is one value.
struct ComparatorKey {
  int64_t parameter;
  bool has_one_zero = false;
  bool has_one_nan = false;

  bool IsPlain() const { return !has_one_zero && !has_one_nan; }
  bool IsCanonical() const { return has_one_zero && has_one_nan; }
};

class ComparatorKeys {
 public:
  ComparatorKeys(const Plan& plan, const Region& region);

  // What `slot` is; nothing where it is no parameter taken through selects.
  std::optional<ComparatorKey> Find(SlotId slot) const { return Find(slot, kMaxSelects); }

 private:
  static constexpr int kMaxSelects = 2;

  std::optional<ComparatorKey> Find(SlotId slot, int max_selects) const;
  const Step* MakerOf(SlotId slot, Opcode opcode) const;
  std::optional<double> ConstantAt(SlotId slot) const;

  const Plan& plan_;
  absl::flat_hash_map<size_t, int64_t> parameters_;  // by slot
  absl::flat_hash_map<size_t, const Step*> makers_;  // by slot
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_PLAN_COMPARATOR_KEY_H_
