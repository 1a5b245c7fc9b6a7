// Pass views. Arrays are dense and row-major in memory whatever their layout, so some steps change
// nothing but what their operand's bytes are called. And what a loop hands on from iteration to
// iteration as it is, such as what it reads a part of each time, is no state: it stays where it was
// before the loop.
#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "interp/plan/passes.h"
#include "interp/reference/custom_calls/custom_calls.h"

namespace hlo {
namespace {

bool HasRowMajorBytes(const Shape& shape) {
  const std::optional<Layout>& layout = shape.layout();
  ElementType type = shape.element_type();
  return (!layout || (layout->IsDefault() && layout->tiles.empty())) &&
         BitWidth(type) == 8 * ElementByteSize(type);
}

// A bitcast changes nothing when both layouts are row-major (semantics.md 16.5).
bool KeepsBytes(const Shape& from, const Shape& to) {
  return HasRowMajorBytes(from) && HasRowMajorBytes(to) &&
         (from.element_type() == to.element_type() || to.element_type() != ElementType::kPred) &&
         DenseByteSize(from).value_or(-1) == DenseByteSize(to).value_or(-2);
}

// Whether arrays of both shapes hold the same elements, layouts aside.
bool HasEqualElements(const Shape& from, const Shape& to) {
  return from.element_type() == to.element_type() && std::ranges::equal(from.dims(), to.dims());
}

// Elements of one width, which fills bytes, keep them (semantics.md 5.1). Those of pred have few
// bits.
bool KeepsElementBytes(const Shape& from, const Shape& to) {
  const int64_t width = BitWidth(from.element_type());
  return width == BitWidth(to.element_type()) && width % 8 == 0 &&
         from.element_type() != ElementType::kPred && to.element_type() != ElementType::kPred;
}

// Whether dimensions of the operand, but for those of size 1, are the result's in the same order:
// dimension d of the operand is dimension place(d) of the result.
template <typename Place>
bool KeepsOrder(const Shape& from, const Shape& to, Place place) {
  if (ElementCount(from) != ElementCount(to)) return false;
  int64_t last = -1;
  for (int64_t d = 0; d < from.rank(); ++d) {
    if (from.dim(d) == 1) continue;
    if (place(d) < last) return false;
    last = place(d);
  }
  return true;
}

class ViewMaker {
 public:
  // Who looks at single instructions sees those that only have dimensions of size 1 to move.
  ViewMaker(Plan& plan, bool is_watched, bool keeps_identity_calls)
      : plan_(plan), is_watched_(is_watched), keeps_identity_calls_(keeps_identity_calls) {}

  void Run() {
    plan_.buffers.reserve(plan_.slots.size());
    // Who looks for where a value comes from wants the whole state.
    if (!is_watched_) FindHandedOn(*plan_.entry);
    VisitRegion(*plan_.entry);
    for (Slot& slot : plan_.slots) {
      if (!slot.buffer.valid()) MakeBuffer(slot);
    }
  }

 private:
  // Loops in loops first: what these hand on may be what those do.
  void FindHandedOn(const Region& region) {
    for (const Step& step : region.steps) {
      for (const auto& nested : step.regions) FindHandedOn(*nested);
      if (step.kind != StepKind::kWhile) continue;
      const Region& body = *step.regions[1];
      for (size_t i = 0; i < step.results.size(); ++i) {
        const bool is_state = plan_.slot(step.results[i]).is_dynamic ||
                              plan_.slot(step.moves[i].from).is_dynamic ||
                              OriginOf(body.results[i]) != body.parameters[i];
        if (!is_state) handed_on_[step.results[i].value] = step.moves[i].from;
      }
    }
  }
  // What `slot` is, if it is what a loop handed on.
  SlotId OriginOf(SlotId slot) const {
    for (auto found = handed_on_.find(slot.value); found != handed_on_.end();
         found = handed_on_.find(slot.value)) {
      slot = found->second;
    }
    return slot;
  }

  void VisitRegion(Region& region) {
    std::vector<Step> steps = std::exchange(region.steps, {});
    region.steps.reserve(steps.size());
    for (Step& step : steps) {
      if (step.kind == StepKind::kWhile) DropHandedOn(step);
      for (const auto& nested : step.regions) VisitRegion(*nested);
      if (IsView(step) || IsIdentityCall(step)) {
        for (size_t i = 0; i < step.results.size(); ++i) {
          plan_.slot(step.results[i]).buffer = BufferOf(step.operands[i]);
        }
      } else {
        region.steps.push_back(std::move(step));
      }
    }
  }

  // The loop's state without what it hands on, which lies in one buffer before, in and behind it.
  void DropHandedOn(Step& loop) {
    Region& body = *loop.regions[1];
    std::vector<SlotId> results;
    std::vector<Move> moves;
    size_t kept = 0;
    for (size_t i = 0; i < loop.results.size(); ++i) {
      if (handed_on_.contains(loop.results[i].value)) {
        const BufferId buffer = BufferOf(loop.moves[i].from);
        plan_.slot(loop.results[i]).buffer = buffer;
        plan_.slot(body.parameters[i]).buffer = buffer;
        continue;
      }
      results.push_back(loop.results[i]);
      moves.push_back(loop.moves[i]);
      body.parameters[kept] = body.parameters[i];
      body.results[kept] = body.results[i];
      body.targets[kept] = body.targets[i];
      ++kept;
    }
    if (kept == loop.results.size()) return;
    for (auto* slots : {&body.parameters, &body.results, &body.targets}) slots->resize(kept);
    loop.results = plan_.lists.CopyItems(std::span<const SlotId>(results));
    loop.moves = plan_.lists.CopyItems(std::span<const Move>(moves));
  }

  BufferId BufferOf(SlotId id) {
    Slot& slot = plan_.slot(id);
    if (!slot.buffer.valid()) MakeBuffer(slot);
    return slot.buffer;
  }

  bool IsView(const Step& step) const {
    const Instruction& instruction = plan_.instruction(step);
    if (step.opcode != instruction.opcode) return false;
    if (step.operands.size() != 1 || step.results.size() != 1) return false;
    const Shape& from = *plan_.module->operand(instruction, 0).shape;
    const Shape& to = *instruction.shape;
    if (from.HasDynamicDim() || to.HasDynamicDim() || plan_.slot(step.operands[0]).is_dynamic) {
      return false;
    }
    if (step.opcode == Opcode::kBitcast) return KeepsBytes(from, to);
    if (step.opcode == Opcode::kBitcastConvert) return KeepsElementBytes(from, to);
    return from.element_type() == to.element_type() &&
           (step.opcode == Opcode::kReshape || (!is_watched_ && OnlyMovesOnes(instruction)));
  }

  // Whether all results are operands, which a custom call only marks. Who looks on sees it.
  bool IsIdentityCall(const Step& step) const {
    const Instruction& instruction = plan_.instruction(step);
    if (step.opcode != Opcode::kCustomCall || instruction.opcode != step.opcode || is_watched_ ||
        keeps_identity_calls_ || step.operands.size() < step.results.size() ||
        !reference::IsIdentityCall(instruction.Get<Attr::kCustomCallTarget>())) {
      return false;
    }
    for (size_t i = 0; i < step.results.size(); ++i) {
      const Slot& from = plan_.slot(step.operands[i]);
      const Slot& to = plan_.slot(step.results[i]);
      if (from.is_dynamic || to.is_dynamic || !HasEqualElements(*from.shape, *to.shape)) {
        return false;
      }
    }
    return true;
  }

  bool OnlyMovesOnes(const Instruction& instruction) const {
    if (instruction.opcode != Opcode::kBroadcast && instruction.opcode != Opcode::kTranspose) {
      return false;
    }
    const Shape& from = *plan_.module->operand(instruction, 0).shape;
    const IntList dimensions = instruction.Get<Attr::kDimensions>();
    if (instruction.opcode == Opcode::kBroadcast) {
      return KeepsOrder(from, *instruction.shape, [&](int64_t d) { return dimensions[d]; });
    }
    return KeepsOrder(from, *instruction.shape, [&](int64_t d) {
      return std::ranges::find(dimensions, d) - dimensions.begin();
    });
  }

  void MakeBuffer(Slot& slot) {
    Buffer buffer;
    buffer.byte_size = slot.byte_size;
    buffer.instruction = slot.instruction;
    if (slot.literal != nullptr) {
      buffer.kind = Buffer::Kind::kConstant;
      buffer.constant = slot.literal->bytes();
    } else if (slot.argument >= 0) {
      buffer.kind = Buffer::Kind::kArgument;
      buffer.argument = slot.argument;
    }
    slot.buffer = BufferId(plan_.buffers.size());
    plan_.buffers.push_back(buffer);
  }

  Plan& plan_;
  const bool is_watched_;
  const bool keeps_identity_calls_;
  absl::flat_hash_map<size_t, SlotId> handed_on_;  // from what, by carried slot
};

}  // namespace

bool MakeViews(Plan& plan, const PassContext& context) {
  ViewMaker(plan, /*is_watched=*/!context.fuses, context.keeps_identity_calls).Run();
  return true;
}

}  // namespace hlo
