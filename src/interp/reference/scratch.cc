#include "interp/reference/scratch.h"

namespace hlo::reference {
namespace {

struct OpcodeScratch {
  Opcode opcode;
  double (*byte_size)(const OpView& op);
};

// Kernels that are not listed work in place.
constexpr OpcodeScratch kScratch[] = {
    {Opcode::kBitcast, BitcastScratch},
    {Opcode::kCholesky, CholeskyScratch},
    {Opcode::kConcatenate, ConcatenateScratch},
    {Opcode::kConvolution, ConvolutionScratch},
    {Opcode::kDot, DotScratch},
    {Opcode::kFft, FftScratch},
    {Opcode::kIota, IotaScratch},
    {Opcode::kRaggedDot, RaggedDotScratch},
    {Opcode::kReduce, ReduceScratch},
    {Opcode::kReduceWindow, ReduceScratch},
    {Opcode::kScaledDot, ScaledDotScratch},
    {Opcode::kScatter, ScatterScratch},
    {Opcode::kSelectAndScatter, SelectAndScatterScratch},
    {Opcode::kSort, SortScratch},
    {Opcode::kTopK, TopKScratch},
    {Opcode::kTriangularSolve, TriangularSolveScratch},
};

}  // namespace

int64_t ScratchByteSize(const OpView& op) {
  for (const OpcodeScratch& scratch : kScratch) {
    if (scratch.opcode != op.opcode()) continue;
    const double byte_size = scratch.byte_size(op);
    return byte_size < 0x1p63 ? static_cast<int64_t>(byte_size) : INT64_MAX;
  }
  return 0;
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
