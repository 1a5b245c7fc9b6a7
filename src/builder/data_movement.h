// Operations that make, name, rearrange and copy values. Source: verifier.md 3.5, 3.15, 4.
#ifndef HLOKIT_BUILDER_DATA_MOVEMENT_H_
#define HLOKIT_BUILDER_DATA_MOVEMENT_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "builder/hlo_builder.h"
#include "builder/op.h"
#include "ir/attribute_values.h"
#include "ir/literal.h"

namespace hlo::ops {

// --- Parameters and constants --------------------------------------------------------------------

// Parameter `number` of `builder`'s computation; once the computation is built the numbers are 0,
// 1, 2 ... without gaps, in whatever order they were made (comp.param*). An empty name is replaced.
// `replicated_at_leaf_buffers`: whether all replicas give the same array, for each array in
// `shape`.
Op Parameter(const HloBuilder& builder, int64_t number, const Shape& shape, std::string_view name,
             ListArg<bool> replicated_at_leaf_buffers = {},
             SourceLocation at = SourceLocation::current());

// The literal's value: an array, or a tuple of such. An array with several elements that are all
// equal, or with rows of none, becomes a scalar and a broadcast.
Op Constant(const HloBuilder& builder, Literal value,
            SourceLocation at = SourceLocation::current());
Op ConstantLiteral(const HloBuilder& builder, Literal value,
                   SourceLocation at = SourceLocation::current());

namespace internal {

// An array of `sizes` with these elements, in row-major order; fewer or more of them is an error,
// reported as one of the operation.
template <typename T>
Op ConstantElements(const HloBuilder& builder, Ints sizes, ListArg<T> elements, SourceLocation at);

}  // namespace internal

// A scalar. T is the C++ type of an element type: float, double, bool, intN_t, uintN_t, Bf16, C64
// ...
template <typename T>
Op ConstantR0(const HloBuilder& builder, T value, SourceLocation at = SourceLocation::current()) {
  return Constant(builder, Literal::Scalar(value), at);
}

// A vector: ConstantR1<float>(builder, {1, 2, 3}).
template <typename T>
Op ConstantR1(const HloBuilder& builder, ListArg<T> elements,
              SourceLocation at = SourceLocation::current()) {
  return internal::ConstantElements<T>(builder, {elements.ssize()}, elements, at);
}

// A matrix by rows, which are equally long: ConstantR2<float>(builder, {{1, 2}, {3, 4}}).
template <typename T>
Op ConstantR2(const HloBuilder& builder, std::initializer_list<std::initializer_list<T>> rows,
              SourceLocation at = SourceLocation::current());

// An array of any rank from its elements in row-major order.
template <typename T>
Op ConstantArray(const HloBuilder& builder, Ints sizes, ListArg<T> elements,
                 SourceLocation at = SourceLocation::current()) {
  return internal::ConstantElements<T>(builder, sizes, elements, at);
}

// 0, 1, 2 ... along `iota_dimension` of a static array of an integer, floating-point or complex
// type and at least one dimension (builder.iota-static, iota.*).
Op Iota(const HloBuilder& builder, const Shape& shape, int64_t iota_dimension,
        SourceLocation at = SourceLocation::current());
// A vector of `size` such numbers.
Op Iota(const HloBuilder& builder, ElementType type, int64_t size,
        SourceLocation at = SourceLocation::current());

// --- Broadcasts and reshapes ---------------------------------------------------------------------

// The operand for each index of new leading dimensions of `sizes`: f32[3], {2} gives f32[2,3]. The
// sizes are 0 or more (builder.broadcast-sizes).
Op Broadcast(const Op& operand, Ints sizes, SourceLocation at = SourceLocation::current());

// An array of `sizes` whose dimension broadcast_dimensions[i] is the operand's dimension i: sizes
// equal or the operand's 1; one entry for each dimension, ascending (builder.broadcast-in-dim).
Op BroadcastInDim(const Op& operand, Ints sizes, Ints broadcast_dimensions,
                  SourceLocation at = SourceLocation::current());

// The same elements in row-major order with other sizes: as many elements (reshape.count).
Op Reshape(const Op& operand, Ints sizes, SourceLocation at = SourceLocation::current());
// With the sizes, the dynamic dimensions and the layout of `shape`.
Op Reshape(const Shape& shape, const Op& operand, SourceLocation at = SourceLocation::current());
// The older form: the operand's dimensions are read in the order `dimensions`, a permutation
// (builder.reshape-permutation), the first one slowest.
Op Reshape(const Op& operand, Ints dimensions, Ints sizes,
           SourceLocation at = SourceLocation::current());
// When a dynamic dimension becomes several, `inferred_dimension` of the result is the dynamic one.
Op ReshapeWithInferredDimension(const Op& operand, Ints sizes, int64_t inferred_dimension,
                                SourceLocation at = SourceLocation::current());
// A reshape to sizes known at run time: `dim_sizes` are s32 scalars, `bounds` what they are at
// most, `dims_are_dynamic` which of them vary; one of each for each dimension of the result
// (builder.dynamic-reshape-lists, dynamic-reshape.*).
Op DynamicReshape(const Op& operand, Ops dim_sizes, Ints bounds, ListArg<bool> dims_are_dynamic,
                  SourceLocation at = SourceLocation::current());
// The consecutive, ascending `dimensions` become one (builder.collapse-*). Fewer than two: the
// operand itself.
Op Collapse(const Op& operand, Ints dimensions, SourceLocation at = SourceLocation::current());

// --- Arrangement ---------------------------------------------------------------------------------

// Dimension i of the result is dimension permutation[i] of the operand (transpose.permutation).
Op Transpose(const Op& operand, Ints permutation, SourceLocation at = SourceLocation::current());
// The elements along each of `dimensions` in reverse order (reverse.*).
Op Rev(const Op& operand, Ints dimensions, SourceLocation at = SourceLocation::current());
// The operands, which agree in all other dimensions, behind one another along `dimension`
// (concatenate.*).
Op ConcatInDim(const HloBuilder& builder, Ops operands, int64_t dimension,
               SourceLocation at = SourceLocation::current());
// Puts `value`, a scalar, before (low), behind (high) and between (interior) the elements along
// each dimension: padding[i]. Negative low and high take elements away (pad.*). Of a scalar the
// result is the scalar.
Op Pad(const Op& operand, const Op& value, ListArg<PaddingDimension> padding,
       SourceLocation at = SourceLocation::current());
// The same along one dimension.
Op PadInDim(const Op& operand, const Op& value, int64_t dimension, int64_t low, int64_t high,
            SourceLocation at = SourceLocation::current());
// Along each dimension the elements start, start + stride ... below limit; without strides all of
// them (slice.*).
Op Slice(const Op& operand, Ints starts, Ints limits, Ints strides = {},
         SourceLocation at = SourceLocation::current());
// The same along one dimension; all of the others.
Op SliceInDim(const Op& operand, int64_t start, int64_t limit, int64_t stride, int64_t dimension,
              SourceLocation at = SourceLocation::current());

// --- Tuples and passing on -----------------------------------------------------------------------
// The tuple of the elements, arrays and tuples, which may be none.
Op Tuple(const HloBuilder& builder, Ops elements, SourceLocation at = SourceLocation::current());
// Element `index` of a tuple, from 0 (get-tuple-element.*).
Op GetTupleElement(const Op& tuple, int64_t index, SourceLocation at = SourceLocation::current());
// The operand. Nothing behind it is computed before everything in front of it.
Op OptimizationBarrier(const Op& operand, SourceLocation at = SourceLocation::current());

// --- Dynamic sizes -------------------------------------------------------------------------------

// The size of `dimension` at run time, s32[]; of a static dimension a constant
// (get-dimension-size.*).
Op GetDimensionSize(const Op& operand, int64_t dimension,
                    SourceLocation at = SourceLocation::current());
// The operand with `size` elements, an s32[], along `dimension`, which becomes dynamic with its
// size as bound (set-dimension-size.*).
Op SetDimensionSize(const Op& operand, const Op& size, int64_t dimension,
                    SourceLocation at = SourceLocation::current());
// The operand with all elements up to the bound of `dimension`, which becomes static.
Op RemoveDynamicDimension(const Op& operand, int64_t dimension,
                          SourceLocation at = SourceLocation::current());

// --- Templates -----------------------------------------------------------------------------------

namespace internal {

Op MismatchedConstant(const HloBuilder& builder, Ints sizes, size_t element_count,
                      SourceLocation at);
// Storage for the elements; nothing when there are not `element_count` of them.
std::optional<Literal> ArrayLiteral(ElementType type, Ints sizes, size_t element_count);

template <typename T>
Op ConstantElements(const HloBuilder& builder, Ints sizes, ListArg<T> elements, SourceLocation at) {
  std::optional<Literal> literal = ArrayLiteral(kElementTypeOf<T>, sizes, elements.size());
  if (!literal) return MismatchedConstant(builder, sizes, elements.size(), at);
  std::copy(elements.begin(), elements.end(), literal->elements<T>().begin());
  return Constant(builder, *std::move(literal), at);
}

}  // namespace internal

template <typename T>
Op ConstantR2(const HloBuilder& builder, std::initializer_list<std::initializer_list<T>> rows,
              SourceLocation at) {
  const size_t column_count = rows.size() == 0 ? 0 : rows.begin()->size();
  const int64_t sizes[] = {static_cast<int64_t>(rows.size()), static_cast<int64_t>(column_count)};
  std::vector<T> elements;
  for (const std::initializer_list<T>& row : rows) {
    if (row.size() != column_count) {
      return internal::MismatchedConstant(builder, sizes, elements.size() + row.size(), at);
    }
    elements.insert(elements.end(), row);
  }
  const ListArg<T> list = ListArg<T>(elements);
  return internal::ConstantElements<T>(builder, sizes, list, at);
}

}  // namespace hlo::ops

#endif  // HLOKIT_BUILDER_DATA_MOVEMENT_H_
