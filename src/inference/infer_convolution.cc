// convolution (verifier.md 3.7): dim_labels says what each dimension of the input (lhs), the
// kernel (rhs) and the output is; the window has one entry per spatial dimension.
#include "inference/compatibility.h"
#include "inference/dimension_list.h"
#include "inference/infer.h"
#include "inference/operand_checks.h"
#include "inference/window.h"
#include "support/checked_math.h"

namespace hlo {
namespace {

constexpr Rule kOverflowRule = Rule::kShapeCountOverflow;

// The sizes that the rules relate to each other.
struct ConvolutionSizes {
  int64_t batch;
  int64_t feature;
  int64_t kernel_input;
  int64_t kernel_output;
};

ConvolutionSizes SizesOf(const OpView& op) {
  const ConvolutionDimensionNumbers labels = op.Get<Attr::kDimLabels>();
  const Shape& input = op.operand_shape(0);
  const Shape& kernel = op.operand_shape(1);
  return {input.dim(labels.input_batch), input.dim(labels.input_feature),
          kernel.dim(labels.kernel_input_feature), kernel.dim(labels.kernel_output_feature)};
}

bool DividesSize(int64_t divisor, int64_t size) {
  return size == Shape::kUnbounded || size % divisor == 0;
}

int64_t DivideSize(int64_t size, int64_t divisor) {
  return size == Shape::kUnbounded ? size : size / divisor;
}

bool CheckLabels(const OpView& op, DiagnosticSink& sink) {
  const ConvolutionDimensionNumbers labels = op.Get<Attr::kDimLabels>();
  const SourceRange range = op.attribute_range(Attr::kDimLabels);
  const int64_t rank = static_cast<int64_t>(labels.input_spatial.size()) + 2;
  const auto covers = [rank](int64_t a, int64_t b, IntList spatial) {
    std::vector<int64_t> numbers(spatial.begin(), spatial.end());
    numbers.insert(numbers.end(), {a, b});
    return IsPermutation(numbers, rank);
  };
  if (!covers(labels.input_batch, labels.input_feature, labels.input_spatial) ||
      !covers(labels.kernel_input_feature, labels.kernel_output_feature, labels.kernel_spatial) ||
      !covers(labels.output_batch, labels.output_feature, labels.output_spatial)) {
    return sink.Error(Rule::kConvolutionLabelsCover, range,
                      "`dim_labels` does not name each of {} dimensions of input, kernel and "
                      "output once",
                      rank);
  }
  for (int64_t i = 0; i < 2; ++i) {
    const Shape& operand = op.operand_shape(i);
    if (operand.rank() == rank) continue;
    return sink.Error(Rule::kConvolutionRank, op.operand_range(i),
                      "operand {} is `{}`, `dim_labels` names {} dimensions", i, ShapeText(operand),
                      rank);
  }
  return true;
}

bool CheckConvolutionWindow(const OpView& op, DiagnosticSink& sink) {
  const ConvolutionDimensionNumbers labels = op.Get<Attr::kDimLabels>();
  const List<WindowDimension> window = op.Get<Attr::kWindow>().dimensions;
  const SourceRange range = op.attribute_range(Attr::kWindow);
  if (window.size() != labels.input_spatial.size()) {
    return sink.Error(Rule::kConvolutionWindowRank, range,
                      "the window has {} dimension{}, `dim_labels` has {} spatial ones",
                      window.size(), window.size() == 1 ? "" : "s", labels.input_spatial.size());
  }
  if (!CheckWindow(op, sink)) return false;
  for (size_t i = 0; i < window.size(); ++i) {
    const int64_t kernel_size = op.operand_shape(1).dim(labels.kernel_spatial[i]);
    if (SizesCompatible(kernel_size, window[i].size)) continue;
    return sink.Error(Rule::kConvolutionWindowSizeMatchesKernel, range,
                      "window dimension {} has size {}, the kernel `{}` has {} there", i,
                      window[i].size, ShapeText(op.operand_shape(1)), kernel_size);
  }
  return true;
}

bool CheckGroupCounts(const OpView& op, DiagnosticSink& sink) {
  const int64_t features = op.Get<Attr::kFeatureGroupCount>();
  const int64_t batches = op.Get<Attr::kBatchGroupCount>();
  if (features < 1) {
    return sink.Error(Rule::kConvolutionFeatureGroupPositive,
                      op.attribute_range(Attr::kFeatureGroupCount),
                      "`feature_group_count={}` is less than 1", features);
  }
  if (batches < 1) {
    return sink.Error(Rule::kConvolutionBatchGroupPositive,
                      op.attribute_range(Attr::kBatchGroupCount),
                      "`batch_group_count={}` is less than 1", batches);
  }
  if (features > 1 && batches > 1) {
    return sink.Error(Rule::kConvolutionOneGroupCount, op.attribute_range(Attr::kBatchGroupCount),
                      "`feature_group_count={}` and `batch_group_count={}` are both above 1",
                      features, batches);
  }
  return true;
}

bool CheckGroupsDivide(const OpView& op, DiagnosticSink& sink) {
  const ConvolutionSizes sizes = SizesOf(op);
  struct Division {
    Rule rule;
    Attr attr;
    int64_t group_count;
    std::string_view what;
    int64_t size;
  };
  const int64_t features = op.Get<Attr::kFeatureGroupCount>();
  const int64_t batches = op.Get<Attr::kBatchGroupCount>();
  for (const Division& division : {
           Division{Rule::kConvolutionFeatureDividesInput, Attr::kFeatureGroupCount, features,
                    "input feature", sizes.feature},
           Division{Rule::kConvolutionFeatureDividesOutput, Attr::kFeatureGroupCount, features,
                    "kernel output feature", sizes.kernel_output},
           Division{Rule::kConvolutionBatchDividesInput, Attr::kBatchGroupCount, batches,
                    "input batch", sizes.batch},
           Division{Rule::kConvolutionBatchDividesOutput, Attr::kBatchGroupCount, batches,
                    "kernel output feature", sizes.kernel_output},
       }) {
    if (DividesSize(division.group_count, division.size)) continue;
    return sink.Error(division.rule, op.attribute_range(division.attr),
                      "the {} dimension of size {} does not divide into {} groups", division.what,
                      division.size, division.group_count);
  }
  return true;
}

bool CheckOperands(const OpView& op, DiagnosticSink& sink) {
  if (!CheckArray(op, 0, Rule::kConvolutionOperandArray, sink) ||
      !CheckArray(op, 1, Rule::kConvolutionOperandArray, sink) || !CheckLabels(op, sink) ||
      !CheckConvolutionWindow(op, sink) || !CheckGroupCounts(op, sink) ||
      !CheckGroupsDivide(op, sink)) {
    return false;
  }
  const Shape& kernel = op.operand_shape(1);
  const int64_t output_feature = op.Get<Attr::kDimLabels>().kernel_output_feature;
  if (IsDynamicDim(kernel, output_feature)) {
    return sink.Error(Rule::kConvolutionKernelOutputStatic, op.operand_range(1),
                      "the output feature dimension {} of the kernel `{}` is dynamic",
                      output_feature, ShapeText(kernel));
  }
  return true;
}

// The features of one group are those that the kernel (its dimension of size `kernel_size`) has.
bool CheckFeatures(const OpView& op, int64_t kernel_size, DiagnosticSink& sink) {
  const int64_t feature = SizesOf(op).feature;
  const int64_t group_count = op.Get<Attr::kFeatureGroupCount>();
  if (feature == Shape::kUnbounded || kernel_size == Shape::kUnbounded) return true;
  const SparsityDescriptor sparsity = op.Get<Attr::kSparsityConfig>().rhs;
  const int64_t block = sparsity.has_sparsity ? sparsity.block : 1;
  const std::optional<int64_t> features = CheckedMul(kernel_size, block);
  if (features == feature / group_count) return true;
  return sink.Error(Rule::kConvolutionKernelInputFeature, op.operand_range(1),
                    "{} input features in {} group{} do not fit the {} of the kernel `{}`", feature,
                    group_count, group_count == 1 ? "" : "s", kernel_size,
                    ShapeText(op.operand_shape(1)));
}

// The declared type is free, as for dot.
ElementType ConvolutionResultType(const OpView& op) {
  if (op.written_shape() != nullptr && op.written_shape()->IsArray()) {
    return op.written_shape()->element_type();
  }
  return HigherPrecision(op.operand_shape(0).element_type(), op.operand_shape(1).element_type());
}

// A result of all dimensions that the labels know, sizes still to be set.
Shape BlankResult(const OpView& op) {
  const std::vector<int64_t> zeros(op.Get<Attr::kDimLabels>().output_spatial.size() + 2, 0);
  return Shape::Array(ConvolutionResultType(op), zeros);
}

void SetDim(Shape& shape, int64_t d, int64_t size, bool dynamic) {
  shape.set_dim(d, size);
  shape.set_dynamic(d, dynamic || size == Shape::kUnbounded);
}

// The formula of convolution_kind fprop, and of none.
std::optional<Shape> InferForward(const OpView& op, DiagnosticSink& sink) {
  const ConvolutionDimensionNumbers labels = op.Get<Attr::kDimLabels>();
  const ConvolutionSizes sizes = SizesOf(op);
  const Shape& input = op.operand_shape(0);
  const Shape& kernel = op.operand_shape(1);
  if (!CheckFeatures(op, sizes.kernel_input, sink)) return std::nullopt;
  Shape result = BlankResult(op);
  SetDim(result, labels.output_batch, DivideSize(sizes.batch, op.Get<Attr::kBatchGroupCount>()),
         IsDynamicDim(input, labels.input_batch));
  SetDim(result, labels.output_feature, sizes.kernel_output, false);
  for (size_t i = 0; i < labels.input_spatial.size(); ++i) {
    const int64_t d = labels.input_spatial[i];
    const std::optional<int64_t> size = WindowedSize(op, i, input.dim(d), kOverflowRule, sink);
    if (!size) return std::nullopt;
    SetDim(result, labels.output_spatial[i], *size,
           IsDynamicDim(input, d) || IsDynamicDim(kernel, labels.kernel_spatial[i]));
  }
  return result;
}

// (delta(s) - 1) * stride + delta(window) - low - high
std::optional<int64_t> InputGradientSize(int64_t size, const WindowDimension& window) {
  if (size == Shape::kUnbounded) return size;
  std::optional<int64_t> result = DilatedSize(size, window.base_dilation);
  if (result) result = CheckedMul(*result - 1, window.stride);
  const std::optional<int64_t> span = DilatedSize(window.size, window.window_dilation);
  if (!span) return std::nullopt;
  if (result) result = CheckedAdd(*result, *span);
  if (result) result = CheckedSub(*result, window.padding_low);
  if (result) result = CheckedSub(*result, window.padding_high);
  return result && *result >= 0 ? result : std::nullopt;
}

// dgrad: the gradient of the input.
std::optional<Shape> InferInputGradient(const OpView& op, DiagnosticSink& sink) {
  const ConvolutionDimensionNumbers labels = op.Get<Attr::kDimLabels>();
  const ConvolutionSizes sizes = SizesOf(op);
  const Shape& input = op.operand_shape(0);
  if (!CheckFeatures(op, sizes.kernel_output, sink)) return std::nullopt;
  Shape result = BlankResult(op);
  SetDim(result, labels.output_batch, DivideSize(sizes.batch, op.Get<Attr::kBatchGroupCount>()),
         IsDynamicDim(input, labels.input_batch));
  SetDim(result, labels.output_feature, sizes.kernel_input, false);
  for (size_t i = 0; i < labels.input_spatial.size(); ++i) {
    const int64_t d = labels.input_spatial[i];
    const std::optional<int64_t> size =
        InputGradientSize(input.dim(d), op.Get<Attr::kWindow>().dimensions[i]);
    if (!size) {
      return sink.Error(Rule::kWindowPaddedNonnegative, op.attribute_range(Attr::kWindow),
                        "the window leaves no size for spatial dimension {}", i);
    }
    SetDim(result, labels.output_spatial[i], *size, IsDynamicDim(input, d));
  }
  return result;
}

// wgrad: the gradient of the kernel, laid out by the kernel's labels.
std::optional<Shape> InferKernelGradient(const OpView& op, DiagnosticSink& sink) {
  const ConvolutionDimensionNumbers labels = op.Get<Attr::kDimLabels>();
  const ConvolutionSizes sizes = SizesOf(op);
  const Shape& kernel = op.operand_shape(1);
  if (!SizesCompatible(sizes.batch, kernel.dim(labels.output_batch))) {
    return sink.Error(Rule::kConvolutionWgradBatch, op.operand_range(1),
                      "the input has {} batches, the output gradient `{}` has {}", sizes.batch,
                      ShapeText(kernel), kernel.dim(labels.output_batch));
  }
  Shape result = BlankResult(op);
  SetDim(result, labels.kernel_input_feature,
         DivideSize(sizes.feature, op.Get<Attr::kFeatureGroupCount>()), false);
  SetDim(result, labels.kernel_output_feature, kernel.dim(labels.output_feature), false);
  for (size_t i = 0; i < labels.kernel_spatial.size(); ++i) {
    SetDim(result, labels.kernel_spatial[i], op.Get<Attr::kWindow>().dimensions[i].size, false);
  }
  return result;
}

// The reader of the kind applies the forward formula to gradients too (verifier.md 3.7): a
// written shape that fits it is right.
std::optional<Shape> ForwardIfWritten(const OpView& op) {
  if (op.written_shape() == nullptr) return std::nullopt;
  DiagnosticSink quiet(op.module().source());
  std::optional<Shape> forward = InferForward(op, quiet);
  if (!forward || !Compatible(*forward, *op.written_shape())) return std::nullopt;
  return forward;
}

}  // namespace

std::optional<Shape> InferConvolution(const OpView& op, DiagnosticSink& sink) {
  if (!CheckOperands(op, sink)) return std::nullopt;
  switch (op.Get<Attr::kConvolutionKind>()) {
    case ConvolutionKind::kUnset:
    case ConvolutionKind::kFprop:
      return InferForward(op, sink);
    case ConvolutionKind::kDgrad:
      if (std::optional<Shape> forward = ForwardIfWritten(op)) return forward;
      return InferInputGradient(op, sink);
    case ConvolutionKind::kWgrad:
      if (std::optional<Shape> forward = ForwardIfWritten(op)) return forward;
      return InferKernelGradient(op, sink);
  }
  HLO_UNREACHABLE();
}

}  // namespace hlo
