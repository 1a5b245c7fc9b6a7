// The links of a chain out of its actions, whose order they keep to: one value is in registers at a
// time, and one that is wanted again later is stored.
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "interp/simd/block/block.h"

namespace hlo::simd {

class BlockBuilder::ChainWriter {
 public:
  ChainWriter(const BlockBuilder& builder, const PendingAction& chain)
      : builder_(builder), chain_(chain), kernels_(KernelsOf(chain.members[0])) {
    for (size_t m = 0; m < chain.members.size();) {
      joins_.push_back(builder.JoinAt(chain, m));
      if (const std::optional<Join>& join = joins_.back()) {
        // What is added to is in memory, as if it were read by the member that follows.
        last_use_[join->number] = m;
        if (join->addend != kNoValue) last_use_[join->addend] = m + 1;
        m += join->count;
        continue;
      }
      for (ValueId operand : chain.members[m].operands) {
        if (operand != kNoValue) last_use_[operand] = m;
      }
      ++m;
    }
  }

  std::shared_ptr<const Chain> Write(std::span<const Place> fetches, int64_t tile) {
    for (const Place& place : fetches) AddFetch(place, tile);
    size_t m = 0;
    for (const std::optional<Join>& join : joins_) {
      const PendingAction& member = chain_.members[m];
      if (join) {
        AddJoin(*join, m);
        for (const ValueId operand : {join->number, join->addend}) FreeOperand(operand, m + 1);
        m += join->count;
        continue;
      }
      if (member.operation.kind == Operation::Kind::kFold) {
        AddFold(member);
      } else {
        Add(member, m);
      }
      for (const ValueId operand : member.operands) FreeOperand(operand, m);
      ++m;
    }
    links_.push_back({.function = kernels_.end()});
    return std::make_shared<const Chain>(kernels_, std::move(links_), std::move(folds_),
                                         chain_.chain_row_length, buffer_count_);
  }

 private:
  using Link = Chain::Link;
  using Fold = Chain::Fold;

  void AddFetch(const Place& place, int64_t distance) {
    const LinkFunction fetch = kernels_.fetch(place.element_size);
    if (fetch == nullptr) return;
    links_.push_back({.function = fetch,
                      .spread = Chain::Spread::kElements,
                      .place = place,
                      .fetch_distance = distance});
  }

  void Add(const PendingAction& member, size_t m) {
    const auto [a, b, c] = member.operands;
    const Operation& operation = member.operation;
    Link link;
    link.function = builder_.LinkOf(member);
    if (operation.kind == Operation::Kind::kWiden) {
      Point(a, link);
    } else if (operation.kind == Operation::Kind::kNarrow && member.result != kNoValue) {
      Load(a);
      return Keep(member.result, operation.type, LastUseOf(member.result) > m);
    } else if (member.result == kNoValue) {
      Load(a);
      PointAtResult(member, link);
    } else if (b == kNoValue) {
      Load(a);
    } else if (operation.opcode == Opcode::kSelect) {
      AddSelect(member);
      return KeepResult(member, m);
    } else {
      if (operation.type == ElementType::kPred) KeepMasks(a, b);
      PointAtOperands(member, link);
    }
    links_.push_back(link);
    if (member.result != kNoValue) KeepResult(member, m);
  }
  // That is in registers now.
  void KeepResult(const PendingAction& member, size_t m) {
    in_registers_ = member.result;
    Keep(member.result, kernels_.type, LastUseOf(member.result) > m + 1);
  }

  // The links behind the first only say where something is.
  void AddJoin(const Join& join, size_t m) {
    Load(join.number);
    if (join.sum != kNoValue) {
      AddPointer(join.addend, kernels_.mix());
      const int64_t buffer = NewBuffer(join.sum);
      links_.push_back({.spread = Chain::Spread::kBuffer, .place = {.at = buffer}});
      AddPointer(join.left, nullptr);
    } else {
      AddPointer(join.left, kernels_.join_shifts());
    }
    AddPointer(join.right, nullptr);
    in_registers_ = join.result;
    Keep(join.result, kernels_.type, LastUseOf(join.result) > m + join.count);
  }

  void AddPointer(ValueId id, LinkFunction function) {
    Link link;
    Point(id, link);
    link.function = function;
    links_.push_back(link);
  }

  // Its lanes are in a buffer that stays its own.
  void AddFold(const PendingAction& member) {
    Load(member.operands[0]);
    Link link;
    link.function = builder_.LinkOf(member);
    link.spread = Chain::Spread::kBuffer;
    link.place.at = buffer_count_++;
    folds_.push_back({.opcode = member.operation.opcode,
                      .link = links_.size(),
                      .buffer = link.place.at,
                      .init = builder_.ValueAt(member.operands[1]).place,
                      .result = builder_.ValueAt(member.result).place});
    links_.push_back(link);
  }

  // One of the two operands is in registers then.
  void PointAtOperands(const PendingAction& member, Link& link) {
    const ValueId a = member.operands[0], b = member.operands[1];
    if (in_registers_ != b || a == b) Load(a);
    LinkOperands operands = LinkOperands::kRegistersTwice;
    if (a != b) {
      const bool is_behind = in_registers_ == b;
      Point(is_behind ? a : b, link);
      if (IsOne(link)) {
        operands = is_behind ? LinkOperands::kOneRegisters : LinkOperands::kRegistersOne;
      } else {
        operands = is_behind ? LinkOperands::kMemoryRegisters : LinkOperands::kRegistersMemory;
      }
    }
    const Operation& operation = member.operation;
    const ElementType type = operation.is_of_bf16 ? ElementType::kBf16 : operation.type;
    link.function = operation.opcode == Opcode::kCompare
                        ? kernels_.compare(operation.direction, type, operands)
                        : kernels_.binary(operation.opcode, type, operands);
  }

  // --- Truth values

  bool IsMask(ValueId id) const { return builder_.ValueAt(id).type == ElementType::kPred; }

  // Stores what is in registers where later links of the chain read it.
  void KeepInBuffer(ValueId id) {
    if (!buffers_.contains(id)) StoreInBuffer(id, kernels_.type);
  }
  void StoreInBuffer(ValueId id, ElementType type) {
    Link link;
    link.function = kernels_.store(type);
    link.spread = Chain::Spread::kBuffer;
    link.place.at = NewBuffer(id);
    links_.push_back(link);
  }
  // Links read truth values in registers and buffers.
  void KeepMasks(ValueId a, ValueId b) {
    if (in_registers_ == a || in_registers_ == b) KeepInBuffer(in_registers_);
    for (const ValueId id : {a, b}) {
      if (buffers_.contains(id)) continue;
      Load(id);
      KeepInBuffer(id);
    }
  }

  void AddSelect(const PendingAction& member) {
    const auto [mask, on_true, on_false] = member.operands;
    if (on_true == on_false) return Load(on_true);
    int in_registers = 0;
    if (in_registers_ != mask) {
      if (in_registers_ == on_true) in_registers = 1;
      if (in_registers_ == on_false) in_registers = 2;
      if (in_registers != 0 && !buffers_.contains(mask)) {
        // Unless it is in memory as it is.
        if (builder_.ValueAt(in_registers_).place.kind == Place::Kind::kNone) {
          KeepInBuffer(in_registers_);
        }
        in_registers = 0;
      }
      if (in_registers == 0) Load(mask);
    }
    ValueId others[2] = {in_registers == 0 ? on_true : mask,
                         in_registers == 2 ? on_true : on_false};
    Link links[2];
    for (int i = 0; i < 2; ++i) Point(others[i], links[i]);
    links[0].function = kernels_.select(in_registers, IsOne(links[0]), IsOne(links[1]));
    for (Link& link : links) links_.push_back(link);
  }

  static bool IsOne(const Link& link) {
    return link.spread == Chain::Spread::kOne || link.spread == Chain::Spread::kRow;
  }

  void PointAtResult(const PendingAction& member, Link& link) const {
    const ElementType type =
        member.operation.kind == Operation::Kind::kNarrow ? member.operation.type : kernels_.type;
    PointAt(member.action.result, type, link);
  }
  // Of links that store.
  void PointAt(const Place& place, ElementType type, Link& link) const {
    link.place = place;
    link.spread = Chain::Spread::kElements;
    link.is_store = true;
    if (place.kind == Place::Kind::kResult && builder_.streams_[static_cast<size_t>(place.at)]) {
      link.stream = kernels_.stream(type);
    }
  }

  // Where a value is in memory.
  void Point(ValueId id, Link& link) {
    if (const auto found = buffers_.find(id); found != buffers_.end()) {
      link.spread = Chain::Spread::kBuffer;
      link.place.at = found->second;
      return;
    }
    link.spread = builder_.SpreadOf(chain_, id);
    const bool is_of_row = link.spread == Chain::Spread::kRow;
    link.place = builder_.ValueAt(is_of_row ? builder_.ValueAt(id).row_value : id).place;
  }

  void Load(ValueId id) {
    if (in_registers_ == id) return;
    Link link;
    Point(id, link);
    if (link.spread != Chain::Spread::kBuffer && IsMask(id)) {
      link.function = IsOne(link) ? kernels_.load_one_mask() : kernels_.load(ElementType::kPred);
    } else {
      link.function = IsOne(link) ? kernels_.load_one() : kernels_.load(kernels_.type);
    }
    links_.push_back(link);
    in_registers_ = id;
  }

  // The last member that reads it, or the first if none does.
  size_t LastUseOf(ValueId id) const {
    const auto found = last_use_.find(id);
    return found == last_use_.end() ? 0 : found->second;
  }

  // Stores what is in registers as `type`, if it has a place, or members read it from memory.
  void Keep(ValueId id, ElementType type, bool is_read_later) {
    const Place& place = builder_.ValueAt(id).place;
    if (place.kind == Place::Kind::kNone && !is_read_later) return;
    if (place.kind == Place::Kind::kNone) return StoreInBuffer(id, type);
    const ElementType stored = IsMask(id) ? ElementType::kPred : type;
    Link link;
    link.function = kernels_.store(stored);
    PointAt(place, stored, link);
    links_.push_back(link);
  }

  int64_t NewBuffer(ValueId id) {
    int64_t buffer = buffer_count_;
    if (free_buffers_.empty()) {
      ++buffer_count_;
    } else {
      buffer = free_buffers_.back();
      free_buffers_.pop_back();
    }
    return buffers_[id] = buffer;
  }

  // Whose buffer may be another's if it is not read behind `m`.
  void FreeOperand(ValueId operand, size_t m) {
    const auto buffer = buffers_.find(operand);
    if (buffer == buffers_.end() || last_use_.at(operand) > m) return;
    free_buffers_.push_back(buffer->second);
    buffers_.erase(buffer);
  }

  const BlockBuilder& builder_;
  const PendingAction& chain_;
  const ChainKernels& kernels_;
  ValueId in_registers_ = kNoValue;
  std::vector<Link> links_;
  std::vector<Fold> folds_;
  std::vector<std::optional<Join>> joins_;         // in order; members by themselves have none
  absl::flat_hash_map<ValueId, size_t> last_use_;  // member
  absl::flat_hash_map<ValueId, int64_t> buffers_;
  std::vector<int64_t> free_buffers_;
  int64_t buffer_count_ = 0;
};

std::shared_ptr<const Chain> BlockBuilder::WriteChain(const PendingAction& chain,
                                                      std::span<const Place> fetches,
                                                      int64_t tile) const {
  return ChainWriter(*this, chain).Write(fetches, tile);
}

}  // namespace hlo::simd
