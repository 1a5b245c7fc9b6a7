// Pass fuse of the simd backend: which steps become blocks.
//
// A group grows while steps are visited in order. A step joins the groups that made its operands if
// all run over the same elements, or rows of them; it closes those that it reads and cannot join,
// and a closed group takes no more members. So whoever reads a group from outside comes after its
// last member, which is where its block stands.
//
// Broadcasts, slices and the like are nobody's members: whoever reads them does what they do, by an
// IndexedRead, and they stay steps only if something else reads them as well. Then most of them
// move to right before their first reader, since what they read may be in a block by then. Products
// read in the same way, also through transposes of any kind. Reshapes are no steps by now (pass
// views): another shape of what such a step makes is read as if the reshape were a step like it.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "interp/simd/block.h"
#include "interp/simd/block_update.h"
#include "interp/simd/comparator_sort.h"
#include "interp/simd/dot.h"
#include "interp/simd/epilogue.h"
#include "interp/simd/indexed_read.h"
#include "interp/simd/onednn/onednn.h"
#include "interp/simd/reduce.h"
#include "interp/simd/reduce_function.h"
#include "interp/simd/simd.h"
#include "interp/simd/step_reads.h"

namespace hlo::simd {
namespace {

constexpr int64_t kMaxRowLength = 8192;
constexpr size_t kMaxMembers = 128;
constexpr int64_t kFewElements = 512;
constexpr size_t kMaxMovable = 8;  // groups that are looked at for each

struct Group {
  int64_t count = 0;
  int64_t row_length = 1;
  std::vector<size_t> members;  // positions in the region, increasing
  bool is_open = true;
  size_t parent = 0;                      // itself, or the group it has become part of
  std::unique_ptr<BlockBuilder> builder;  // null: its steps stay single
};

// Whether both run over the same few elements.
bool AreAlike(const Group& a, const Group& b) {
  return a.count == b.count && a.count <= kFewElements && a.row_length == 1 && b.row_length == 1;
}

// The number of elements in each reduced row, if the reduced dimensions are the last ones that are
// larger than 1; otherwise 0.
int64_t RowLength(const Plan& plan, const Step& step) {
  const Shape& operand = *plan.slot(step.operands[0]).shape;
  const auto reduced = plan.instruction(step).Get<Attr::kDimensions>();
  int64_t length = 1;
  bool is_kept = false;
  for (int64_t d = operand.rank() - 1; d >= 0; --d) {
    if (operand.dim(d) == 1) continue;
    if (std::ranges::find(reduced, d) == reduced.end()) {
      is_kept = true;
    } else if (is_kept) {
      return 0;
    } else {
      length *= operand.dim(d);
    }
  }
  return length;
}

class RegionFuser;

// What is known of all regions.
struct FuseContext {
  explicit FuseContext(Plan& plan) : plan(plan) {}

  size_t BufferOf(SlotId slot) const { return plan.slot(slot).buffer.value; }

  void FindUpdates(const Region& region) {
    for (const Step& step : region.steps) {
      if (step.opcode == Opcode::kDynamicUpdateSlice || step.opcode == Opcode::kScatter) {
        updated_buffers.insert(BufferOf(step.operands[0]));
      }
      for (const auto& nested : step.regions) FindUpdates(*nested);
    }
  }

  Plan& plan;
  absl::flat_hash_map<size_t, std::unique_ptr<IndexedRead>> reads;  // by slot
  // The same by buffer: what a reader makes may be shown in another shape by other slots, which
  // read it in memory.
  absl::flat_hash_map<size_t, const IndexedRead*> reads_of_buffers;
  // The slots that steps like those made, by buffer.
  absl::flat_hash_map<size_t, SlotId> made_by_readers;
  // What steps write to in place: a later read of what it was before would need a copy of it all.
  absl::flat_hash_set<size_t> updated_buffers;
  // In order of execution, regions in regions included.
  struct Reader {
    const Step* step;
    bool stays;  // where it is, if it is kept
    bool is_kept = false;
  };
  std::vector<Reader> readers;  // broadcasts and the like
  absl::flat_hash_map<const Step*, size_t> reader_numbers;
  // Buffers that a step reads as an array, and those that a region returns.
  absl::flat_hash_set<size_t> read_buffers;
  absl::flat_hash_set<size_t> returned_buffers;
  bool IsNeeded(SlotId slot) const {
    return read_buffers.contains(BufferOf(slot)) || returned_buffers.contains(BufferOf(slot));
  }
  std::vector<std::unique_ptr<RegionFuser>> regions;
};

class RegionFuser {
 public:
  RegionFuser(FuseContext& context, Region& region)
      : context_(context), plan_(context.plan), region_(region) {}

  void FindGroups();
  // Starts the blocks, and notes which buffers they and the other steps read.
  void StartBlocks();
  // Puts the blocks in place of their members.
  void Finish();

 private:
  static constexpr size_t kNoGroup = SIZE_MAX;

  // What a single step is replaced by, with what it reads then.
  struct Replacement {
    std::shared_ptr<const StepProgram> program;
    std::span<const SlotId> operands;
  };
  std::optional<Replacement> FindDot(const Step& step) const;
  std::optional<Replacement> FindReduce(const Step& step);
  std::optional<Replacement> FindSort(const Step& step) const;

  const Shape& ShapeOf(SlotId slot) const { return *plan_.slot(slot).shape; }
  int64_t CountOf(SlotId slot) const { return ElementCount(ShapeOf(slot)).value_or(-1); }

  size_t Find(size_t group) const {
    while (groups_[group].parent != group) group = groups_[group].parent;
    return group;
  }
  // The open group that makes `slot`.
  size_t OpenGroupOf(SlotId slot) {
    const auto found = makers_.find(context_.BufferOf(slot));
    if (found == makers_.end()) return kNoGroup;
    const size_t group = Find(found->second);
    return groups_[group].is_open ? group : kNoGroup;
  }
  // How blocks and products read `slot`; null: in memory.
  const IndexedRead* AnyReadOf(SlotId slot) const {
    const auto found = context_.reads.find(slot.value);
    return found == context_.reads.end() ? ReadOfOtherShape(slot) : found->second.get();
  }
  const IndexedRead* ReadOfOtherShape(SlotId slot) const;
  // The same for blocks. Elements far apart are better moved once, by a kernel for that.
  const IndexedRead* ReadOf(SlotId slot) const {
    const IndexedRead* read = AnyReadOf(slot);
    return read == nullptr || read->is_far ? nullptr : read;
  }
  // The array behind `slot`; invalid for counters and where there are several.
  SlotId SourceOf(SlotId slot) const {
    const IndexedRead* read = ReadOf(slot);
    return read == nullptr ? slot : read->is_counter ? SlotId() : read->source;
  }

  // Whether `slot` is a result of the program that no step reads. Those of loops' regions are read
  // by the next round.
  bool IsOutputAlone(SlotId slot) const {
    return region_.role == Region::Role::kEntry &&
           !context_.read_buffers.contains(context_.BufferOf(slot));
  }

  void Close(SlotId slot);
  void CloseBehind(SlotId array);
  void CloseAllRead(const Step& step);
  std::unique_ptr<IndexedRead> FindRead(const Step& step) const;
  void AddReader(const Step& step, std::unique_ptr<IndexedRead> read);
  bool IsOfTypeMade(SlotId slot) const;
  bool RepeatsRows(const IndexedRead& read, const Group& group) const;
  bool CanJoin(const Step& step, SlotId operand, const Group& group, int64_t row_length) const;
  void Join(size_t position, const Step& step);
  bool Merge(size_t from, size_t into);
  bool ComesFrom(SlotId slot, size_t group) const;
  bool ComesFrom(const IndexedRead& read, size_t group) const;
  bool ReadsFrom(const Step& step, size_t group) const;
  void MergeNeighbours();
  void EmitReaders(const Step& step, std::vector<Step>& steps);
  void EmitReader(SlotId slot, std::vector<Step>& steps);
  Step MakeBlockStep(Group& group, std::vector<Step>& members);

  FuseContext& context_;
  Plan& plan_;
  Region& region_;
  std::vector<Group> groups_;
  absl::flat_hash_map<size_t, size_t> makers_;             // group by buffer
  absl::flat_hash_map<size_t, ElementType> made_types_;    // the same of what they make
  absl::flat_hash_map<size_t, SlotId> converted_;          // from what, by buffer of the result
  std::vector<size_t> group_of_;                           // by position
  absl::flat_hash_map<size_t, Replacement> replacements_;  // by position
  absl::flat_hash_map<size_t, Step> waiting_;              // readers not in place yet, by buffer
};

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

// --- Groups

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

// Whether `slot` shows what a step made in the type that it was made in: a bitcast may show the
// same bytes as elements of another, which are not what tiles hold.
bool RegionFuser::IsOfTypeMade(SlotId slot) const {
  const auto made = made_types_.find(context_.BufferOf(slot));
  return made == made_types_.end() || made->second == ShapeOf(slot).element_type();
}

// Whether the element of row r is wanted for all of row r.
bool RegionFuser::RepeatsRows(const IndexedRead& read, const Group& group) const {
  if (!read.IsStrided() || read.offset != 0 || group.row_length == 1) return false;
  int64_t expected = 1;  // stride of the next dimension outwards
  int64_t inner = 1;
  for (size_t d = read.dims.size(); d-- > 0;) {
    if (read.dims[d] == 1) continue;
    if (inner < group.row_length) {
      if (read.strides[d] != 0) return false;
      inner *= read.dims[d];
      if (inner > group.row_length) return false;
    } else {
      if (read.strides[d] != expected) return false;
      expected *= read.dims[d];
    }
  }
  return inner == group.row_length;
}

// Whether `step`, which reads `operand` of `group`, can be a member of it.
bool RegionFuser::CanJoin(const Step& step, SlotId operand, const Group& group,
                          int64_t row_length) const {
  if (group.members.size() >= kMaxMembers || !IsOfTypeMade(SourceOf(operand))) return false;
  const int64_t count = CountOf(step.results[0]);
  if (step.opcode == Opcode::kReduce) {
    return operand == step.operands[0] && ReadOf(operand) == nullptr &&
           CountOf(operand) == group.count &&
           (group.row_length == 1 || group.row_length == row_length);
  }
  if (const IndexedRead* read = ReadOf(operand)) {
    return count == group.count && CountOf(read->source) * group.row_length == group.count &&
           RepeatsRows(*read, group);
  }
  if (CountOf(operand) != count) return false;
  return count == group.count || count * group.row_length == group.count;
}

// Two groups over the same elements become one; also when one runs over the rows of the other.
bool RegionFuser::Merge(size_t from, size_t into) {
  if (from == into) return true;
  Group& a = groups_[from];
  Group& b = groups_[into];
  if (a.members.size() + b.members.size() > kMaxMembers) return false;
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
  std::vector<size_t> members;
  std::ranges::merge(a.members, b.members, std::back_inserter(members));
  b.members = std::move(members);
  a.members.clear();
  a.parent = into;
  return true;
}

void RegionFuser::Join(size_t position, const Step& step) {
  const int64_t row_length = step.opcode == Opcode::kReduce ? RowLength(plan_, step) : 1;
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
  const auto fits_all = [&](const Group& group) {
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
  if (target == kNoGroup) {
    target = groups_.size();
    Group group;
    group.count =
        step.opcode == Opcode::kReduce ? CountOf(step.operands[0]) : CountOf(step.results[0]);
    group.parent = target;
    groups_.push_back(std::move(group));
  }
  Group& group = groups_[target];
  if (step.opcode == Opcode::kReduce) group.row_length = row_length;
  group.members.push_back(position);
  const SlotId result = step.results[0];
  makers_[context_.BufferOf(result)] = target;
  made_types_[context_.BufferOf(result)] = ShapeOf(result).element_type();
}

// Null: the step is none that others read through.
std::unique_ptr<IndexedRead> RegionFuser::FindRead(const Step& step) const {
  if (step.opcode == Opcode::kDynamicSlice &&
      context_.updated_buffers.contains(context_.BufferOf(step.operands[0]))) {
    return nullptr;
  }
  return MakeIndexedRead(plan_, step, [&](SlotId slot) { return ReadOf(slot); });
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

// Groups over few elements that have nothing to do with each other become one: a step takes longer
// than what it does. The first of them moves to where the second stands, past blocks that do not
// read what it makes, and past no other steps.
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
      const auto other = std::ranges::find_if(
          movable, [&](size_t group) { return AreAlike(groups_[group], groups_[g]); });
      if (other != movable.end() && Merge(*other, g)) movable.erase(other);
      if (movable.size() == kMaxMovable) movable.erase(movable.begin());
      movable.push_back(g);
    }
  }
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
    if (is_taken && step.opcode == Opcode::kReduce) {
      const int64_t length = RowLength(plan_, step);
      is_taken = length > 1 && length <= kMaxRowLength;
    }
    if (is_taken) {
      Join(position, step);
      if (step.opcode == Opcode::kConvert && ReadOf(step.operands[0]) == nullptr) {
        converted_[context_.BufferOf(step.results[0])] = step.operands[0];
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
}

// --- Single steps

// A dot that reads operands where they come from, if there are such.
std::optional<RegionFuser::Replacement> RegionFuser::FindDot(const Step& step) const {
  if (step.opcode != Opcode::kDot || step.operands.size() != 2) return std::nullopt;
  const auto read_of = [&](SlotId slot) {
    const IndexedRead* read = AnyReadOf(slot);
    return read != nullptr && read->source.valid() ? read : nullptr;
  };
  const IndexedRead* lhs = read_of(step.operands[0]);
  const IndexedRead* rhs = read_of(step.operands[1]);
  if (lhs == nullptr && rhs == nullptr) return std::nullopt;
  const auto dot = DotProgram::Make(plan_, step, lhs, rhs);
  return dot == nullptr ? std::nullopt : std::optional(Replacement{dot, dot->operands()});
}

// A reduce that calls no function for each element, or reads what its operand is converted from.
std::optional<RegionFuser::Replacement> RegionFuser::FindReduce(const Step& step) {
  if (const auto reduce = FunctionReduce::Make(plan_, step)) {
    return Replacement{reduce, reduce->operands()};
  }
  if (step.opcode != Opcode::kReduce) return std::nullopt;
  const auto source = converted_.find(context_.BufferOf(step.operands[0]));
  if (source == converted_.end() || AnyReadOf(step.operands[0]) != nullptr ||
      !IsOfTypeMade(step.operands[0])) {
    return std::nullopt;
  }
  const auto reduce = ConversionReduce::Make(plan_, step, source->second);
  return reduce == nullptr ? std::nullopt : std::optional(Replacement{reduce, reduce->operands()});
}

// A sort that calls no function for each comparison.
std::optional<RegionFuser::Replacement> RegionFuser::FindSort(const Step& step) const {
  const auto sort = ComparatorSort::Make(plan_, step);
  return sort == nullptr ? std::nullopt : std::optional(Replacement{sort, sort->operands()});
}

// --- Blocks

void RegionFuser::StartBlocks() {
  for (size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    if (group.parent != g) continue;
    auto builder = std::make_unique<BlockBuilder>(plan_, group.count, group.row_length);
    const bool fits = std::ranges::all_of(group.members, [&](size_t position) {
      const Step& step = region_.steps[position];
      for (SlotId operand : step.operands) {
        if (const IndexedRead* read = ReadOf(operand)) builder->AddRead(operand, read);
      }
      return builder->Add(step);
    });
    if (!fits) continue;
    for (SlotId operand : builder->operands())
      context_.read_buffers.insert(context_.BufferOf(operand));
    for (size_t position : group.members) group_of_[position] = g;
    group.builder = std::move(builder);
  }
  for (size_t position = 0; position < region_.steps.size(); ++position) {
    const Step& step = region_.steps[position];
    if (group_of_[position] != kNoGroup || context_.reader_numbers.contains(&step)) continue;
    if (!replacements_.contains(position)) {
      if (std::optional<Replacement> dot = FindDot(step)) replacements_[position] = *std::move(dot);
    }
    if (const auto found = replacements_.find(position); found != replacements_.end()) {
      for (SlotId operand : found->second.operands) {
        context_.read_buffers.insert(context_.BufferOf(operand));
      }
      continue;
    }
    for (SlotId operand : step.operands) context_.read_buffers.insert(context_.BufferOf(operand));
    for (const Move& move : step.moves) context_.read_buffers.insert(context_.BufferOf(move.from));
  }
  for (SlotId result : region_.results) context_.returned_buffers.insert(context_.BufferOf(result));
}

// Buffers of the function that a member called are wanted no more.
void Forget(Plan& plan, const Region& region) {
  const auto forget = [&](SlotId slot) {
    Buffer& buffer = plan.buffer(plan.slot(slot).buffer);
    if (buffer.kind == Buffer::Kind::kArena) buffer.kind = Buffer::Kind::kInside;
  };
  std::ranges::for_each(region.parameters, forget);
  for (const Step& step : region.steps) {
    std::ranges::for_each(step.results, forget);
    for (const auto& nested : step.regions) Forget(plan, *nested);
  }
}

Step RegionFuser::MakeBlockStep(Group& group, std::vector<Step>& members) {
  Step block;
  std::vector<SlotId> results;
  for (Step& member : members) {
    const SlotId result = member.results[0];
    if (context_.IsNeeded(result)) {
      results.push_back(result);
      if (IsOutputAlone(result)) group.builder->AddOutput(result);
    } else {
      plan_.buffer(plan_.slot(result).buffer).kind = Buffer::Kind::kInside;
    }
    for (const auto& region : member.regions) Forget(plan_, *region);
  }
  std::vector<SlotId> operands;
  block.program = group.builder->Finish(results, operands);
  block.opcode = members.back().opcode;
  block.instruction = members.back().instruction;
  block.operands = plan_.lists.CopyItems(std::span<const SlotId>(operands));
  block.results = plan_.lists.CopyItems(std::span<const SlotId>(results));
  block.covered = std::move(members);
  return block;
}

void RegionFuser::EmitReader(SlotId slot, std::vector<Step>& steps) {
  const auto found = waiting_.find(context_.BufferOf(slot));
  if (found == waiting_.end()) return;
  Step step = std::move(found->second);
  waiting_.erase(found);
  for (SlotId operand : step.operands) EmitReader(operand, steps);
  steps.push_back(std::move(step));
}

void RegionFuser::EmitReaders(const Step& step, std::vector<Step>& steps) {
  ForEachRead(step, [&](SlotId slot) { EmitReader(slot, steps); });
}

void RegionFuser::Finish() {
  std::vector<Step> steps = std::exchange(region_.steps, {});
  std::vector<std::vector<Step>> members(groups_.size());
  std::vector<SlotId> kept_readers;
  for (size_t position = 0; position < steps.size(); ++position) {
    Step& step = steps[position];
    if (const auto reader = context_.reader_numbers.find(&step);
        reader != context_.reader_numbers.end()) {
      const FuseContext::Reader& how = context_.readers[reader->second];
      if (how.is_kept && how.stays) {
        EmitReaders(step, region_.steps);
        region_.steps.push_back(std::move(step));
      } else if (how.is_kept) {
        kept_readers.push_back(step.results[0]);
        waiting_[context_.BufferOf(step.results[0])] = std::move(step);
      } else {
        plan_.buffer(plan_.slot(step.results[0]).buffer).kind = Buffer::Kind::kInside;
      }
      continue;
    }
    const size_t g = group_of_[position];
    if (g == kNoGroup) {
      if (const auto found = replacements_.find(position); found != replacements_.end()) {
        step.operands = plan_.lists.CopyItems(found->second.operands);
        step.program = found->second.program;
      }
      EmitReaders(step, region_.steps);
      region_.steps.push_back(std::move(step));
      continue;
    }
    members[g].push_back(std::move(step));
    if (position != groups_[g].members.back()) continue;
    Step block = MakeBlockStep(groups_[g], members[g]);
    // A conversion of what nobody reads makes nothing.
    if (block.results.empty()) continue;
    for (SlotId operand : block.operands) EmitReader(operand, region_.steps);
    region_.steps.push_back(std::move(block));
  }
  for (SlotId result : kept_readers) EmitReader(result, region_.steps);
}

}  // namespace

void FuseSteps(Plan& plan) {
  FuseContext context(plan);
  context.FindUpdates(*plan.entry);
  context.regions.push_back(std::make_unique<RegionFuser>(context, *plan.entry));
  context.regions.back()->FindGroups();
  for (const auto& region : context.regions) region->StartBlocks();
  for (size_t i = context.readers.size(); i-- > 0;) {
    FuseContext::Reader& reader = context.readers[i];
    reader.is_kept = context.IsNeeded(reader.step->results[0]);
    if (!reader.is_kept) continue;
    for (SlotId operand : reader.step->operands)
      context.read_buffers.insert(context.BufferOf(operand));
  }
  for (const auto& region : context.regions) region->Finish();
  onednn::LeaveToLibrary(plan);
  AddEpilogues(plan);
  JoinUpdates(plan);
}

}  // namespace hlo::simd
