// The step that comes of it is where the dynamic-update-slice was: what the block reads is read
// later than before, so nothing in between may want to write there.
#include "interp/simd/fuse/block_update.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "interp/simd/block/block.h"
#include "interp/simd/block/indexed_read.h"
#include "interp/simd/block/run_time_start.h"
#include "interp/simd/block/updating_block.h"
#include "interp/simd/fuse/step_reads.h"
#include "interp/simd/movement/dynamic_slice.h"
#include "support/stream_copy.h"

namespace hlo::simd {
namespace {

// The block of a step; null where it is none.
std::shared_ptr<const Block> BlockOf(const Step& step) {
  if (const auto* updating = dynamic_cast<const UpdatingBlock*>(step.program.get())) {
    return updating->makes_pieces() ? nullptr : updating->block();
  }
  return std::dynamic_pointer_cast<const Block>(step.program);
}

// How many of its results are arrays that it updates.
size_t UpdateCount(const Step& step) {
  const auto* updating = dynamic_cast<const UpdatingBlock*>(step.program.get());
  return updating == nullptr ? 0 : updating->updates().size();
}

class UpdateJoiner {
 public:
  explicit UpdateJoiner(Plan& plan)
      : plan_(plan), read_counts_(plan.buffers.size()), made_counts_(plan.buffers.size()) {
    ForEachRead(*plan.entry, [&](SlotId slot) { ++read_counts_[BufferOf(slot)]; });
    CountMade(*plan.entry);
  }

  void Visit(Region& region) {
    absl::flat_hash_map<size_t, size_t> blocks;  // positions, by buffer of a result
    const auto note = [&](size_t position) {
      const Step& step = region.steps[position];
      for (SlotId result : step.results.subspan(UpdateCount(step))) {
        blocks[BufferOf(result)] = position;
      }
    };
    for (size_t position = 0; position < region.steps.size(); ++position) {
      Step& step = region.steps[position];
      for (const auto& nested : step.regions) {
        if (nested->role != Region::Role::kFunction) Visit(*nested);
      }
      if (BlockOf(step) != nullptr) {
        note(position);
      } else if (!blocks.empty() && IsUpdate(step)) {
        const auto found = blocks.find(BufferOf(step.operands[1]));
        if (found == blocks.end() || !CanJoin(region, found->second, position)) continue;
        Join(region.steps[found->second], step);
        note(position);
      }
    }
    // A block that was taken leaves an empty step.
    std::erase_if(region.steps, [](const Step& step) { return !step.instruction.valid(); });
  }

 private:
  size_t BufferOf(SlotId slot) const { return plan_.slot(slot).buffer.value; }
  const Shape& ShapeOf(SlotId slot) const { return *plan_.slot(slot).shape; }
  void CountMade(const Region& region) {
    for (const Step& step : region.steps) {
      for (SlotId result : step.results) ++made_counts_[BufferOf(result)];
      for (const auto& nested : step.regions) CountMade(*nested);
    }
  }

  bool IsUpdate(const Step& step) const {
    return step.kind == StepKind::kKernel && step.opcode == Opcode::kDynamicUpdateSlice &&
           step.opcode == plan_.instruction(step).opcode && step.program == nullptr &&
           FindDynamicSliceKernel(OpView(*plan_.module, plan_.instruction(step))) != nullptr;
  }

  bool IsAmong(std::span<const SlotId> slots, SlotId slot) const {
    return std::ranges::any_of(slots,
                               [&](SlotId other) { return BufferOf(other) == BufferOf(slot); });
  }

  bool CanJoin(const Region& region, size_t block, size_t update) const {
    const Step &maker = region.steps[block], &step = region.steps[update];
    return IsMadeForUpdate(step.operands[1]) && CanPut(maker, step) && MayKeepOthers(maker) &&
           // What it updates, and where, is there before it.
           !IsAmong(maker.operands, step.operands[0]) &&
           std::ranges::none_of(step.operands,
                                [&](SlotId slot) {
                                  return BufferOf(slot) != BufferOf(step.operands[1]) &&
                                         IsAmong(maker.results, slot);
                                }) &&
           MayMove(region, block, update);
  }

  // Whether only the update reads it, and only one step makes it.
  bool IsMadeForUpdate(SlotId made) const {
    return read_counts_[BufferOf(made)] == 1 && made_counts_[BufferOf(made)] == 1;
  }

  bool CanPut(const Step& maker, const Step& step) const {
    const Shape &array = ShapeOf(step.operands[0]), &box = ShapeOf(step.operands[1]);
    const int64_t count = CountElements(box.dims());
    const bool has_type = std::ranges::all_of(maker.results, [&](SlotId result) {
      return BufferOf(result) != BufferOf(step.operands[1]) ||
             ShapeOf(result).element_type() == box.element_type();
    });
    if (count == 0 || !has_type || UpdateCount(maker) == UpdatingBlock::kMaxUpdates) return false;
    // Others are made tile by tile, neither by a table nor past the caches.
    return ArrayUpdate::IsOnePiece(box, array) ||
           (!BlockOf(maker)->has_table() && !BlockOf(maker)->has_totals() &&
            count < kStreamedSize / ElementByteSize(box.element_type()));
  }

  // Whether what else the block makes may lie where it says.
  bool MayKeepOthers(const Step& maker) const {
    return maker.results.size() == UpdateCount(maker) + 1 ||
           BlockOf(maker)->kernel().overwrite == Overwrite::kAnyOperand;
  }

  // Whether the block may be where the update is: nobody in between reads what it makes, nor, since
  // that may be overwritten, what it reads.
  bool MayMove(const Region& region, size_t block, size_t update) const {
    const Step& maker = region.steps[block];
    bool is_read_between = false;
    for (size_t i = block + 1; i < update; ++i) {
      ForEachRead(region.steps[i], [&](SlotId slot) {
        is_read_between |= IsAmong(maker.operands, slot) || IsAmong(maker.results, slot);
      });
    }
    return !is_read_between && std::ranges::all_of(maker.results, [&](SlotId result) {
      return made_counts_[BufferOf(result)] == 1;
    });
  }

  // The array comes behind those that are updated already, on both sides.
  void Join(Step& maker, Step& step) {
    const size_t number = UpdateCount(maker);
    std::vector<SlotId> operands(maker.operands.begin(), maker.operands.end());
    operands.insert(operands.begin() + static_cast<int64_t>(number), step.operands[0]);
    std::vector<SlotId> results(maker.results.begin(), maker.results.end());
    const auto made = std::ranges::find_if(
        results, [&](SlotId result) { return BufferOf(result) == BufferOf(step.operands[1]); });
    const auto made_number = static_cast<size_t>(made - results.begin());
    plan_.buffer(plan_.slot(*made).buffer).kind = Buffer::Kind::kInside;
    results.erase(made);
    results.insert(results.begin() + static_cast<int64_t>(number), step.results[0]);

    step.program = Joined(maker, step, made_number, operands);
    Step update;  // as it was, to be shown
    update.opcode = step.opcode;
    update.instruction = step.instruction;
    update.operands = step.operands;
    update.results = step.results;
    step.operands = plan_.lists.CopyItems(std::span<const SlotId>(operands));
    step.results = plan_.lists.CopyItems(std::span<const SlotId>(results));
    step.covered = std::exchange(maker, Step()).covered;
    step.covered.push_back(std::move(update));
  }

  // What `maker` does, with one update more, of its result `made`. `operands`, to which the starts
  // are added, are the step's then.
  std::shared_ptr<const UpdatingBlock> Joined(const Step& maker, const Step& step, size_t made,
                                              std::vector<SlotId>& operands) const {
    const size_t number = UpdateCount(maker);
    size_t operand_count = maker.operands.size();
    std::vector<size_t> block_results(maker.results.size());
    std::iota(block_results.begin(), block_results.end(), size_t{0});
    std::vector<ArrayUpdate> updates;
    if (number > 0) {
      const auto& before = static_cast<const UpdatingBlock&>(*maker.program);
      operand_count = before.operand_count();
      block_results.assign(before.results().begin(), before.results().end());
      updates.assign(before.updates().begin(), before.updates().end());
    }
    for (size_t& result : block_results) {
      if (result == made) {
        result = number;
      } else if (result >= number && result < made) {
        ++result;
      }
    }
    for (ArrayUpdate& update : updates) update.MoveOperands(static_cast<int64_t>(number));
    const Shape &array = ShapeOf(step.operands[0]), &box = ShapeOf(step.operands[1]);
    updates.emplace_back(array, box, StartsOf(step, operands));
    return std::make_shared<UpdatingBlock>(BlockOf(maker), operand_count, std::move(block_results),
                                           std::move(updates));
  }

  std::vector<RunTimeStart> StartsOf(const Step& step, std::vector<SlotId>& operands) const {
    const Shape &array = ShapeOf(step.operands[0]), &box = ShapeOf(step.operands[1]);
    std::vector<RunTimeStart> starts;
    for (const IndexedRead::Start& start : simd::StartsOf(
             plan_, step.operands.subspan(2), array.dims(), box.dims(), DenseStridesOf(array))) {
      const auto found = std::ranges::find(operands, start.slot);
      starts.push_back({found - operands.begin(), start.element, start.last, start.stride});
      if (found == operands.end()) operands.push_back(start.slot);
    }
    return starts;
  }

  Plan& plan_;
  std::vector<int> read_counts_, made_counts_;  // by buffer
};

}  // namespace

void JoinUpdates(Plan& plan) { UpdateJoiner(plan).Visit(*plan.entry); }

}  // namespace hlo::simd
