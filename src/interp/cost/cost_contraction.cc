// A product and a sum for each term.
#include <algorithm>

#include "interp/cost/cost_family.h"
#include "ir/window_dimension.h"

namespace hlo::cost {
namespace {

// (a + bi)(c + di) + (e + fi) takes four products and four sums.
double FlopsPerTerm(const OpView& op) {
  return IsComplex(op.operand_shape(0).element_type()) ? 8 : 2;
}

double ContractedSize(const OpView& op) {
  double size = 1;
  for (int64_t d : op.Get<Attr::kLhsContractingDims>()) {
    size *= static_cast<double>(op.operand_shape(0).dim(d));
  }
  return size;
}

double DotTerms(const OpView& op) { return ResultElements(op) * ContractedSize(op); }

// Where the ragged dimension is contracted, each group contracts a part of it.
double RaggedDotTerms(const OpView& op) {
  const auto& contracting = op.Get<Attr::kLhsContractingDims>();
  for (int64_t d : op.Get<Attr::kLhsRaggedDims>()) {
    if (std::ranges::find(contracting, d) == contracting.end()) continue;
    const Shape& groups = op.operand_shape(2);
    return DotTerms(op) / std::max(1.0, groups.rank() == 0
                                            ? 1.0
                                            : static_cast<double>(groups.dim(groups.rank() - 1)));
  }
  return DotTerms(op);
}

// How many (output position, window position) pairs along one spatial dimension meet an element of
// the input: neither padding nor a hole of base dilation.
double MeetingPositions(const WindowDimension& window, int64_t input_size, int64_t output_size) {
  constexpr double kMostPairs = 1e6;
  const double pairs = static_cast<double>(window.size) * static_cast<double>(output_size);
  if (pairs > kMostPairs || window.base_dilation <= 0) return pairs;
  double count = 0;
  for (int64_t out = 0; out < output_size; ++out) {
    for (int64_t in_window = 0; in_window < window.size; ++in_window) {
      const int64_t at =
          out * window.stride + in_window * window.window_dilation - window.padding_low;
      if (at >= 0 && at % window.base_dilation == 0 && at / window.base_dilation < input_size) {
        ++count;
      }
    }
  }
  return count;
}

double ConvolutionTerms(const OpView& op) {
  const ConvolutionDimensionNumbers labels = op.Get<Attr::kDimLabels>();
  const Shape& result = *op.written_shape();
  double terms = static_cast<double>(result.dim(labels.output_batch)) *
                 static_cast<double>(result.dim(labels.output_feature)) *
                 static_cast<double>(op.operand_shape(1).dim(labels.kernel_input_feature));
  const Window window = op.Get<Attr::kWindow>();
  for (size_t d = 0; d < labels.input_spatial.size(); ++d) {
    terms *= MeetingPositions(WindowDimensionAt(window, static_cast<int64_t>(d)),
                              op.operand_shape(0).dim(labels.input_spatial[d]),
                              result.dim(labels.output_spatial[d]));
  }
  return terms;
}

double Terms(const OpView& op) {
  switch (op.opcode()) {
    case Opcode::kConvolution:
      return ConvolutionTerms(op);
    case Opcode::kRaggedDot:
      return RaggedDotTerms(op);
    default:
      return DotTerms(op);
  }
}

}  // namespace

Cost OfContraction(const OpView& op) { return Computed(op, Terms(op) * FlopsPerTerm(op)); }

}  // namespace hlo::cost
