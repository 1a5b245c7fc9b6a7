// Members of a chain that one link does together: a rotation of bits, which HLO writes as two
// shifts and an `or`, and a round of Threefry (Salmon et al. 2011), as programs of JAX have it, by
// the dozen:
//   sum = add(y, x)
//   left = shift-left(x, a)
//   right = shift-right-logical(x, b)
//   turned = or(left, right)
//   mixed = xor(turned, sum)
#include <algorithm>
#include <optional>
#include <span>

#include "interp/simd/block/block.h"

namespace hlo::simd {
namespace {

constexpr size_t kShiftMembers = 3, kRoundMembers = 5;

}  // namespace

class BlockBuilder::JoinFinder {
 public:
  JoinFinder(const BlockBuilder& builder, const PendingAction& chain,
             std::span<const PendingAction> members)
      : builder_(builder), chain_(chain), members_(members) {}

  // All members are two shifts and their `or`, or a round.
  std::optional<Join> Find() const {
    const PendingAction& last = members_.back();
    if (members_.size() == kShiftMembers) {
      return Is(&last, Opcode::kOr) ? Shifts(last) : std::nullopt;
    }
    if (!Is(&last, Opcode::kXor)) return std::nullopt;
    const auto [a, b, c] = last.operands;
    const std::optional<Join> found = Round(a, b);
    return found ? found : Round(b, a);
  }

 private:
  const PendingAction* MakerOf(ValueId id) const {
    const auto found = std::ranges::find(members_, id, &PendingAction::result);
    return found == members_.end() ? nullptr : &*found;
  }
  static bool Is(const PendingAction* member, Opcode opcode) {
    return member != nullptr && member->operation.kind == Operation::Kind::kElementwise &&
           member->operation.opcode == opcode;
  }
  bool HasPlace(ValueId id) const { return builder_.ValueAt(id).place.kind != Place::Kind::kNone; }
  // Whether nothing but one of the members reads it.
  bool IsPassing(ValueId id) const {
    return builder_.ValueAt(id).reader_count == 1 && !HasPlace(id);
  }
  bool IsOne(ValueId id) const {
    const Chain::Spread spread = builder_.SpreadOf(chain_, id);
    return spread == Chain::Spread::kOne || spread == Chain::Spread::kRow;
  }

  std::optional<Join> Shifts(const PendingAction& joined) const {
    const PendingAction* left = MakerOf(joined.operands[0]);
    const PendingAction* right = MakerOf(joined.operands[1]);
    if (!Is(left, Opcode::kShiftLeft)) std::swap(left, right);
    if (!Is(left, Opcode::kShiftLeft) || !Is(right, Opcode::kShiftRightLogical)) {
      return std::nullopt;
    }
    const ValueId number = left->operands[0];
    const Join join = {.count = members_.size(),
                       .number = number,
                       .left = left->operands[1],
                       .right = right->operands[1],
                       .result = joined.result};
    const bool is_fine = right->operands[0] == number && IsOne(join.left) && IsOne(join.right) &&
                         IsPassing(left->result) && IsPassing(right->result) && !IsOne(number);
    return is_fine ? std::optional(join) : std::nullopt;
  }

  std::optional<Join> Round(ValueId turned, ValueId sum) const {
    const PendingAction* joined = MakerOf(turned);
    const PendingAction* addition = MakerOf(sum);
    if (!Is(joined, Opcode::kOr) || !Is(addition, Opcode::kAdd)) return std::nullopt;
    std::optional<Join> join = Shifts(*joined);
    if (!join || !IsPassing(turned) || HasPlace(sum)) return std::nullopt;
    const auto [a, b, c] = addition->operands;
    if (a == b || (a != join->number && b != join->number)) return std::nullopt;
    join->addend = a == join->number ? b : a;
    join->sum = sum;
    join->result = members_.back().result;
    return IsOne(join->addend) ? std::nullopt : join;
  }

  const BlockBuilder& builder_;
  const PendingAction& chain_;
  std::span<const PendingAction> members_;
};

std::optional<BlockBuilder::Join> BlockBuilder::JoinAt(const PendingAction& chain,
                                                       size_t first) const {
  const std::span<const PendingAction> rest = std::span(chain.members).subspan(first);
  for (const size_t count : {kRoundMembers, kShiftMembers}) {
    if (rest.size() < count) continue;
    if (std::optional<Join> join = JoinFinder(*this, chain, rest.first(count)).Find()) return join;
  }
  return std::nullopt;
}

}  // namespace hlo::simd
