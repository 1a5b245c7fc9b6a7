// The values of a block, and the registers they get: last, for first it must be known how large a
// tile is, what is the same for all tiles, and which values are results (block_results.cc). What
// steps are in a block says block_steps.cc.
#include <algorithm>
#include <numeric>
#include <utility>

#include "interp/simd/base/aligned_memory.h"
#include "interp/simd/block/block.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kTileSize = 1024;  // elements, about
// The same where chains do all work: then little is kept of a tile, of rows more than otherwise.
// Half as many where some have 64 bits.
constexpr int64_t kChainTileSize = 8192;
constexpr int64_t kRowTileSize = 4096;
constexpr int64_t kCountedTileSize = 4096;  // numbers that count are written first

const Shape& ShapeOf(const Plan& plan, SlotId slot) { return *plan.slot(slot).shape; }

}  // namespace

BlockBuilder::BlockBuilder(const Plan& plan, int64_t count, int64_t row_length)
    : plan_(plan), count_(count), row_length_(row_length) {}

BlockBuilder BlockBuilder::OfFunction(const Plan& plan, int64_t count, bool is_exact) {
  BlockBuilder builder(plan, count, /*row_length=*/1);
  builder.is_of_function_ = true;
  builder.is_exact_ = is_exact;
  return builder;
}

int64_t BlockBuilder::CountOf(SlotId slot) const {
  if (is_of_function_) return count_;
  return ElementCount(ShapeOf(plan_, slot)).value_or(-1);
}

int64_t BlockBuilder::OperandNumber(SlotId slot) {
  const auto found = std::ranges::find(operands_, slot);
  if (found != operands_.end()) return found - operands_.begin();
  operands_.push_back(slot);
  reads_evenly_.push_back(true);
  return static_cast<int64_t>(operands_.size()) - 1;
}

// --- Values

BlockBuilder::ValueId BlockBuilder::NewValue(ElementType type, TileLevel level) {
  values_.push_back({.type = type, .level = level, .place = {}});
  return static_cast<ValueId>(values_.size()) - 1;
}

void BlockBuilder::Push(PendingAction pending) {
  values_[static_cast<size_t>(pending.result)].maker = static_cast<int64_t>(pending_.size());
  pending_.push_back(std::move(pending));
}

BlockBuilder::ValueId BlockBuilder::Apply(TileLoop loop, std::initializer_list<ValueId> operands,
                                          ElementType type, TileLevel level, Operation operation) {
  if (loop == nullptr) return kNoValue;
  PendingAction pending;
  pending.action.kind = Action::Kind::kLoop;
  pending.action.level = level;
  pending.action.loop = loop;
  pending.operation = operation;
  std::ranges::copy(operands, pending.operands);
  pending.result = NewValue(type, level);
  const ValueId result = pending.result;
  Push(std::move(pending));
  return result;
}

// A tile of f32 whose elements become those of a narrow type.
BlockBuilder::ValueId BlockBuilder::Rounded(ValueId value, ElementType type,
                                            bool is_arithmetic_result) {
  if (value == kNoValue || !IsNarrow(type)) return value;
  return Apply(GetBlockKernels().round(type), {value}, type, ValueAt(value).level,
               {Operation::Kind::kRound, Opcode::kCopy, type, is_arithmetic_result});
}

// What lies in memory as `type`, as a tile.
BlockBuilder::ValueId BlockBuilder::Widened(ValueId value, ElementType type, TileLevel level) {
  if (!IsNarrow(type)) return value;
  return Apply(GetBlockKernels().widen(type), {value}, type, level,
               {Operation::Kind::kWiden, Opcode::kCopy, type});
}

BlockBuilder::ValueId BlockBuilder::ValueOf(SlotId slot, TileLevel level) {
  const size_t key = 2 * slot.value + static_cast<size_t>(level);
  if (auto found = read_values_.find(key); found != read_values_.end()) return found->second;
  ValueId value = kNoValue;
  if (auto read = reads_.find(slot.value); read != reads_.end()) {
    value = ReadValue(*read->second, TypeOf(slot), level);
  } else if (auto made = made_.find(plan_.slot(slot).buffer.value); made != made_.end()) {
    const ElementType type = made_types_.at(made->first);
    if (ValueAt(made->second).level != level) return kNoValue;
    if (HaveSameTiles(type, TypeOf(slot))) return made->second;
    value = Viewed(made->second, type, TypeOf(slot));
  } else {
    value = OperandValue(slot, level);
  }
  read_values_[key] = value;
  return value;
}

// What is made as `from`, whose bits show `to`: numbers of the same size.
BlockBuilder::ValueId BlockBuilder::Viewed(ValueId value, ElementType from, ElementType to) {
  if (!is_of_function_) return kNoValue;  // another block
  const TileLevel level = ValueAt(value).level;
  if (IsNarrow(from)) {
    value = Apply(GetBlockKernels().narrow(from), {value}, BitsType(from), level);
  }
  return IsNarrow(to) ? Apply(GetBlockKernels().widen(to), {value}, to, level) : value;
}

// An operand as it is, element for element; a scalar beside other sizes stands for all elements.
BlockBuilder::ValueId BlockBuilder::OperandValue(SlotId slot, TileLevel level) {
  const int64_t count = CountOf(slot);
  const int64_t level_count = level == TileLevel::kFull ? count_ : count_ / row_length_;
  const ElementType type = TypeOf(slot);
  if (count == 1 && level_count != 1) {
    IndexedRead scalar;
    scalar.source = slot;
    return ReadValue(scalar, type, level);
  }
  if (count != level_count) return kNoValue;
  const ValueId value = NewValue(type, level);
  values_[static_cast<size_t>(value)].place = {Place::Kind::kOperand, level, ElementByteSize(type),
                                               OperandNumber(slot)};
  return Widened(value, type, level);
}

// Whether what it reads is no array in memory.
bool BlockBuilder::IsMadeHere(const IndexedRead& read) const {
  const auto is_made = [&](SlotId slot) {
    return slot.valid() && made_.contains(plan_.slot(slot).buffer.value);
  };
  return is_made(read.source) ||
         std::ranges::any_of(read.starts, is_made, &IndexedRead::Start::slot) ||
         std::ranges::any_of(read.pieces, [&](const auto& piece) { return IsMadeHere(piece); });
}

// Of one array, or of a counter.
std::optional<Block::Read> BlockBuilder::ReadBy(const IndexedRead& read) {
  Block::Read result;
  result.offset = read.offset;
  if (!read.IsUniform()) {
    std::vector<Block::Stride>& strides = result.strides;
    for (size_t d = 0; d < read.dims.size(); ++d) {
      if (read.dims[d] == 1) continue;
      if (!strides.empty() && strides.back().stride == read.dims[d] * read.strides[d]) {
        strides.back() = {strides.back().size * read.dims[d], read.strides[d]};
      } else {
        strides.push_back({read.dims[d], read.strides[d]});
      }
    }
    if (strides.size() > Block::kMaxReadRank) return std::nullopt;
  }
  const auto operand_of = [&](SlotId slot) {
    const int64_t number = OperandNumber(slot);
    reads_evenly_[static_cast<size_t>(number)] = false;
    return number;
  };
  if (!read.is_counter) result.operand = operand_of(read.source);
  for (const IndexedRead::Start& start : read.starts) {
    result.starts.push_back({operand_of(start.slot), start.element, start.last, start.stride});
  }
  return result;
}

// From row to row of a piece whose rows lie side by side each, and evenly; else 0.
int64_t BlockBuilder::RowStrideOf(const Block::Read& piece) {
  const std::vector<Block::Stride>& strides = piece.strides;
  const int64_t length = piece.row_length;
  const bool is_of_single_elements = length == 1 && strides.size() == 1;
  if (is_of_single_elements) return strides[0].stride;
  if (strides.empty() || strides.back().stride != 1 || strides.back().size % length != 0) return 0;
  if (strides.size() == 1) return length;
  return strides.size() == 2 && strides.back().size == length ? strides[0].stride : 0;
}

BlockBuilder::ValueId BlockBuilder::ReadValue(const IndexedRead& read, ElementType type,
                                              TileLevel level) {
  if (IsMadeHere(read)) {
    const bool is_of_rows = level == TileLevel::kFull && read.IsStrided();
    return is_of_rows ? RepeatedRow(made_.at(plan_.slot(read.source).buffer.value), type)
                      : kNoValue;
  }
  if (level == TileLevel::kFull && read.RepeatsRows(row_length_) && CountOf(read.source) > 1 &&
      CountOf(read.source) * row_length_ == count_ && TypeOf(read.source) == type) {
    return RepeatedRow(OperandValue(read.source, TileLevel::kRow), type);
  }
  if (level == TileLevel::kFull && !read.IsUniform()) {
    if (const std::optional<IndexedRead> rows = read.RowsOf(row_length_)) {
      return RepeatedRow(ReadValue(*rows, type, TileLevel::kRow), type);
    }
  }
  PendingAction pending;
  Action& action = pending.action;
  action.level = level;
  action.type = type;
  pending.is_constant = read.IsUniform();
  if (read.pieces.empty()) {
    action.kind = read.is_counter ? Action::Kind::kCount : Action::Kind::kRead;
    std::optional<Block::Read> by = ReadBy(read);
    if (!by) return kNoValue;
    if (!by->strides.empty() && by->strides.front().stride == 0) {
      pending.period = 1;
      for (size_t d = 1; d < by->strides.size(); ++d) pending.period *= by->strides[d].size;
    }
    action.reads.push_back(*std::move(by));
  } else {
    action.kind = Action::Kind::kReadPieces;
    for (size_t i = 0; i < read.pieces.size(); ++i) {
      std::optional<Block::Read> piece = ReadBy(read.pieces[i]);
      if (!piece) return kNoValue;
      piece->row_length = read.piece_row_lengths[i];
      piece->row_stride = RowStrideOf(*piece);
      action.reads.push_back(*std::move(piece));
    }
  }
  const ValueId value = NewValue(type, level);
  // As in memory; a narrow float is widened next.
  values_[static_cast<size_t>(value)].place.element_size = ElementByteSize(type);
  pending.result = value;
  Push(std::move(pending));
  const ValueId widened = Widened(value, type, level);
  const bool has_negated = std::ranges::any_of(read.pieces, &IndexedRead::is_negated);
  return has_negated ? NegatedInRows(widened, read, type, level) : widened;
}

// The pieces of a concatenation, of which the first or the last ones are to be negated: those of
// the elements that come before, or behind, the place in a row where these begin or end.
BlockBuilder::ValueId BlockBuilder::NegatedInRows(ValueId value, const IndexedRead& read,
                                                  ElementType type, TileLevel level) {
  const bool are_first = read.pieces[0].is_negated;
  int64_t border = 0, length = 0;
  for (size_t i = 0; i < read.pieces.size(); ++i) {
    length += read.piece_row_lengths[i];
    if (read.pieces[i].is_negated == are_first) border = length;
  }
  const int64_t count = level == TileLevel::kFull ? count_ : count_ / row_length_;
  IndexedRead place, limit;
  place.is_counter = limit.is_counter = true;
  place.dims = {count / length, length};
  place.strides = {0, 1};
  limit.offset = border;
  const BlockKernels& kernels = GetBlockKernels();
  const auto direction = are_first ? ComparisonDirection::kLt : ComparisonDirection::kGe;
  constexpr ElementType kPlace = ElementType::kS32;
  const ElementType tile = TileType(type);
  const ValueId places = ReadValue(place, kPlace, level), limits = ReadValue(limit, kPlace, level);
  const ValueId is_negated =
      Apply(kernels.compare(direction, kPlace), {places, limits}, ElementType::kPred, level,
            {.kind = Operation::Kind::kElementwise,
             .opcode = Opcode::kCompare,
             .type = kPlace,
             .direction = direction});
  const ValueId negated =
      Apply(kernels.elementwise(Opcode::kNegate, tile), {value}, type, level,
            {.kind = Operation::Kind::kElementwise, .opcode = Opcode::kNegate, .type = tile});
  return Apply(kernels.select(ElementByteSize(tile)), {is_negated, negated, value}, type, level,
               {.kind = Operation::Kind::kElementwise, .opcode = Opcode::kSelect, .type = tile});
}

// A value by row for all elements of the row.
BlockBuilder::ValueId BlockBuilder::RepeatedRow(ValueId row, ElementType type) {
  if (row == kNoValue || ValueAt(row).level != TileLevel::kRow) return kNoValue;
  PendingAction pending;
  pending.action.kind = Action::Kind::kRepeat;
  pending.action.level = TileLevel::kFull;
  pending.operands[0] = row;
  pending.result = NewValue(type, TileLevel::kFull);
  const ValueId result = pending.result;
  ValueAt(result).row_value = row;
  Push(std::move(pending));
  return result;
}

// --- The block

// Enough repetitions of `period` elements to be worth a round of a chain, if there may be so many.
int64_t BlockBuilder::WholeGroups(int64_t period) {
  constexpr int64_t kEnough = 4 * kMaxGroupSize;
  int64_t length = period;
  while ((length % kMaxGroupSize != 0 || length < kEnough) && 2 * length <= kMaxPeriod) length *= 2;
  return length;
}

bool BlockBuilder::HasWide() const {
  return std::ranges::any_of(
      values_, [](const Value& value) { return BitWidth(TileType(value.type)) == 64; });
}

void BlockBuilder::ChooseTile(Block& block) {
  int64_t unit = row_length_;
  for (const PendingAction& pending : pending_) {
    if (pending.period <= 1) continue;
    const int64_t period =
        pending.action.level == TileLevel::kFull ? pending.period : pending.period * row_length_;
    const int64_t common = std::lcm(unit, period);
    if (period <= kMaxPeriod && common <= kMaxPeriod) unit = common;
  }
  if (const int64_t of_runs = TileOfRuns(unit); of_runs > 0) {
    block.tile_ = of_runs;
    return;
  }
  const bool is_chained = std::ranges::all_of(pending_, [&](const PendingAction& pending) {
    const Action::Kind kind = pending.action.kind;
    return kind == Action::Kind::kReduce || kind == Action::Kind::kReduceColumns ||
           kind == Action::Kind::kRepeat || kind == Action::Kind::kCount ||
           pending.action.level == TileLevel::kRow || pending.is_constant || pending.period > 0 ||
           IsLink(pending);
  });
  int64_t size = kTileSize;
  if (is_chained) {
    const int64_t share = HasWide() ? 2 : 1;
    const auto is_link = [&](const PendingAction& pending) { return IsLink(pending); };
    if (row_length_ > 1) {
      size = kRowTileSize / share;
    } else if (std::ranges::count_if(pending_, is_link) != kFewMembers) {  // else they are loops
      const bool has_counted = std::ranges::any_of(pending_, [](const PendingAction& pending) {
        return pending.action.kind == Action::Kind::kCount && !pending.is_constant;
      });
      const int64_t largest = has_counted ? kCountedTileSize : kChainTileSize;
      size = std::clamp(count_, size, largest / share);
    }
    if (row_length_ == 1 && unit > 1) unit = WholeGroups(unit);
  }
  const bool has_columns = std::ranges::any_of(totals_, &PendingTotal::is_of_columns);
  if (has_columns) unit *= kSummedRows;
  size = std::min(size, CeilDiv(count_ / column_batch_, unit) * unit);
  block.tile_ = unit * std::max<int64_t>(1, size / unit);
  if (row_length_ > 1 && totals_.empty()) block.tile_ = TileInRuns(unit, block.tile_);
}

void BlockBuilder::PlaceRegisters(Block& block) {
  std::vector<size_t> last_use(values_.size(), 0);
  for (size_t i = 0; i < pending_.size(); ++i) {
    ForEachRead(pending_[i], [&](ValueId operand, Chain::Spread) {
      last_use[static_cast<size_t>(operand)] = i;
    });
  }
  absl::flat_hash_map<int64_t, std::vector<int64_t>> free;  // by byte size
  const auto byte_size_of = [&](const Value& value) {
    const int64_t tile = value.level == TileLevel::kFull ? block.tile_ : block.tile_ / row_length_;
    const int64_t count = value.span != 0 ? value.span : tile;
    return Aligned(count * value.place.element_size);
  };
  const auto place = [&](ValueId id) {
    Value& value = ValueAt(id);
    if (value.place.kind != Place::Kind::kNone) return;
    if (value.place.element_size == 0) {
      value.place.element_size = ElementByteSize(TileType(value.type));
    }
    value.place.kind = Place::Kind::kRegister;
    value.place.level = value.level;
    std::vector<int64_t>& offsets = free[byte_size_of(value)];
    if (offsets.empty() || value.is_constant) {
      value.place.at = block.register_byte_size_;
      block.register_byte_size_ += byte_size_of(value);
    } else {
      value.place.at = offsets.back();
      offsets.pop_back();
    }
  };
  int64_t room_byte_size = 0;
  std::vector<Place> fetches = FetchesOfNextTile();
  for (size_t i = 0; i < pending_.size(); ++i) {
    PendingAction& pending = pending_[i];
    // Of what a chain makes, others read this.
    for (const PendingAction& member : pending.members) {
      if (member.result != kNoValue && last_use[static_cast<size_t>(member.result)] > i) {
        place(member.result);
      }
    }
    if (pending.result != kNoValue) {
      place(pending.result);
      pending.action.result = ValueAt(pending.result).place;
      pending.action.count = ValueAt(pending.result).span;
    }
    for (size_t k = 0; k < 3; ++k) {
      if (pending.operands[k] == kNoValue) continue;
      pending.action.operands[k] = ValueAt(pending.operands[k]).place;
    }
    if (!pending.members.empty()) {
      pending.action.chain = WriteChain(pending, std::exchange(fetches, {}), block.tile_);
      block.streams_ |= pending.action.chain->streams();
      room_byte_size = std::max(room_byte_size, pending.action.chain->room_byte_size());
    }
    ForEachRead(pending, [&](ValueId operand, Chain::Spread) {
      const Value& value = ValueAt(operand);
      size_t& use = last_use[static_cast<size_t>(operand)];
      if (use != i || value.is_constant || value.place.kind != Place::Kind::kRegister) return;
      free[byte_size_of(value)].push_back(value.place.at);
      use = SIZE_MAX;  // once
    });
    (pending.is_constant ? block.once_ : block.actions_).push_back(std::move(pending.action));
  }
  block.room_ = block.register_byte_size_;
  block.register_byte_size_ += room_byte_size;
}

// What is the same for all tiles, and after how many elements it repeats.
void BlockBuilder::FindConstants(const Block& block) {
  for (PendingAction& pending : pending_) {
    const int64_t share = pending.action.level == TileLevel::kFull ? 1 : row_length_;
    const int64_t tile = block.tile_ / share, entry = count_ / column_batch_ / share;
    const Action::Kind kind = pending.action.kind;
    const bool is_read = kind == Action::Kind::kRead || kind == Action::Kind::kCount ||
                         kind == Action::Kind::kReadPieces;
    int64_t period = 1;
    if (is_read) {
      period = pending.is_constant ? 1 : pending.period;
      pending.is_constant |= pending.period > 0 && tile % pending.period == 0 &&
                             (column_batch_ == 1 || entry % pending.period == 0);
    } else {
      pending.is_constant = std::ranges::all_of(pending.operands, [&](ValueId operand) {
        return operand == kNoValue || ValueAt(operand).is_constant;
      });
      for (ValueId operand : pending.operands) {
        if (operand != kNoValue) period = std::lcm(period, ValueAt(operand).period);
      }
      pending.is_constant &= kind != Action::Kind::kReduceColumns;
    }
    Value& value = ValueAt(pending.result);
    value.is_constant = pending.is_constant;
    if (pending.is_constant && value.level == TileLevel::kFull) value.period = period;
  }
}

std::shared_ptr<const Block> BlockBuilder::Finish(std::span<const SlotId> results,
                                                  std::vector<SlotId>& operands) {
  auto block = std::make_shared<Block>();
  block->count_ = count_;
  block->row_length_ = block->part_unit_ = row_length_;
  SplitClamps();
  ChooseTile(*block);
  FindConstants(*block);
  for (SlotId result : results) {
    if (!made_.contains(plan_.slot(result).buffer.value)) return nullptr;
  }
  PlaceResults(*block, results);
  block->table_operand_ = TableOperand(results);
  FormChains();
  LocateReads(*block);
  FindSpans(*block);
  PlaceRegisters(*block);
  block->ChooseParts();
  if (std::ranges::any_of(totals_, &PendingTotal::is_of_columns))
    block->ChoosePieces(column_batch_);
  block->MakeCalls(operands_.size(), results.size());
  block->reads_evenly_ = reads_evenly_;
  operands = operands_;
  return block;
}

}  // namespace hlo::simd
