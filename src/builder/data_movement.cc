// Operations that name and rearrange values; broadcasts and reshapes are in reshapes.cc, leaves in
// constants.cc.
#include "builder/data_movement.h"

#include <algorithm>

#include "builder/operation.h"

namespace hlo::ops {

Op Transpose(const Op& operand, Ints permutation, SourceLocation at) {
  Operation operation("Transpose", at, {operand});
  return operation.Add(Opcode::kTranspose, {operand})
      .Set<Attr::kDimensions>(ToList(permutation))
      .Infer();
}

Op Rev(const Op& operand, Ints dimensions, SourceLocation at) {
  Operation operation("Rev", at, {operand});
  return operation.Add(Opcode::kReverse, {operand})
      .Set<Attr::kDimensions>(ToList(dimensions))
      .Infer();
}

Op ConcatInDim(const HloBuilder& builder, Ops operands, int64_t dimension, SourceLocation at) {
  Operation operation("ConcatInDim", at, builder, operands);
  return operation.Add(Opcode::kConcatenate, operands)
      .Set<Attr::kDimensions>(IntList(&dimension, 1))
      .Infer();
}

// A scalar has no place for padding, and no text for having none (grammar.md 5.4): the instruction
// checks the arguments, what stays is the operand.
Op Pad(const Op& operand, const Op& value, ListArg<PaddingDimension> padding, SourceLocation at) {
  Operation operation("Pad", at, {operand, value});
  const Op padded =
      operation.Add(Opcode::kPad, {operand, value}).Set<Attr::kPadding>(ToList(padding)).Infer();
  if (!operation.ok() || padded.shape().rank() > 0) return padded;
  const Shape shape = padded.shape();
  operation.Remove(padded);
  if (shape.element_type() == operand.shape().element_type()) return operand;
  return operation.Add(Opcode::kConvert, {operand}).As(shape);
}

Op PadInDim(const Op& operand, const Op& value, int64_t dimension, int64_t low, int64_t high,
            SourceLocation at) {
  Operation operation("PadInDim", at, {operand, value});
  const int64_t rank = operand.shape().rank();
  if (!operation.CheckDimension(dimension, rank, Rule::kBuilderDimensionRange)) {
    return operation.Invalid();
  }
  std::vector<PaddingDimension> padding(rank);
  padding[dimension] = {low, high, 0};
  return operation.Add(Opcode::kPad, {operand, value}).Set<Attr::kPadding>(padding).Infer();
}

namespace {

Op AddSlice(Operation& operation, const Op& operand, const std::vector<SliceRange>& ranges) {
  return operation.Add(Opcode::kSlice, {operand})
      .Set<Attr::kSliceRanges>(ranges)
      .InferFrom(operand.shape());
}

}  // namespace

Op Slice(const Op& operand, Ints starts, Ints limits, Ints strides, SourceLocation at) {
  Operation operation("Slice", at, {operand});
  if (starts.size() != limits.size() || (!strides.empty() && strides.size() != starts.size())) {
    return operation.Fail(Rule::kSliceRank, "{} starts, {} limits and {} strides", starts.size(),
                          limits.size(), strides.size());
  }
  std::vector<SliceRange> ranges;
  for (size_t d = 0; d < starts.size(); ++d) {
    ranges.push_back({starts[d], limits[d], strides.empty() ? 1 : strides[d]});
  }
  return AddSlice(operation, operand, ranges);
}

Op SliceInDim(const Op& operand, int64_t start, int64_t limit, int64_t stride, int64_t dimension,
              SourceLocation at) {
  Operation operation("SliceInDim", at, {operand});
  const Shape& shape = operand.shape();
  if (!operation.CheckDimension(dimension, shape.rank(), Rule::kBuilderDimensionRange)) {
    return operation.Invalid();
  }
  std::vector<SliceRange> ranges;
  for (int64_t size : shape.dims()) ranges.push_back({0, size, 1});
  ranges[dimension] = {start, limit, stride};
  return AddSlice(operation, operand, ranges);
}

Op Tuple(const HloBuilder& builder, Ops elements, SourceLocation at) {
  Operation operation("Tuple", at, builder, elements);
  return operation.Add(Opcode::kTuple, elements).Infer();
}

Op GetTupleElement(const Op& tuple, int64_t index, SourceLocation at) {
  Operation operation("GetTupleElement", at, {tuple});
  return operation.Add(Opcode::kGetTupleElement, {tuple}).Set<Attr::kIndex>(index).Infer();
}

Op OptimizationBarrier(const Op& operand, SourceLocation at) {
  Operation operation("OptimizationBarrier", at, {operand});
  return operation.Add(Opcode::kOptimizationBarrier, {operand}).Infer();
}

// --- Dynamic sizes -------------------------------------------------------------------------------

namespace {

Draft SizeOf(Operation& operation, const Op& operand, int64_t dimension) {
  return operation.Add(Opcode::kGetDimensionSize, {operand})
      .Set<Attr::kDimensions>(IntList(&dimension, 1));
}

}  // namespace

// The instruction checks the arguments, also where a constant takes its place.
Op GetDimensionSize(const Op& operand, int64_t dimension, SourceLocation at) {
  Operation operation("GetDimensionSize", at, {operand});
  const Op size = SizeOf(operation, operand, dimension).Infer();
  if (!operation.ok() || operand.shape().is_dynamic(dimension)) return size;
  operation.Remove(size);
  return operation.AddConstant(
      Literal::Scalar(static_cast<int32_t>(operand.shape().dim(dimension))));
}

Op SetDimensionSize(const Op& operand, const Op& size, int64_t dimension, SourceLocation at) {
  Operation operation("SetDimensionSize", at, {operand, size});
  return operation.Add(Opcode::kSetDimensionSize, {operand, size})
      .Set<Attr::kDimensions>(IntList(&dimension, 1))
      .Infer();
}

Op RemoveDynamicDimension(const Op& operand, int64_t dimension, SourceLocation at) {
  Operation operation("RemoveDynamicDimension", at, {operand});
  if (!operation.CheckDimension(dimension, operand.shape().rank(),
                                Rule::kSetDimensionSizeDimension)) {
    return operation.Invalid();
  }
  Shape shape = operand.shape();
  shape.set_dynamic(dimension, false);
  const auto bound = static_cast<int32_t>(std::min<int64_t>(shape.dim(dimension), INT32_MAX));
  const Op size = operation.InnerConstant(Literal::Scalar(bound));
  return operation.Add(Opcode::kSetDimensionSize, {operand, size})
      .Set<Attr::kDimensions>(IntList(&dimension, 1))
      .As(shape);
}

}  // namespace hlo::ops
