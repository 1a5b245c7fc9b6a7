// Elementwise opcodes and everything else that keeps indices as they are.
#include <algorithm>

#include "indexing/op_query.h"

namespace hlo::indexing {

MapSet ElementwiseMaps(ExprContext& context, std::span<const int64_t> output,
                       std::span<const int64_t> operand) {
  if (std::ranges::equal(output, operand)) return IndexingMap::Identity(context, output);
  if (operand.empty()) return ScalarMap(context, output);
  return UnknownMaps(context);
}

void ElementwiseToInput(const OpQuery& query, ArrayMapsList& maps) {
  for (size_t i = 0; i < maps.size(); ++i) {
    const int64_t operand = static_cast<int64_t>(i);
    if (!query.op.operand_shape(operand).IsArray()) continue;
    maps[i] = {ElementwiseMaps(query.context, query.output_dims(), query.operand_dims(operand))};
  }
}

// XLA gives a scalar operand the identity of the output, which has too many dimensions.
void ElementwiseToOutput(const OpQuery& query, ArrayMapsList& maps) {
  if (!query.result_shape().IsArray()) return;
  const std::span<const int64_t> output = query.result_shape().dims();
  const std::span<const int64_t> operand = query.operand_dims(query.index);
  const bool is_scalar = operand.empty() && !output.empty();
  if (is_scalar && query.options.sound) {
    maps[0].maps = FromScalarMap(query.context, output);
  } else if (is_scalar || std::ranges::equal(output, operand)) {
    maps[0].maps = IndexingMap::Identity(query.context, output);
  }
}

void NoOperandsToInput(const OpQuery&, ArrayMapsList&) {}

}  // namespace hlo::indexing
