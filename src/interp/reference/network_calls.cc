// Custom calls into neural network libraries, as compilers leave them in optimized dumps
// (semantics.md 15.5): matrix products with an epilogue, convolutions, softmax and layer norm.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "interp/reference/converted_array.h"
#include "interp/reference/custom_calls.h"
#include "interp/reference/dot_sides.h"
#include "interp/reference/element_conversion.h"
#include "interp/reference/eval.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

using nlohmann::json;

json ParseConfig(const Evaluation& e) {
  const std::string_view text = e.Get<Attr::kBackendConfig>().text;
  json config = json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  return config.is_object() ? config : json::object();
}

// The first value under `key` in the tree, or null.
const json* Find(const json& tree, const std::string& key) {
  if (!tree.is_structured()) return nullptr;
  if (tree.is_object() && tree.contains(key)) return &tree[key];
  for (const json& child : tree) {
    if (const json* found = Find(child, key)) return found;
  }
  return nullptr;
}

double NumberOf(const json& config, const std::string& key, double default_value) {
  const json* value = Find(config, key);
  return value != nullptr && value->is_number() ? value->get<double>() : default_value;
}

bool FlagOf(const json& config, const std::string& key) {
  const json* value = Find(config, key);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

// A list of dimension numbers, which protobuf's JSON writes as strings.
Index DimensionsOf(const json& numbers, const std::string& key) {
  Index dimensions;
  const auto list = numbers.find(key);
  if (list == numbers.end() || !list->is_array()) return dimensions;
  for (const json& item : *list) {
    if (item.is_number_integer()) dimensions.push_back(item.get<int64_t>());
    if (item.is_string()) dimensions.push_back(std::atoll(item.get<std::string>().c_str()));
  }
  return dimensions;
}

bool AreDimensions(const Index& dimensions, const ArrayRef& array) {
  for (int64_t d : dimensions) {
    if (d < 0 || d >= static_cast<int64_t>(array.dims.size())) return false;
  }
  return true;
}

void ZeroResultsFrom(Evaluation& e, size_t first) {
  for (size_t i = first; i < e.results().size(); ++i) {
    std::memset(e.result(i).bytes, 0, static_cast<size_t>(e.result(i).byte_size()));
  }
}

// --- Matrix products ---------------------------------------------------------------------------

// Batch dimensions, then rows and columns; `transposed` exchanges the last two.
DotSide MatrixSide(int64_t rank, bool contracts_last) {
  Index batch(static_cast<size_t>(rank - 2));
  std::iota(batch.begin(), batch.end(), 0);
  const int64_t contracting[] = {contracts_last ? rank - 1 : rank - 2};
  return DotSide(rank, AsSpan(batch), contracting);
}

absl::StatusOr<DotSides> FindSides(const Evaluation& e, const json& config) {
  const int64_t lhs_rank = static_cast<int64_t>(e.operand(0).dims.size());
  const int64_t rhs_rank = static_cast<int64_t>(e.operand(1).dims.size());
  const json* numbers = Find(config, "dot_dimension_numbers");
  if (numbers == nullptr) {
    if (lhs_rank < 2 || rhs_rank < 2) {
      return absl::InvalidArgumentError("a product of matrices needs two dimensions");
    }
    return DotSides(MatrixSide(lhs_rank, !FlagOf(config, "transpose_a")),
                    MatrixSide(rhs_rank, FlagOf(config, "transpose_b")));
  }
  const Index lhs_batch = DimensionsOf(*numbers, "lhs_batch_dimensions");
  const Index rhs_batch = DimensionsOf(*numbers, "rhs_batch_dimensions");
  const Index lhs_contracting = DimensionsOf(*numbers, "lhs_contracting_dimensions");
  const Index rhs_contracting = DimensionsOf(*numbers, "rhs_contracting_dimensions");
  if (!AreDimensions(Concatenate({lhs_batch, lhs_contracting}), e.operand(0)) ||
      !AreDimensions(Concatenate({rhs_batch, rhs_contracting}), e.operand(1))) {
    return absl::InvalidArgumentError(
        "`dot_dimension_numbers` names dimensions that are not there");
  }
  return DotSides(DotSide(lhs_rank, AsSpan(lhs_batch), AsSpan(lhs_contracting)),
                  DotSide(rhs_rank, AsSpan(rhs_batch), AsSpan(rhs_contracting)));
}

// What is done to the product, step by step: "BIAS", "RELU", "BIAS_GELU" ...
std::vector<std::string> EpilogueOf(const json& config) {
  std::vector<std::string> steps;
  if (const json* epilogue = Find(config, "epilogue"); epilogue && epilogue->is_string()) {
    const std::string text = epilogue->get<std::string>();
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('_', begin), text.size());
      steps.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  const json* fusions = Find(config, "fusions");
  const json* ops = fusions == nullptr ? nullptr : Find(*fusions, "ops");
  if (ops != nullptr && ops->is_array()) {
    for (const json& op : *ops) steps.push_back(op.is_string() ? op.get<std::string>() : "?");
  }
  return steps;
}

double GeluTanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

using Activation = double (*)(double);

Activation FindActivation(std::string_view name) {
  if (name == "RELU") return [](double x) { return x > 0 || x != x ? x : 0; };
  if (name == "RELU6") return [](double x) { return x != x ? x : std::clamp(x, 0.0, 6.0); };
  if (name == "TANH") return [](double x) { return std::tanh(x); };
  if (name == "SIGMOID") return [](double x) { return 1 / (1 + std::exp(-x)); };
  if (name == "SILU" || name == "SWISH") return [](double x) { return x / (1 + std::exp(-x)); };
  if (name == "ELU") return [](double x) { return x > 0 ? x : std::expm1(x); };
  if (name == "GELU" || name == "GELU_TANH") return GeluTanh;
  if (name == "GELU_ERF") {
    return [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); };
  }
  return nullptr;
}

// An addend has the result's sizes, or those of its last dimension.
absl::Status Add(const ArrayRef& addend, double factor, std::vector<double>& values) {
  const ConvertedArray wide(addend, ElementType::kF64);
  const auto count = static_cast<size_t>(addend.element_count());
  if (count == 0 || values.size() % count != 0) {
    return absl::InvalidArgumentError("an addend does not fit the product");
  }
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] += factor * wide.data<double>()[i % count];
  }
  return absl::OkStatus();
}

absl::Status ApplyEpilogue(const Evaluation& e, const std::vector<std::string>& steps, size_t next,
                           std::vector<double>& values) {
  for (const std::string& step : steps) {
    if (step == "DEFAULT") continue;
    if (step == "BIAS" || step == "BINARY_ADD" || step == "SUM") {
      if (next >= e.operands().size()) return absl::InvalidArgumentError("an addend is missing");
      HLO_RETURN_IF_ERROR(Add(e.operand(next++), 1, values));
      continue;
    }
    const Activation activation = FindActivation(step);
    if (activation == nullptr) {
      return absl::UnimplementedError(fmt::format("epilogue `{}` is not supported", step));
    }
    for (double& value : values) value = activation(value);
  }
  return absl::OkStatus();
}

// (lhs, rhs, [addend when beta is not 0], [bias ...]) -> (result, [workspace])
absl::Status MatrixProduct(Evaluation& e) {
  if (e.operands().size() < 2 || e.results().empty()) {
    return absl::InvalidArgumentError("a product of matrices has two operands");
  }
  const json config = ParseConfig(e);
  HLO_ASSIGN_OR_RETURN(const DotSides sides, FindSides(e, config));
  HLO_RETURN_IF_ERROR(sides.CheckSizes(e));
  const MutableArrayRef& result = e.result();
  if (Product(AsSpan(sides.ResultDims(e))) != result.element_count()) {
    return absl::InvalidArgumentError("the result does not have the sizes of the product");
  }
  DotInto(sides, e.operand(0), e.operand(1), result);
  ZeroResultsFrom(e, 1);
  const double alpha = NumberOf(config, "alpha_real", 1);
  const double beta = NumberOf(config, "beta", 0);
  const std::vector<std::string> steps = EpilogueOf(config);
  if ((alpha == 1 && beta == 0 && steps.empty()) || IsComplex(result.element_type)) {
    return absl::OkStatus();
  }
  const ArrayRef product = {result.element_type, result.dims, result.bytes};
  const ConvertedArray wide(product, ElementType::kF64);
  std::vector<double> values(wide.data<double>(), wide.data<double>() + product.element_count());
  for (double& value : values) value *= alpha;
  size_t next = 2;
  if (beta != 0) {
    if (e.operands().size() < 3) return absl::InvalidArgumentError("an addend is missing");
    HLO_RETURN_IF_ERROR(Add(e.operand(next++), beta, values));
  }
  HLO_RETURN_IF_ERROR(ApplyEpilogue(e, steps, next, values));
  ConvertElements(ElementType::kF64, reinterpret_cast<const std::byte*>(values.data()),
                  result.element_type, result.bytes, result.element_count());
  return absl::OkStatus();
}

// --- Other layers ------------------------------------------------------------------------------

// (input, kernel) -> (result, workspace), described by the attributes of `convolution`.
absl::Status ForwardConvolution(Evaluation& e) {
  HLO_RETURN_IF_ERROR(EvalConvolution(e));
  ZeroResultsFrom(e, 1);
  return absl::OkStatus();
}

// Calls transform(line) for each line of operand 0 along the last dimension, in f64, and stores
// what it makes of the line.
template <typename Transform>
void TransformLines(Evaluation& e, Transform&& transform) {
  const ArrayRef& operand = e.operand(0);
  const ConvertedArray wide(operand, ElementType::kF64);
  const int64_t length = operand.dims.empty() ? 1 : operand.dims.back();
  std::vector<double> line(static_cast<size_t>(length));
  for (int64_t start = 0; start < operand.element_count(); start += length) {
    std::copy_n(wide.data<double>() + start, length, line.begin());
    transform(line);
    ConvertElements(ElementType::kF64, reinterpret_cast<const std::byte*>(line.data()),
                    e.result().element_type,
                    e.result().bytes + start * ElementByteSize(e.result().element_type), length);
  }
}

absl::Status Softmax(Evaluation& e) {
  TransformLines(e, [](std::vector<double>& line) {
    const double largest = *std::max_element(line.begin(), line.end());
    double sum = 0;
    for (double& x : line) sum += x = std::exp(x - largest);
    for (double& x : line) x /= sum;
  });
  return absl::OkStatus();
}

// (x, [scale, [shift]]): (x - mean) / sqrt(variance + epsilon) * scale + shift. The configuration
// holds the bits of an f32 epsilon.
absl::Status LayerNorm(Evaluation& e) {
  constexpr double kDefaultEpsilonBits = 0;
  const json config = ParseConfig(e);
  const auto bits =
      static_cast<uint32_t>(NumberOf(config, "epsilon_typecast", kDefaultEpsilonBits));
  const double epsilon = std::bit_cast<float>(bits);
  const int64_t length = e.operand(0).dims.empty() ? 1 : e.operand(0).dims.back();
  std::vector<std::vector<double>> factors;
  for (size_t k = 1; k < e.operands().size(); ++k) {
    if (e.operand(k).element_count() != length) {
      return absl::InvalidArgumentError(
          "scale and shift have one number for each element of a line");
    }
    const ConvertedArray wide(e.operand(k), ElementType::kF64);
    factors.emplace_back(wide.data<double>(), wide.data<double>() + length);
  }
  TransformLines(e, [&](std::vector<double>& line) {
    const double count = static_cast<double>(line.size());
    const double mean = std::accumulate(line.begin(), line.end(), 0.0) / count;
    double variance = 0;
    for (double x : line) variance += (x - mean) * (x - mean) / count;
    const double inverse = 1 / std::sqrt(variance + epsilon);
    for (size_t i = 0; i < line.size(); ++i) {
      line[i] = (line[i] - mean) * inverse;
      if (factors.size() > 0) line[i] *= factors[0][i];
      if (factors.size() > 1) line[i] += factors[1][i];
    }
  });
  return absl::OkStatus();
}

struct NetworkCall {
  std::string_view target;
  Kernel kernel;
};

constexpr NetworkCall kNetworkCalls[] = {
    {"__cublas$gemm", MatrixProduct},
    {"__cublas$lt$matmul", MatrixProduct},
    {"__cudnn$convForward", ForwardConvolution},
    {"__onednn$layernorm", LayerNorm},
    {"__onednn$matmul", MatrixProduct},
    {"__onednn$softmax", Softmax},
};

}  // namespace

Kernel FindNetworkCall(std::string_view target) {
  for (const NetworkCall& call : kNetworkCalls) {
    if (call.target == target) return call.kernel;
  }
  return nullptr;
}

}  // namespace hlo::reference
