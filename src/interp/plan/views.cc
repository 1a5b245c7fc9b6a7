// Pass views. Arrays are dense and row-major in memory whatever their layout, so some steps change
// nothing but what their operand's bytes are called.
#include <algorithm>

#include "interp/plan/passes.h"

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
  ViewMaker(Plan& plan, bool is_watched) : plan_(plan), is_watched_(is_watched) {}

  void Run() {
    plan_.buffers.reserve(plan_.slots.size());
    VisitRegion(*plan_.entry);
    for (Slot& slot : plan_.slots) {
      if (!slot.buffer.valid()) MakeBuffer(slot);
    }
  }

 private:
  void VisitRegion(Region& region) {
    std::erase_if(region.steps, [&](const Step& step) {
      for (const auto& nested : step.regions) VisitRegion(*nested);
      if (!IsView(step)) return false;
      Slot& operand = plan_.slot(step.operands[0]);
      if (!operand.buffer.valid()) MakeBuffer(operand);
      plan_.slot(step.results[0]).buffer = operand.buffer;
      return true;
    });
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
};

}  // namespace

bool MakeViews(Plan& plan, const PassContext& context) {
  ViewMaker(plan, /*is_watched=*/!context.fuses).Run();
  return true;
}

}  // namespace hlo
