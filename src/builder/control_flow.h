// Calls of computations and of code that is not HLO. Source: verifier.md 3.11, 4; builder.md 3.
#ifndef HLOKIT_BUILDER_CONTROL_FLOW_H_
#define HLOKIT_BUILDER_CONTROL_FLOW_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "builder/contraction.h"
#include "builder/hlo_builder.h"
#include "builder/op.h"
#include "ir/attribute_values.h"
#include "ir/literal.h"

namespace hlo::ops {

// What `computation` returns for these operands, one for each of its parameters (call.*).
Op Call(const HloBuilder& builder, const Callee& computation, Ops operands,
        SourceLocation at = SourceLocation::current());

// A call of something that a backend may know by `name` and do in its own way. `attributes` is text
// for it, a dictionary; `version` is 0 or more.
Op CompositeCall(const HloBuilder& builder, const Callee& computation, Ops operands,
                 std::string_view name, std::string_view attributes = "{}", int64_t version = 0,
                 SourceLocation at = SourceLocation::current());

// true_computation(true_operand) or false_computation(false_operand), as `predicate`, a pred[], has
// it (builder.conditional-selector, conditional.*).
Op Conditional(const Op& predicate, const Op& true_operand, const Callee& true_computation,
               const Op& false_operand, const Callee& false_computation,
               SourceLocation at = SourceLocation::current());
// branch_computations[branch_index](branch_operands[branch_index]); of an s32[] that is no index,
// the last one.
Op Conditional(const Op& branch_index, ListArg<Callee> branch_computations, Ops branch_operands,
               SourceLocation at = SourceLocation::current());

// `init`, then `body` of that, again and again as long as `condition` of it holds. Body: T -> T,
// condition: T -> pred[] (while.*).
Op While(const Callee& condition, const Callee& body, const Op& init,
         SourceLocation at = SourceLocation::current());

// --- Custom calls --------------------------------------------------------------------------------

// Part `output_index` of the result is in the memory of part `operand_index` of operand `operand`.
struct CustomCallAlias {
  std::vector<int64_t> output_index;
  int64_t operand = 0;
  std::vector<int64_t> operand_index = {};
};
struct CustomCallOptions {
  std::string_view opaque = {};  // text for the target, printed as the backend_config
  bool has_side_effect = false;
  std::vector<CustomCallAlias> aliasing = {};
  std::optional<Literal> literal = {};
  CustomCallSchedule schedule = CustomCallSchedule::kNone;
  CustomCallApiVersion api_version = CustomCallApiVersion::kOriginal;
};
// A value of `shape` from the code called `target`, which does not begin with `$`
// (builder.custom-call-target, custom-call.*).
Op CustomCall(const HloBuilder& builder, std::string_view target, Ops operands, const Shape& shape,
              const CustomCallOptions& options = {}, SourceLocation at = SourceLocation::current());
// With a computation for it to call.
Op CustomCallWithComputation(const HloBuilder& builder, std::string_view target, Ops operands,
                             const Callee& computation, const Shape& shape,
                             const CustomCallOptions& options = {},
                             SourceLocation at = SourceLocation::current());
// With layouts that are not to change: that of the result, and a shape for each operand.
Op CustomCallWithLayout(const HloBuilder& builder, std::string_view target, Ops operands,
                        const Shape& shape_with_layout, ListArg<Shape> operand_shapes_with_layout,
                        const CustomCallOptions& options = {},
                        SourceLocation at = SourceLocation::current());
// For one that convolves.
Op CustomCallWithConvDnums(const HloBuilder& builder, std::string_view target, Ops operands,
                           const Shape& shape, const WindowLists& window,
                           const ConvDimensionNumbers& numbers,
                           const ConvOptions& conv_options = {},
                           const CustomCallOptions& options = {},
                           SourceLocation at = SourceLocation::current());

}  // namespace hlo::ops

#endif  // HLOKIT_BUILDER_CONTROL_FLOW_H_
