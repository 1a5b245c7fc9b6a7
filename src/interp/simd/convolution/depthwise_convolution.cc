// convolution (semantics.md 10.4) of several groups, each of which makes few features: these are
// no products of matrices. Results that lie side by side, channels or pixels, are vectors, summed
// term by term in the order of the definition, whose bits they have. Padding and holes of the input
// are zeros, mostly written by the parts that need them; they must not meet infinities or NaN in
// the kernel, for 0 times these is no 0: the reference kernel has the step then.
#include "interp/simd/convolution/depthwise_convolution.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "interp/reference/eval.h"
#include "interp/simd/base/reference_memory.h"
#include "interp/simd/convolution/depthwise_terms.h"
#include "interp/simd/convolution/integer_sums.h"
#include "interp/simd/product/are_finite.h"
#include "interp/simd/product/complex_product.h"
#include "interp/simd/product/epilogue.h"
#include "ir/window_dimension.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::simd {
namespace {

constexpr int64_t kMostRuns = int64_t{1} << 20;
constexpr int64_t kMostSize = int64_t{1} << 40;  // of padding and steps
constexpr int64_t kSumsOfBlock = 4096, kLanesOfBlock = 1024;

// One run.
template <typename T>
class DepthwiseRun {
 public:
  DepthwiseRun(Evaluation& e, const DepthwiseState<T>& state)
      : e_(e),
        state_(state),
        shape_(state.shape),
        is_complex_(IsComplex(e.result().element_type)),
        result_type_(is_complex_ ? kCarrierType<T> : e.result().element_type),
        // Where features of a group lie between lanes these are put there one by one.
        has_direct_sums_(IsCarrier<T>(result_type_) && !shape_.has_features_in_lanes()) {
    sums_.runs = state.runs;
    sums_.term_count = state.run_length;
    sums_.input_step = state.input_step;
    sums_.kernel_step = state.kernel_step;
    sums_.has_kernel_lanes = shape_.has_kernel_lanes();
  }

  // False: the kernel has infinities or NaN and meets padding, or a complex result is not finite.
  absl::StatusOr<bool> Run() {
    if constexpr (std::is_floating_point_v<T>) {
      if (is_complex_) return RunComplex();
    }
    return RunReal();
  }

 private:
  using Ranges = DepthwiseShape::Ranges;

  absl::StatusOr<bool> RunReal() {
    const DeviceContext& device = e_.device();
    HLO_ASSIGN_OR_RETURN(const CarrierArray<T> kernel,
                         CarrierArray<T>::Make(device, e_.operand(1), result_type_));
    if (shape_.has_padding()) {
      HLO_ASSIGN_OR_RETURN(const bool is_finite,
                           AreFiniteInParts(device, kernel.data(), e_.operand(1).element_count()));
      if (!is_finite) return false;
    }
    const ArrayRef& input = e_.operand(0);
    source_ = {{input.element_type, result_type_, kCarrierType<T>}, input.bytes};
    std::optional<CarrierArray<T>> carriers;
    if (shape_.needs_carriers()) {
      HLO_ASSIGN_OR_RETURN(carriers, CarrierArray<T>::Make(device, input, result_type_));
      source_.carriers = carriers->data();
    } else if (IsCarrier<T>(input.element_type) && IsCarrier<T>(result_type_)) {
      source_.carriers = reinterpret_cast<const T*>(input.bytes);
    }
    const int64_t row_size = shape_.HasDenseParts() ? CutDimension().out_stride : 0;
    HLO_RETURN_IF_ERROR(RunWithEpilogue(e_, row_size, {}, [&](const ProductWatch& watch) {
      return RunParts(kernel.data(), watch);
    }));
    return true;
  }

  // The products of infinite parts are not those of numbers.
  absl::StatusOr<bool> RunComplex() {
    const DeviceContext& device = e_.device();
    const ExpandedColumns numbers(e_.operand(1).element_count());
    const ScratchArray<T> kernel(device.scratch(), numbers.part_count());
    HLO_RETURN_IF_ERROR(
        numbers.Expand(device, reinterpret_cast<const T*>(e_.operand(1).bytes), kernel.get()));
    const std::byte* input = e_.operand(0).bytes;
    source_.carriers = reinterpret_cast<const T*>(input);
    HLO_RETURN_IF_ERROR(RunParts(kernel.get(), {}));
    HLO_ASSIGN_OR_RETURN(const bool is_finite,
                         AreFiniteInParts(device, reinterpret_cast<const T*>(e_.result().bytes),
                                          2 * e_.result().element_count()));
    if (!is_finite) return false;
    HLO_RETURN_IF_ERROR(RunEpilogue(e_));
    return true;
  }

  absl::Status RunParts(const T* kernel, const ProductWatch& watch) {
    ScratchPool& pool = e_.device().scratch();
    kernel_ = kernel + shape_.kernel_offset();
    ScratchArray<T> packed, whole;
    if (state_.packs_kernel) {
      HLO_ASSIGN_OR_RETURN(packed, PackKernel(e_.device(), state_, kernel_));
      kernel_ = packed.get();
    }
    if (shape_.place() == InputPlace::kSource) {
      input_ = source_.carriers + shape_.source_offset();
    } else if (shape_.place() == InputPlace::kWhole) {
      whole = ScratchArray<T>(pool, shape_.arranged_count() + state_.width);
      HLO_RETURN_IF_ERROR(ArrangeWhole(whole.get()));
      input_ = whole.get();
    }
    return ForEachPart(e_.device(), shape_.part_count(),
                       [&](int64_t part) { RunPart(part, watch); });
  }

  const ResultDimension& CutDimension() const {
    return shape_.dimensions()[shape_.cut().dimension];
  }

  // By the positions of the outermost axis.
  absl::Status ArrangeWhole(T* to) const {
    const ArrangedAxes axes = shape_.AxesOf(shape_.AllRanges());
    // An axis of one position has nothing to share out.
    size_t outer = 0;
    while (outer + 1 < axes.size() && axes[outer].extent == 1) ++outer;
    const bool is_cut = outer + 1 < axes.size();
    const int64_t size = axes[outer].extent, stride = axes[outer].stride;
    const int64_t per_part = is_cut ? CeilDiv(int64_t{1} << 15, stride) : size;
    return ForEachPart(e_.device(), CeilDiv(size, per_part), [&](int64_t part) {
      ArrangedAxes some = axes;
      some[outer].begin = part * per_part;
      some[outer].size = std::min(per_part, axes[outer].size - some[outer].begin);
      if (is_cut) some[outer].extent = some[outer].size;
      Arrange<T>(std::move(some), source_, to + some[outer].begin * (is_cut ? stride : 0));
    });
  }

  void RunPart(int64_t part, const ProductWatch& watch) const {
    const Ranges ranges = shape_.RangesOf(part);
    ScratchArray<T> arranged;
    WindowSums<T> sums = sums_;
    sums.input = input_;
    sums.kernel = kernel_;
    if (shape_.place() == InputPlace::kParts) {
      arranged = ScratchArray<T>(e_.device().scratch(), shape_.arranged_count() + state_.width);
      Arrange<T>(shape_.AxesOf(ranges), source_, arranged.get());
      sums.input = arranged.get();
    }
    RunOuter(0, ranges, sums, 0);
    if (watch.finish == nullptr) return;
    int64_t begin = 0;
    for (size_t d = 0; d <= shape_.cut().dimension; ++d) {
      begin += ranges[d].begin * shape_.dimensions()[d].out_stride;
    }
    const int64_t count = ranges[shape_.cut().dimension].size() * CutDimension().out_stride;
    (*watch.finish)(begin, begin + count);
  }

  // From index `i` of a dimension that begins at `begin` in a part to its place in what sums read.
  int64_t InputOffset(const ResultDimension& d, int64_t i, int64_t begin) const {
    if (d.axis < 0) return 0;
    const int64_t first = shape_.place() == InputPlace::kParts ? begin : 0;
    return (i - first) * d.step * shape_.stride(d.axis);
  }

  void RunOuter(size_t d, const Ranges& ranges, const WindowSums<T>& sums, int64_t out) const {
    if (d + 2 == ranges.size()) return RunLine(ranges, sums, out);
    const ResultDimension& dimension = shape_.dimensions()[d];
    for (int64_t i = ranges[d].begin; i < ranges[d].end; ++i) {
      WindowSums<T> inner = sums;
      inner.input += InputOffset(dimension, i, ranges[d].begin);
      inner.kernel += i * dimension.kernel_stride;
      RunOuter(d + 1, ranges, inner, out + i * dimension.out_stride);
    }
  }

  void RunLine(const Ranges& ranges, WindowSums<T> sums, int64_t out) const {
    const ResultDimension& positions = shape_.positions();
    const auto [position, position_end] = ranges[ranges.size() - 2];
    const auto [lane, lane_end] = ranges.back();
    sums.input += InputOffset(positions, position, position);
    if (shape_.place() != InputPlace::kParts) sums.input += lane;  // parts have all lanes
    if (sums.has_kernel_lanes) sums.kernel += lane;
    sums.position_stride = InputOffset(positions, 1, 0);
    out += position * positions.out_stride + lane * shape_.lanes().out_stride;
    const int64_t position_count = position_end - position, lane_count = lane_end - lane;
    if (has_direct_sums_) return SumDirectly(sums, position_count, lane_count, out);
    // Blocks of even sizes: none has next to no lanes.
    const int64_t blocks = CeilDiv(lane_count, kLanesOfBlock);
    const int64_t widest = CeilDiv(lane_count, blocks) * shape_.features();
    const int64_t step = std::max<int64_t>(1, kSumsOfBlock / widest);
    for (int64_t p = 0; p < position_count; p += step) {
      for (int64_t b = 0; b < blocks; ++b) {
        const int64_t l = b * lane_count / blocks;
        WindowSums<T> block = sums;
        block.input += p * sums.position_stride + l;
        if (sums.has_kernel_lanes) block.kernel += l;
        block.position_count = std::min(step, position_count - p);
        block.lane_count = (b + 1) * lane_count / blocks - l;
        SumBlock(block, out + p * positions.out_stride + l * shape_.lanes().out_stride);
      }
    }
  }

  void SumDirectly(WindowSums<T> sums, int64_t position_count, int64_t lane_count,
                   int64_t out) const {
    sums.position_count = position_count;
    sums.lane_count = lane_count;
    sums.out_stride = shape_.positions().out_stride;
    for (int64_t k = 0; k < shape_.features(); ++k) {
      sums.out = reinterpret_cast<T*>(e_.result().bytes) + out + k * shape_.feature_out_stride();
      GetWindowSumKernels<T>().sum(sums);
      sums.kernel += state_.feature_stride;
    }
  }

  // [feature, position, lane], and then to where the result has them.
  void SumBlock(WindowSums<T> sums, int64_t out) const {
    alignas(64) T made[kSumsOfBlock];
    const int64_t lanes = sums.lane_count, positions = sums.position_count;
    const int64_t features = shape_.features();
    sums.out = made;
    sums.out_stride = lanes;
    for (int64_t k = 0; k < features; ++k) {
      GetWindowSumKernels<T>().sum(sums);
      sums.out += positions * lanes;
      sums.kernel += state_.feature_stride;
    }
    const int64_t out_stride = shape_.positions().out_stride;
    if (shape_.has_features_in_lanes()) {
      alignas(64) T line[kSumsOfBlock];
      for (int64_t p = 0; p < positions; ++p) {
        GetWindowSumKernels<T>().interleave(made + p * lanes, positions * lanes, features, lanes,
                                            line);
        Store(line, lanes * features, out + p * out_stride);
      }
      return;
    }
    const bool is_dense = out_stride == lanes;
    for (int64_t k = 0; k < features; ++k) {
      const T* from = made + k * positions * lanes;
      const int64_t to = out + k * shape_.feature_out_stride();
      if (is_dense) {
        Store(from, positions * lanes, to);
        continue;
      }
      for (int64_t p = 0; p < positions; ++p) Store(from + p * lanes, lanes, to + p * out_stride);
    }
  }

  void Store(const T* sums, int64_t count, int64_t out) const {
    StoreCarriers(kCarrierType<T>, reinterpret_cast<const std::byte*>(sums), result_type_,
                  e_.result().bytes + out * ElementByteSize(result_type_), count,
                  Saturates(result_type_));
  }

  Evaluation& e_;
  const DepthwiseState<T>& state_;
  const DepthwiseShape& shape_;
  bool is_complex_;
  ElementType result_type_;  // of complex numbers their parts'
  bool has_direct_sums_;
  WindowSums<T> sums_;
  CarrierSource<T> source_ = {{kCarrierType<T>, kCarrierType<T>, kCarrierType<T>}};
  const T* kernel_ = nullptr;
  const T* input_ = nullptr;
};

template <typename T>
absl::Status Run(Evaluation& e) {
  const auto& state = e.state<DepthwiseState<T>>();
  if (!state.shape.is_empty()) {
    HLO_ASSIGN_OR_RETURN(const bool is_fine, DepthwiseRun<T>(e, state).Run());
    if (is_fine) return absl::OkStatus();
  }
  HLO_RETURN_IF_ERROR(e.RunInstead(reference::FindKernel(Opcode::kConvolution)));
  return RunEpilogue(e);
}

template <typename T>
absl::StatusOr<std::unique_ptr<KernelState>> Prepare(Evaluation& e) {
  return std::make_unique<DepthwiseState<T>>(e.op());
}

int64_t CountOf(const Shape& shape) { return ElementCount(shape).value_or(0); }

// The kernel and the input as carriers and as they are arranged.
template <typename T>
int64_t ScratchByteSize(const OpView& op) {
  const DepthwiseShape shape = DepthwiseShapeOf<T>(op);
  if (shape.is_empty()) return ScratchWithReference(op, 0);
  const ElementType type = op.written_shape()->element_type();
  const int64_t width = GetWindowSumKernels<T>().vector_width;
  int64_t count = PacksKernel(shape, width) ? PackedKernelCount(shape, width) : 0;
  if (shape.place() != InputPlace::kSource) {
    const bool by_parts = shape.place() == InputPlace::kParts;
    const int64_t copies = by_parts ? PartsAtOnce(shape.part_count()) : 1;
    count += Times(copies, shape.arranged_count() + width);
  }
  if (IsComplex(type)) count += ExpandedColumns(CountOf(op.operand_shape(1))).part_count();
  int64_t byte_size = Times(count, static_cast<int64_t>(sizeof(T)));
  if (IsComplex(type)) return ScratchWithReference(op, byte_size);
  byte_size += CarrierArray<T>::ByteSize(op.operand_shape(1), type);
  if (shape.needs_carriers()) byte_size += CarrierArray<T>::ByteSize(op.operand_shape(0), type);
  return shape.has_padding() ? ScratchWithReference(op, byte_size) : byte_size;
}

// Where terms lie.
template <typename T>
int64_t StateByteSize(const OpView& op, IsFixedOperand is_fixed) {
  const DepthwiseShape shape = DepthwiseShapeOf<T>(op);
  const int64_t own = shape.run_count() * static_cast<int64_t>(sizeof(TermRun));
  const bool may_run_reference =
      shape.has_padding() || shape.is_empty() || IsComplex(op.written_shape()->element_type());
  return may_run_reference ? StateWithReference(op, is_fixed, own) : own;
}

template <typename T>
constexpr Kernel kDepthwiseKernel = {.run = Run<T>,
                                     .prepare = Prepare<T>,
                                     .scratch_byte_size = ScratchByteSize<T>,
                                     .state_byte_size = StateByteSize<T>};

bool IsWithinMeasure(const Window& window) {
  return std::ranges::all_of(window.dimensions, [](const WindowDimension& d) {
    const int64_t sizes[] = {d.stride, d.padding_low, d.base_dilation, d.window_dilation};
    return std::ranges::all_of(sizes, [](int64_t s) { return s > -kMostSize && s < kMostSize; });
  });
}

}  // namespace

const Kernel* FindDepthwiseConvolutionKernel(const OpView& op) {
  if (!IsWithinMeasure(op.Get<Attr::kWindow>())) return nullptr;
  const ElementType type = op.written_shape()->element_type();
  const auto find = [&]<typename T>() -> const Kernel* {
    return DepthwiseShapeOf<T>(op).run_count() > kMostRuns ? nullptr : &kDepthwiseKernel<T>;
  };
  if (type == ElementType::kC64) return find.template operator()<float>();
  if (type == ElementType::kC128) return find.template operator()<double>();
  return DispatchSums(op, find);
}

}  // namespace hlo::simd
