// The results of a block: when its actions write them, and in which order these run. A result may
// lie where an operand does, so it is written once the tile has read all operands.
#include <algorithm>
#include <utility>

#include "interp/simd/block/block.h"
#include "support/stream_copy.h"

namespace hlo::simd {

// Whether a value that is made by rounding to a float of a byte is wanted for the result alone:
// narrowing rounds by itself then.
bool BlockBuilder::NarrowsAtOnce(ValueId id, ElementType type,
                                 std::span<const SlotId> results) const {
  const PendingAction& maker = pending_[static_cast<size_t>(ValueAt(id).maker)];
  if (maker.operation.kind != Operation::Kind::kRound || !IsByteFloat(type)) return false;
  const auto result_count = std::ranges::count_if(
      results, [&](SlotId result) { return made_.at(plan_.slot(result).buffer.value) == id; });
  return result_count == 1 && std::ranges::none_of(pending_, [&](const PendingAction& other) {
           return std::ranges::find(other.operands, id) != std::end(other.operands);
         });
}

// Results that are operands as they are, such as those that a conversion to their own type makes,
// are read with the others: another result may lie there.
void BlockBuilder::ReadPlainResults(std::span<const SlotId> results) {
  for (SlotId result : results) {
    ValueId& made = made_.at(plan_.slot(result).buffer.value);
    const Value operand = ValueAt(made);
    if (operand.place.kind != Place::Kind::kOperand) continue;
    PendingAction copy;
    copy.action.kind = Action::Kind::kCopy;
    copy.action.level = operand.level;
    copy.operands[0] = made;
    copy.result = NewValue(operand.type, operand.level);
    made = copy.result;
    Push(std::move(copy));
  }
}

// The last action that reads operands where they are; -1: none does.
int64_t BlockBuilder::LastOperandRead() const {
  const auto is_operand = [&](ValueId value) {
    return value != kNoValue && ValueAt(value).place.kind == Place::Kind::kOperand;
  };
  for (size_t i = pending_.size(); i-- > 0;) {
    if (std::ranges::any_of(pending_[i].operands, is_operand)) return static_cast<int64_t>(i);
  }
  return -1;
}

void BlockBuilder::NumberMakers() {
  for (size_t i = 0; i < pending_.size(); ++i) {
    if (pending_[i].result == kNoValue) continue;
    ValueAt(pending_[i].result).maker = static_cast<int64_t>(i);
  }
}

// What is the same for all tiles comes first, and reductions of operands right behind what they
// need: neither chains nor results, which come after the last read of an operand, wait for them.
void BlockBuilder::HoistActions() {
  std::stable_partition(pending_.begin(), pending_.end(),
                        [](const PendingAction& action) { return action.is_constant; });
  NumberMakers();
  for (auto action = pending_.begin(); action != pending_.end(); ++action) {
    const Action::Kind kind = action->action.kind;
    const bool is_reduction = kind == Action::Kind::kReduce || kind == Action::Kind::kReduceColumns;
    if (!is_reduction || ValueAt(action->operands[0]).place.kind != Place::Kind::kOperand) {
      continue;
    }
    const int64_t init_maker = ValueAt(action->operands[1]).maker;
    std::rotate(pending_.begin() + init_maker + 1, action, action + 1);
    NumberMakers();
  }
}

// Each behind the action it follows; those of one action keep their order.
void BlockBuilder::InsertStores(std::vector<PlacedStore> stores) {
  std::ranges::stable_sort(stores, {}, &PlacedStore::behind);
  std::vector<PendingAction> actions;
  actions.reserve(pending_.size() + stores.size());
  auto store = stores.begin();
  const auto insert_behind = [&](int64_t number) {
    for (; store != stores.end() && store->behind <= number; ++store) {
      actions.push_back(std::move(store->action));
    }
  };
  insert_behind(-1);
  for (size_t i = 0; i < pending_.size(); ++i) {
    actions.push_back(std::move(pending_[i]));
    insert_behind(static_cast<int64_t>(i));
  }
  pending_ = std::move(actions);
}

// A result is written where it belongs as soon as the tile has read all operands, since these may
// lie there: what is made before that, or rounded to narrow types, is copied then, while what made
// it or was read last may still be a chain that goes on with it.
void BlockBuilder::PlaceResults(Block& block, std::span<const SlotId> results) {
  ReadPlainResults(results);
  HoistActions();
  PlaceTotals(block, results);
  const int64_t last_read = LastOperandRead();
  std::vector<PlacedStore> stores;
  for (size_t r = 0; r < results.size(); ++r) {
    if (IsTotal(results[r])) continue;
    const ElementType type = TypeOf(results[r]);
    const bool is_output = outputs_.contains(results[r].value);
    const int64_t streamed_size = is_output ? kStreamedOutputSize : kStreamedSize;
    streams_[r] = !pieces_.contains(results[r].value) &&
                  CountOf(results[r]) >= streamed_size / ElementByteSize(type);
    const ValueId id = made_.at(plan_.slot(results[r]).buffer.value);
    Value& value = values_[static_cast<size_t>(id)];
    const Place place = {Place::Kind::kResult, value.level, ElementByteSize(type),
                         static_cast<int64_t>(r)};
    const bool is_made_here = value.place.kind == Place::Kind::kNone && value.maker >= last_read &&
                              !pending_[static_cast<size_t>(value.maker)].is_constant;
    if (is_made_here && !IsNarrow(type)) {
      value.place = place;
      continue;
    }
    if (is_made_here && NarrowsAtOnce(id, type, results)) {
      PendingAction& maker = pending_[static_cast<size_t>(value.maker)];
      maker.action.loop = GetBlockKernels().narrow(type);
      maker.operation = {Operation::Kind::kNarrow, Opcode::kCopy, type};
      value.place = place;
      continue;
    }
    PendingAction store;
    store.action.level = value.level;
    store.action.result = place;
    store.operands[0] = id;
    if (IsNarrow(type)) {
      store.action.kind = Action::Kind::kLoop;
      store.action.loop = GetBlockKernels().narrow(type);
      store.operation = {Operation::Kind::kNarrow, Opcode::kCopy, type};
    } else {
      store.action.kind = Action::Kind::kCopy;
    }
    stores.push_back({std::max(value.maker, last_read), std::move(store)});
  }
  InsertStores(std::move(stores));
  const auto may_be_one = [&](SlotId result, SlotId operand) {  // as buffers are shared
    const Shape &made = *plan_.slot(result).shape, &read = *plan_.slot(operand).shape;
    return made.element_type() == read.element_type() &&
           std::ranges::equal(made.dims(), read.dims());
  };
  for (size_t o = 0; o < operands_.size(); ++o) {
    if (reads_evenly_[o]) continue;
    // Another operand may be the same memory under another shape.
    for (SlotId other : operands_) {
      if (plan_.slot(other).buffer != plan_.slot(operands_[o]).buffer) continue;
      block.may_overwrite_ &=
          std::ranges::none_of(results, [&](SlotId result) { return may_be_one(result, other); });
    }
  }
}

}  // namespace hlo::simd
