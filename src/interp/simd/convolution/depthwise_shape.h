// A convolution with few output features in each of its groups, by the dimensions that sums walk
// over. Complex numbers, of which a group makes one feature, are arrays of their parts, so that
// groups have two input features for each, and make two; their kernel is expanded by pairs
// (complex_product.h).
#ifndef HLOKIT_INTERP_SIMD_CONVOLUTION_DEPTHWISE_SHAPE_H_
#define HLOKIT_INTERP_SIMD_CONVOLUTION_DEPTHWISE_SHAPE_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "interp/simd/convolution/arranged_input.h"
#include "interp/simd/convolution/window_sums.h"
#include "ir/op_view.h"

namespace hlo::simd {

// A dimension of the result: groups, images or pixels.
struct ResultDimension {
  int64_t size = 1;
  int64_t out_stride = 0;
  int64_t axis = -1;          // of the input; none
  int64_t step = 0;           // positions of that axis from one result to the next
  int64_t kernel_stride = 0;  // 0 but for groups
};

// A dimension of the window, or the input features of a group.
struct TermDimension {
  int64_t size = 1;
  int64_t axis = 0;
  int64_t step = 1;  // positions from term to term
  int64_t kernel_stride = 0;
};

// Parts of the result: one index of each dimension before `dimension`, one of `pieces` ranges of
// that one, all of those behind it; or, where only lanes are cut, all of the others.
struct ResultCut {
  size_t dimension = 0;
  int64_t pieces = 1;
  bool cuts_lanes_only = false;
};

// Where sums read the input.
enum class InputPlace : uint8_t {
  kSource,  // where it is
  kWhole,   // arranged before the first part
  kParts,   // each part arranges what it needs
};

// What the type that sums are taken in, and the processor, say.
struct DepthwiseNumbers {
  int64_t element_size;
  int64_t vector_width;
  bool has_carriers;  // the input is an array of them
};

class DepthwiseShape {
 public:
  using ResultDimensions = absl::InlinedVector<ResultDimension, 8>;
  using TermDimensions = absl::InlinedVector<TermDimension, 8>;

  DepthwiseShape(const OpView& op, const DepthwiseNumbers& numbers);

  // Some array has no elements.
  bool is_empty() const { return is_empty_; }
  // Some window meets a place that is no element.
  bool has_padding() const { return has_padding_; }
  // Outermost first in the result. The last one is that of the lanes, the one before it that of
  // the positions (window_sums.h), which has no groups.
  const ResultDimensions& dimensions() const { return dimensions_; }
  const ResultDimension& lanes() const { return dimensions_.back(); }
  const ResultDimension& positions() const { return dimensions_[dimensions_.size() - 2]; }
  // Whether lanes are groups, each of which has a kernel of its own.
  bool has_kernel_lanes() const { return lanes().kernel_stride != 0; }
  const TermDimensions& terms() const { return terms_; }
  // Output features of a group, and from one to the next.
  int64_t features() const { return features_; }
  int64_t feature_out_stride() const { return feature_out_stride_; }
  int64_t feature_kernel_stride() const { return feature_kernel_stride_; }
  // Whether the features of a group lie between one lane and the next in the result.
  bool has_features_in_lanes() const { return features_ > 1 && lanes().out_stride == features_; }
  int64_t kernel_offset() const { return kernel_offset_; }
  int64_t term_count() const { return term_count_; }

  // The innermost of the loops over terms, which runs are of; null: each term is a run.
  const TermDimension* inner_term() const;
  int64_t run_count() const;

  InputPlace place() const { return place_; }
  // Whether the input is converted as a whole before it is arranged.
  bool needs_carriers() const { return needs_carriers_; }
  const ResultCut& cut() const { return cut_; }
  int64_t part_count() const { return PartCount(cut_); }
  // The elements that an arranged input takes, or the part of it that a part of the result needs.
  int64_t arranged_count() const { return arranged_count_; }
  // The distance between neighbours on an axis in what sums read, but along an axis with a step.
  int64_t stride(int64_t axis) const { return strides_[static_cast<size_t>(axis)]; }
  // From where what sums read begins to where `position` of an axis lies.
  int64_t Offset(int64_t axis, int64_t position) const;
  // From the source's first element to the axes' first positions.
  int64_t source_offset() const { return source_offset_; }

  // Indices [begin, end) of a dimension of the result.
  struct Range {
    int64_t begin = 0, end = 0;
    int64_t size() const { return end - begin; }
  };
  using Ranges = absl::InlinedVector<Range, 8>;
  Ranges RangesOf(int64_t part) const;
  Ranges AllRanges() const;
  // The axes with what results in such ranges need, or all.
  ArrangedAxes AxesOf(const Ranges& ranges) const;
  // Whether what a part makes of the result lies one behind the other, with nothing between.
  bool HasDenseParts() const;

 private:
  void FindAxes(const OpView& op);
  void FindTerms(const OpView& op);
  void OrderAxes();
  void SetSizes();
  void Place(const DepthwiseNumbers& numbers);
  bool CanReadSource(const DepthwiseNumbers& numbers) const;
  ResultCut CutInto(int64_t parts, size_t last) const;
  ResultCut CutForAll(const DepthwiseNumbers& numbers) const;
  int64_t PartCount(const ResultCut& cut) const;
  int64_t Reach(int64_t axis) const;
  int64_t PositionCount(int64_t axis, const ResultCut* cut) const;
  int64_t SetStrides(const ResultCut* cut);
  double work() const;

  InputAxes axes_;  // outermost first as they are arranged
  ResultDimensions dimensions_;
  TermDimensions terms_;
  int64_t features_ = 1, feature_out_stride_ = 0, feature_kernel_stride_ = 0;
  int64_t kernel_offset_ = 0;
  int64_t term_count_ = 1;
  bool is_empty_ = false, has_padding_ = false;
  InputPlace place_ = InputPlace::kSource;
  bool needs_carriers_ = false;
  ResultCut cut_;
  int64_t arranged_count_ = 0;
  absl::InlinedVector<int64_t, 8> strides_, extents_;  // by axis
  int64_t source_offset_ = 0;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_CONVOLUTION_DEPTHWISE_SHAPE_H_
