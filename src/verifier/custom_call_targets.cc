// Custom calls with a meaning of their own (semantics.md 15.5). XLA's verifier takes every
// custom-call as it is written; what is asked here is what the compilers that make and take these
// calls rely on without looking.
#include "verifier/custom_call_targets.h"

#include <algorithm>
#include <string_view>

#include "support/count_text.h"

namespace hlo {
namespace {

void CheckGetRngSeed(const RuleContext& context, const OpView& op) {
  if (op.operand_count() == 0 &&
      Compatible(*op.written_shape(), Shape::Scalar(ElementType::kU64))) {
    return;
  }
  context.Report(Rule::kCustomCallGetRngSeed, op.shape_range(),
                 "`GetRngSeed` takes no operand and returns `u64[]`, found {} and `{}`",
                 CountText(op.operand_count(), "operand"), ShapeText(*op.written_shape()));
}

// --- SliceToDynamic ------------------------------------------------------------------------------

// (array, size of dimension 0, size of dimension 1, ...) -> that part of the array
void CheckSliceToDynamic(const RuleContext& context, const OpView& op) {
  const auto report = [&](SourceRange range, std::string_view what, const Shape& shape) {
    context.Report(Rule::kCustomCallSliceToDynamic, range, "{} is `{}`", what, ShapeText(shape));
  };
  if (op.operand_count() == 0 || !op.operand_shape(0).IsArray() ||
      op.operand_count() != op.operand_shape(0).rank() + 1) {
    context.Report(
        Rule::kCustomCallSliceToDynamic, op.opcode_range(),
        "`SliceToDynamic` takes an array and a size for each of its dimensions, found {}",
        CountText(op.operand_count(), "operand"));
    return;
  }
  for (int64_t i = 1; i < op.operand_count(); ++i) {
    const Shape& size = op.operand_shape(i);
    if (size.IsScalar() && IsInteger(size.element_type())) continue;
    return report(op.operand_range(i), fmt::format("operand {}, no scalar integer,", i), size);
  }
  const Shape& operand = op.operand_shape(0);
  const Shape& result = *op.written_shape();
  if (result.IsArray() && result.rank() == operand.rank() &&
      result.element_type() == operand.element_type()) {
    return;
  }
  report(op.shape_range(), fmt::format("the result, no part of `{}`,", ShapeText(operand)), result);
}

// --- Convolutions of cuDNN -----------------------------------------------------------------------

// The arrays that stand in the three parts of dim_labels: attributes always describe the forward
// convolution, whose input, kernel or output the call computes.
struct ConvolutionArrays {
  const Shape* input;
  const Shape* kernel;
  const Shape* output;
};

// Results are (array, workspace).
const Shape& FirstArray(const Shape& result) {
  return result.IsTuple() && result.element_count() > 0 ? result.element(0) : result;
}

ConvolutionArrays ArraysOf(const OpView& op) {
  const std::string_view target = op.Get<Attr::kCustomCallTarget>();
  const Shape* first = &op.operand_shape(0);
  const Shape* second = &op.operand_shape(1);
  const Shape* result = &FirstArray(*op.written_shape());
  if (target == "__cudnn$convBackwardInput") return {result, second, first};
  if (target == "__cudnn$convBackwardFilter") return {first, result, second};
  return {first, second, result};
}

// Two dimensions with a meaning and the spatial ones, each one that the array has.
bool Names(int64_t major, int64_t minor, const IntList& spatial, int64_t spatial_count,
           int64_t part_rank, const Shape& array) {
  return major >= 0 && minor >= 0 && static_cast<int64_t>(spatial.size()) == spatial_count &&
         array.IsArray() && array.rank() == part_rank;
}

void CheckConvolution(const RuleContext& context, const OpView& op) {
  if (!op.Has(Attr::kDimLabels) || op.operand_count() < 2) {
    context.Report(
        Rule::kCustomCallConvolutionLabels, op.opcode_range(), "`{}` {}",
        op.Get<Attr::kCustomCallTarget>(),
        op.operand_count() < 2 ? "takes at least two arrays" : "needs the attribute `dim_labels`");
    return;
  }
  const ConvolutionDimensionNumbers labels = op.Get<Attr::kDimLabels>();
  const ConvolutionArrays arrays = ArraysOf(op);
  const auto spatial_count = static_cast<int64_t>(labels.input_spatial.size());
  if (Names(labels.input_batch, labels.input_feature, labels.input_spatial, spatial_count,
            labels.input_rank, *arrays.input) &&
      Names(labels.kernel_input_feature, labels.kernel_output_feature, labels.kernel_spatial,
            spatial_count, labels.kernel_rank, *arrays.kernel) &&
      Names(labels.output_batch, labels.output_feature, labels.output_spatial, spatial_count,
            labels.output_rank, *arrays.output)) {
    return;
  }
  context.Report(Rule::kCustomCallConvolutionLabels, op.attribute_range(Attr::kDimLabels),
                 "`dim_labels` does not name the dimensions of the input `{}`, the kernel `{}` and "
                 "the output `{}`",
                 ShapeText(*arrays.input), ShapeText(*arrays.kernel), ShapeText(*arrays.output));
}

struct KnownTarget {
  std::string_view target;
  void (*check)(const RuleContext&, const OpView&);
};

constexpr KnownTarget kKnownTargets[] = {
    {"GetRngSeed", CheckGetRngSeed},
    {"SliceToDynamic", CheckSliceToDynamic},
    {"__cudnn$convBackwardFilter", CheckConvolution},
    {"__cudnn$convBackwardInput", CheckConvolution},
    {"__cudnn$convBiasActivationForward", CheckConvolution},
    {"__cudnn$convForward", CheckConvolution},
};

}  // namespace

void VerifyCustomCallTarget(const RuleContext& context, const OpView& op) {
  const std::string_view target = op.Get<Attr::kCustomCallTarget>();
  if (target.starts_with('$')) {
    context.Report(Rule::kCustomCallTargetReserved, op.attribute_range(Attr::kCustomCallTarget),
                   "target `{}`: those that begin with `$` are reserved", target);
  }
  for (const KnownTarget& known : kKnownTargets) {
    if (known.target == target) return known.check(context, op);
  }
}

}  // namespace hlo
