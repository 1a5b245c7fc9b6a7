// Operations that work element by element. Source: verifier.md 3.0 to 3.4, 4; builder.md 1.
#ifndef HLOKIT_BUILDER_ELEMENTWISE_H_
#define HLOKIT_BUILDER_ELEMENTWISE_H_

#include <cstdint>
#include <optional>

#include "builder/op.h"
#include "ir/attribute_values.h"

namespace hlo::ops {

// What elementwise.def lists. Operands are arrays of the element types in verifier.md 3.1 and 3.2;
// others fail (unary.*, binary.*, logical.*, complex.*, compare.*), tolerances as accuracy.value.
//
// Binary operations broadcast, and what comes out are explicit instructions. A scalar goes with
// everything. Between arrays of different rank `broadcast_dimensions` says which dimension of the
// higher-ranked one each dimension of the other is, ascending; the two sizes are equal, or one is 1
// (broadcasting.*). Where sizes still differ, the one that is 1 grows:
//   Add(f32[3], f32[2,3], {1})          f32[2,3]
//   Add(f32[4,1], f32[1,5])             f32[4,5], the outer sum
//   Add(f32[1,2], f32[4,3,1], {1, 2})   f32[4,3,2]
// Two float types give the wider one. A dimension of the result is dynamic where a side's is.
#define HLO_UNARY_OPERATION(Name, Opcode) \
  Op Name(const Op& operand, SourceLocation at = SourceLocation::current());
#define HLO_TRANSCENDENTAL_OPERATION(Name, Opcode)                               \
  Op Name(const Op& operand, const std::optional<ResultAccuracy>& accuracy = {}, \
          SourceLocation at = SourceLocation::current());
#define HLO_BINARY_OPERATION(Name, Opcode)                              \
  Op Name(const Op& lhs, const Op& rhs, Ints broadcast_dimensions = {}, \
          SourceLocation at = SourceLocation::current());
#define HLO_LOGICAL_OPERATION HLO_BINARY_OPERATION
#define HLO_COMPARISON_OPERATION(Name, TotalOrderName, Direction) \
  HLO_BINARY_OPERATION(Name, Direction)                           \
  HLO_BINARY_OPERATION(TotalOrderName, Direction)
#include "builder/elementwise.def"

// Not of pred alone.
Op LogicalNot(const Op& operand, SourceLocation at = SourceLocation::current());

// The comparisons by another name. `type` must fit the operands: FLOAT or TOTALORDER for floats,
// SIGNED, UNSIGNED (compare.type, compare.total-order); left out it is the one that does, FLOAT of
// the two.
Op Compare(const Op& lhs, const Op& rhs, Ints broadcast_dimensions, ComparisonDirection direction,
           std::optional<ComparisonType> type = {}, SourceLocation at = SourceLocation::current());
Op Compare(const Op& lhs, const Op& rhs, ComparisonDirection direction,
           SourceLocation at = SourceLocation::current());

// real - i * imag.
Op Conj(const Op& operand, SourceLocation at = SourceLocation::current());

// min(max(operand, `min`), `max`). The three have one element type; scalars among them are
// broadcast to the dimensions of the others, which are equal (builder.ternary-scalars, clamp.*).
Op Clamp(const Op& min, const Op& operand, const Op& max,
         SourceLocation at = SourceLocation::current());

// `on_true` where `predicate`, a pred, holds, else `on_false`. Scalars among the three are
// broadcast as for Clamp. Of tuples one is chosen as a whole by a scalar predicate: that becomes a
// conditional. Fails as builder.ternary-scalars, select.*.
Op Select(const Op& predicate, const Op& on_true, const Op& on_false,
          SourceLocation at = SourceLocation::current());

// The same numbers in another element type; of complex numbers that are to be real, the real part.
Op ConvertElementType(const Op& operand, ElementType type,
                      SourceLocation at = SourceLocation::current());

// The same bits read as `type`. A wider operand type appends a dimension of the ratio of the
// widths, a narrower one takes the last dimension away, which has that size (bitcast-convert.*).
Op BitcastConvertType(const Op& operand, ElementType type,
                      SourceLocation at = SourceLocation::current());

// The operand's memory read as `shape`, in the layouts of both.
Op Bitcast(const Op& operand, const Shape& shape, SourceLocation at = SourceLocation::current());

// Numbers of bits, in types of their own: the documents disagree about their order.
struct ExponentBits {
  int count;
};
struct MantissaBits {
  int count;
};
// Rounds floats to what a format with so many bits can hold; the type stays. Fails below one
// exponent bit or with a negative number of mantissa bits (reduce-precision.*).
Op ReducePrecision(const Op& operand, ExponentBits exponent_bits, MantissaBits mantissa_bits,
                   SourceLocation at = SourceLocation::current());

// Converts floats to `type`, up or down at random: `random` has an unsigned integer of the
// operand's width for each element (stochastic-convert.*).
Op StochasticConvertType(const Op& operand, const Op& random, ElementType type,
                         SourceLocation at = SourceLocation::current());

}  // namespace hlo::ops

#endif  // HLOKIT_BUILDER_ELEMENTWISE_H_
