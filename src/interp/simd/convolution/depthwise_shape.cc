// Any order of dimensions comes down to this: lanes are what lies side by side in the result, and
// the input is arranged so that they lie side by side there, too, unless they do already.
#include "interp/simd/convolution/depthwise_shape.h"

#include <algorithm>
#include <numeric>

#include "interp/reference/strided_copy.h"
#include "interp/simd/product/product_dimensions.h"
#include "ir/window_dimension.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

using reference::DenseStrides;

constexpr double kPartWork = 1 << 18;  // products: some 20 us
constexpr int64_t kMostParts = int64_t{1} << 14;
// What a part arranges should stay in the second-level cache.
constexpr int64_t kPartBytes = int64_t{1} << 18, kMostPartBytes = int64_t{1} << 21;
// How often elements may be arranged, for parts whose windows overlap.
constexpr double kMostArranged = 2.5;
constexpr int64_t kFewPixels = 64, kManyPieces = 4;
constexpr int64_t kShortLine = 16;  // elements: to convert more at a time is worth a copy
// Of complex numbers: in the arrays and in the expanded kernel.
constexpr int64_t kParts = 2, kKernelParts = 4;

// Of a dense array, `factor` times as long.
Index StridesOf(const Shape& shape, int64_t factor) {
  Index strides = DenseStrides(shape.dims());
  for (int64_t& stride : strides) stride *= factor;
  return strides;
}

}  // namespace

DepthwiseShape::DepthwiseShape(const OpView& op, const DepthwiseNumbers& numbers) {
  for (const Shape* shape : {op.written_shape(), &op.operand_shape(0), &op.operand_shape(1)}) {
    is_empty_ |= std::ranges::find(shape->dims(), 0) != shape->dims().end();
  }
  if (is_empty_) return;
  FindAxes(op);
  FindTerms(op);
  OrderAxes();
  for (size_t a = 0; a < axes_.size(); ++a) {
    axes_[a].size = PositionCount(static_cast<int64_t>(a), nullptr);
    has_padding_ |= !axes_[a].IsInside();
  }
  Place(numbers);
}

void DepthwiseShape::FindAxes(const OpView& op) {
  const ConvolutionDimensionNumbers& numbers = op.Get<Attr::kDimLabels>();
  const Window& window = op.Get<Attr::kWindow>();
  const Shape& input = op.operand_shape(0);
  const Shape& kernel = op.operand_shape(1);
  const Shape& result = *op.written_shape();
  const bool is_complex = IsComplex(result.element_type());
  const int64_t parts = is_complex ? kParts : 1;
  const Index source = StridesOf(input, parts), out = StridesOf(result, parts);
  const Index weights = StridesOf(kernel, is_complex ? kKernelParts : 1);
  const int64_t batch_groups = op.Get<Attr::kBatchGroupCount>();
  const int64_t groups = std::max(op.Get<Attr::kFeatureGroupCount>(), batch_groups);
  const int64_t images = result.dim(numbers.output_batch);
  const int64_t inputs = kernel.dim(numbers.kernel_input_feature);
  const int64_t image_stride = source[numbers.input_batch];
  const int64_t input_stride = source[numbers.input_feature];
  const int64_t outputs = kernel.dim(numbers.kernel_output_feature) / groups;
  features_ = is_complex ? kParts : outputs;
  feature_out_stride_ = is_complex ? 1 : out[numbers.output_feature];
  feature_kernel_stride_ = is_complex ? 1 : weights[numbers.kernel_output_feature];

  const auto add = [&](ResultDimension dimension, InputAxis axis) {
    dimension.axis = static_cast<int64_t>(axes_.size());
    axes_.push_back(axis);
    if (dimension.size > 1) dimensions_.push_back(dimension);
  };
  add({groups, outputs * out[numbers.output_feature], 0, 1,
       outputs * weights[numbers.kernel_output_feature]},
      {groups, batch_groups > 1 ? images * image_stride : inputs * input_stride});
  add({images, out[numbers.output_batch], 0, 1, 0}, {images, image_stride});
  for (size_t d = 0; d < numbers.input_spatial.size(); ++d) {
    const WindowDimension dimension = WindowDimensionAt(window, static_cast<int64_t>(d));
    const int64_t from = numbers.input_spatial[d], to = numbers.output_spatial[d];
    add({result.dim(to), out[to], 0, dimension.stride, 0},
        {input.dim(from), source[from], dimension.padding_low, dimension.base_dilation});
  }
  axes_.push_back({inputs, input_stride});
  if (is_complex) axes_.push_back({kParts, 1});
  std::ranges::stable_sort(dimensions_, std::ranges::greater(), &ResultDimension::out_stride);
  const bool has_positions =
      dimensions_.size() > 1 && dimensions_[dimensions_.size() - 2].kernel_stride == 0;
  if (!has_positions) dimensions_.insert(dimensions_.end() - 1, ResultDimension{});
}

void DepthwiseShape::FindTerms(const OpView& op) {
  const ConvolutionDimensionNumbers& numbers = op.Get<Attr::kDimLabels>();
  const Window& window = op.Get<Attr::kWindow>();
  const Shape& kernel = op.operand_shape(1);
  const bool is_complex = IsComplex(op.written_shape()->element_type());
  const Index weights = StridesOf(kernel, is_complex ? kKernelParts : 1);
  constexpr int64_t kFirstSpatialAxis = 2;  // see FindAxes
  for (size_t d = 0; d < numbers.kernel_spatial.size(); ++d) {
    const WindowDimension dimension = WindowDimensionAt(window, static_cast<int64_t>(d));
    const int64_t stride = weights[numbers.kernel_spatial[d]];
    if (dimension.reversal) kernel_offset_ += (dimension.size - 1) * stride;
    terms_.push_back({dimension.size, kFirstSpatialAxis + static_cast<int64_t>(d),
                      dimension.window_dilation, dimension.reversal ? -stride : stride});
  }
  const int64_t inputs = kFirstSpatialAxis + static_cast<int64_t>(numbers.kernel_spatial.size());
  terms_.push_back(
      {kernel.dim(numbers.kernel_input_feature), inputs, 1, weights[numbers.kernel_input_feature]});
  if (is_complex) terms_.push_back({kParts, inputs + 1, 1, kParts});
  for (const TermDimension& term : terms_) term_count_ = Times(term_count_, term.size);
}

// As they lie in the source, but lanes last, and what has one element where it is in no way.
void DepthwiseShape::OrderAxes() {
  absl::InlinedVector<size_t, 8> order(axes_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](size_t a) {
    const bool is_lane = static_cast<int64_t>(a) == lanes().axis;
    if (is_lane) return int64_t{-1};
    return axes_[a].input_size == 1 ? INT64_MAX : axes_[a].source_stride;
  };
  std::ranges::stable_sort(order, std::ranges::greater(), key);
  InputAxes ordered;
  absl::InlinedVector<int64_t, 8> place(axes_.size());
  for (size_t a : order) {
    place[a] = static_cast<int64_t>(ordered.size());
    ordered.push_back(axes_[a]);
  }
  axes_ = ordered;
  for (ResultDimension& d : dimensions_)
    d.axis = d.axis < 0 ? -1 : place[static_cast<size_t>(d.axis)];
  for (TermDimension& term : terms_) term.axis = place[static_cast<size_t>(term.axis)];
  axes_.back().step = lanes().step;
}

const TermDimension* DepthwiseShape::inner_term() const {
  for (size_t i = terms_.size(); i-- > 0;) {
    if (terms_[i].size == 1) continue;
    const bool is_even = axes_[static_cast<size_t>(terms_[i].axis)].step == 1;
    return is_even ? &terms_[i] : nullptr;
  }
  return nullptr;
}

int64_t DepthwiseShape::run_count() const {
  const TermDimension* inner = inner_term();
  return is_empty_ ? 0 : term_count_ / (inner == nullptr ? 1 : inner->size);
}

int64_t DepthwiseShape::Offset(int64_t axis, int64_t position) const {
  const auto a = static_cast<size_t>(axis);
  return axes_[a].step == 1 ? position * strides_[a] : axes_[a].Place(position, extents_[a]);
}

// --- Where the input is read, and what parts are

// Positions that one window sees of an axis, with those that it skips.
int64_t DepthwiseShape::Reach(int64_t axis) const {
  for (const TermDimension& term : terms_) {
    if (term.axis == axis && term.size > 1) return (term.size - 1) * term.step + 1;
  }
  return 1;
}

// Those that a part needs; null: all.
int64_t DepthwiseShape::PositionCount(int64_t axis, const ResultCut* cut) const {
  int64_t count = Reach(axis);
  for (size_t d = 0; d < dimensions_.size(); ++d) {
    if (dimensions_[d].axis != axis) continue;
    int64_t results = dimensions_[d].size;
    if (cut != nullptr && d < cut->dimension) results = 1;
    if (cut != nullptr && d == cut->dimension) results = CeilDiv(results, cut->pieces);
    count += (results - 1) * dimensions_[d].step;
  }
  return count;
}

// Of an array that is arranged for such parts; returns the elements it has.
int64_t DepthwiseShape::SetStrides(const ResultCut* cut) {
  strides_.resize(axes_.size());
  extents_.resize(axes_.size());
  int64_t count = 1;
  for (size_t a = axes_.size(); a-- > 0;) {
    extents_[a] = RoundUp(PositionCount(static_cast<int64_t>(a), cut), axes_[a].step);
    strides_[a] = count;
    count = Times(count, extents_[a]);
  }
  return count;
}

double DepthwiseShape::work() const {
  double work = static_cast<double>(term_count_) * static_cast<double>(features_);
  for (const ResultDimension& d : dimensions_) work *= static_cast<double>(d.size);
  return work;
}

int64_t DepthwiseShape::PartCount(const ResultCut& cut) const {
  int64_t count = cut.pieces;
  if (cut.cuts_lanes_only) return count;
  for (size_t d = 0; d < cut.dimension; ++d) count = Times(count, dimensions_[d].size);
  return count;
}

// The fewest parts, but so many at least, that cut no dimension behind `last`.
ResultCut DepthwiseShape::CutInto(int64_t parts, size_t last) const {
  int64_t outer = 1;
  for (size_t d = 0;; ++d) {
    const int64_t size = dimensions_[d].size;
    if (d == last || Times(outer, size) >= parts) {
      return {d, std::min(size, CeilDiv(parts, outer))};
    }
    outer *= size;
  }
}

// Parts that read an input that is there. Few pixels, as of the gradient of a kernel, are cut by
// their lanes, so that nobody else reads what one part does.
ResultCut DepthwiseShape::CutForAll(const DepthwiseNumbers& numbers) const {
  const size_t last = dimensions_.size() - 1;
  const auto parts = static_cast<int64_t>(std::clamp(work() / kPartWork, 1.0, 1.0 * kMostParts));
  const int64_t most_pieces = std::max<int64_t>(1, lanes().size / (2 * numbers.vector_width));
  int64_t pixels = 1;
  for (size_t d = 0; d < last; ++d) pixels = Times(pixels, dimensions_[d].size);
  if (has_kernel_lanes() && pixels < kFewPixels && most_pieces >= std::min(parts, kManyPieces)) {
    return {last, std::min(parts, most_pieces), /*cuts_lanes_only=*/true};
  }
  ResultCut cut = CutInto(parts, last);
  if (cut.dimension == last) cut.pieces = std::min(cut.pieces, most_pieces);
  return cut;
}

bool DepthwiseShape::CanReadSource(const DepthwiseNumbers& numbers) const {
  return !has_padding_ && numbers.has_carriers && axes_.back().step == 1 &&
         axes_.back().source_stride == 1 && lanes().size >= numbers.vector_width;
}

void DepthwiseShape::Place(const DepthwiseNumbers& numbers) {
  if (CanReadSource(numbers)) {
    cut_ = CutForAll(numbers);
    for (const InputAxis& axis : axes_) {
      strides_.push_back(axis.source_stride);
      extents_.push_back(axis.size);
      source_offset_ -= axis.low * axis.source_stride;
    }
    return;
  }
  const InputAxis& lane_axis = axes_.back();
  const bool is_line = lane_axis.step == 1 && lane_axis.dilation == 1 &&
                       lane_axis.source_stride == 1 &&
                       (lane_axis.IsInside() || lane_axis.input_size >= kShortLine);
  needs_carriers_ = !numbers.has_carriers && !is_line;
  const int64_t whole_count = SetStrides(nullptr);
  const size_t last = dimensions_.size() - 2;
  auto parts = static_cast<int64_t>(std::clamp(work() / kPartWork, 1.0, 1.0 * kMostParts));
  for (;;) {
    cut_ = CutInto(parts, last);
    arranged_count_ = SetStrides(&cut_);
    if (arranged_count_ * numbers.element_size <= kPartBytes || part_count() < parts) break;
    parts = 2 * part_count();
  }
  const double arranged = static_cast<double>(part_count()) * static_cast<double>(arranged_count_);
  if (arranged <= kMostArranged * static_cast<double>(whole_count) &&
      arranged_count_ * numbers.element_size <= kMostPartBytes) {
    place_ = InputPlace::kParts;
    return;
  }
  place_ = InputPlace::kWhole;
  cut_ = CutForAll(numbers);
  arranged_count_ = SetStrides(nullptr);
}

DepthwiseShape::Ranges DepthwiseShape::AllRanges() const {
  Ranges ranges;
  for (const ResultDimension& d : dimensions_) ranges.push_back({0, d.size});
  return ranges;
}

DepthwiseShape::Ranges DepthwiseShape::RangesOf(int64_t part) const {
  Ranges ranges = AllRanges();
  const size_t d = cut_.dimension;
  const int64_t piece = part % cut_.pieces, size = dimensions_[d].size;
  ranges[d] = {piece * size / cut_.pieces, (piece + 1) * size / cut_.pieces};
  if (cut_.cuts_lanes_only) return ranges;
  int64_t index = part / cut_.pieces;
  for (size_t outer = d; outer-- > 0;) {
    const int64_t at = index % dimensions_[outer].size;
    ranges[outer] = {at, at + 1};
    index /= dimensions_[outer].size;
  }
  return ranges;
}

ArrangedAxes DepthwiseShape::AxesOf(const Ranges& ranges) const {
  ArrangedAxes axes;
  for (size_t a = 0; a < axes_.size(); ++a) {
    axes.push_back({axes_[a], 0, Reach(static_cast<int64_t>(a)), extents_[a], strides_[a]});
  }
  for (size_t d = 0; d < dimensions_.size(); ++d) {
    if (dimensions_[d].axis < 0) continue;
    ArrangedAxis& axis = axes[static_cast<size_t>(dimensions_[d].axis)];
    axis.begin = ranges[d].begin * dimensions_[d].step;
    axis.size += (ranges[d].size() - 1) * dimensions_[d].step;
  }
  return axes;
}

bool DepthwiseShape::HasDenseParts() const {
  if (cut_.cuts_lanes_only) return false;
  return features_ == 1 || dimensions_[cut_.dimension].out_stride > feature_out_stride_;
}

}  // namespace hlo::simd
