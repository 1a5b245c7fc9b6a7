// One instruction seen together with its module: what inference, verification and planning ask.
// The instruction need not have its shape yet.
#ifndef HLOKIT_IR_OP_VIEW_H_
#define HLOKIT_IR_OP_VIEW_H_

#include <cstdint>

#include "ir/module.h"

namespace hlo {

class OpView {
 public:
  OpView(const Module& module, const Instruction& instruction)
      : module_(&module), instruction_(&instruction) {}

  const Module& module() const { return *module_; }
  const Instruction& instruction() const { return *instruction_; }
  Opcode opcode() const { return instruction_->opcode; }

  int64_t operand_count() const { return static_cast<int64_t>(instruction_->operands.size()); }
  const Instruction& operand(int64_t i) const {
    return module_->instruction(instruction_->operands[i].id);
  }
  const Shape& operand_shape(int64_t i) const { return *operand(i).shape; }
  // Null as long as the shape is not known.
  const Shape* written_shape() const { return instruction_->shape; }

  template <Attr kAttr>
  AttributeType<kAttr> Get() const {
    return instruction_->Get<kAttr>();
  }
  bool Has(Attr attr) const { return instruction_->Has(attr); }
  const Computation& computation(ComputationId id) const { return module_->computation(id); }
  // The shape of the root of a called computation.
  const Shape& root_shape(ComputationId id) const {
    return *module_->root(module_->computation(id)).shape;
  }
  const Shape& parameter_shape(ComputationId id, int64_t number) const {
    return *module_->instruction(module_->computation(id).parameters[number]).shape;
  }

  SourceRange range() const { return instruction_->range; }
  SourceRange opcode_range() const { return instruction_->opcode_range; }
  SourceRange shape_range() const {
    return instruction_->shape_range.empty() ? opcode_range() : instruction_->shape_range;
  }
  SourceRange operand_range(int64_t i) const {
    SourceRange range = instruction_->operands[i].range;
    return range.empty() ? opcode_range() : range;
  }
  // The attribute's text; the opcode's where the attribute is not written.
  SourceRange attribute_range(Attr attr) const {
    const Attribute* attribute = instruction_->attributes.Find(attr);
    return attribute == nullptr || attribute->range.empty() ? opcode_range() : attribute->range;
  }

 private:
  const Module* module_;
  const Instruction* instruction_;
};

}  // namespace hlo

#endif  // HLOKIT_IR_OP_VIEW_H_
