// Matrix products as custom calls into libraries, as compilers leave them in optimized dumps
// (semantics.md 15.5): with an epilogue, with scales.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "interp/kernel/device.h"
#include "interp/reference/converted_array.h"
#include "interp/reference/custom_calls/custom_calls.h"
#include "interp/reference/custom_calls/network_config.h"
#include "interp/reference/dot_sides.h"
#include "interp/reference/eval.h"
#include "ir/element_conversion.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

// --- Matrix products ---------------------------------------------------------------------------

// Whether each is a dimension of the array, and named once.
bool AreDimensions(Index dimensions, const ArrayRef& array) {
  for (int64_t d : dimensions) {
    if (d < 0 || d >= static_cast<int64_t>(array.dims.size())) return false;
  }
  std::ranges::sort(dimensions);
  return std::ranges::adjacent_find(dimensions) == dimensions.end();
}

// Batch dimensions, then rows and columns.
DotSide MatrixSide(int64_t rank, bool contracts_last) {
  Index batch(static_cast<size_t>(rank - 2));
  std::iota(batch.begin(), batch.end(), 0);
  const int64_t contracting[] = {contracts_last ? rank - 1 : rank - 2};
  return DotSide({rank, AsSpan(batch), contracting});
}

absl::StatusOr<DotSides> FindSides(const Evaluation& e, const NetworkConfig& config) {
  const int64_t lhs_rank = static_cast<int64_t>(e.operand(0).dims.size());
  const int64_t rhs_rank = static_cast<int64_t>(e.operand(1).dims.size());
  if (!config.Has("dot_dimension_numbers")) {
    if (lhs_rank < 2 || rhs_rank < 2) {
      return absl::InvalidArgumentError("a product of matrices needs two dimensions");
    }
    return DotSides(MatrixSide(lhs_rank, !config.Flag("transpose_a")),
                    MatrixSide(rhs_rank, config.Flag("transpose_b")));
  }
  const Index lhs_batch = config.Dimensions("lhs_batch_dimensions");
  const Index rhs_batch = config.Dimensions("rhs_batch_dimensions");
  const Index lhs_contracting = config.Dimensions("lhs_contracting_dimensions");
  const Index rhs_contracting = config.Dimensions("rhs_contracting_dimensions");
  if (!AreDimensions(Concatenate({lhs_batch, lhs_contracting}), e.operand(0)) ||
      !AreDimensions(Concatenate({rhs_batch, rhs_contracting}), e.operand(1))) {
    return absl::InvalidArgumentError(
        "`dot_dimension_numbers` names dimensions that are not there");
  }
  return DotSides(DotSide({lhs_rank, AsSpan(lhs_batch), AsSpan(lhs_contracting)}),
                  DotSide({rhs_rank, AsSpan(rhs_batch), AsSpan(rhs_contracting)}));
}

// What is done to the product, step by step: "BIAS", "RELU", "BIAS_GELU" ...
std::vector<std::string> EpilogueOf(const NetworkConfig& config) {
  std::vector<std::string> steps;
  const std::string text = config.Text("epilogue");
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('_', begin), text.size());
    if (text.substr(begin, end - begin) != "DEFAULT") {
      steps.push_back(text.substr(begin, end - begin));
    }
    begin = end + 1;
  }
  for (std::string& op : config.Texts("ops")) steps.push_back(std::move(op));
  return steps;
}

// A product on its way into the result, in f64 or complex f64.
template <typename S>
class Epilogue {
 public:
  Epilogue(Evaluation& e, const ArrayRef& product) : e_(e) {
    const ConvertedArray wide(e.device().scratch(), product, kElementTypeOf<S>);
    values_.assign(wide.data<S>(), wide.data<S>() + product.element_count());
  }

  void Scale(S factor) {
    for (S& value : values_) value *= factor;
  }

  // An addend has the result's sizes, or those of its last dimension.
  absl::Status Add(size_t operand, S factor) {
    if (operand >= e_.operands().size()) return absl::InvalidArgumentError("an addend is missing");
    const ArrayRef& addend = e_.operand(operand);
    const ConvertedArray wide(e_.device().scratch(), addend, kElementTypeOf<S>);
    const auto count = static_cast<size_t>(addend.element_count());
    if (values_.empty()) return absl::OkStatus();
    if (count == 0 || values_.size() % count != 0) {
      return absl::InvalidArgumentError("an addend does not fit the product");
    }
    for (size_t i = 0; i < values_.size(); ++i) values_[i] += factor * wide.data<S>()[i % count];
    return absl::OkStatus();
  }

  absl::Status Apply(const std::vector<std::string>& steps, size_t next_operand) {
    for (const std::string& step : steps) {
      if (step == "BIAS" || step == "BINARY_ADD" || step == "SUM") {
        HLO_RETURN_IF_ERROR(Add(next_operand++, S(1)));
        continue;
      }
      const Activation activation = IsComplex(kElementTypeOf<S>) ? nullptr : FindActivation(step);
      if (activation == nullptr) {
        return absl::UnimplementedError(fmt::format("epilogue `{}` is not supported", step));
      }
      for (S& value : values_) value = activation(std::real(value));
    }
    return absl::OkStatus();
  }

  double LargestMagnitude() const {
    double largest = 0;
    for (const S& value : values_) largest = std::max(largest, std::abs(value));
    return largest;
  }

  void StoreTo(const MutableArrayRef& result) const {
    ConvertElements(kElementTypeOf<S>, reinterpret_cast<const std::byte*>(values_.data()),
                    result.element_type, result.bytes, result.element_count());
  }

 private:
  Evaluation& e_;
  std::vector<S> values_;
};

// The product of operands 0 and 1 in `product`.
absl::Status Multiply(Evaluation& e, const NetworkConfig& config, const MutableArrayRef& product) {
  if (e.operands().size() < 2 || e.results().empty()) {
    return absl::InvalidArgumentError("a product of matrices has two operands");
  }
  HLO_ASSIGN_OR_RETURN(const DotSides sides, FindSides(e, config));
  HLO_RETURN_IF_ERROR(sides.CheckSizes(e));
  if (Product(AsSpan(sides.ResultDims(e))) != e.result().element_count()) {
    return absl::InvalidArgumentError("the result does not have the sizes of the product");
  }
  DotInto(e.device().scratch(), DotPlan(sides, e.operand(0).dims, e.operand(1).dims), e.operand(0),
          e.operand(1), product);
  ZeroWorkspaces(e);
  return absl::OkStatus();
}

double Real(std::complex<double> x, double) { return x.real(); }
std::complex<double> Real(std::complex<double> x, std::complex<double>) { return x; }

// alpha * product + beta * operand 2, then bias and activation.
template <typename S>
absl::Status FinishProduct(Evaluation& e, const NetworkConfig& config) {
  const MutableArrayRef& result = e.result();
  const std::complex<double> alpha = {config.Number("alpha_real", 1),
                                      config.Number("alpha_imag", 0)};
  const double beta = config.Number("beta", 0);
  Epilogue<S> epilogue(e, {result.element_type, result.dims, result.bytes});
  epilogue.Scale(Real(alpha, S()));
  if (beta != 0) HLO_RETURN_IF_ERROR(epilogue.Add(2, S(beta)));
  HLO_RETURN_IF_ERROR(epilogue.Apply(EpilogueOf(config), beta != 0 ? 3 : 2));
  epilogue.StoreTo(result);
  return absl::OkStatus();
}

// (lhs, rhs, [addend when beta is not 0], [bias ...]) -> (result, [workspace])
absl::Status MatrixProduct(Evaluation& e) {
  const NetworkConfig& config = NetworkConfig::Of(e);
  if (!e.results().empty()) HLO_RETURN_IF_ERROR(Multiply(e, config, e.result()));
  const bool is_plain = config.Number("alpha_real", 1) == 1 &&
                        config.Number("alpha_imag", 0) == 0 && config.Number("beta", 0) == 0 &&
                        EpilogueOf(config).empty();
  if (e.results().empty() || is_plain) return absl::OkStatus();
  return IsComplex(e.result().element_type) ? FinishProduct<std::complex<double>>(e, config)
                                            : FinishProduct<double>(e, config);
}

// (lhs, rhs, [addend], scale of lhs, scale of rhs, [scale of the addend], [scale of the result],
// [bias]) -> (result, [largest magnitude before the result's scale], [workspace]). Products of
// 8-bit floats: alpha is multiplied by both scales, the sum is kept wide until the end.
absl::Status ScaledMatrixProduct(Evaluation& e) {
  if (e.results().empty()) return absl::InvalidArgumentError("a product has a result");
  const NetworkConfig& config = NetworkConfig::Of(e);
  const double beta = config.Number("beta", 0);
  const size_t first_scale = beta != 0 ? 3 : 2;
  std::vector<double> scales;
  size_t next = first_scale;
  for (; next < e.operands().size() && e.operand(next).dims.empty(); ++next) {
    scales.push_back(
        *ConvertedArray(e.device().scratch(), e.operand(next), ElementType::kF64).data<double>());
  }
  const double product_scale = scales.size() < 2 ? 1 : scales[0] * scales[1];
  const double addend_scale = scales.size() > 3 ? scales[2] : 1;
  const double result_scale = scales.size() > 2 ? scales.back() : 1;
  ResultInType wide(e.device().scratch(), e.result(), ElementType::kF32);
  HLO_RETURN_IF_ERROR(Multiply(e, config, wide.ref()));
  Epilogue<double> epilogue(e, {ElementType::kF32, wide.ref().dims, wide.ref().bytes});
  epilogue.Scale(config.Number("alpha_real", 1) * product_scale);
  if (beta != 0) HLO_RETURN_IF_ERROR(epilogue.Add(2, beta * addend_scale));
  HLO_RETURN_IF_ERROR(epilogue.Apply(EpilogueOf(config), next));
  if (config.Flag("damax_output") && e.results().size() > 1 && e.result(1).element_count() > 0) {
    const double largest = epilogue.LargestMagnitude();
    ConvertElements(ElementType::kF64, reinterpret_cast<const std::byte*>(&largest),
                    e.result(1).element_type, e.result(1).bytes, 1);
  }
  epilogue.Scale(result_scale);
  epilogue.StoreTo(e.result());
  return absl::OkStatus();
}

// Data, scales and result as in scaled-dot (semantics.md 10.3). Without dimension numbers the last
// dimensions are contracted and those before the last two are batches.
absl::Status BlockScaledProduct(Evaluation& e) {
  const size_t count = e.operands().size();
  if (count < 3 || count > 4 || e.results().empty()) {
    return absl::InvalidArgumentError("a block-scaled product has two operands and their scales");
  }
  const NetworkConfig& config = NetworkConfig::Of(e);
  std::optional<DotSides> sides;
  if (config.Has("dot_dimension_numbers")) {
    HLO_ASSIGN_OR_RETURN(sides, FindSides(e, config));
  } else {
    const int64_t rank = static_cast<int64_t>(e.operand(0).dims.size());
    if (rank < 2 || rank != static_cast<int64_t>(e.operand(1).dims.size())) {
      return absl::InvalidArgumentError("the operands are not two matrices, or batches of them");
    }
    sides.emplace(MatrixSide(rank, true), MatrixSide(rank, true));
  }
  ZeroWorkspaces(e);
  return ScaledDotInto(e, ScaledDotPlan(e, *sides));
}

struct ProductCall {
  std::string_view target;
  RunKernel kernel;
};

constexpr ProductCall kProductCalls[] = {
    {"__cublas$gemm", MatrixProduct},
    {"__cublas$lt$matmul", MatrixProduct},
    {"__cublas$lt$matmul$f8", ScaledMatrixProduct},
    {"__onednn$matmul", MatrixProduct},
    {"__op$block_scaled_dot", BlockScaledProduct},
};

}  // namespace

RunKernel FindProductCall(std::string_view target) {
  for (const ProductCall& call : kProductCalls) {
    if (call.target == target) return call.kernel;
  }
  return nullptr;
}

}  // namespace hlo::reference
