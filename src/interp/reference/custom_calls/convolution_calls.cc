// Convolutions as custom calls (semantics.md 15.5). The attributes `window`, `dim_labels` and
// `feature_group_count` always describe the forward convolution, also for its gradients:
//   y[b, o, p] = sum over c, k of x[b, c, p * stride - padding + k * dilation] * w[c, k, o]
// so that one walk over these products serves all: each adds the product of the two given arrays to
// the place of the third. Sums are in f64.
#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/kernel/scratch_vector.h"
#include "interp/reference/converted_array.h"
#include "interp/reference/custom_calls/custom_calls.h"
#include "interp/reference/custom_calls/network_config.h"
#include "interp/reference/scratch.h"
#include "interp/reference/strided.h"
#include "interp/reference/window_positions.h"
#include "ir/element_conversion.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

// One of the arrays x, w, y of a forward convolution: sizes and strides by the role of its
// dimensions. `major` and `minor` are batch and feature, of the kernel input and output features.
struct ConvolutionArray {
  ConvolutionArray(std::span<const int64_t> dims, int64_t major_dim, int64_t minor_dim,
                   std::span<const int64_t> spatial_dims) {
    const Index strides = DenseStrides(dims);
    major = dims[major_dim];
    minor = dims[minor_dim];
    major_stride = strides[major_dim];
    minor_stride = strides[minor_dim];
    spatial = Select(dims, spatial_dims);
    spatial_strides = Select(AsSpan(strides), spatial_dims);
  }
  int64_t Position(int64_t major_index, int64_t minor_index, const Index& place) const {
    int64_t position = major_index * major_stride + minor_index * minor_stride;
    for (size_t d = 0; d < place.size(); ++d) position += place[d] * spatial_strides[d];
    return position;
  }

  int64_t major, minor, major_stride, minor_stride;
  Index spatial, spatial_strides;
};

struct ForwardConvolution {
  ForwardConvolution(const Evaluation& e, std::span<const int64_t> x_dims,
                     std::span<const int64_t> w_dims, std::span<const int64_t> y_dims)
      : numbers(e.Get<Attr::kDimLabels>()),
        window(e.Get<Attr::kWindow>()),
        group_count(e.Get<Attr::kFeatureGroupCount>()),
        x(x_dims, numbers.input_batch, numbers.input_feature, numbers.input_spatial),
        w(w_dims, numbers.kernel_input_feature, numbers.kernel_output_feature,
          numbers.kernel_spatial),
        y(y_dims, numbers.output_batch, numbers.output_feature, numbers.output_spatial) {}

  absl::Status Check() const {
    bool fits = x.major == y.major && w.minor == y.minor && group_count > 0 &&
                x.minor == w.major * group_count && y.minor % group_count == 0;
    for (size_t d = 0; fits && d < x.spatial.size(); ++d) {
      const WindowDimension dimension = WindowDimensionAt(window, static_cast<int64_t>(d));
      fits = dimension.size == w.spatial[d] &&
             WindowOutputSize(dimension, x.spatial[d]) == y.spatial[d];
    }
    if (fits) return absl::OkStatus();
    return absl::InvalidArgumentError("the arrays do not have the sizes of the convolution");
  }

  // Where the window at output place `p` meets x with kernel place `k`; false: on padding.
  bool InputPlace(const Index& p, const Index& k, Index& place) const {
    for (size_t d = 0; d < p.size(); ++d) {
      const WindowDimension dimension = WindowDimensionAt(window, static_cast<int64_t>(d));
      const int64_t j = dimension.reversal ? dimension.size - 1 - k[d] : k[d];
      const __int128 at = __int128{p[d]} * dimension.stride - dimension.padding_low +
                          __int128{j} * dimension.window_dilation;
      if (at < 0 || at % dimension.base_dilation != 0) return false;
      if (at / dimension.base_dilation >= x.spatial[d]) return false;
      place[d] = static_cast<int64_t>(at / dimension.base_dilation);
    }
    return true;
  }

  // visit(x position, w position, y position) for every product.
  template <typename Visit>
  void ForEachProduct(Visit&& visit) const {
    const int64_t group_outputs = y.minor / group_count;
    Index place(x.spatial.size());
    for (const Index& p : IndexSpace(AsSpan(y.spatial))) {
      for (const Index& k : IndexSpace(AsSpan(w.spatial))) {
        if (!InputPlace(p, k, place)) continue;
        for (int64_t b = 0; b < y.major; ++b) {
          for (int64_t o = 0; o < y.minor; ++o) {
            const int64_t first_input = o / group_outputs * w.major;
            for (int64_t c = 0; c < w.major; ++c) {
              visit(x.Position(b, first_input + c, place), w.Position(c, o, k),
                    y.Position(b, o, p));
            }
          }
        }
      }
    }
  }

  ConvolutionDimensionNumbers numbers;
  Window window;
  int64_t group_count;
  ConvolutionArray x, w, y;
};

absl::Status NeedsOperands() {
  return absl::InvalidArgumentError(
      "a convolution has two operands, a window and a result of one rank");
}

// A call's attributes have not been checked by anybody.
bool IsSound(const WindowDimension& dimension) {
  return dimension.size > 0 && dimension.stride > 0 && dimension.window_dilation > 0 &&
         dimension.base_dilation > 0;
}

bool HasOperands(const Evaluation& e) {
  if (e.operands().size() < 2 || e.results().empty()) return false;
  const size_t rank = e.operand(0).dims.size();
  const ConvolutionDimensionNumbers numbers = e.Get<Attr::kDimLabels>();
  const Window window = e.Get<Attr::kWindow>();
  return rank >= 2 && e.operand(1).dims.size() == rank && e.result().dims.size() == rank &&
         numbers.input_spatial.size() == rank - 2 && numbers.kernel_spatial.size() == rank - 2 &&
         numbers.output_spatial.size() == rank - 2 &&
         (window.dimensions.empty() || window.dimensions.size() == rank - 2) &&
         std::all_of(window.dimensions.begin(), window.dimensions.end(), IsSound);
}

// Which arrays of a call are x, w and y: 0 and 1 its operands, 2 its result.
template <int kX, int kW, int kY>
struct PreparedConvolution {
  explicit PreparedConvolution(const Evaluation& e) {
    if (!HasOperands(e)) {
      status = NeedsOperands();
      return;
    }
    convolution.emplace(e, Dims(e, kX), Dims(e, kW), Dims(e, kY));
    status = convolution->Check();
  }

  absl::Status status;
  std::optional<ForwardConvolution> convolution;

 private:
  static std::span<const int64_t> Dims(const Evaluation& e, int array) {
    return array == 2 ? e.result().dims : e.operand(static_cast<size_t>(array)).dims;
  }
};
using PreparedForward = PreparedConvolution<0, 1, 2>;
using PreparedBackwardInput = PreparedConvolution<2, 1, 0>;
using PreparedBackwardFilter = PreparedConvolution<0, 2, 1>;

// The sums of a call, and what they become.
using Sums = ScratchVector<double>;

void StoreSums(const Evaluation& e, const Sums& sums) {
  ConvertElements(ElementType::kF64, reinterpret_cast<const std::byte*>(sums.data()),
                  e.result().element_type, e.result().bytes, e.result().element_count());
}

Sums ZeroSums(Evaluation& e) {
  return Sums(static_cast<size_t>(e.result().element_count()), e.device().scratch());
}

// All arrays of the call in f64.
int64_t ScratchByteSize(const OpView& op) {
  double count = 0;
  for (const Shape* operand : OperandArrays(op)) count += SizeProduct(operand->dims());
  const std::vector<const Shape*> results = ResultArrays(op);
  if (!results.empty()) count += SizeProduct(results[0]->dims());
  return ByteSizeOf(count * sizeof(double));
}

void AddForward(Evaluation& e, const ForwardConvolution& convolution, Sums& sums) {
  ScratchPool& pool = e.device().scratch();
  const ConvertedArray x(pool, e.operand(0), ElementType::kF64);
  const ConvertedArray w(pool, e.operand(1), ElementType::kF64);
  convolution.ForEachProduct([&](int64_t in, int64_t kernel, int64_t out) {
    sums[out] += x.data<double>()[in] * w.data<double>()[kernel];
  });
}

// (x, w) -> (y, workspace)
absl::Status Forward(Evaluation& e) {
  const auto& prepared = PreparedOf<PreparedForward>(e);
  HLO_RETURN_IF_ERROR(prepared.status);
  Sums sums = ZeroSums(e);
  AddForward(e, *prepared.convolution, sums);
  StoreSums(e, sums);
  ZeroWorkspaces(e);
  return absl::OkStatus();
}

// (dy, w) -> (dx, workspace)
absl::Status BackwardInput(Evaluation& e) {
  const auto& prepared = PreparedOf<PreparedBackwardInput>(e);
  HLO_RETURN_IF_ERROR(prepared.status);
  ScratchPool& pool = e.device().scratch();
  const ConvertedArray dy(pool, e.operand(0), ElementType::kF64);
  const ConvertedArray w(pool, e.operand(1), ElementType::kF64);
  Sums sums = ZeroSums(e);
  prepared.convolution->ForEachProduct([&](int64_t in, int64_t kernel, int64_t out) {
    sums[in] += dy.data<double>()[out] * w.data<double>()[kernel];
  });
  StoreSums(e, sums);
  ZeroWorkspaces(e);
  return absl::OkStatus();
}

// (x, dy) -> (dw, workspace)
absl::Status BackwardFilter(Evaluation& e) {
  const auto& prepared = PreparedOf<PreparedBackwardFilter>(e);
  HLO_RETURN_IF_ERROR(prepared.status);
  ScratchPool& pool = e.device().scratch();
  const ConvertedArray x(pool, e.operand(0), ElementType::kF64);
  const ConvertedArray dy(pool, e.operand(1), ElementType::kF64);
  Sums sums = ZeroSums(e);
  prepared.convolution->ForEachProduct([&](int64_t in, int64_t kernel, int64_t out) {
    sums[kernel] += x.data<double>()[in] * dy.data<double>()[out];
  });
  StoreSums(e, sums);
  ZeroWorkspaces(e);
  return absl::OkStatus();
}

// "kRelu" -> "RELU". Nothing, or a name FindActivation may know.
std::string ActivationName(std::string mode) {
  if (mode.starts_with('k')) mode.erase(0, 1);
  std::ranges::transform(mode, mode.begin(), [](unsigned char c) { return std::toupper(c); });
  return mode == "NONE" ? "" : mode;
}

struct BiasActivation {
  explicit BiasActivation(const Evaluation& e);

  absl::Status status;
  PreparedForward forward;
  double scale = 1;
  double side_scale = 0;
  Activation activation = nullptr;  // null: none
  bool has_side = false;
  int64_t feature_count = 1;
  int64_t feature_stride = 1;
};

BiasActivation::BiasActivation(const Evaluation& e) : forward(e) {
  if (!HasOperands(e) || e.operands().size() < 3) {
    status = absl::InvalidArgumentError("it has the operands input, kernel, bias, [side input]");
    return;
  }
  status = forward.status;
  const NetworkConfig config(e.op());
  scale = config.Number("conv_result_scale", 1);
  side_scale = config.Number("side_input_scale", 0);
  const std::string name = ActivationName(config.Text("activation_mode"));
  activation = name.empty() ? nullptr : FindActivation(name);
  if (!name.empty() && activation == nullptr) {
    status.Update(absl::UnimplementedError(fmt::format("activation `{}` is not supported", name)));
  }
  has_side = e.operands().size() > 3 && side_scale != 0;
  const auto feature = static_cast<size_t>(e.Get<Attr::kDimLabels>().output_feature);
  feature_count = e.result().dims[feature];
  feature_stride = DenseStrides(e.result().dims)[feature];
  if (e.operand(2).element_count() != feature_count ||
      (has_side && e.operand(3).element_count() != e.result().element_count())) {
    status.Update(absl::InvalidArgumentError("bias or side input do not fit the result"));
  }
}

// (x, w, bias, [side input]) -> (activation(scale * conv + side_scale * side + bias), workspace)
absl::Status ForwardBiasActivation(Evaluation& e) {
  const BiasActivation& call = PreparedOf<BiasActivation>(e);
  HLO_RETURN_IF_ERROR(call.status);
  Sums sums = ZeroSums(e);
  AddForward(e, *call.forward.convolution, sums);
  ScratchPool& pool = e.device().scratch();
  const ConvertedArray bias(pool, e.operand(2), ElementType::kF64);
  const ConvertedArray side(pool, e.operand(call.has_side ? 3 : 2), ElementType::kF64);
  for (int64_t i = 0; i < e.result().element_count(); ++i) {
    const int64_t feature = i / call.feature_stride % call.feature_count;
    double value = call.scale * sums[i] + bias.data<double>()[feature];
    if (call.has_side) value += call.side_scale * side.data<double>()[i];
    sums[i] = call.activation == nullptr ? value : call.activation(value);
  }
  StoreSums(e, sums);
  ZeroWorkspaces(e);
  return absl::OkStatus();
}

constexpr CustomCall kConvolutionCalls[] = {
    {"__cudnn$convBackwardFilter",
     {.run = BackwardFilter,
      .prepare = Prepare<PreparedBackwardFilter>,
      .scratch_byte_size = ScratchByteSize}},
    {"__cudnn$convBackwardInput",
     {.run = BackwardInput,
      .prepare = Prepare<PreparedBackwardInput>,
      .scratch_byte_size = ScratchByteSize}},
    {"__cudnn$convBiasActivationForward",
     {.run = ForwardBiasActivation,
      .prepare = Prepare<BiasActivation>,
      .scratch_byte_size = ScratchByteSize}},
    {"__cudnn$convForward",
     {.run = Forward, .prepare = Prepare<PreparedForward>, .scratch_byte_size = ScratchByteSize}},
};

}  // namespace

const Kernel* FindConvolutionCall(std::string_view target) {
  return FindIn(kConvolutionCalls, target);
}

}  // namespace hlo::reference
