// An attention block with several heads: projections to queries, keys and values, the softmax of
// their scaled products under a causal mask, and the projection back. The result is compared with
// the same computed by loops; the exit code says whether they agree.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "builder/operations.h"
#include "run_program.h"

using namespace hlo::ops;

namespace {

constexpr int64_t kLength = 5, kHeads = 2, kHeadSize = 4, kModel = kHeads * kHeadSize;

hlo::Shape F32(std::vector<int64_t> sizes) {
  return hlo::Shape::ArrayWithDefaultLayout(hlo::ElementType::kF32, sizes);
}

class AttentionBlock {
 public:
  AttentionBlock() : builder_("attention_block") {
    add_ = builder_.AddComputation("add", {F32({}), F32({})},
                                   [](hlo::HloBuilder&, Ops v) { return Add(v[0], v[1]); });
    max_ = builder_.AddComputation("max", {F32({}), F32({})},
                                   [](hlo::HloBuilder&, Ops v) { return Max(v[0], v[1]); });
  }

  // (x[length, model], four weights [model, model]) -> [length, model]
  absl::StatusOr<hlo::Module> Build() {
    const Op x = Parameter(builder_, 0, F32({kLength, kModel}), "x");
    const Op queries = Heads(x, Weight(1, "w_query"));
    const Op keys = Heads(x, Weight(2, "w_key"));
    const Op values = Heads(x, Weight(3, "w_value"));
    const Op weights = Softmax(Masked(Scores(queries, keys)));
    // [heads, length, head size]
    const Op mixed = DotGeneral(weights, values,
                                {.lhs_contracting_dimensions = {2},
                                 .rhs_contracting_dimensions = {1},
                                 .lhs_batch_dimensions = {0},
                                 .rhs_batch_dimensions = {0}});
    const Op joined = Reshape(Transpose(mixed, {1, 0, 2}), {kLength, kModel});
    return builder_.Build(Dot(joined, Weight(4, "w_out")));
  }

 private:
  Op Constant(float value) { return ConstantR0<float>(builder_, value); }

  Op Weight(int64_t number, std::string_view name) {
    return Parameter(builder_, number, F32({kModel, kModel}), name);
  }

  // x W as [heads, length, head size].
  Op Heads(const Op& x, const Op& weight) {
    return Transpose(Reshape(Dot(x, weight), {kLength, kHeads, kHeadSize}), {1, 0, 2});
  }

  // [heads, query, key]: the products, scaled by the root of their length.
  Op Scores(const Op& queries, const Op& keys) {
    const Op products = DotGeneral(queries, keys,
                                   {.lhs_contracting_dimensions = {2},
                                    .rhs_contracting_dimensions = {2},
                                    .lhs_batch_dimensions = {0},
                                    .rhs_batch_dimensions = {0}});
    return Mul(products, Rsqrt(Constant(kHeadSize)));
  }

  // A query sees the keys up to its own place.
  Op Masked(const Op& scores) {
    const hlo::Shape places = hlo::Shape::Array(hlo::ElementType::kS32, {{kLength, kLength}});
    const Op is_seen = Ge(Iota(builder_, places, 0), Iota(builder_, places, 1));
    return Select(Broadcast(is_seen, {kHeads}), scores, Constant(-INFINITY));
  }

  Op Softmax(const Op& scores) {
    const Op largest = Reduce(scores, Constant(-INFINITY), max_, {2});
    const Op exponentials = Exp(Sub(scores, largest, {0, 1}));
    return Div(exponentials, Reduce(exponentials, Constant(0), add_, {2}), {0, 1});
  }

  hlo::HloBuilder builder_;
  Callee add_, max_;
};

using Matrix = std::vector<std::vector<double>>;

Matrix ToMatrix(const hlo::Literal& literal) {
  const int64_t columns = literal.shape().dim(1);
  Matrix rows(literal.shape().dim(0));
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto begin = literal.elements<float>().begin() + static_cast<int64_t>(i) * columns;
    rows[i].assign(begin, begin + columns);
  }
  return rows;
}

Matrix Product(const Matrix& a, const Matrix& b) {
  Matrix product(a.size(), std::vector<double>(b[0].size()));
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t k = 0; k < b.size(); ++k) {
      for (size_t j = 0; j < b[0].size(); ++j) product[i][j] += a[i][k] * b[k][j];
    }
  }
  return product;
}

// The definition, one query and head at a time.
Matrix Expected(const std::vector<hlo::Literal>& arguments) {
  const Matrix x = ToMatrix(arguments[0]);
  const Matrix queries = Product(x, ToMatrix(arguments[1]));
  const Matrix keys = Product(x, ToMatrix(arguments[2]));
  const Matrix values = Product(x, ToMatrix(arguments[3]));
  Matrix mixed(kLength, std::vector<double>(kModel));
  for (int64_t query = 0; query < kLength; ++query) {
    for (int64_t first = 0; first < kModel; first += kHeadSize) {
      double sum = 0;
      for (int64_t key = 0; key <= query; ++key) {
        double score = 0;
        for (int64_t c = first; c < first + kHeadSize; ++c)
          score += queries[query][c] * keys[key][c];
        const double weight = std::exp(score / std::sqrt(kHeadSize));
        sum += weight;
        for (int64_t c = first; c < first + kHeadSize; ++c)
          mixed[query][c] += weight * values[key][c];
      }
      for (int64_t c = first; c < first + kHeadSize; ++c) mixed[query][c] /= sum;
    }
  }
  return Product(mixed, ToMatrix(arguments[4]));
}

// Numbers without a pattern, the same in every run.
hlo::Literal Numbers(int64_t rows, int64_t columns, int64_t seed) {
  std::vector<float> numbers(rows * columns);
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = std::sin(static_cast<float>(seed) + 12.9898f * static_cast<float>(i)) / 2;
  }
  return FloatArray({rows, columns}, numbers);
}

}  // namespace

int main() {
  const absl::StatusOr<hlo::Module> module = AttentionBlock().Build();
  if (!module.ok()) {
    std::fprintf(stderr, "%s\n", module.status().ToString().c_str());
    return 1;
  }
  std::vector<hlo::Literal> arguments = {Numbers(kLength, kModel, 1)};
  for (int64_t seed = 2; seed < 6; ++seed) arguments.push_back(Numbers(kModel, kModel, seed));
  const absl::StatusOr<hlo::Literal> result = RunProgram(*module, arguments);
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", result.status().ToString().c_str());
    return 1;
  }
  const Matrix actual = ToMatrix(*result);
  const Matrix expected = Expected(arguments);
  double worst = 0;
  for (int64_t i = 0; i < kLength; ++i) {
    for (int64_t j = 0; j < kModel; ++j) {
      worst = std::max(worst, std::abs(actual[i][j] - expected[i][j]));
    }
  }
  std::printf("largest difference from the definition: %.2g\n", worst);
  return worst < 1e-5 ? 0 : 1;
}
