// Which steps of a region go together (region_fuser.h).
#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "interp/simd/block/reduced_rows.h"
#include "interp/simd/fuse/region_fuser.h"
#include "interp/simd/fuse/step_reads.h"
#include "interp/simd/loops/byte_floats.h"

namespace hlo::simd {
namespace {

constexpr int64_t kMaxRowLength = 8192;
// Of rows that are enough for all threads, each as a tile that second-level caches hold.
constexpr int64_t kMaxLongRowLength = int64_t{1} << 18;
constexpr int64_t kManyRows = 16;
constexpr int64_t kMinRowLength = 32;    // of those that are parts of a total
constexpr int64_t kMinPartLength = 256;  // of rows that several tiles make up
constexpr int64_t kMaxPartLength = 4096;
constexpr int64_t kMinColumns = 16;
constexpr int64_t kMinColumnLength = 64;
constexpr int64_t kMinEntryLength = 16;  // the same of the entries of a batch
constexpr size_t kMaxMembers = 128;
constexpr int64_t kFewElements = 512;
constexpr int64_t kMinRepeatedLength = 128;  // of rows with one element each of what they read
constexpr int64_t kMinRepeatedCount = 4096;  // elements of all such rows
constexpr size_t kMaxMovable = 8;            // groups that are looked at for each

// Floats whose negatives are such floats.
bool HasNegatives(ElementType type) { return IsFloat(type) && IsClosed(type); }

// Whether both run over the same few elements.
bool AreAlike(const FuseGroup& a, const FuseGroup& b) {
  return a.count == b.count && a.count <= kFewElements && a.row_length == 1 && b.row_length == 1;
}

// Tiles that make up rows of `length`; 0: none is worth one.
int64_t LongestPart(int64_t length) {
  if (length <= kMaxPartLength) return length >= kMinRowLength ? length : 0;
  for (int64_t part = kMaxPartLength; part >= kMinPartLength; --part) {
    if (length % part == 0) return part;
  }
  return 0;
}

// Whether rows of `length` are tiles, of so many elements in all.
bool HasFittingRows(int64_t count, int64_t length) {
  if (length <= kMaxRowLength) return length > 1;
  return length <= kMaxLongRowLength && count / length >= kManyRows;
}

// The same of tiles of rows whose columns are reduced, in each entry of a batch.
bool HasFittingColumns(int64_t batch, int64_t length, int64_t columns) {
  return columns >= kMinColumns && columns <= kMaxRowLength &&
         length >= (batch == 1 ? kMinColumnLength : kMinEntryLength);
}

}  // namespace

// `slot` may be a reshape of what a broadcast or the like makes.
const IndexedRead* RegionFuser::ReadOfOtherShape(SlotId slot) const {
  const auto made = context_.made_by_readers.find(context_.BufferOf(slot));
  if (made == context_.made_by_readers.end()) return nullptr;
  const Shape &shape = ShapeOf(slot), &other = ShapeOf(made->second);
  if (shape.element_type() != other.element_type() || CountOf(slot) != CountOf(made->second)) {
    return nullptr;
  }
  // Parts of arrays cost nothing (pass parts), and blocks read them where they lie.
  const IndexedRead& read = *context_.reads.at(made->second.value);
  std::unique_ptr<IndexedRead> reshaped = read.IsPart() ? nullptr : Reshaped(read, shape.dims());
  return (context_.reads[slot.value] = std::move(reshaped)).get();
}

void RegionFuser::Close(SlotId slot) {
  const SlotId source = SourceOf(slot);
  if (!source.valid()) return;
  if (const size_t group = OpenGroupOf(source); group != kNoGroup) groups_[group].is_open = false;
  CloseBehind(source);
}

// `array` is read in memory. If a reader makes it, that one runs before, and so does what makes the
// reader's source.
void RegionFuser::CloseBehind(SlotId array) {
  const auto found = context_.reads_of_buffers.find(context_.BufferOf(array));
  if (found != context_.reads_of_buffers.end() && found->second->source.valid()) {
    Close(found->second->source);
  }
}

void RegionFuser::CloseAllRead(const Step& step) {
  ForEachRead(step, [&](SlotId slot) { Close(slot); });
}

// Whether tiles hold what `slot` shows of what a step made: a bitcast may show the same bytes as
// elements of another type.
bool RegionFuser::IsOfTypeMade(SlotId slot) const {
  const auto made = made_types_.find(context_.BufferOf(slot));
  return made == made_types_.end() || HaveSameTiles(made->second, ShapeOf(slot).element_type());
}

// Whether `step`, which reads `operand` of `group`, can be a member of it.
bool RegionFuser::CanJoin(const Step& step, SlotId operand, const FuseGroup& group,
                          int64_t row_length) const {
  if (group.members.size() >= kMaxMembers || !IsOfTypeMade(SourceOf(operand)) ||
      totals_.contains(context_.BufferOf(SourceOf(operand)))) {
    return false;
  }
  const int64_t count = CountOf(step.results[0]);
  if (step.opcode == Opcode::kReduce) {
    return operand == step.operands[0] && ReadOf(operand) == nullptr &&
           CountOf(operand) == group.count &&
           (group.row_length == 1 || group.row_length == row_length);
  }
  if (const IndexedRead* read = ReadOf(operand)) {
    return count == group.count && CountOf(read->source) * group.row_length == group.count &&
           read->RepeatsRows(group.row_length);
  }
  if (CountOf(operand) != count) return false;
  return count == group.count || count * group.row_length == group.count;
}

// Two groups over the same elements become one; also when one runs over the rows of the other.
bool RegionFuser::Merge(size_t from, size_t into) {
  if (from == into) return true;
  FuseGroup& a = groups_[from];
  FuseGroup& b = groups_[into];
  const std::optional<int64_t> batch = CommonBatch(a.column_batch, b.column_batch);
  if (a.members.size() + b.members.size() > kMaxMembers || !batch) return false;
  if (a.count == b.count) {
    if (a.row_length != 1 && b.row_length != 1 && a.row_length != b.row_length) return false;
    b.row_length = std::max(a.row_length, b.row_length);
  } else if (a.count > b.count) {
    if (a.row_length == 1 || b.row_length != 1 || a.count != b.count * a.row_length) return false;
    b.count = a.count;
    b.row_length = a.row_length;
  } else if (b.row_length == 1 || a.row_length != 1 || b.count != a.count * b.row_length) {
    return false;
  }
  b.column_batch = *batch;
  std::vector<size_t> members;
  std::ranges::merge(a.members, b.members, std::back_inserter(members));
  b.members = std::move(members);
  a.members.clear();
  a.parent = into;
  return true;
}

// The length of the rows of a block that reduces for the step: those that it reduces, or, if these
// are too long or too few, parts of them; or those whose columns it reduces. The latter two only
// where a group makes the elements or reads them. 0: there is no block for it.
int64_t RegionFuser::TileRowLength(const Step& step) {
  const SlotId operand = step.operands[0], init = step.operands[1];
  const ReducedShape rows = ReducedShapeOf(plan_, step);
  const int64_t count = CountOf(operand);
  if (rows.outer == 1 && HasFittingRows(count, rows.length)) return rows.length;
  const size_t group = ReadOf(operand) == nullptr ? OpenGroupOfElements(operand) : kNoGroup;
  if (group == kNoGroup || ReadOf(init) != nullptr || makers_.contains(context_.BufferOf(init)) ||
      FindConversionReduce(step) != nullptr) {
    return 0;
  }
  const int64_t own = groups_[group].row_length;
  int64_t row_length = 0;
  if (rows.length > 1) {
    row_length = own == 1 ? LongestPart(rows.length) : rows.length % own == 0 ? own : 0;
  } else if (rows.length == 1 && HasFittingColumns(rows.batch, rows.outer, rows.kept) &&
             CommonBatch(groups_[group].column_batch, rows.batch)) {
    row_length = rows.kept;
  }
  return row_length > 1 && CanJoin(step, operand, groups_[group], row_length) ? row_length : 0;
}

// The open group that goes through the elements of `slot`: that makes it, or else reads it.
size_t RegionFuser::OpenGroupOfElements(SlotId slot) {
  const size_t maker = OpenGroupOf(slot);
  if (maker != kNoGroup) return maker;
  const auto found = element_readers_.find(context_.BufferOf(slot));
  if (found == element_readers_.end()) return kNoGroup;
  const size_t group = Find(found->second);
  return groups_[group].is_open && groups_[group].count == CountOf(slot) ? group : kNoGroup;
}

// Of arrays in memory whose every element goes with one of the group's.
void RegionFuser::NoteElementReads(const Step& step, size_t group) {
  for (SlotId operand : step.operands) {
    if (ReadOf(operand) == nullptr && CountOf(operand) == groups_[group].count) {
      element_readers_[context_.BufferOf(operand)] = group;
    }
  }
}

void RegionFuser::Join(size_t position, const Step& step, int64_t row_length) {
  size_t target = kNoGroup;
  for (SlotId operand : step.operands) {
    if (const SlotId source = SourceOf(operand); source.valid()) CloseBehind(source);
  }
  for (SlotId operand : step.operands) {
    const SlotId source = SourceOf(operand);
    const size_t group = source.valid() ? OpenGroupOf(source) : kNoGroup;
    if (group == kNoGroup || group == target) continue;
    if (!CanJoin(step, operand, groups_[group], row_length) ||
        (target != kNoGroup && !Merge(group, target))) {
      groups_[group].is_open = false;
    } else if (target == kNoGroup) {
      target = group;
    }
  }
  // Each operand was looked at beside the group it is in; together they may run over others.
  const auto fits_all = [&](const FuseGroup& group) {
    return std::ranges::all_of(step.operands, [&](SlotId operand) {
      const SlotId source = SourceOf(operand);
      return !source.valid() || OpenGroupOf(source) != target ||
             CanJoin(step, operand, group, row_length);
    });
  };
  if (target != kNoGroup && !fits_all(groups_[target])) {
    groups_[target].is_open = false;
    target = kNoGroup;
  }
  if (target == kNoGroup && step.opcode == Opcode::kReduce) {
    // What a group reads anyway is reduced on the way.
    const size_t reader = OpenGroupOfElements(step.operands[0]);
    if (reader != kNoGroup && CanJoin(step, step.operands[0], groups_[reader], row_length)) {
      target = reader;
    }
  }
  if (target == kNoGroup) {
    target = groups_.size();
    FuseGroup group;
    group.count =
        step.opcode == Opcode::kReduce ? CountOf(step.operands[0]) : CountOf(step.results[0]);
    group.parent = target;
    groups_.push_back(std::move(group));
  }
  FuseGroup& group = groups_[target];
  if (step.opcode == Opcode::kReduce) {
    group.row_length = row_length;
    if (const ReducedShape rows = ReducedShapeOf(plan_, step); rows.length == 1) {
      group.column_batch = std::max(group.column_batch, rows.batch);
    }
  }
  group.members.push_back(position);
  NoteElementReads(step, target);
  const SlotId result = step.results[0];
  if (step.opcode == Opcode::kReduce && RowLength(plan_, step) != group.row_length) {
    totals_.insert(context_.BufferOf(result));
  }
  makers_[context_.BufferOf(result)] = target;
  made_types_[context_.BufferOf(result)] = ShapeOf(result).element_type();
}

// Null: the step is none that others read through.
std::unique_ptr<IndexedRead> RegionFuser::FindRead(const Step& step) const {
  if (step.opcode == Opcode::kDynamicSlice &&
      context_.updated_buffers.contains(context_.BufferOf(step.operands[0]))) {
    return nullptr;
  }
  std::vector<std::unique_ptr<IndexedRead>> negated;
  return MakeIndexedRead(plan_, step, [&](SlotId slot) -> const IndexedRead* {
    std::unique_ptr<IndexedRead> read =
        step.opcode == Opcode::kConcatenate ? NegatedRead(slot) : nullptr;
    return read == nullptr ? ReadOf(slot) : negated.emplace_back(std::move(read)).get();
  });
}

// How `slot` is read before it is negated, as rotary embeddings do with half of a concatenation
// (Su et al. 2021); null: it is not, or there is no such read.
std::unique_ptr<IndexedRead> RegionFuser::NegatedRead(SlotId slot) const {
  const auto found = negated_.find(context_.BufferOf(slot));
  if (found == negated_.end() || !IsOfTypeMade(slot) ||
      context_.updated_buffers.contains(context_.BufferOf(found->second))) {
    return nullptr;
  }
  const IndexedRead* const read = AnyReadOf(found->second);
  if (read != nullptr && (!read->source.valid() || read->is_far)) return nullptr;
  std::unique_ptr<IndexedRead> negated =
      Reshaped(read != nullptr ? *read : ReadInMemory(plan_, found->second), ShapeOf(slot).dims());
  if (negated != nullptr) negated->is_negated = true;
  return negated;
}

void RegionFuser::AddReader(const Step& step, std::unique_ptr<IndexedRead> read) {
  const SlotId result = step.results[0];
  const bool stays =
      read->is_far || step.opcode == Opcode::kDynamicSlice || step.opcode == Opcode::kConcatenate;
  if (stays) {
    CloseAllRead(step);
  } else {
    context_.reads_of_buffers[context_.BufferOf(result)] = read.get();
  }
  context_.reader_numbers[&step] = context_.readers.size();
  context_.readers.push_back({&step, stays});
  context_.made_by_readers[context_.BufferOf(result)] = result;
  context_.reads[result.value] = std::move(read);
}

// Whether `slot` shows, by whatever readers, what `group` makes.
bool RegionFuser::ComesFrom(SlotId slot, size_t group) const {
  const auto made = makers_.find(context_.BufferOf(slot));
  if (made != makers_.end()) return Find(made->second) == group;
  const auto read = context_.reads_of_buffers.find(context_.BufferOf(slot));
  return read != context_.reads_of_buffers.end() && ComesFrom(*read->second, group);
}

bool RegionFuser::ComesFrom(const IndexedRead& read, size_t group) const {
  return (read.source.valid() && ComesFrom(read.source, group)) ||
         std::ranges::any_of(read.starts,
                             [&](const auto& start) { return ComesFrom(start.slot, group); }) ||
         std::ranges::any_of(read.pieces,
                             [&](const auto& piece) { return ComesFrom(piece, group); });
}

bool RegionFuser::ReadsFrom(const Step& step, size_t group) const {
  bool reads = false;
  ForEachRead(step, [&](SlotId slot) {
    const IndexedRead* read = AnyReadOf(slot);
    reads |= ComesFrom(slot, group) || (read != nullptr && ComesFrom(*read, group));
  });
  return reads;
}

bool RegionFuser::IsMadeBy(SlotId slot, size_t group) const {
  const auto maker = makers_.find(context_.BufferOf(slot));
  return maker != makers_.end() && Find(maker->second) == group;
}

// The arrays whose elements do not lie side by side as the group reads them, which takes long, and
// that no member makes. Few elements that are repeated do not count.
std::vector<SlotId> RegionFuser::ScatteredReadsOf(size_t group) const {
  std::vector<SlotId> arrays;
  for (size_t position : groups_[group].members) {
    for (SlotId operand : region_.steps[position].operands) {
      const IndexedRead* read = ReadOf(operand);
      if (read == nullptr || !read->source.valid() || read->IsPart()) continue;
      const bool is_large = CountOf(read->source) >= groups_[group].count / 2;
      if (is_large && !IsMadeBy(read->source, group)) arrays.push_back(read->source);
    }
  }
  return arrays;
}

// Whether both run over the same elements and read some of the same arrays in pieces: that is done
// once then.
bool RegionFuser::ReadAlike(size_t a, size_t b) const {
  const FuseGroup &first = groups_[a], &second = groups_[b];
  if (first.count != second.count || first.row_length != 1 || second.row_length != 1) return false;
  const std::vector<SlotId> reads = ScatteredReadsOf(a), others = ScatteredReadsOf(b);
  return std::ranges::any_of(reads, [&](SlotId read) {
    return std::ranges::any_of(
        others, [&](SlotId other) { return context_.BufferOf(other) == context_.BufferOf(read); });
  });
}

// Groups over few elements that have nothing to do with each other become one: a step takes longer
// than what it does. So do those that read the same arrays in pieces. The first of them moves to
// where the second stands, past blocks that do not read what it makes, and past no other steps.
void RegionFuser::MergeNeighbours() {
  std::vector<size_t> group_at(region_.steps.size(), kNoGroup);
  for (size_t g = 0; g < groups_.size(); ++g) {
    for (size_t position : groups_[g].members) group_at[position] = g;
  }
  std::vector<size_t> movable;
  for (size_t position = 0; position < region_.steps.size(); ++position) {
    const Step& step = region_.steps[position];
    const size_t g = group_at[position];
    if (context_.reader_numbers.contains(&step)) {
      std::erase_if(movable, [&](size_t group) { return ReadsFrom(step, group); });
    } else if (g == kNoGroup) {
      movable.clear();
    } else if (position == groups_[g].members.back()) {
      std::erase_if(movable, [&](size_t group) {
        return std::ranges::any_of(groups_[g].members, [&](size_t member) {
          return ReadsFrom(region_.steps[member], group);
        });
      });
      const auto other = std::ranges::find_if(movable, [&](size_t group) {
        return AreAlike(groups_[group], groups_[g]) || ReadAlike(group, g);
      });
      if (other != movable.end() && Merge(*other, g)) movable.erase(other);
      if (movable.size() == kMaxMovable) movable.erase(movable.begin());
      movable.push_back(g);
    }
  }
}

// The length of the rows of a group that reduces nothing: so many elements go with one of what it
// reads, as those of a channel do where they lie side by side. Chains read that one then, without a
// copy for each element. 1: there are no such rows, or something is read that is neither dense nor
// repeats.
int64_t RegionFuser::RepeatedRowLength(const FuseGroup& group) const {
  if (group.row_length != 1 || group.count < kMinRepeatedCount) return group.row_length;
  int64_t common = 0;
  for (size_t position : group.members) {
    for (SlotId operand : region_.steps[position].operands) {
      const IndexedRead* read = ReadOf(operand);
      if (read == nullptr || read->IsUniform()) continue;
      const int64_t repeated = read->RepeatedLength();
      if (repeated > 1) {
        common = std::gcd(common, repeated);
      } else if (!read->RepeatsAsWhole()) {
        return 1;
      }
    }
  }
  const int64_t length = LongestPart(common);
  return length < kMinRepeatedLength ? 1 : length;
}

void RegionFuser::FindGroups() {
  group_of_.assign(region_.steps.size(), kNoGroup);
  for (size_t position = 0; position < region_.steps.size(); ++position) {
    const Step& step = region_.steps[position];
    if (std::unique_ptr<IndexedRead> read = FindRead(step)) {
      AddReader(step, std::move(read));
      continue;
    }
    bool is_taken = BlockBuilder::Takes(plan_, step);
    int64_t row_length = 1;
    if (is_taken && step.opcode == Opcode::kReduce) {
      row_length = TileRowLength(step);
      is_taken = row_length > 1;
    }
    if (is_taken) {
      Join(position, step, row_length);
      if (step.opcode == Opcode::kConvert) {
        converted_[context_.BufferOf(step.results[0])] = step.operands[0];
      }
      if (step.opcode == Opcode::kNegate && HasNegatives(ShapeOf(step.results[0]).element_type())) {
        negated_[context_.BufferOf(step.results[0])] = step.operands[0];
      }
      continue;
    }
    std::optional<Replacement> caller = FindReduce(step);
    if (!caller) caller = FindSort(step);
    if (caller) {
      for (SlotId operand : caller->operands) Close(operand);
      replacements_[position] = *std::move(caller);
      continue;  // its function is no sequence of steps any more
    }
    CloseAllRead(step);
    for (const auto& nested : region_.steps[position].regions) {
      context_.regions.push_back(std::make_unique<RegionFuser>(context_, *nested));
      context_.regions.back()->FindGroups();
    }
  }
  MergeNeighbours();
  for (FuseGroup& group : groups_) group.row_length = RepeatedRowLength(group);
}

}  // namespace hlo::simd
