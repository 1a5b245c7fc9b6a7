// The trait kTakesScratch says which opcodes have a function for it; the others allocate nothing
// that counts. Sizes stay doubles up to the last step, so that no product overflows on the way.
#include "interp/reference/scratch.h"

#include "ir/leaves.h"

namespace hlo::reference {
double OpcodeScratch(const OpView& op) {
  switch (op.opcode()) {
#define HLO_OPCODE(Name, text, family, arity, shape, traits, ...) \
  case Opcode::k##Name:                                           \
    if constexpr (((traits)&kTakesScratch) != 0) {                \
      return Name##Scratch(op);                                   \
    } else {                                                      \
      return 0;                                                   \
    }
#include "ir/opcodes.def"
  }
  HLO_UNREACHABLE();
}

int64_t ScratchByteSize(const OpView& op) { return ByteSizeOf(OpcodeScratch(op)); }

namespace {

void AddArrays(const Shape& shape, std::vector<const Shape*>& arrays) {
  ForEachLeaf(shape, [&](const Shape& leaf) {
    if (ArrayShapeOf(leaf).IsArray()) arrays.push_back(&ArrayShapeOf(leaf));
  });
}

}  // namespace

std::vector<const Shape*> OperandArrays(const OpView& op) {
  std::vector<const Shape*> arrays;
  for (int64_t i = 0; i < op.operand_count(); ++i) AddArrays(op.operand_shape(i), arrays);
  return arrays;
}

std::vector<const Shape*> ResultArrays(const OpView& op) {
  std::vector<const Shape*> arrays;
  AddArrays(*op.written_shape(), arrays);
  return arrays;
}

double SizeProduct(std::span<const int64_t> sizes) {
  double product = 1;
  for (int64_t size : sizes) product *= static_cast<double>(size);
  return product;
}

double ConvertedByteSize(const Shape& shape, ElementType type) {
  if (shape.element_type() == type) return 0;
  return SizeProduct(shape.dims()) * static_cast<double>(ElementByteSize(type));
}

}  // namespace hlo::reference
