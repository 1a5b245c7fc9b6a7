// Pass views. Arrays are dense and row-major in memory whatever their layout, so some steps change
// nothing but what their operand's bytes are called.
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

class ViewMaker {
 public:
  explicit ViewMaker(Plan& plan) : plan_(plan) {}

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
    if (step.opcode != Opcode::kReshape && step.opcode != Opcode::kBitcast) return false;
    const Shape& from = *plan_.module->operand(instruction, 0).shape;
    const Shape& to = *instruction.shape;
    if (from.HasDynamicDim() || to.HasDynamicDim() || plan_.slot(step.operands[0]).is_dynamic) {
      return false;
    }
    return step.opcode == Opcode::kReshape ? from.element_type() == to.element_type()
                                           : KeepsBytes(from, to);
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
};

}  // namespace

bool MakeViews(Plan& plan, const PassContext&) {
  ViewMaker(plan).Run();
  return true;
}

}  // namespace hlo
