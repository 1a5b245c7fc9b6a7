// The question of one instruction: everything is unknown until the function of its opcode says
// more.
#include "indexing/op_maps.h"

#include <algorithm>

#include "indexing/op_query.h"

namespace hlo::indexing {

const Shape& ElementShape(const Shape& shape, int64_t element) {
  return shape.IsTuple() ? shape.element(element) : shape;
}

int64_t OutputCount(const Shape& shape) { return shape.IsTuple() ? shape.element_count() : 1; }

MapSet UnknownMaps(ExprContext& context) { return MapSet(IndexingMap::Unknown(context)); }

namespace {

ArrayMapsList Unanswered(ExprContext& context, int64_t count) {
  return ArrayMapsList(static_cast<size_t>(count),
                       ArrayMaps{UnknownMaps(context), ArrayMaps::kAllElements});
}

// Sizes `?` say nothing that a map could be made of.
bool HasUnboundedSizes(const OpView& op) {
  if (op.instruction().shape->HasUnboundedDim()) return true;
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    if (op.operand_shape(i).HasUnboundedDim()) return true;
  }
  return false;
}

}  // namespace

ArrayMapsList OutputToInput(const OpView& op, int64_t output, ExprContext& context,
                            const IndexingOptions& options) {
  ArrayMapsList maps = Unanswered(context, op.operand_count());
  const OpFunction function = FunctionsOf(op.opcode()).output_to_input;
  if (function == nullptr || HasUnboundedSizes(op)) return maps;
  const Shape& shape = *op.instruction().shape;
  if (output >= OutputCount(shape) || !ElementShape(shape, output).IsArray()) return maps;
  function({op, output, context, options}, maps);
  return maps;
}

ArrayMapsList InputToOutput(const OpView& op, int64_t operand, ExprContext& context,
                            const IndexingOptions& options) {
  const Shape& shape = *op.instruction().shape;
  ArrayMapsList maps = Unanswered(context, OutputCount(shape));
  for (size_t i = 0; i < maps.size(); ++i) maps[i].tuple_element = static_cast<int64_t>(i);
  const OpFunction function = FunctionsOf(op.opcode()).input_to_output;
  if (function == nullptr || HasUnboundedSizes(op)) return maps;
  function({op, operand, context, options}, maps);
  return maps;
}

}  // namespace hlo::indexing
