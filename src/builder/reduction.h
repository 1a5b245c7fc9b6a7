// Operations that combine, order and map elements by computations. Source: verifier.md 3.9, 4;
// builder.md 2, 3.
#ifndef HLOKIT_BUILDER_REDUCTION_H_
#define HLOKIT_BUILDER_REDUCTION_H_

#include <cstdint>
#include <optional>

#include "builder/hlo_builder.h"
#include "builder/op.h"
#include "builder/window_dimensions.h"

namespace hlo::ops {

// `computation`, from scalars to a scalar, for each element of the operands, which have one size;
// scalars are broadcast. `dimensions` are 0, 1 ... rank - 1 (map.*); `static_operands` is a thing
// of the documents and must be empty (builder.map-static-operands).
Op Map(const HloBuilder& builder, Ops operands, const Callee& computation, Ints dimensions,
       Ops static_operands = {}, SourceLocation at = SourceLocation::current());

// The elements along `dimensions`, which are gone from the result, combined by `computation`:
// (accumulator..., element...) -> accumulator.... It starts from the init value, a scalar, and is
// associative. Several operands of equal sizes give a tuple. Fails as reduce.*, reducer.*.
Op Reduce(const Op& operand, const Op& init_value, const Callee& computation, Ints dimensions,
          SourceLocation at = SourceLocation::current());
Op Reduce(const HloBuilder& builder, Ops operands, Ops init_values, const Callee& computation,
          Ints dimensions, SourceLocation at = SourceLocation::current());
// Over all dimensions.
Op ReduceAll(const Op& operand, const Op& init_value, const Callee& computation,
             SourceLocation at = SourceLocation::current());

// The elements under each place of a window combined as by Reduce: sizes and strides for each
// dimension of the operand, positive (builder.same-padding-lists, reduce-window.*, window.*).
Op ReduceWindow(const Op& operand, const Op& init_value, const Callee& computation,
                Ints window_dimensions, Ints window_strides, Padding padding,
                SourceLocation at = SourceLocation::current());
Op ReduceWindow(const HloBuilder& builder, Ops operands, Ops init_values, const Callee& computation,
                Ints window_dimensions, Ints window_strides, Padding padding,
                SourceLocation at = SourceLocation::current());
// Each list is empty or as long as the window (builder.window-lists).
Op ReduceWindowWithGeneralPadding(const HloBuilder& builder, Ops operands, Ops init_values,
                                  const Callee& computation, const WindowLists& window,
                                  SourceLocation at = SourceLocation::current());

// For each place of the window over `operand`, `select`, (a, b) -> pred, picks an element;
// `scatter` combines the element of `source` for that place into where it was, starting from
// `init_value`. The result has the operand's sizes, the source the windowed ones
// (select-and-scatter.*).
Op SelectAndScatter(const Op& operand, const Callee& select, Ints window_dimensions,
                    Ints window_strides, Padding padding, const Op& source, const Op& init_value,
                    const Callee& scatter, SourceLocation at = SourceLocation::current());
Op SelectAndScatterWithGeneralPadding(const Op& operand, const Callee& select,
                                      Ints window_dimensions, Ints window_strides,
                                      ListArg<PaddingPair> padding, const Op& source,
                                      const Op& init_value, const Callee& scatter,
                                      SourceLocation at = SourceLocation::current());

// Steps through the inputs along `scan_dimension`: (element of each input..., carry...) ->
// (element of each output..., carry...). The inits are the first carries. The result is the tuple
// of outputs and last carries. Without inputs `scan_dimension_size` says how many steps there are
// (builder.scan-length); with them it may, and then is their size (scan.*).
struct ScanOptions {
  bool is_reverse = false;
  std::optional<bool> is_associative = {};
};
Op Scan(const HloBuilder& builder, Ops inputs, Ops inits, const Callee& computation,
        int64_t scan_dimension, std::optional<int64_t> scan_dimension_size = {},
        const ScanOptions& options = {}, SourceLocation at = SourceLocation::current());

// Sorts along `dimension` (-1: the last). The operands have equal sizes and move together; the
// comparator, (a0, b0, a1, b1 ...) -> pred, says whether the elements a stand before b. Several
// operands give a tuple (sort.*).
Op Sort(Ops operands, const Callee& comparator, int64_t dimension = -1, bool is_stable = false,
        SourceLocation at = SourceLocation::current());
// The older form: rising keys along the last dimension, with the values that belong to them.
Op Sort(const Op& keys, const std::optional<Op>& values = {}, int64_t dimension = -1,
        SourceLocation at = SourceLocation::current());

// The k largest (or smallest) elements along the last dimension, in order, and the s32 indices they
// had: a tuple. Of equal ones, with `is_stable`, the first come first (topk.*).
Op TopK(const Op& operand, int64_t k, bool largest = true, bool is_stable = true,
        SourceLocation at = SourceLocation::current());

}  // namespace hlo::ops

#endif  // HLOKIT_BUILDER_REDUCTION_H_
