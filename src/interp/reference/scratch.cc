// The trait kTakesScratch says which opcodes have a function for it; the others allocate nothing
// that counts. Sizes stay doubles up to the last step, so that no product overflows on the way.
#include "interp/reference/scratch.h"

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
