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

#include "absl/container/inlined_vector.h"
#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/kernel/scratch_vector.h"
#include "interp/reference/converted_array.h"
#include "interp/reference/custom_calls/custom_calls.h"
#include "interp/reference/custom_calls/network_config.h"
#include "interp/reference/dot_sides.h"
#include "interp/reference/scratch.h"
#include "ir/element_conversion.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

// --- Matrix products ---------------------------------------------------------------------------

// Whether each is a dimension of an array of that rank, and named once.
bool AreDimensions(Index dimensions, int64_t rank) {
  for (int64_t d : dimensions) {
    if (d < 0 || d >= rank) return false;
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

// The sides of arrays of such ranks.
absl::StatusOr<DotSides> FindSides(int64_t lhs_rank, int64_t rhs_rank,
                                   const NetworkConfig& config) {
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
  if (!AreDimensions(Concatenate({lhs_batch, lhs_contracting}), lhs_rank) ||
      !AreDimensions(Concatenate({rhs_batch, rhs_contracting}), rhs_rank)) {
    return absl::InvalidArgumentError(
        "`dot_dimension_numbers` names dimensions that are not there");
  }
  return DotSides(DotSide({lhs_rank, AsSpan(lhs_batch), AsSpan(lhs_contracting)}),
                  DotSide({rhs_rank, AsSpan(rhs_batch), AsSpan(rhs_contracting)}));
}

int64_t RankOf(const ArrayRef& array) { return static_cast<int64_t>(array.dims.size()); }

// --- What is done to a product -----------------------------------------------------------------

// The names of the steps: "BIAS", "RELU", "GELU" ...
std::vector<std::string> EpilogueNames(const NetworkConfig& config) {
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

// A step adds the next operand or applies a function.
struct EpilogueStep {
  std::string name;
  bool adds;
  Activation activation;  // null: it adds, or nobody knows it
};

std::vector<EpilogueStep> EpilogueOf(const NetworkConfig& config) {
  std::vector<EpilogueStep> steps;
  for (std::string& name : EpilogueNames(config)) {
    const bool adds = name == "BIAS" || name == "BINARY_ADD" || name == "SUM";
    const Activation activation = adds ? nullptr : FindActivation(name);
    steps.push_back({std::move(name), adds, activation});
  }
  return steps;
}

// A product on its way into the result, in f64 or complex f64.
template <typename S>
class Epilogue {
 public:
  Epilogue(Evaluation& e, const ArrayRef& product)
      : e_(e), values_(static_cast<size_t>(product.element_count()), e.device().scratch()) {
    ConvertElements(product.element_type, product.bytes, kElementTypeOf<S>,
                    reinterpret_cast<std::byte*>(values_.data()), product.element_count());
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

  absl::Status Apply(const std::vector<EpilogueStep>& steps, size_t next_operand) {
    for (const EpilogueStep& step : steps) {
      if (step.adds) {
        HLO_RETURN_IF_ERROR(Add(next_operand++, S(1)));
        continue;
      }
      if (step.activation == nullptr || IsComplex(kElementTypeOf<S>)) {
        return absl::UnimplementedError(fmt::format("epilogue `{}` is not supported", step.name));
      }
      for (S& value : values_) value = step.activation(std::real(value));
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
  ScratchVector<S> values_;
};

// --- Calls -------------------------------------------------------------------------------------

// The product of operands 0 and 1, and what its configuration says.
struct ProductCall {
  explicit ProductCall(const Evaluation& e);

  absl::Status status;  // of the product, which is there where this is fine
  std::optional<DotPlan> product;
  std::complex<double> alpha;
  double beta;
  bool gives_largest;
  std::vector<EpilogueStep> epilogue;

  bool IsPlain() const { return alpha == 1.0 && beta == 0 && epilogue.empty(); }
  // The operand behind those of the product and its addend.
  size_t next_operand() const { return beta != 0 ? 3 : 2; }

 private:
  absl::Status FindProduct(const Evaluation& e, const NetworkConfig& config);
};

ProductCall::ProductCall(const Evaluation& e) {
  const NetworkConfig config(e.op());
  status = FindProduct(e, config);
  alpha = {config.Number("alpha_real", 1), config.Number("alpha_imag", 0)};
  beta = config.Number("beta", 0);
  gives_largest = config.Flag("damax_output");
  epilogue = EpilogueOf(config);
}

absl::Status ProductCall::FindProduct(const Evaluation& e, const NetworkConfig& config) {
  if (e.operands().size() < 2) {
    return absl::InvalidArgumentError("a product of matrices has two operands");
  }
  HLO_ASSIGN_OR_RETURN(const DotSides sides,
                       FindSides(RankOf(e.operand(0)), RankOf(e.operand(1)), config));
  HLO_RETURN_IF_ERROR(sides.CheckSizes(e));
  if (Product(AsSpan(sides.ResultDims(e))) != e.result().element_count()) {
    return absl::InvalidArgumentError("the result does not have the sizes of the product");
  }
  product.emplace(sides, e.operand(0).dims, e.operand(1).dims);
  return absl::OkStatus();
}

// The bytes of a product of arrays of these shapes on its way into a result of type `type`.
double ProductByteSize(const OpView& op, const Shape& lhs, const Shape& rhs, ElementType type) {
  const absl::StatusOr<DotSides> sides = FindSides(lhs.rank(), rhs.rank(), NetworkConfig(op));
  if (!sides.ok()) return 0;
  return DotIntoByteSize(DotPlan(*sides, lhs.dims(), rhs.dims()), lhs, rhs, type);
}

// The product and its epilogue, which has the result and the largest addend as wide as they get.
// They come one after the other; counted together the pool has room to keep the memory of both.
int64_t ProductScratch(const OpView& op) {
  const std::vector<const Shape*> operands = OperandArrays(op);
  const std::vector<const Shape*> results = ResultArrays(op);
  if (operands.size() < 2 || results.empty()) return 0;
  double addend = 0;
  for (size_t k = 2; k < operands.size(); ++k) {
    addend = std::max(addend, SizeProduct(operands[k]->dims()));
  }
  const ElementType type = results[0]->element_type();
  const double wide = IsComplex(type) ? sizeof(std::complex<double>) : sizeof(double);
  return ByteSizeOf(ProductByteSize(op, *operands[0], *operands[1], type) +
                    wide * (SizeProduct(results[0]->dims()) + addend));
}

// The same with the product in f32.
int64_t ScaledProductScratch(const OpView& op) {
  const std::vector<const Shape*> operands = OperandArrays(op);
  const std::vector<const Shape*> results = ResultArrays(op);
  if (operands.size() < 2 || results.empty()) return 0;
  const double product = ProductByteSize(op, *operands[0], *operands[1], ElementType::kF32);
  return ByteSizeOf(product + static_cast<double>(ProductScratch(op)) +
                    ConvertedByteSize(*results[0], ElementType::kF32));
}

// The product of operands 0 and 1 in `product`.
absl::Status Multiply(Evaluation& e, const ProductCall& call, const MutableArrayRef& product) {
  HLO_RETURN_IF_ERROR(call.status);
  DotInto(e.device().scratch(), *call.product, e.operand(0), e.operand(1), product);
  ZeroWorkspaces(e);
  return absl::OkStatus();
}

double Real(std::complex<double> x, double) { return x.real(); }
std::complex<double> Real(std::complex<double> x, std::complex<double>) { return x; }

// alpha * product + beta * operand 2, then bias and activation.
template <typename S>
absl::Status FinishProduct(Evaluation& e, const ProductCall& call) {
  const MutableArrayRef& result = e.result();
  Epilogue<S> epilogue(e, {result.element_type, result.dims, result.bytes});
  epilogue.Scale(Real(call.alpha, S()));
  if (call.beta != 0) HLO_RETURN_IF_ERROR(epilogue.Add(2, S(call.beta)));
  HLO_RETURN_IF_ERROR(epilogue.Apply(call.epilogue, call.next_operand()));
  epilogue.StoreTo(result);
  return absl::OkStatus();
}

// (lhs, rhs, [addend when beta is not 0], [bias ...]) -> (result, [workspace])
absl::Status MatrixProduct(Evaluation& e) {
  const ProductCall& call = PreparedOf<ProductCall>(e);
  HLO_RETURN_IF_ERROR(Multiply(e, call, e.result()));
  if (call.IsPlain()) return absl::OkStatus();
  return IsComplex(e.result().element_type) ? FinishProduct<std::complex<double>>(e, call)
                                            : FinishProduct<double>(e, call);
}

// (lhs, rhs, [addend], scale of lhs, scale of rhs, [scale of the addend], [scale of the result],
// [bias]) -> (result, [largest magnitude before the result's scale], [workspace]). Products of
// 8-bit floats: alpha is multiplied by both scales, the sum is kept wide until the end.
absl::Status ScaledMatrixProduct(Evaluation& e) {
  const ProductCall& call = PreparedOf<ProductCall>(e);
  absl::InlinedVector<double, 4> scales;
  size_t next = call.next_operand();
  for (; next < e.operands().size() && e.operand(next).dims.empty(); ++next) {
    scales.push_back(
        *ConvertedArray(e.device().scratch(), e.operand(next), ElementType::kF64).data<double>());
  }
  const double product_scale = scales.size() < 2 ? 1 : scales[0] * scales[1];
  const double addend_scale = scales.size() > 3 ? scales[2] : 1;
  const double result_scale = scales.size() > 2 ? scales.back() : 1;
  ResultInType wide(e.device().scratch(), e.result(), ElementType::kF32);
  HLO_RETURN_IF_ERROR(Multiply(e, call, wide.ref()));
  Epilogue<double> epilogue(e, {ElementType::kF32, wide.ref().dims, wide.ref().bytes});
  epilogue.Scale(call.alpha.real() * product_scale);
  if (call.beta != 0) HLO_RETURN_IF_ERROR(epilogue.Add(2, call.beta * addend_scale));
  HLO_RETURN_IF_ERROR(epilogue.Apply(call.epilogue, next));
  if (call.gives_largest && e.results().size() > 1 && e.result(1).element_count() > 0) {
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
struct BlockScaledCall {
  explicit BlockScaledCall(const Evaluation& e) { status = FindPlan(e); }

  absl::Status status;
  std::optional<ScaledDotPlan> plan;

 private:
  absl::Status FindPlan(const Evaluation& e);
};

absl::Status BlockScaledCall::FindPlan(const Evaluation& e) {
  const size_t count = e.operands().size();
  if (count < 3 || count > 4) {
    return absl::InvalidArgumentError("a block-scaled product has two operands and their scales");
  }
  const int64_t lhs_rank = RankOf(e.operand(0));
  const int64_t rhs_rank = RankOf(e.operand(1));
  const NetworkConfig config(e.op());
  if (config.Has("dot_dimension_numbers")) {
    HLO_ASSIGN_OR_RETURN(const DotSides sides, FindSides(lhs_rank, rhs_rank, config));
    plan.emplace(e, sides);
    return absl::OkStatus();
  }
  if (lhs_rank < 2 || lhs_rank != rhs_rank) {
    return absl::InvalidArgumentError("the operands are not two matrices, or batches of them");
  }
  plan.emplace(e, DotSides(MatrixSide(lhs_rank, true), MatrixSide(rhs_rank, true)));
  return absl::OkStatus();
}

absl::Status BlockScaledProduct(Evaluation& e) {
  const BlockScaledCall& call = PreparedOf<BlockScaledCall>(e);
  HLO_RETURN_IF_ERROR(call.status);
  ZeroWorkspaces(e);
  return ScaledDotInto(e, *call.plan);
}

int64_t BlockScaledScratch(const OpView& op) {
  const std::vector<const Shape*> operands = OperandArrays(op);
  const std::vector<const Shape*> results = ResultArrays(op);
  if (operands.size() < 2 || results.empty()) return 0;
  return ByteSizeOf(ScaledDotIntoByteSize(*operands[0], *operands[1], *results[0]));
}

constexpr Kernel kMatrixProduct = {
    .run = MatrixProduct, .prepare = Prepare<ProductCall>, .scratch_byte_size = ProductScratch};
constexpr Kernel kScaledMatrixProduct = {.run = ScaledMatrixProduct,
                                         .prepare = Prepare<ProductCall>,
                                         .scratch_byte_size = ScaledProductScratch};
constexpr Kernel kBlockScaledProduct = {.run = BlockScaledProduct,
                                        .prepare = Prepare<BlockScaledCall>,
                                        .scratch_byte_size = BlockScaledScratch};

constexpr CustomCall kProductCalls[] = {
    {"__cublas$gemm", kMatrixProduct},
    {"__cublas$lt$matmul", kMatrixProduct},
    {"__cublas$lt$matmul$f8", kScaledMatrixProduct},
    {"__onednn$matmul", kMatrixProduct},
    {"__op$block_scaled_dot", kBlockScaledProduct},
};

}  // namespace

const Kernel* FindProductCall(std::string_view target) { return FindIn(kProductCalls, target); }

}  // namespace hlo::reference
