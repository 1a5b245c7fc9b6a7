// Pass parts. Where the elements of a slice lie side by side in its operand, the slice is a part of
// the operand's buffer; where those of a concatenation's operands do so in its result, they are
// made there. Neither step copies anything, so both are gone. It comes after pass fuse: blocks,
// which read slices with any strides, tell arrays apart by their buffers.
#include <algorithm>
#include <utility>
#include <vector>

#include "interp/plan/passes.h"

namespace hlo {
namespace {

// A slice keeps the whole array that it is a part of from being given up: arrays that a run makes
// may be so many times as large, or so many bytes.
constexpr int64_t kMaxTimesAsLarge = 4;
constexpr int64_t kFewBytes = 4096;

// The elements between neighbours along dimension d.
int64_t StrideOf(const Shape& shape, int64_t dimension) {
  int64_t stride = 1;
  for (int64_t d = dimension + 1; d < shape.rank(); ++d) stride *= shape.dim(d);
  return stride;
}

bool HasOnlyOnesBefore(const Shape& shape, int64_t dimension) {
  for (int64_t d = 0; d < dimension; ++d) {
    if (shape.dim(d) != 1) return false;
  }
  return true;
}

class PartMaker {
 public:
  explicit PartMaker(Plan& plan) : plan_(plan), made_in_(plan.buffers.size()) {}

  void Run() { VisitRegion(*plan_.entry); }

 private:
  void VisitRegion(Region& region) {
    const uint32_t number = ++region_count_;
    std::erase_if(region.steps, [&](const Step& step) {
      for (const auto& nested : step.regions) VisitRegion(*nested);
      if (IsPlain(step) && (TakeSlice(step) || TakeConcatenation(step, number))) return true;
      if (step.kind != StepKind::kKernel) return false;
      for (SlotId result : step.results) made_in_[plan_.slot(result).buffer.value] = number;
      return false;
    });
  }

  // One instruction on arrays of known sizes and one type.
  bool IsPlain(const Step& step) const {
    if (step.kind != StepKind::kKernel || !step.covered.empty() || step.results.size() != 1 ||
        step.opcode != plan_.instruction(step).opcode) {
      return false;
    }
    const Slot& result = plan_.slot(step.results[0]);
    return !result.is_dynamic && plan_.is_whole(step.results[0]) &&
           plan_.buffer_of(step.results[0]).kind == Buffer::Kind::kArena &&
           std::ranges::all_of(step.operands, [&](SlotId id) {
             const Slot& operand = plan_.slot(id);
             return !operand.is_dynamic &&
                    operand.shape->element_type() == result.shape->element_type();
           });
  }

  bool TakeSlice(const Step& step) {
    if (step.opcode != Opcode::kSlice) return false;
    const Slot& from = plan_.slot(step.operands[0]);
    const std::optional<int64_t> start = FirstOf(plan_.instruction(step), *from.shape);
    const Buffer& buffer = plan_.buffer(from.buffer);
    const Slot& slice = plan_.slot(step.results[0]);
    if (!start || buffer.kind == Buffer::Kind::kInside || slice.byte_size == 0 ||
        (buffer.kind == Buffer::Kind::kArena && buffer.byte_size > kFewBytes &&
         buffer.byte_size / kMaxTimesAsLarge > slice.byte_size)) {
      return false;
    }
    Place(slice.buffer, from.buffer,
          from.offset + *start * ElementByteSize(from.shape->element_type()));
    return true;
  }

  // The first element of the slice, where all of it lies side by side: behind the first dimension
  // that has several elements all of the operand's are taken.
  static std::optional<int64_t> FirstOf(const Instruction& slice, const Shape& from) {
    const Shape& to = *slice.shape;
    const auto ranges = slice.Get<Attr::kSliceRanges>();
    int64_t first = 0;
    bool is_inside = false;
    for (int64_t d = 0; d < from.rank(); ++d) {
      const bool is_all = to.dim(d) == from.dim(d);
      if ((is_inside && !is_all) || (to.dim(d) > 1 && ranges[d].stride != 1)) return std::nullopt;
      is_inside |= to.dim(d) > 1;
      first += ranges[d].start * StrideOf(from, d);
    }
    return first;
  }

  // The operands must be made by steps before it in its region, each for the first time and for
  // one place.
  bool TakeConcatenation(const Step& step, uint32_t region) {
    if (step.opcode != Opcode::kConcatenate) return false;
    const Slot& result = plan_.slot(step.results[0]);
    const int64_t dimension = plan_.instruction(step).Get<Attr::kDimensions>()[0];
    if (!HasOnlyOnesBefore(*result.shape, dimension) || result.byte_size == 0) return false;
    for (size_t i = 0; i < step.operands.size(); ++i) {
      const BufferId buffer = plan_.slot(step.operands[i]).buffer;
      const auto is_same = [&](SlotId id) { return plan_.slot(id).buffer == buffer; };
      if (!plan_.is_whole(step.operands[i]) || plan_.buffer(buffer).byte_size == 0 ||
          made_in_[buffer.value] != region || std::ranges::count_if(step.operands, is_same) != 1) {
        return false;
      }
    }
    int64_t offset = 0;
    for (SlotId operand : step.operands) {
      const int64_t byte_size = plan_.slot(operand).byte_size;
      Place(plan_.slot(operand).buffer, result.buffer, offset);
      offset += byte_size;
    }
    made_in_[result.buffer.value] = region;
    return true;
  }

  // What lies in `part` lies `offset` bytes into `whole` from now on.
  void Place(BufferId part, BufferId whole, int64_t offset) {
    if (first_slot_.empty()) FindSlots();
    SlotId last;
    for (SlotId id = first_slot_[part.value]; id.valid(); id = next_slot_[id.value]) {
      plan_.slot(id).buffer = whole;
      plan_.slot(id).offset += offset;
      last = id;
    }
    plan_.buffer(part).kind = Buffer::Kind::kInside;
    if (!last.valid()) return;
    next_slot_[last.value] = first_slot_[whole.value];
    first_slot_[whole.value] = std::exchange(first_slot_[part.value], SlotId());
  }

  void FindSlots() {
    first_slot_.resize(plan_.buffers.size());
    next_slot_.resize(plan_.slots.size());
    for (size_t i = 0; i < plan_.slots.size(); ++i) {
      SlotId& first = first_slot_[plan_.slots[i].buffer.value];
      next_slot_[i] = std::exchange(first, SlotId(i));
    }
  }

  Plan& plan_;
  uint32_t region_count_ = 0;
  std::vector<uint32_t> made_in_;  // by buffer: the number of the region whose steps make it
  // The slots of each buffer, once they are asked for: a list through the slots.
  std::vector<SlotId> first_slot_;
  std::vector<SlotId> next_slot_;
};

}  // namespace

bool MakeParts(Plan& plan, const PassContext& context) {
  // Who watches wants to see the steps.
  if (context.fuses) PartMaker(plan).Run();
  return true;
}

}  // namespace hlo
