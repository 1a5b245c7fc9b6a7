// Both lists of sizes fall into the shortest runs with the same product. A dynamic dimension then
// has a run of its own, or it is not known how the elements that are missing fall into the result.
#include "inference/reshape_dims.h"

#include <fmt/format.h>

#include <vector>

#include "support/checked_math.h"

namespace hlo {
namespace {

// Dimensions [input_begin, input_end) become [output_begin, output_end).
struct Run {
  int64_t input_begin, input_end, output_begin, output_end;
};

// Empty when the products differ.
std::vector<Run> MatchingRuns(std::span<const int64_t> input, std::span<const int64_t> output) {
  std::vector<Run> runs;
  const auto input_rank = static_cast<int64_t>(input.size());
  const auto output_rank = static_cast<int64_t>(output.size());
  int64_t i = 0, o = 0;
  while (i < input_rank && o < output_rank) {
    Run run = {i, i + 1, o, o + 1};
    int64_t input_product = input[i++], output_product = output[o++];
    while (input_product != output_product) {
      const bool grows_input = input_product < output_product;
      int64_t& product = grows_input ? input_product : output_product;
      if (grows_input ? i == input_rank : o == output_rank) return {};
      const auto next = CheckedMul(product, grows_input ? input[i++] : output[o++]);
      if (!next || *next == 0) return {};
      product = *next;
    }
    while (o < output_rank && output[o] == 1 && (i == input_rank || input[i] != 1)) ++o;
    run.input_end = i;
    run.output_end = o;
    runs.push_back(run);
  }
  if (o < output_rank || i < input_rank) return {};
  return runs;
}

// Which dimension of the result the dynamic dimension `d`, alone in its run, makes dynamic.
int64_t DynamicDimension(const Run& run, std::span<const int64_t> sizes,
                         int64_t inferred_dimension) {
  if (inferred_dimension >= run.output_begin && inferred_dimension < run.output_end) {
    return inferred_dimension;
  }
  for (int64_t o = run.output_begin; o < run.output_end; ++o) {
    if (sizes[o] != 1) return o;
  }
  return run.output_begin;
}

}  // namespace

std::optional<Shape> ReshapedShape(const Shape& operand, std::span<const int64_t> sizes,
                                   int64_t inferred_dimension, std::string& problem) {
  Shape result = Shape::Array(operand.element_type(), sizes);
  if (!operand.IsArray() || !operand.HasDynamicDim() || operand.HasUnboundedDim()) return result;
  for (const Run& run : MatchingRuns(operand.dims(), sizes)) {
    for (int64_t d = run.input_begin; d < run.input_end; ++d) {
      if (!operand.is_dynamic(d)) continue;
      if (run.input_end - run.input_begin > 1 && run.output_end - run.output_begin > 1) {
        problem = fmt::format("dimension {} of `{}` is dynamic and spreads over several of [{}]", d,
                              ShapeText(operand), fmt::join(sizes, ","));
        return std::nullopt;
      }
      result.set_dynamic(DynamicDimension(run, sizes, inferred_dimension), true);
    }
  }
  return result;
}

}  // namespace hlo
