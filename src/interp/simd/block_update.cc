// The step that comes of it is where the dynamic-update-slice was: what the block reads is read
// later than before, so nothing in between may want to write there.
#include "interp/simd/block_update.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "interp/simd/block.h"
#include "interp/simd/box_copy.h"
#include "interp/simd/dynamic_slice.h"
#include "interp/simd/indexed_read.h"
#include "interp/simd/run_time_start.h"
#include "interp/simd/step_reads.h"
#include "support/status_macros.h"

namespace hlo::simd {
namespace {

// Operands are the array, those of the block, and the starts.
class BlockUpdate final : public StepProgram {
 public:
  BlockUpdate(std::shared_ptr<const Block> block, size_t block_operands, const Shape& array,
              std::vector<RunTimeStart> starts)
      : block_(std::move(block)),
        block_operands_(block_operands),
        element_size_(ElementByteSize(array.element_type())),
        starts_(std::move(starts)) {
    const std::vector<int64_t> strides = DenseStridesOf(array);
    whole_ = BoxCopy(element_size_, array.dims(), strides, strides);
  }

  const Kernel& kernel() const override {
    static constexpr Kernel kKernel = {.run = RunUpdate, .overwrite = Overwrite::kSameNumber};
    return kKernel;
  }
  int64_t ScratchByteSize() const override { return block_->ScratchByteSize(); }
  std::string Text() const override { return block_->Text() + ", into an array"; }

 private:
  static absl::Status RunUpdate(Evaluation& e) {
    return static_cast<const BlockUpdate*>(e.program())->Run(e);
  }

  absl::Status Run(Evaluation& e) const {
    const MutableArrayRef& array = e.result();
    // The result may have been given the operand's memory.
    if (array.bytes != e.operand(0).bytes) {
      HLO_RETURN_IF_ERROR(whole_.Run(e.device(), e.operand(0).bytes, array.bytes));
    }
    MutableArrayRef update = array;
    update.bytes += OffsetOf(starts_, e.operands()) * element_size_;
    return block_->Run(e.device(), e.operands().subspan(1, block_operands_), {&update, 1});
  }

  std::shared_ptr<const Block> block_;
  size_t block_operands_;
  int64_t element_size_;
  std::vector<RunTimeStart> starts_;
  BoxCopy whole_;
};

// Whether a box of these sizes lies in one piece of the array: behind the first dimension of which
// it has several elements it has all.
bool IsOnePiece(const Shape& box, const Shape& array) {
  bool is_inside = false;
  for (int64_t d = 0; d < box.rank(); ++d) {
    if (is_inside && box.dim(d) != array.dim(d)) return false;
    is_inside |= box.dim(d) > 1;
  }
  return true;
}

class UpdateJoiner {
 public:
  explicit UpdateJoiner(Plan& plan)
      : plan_(plan), read_counts_(plan.buffers.size()), made_counts_(plan.buffers.size()) {
    ForEachRead(*plan.entry, [&](SlotId slot) { ++read_counts_[BufferOf(slot)]; });
    CountMade(*plan.entry);
  }

  void Visit(Region& region) {
    absl::flat_hash_map<size_t, size_t> blocks;  // positions, by buffer of the only result
    for (size_t position = 0; position < region.steps.size(); ++position) {
      Step& step = region.steps[position];
      for (const auto& nested : step.regions) {
        if (nested->role != Region::Role::kFunction) Visit(*nested);
      }
      if (BlockOf(step) != nullptr && step.results.size() == 1) {
        blocks[BufferOf(step.results[0])] = position;
      } else if (!blocks.empty() && IsUpdate(step)) {
        const auto found = blocks.find(BufferOf(step.operands[1]));
        if (found != blocks.end() && CanJoin(region, found->second, position)) {
          Join(region.steps[found->second], step);
        }
      }
    }
    // A block that was taken leaves an empty step.
    std::erase_if(region.steps, [](const Step& step) { return !step.instruction.valid(); });
  }

 private:
  size_t BufferOf(SlotId slot) const { return plan_.slot(slot).buffer.value; }
  const Shape& ShapeOf(SlotId slot) const { return *plan_.slot(slot).shape; }
  static std::shared_ptr<const Block> BlockOf(const Step& step) {
    return std::dynamic_pointer_cast<const Block>(step.program);
  }

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

  bool CanJoin(const Region& region, size_t block, size_t update) const {
    const Step &maker = region.steps[block], &step = region.steps[update];
    const Shape &array = ShapeOf(step.operands[0]), &box = ShapeOf(step.operands[1]);
    const size_t made = BufferOf(maker.results[0]);
    if (read_counts_[made] != 1 || made_counts_[made] != 1 || !IsOnePiece(box, array) ||
        CountElements(box.dims()) == 0 ||
        ShapeOf(maker.results[0]).element_type() != box.element_type()) {
      return false;
    }
    const auto is_read_by_block = [&](SlotId slot) {
      return std::ranges::any_of(maker.operands,
                                 [&](SlotId own) { return BufferOf(own) == BufferOf(slot); });
    };
    if (is_read_by_block(step.operands[0])) return false;
    bool is_read_between = false;
    for (size_t i = block + 1; i < update; ++i) {
      ForEachRead(region.steps[i], [&](SlotId slot) { is_read_between |= is_read_by_block(slot); });
    }
    return !is_read_between;
  }

  void Join(Step& maker, Step& step) {
    std::vector<SlotId> operands = {step.operands[0]};
    operands.insert(operands.end(), maker.operands.begin(), maker.operands.end());
    const Shape &array = ShapeOf(step.operands[0]), &box = ShapeOf(step.operands[1]);
    std::vector<RunTimeStart> starts;
    for (const IndexedRead::Start& start : StartsOf(plan_, step.operands.subspan(2), array.dims(),
                                                    box.dims(), DenseStridesOf(array))) {
      const auto found = std::ranges::find(operands, start.slot);
      starts.push_back({found - operands.begin(), start.element, start.last, start.stride});
      if (found == operands.end()) operands.push_back(start.slot);
    }
    plan_.buffer(plan_.slot(maker.results[0]).buffer).kind = Buffer::Kind::kInside;
    step.program = std::make_shared<BlockUpdate>(BlockOf(maker), maker.operands.size(), array,
                                                 std::move(starts));
    Step update;  // as it was, to be shown
    update.opcode = step.opcode;
    update.instruction = step.instruction;
    update.operands = step.operands;
    update.results = step.results;
    step.operands = plan_.lists.CopyItems(std::span<const SlotId>(operands));
    step.covered = std::exchange(maker, Step()).covered;
    step.covered.push_back(std::move(update));
  }

  Plan& plan_;
  std::vector<int> read_counts_, made_counts_;  // by buffer
};

}  // namespace

void JoinUpdates(Plan& plan) { UpdateJoiner(plan).Visit(*plan.entry); }

}  // namespace hlo::simd
