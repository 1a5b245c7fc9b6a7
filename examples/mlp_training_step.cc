// A training step of a network with one hidden layer: forward, backward, and stochastic gradient
// descent, all in one program that maps parameters and a batch to new parameters and the loss. It
// learns to tell three kinds of points apart; the exit code says whether it did.
//
//   h = relu(x W1 + b1)      [batch, hidden]
//   p = softmax(h W2 + b2)   [batch, classes]
//   loss = -mean over the batch of log p[label]
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "builder/operations.h"
#include "run_program.h"

using namespace hlo::ops;

namespace {

constexpr int64_t kBatch = 12, kInputs = 2, kHidden = 8, kClasses = 3;
constexpr float kLearningRate = 0.5f;

hlo::Shape F32(std::vector<int64_t> sizes) {
  return hlo::Shape::ArrayWithDefaultLayout(hlo::ElementType::kF32, sizes);
}

class TrainingStep {
 public:
  TrainingStep() : builder_("mlp_training_step") {
    add_ = builder_.AddComputation("add", {F32({}), F32({})},
                                   [](hlo::HloBuilder&, Ops v) { return Add(v[0], v[1]); });
    max_ = builder_.AddComputation("max", {F32({}), F32({})},
                                   [](hlo::HloBuilder&, Ops v) { return Max(v[0], v[1]); });
  }

  // (W1, b1, W2, b2, x, labels) -> (W1, b1, W2, b2, loss)
  absl::StatusOr<hlo::Module> Build() {
    const Op w1 = Parameter(builder_, 0, F32({kInputs, kHidden}), "w1");
    const Op b1 = Parameter(builder_, 1, F32({kHidden}), "b1");
    const Op w2 = Parameter(builder_, 2, F32({kHidden, kClasses}), "w2");
    const Op b2 = Parameter(builder_, 3, F32({kClasses}), "b2");
    const Op x = Parameter(builder_, 4, F32({kBatch, kInputs}), "x");
    const hlo::Shape label_shape = hlo::Shape::Array(hlo::ElementType::kS32, {{kBatch}});
    const Op labels = Parameter(builder_, 5, label_shape, "labels");

    Op hidden, probabilities;
    {
      const hlo::MetadataScope scope(builder_, "forward");
      hidden = Max(Add(Dot(x, w1), b1, {1}), Constant(0));
      probabilities = Softmax(Add(Dot(hidden, w2), b2, {1}));
    }
    const Op wanted = OneHot(labels);
    const Op loss = Loss(probabilities, wanted);

    const hlo::MetadataScope scope(builder_, "backward");
    // The gradients by the two sums, then by what made them.
    const Op d_scores = Div(Sub(probabilities, wanted), Constant(kBatch));
    const Op d_hidden = DotGeneral(
        d_scores, w2, {.lhs_contracting_dimensions = {1}, .rhs_contracting_dimensions = {1}});
    const Op d_sums = Select(Gt(hidden, Constant(0)), d_hidden, Constant(0));
    return builder_.Build(Tuple(
        builder_,
        {Descend(w1, BatchProduct(x, d_sums)), Descend(b1, SumOverBatch(d_sums)),
         Descend(w2, BatchProduct(hidden, d_scores)), Descend(b2, SumOverBatch(d_scores)), loss}));
  }

 private:
  Op Constant(float value) { return ConstantR0<float>(builder_, value); }

  Op Softmax(const Op& scores) {
    const Op largest = Reduce(scores, Constant(-INFINITY), max_, {1});
    const Op exponentials = Exp(Sub(scores, largest, {0}));
    return Div(exponentials, Reduce(exponentials, Constant(0), add_, {1}), {0});
  }

  // 1 where the column is the row's label, else 0.
  Op OneHot(const Op& labels) {
    const Op columns = Iota(builder_, hlo::ElementType::kS32, kClasses);
    const Op is_label = Eq(Broadcast(columns, {kBatch}), labels, {0});
    return ConvertElementType(is_label, hlo::ElementType::kF32);
  }

  Op Loss(const Op& probabilities, const Op& wanted) {
    const Op sum = ReduceAll(Mul(wanted, Log(probabilities)), Constant(0), add_);
    return Div(Neg(sum), Constant(kBatch));
  }

  // a^T b: sums over the batch, dimension 0 of both.
  Op BatchProduct(const Op& a, const Op& b) {
    return DotGeneral(a, b, {.lhs_contracting_dimensions = {0}, .rhs_contracting_dimensions = {0}});
  }

  Op SumOverBatch(const Op& gradient) { return Reduce(gradient, Constant(0), add_, {0}); }

  Op Descend(const Op& parameter, const Op& gradient) {
    return Sub(parameter, Mul(gradient, Constant(kLearningRate)));
  }

  hlo::HloBuilder builder_;
  Callee add_, max_;
};

// Numbers without a pattern, the same in every run.
hlo::Literal SmallNumbers(std::vector<int64_t> sizes, int64_t count) {
  std::vector<float> numbers(count);
  for (int64_t i = 0; i < count; ++i) numbers[i] = std::sin(12.9898f * static_cast<float>(i + 1));
  return FloatArray(std::move(sizes), numbers);
}

// Points around three corners, and which corner it is.
std::pair<hlo::Literal, hlo::Literal> Batch() {
  std::vector<float> points;
  hlo::Literal labels =
      hlo::Literal::Zeros(hlo::Shape::ArrayWithDefaultLayout(hlo::ElementType::kS32, {{kBatch}}))
          .value();
  for (int i = 0; i < kBatch; ++i) {
    const float angle =
        2.0944f * static_cast<float>(i % kClasses) + 0.1f * static_cast<float>(i / 3);
    points.insert(points.end(), {std::cos(angle), std::sin(angle)});
    labels.elements<int32_t>()[i] = i % kClasses;
  }
  return {FloatArray({kBatch, kInputs}, points), labels};
}

}  // namespace

int main() {
  const absl::StatusOr<hlo::Module> module = TrainingStep().Build();
  if (!module.ok()) {
    std::fprintf(stderr, "%s\n", module.status().ToString().c_str());
    return 1;
  }
  auto [points, labels] = Batch();
  std::vector<hlo::Literal> values = {SmallNumbers({kInputs, kHidden}, kInputs * kHidden),
                                      FloatArray({kHidden}, std::vector<float>(kHidden)),
                                      SmallNumbers({kHidden, kClasses}, kHidden * kClasses),
                                      FloatArray({kClasses}, std::vector<float>(kClasses)),
                                      points,
                                      labels};
  float loss = 0;
  for (int step = 0; step < 50; ++step) {
    absl::StatusOr<hlo::Literal> result = RunProgram(*module, values);
    if (!result.ok()) {
      std::fprintf(stderr, "%s\n", result.status().ToString().c_str());
      return 1;
    }
    for (int i = 0; i < 4; ++i) values[i] = result->tuple_elements()[i];
    loss = result->tuple_elements()[4].elements<float>()[0];
    if (step % 10 == 0) std::printf("step %d: loss %.4f\n", step, static_cast<double>(loss));
  }
  std::printf("at last: loss %.4f\n", static_cast<double>(loss));
  return loss < 0.1f ? 0 : 1;
}
