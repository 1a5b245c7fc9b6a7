// What reference kernels need while they run, known from shapes: copies in another type or order,
// lines to sort; and what they keep between runs: tables. So a plan can say how much memory a run
// takes.
#ifndef HLOKIT_INTERP_REFERENCE_SCRATCH_H_
#define HLOKIT_INTERP_REFERENCE_SCRATCH_H_

#include <cstdint>
#include <span>
#include <vector>

#include "ir/op_view.h"

namespace hlo::reference {

// The bytes that the kernel of `op` holds at most besides operands and results, dynamic dimensions
// at their bounds; INT64_MAX where that leaves 63 bits. What does not grow with the arrays is not
// counted, nor are functions that a program adds for custom calls.
int64_t ScratchByteSize(const OpView& op);

// The same for opcodes with the trait kTakesScratch, beside the kernels. Doubles hold products of
// any sizes.
#define HLO_OPCODE(Name, ...) double Name##Scratch(const OpView& op);
#include "ir/opcodes.def"

// What opcodes with the trait kKeepsState prepare.
#define HLO_OPCODE(Name, ...) double Name##State(const OpView& op);
#include "ir/opcodes.def"

// A number of bytes as plans count them: INT64_MAX where it leaves 63 bits.
inline int64_t ByteSizeOf(double byte_size) {
  return byte_size < 0x1p63 ? static_cast<int64_t>(byte_size) : INT64_MAX;
}

// The array leaves of all operands, and of the result, as an Evaluation has them.
std::vector<const Shape*> OperandArrays(const OpView& op);
std::vector<const Shape*> ResultArrays(const OpView& op);

// The product of `sizes`.
double SizeProduct(std::span<const int64_t> sizes);
// What a ConvertedArray (converted_array.h) of `shape` allocates.
double ConvertedByteSize(const Shape& shape, ElementType type);

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_SCRATCH_H_
