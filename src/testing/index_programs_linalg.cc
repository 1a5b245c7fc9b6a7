// Transforms and batch normalisation.
#include "testing/index_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hlo::testing {

namespace {

Program Fft(RandomOp& r) {
  const Dims dims = r.Sizes(r.Pick(1, 3), 2, 3);
  const int64_t transformed = r.Pick(1, static_cast<int64_t>(dims.size()));
  const Dims lengths(dims.end() - transformed, dims.end());
  return {{Text("c64", dims)},
          fmt::format("{} fft(p0), fft_type=FFT, fft_length={}", Text("c64", dims), List(lengths)),
          ""};
}

// The shape of the array, and of what has one element for each feature. A feature of one element
// would be its own mean.
struct BatchNormShapes {
  explicit BatchNormShapes(RandomOp& r) : dims(r.Sizes(r.Pick(2, 3), 2, 4)) {
    feature = r.Pick(0, static_cast<int64_t>(dims.size()) - 1);
    array = F32(dims);
    features = F32({dims[static_cast<size_t>(feature)]});
    attributes = fmt::format("epsilon=0.001, feature_index={}", feature);
  }
  Dims dims;
  int64_t feature = 0;
  std::string array, features, attributes;
};

Program BatchNormInference(RandomOp& r) {
  const BatchNormShapes s(r);
  return {{s.array, s.features, s.features, s.features, s.features},
          fmt::format("{} batch-norm-inference(p0, p1, p2, p3, p4), {}", s.array, s.attributes),
          ""};
}

Program BatchNormTraining(RandomOp& r) {
  const BatchNormShapes s(r);
  return {{s.array, s.features, s.features},
          fmt::format("({}, {}, {}) batch-norm-training(p0, p1, p2), {}", s.array, s.features,
                      s.features, s.attributes),
          ""};
}

Program BatchNormGrad(RandomOp& r) {
  const BatchNormShapes s(r);
  return {{s.array, s.features, s.features, s.features, s.array},
          fmt::format("({}, {}, {}) batch-norm-grad(p0, p1, p2, p3, p4), {}", s.array, s.features,
                      s.features, s.attributes),
          ""};
}

constexpr ProgramKind kPrograms[] = {
    {"fft", Fft, 40, Never, 12},
    {"batch_norm_inference", BatchNormInference, 40},
    {"batch_norm_training", BatchNormTraining, 40, Never, 12},
    {"batch_norm_grad", BatchNormGrad, 40, Never, 12},
};

}  // namespace

std::span<const ProgramKind> LinalgPrograms() { return kPrograms; }

}  // namespace hlo::testing
