// Most kernels touch each element of operands and results once. Those that do more have the
// trait kCountsWork.
#include "interp/reference/work.h"

#include <algorithm>
#include <cmath>

#include "interp/reference/scratch.h"
#include "ir/layout_index.h"
#include "ir/leaves.h"

namespace hlo::reference {
namespace {

double ElementsOf(const Shape& shape) {
  double count = 0;
  ForEachLeaf(shape, [&](const Shape& leaf) {
    const Shape& array = ArrayShapeOf(leaf);
    if (array.IsArray()) count += SizeProduct(array.dims());
  });
  return count;
}

double OperandElements(const OpView& op) {
  double count = 0;
  for (int64_t i = 0; i < op.operand_count(); ++i) count += ElementsOf(op.operand_shape(i));
  return count;
}

double ResultElements(const OpView& op) { return ElementsOf(*op.written_shape()); }

template <Attr kDims>
double SelectedSizes(const OpView& op, int64_t operand) {
  double product = 1;
  for (int64_t d : op.Get<kDims>()) {
    product *= static_cast<double>(op.operand_shape(operand).dim(d));
  }
  return product;
}

double WindowSize(const OpView& op) {
  double size = 1;
  for (const WindowDimension& dimension : op.Get<Attr::kWindow>().dimensions) {
    size *= static_cast<double>(dimension.size);
  }
  return size;
}

}  // namespace

#define HLO_OPCODE(Name, ...) double Name##Work(const OpView& op);
#include "ir/opcodes.def"

// Elements are looked for in all of the memory that tiles take.
double BitcastWork(const OpView& op) {
  double work = 0;
  for (const Shape* shape : {&op.operand_shape(0), op.written_shape()}) {
    if (!shape->layout() || shape->layout()->tiles.empty()) continue;
    const absl::StatusOr<LayoutIndex> index = LayoutIndex::Make(shape->dims(), *shape->layout());
    work += index.ok() ? static_cast<double>(index->element_count()) : 0;
  }
  return work;
}

// A product for every element of the result and every term of its sum.
double DotWork(const OpView& op) {
  return ResultElements(op) * SelectedSizes<Attr::kLhsContractingDims>(op, 0);
}

// Groups of terms may each take all of them, whose factors are brought together first.
double RaggedDotWork(const OpView& op) {
  const std::span<const int64_t> contracting = op.Get<Attr::kLhsContractingDims>();
  const bool has_groups_of_terms =
      std::ranges::find(contracting, op.Get<Attr::kLhsRaggedDims>()[0]) != contracting.end();
  const double groups =
      has_groups_of_terms ? static_cast<double>(op.operand_shape(2).dims().back()) : 1;
  return DotWork(op) +
         groups * (ElementsOf(op.operand_shape(0)) + ElementsOf(op.operand_shape(1))) +
         ElementsOf(op.operand_shape(2));
}

// Positions outside of the input are left out, but no window is larger than the input either.
double ConvolutionWork(const OpView& op) {
  const double kernel_inputs =
      static_cast<double>(op.operand_shape(1).dim(op.Get<Attr::kDimLabels>().kernel_input_feature));
  return ResultElements(op) * std::min(WindowSize(op), ElementsOf(op.operand_shape(0))) *
         kernel_inputs;
}

double ReduceWindowWork(const OpView& op) {
  return ResultElements(op) * std::min(WindowSize(op), ElementsOf(op.operand_shape(0)));
}

double SelectAndScatterWork(const OpView& op) {
  return ElementsOf(op.operand_shape(1)) *
         std::min(WindowSize(op), ElementsOf(op.operand_shape(0)));
}

double SortWork(const OpView& op) {
  const double count = OperandElements(op);
  return count * std::log2(count + 2);
}

// O(n log n), by way of a longer transform for lengths with large factors.
double FftWork(const OpView& op) {
  const double count = std::max(ResultElements(op), OperandElements(op));
  return 8 * count * std::log2(count + 2);
}

// n products for each element of an n x n matrix.
double CholeskyWork(const OpView& op) {
  const Shape& matrix = op.operand_shape(0);
  return ElementsOf(matrix) * static_cast<double>(matrix.dims().back());
}

double TriangularSolveWork(const OpView& op) {
  return ElementsOf(op.operand_shape(1)) * static_cast<double>(op.operand_shape(0).dims().back());
}

// Products and decompositions of matrices take about the power 1.5 of their size, convolutions at
// most the product of both sides; iterations repeat that.
double CustomCallWork(const OpView& op) {
  const double count = OperandElements(op) + ResultElements(op);
  if (op.Has(Attr::kDimLabels)) return count * count;
  return 16 * count * std::sqrt(count);
}

double ScaledDotWork(const OpView& op) { return DotWork(op); }
double TopKWork(const OpView& op) { return SortWork(op); }

namespace {

// What the kernel does besides reading and writing every element once.
double OpcodeWork(const OpView& op) {
  switch (op.opcode()) {
#define HLO_OPCODE(Name, text, family, arity, shape, traits, ...) \
  case Opcode::k##Name:                                           \
    if constexpr (((traits)&kCountsWork) != 0) {                  \
      return Name##Work(op);                                      \
    } else {                                                      \
      return 0;                                                   \
    }
#include "ir/opcodes.def"
  }
  HLO_UNREACHABLE();
}

int64_t Saturated(double work) { return work < 0x1p62 ? static_cast<int64_t>(work) : INT64_MAX; }

}  // namespace

int64_t Work(const OpView& op) {
  return Saturated(OperandElements(op) + ResultElements(op) + OpcodeWork(op) + 1);
}

int64_t WorkOfCall(const OpView& op) { return Saturated(ResultElements(op) + OpcodeWork(op)); }

int64_t CallCount(const OpView& op) {
  return Saturated(std::max(OperandElements(op), OpcodeWork(op)));
}

}  // namespace hlo::reference
