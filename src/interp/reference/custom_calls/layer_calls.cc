// Softmax and normalisation as custom calls into neural network libraries (semantics.md 15.5).
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <string>

#include <fmt/format.h>

#include "absl/container/inlined_vector.h"
#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/kernel/scratch_vector.h"
#include "interp/reference/custom_calls/custom_calls.h"
#include "interp/reference/custom_calls/network_config.h"
#include "interp/reference/scratch.h"
#include "ir/element_conversion.h"
#include "support/check.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

constexpr size_t kMaxOperands = 5;  // of a call that is used for what it is meant for

// The elements of an operand, in f64.
using Numbers = ScratchVector<double>;
Numbers Wide(Evaluation& e, const ArrayRef& operand) {
  Numbers wide(static_cast<size_t>(operand.element_count()), e.device().scratch());
  ConvertElements(operand.element_type, operand.bytes, ElementType::kF64,
                  reinterpret_cast<std::byte*>(wide.data()), operand.element_count());
  return wide;
}

// All arrays of a call in f64, and a number or two for each line.
int64_t ScratchByteSize(const OpView& op) {
  double count = 0;
  for (const Shape* operand : OperandArrays(op)) count += SizeProduct(operand->dims());
  for (const Shape* result : ResultArrays(op)) count += SizeProduct(result->dims());
  return ByteSizeOf(count * sizeof(double));
}

void Store(const Numbers& elements, const MutableArrayRef& result) {
  ConvertElements(ElementType::kF64, reinterpret_cast<const std::byte*>(elements.data()),
                  result.element_type, result.bytes, result.element_count());
}

absl::Status CheckSameSizes(const Evaluation& e) {
  if (!e.operands().empty() && !e.results().empty() &&
      std::ranges::equal(e.operand(0).dims, e.result(0).dims)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError("the result does not have the operand's sizes");
}

int64_t LastDimension(const ArrayRef& array) { return array.dims.empty() ? 1 : array.dims.back(); }

// Calls visit(line) for each `length` elements.
template <typename Visit>
void ForEachLine(Numbers& elements, int64_t length, const Visit& visit) {
  for (size_t start = 0; start < elements.size(); start += static_cast<size_t>(length)) {
    visit(std::span(elements).subspan(start, static_cast<size_t>(length)));
  }
}

absl::Status Softmax(Evaluation& e) {
  HLO_RETURN_IF_ERROR(CheckSameSizes(e));
  Numbers elements = Wide(e, e.operand(0));
  ForEachLine(elements, LastDimension(e.operand(0)), [](std::span<double> line) {
    const double largest = *std::max_element(line.begin(), line.end());
    double sum = 0;
    for (double& x : line) sum += x = std::exp(x - largest);
    for (double& x : line) x /= sum;
  });
  Store(elements, e.result());
  return absl::OkStatus();
}

struct Moments {
  double mean;
  double inverse_deviation;  // 1 / sqrt(variance + epsilon)
};

Moments MomentsOf(std::span<const double> line, double epsilon) {
  const double count = static_cast<double>(line.size());
  const double mean = std::accumulate(line.begin(), line.end(), 0.0) / count;
  double variance = 0;
  for (double x : line) variance += (x - mean) * (x - mean) / count;
  return {mean, 1 / std::sqrt(variance + epsilon)};
}

void Normalise(std::span<double> line, const Moments& moments) {
  for (double& x : line) x = (x - moments.mean) * moments.inverse_deviation;
}

// The configuration holds the bits of an f32 epsilon.
struct LayerNormConfig {
  explicit LayerNormConfig(const OpView& op) {
    const double bits = NetworkConfig(op).Number("epsilon_typecast", 0);
    if (bits >= 0 && bits < 0x1p32) epsilon = std::bit_cast<float>(static_cast<uint32_t>(bits));
  }

  std::optional<double> epsilon;
};

// (x, [scale, [shift]]): (x - mean) / sqrt(variance + epsilon) * scale + shift.
absl::Status LayerNorm(Evaluation& e) {
  HLO_RETURN_IF_ERROR(CheckSameSizes(e));
  const std::optional<double>& epsilon = PreparedOf<LayerNormConfig>(e).epsilon;
  if (!epsilon) {
    return absl::InvalidArgumentError("`epsilon_typecast` does not hold 32 bits");
  }
  const int64_t length = LastDimension(e.operand(0));
  absl::InlinedVector<Numbers, kMaxOperands> factors;
  for (size_t k = 1; k < e.operands().size(); ++k) {
    if (e.operand(k).element_count() != length) {
      return absl::InvalidArgumentError(
          "scale and shift have one number for each element of a line");
    }
    factors.push_back(Wide(e, e.operand(k)));
  }
  Numbers elements = Wide(e, e.operand(0));
  ForEachLine(elements, length, [&](std::span<double> line) {
    Normalise(line, MomentsOf(line, *epsilon));
    for (size_t i = 0; i < line.size(); ++i) {
      if (factors.size() > 0) line[i] *= factors[0][i];
      if (factors.size() > 1) line[i] += factors[1][i];
    }
  });
  Store(elements, e.result());
  return absl::OkStatus();
}

// The call's arrays in f64. Lines are as long as the scale: it has size 1 in the dimensions that
// are not normalised, which come first.
struct NormCall {
  absl::InlinedVector<Numbers, kMaxOperands> operands;
  int64_t length;
  int64_t line_count;
};

absl::StatusOr<NormCall> ReadNormCall(Evaluation& e, size_t operand_count, size_t result_count) {
  HLO_RETURN_IF_ERROR(CheckSameSizes(e));
  if (e.operands().size() != operand_count || e.results().size() < result_count) {
    return absl::InvalidArgumentError(
        fmt::format("{} operands and {} results, but this kind of norm has {} and {}",
                    e.operands().size(), e.results().size(), operand_count, result_count));
  }
  NormCall call;
  for (size_t k = 0; k < operand_count; ++k) call.operands.push_back(Wide(e, e.operand(k)));
  call.length = e.operand(1).element_count();
  const int64_t count = e.operand(0).element_count();
  call.line_count = call.length == 0 ? 0 : count / call.length;
  if (call.line_count * call.length != count) {
    return absl::InvalidArgumentError("the scale does not fit the lines");
  }
  return call;
}

absl::Status CheckCount(int64_t found, int64_t expected) {
  if (found == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("an array of {} elements where {} are due", found, expected));
}

// (x, scale, shift) -> (y, [mean and inverse deviation of each line], workspace)
absl::Status NormForward(Evaluation& e, double epsilon, bool gives_moments) {
  HLO_ASSIGN_OR_RETURN(NormCall call, ReadNormCall(e, 3, gives_moments ? 3 : 1));
  HLO_RETURN_IF_ERROR(CheckCount(e.operand(2).element_count(), call.length));
  const Numbers& scale = call.operands[1];
  const Numbers& shift = call.operands[2];
  const auto line_count = static_cast<size_t>(gives_moments ? call.line_count : 0);
  Numbers means(line_count, e.device().scratch()), inverse_deviations = means;
  size_t number = 0;
  ForEachLine(call.operands[0], call.length, [&](std::span<double> line) {
    const Moments moments = MomentsOf(line, epsilon);
    if (gives_moments) {
      means[number] = moments.mean;
      inverse_deviations[number++] = moments.inverse_deviation;
    }
    Normalise(line, moments);
    for (size_t i = 0; i < line.size(); ++i) line[i] = line[i] * scale[i] + shift[i];
  });
  ZeroWorkspaces(e);
  Store(call.operands[0], e.result(0));
  if (!gives_moments) return absl::OkStatus();
  for (size_t r : {1, 2})
    HLO_RETURN_IF_ERROR(CheckCount(e.result(r).element_count(), call.line_count));
  Store(means, e.result(1));
  Store(inverse_deviations, e.result(2));
  return absl::OkStatus();
}

// (x, scale, gradient of y, mean, inverse deviation) -> gradients of (x, scale, shift), workspace.
// With x' normalised and g = gradient * scale: dx = (g - mean(g) - x' mean(g x')) / deviation.
absl::Status NormBackward(Evaluation& e) {
  HLO_ASSIGN_OR_RETURN(NormCall call, ReadNormCall(e, 5, 3));
  HLO_RETURN_IF_ERROR(CheckCount(e.operand(2).element_count(), e.operand(0).element_count()));
  for (size_t k : {3, 4})
    HLO_RETURN_IF_ERROR(CheckCount(e.operand(k).element_count(), call.line_count));
  for (size_t r : {1, 2}) HLO_RETURN_IF_ERROR(CheckCount(e.result(r).element_count(), call.length));
  const auto length = static_cast<size_t>(call.length);
  Numbers scale_gradient(length, e.device().scratch()), shift_gradient = scale_gradient;
  size_t number = 0;
  ForEachLine(call.operands[0], call.length, [&](std::span<double> line) {
    const Moments moments = {call.operands[3][number], call.operands[4][number]};
    const double* gradient = call.operands[2].data() + number++ * length;
    Normalise(line, moments);
    double mean = 0, product_mean = 0;
    for (size_t i = 0; i < length; ++i) {
      scale_gradient[i] += gradient[i] * line[i];
      shift_gradient[i] += gradient[i];
      const double g = gradient[i] * call.operands[1][i];
      mean += g / static_cast<double>(length);
      product_mean += g * line[i] / static_cast<double>(length);
    }
    for (size_t i = 0; i < length; ++i) {
      const double g = gradient[i] * call.operands[1][i];
      line[i] = (g - mean - line[i] * product_mean) * moments.inverse_deviation;
    }
  });
  ZeroWorkspaces(e);
  Store(call.operands[0], e.result(0));
  Store(scale_gradient, e.result(1));
  Store(shift_gradient, e.result(2));
  return absl::OkStatus();
}

enum class NormKind { kInference, kTraining, kGradient, kUnknown };

struct NormConfig {
  explicit NormConfig(const OpView& op) {
    const NetworkConfig config(op);
    name = config.Text("kind");
    epsilon = config.Number("epsilon", 0);
    if (name == "LAYER_FWD_INFER") kind = NormKind::kInference;
    if (name == "LAYER_FWD_TRAIN") kind = NormKind::kTraining;
    if (name == "LAYER_BWD") kind = NormKind::kGradient;
  }

  NormKind kind = NormKind::kUnknown;
  std::string name;
  double epsilon;
};

absl::Status CudnnNorm(Evaluation& e) {
  const NormConfig& config = PreparedOf<NormConfig>(e);
  switch (config.kind) {
    case NormKind::kInference:
      return NormForward(e, config.epsilon, /*gives_moments=*/false);
    case NormKind::kTraining:
      return NormForward(e, config.epsilon, /*gives_moments=*/true);
    case NormKind::kGradient:
      return NormBackward(e);
    case NormKind::kUnknown:
      return absl::UnimplementedError(
          fmt::format("norm of kind `{}` is not supported", config.name));
  }
  HLO_UNREACHABLE();
}

constexpr CustomCall kLayerCalls[] = {
    {"__cudnn$norm",
     {.run = CudnnNorm, .prepare = Prepare<NormConfig>, .scratch_byte_size = ScratchByteSize}},
    {"__onednn$layernorm",
     {.run = LayerNorm, .prepare = Prepare<LayerNormConfig>, .scratch_byte_size = ScratchByteSize}},
    {"__onednn$softmax", {.run = Softmax, .scratch_byte_size = ScratchByteSize}},
};

}  // namespace

const Kernel* FindLayerCall(std::string_view target) { return FindIn(kLayerCalls, target); }

}  // namespace hlo::reference
