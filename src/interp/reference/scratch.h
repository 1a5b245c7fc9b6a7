// What reference kernels allocate while they run, known from shapes: copies in another type or
// order, lines to sort, tables. So a plan can say how much memory a run takes.
#ifndef HLOKIT_INTERP_REFERENCE_SCRATCH_H_
#define HLOKIT_INTERP_REFERENCE_SCRATCH_H_

#include <cstdint>

#include "ir/op_view.h"

namespace hlo::reference {

// The bytes that the kernel of `op` holds at most besides operands and results, dynamic dimensions
// at their bounds; INT64_MAX where that leaves 63 bits. What does not grow with the arrays is not
// counted, nor is what custom calls take.
int64_t ScratchByteSize(const OpView& op);

// The same by opcode, beside the kernels. Doubles hold products of any sizes.
double BitcastScratch(const OpView& op);
double ConcatenateScratch(const OpView& op);
double IotaScratch(const OpView& op);
double DotScratch(const OpView& op);
double RaggedDotScratch(const OpView& op);
double ScaledDotScratch(const OpView& op);
double ConvolutionScratch(const OpView& op);
double FftScratch(const OpView& op);
double CholeskyScratch(const OpView& op);
double TriangularSolveScratch(const OpView& op);
double SortScratch(const OpView& op);
double TopKScratch(const OpView& op);
double ReduceScratch(const OpView& op);
double SelectAndScatterScratch(const OpView& op);
double ScatterScratch(const OpView& op);

// The product of `sizes`.
double SizeProduct(std::span<const int64_t> sizes);
// What a ConvertedArray (converted_array.h) of `shape` allocates.
double ConvertedByteSize(const Shape& shape, ElementType type);

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_SCRATCH_H_
