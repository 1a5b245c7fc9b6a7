// Programs cut over participants compute what the whole ones do: a training step whose batch is
// cut, a perceptron whose weights are cut. All numbers are small integers, so that sums are exact
// in any order.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/add_computation.h"
#include "testing/run_module.h"
#include "testing/run_participants.h"

namespace hlo::testing {
namespace {

Literal Numbers(std::vector<int64_t> dims, int64_t modulus) {
  Literal literal = *Literal::Zeros(Shape::ArrayWithDefaultLayout(ElementType::kF32, dims));
  std::span<float> elements = literal.elements<float>();
  for (size_t i = 0; i < elements.size(); ++i) {
    elements[i] = static_cast<float>(static_cast<int64_t>(i * i + 3 * i) % modulus - modulus / 2);
  }
  return literal;
}

// Part `part` of `count` along the first dimension (or along the second, for matrices).
Literal Part(const Literal& whole, size_t dimension, int64_t part, int64_t count) {
  const std::span<const int64_t> dims = whole.shape().dims();
  std::vector<int64_t> sizes(dims.begin(), dims.end());
  sizes[dimension] /= count;
  Literal literal = *Literal::Zeros(Shape::ArrayWithDefaultLayout(ElementType::kF32, sizes));
  for (int64_t i = 0; i < sizes[0]; ++i) {
    for (int64_t k = 0; k < sizes[1]; ++k) {
      const int64_t row = dimension == 0 ? part * sizes[0] + i : i;
      const int64_t column = dimension == 1 ? part * sizes[1] + k : k;
      literal.elements<float>()[static_cast<size_t>(i * sizes[1] + k)] =
          whole.elements<float>()[static_cast<size_t>(row * dims[1] + column)];
    }
  }
  return literal;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// One step of least squares: w - x^T (x w - y) / 4, for a batch of BATCH rows.
constexpr char kStep[] = R"(
ENTRY main {
  x = f32[BATCH,4] parameter(0)
  y = f32[BATCH,2] parameter(1)
  w = f32[4,2] parameter(2)
  prediction = f32[BATCH,2] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  error = f32[BATCH,2] subtract(prediction, y)
  gradient = f32[4,2] dot(x, error), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  SUM
  quarter = f32[] constant(0.25)
  rates = f32[4,2] broadcast(quarter), dimensions={}
  change = f32[4,2] multiply(total, rates)
  ROOT next = f32[4,2] subtract(w, change)
})";

TEST(ShardedProgramsTest, TrainingStepOfACutBatch) {
  const Literal x = Numbers({16, 4}, 5), y = Numbers({16, 2}, 7), w = Numbers({4, 2}, 3);
  const std::string whole =
      Replaced(Replaced(kStep, "BATCH", "16"), "SUM", "total = f32[4,2] copy(gradient)");
  const auto module = ParseText("whole", "HloModule whole\n" + whole);
  ASSERT_TRUE(module.ok()) << module.status();
  const auto expected = RunModule(*module, std::vector<Literal>{x, y, w});
  ASSERT_TRUE(expected.ok()) << expected.status();
  for (int64_t count : {2, 4, 8}) {
    const auto cut = ParseText(
        "cut",
        "HloModule cut" + AddComputation("f32") +
            Replaced(Replaced(kStep, "BATCH", std::to_string(16 / count)), "SUM",
                     "total = f32[4,2] all-reduce(gradient), replica_groups={}, to_apply=add"));
    ASSERT_TRUE(cut.ok()) << cut.status();
    std::vector<std::vector<Literal>> arguments;
    for (int64_t i = 0; i < count; ++i) {
      arguments.push_back({Part(x, 0, i, count), Part(y, 0, i, count), w});
    }
    const auto results = RunOnParticipants(*cut, {.replicas = count}, arguments);
    ASSERT_TRUE(results.ok()) << results.status();
    for (const Literal& result : *results) EXPECT_TRUE(result == *expected);
  }
}

// relu(x a) b, the hidden layer of HIDDEN.
constexpr char kPerceptron[] = R"(
ENTRY main {
  x = f32[3,4] parameter(0)
  a = f32[4,HIDDEN] parameter(1)
  b = f32[HIDDEN,6] parameter(2)
  hidden = f32[3,HIDDEN] dot(x, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  zero = f32[] constant(0)
  zeros = f32[3,HIDDEN] broadcast(zero), dimensions={}
  active = f32[3,HIDDEN] maximum(hidden, zeros)
  partial = f32[3,6] dot(active, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT y = f32[3,6] SUM
})";

TEST(ShardedProgramsTest, PerceptronOfCutWeights) {
  const Literal x = Numbers({3, 4}, 5), a = Numbers({4, 8}, 7), b = Numbers({8, 6}, 5);
  const auto module = ParseText(
      "whole", Replaced(Replaced(std::string("HloModule whole\n") + kPerceptron, "HIDDEN", "8"),
                        "SUM", "copy(partial)"));
  ASSERT_TRUE(module.ok()) << module.status();
  const auto expected = RunModule(*module, std::vector<Literal>{x, a, b});
  ASSERT_TRUE(expected.ok()) << expected.status();
  for (int64_t count : {2, 4}) {
    const auto cut =
        ParseText("cut", Replaced(Replaced("HloModule cut" + AddComputation("f32") + kPerceptron,
                                           "HIDDEN", std::to_string(8 / count)),
                                  "SUM",
                                  "all-reduce(partial), channel_id=1, use_global_device_ids=true, "
                                  "replica_groups=[1," +
                                      std::to_string(count) + "]<=[" + std::to_string(count) +
                                      "], to_apply=add"));
    ASSERT_TRUE(cut.ok()) << cut.status();
    std::vector<std::vector<Literal>> arguments;
    for (int64_t i = 0; i < count; ++i) {
      arguments.push_back({x, Part(a, 1, i, count), Part(b, 0, i, count)});
    }
    const auto results = RunOnParticipants(*cut, {.replicas = 1, .partitions = count}, arguments);
    ASSERT_TRUE(results.ok()) << results.status();
    for (const Literal& result : *results) EXPECT_TRUE(result == *expected);
  }
}

}  // namespace
}  // namespace hlo::testing
