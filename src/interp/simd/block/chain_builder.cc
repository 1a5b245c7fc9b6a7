// Chains out of the actions of a block: those that kernels have links for and that follow each
// other, or would if what stands between ran before. A reduction of rows that a chain makes is a
// link of it. What the links are says chain_writer.cc.
#include <algorithm>
#include <numeric>
#include <utility>

#include "interp/simd/block/block.h"

namespace hlo::simd {
namespace {

constexpr int64_t kMinCount = kMaxGroupSize;  // elements that may be worth a chain
constexpr int64_t kMinCountOfRows = 512;      // the same of rows
constexpr int64_t kMinByteSize = 8192;        // of all that the members of a chain make
constexpr size_t kMaxMembers = 128;           // of each at most seven links
constexpr size_t kMaxFetches = 4;
static_assert(7 * kMaxMembers + kMaxFetches < Chain::kMaxLinks);
// Of rows whose folds are links: to begin and end with one takes as long as some groups.
constexpr int64_t kMinFoldLength = 256;
constexpr int64_t kMinRowLength = 64;  // of rows that are gone through one by one

}  // namespace

// Those of what its elements are in registers.
const ChainKernels& BlockBuilder::KernelsOf(const PendingAction& pending) {
  const Operation& operation = pending.operation;
  bool is_of_64_bits = BitWidth(operation.type) == 64;
  if (operation.kind == Operation::Kind::kWiden || operation.kind == Operation::Kind::kNarrow) {
    is_of_64_bits = !IsNarrow(operation.type);
  } else if (operation.kind == Operation::Kind::kConvert) {
    is_of_64_bits = BitWidth(operation.to) == 64;
  } else if (pending.action.kind == Action::Kind::kCopy) {
    is_of_64_bits = pending.action.result.element_size == 8;
  }
  return is_of_64_bits ? GetChainKernels64() : GetChainKernels32();
}

// The link that does what `pending` does to registers, in one of its forms; null: there is none.
LinkFunction BlockBuilder::LinkOf(const PendingAction& pending) const {
  const ChainKernels& kernels = KernelsOf(pending);
  const Operation& operation = pending.operation;
  if (kernels.group_size == 0 || is_of_function_ || count_ < kMinCount || pending.is_constant) {
    return nullptr;
  }
  if (operation.kind == Operation::Kind::kFold) {
    const bool is_fine = operation.type == kernels.type && row_length_ >= kMinFoldLength;
    return is_fine ? kernels.fold(operation.opcode) : nullptr;
  }
  if (pending.action.level != TileLevel::kFull) return nullptr;
  if (pending.action.kind == Action::Kind::kCopy) {
    const bool is_fine = pending.action.result.element_size == ElementByteSize(kernels.type);
    return is_fine ? kernels.store(kernels.type) : nullptr;
  }
  if (pending.action.kind != Action::Kind::kLoop || IsByteFloat(operation.type)) return nullptr;
  switch (operation.kind) {
    case Operation::Kind::kOther:
      return nullptr;
    case Operation::Kind::kElementwise:
      if (operation.opcode == Opcode::kSelect) {
        const bool is_fine = (IsInteger(operation.type) || IsFloat(operation.type)) &&
                             BitWidth(operation.type) == BitWidth(kernels.type);
        return is_fine ? kernels.select(0, /*is_first_one=*/false, /*is_second_one=*/false)
                       : nullptr;
      }
      if (operation.opcode == Opcode::kCompare) {
        return kernels.compare(operation.direction, operation.type, LinkOperands::kRegistersMemory);
      }
      if (pending.operands[2] != kNoValue) return nullptr;
      if (pending.operands[1] == kNoValue) return kernels.unary(operation.opcode, operation.type);
      return kernels.binary(operation.opcode, operation.type, LinkOperands::kRegistersMemory);
    case Operation::Kind::kConvert:
      return kernels.convert(operation.type, operation.to);
    case Operation::Kind::kRound:
      return kernels.round(operation.type, operation.is_arithmetic_result);
    case Operation::Kind::kWiden:
      return kernels.load(operation.type);
    case Operation::Kind::kNarrow:
      return kernels.store(operation.type);
    case Operation::Kind::kFold:
      return nullptr;  // those that are fine are dealt with above
  }
  return nullptr;
}

// --- Which actions

// Whether it writes elements of a result, which may lie where an operand does; parts of totals
// never do.
bool BlockBuilder::WritesElements(const PendingAction& pending) const {
  if (pending.result == kNoValue) return true;
  const Place& place = ValueAt(pending.result).place;
  return place.kind == Place::Kind::kResult &&
         place.at < std::ssize(streams_) - std::ssize(totals_);
}

// Whether what IsLink says to be a link is one of `chain`, whose elements all have one size in
// registers. A fold goes with what makes its elements for it alone: where they are stored for
// others, it is faster to sum them afterwards than to wait for each group of them. Chains with
// folds write nothing that keeps them from doing a row again.
bool BlockBuilder::CanJoin(const PendingAction& pending, const PendingAction& chain) const {
  const auto is_fold = [](const PendingAction& member) {
    return member.operation.kind == Operation::Kind::kFold;
  };
  if (!chain.members.empty() && &KernelsOf(pending) != &KernelsOf(chain.members[0])) return false;
  if (!is_fold(pending)) {
    return !WritesElements(pending) || std::ranges::none_of(chain.members, is_fold);
  }
  const ValueId elements = pending.operands[0];
  const Value& init = ValueAt(pending.operands[1]);
  bool is_made = false;
  for (const PendingAction& member : chain.members) {
    if (!is_fold(member) && WritesElements(member)) return false;
    is_made |= member.result == elements;
  }
  return is_made && ValueAt(elements).reader_count == 1 && init.is_constant && init.period == 1;
}

// Whether `pending` may run before `chain`, although it comes after some of its actions.
bool BlockBuilder::CanPass(const PendingAction& pending, const PendingAction& chain) const {
  // What writes a result has its place behind whatever reads the array that may lie there.
  if (WritesElements(pending)) return false;
  return std::ranges::none_of(chain.members, [&](const PendingAction& member) {
    return member.result != kNoValue &&
           std::ranges::find(pending.operands, member.result) != std::end(pending.operands);
  });
}

// Whether it writes past the caches.
bool BlockBuilder::Streams(const PendingAction& member) const {
  const Place& place =
      member.result == kNoValue ? member.action.result : ValueAt(member.result).place;
  return place.kind == Place::Kind::kResult && streams_[static_cast<size_t>(place.at)];
}

// Whether it takes less time than its members as loops. Where it is short, or goes over a few
// elements, its links to and from memory, and its start, take more than passing values by the
// caches; but it may read rows, or write results, in a way that only chains can.
bool BlockBuilder::IsWorthwhile(const PendingAction& chain) const {
  if (chain.chain_row_length > 0) return count_ >= kMinCountOfRows;
  if (chain.members.size() == 1) return false;
  if (std::ssize(chain.members) <= kFewMembers) {
    return std::ranges::any_of(chain.members, [&](const auto& member) { return Streams(member); });
  }
  const int64_t element_size = ElementByteSize(KernelsOf(chain.members[0]).type);
  return std::ssize(chain.members) * count_ * element_size >= kMinByteSize;
}

void BlockBuilder::CloseChain(PendingAction& chain, std::vector<PendingAction>& actions) {
  if (chain.members.empty()) return;
  chain.chain_row_length = ChainRowLength(chain);
  if (IsWorthwhile(chain)) {
    chain.action.kind = Action::Kind::kChain;
    chain.chain_number = std::ssize(actions);
    for (const PendingAction& member : chain.members) {
      if (member.result != kNoValue) ValueAt(member.result).chain = chain.chain_number;
    }
    actions.push_back(std::move(chain));
  } else {
    std::ranges::move(chain.members, std::back_inserter(actions));
  }
  chain = {};
}

// Beside links a clamp becomes two of them: the smaller of the upper bound and what is the larger
// of the lower bound and the number, as the definition says (kernel/scalar_ops_compare.h).
void BlockBuilder::SplitClamps() {
  const auto is_link = [&](const PendingAction& pending) { return IsLink(pending); };
  if (std::ranges::none_of(pending_, is_link)) return;
  for (PendingAction& pending : std::exchange(pending_, {})) {
    const Operation& operation = pending.operation;
    const bool is_clamp =
        operation.kind == Operation::Kind::kElementwise && operation.opcode == Opcode::kClamp;
    if (!is_clamp) {
      Push(std::move(pending));
      continue;
    }
    const auto [low, number, high] = pending.operands;
    PendingAction raised = PartOfClamp(pending, Opcode::kMaximum, number, low);
    raised.result = NewValue(operation.type, pending.action.level);
    PendingAction lowered = PartOfClamp(pending, Opcode::kMinimum, high, raised.result);
    if (IsLink(raised) && IsLink(lowered)) {
      Push(std::move(raised));
      Push(std::move(lowered));
    } else {
      Push(std::move(pending));
    }
  }
}

BlockBuilder::PendingAction BlockBuilder::PartOfClamp(const PendingAction& clamp, Opcode opcode,
                                                      ValueId a, ValueId b) const {
  PendingAction part = clamp;
  part.operation.opcode = opcode;
  part.action.loop = GetBlockKernels().elementwise(opcode, clamp.operation.type);
  part.operands[0] = a;
  part.operands[1] = b;
  part.operands[2] = kNoValue;
  return part;
}

void BlockBuilder::FormChains() {
  for (const PendingAction& pending : pending_) {
    for (ValueId operand : pending.operands) {
      if (operand != kNoValue) ++ValueAt(operand).reader_count;
    }
  }
  std::vector<PendingAction> actions;
  PendingAction chain;
  for (PendingAction& pending : pending_) {
    const bool is_fold = pending.operation.kind == Operation::Kind::kFold;
    const bool can_join = IsLink(pending) && CanJoin(pending, chain);
    if (can_join || (IsLink(pending) && !is_fold)) {
      if (!can_join || chain.members.size() == kMaxMembers) CloseChain(chain, actions);
      chain.members.push_back(std::move(pending));
      continue;
    }
    if (!pending.is_constant && !CanPass(pending, chain)) CloseChain(chain, actions);
    actions.push_back(std::move(pending));
  }
  CloseChain(chain, actions);
  pending_ = std::move(actions);
  DropUnread();
}

// Rows are gone through one by one where an operand has one element for each, or is the same row
// again and again: then several of these are one, so that they fill groups.
int64_t BlockBuilder::ChainRowLength(const PendingAction& chain) const {
  int64_t period = 1;
  for (const PendingAction& member : chain.members) {
    if (member.operation.kind == Operation::Kind::kFold) return row_length_;
    for (ValueId operand : member.operands) {
      if (operand == kNoValue) continue;
      const Value& value = ValueAt(operand);
      if (value.row_value != kNoValue && row_length_ >= kMinRowLength) return row_length_;
      if (!value.is_constant || value.period <= 1) continue;
      const int64_t common = std::lcm(period, value.period);
      if (common <= kMaxPeriod) period = common;
    }
  }
  return period == 1 ? 0 : WholeGroups(period);
}

bool BlockBuilder::IsSplat(const PendingAction& chain, ValueId operand) const {
  return ValueAt(operand).row_value != kNoValue && chain.chain_row_length == row_length_;
}

Chain::Spread BlockBuilder::SpreadOf(const PendingAction& chain, ValueId operand) const {
  const Value& value = ValueAt(operand);
  if (IsSplat(chain, operand)) return Chain::Spread::kRow;
  if (!value.is_constant || value.period == 0) return Chain::Spread::kElements;
  if (value.period == 1) return Chain::Spread::kOne;
  const bool repeats = chain.chain_row_length != 0 && chain.chain_row_length % value.period == 0;
  return repeats ? Chain::Spread::kPeriod : Chain::Spread::kElements;
}

void BlockBuilder::ForEachRead(
    const PendingAction& pending,
    absl::FunctionRef<void(ValueId value, Chain::Spread spread)> visit) const {
  for (ValueId operand : pending.operands) {
    if (operand != kNoValue) visit(operand, Chain::Spread::kElements);
  }
  for (size_t m = 0; m < pending.members.size(); ++m) {
    for (ValueId operand : pending.members[m].operands) {
      if (operand == kNoValue || ValueAt(operand).chain == pending.chain_number) continue;
      if (IsSplat(pending, operand)) {
        visit(ValueAt(operand).row_value, Chain::Spread::kElements);
      } else {
        visit(operand, SpreadOf(pending, operand));
      }
    }
  }
}

// What is read in another way by all readers: rows that chains repeat by themselves, narrow floats
// that reductions widen.
void BlockBuilder::DropUnread() {
  std::vector<bool> is_read(values_.size());
  for (const PendingAction& pending : pending_) {
    ForEachRead(pending,
                [&](ValueId value, Chain::Spread) { is_read[static_cast<size_t>(value)] = true; });
  }
  std::erase_if(pending_, [&](const PendingAction& pending) {
    const bool may_be_unread = pending.action.kind == Action::Kind::kRepeat ||
                               pending.operation.kind == Operation::Kind::kWiden;
    return may_be_unread && !is_read[static_cast<size_t>(pending.result)] &&
           ValueAt(pending.result).place.kind != Place::Kind::kResult;
  });
}

// Chains read no more of constants than one element, or a row, reductions one initial value: more
// is not made of them then.
void BlockBuilder::FindSpans(const Block& block) {
  const auto widen_span = [&](ValueId id, int64_t count) {
    ValueAt(id).span = std::max(ValueAt(id).span, count);
  };
  for (size_t i = pending_.size(); i-- > 0;) {
    const PendingAction& pending = pending_[i];
    const bool is_loop = pending.action.kind == Action::Kind::kLoop;
    const int64_t own = is_loop && pending.is_constant ? ValueAt(pending.result).span : block.tile_;
    ForEachRead(pending, [&](ValueId operand, Chain::Spread spread) {
      if (spread == Chain::Spread::kOne) return widen_span(operand, 1);
      if (spread == Chain::Spread::kPeriod) return widen_span(operand, pending.chain_row_length);
      const bool is_reduction = pending.action.kind == Action::Kind::kReduce ||
                                pending.action.kind == Action::Kind::kReduceColumns;
      const bool is_init = is_reduction && operand == pending.operands[1];
      widen_span(operand, is_init && operand != pending.operands[0] ? 1 : own);
    });
  }
  for (Value& value : values_) {
    const bool is_part = value.is_constant && value.level == TileLevel::kFull &&
                         value.period != 0 && value.span < block.tile_;
    if (!is_part) value.span = 0;
  }
}

// Reductions of rows and loops read arrays in the order in which they lie, but with pauses in which
// processors fetch nothing ahead: chains ask for what those of the next tile will read.
std::vector<Block::Place> BlockBuilder::FetchesOfNextTile() const {
  std::vector<Place> fetches;
  for (const PendingAction& pending : pending_) {
    const Action::Kind kind = pending.action.kind;
    if (kind != Action::Kind::kReduce && kind != Action::Kind::kLoop) continue;
    for (const ValueId operand : pending.operands) {
      if (operand == kNoValue || fetches.size() == kMaxFetches) continue;
      const Place& place = ValueAt(operand).place;
      const bool is_read = place.kind == Place::Kind::kOperand && place.level == TileLevel::kFull;
      const bool is_new = std::ranges::find(fetches, place) == fetches.end();
      if (is_read && is_new) fetches.push_back(place);
    }
  }
  return fetches;
}

}  // namespace hlo::simd
