// convolution (semantics.md 10.4). Operands are packed channels-last, the kernel with its output
// features innermost; one output pixel at a time, the sums of all its features advance together
// through kernel positions (outer) and input features (inner). Sparse operands are expanded first.
#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/reference/contraction.h"
#include "interp/reference/converted_array.h"
#include "interp/reference/eval.h"
#include "interp/reference/scratch.h"
#include "interp/reference/set_result.h"
#include "interp/reference/sparse_operand.h"
#include "interp/reference/window_positions.h"
#include "ir/element_traits.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

Index Order(std::initializer_list<int64_t> before, std::span<const int64_t> spatial,
            std::initializer_list<int64_t> after) {
  Index order(before.begin(), before.end());
  order.insert(order.end(), spatial.begin(), spatial.end());
  order.insert(order.end(), after.begin(), after.end());
  return order;
}

Index InputOrder(const ConvolutionDimensionNumbers& numbers) {
  return Order({numbers.input_batch}, numbers.input_spatial, {numbers.input_feature});
}
Index KernelOrder(const ConvolutionDimensionNumbers& numbers) {
  return Order({}, numbers.kernel_spatial,
               {numbers.kernel_input_feature, numbers.kernel_output_feature});
}

// The sizes of one convolution. Only one of the two group counts is above 1, so that group g takes
// output features [g * group_outputs, ...), input features [g * feature_shift, ...) and input
// batch entries g * batch_shift further on.
struct ConvolutionSizes {
  ConvolutionSizes(const Evaluation& e, std::span<const int64_t> input,
                   std::span<const int64_t> kernel)
      : numbers(e.Get<Attr::kDimLabels>()),
        window(e.Get<Attr::kWindow>()),
        input_packing(input, AsSpan(InputOrder(numbers))),
        kernel_packing(kernel, AsSpan(KernelOrder(numbers))),
        input_spatial(Select(input, numbers.input_spatial)) {
    const int64_t feature_groups = e.Get<Attr::kFeatureGroupCount>();
    const int64_t batch_groups = e.Get<Attr::kBatchGroupCount>();
    group_count = std::max(feature_groups, batch_groups);
    input_features = input[numbers.input_feature];
    kernel_inputs = kernel[numbers.kernel_input_feature];
    output_features = kernel[numbers.kernel_output_feature];
    output_batch = input[numbers.input_batch] / batch_groups;
    feature_shift = feature_groups > 1 ? kernel_inputs : 0;
    batch_shift = batch_groups > 1 ? output_batch : 0;
    group_outputs = output_features / group_count;
    const Index kernel_dims = Select(kernel, numbers.kernel_spatial);
    const Index kernel_spatial_strides = DenseStrides(AsSpan(kernel_dims));
    const Index input_spatial_strides = DenseStrides(AsSpan(input_spatial));
    for (size_t d = 0; d < input_spatial.size(); ++d) {
      const WindowDimension dimension = WindowDimensionAt(window, d);
      output_spatial.push_back(WindowOutputSize(dimension, input_spatial[d]));
      runs.emplace_back(dimension, output_spatial[d], input_spatial[d]);
      input_strides.push_back(input_spatial_strides[d] * input_features);
      kernel_strides.push_back(kernel_spatial_strides[d] * kernel_inputs * output_features);
    }
    result_dims = ResultDims();
    const Strides result_strides = DenseStrides(AsSpan(result_dims));
    pixel_strides = Select(AsSpan(result_strides), numbers.output_spatial);
    batch_stride = result_strides[numbers.output_batch];
    feature_stride = result_strides[numbers.output_feature];
  }

  Index ResultDims() const {
    Index dims(output_spatial.size() + 2);
    dims[numbers.output_batch] = output_batch;
    dims[numbers.output_feature] = output_features;
    for (size_t d = 0; d < output_spatial.size(); ++d) {
      dims[numbers.output_spatial[d]] = output_spatial[d];
    }
    return dims;
  }

  ConvolutionDimensionNumbers numbers;
  Window window;
  Packing input_packing, kernel_packing;
  Index input_spatial, output_spatial;
  Index input_strides, kernel_strides;  // of spatial dimensions, in the packed arrays
  std::vector<WindowRuns> runs;         // by spatial dimension and output coordinate
  int64_t group_count, group_outputs;
  int64_t input_features, kernel_inputs, output_features, output_batch;
  int64_t feature_shift, batch_shift;
  Index result_dims;  // in the result's own order
  Index pixel_strides;
  int64_t batch_stride, feature_stride;  // of the result
};

// Dynamic operands below their bounds may no longer fit each other, nor do sparse ones always.
absl::Status CheckRunTimeSizes(const Evaluation& e, const ConvolutionSizes& sizes,
                               std::span<const int64_t> input, std::span<const int64_t> kernel) {
  const Index kernel_dims = Select(kernel, sizes.numbers.kernel_spatial);
  bool fits = sizes.input_features == sizes.kernel_inputs * e.Get<Attr::kFeatureGroupCount>() &&
              sizes.output_features % sizes.group_count == 0 &&
              input[sizes.numbers.input_batch] % e.Get<Attr::kBatchGroupCount>() == 0;
  for (size_t d = 0; d < kernel_dims.size(); ++d) {
    fits &= kernel_dims[d] == WindowDimensionAt(sizes.window, static_cast<int64_t>(d)).size;
  }
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError("the sizes of the operands do not fit each other at run time");
}

// The kernel positions that meet elements at one output pixel.
struct PixelWalk {
  PixelWalk(const ConvolutionSizes& sizes, const Index& pixel) {
    for (size_t d = 0; d < pixel.size(); ++d) {
      const WindowDimension dimension = WindowDimensionAt(sizes.window, d);
      const WindowRun run = sizes.runs[d][pixel[d]];
      const int64_t sign = dimension.reversal ? -1 : 1;
      const int64_t first =
          dimension.reversal ? dimension.size - 1 - run.window_first : run.window_first;
      counts.push_back(run.count);
      input_steps.push_back(run.base_step * sizes.input_strides[d]);
      kernel_steps.push_back(sign * run.window_step * sizes.kernel_strides[d]);
      input_first += run.base_first * sizes.input_strides[d];
      kernel_first += first * sizes.kernel_strides[d];
    }
  }

  template <typename Visit>
  void ForEach(Visit&& visit) const {
    ForEachOffsets<2>(AsSpan(counts), {AsSpan(input_steps), AsSpan(kernel_steps)},
                      [&](const std::array<int64_t, 2>& offsets) {
                        visit(input_first + offsets[0], kernel_first + offsets[1]);
                      });
  }

  Index counts, input_steps, kernel_steps;
  int64_t input_first = 0;
  int64_t kernel_first = 0;
};

// Integers narrower than 32 bits saturate (semantics.md 10.4): their sums take 64 bits.
template <typename T>
constexpr bool Saturates() {
  if constexpr (IntegerElement<T>) {
    return IntegerTraits<T>::kBits < 32;
  } else {
    return false;
  }
}

template <typename T>
struct ConvolutionCarrierOf {
  using Type = CarrierOf<T>;
};
template <typename T>
requires(Saturates<T>()) struct ConvolutionCarrierOf<T> {
  using Type = int64_t;
};
template <typename T>
using ConvolutionCarrier = typename ConvolutionCarrierOf<T>::Type;

template <typename T, typename C>
T FromSum(C sum) {
  if constexpr (Saturates<T>()) {
    using Traits = IntegerTraits<T>;
    return static_cast<T>(std::clamp<int64_t>(sum, Traits::kMin, Traits::kMax));
  } else {
    return static_cast<T>(sum);
  }
}

template <typename C>
void AddProducts(const C* a, const C* b, int64_t count, C* accumulators) {
  for (int64_t i = 0; i < count; ++i) accumulators[i] += a[i] * b[i];
}

// Adds what one kernel position contributes to all output features of a pixel. `input` is the
// pixel's position in group 0.
template <typename C>
void AddPosition(const ConvolutionSizes& sizes, int64_t group_stride, const C* input,
                 const C* kernel, C* sums) {
  if (group_stride == 1 && sizes.group_outputs == 1) {  // depthwise
    AddProducts(input, kernel, sizes.output_features, sums);
    return;
  }
  for (int64_t c = 0; c < sizes.kernel_inputs; ++c) {
    for (int64_t g = 0; g < sizes.group_count; ++g) {
      const int64_t output = g * sizes.group_outputs;
      AddScaled(input[g * group_stride + c], kernel + output, sizes.group_outputs, sums + output);
    }
    kernel += sizes.output_features;
  }
}

template <typename T>
void Convolve(ScratchPool& pool, const ConvolutionSizes& sizes, const ConvertedArray& lhs,
              const ConvertedArray& rhs, T* result) {
  using C = ConvolutionCarrier<T>;
  const Packed<C> input(pool, sizes.input_packing, lhs.data<T>());
  const Packed<C> kernel(pool, sizes.kernel_packing, rhs.data<T>());
  const int64_t image_size = Product(AsSpan(sizes.input_spatial)) * sizes.input_features;
  const int64_t group_stride = sizes.feature_shift + sizes.batch_shift * image_size;

  const int64_t feature_stride = sizes.feature_stride;
  const ScratchArray<C> storage(pool, sizes.output_features);
  C* const sums = storage.get();
  for (const Index& pixel : IndexSpace(AsSpan(sizes.output_spatial))) {
    const PixelWalk walk(sizes, pixel);
    int64_t target = 0;
    for (size_t d = 0; d < pixel.size(); ++d) target += pixel[d] * sizes.pixel_strides[d];
    for (int64_t b = 0; b < sizes.output_batch; ++b) {
      std::fill_n(sums, sizes.output_features, C{});
      const C* image = input.data() + b * image_size;
      walk.ForEach([&](int64_t input_offset, int64_t kernel_offset) {
        AddPosition(sizes, group_stride, image + input_offset, kernel.data() + kernel_offset, sums);
      });
      T* to = result + target + b * sizes.batch_stride;
      for (int64_t o = 0; o < sizes.output_features; ++o) {
        to[o * feature_stride] = FromSum<T>(sums[o]);
      }
    }
  }
}

// A convolution of operands that may be sparse.
struct ConvolutionPlan {
  explicit ConvolutionPlan(const Evaluation& e) : sizes_fit(Make(e)) {}

  std::optional<ConvolutionSizes> sizes;
  absl::Status sizes_fit;

 private:
  absl::Status Make(const Evaluation& e) {
    HLO_ASSIGN_OR_RETURN(const Index input, DenseOperand::Sizes(e, 0));
    HLO_ASSIGN_OR_RETURN(const Index kernel, DenseOperand::Sizes(e, 1));
    sizes.emplace(e, AsSpan(input), AsSpan(kernel));
    return CheckRunTimeSizes(e, *sizes, AsSpan(input), AsSpan(kernel));
  }
};

// The sizes of operand `i` with the elements that were left out; nothing where they do not fit.
std::optional<Index> BoundsOf(const OpView& op, size_t i) {
  const Shape& operand = op.operand_shape(static_cast<int64_t>(i));
  const SparsityDescriptor sparsity = SparsityOf(op, i);
  if (!sparsity.present) return Index(operand.dims().begin(), operand.dims().end());
  const absl::StatusOr<Index> dense = DenseSizes(sparsity, operand.dims());
  return dense.ok() ? std::optional(*dense) : std::nullopt;
}

}  // namespace

// Of what does not fit together nothing is taken: the kernel will say so.
double ConvolutionScratch(const OpView& op) {
  const ElementType type = op.written_shape()->element_type();
  const ConvolutionDimensionNumbers numbers = op.Get<Attr::kDimLabels>();
  const Index orders[] = {InputOrder(numbers), KernelOrder(numbers)};
  double byte_size = 0;
  for (size_t i = 0; i < 2; ++i) {
    const std::optional<Index> dims = BoundsOf(op, i);
    if (!dims) continue;
    const double count = SizeProduct(AsSpan(*dims));
    const ElementType operand_type = op.operand_shape(static_cast<int64_t>(i)).element_type();
    if (SparsityOf(op, i).present) {
      byte_size += count * static_cast<double>(ElementByteSize(operand_type));
    }
    if (operand_type != type) byte_size += count * static_cast<double>(ElementByteSize(type));
    const Packing packing(AsSpan(*dims), AsSpan(orders[i]));
    byte_size += DispatchElementType<kAnyArray>(type, [&]<typename T>() {
      return Packed<ConvolutionCarrier<T>>::template ByteSize<T>(packing);
    });
  }
  return byte_size;
}

// The positions of the window over the input.
double ConvolutionState(const OpView& op) {
  const std::optional<Index> dims = BoundsOf(op, 0);
  if (!dims) return 0;
  const ConvolutionDimensionNumbers numbers = op.Get<Attr::kDimLabels>();
  const Index spatial = Select(AsSpan(*dims), numbers.input_spatial);
  return WindowRuns::ByteSize(op.Get<Attr::kWindow>(), AsSpan(spatial));
}

absl::StatusOr<std::unique_ptr<KernelState>> PrepareConvolution(Evaluation& e) {
  return Prepare<ConvolutionPlan>(e);
}

absl::Status EvalConvolution(Evaluation& e) {
  const ConvolutionPlan& plan = PreparedOf<ConvolutionPlan>(e);
  HLO_RETURN_IF_ERROR(plan.sizes_fit);
  HLO_ASSIGN_OR_RETURN(const DenseOperand input, DenseOperand::Make(e, 0));
  HLO_ASSIGN_OR_RETURN(const DenseOperand kernel, DenseOperand::Make(e, 1));
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, AsSpan(plan.sizes->result_dims)));
  if (input.ref().element_count() == 0 || kernel.ref().element_count() == 0) {
    std::memset(e.result().bytes, 0, static_cast<size_t>(e.result().byte_size()));
    return absl::OkStatus();  // sums without terms, whatever the window's size
  }
  ScratchPool& pool = e.device().scratch();
  const ElementType type = e.result().element_type;
  const ConvertedArray lhs(pool, input.ref(), type);
  const ConvertedArray rhs(pool, kernel.ref(), type);
  DispatchElementType<kAnyArray>(type, [&]<typename T>() {
    Convolve<T>(pool, *plan.sizes, lhs, rhs, View<T>(e.result()).data());
  });
  return absl::OkStatus();
}

}  // namespace hlo::reference
