// dot and convolution against their definitions, bit by bit: the order of every sum is specified.
#include <gtest/gtest.h>

#include "interp/reference/kernel_call.h"

namespace hlo::reference {
namespace {

// Numbers whose sums round differently in different orders.
std::vector<float> MakeNumbers(int64_t count, int64_t seed) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t hash = (i + seed) * 2654435761 % 1000003;
    numbers.push_back(static_cast<float>(hash) / 7.0f - 70000.0f);
  }
  return numbers;
}

void ExpectSameBits(const std::vector<float>& actual, const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(std::bit_cast<uint32_t>(actual[i]), std::bit_cast<uint32_t>(expected[i])) << i;
  }
}

TEST(DotTest, MatrixSizesAroundTheBlocks) {
  for (int64_t m : {1, 3, 4, 5, 40}) {
    for (int64_t n : {1, 2, 15, 16, 255, 257}) {
      const int64_t k = 9;
      const std::vector<float> a = MakeNumbers(m * k, 1), b = MakeNumbers(k * n, 2);
      std::vector<float> expected;
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          float sum = 0;
          for (int64_t l = 0; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
          expected.push_back(sum);
        }
      }
      absl::StatusOr<Literal> result =
          KernelCall(Opcode::kDot, ArrayShape(ElementType::kF32, {m, n}))
              .Operand(MakeArray<float>({m, k}, a))
              .Operand(MakeArray<float>({k, n}, b))
              .WithList<Attr::kLhsContractingDims>({1})
              .WithList<Attr::kRhsContractingDims>({0})
              .Run();
      ASSERT_TRUE(result.ok());
      ExpectSameBits(ToVector<float>(*result), expected);
    }
  }
}

// r[b, i, j] = sum over k, l of lhs[k, i, b, l] * rhs[l, b, j, k], k outside.
TEST(DotTest, DimensionsInAnyOrder) {
  const int64_t B = 2, I = 3, J = 5, K = 4, L = 3;
  const std::vector<float> lhs = MakeNumbers(K * I * B * L, 3), rhs = MakeNumbers(L * B * J * K, 4);
  std::vector<float> expected;
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t i = 0; i < I; ++i) {
      for (int64_t j = 0; j < J; ++j) {
        float sum = 0;
        for (int64_t k = 0; k < K; ++k) {
          for (int64_t l = 0; l < L; ++l) {
            sum += lhs[((k * I + i) * B + b) * L + l] * rhs[((l * B + b) * J + j) * K + k];
          }
        }
        expected.push_back(sum);
      }
    }
  }
  absl::StatusOr<Literal> result =
      KernelCall(Opcode::kDot, ArrayShape(ElementType::kF32, {B, I, J}))
          .Operand(MakeArray<float>({K, I, B, L}, lhs))
          .Operand(MakeArray<float>({L, B, J, K}, rhs))
          .WithList<Attr::kLhsBatchDims>({2})
          .WithList<Attr::kRhsBatchDims>({1})
          .WithList<Attr::kLhsContractingDims>({0, 3})
          .WithList<Attr::kRhsContractingDims>({3, 0})
          .Run();
  ASSERT_TRUE(result.ok());
  ExpectSameBits(ToVector<float>(*result), expected);
}

struct ConvolutionCase {
  int64_t batch, input_features, output_features, feature_groups, batch_groups;
  WindowDimension rows, columns;
};

constexpr int64_t kHeight = 5, kWidth = 6;

// The formula of semantics.md 10.4 for layouts b01f_01io->b01f.
std::vector<float> NaiveConvolution(const ConvolutionCase& c, const std::vector<float>& lhs,
                                    const std::vector<float>& rhs, int64_t out_height,
                                    int64_t out_width) {
  const int64_t kernel_inputs = c.input_features / c.feature_groups;
  const int64_t out_batch = c.batch / c.batch_groups;
  const auto position = [](const WindowDimension& w, int64_t x, int64_t j, int64_t n) -> int64_t {
    const int64_t p = x * w.stride - w.padding_low + j * w.window_dilation;
    if (p < 0 || p % w.base_dilation != 0 || p / w.base_dilation >= n) return -1;
    return p / w.base_dilation;
  };
  std::vector<float> result;
  for (int64_t b = 0; b < out_batch; ++b) {
    for (int64_t y = 0; y < out_height; ++y) {
      for (int64_t x = 0; x < out_width; ++x) {
        for (int64_t o = 0; o < c.output_features; ++o) {
          const int64_t feature_group = o / (c.output_features / c.feature_groups);
          const int64_t batch_group = o / (c.output_features / c.batch_groups);
          float sum = 0;
          for (int64_t i = 0; i < c.rows.size; ++i) {
            for (int64_t j = 0; j < c.columns.size; ++j) {
              const int64_t p = position(c.rows, y, i, kHeight);
              const int64_t q = position(c.columns, x, j, kWidth);
              if (p < 0 || q < 0) continue;
              const int64_t ki = c.rows.reversal ? c.rows.size - 1 - i : i;
              const int64_t kj = c.columns.reversal ? c.columns.size - 1 - j : j;
              for (int64_t f = 0; f < kernel_inputs; ++f) {
                const int64_t image = b + batch_group * out_batch;
                const int64_t feature = feature_group * kernel_inputs + f;
                sum +=
                    lhs[((image * kHeight + p) * kWidth + q) * c.input_features + feature] *
                    rhs[((ki * c.columns.size + kj) * kernel_inputs + f) * c.output_features + o];
              }
            }
          }
          result.push_back(sum);
        }
      }
    }
  }
  return result;
}

int64_t OutputSize(const WindowDimension& w, int64_t n) {
  const int64_t total = (n - 1) * w.base_dilation + 1 + w.padding_low + w.padding_high;
  const int64_t window = (w.size - 1) * w.window_dilation + 1;
  return total < window ? 0 : (total - window) / w.stride + 1;
}

void CheckConvolution(const ConvolutionCase& c) {
  const int64_t kernel_inputs = c.input_features / c.feature_groups;
  const std::vector<float> lhs = MakeNumbers(c.batch * kHeight * kWidth * c.input_features, 5);
  const std::vector<float> rhs =
      MakeNumbers(c.rows.size * c.columns.size * kernel_inputs * c.output_features, 6);
  const int64_t height = OutputSize(c.rows, kHeight), width = OutputSize(c.columns, kWidth);
  const std::vector<WindowDimension> window = {c.rows, c.columns};
  const std::vector<int64_t> input_spatial = {1, 2}, kernel_spatial = {0, 1};
  ConvolutionDimensionNumbers numbers;
  numbers.input_batch = numbers.output_batch = 0;
  numbers.input_feature = numbers.output_feature = 3;
  numbers.kernel_input_feature = 2;
  numbers.kernel_output_feature = 3;
  numbers.input_spatial = numbers.output_spatial = IntList(input_spatial);
  numbers.kernel_spatial = IntList(kernel_spatial);
  numbers.input_rank = numbers.kernel_rank = numbers.output_rank = 4;
  absl::StatusOr<Literal> result =
      KernelCall(Opcode::kConvolution,
                 ArrayShape(ElementType::kF32,
                            {c.batch / c.batch_groups, height, width, c.output_features}))
          .Operand(MakeArray<float>({c.batch, kHeight, kWidth, c.input_features}, lhs))
          .Operand(MakeArray<float>({c.rows.size, c.columns.size, kernel_inputs, c.output_features},
                                    rhs))
          .With<Attr::kDimLabels>(numbers)
          .With<Attr::kWindow>(Window{List<WindowDimension>(window)})
          .With<Attr::kFeatureGroupCount>(c.feature_groups)
          .With<Attr::kBatchGroupCount>(c.batch_groups)
          .Run();
  ASSERT_TRUE(result.ok()) << result.status().message();
  ExpectSameBits(ToVector<float>(*result), NaiveConvolution(c, lhs, rhs, height, width));
}

TEST(ConvolutionTest, Plain) { CheckConvolution({2, 3, 4, 1, 1, {3}, {2}}); }
TEST(ConvolutionTest, PaddingAndStrides) {
  CheckConvolution({1, 2, 3, 1, 1, {3, 2, 1, 1}, {4, 3, 2, 0}});
}
TEST(ConvolutionTest, NegativePadding) {
  CheckConvolution({1, 2, 3, 1, 1, {2, 1, -1, -1}, {2, 1, -2, 1}});
}
TEST(ConvolutionTest, Dilations) {
  CheckConvolution({1, 2, 3, 1, 1, {3, 1, 2, 1, 2, 1}, {2, 2, 1, 1, 3, 2}});
}
TEST(ConvolutionTest, Reversal) {
  CheckConvolution({1, 2, 3, 1, 1, {3, 1, 1, 1, 2, 1, true}, {2, 1, 0, 0, 1, 2, true}});
}
TEST(ConvolutionTest, FeatureGroups) { CheckConvolution({2, 6, 4, 2, 1, {3, 1, 1, 1}, {2}}); }
TEST(ConvolutionTest, Depthwise) { CheckConvolution({1, 4, 4, 4, 1, {3, 1, 1, 1}, {2}}); }
TEST(ConvolutionTest, DepthwiseMultiplier) { CheckConvolution({1, 2, 6, 2, 1, {2}, {2}}); }
TEST(ConvolutionTest, BatchGroups) { CheckConvolution({4, 3, 4, 1, 2, {3, 1, 1, 1}, {2}}); }

}  // namespace
}  // namespace hlo::reference
