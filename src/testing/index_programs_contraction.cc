// Products and convolutions.
#include "testing/index_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hlo::testing {

namespace {

Program Dot(RandomOp& r) {
  const int64_t batch = r.Pick(0, 1), contracting = r.Pick(0, 2);
  const Dims shared = r.Sizes(batch + contracting, 1, 3);
  const auto side = [&](std::vector<int64_t>* places) {
    Dims roles = shared;
    for (int64_t size : r.Sizes(r.Pick(0, 2), 1, 3)) roles.push_back(size);
    const auto order = r.Permutation(static_cast<int64_t>(roles.size()));
    Dims dims;
    for (int64_t role : order) dims.push_back(roles[static_cast<size_t>(role)]);
    for (size_t role = 0; role < shared.size(); ++role) {
      places->push_back(std::ranges::find(order, static_cast<int64_t>(role)) - order.begin());
    }
    return dims;
  };
  std::vector<int64_t> left, right;
  const Dims lhs = side(&left), rhs = side(&right);
  Dims output(shared.begin(), shared.begin() + batch);
  const auto append_free = [&](const Dims& dims, const std::vector<int64_t>& places) {
    for (size_t d = 0; d < dims.size(); ++d) {
      if (std::ranges::find(places, static_cast<int64_t>(d)) == places.end()) {
        output.push_back(dims[d]);
      }
    }
  };
  append_free(lhs, left);
  append_free(rhs, right);
  const auto part = [&](const std::vector<int64_t>& places, bool is_batch) {
    return List(is_batch ? std::vector<int64_t>(places.begin(), places.begin() + batch)
                         : std::vector<int64_t>(places.begin() + batch, places.end()));
  };
  return {{F32(lhs), F32(rhs)},
          fmt::format("{} dot(p0, p1), lhs_batch_dims={}, rhs_batch_dims={}, "
                      "lhs_contracting_dims={}, rhs_contracting_dims={}",
                      F32(output), part(left, true), part(right, true), part(left, false),
                      part(right, false)),
          ""};
}

// As many rows as one group may have, with sizes from 0 to 3: any row may be any group's.
Program RaggedDot(RandomOp& r) {
  const int64_t m = r.Pick(1, 3), k = r.Pick(1, 3), n = r.Pick(1, 3), groups = r.Pick(1, 3);
  return {{F32({m, k}), F32({groups, k, n}), Text("s32", {groups})},
          fmt::format("{} ragged-dot(p0, p1, p2), lhs_contracting_dims={{1}}, "
                      "rhs_contracting_dims={{1}}, lhs_ragged_dims={{0}}, rhs_group_dims={{0}}",
                      F32({m, n})),
          ""};
}

// One scale for every `block` contracted elements.
Program ScaledDot(RandomOp& r) {
  const int64_t m = r.Pick(1, 3), n = r.Pick(1, 3), blocks = r.Pick(1, 3), block = r.Pick(1, 2);
  const int64_t k = blocks * block;
  return {{Text("bf16", {m, k}), Text("bf16", {k, n}), Text("bf16", {m, blocks}),
           Text("bf16", {blocks, n})},
          fmt::format("{} scaled-dot(p0, p1, p2, p3), lhs_contracting_dims={{1}}, "
                      "rhs_contracting_dims={{0}}",
                      F32({m, n})),
          ""};
}

Program Convolution(RandomOp& r) {
  const Dims spatial = r.Sizes(r.Pick(1, 2), 2, 5);
  const WindowText window = RandomWindow(r, spatial);
  const int64_t feature_groups = r.Pick(1, 2), batch_groups = feature_groups > 1 ? 1 : r.Pick(1, 2);
  const int64_t kernel_inputs = r.Pick(1, 2), batch = r.Pick(1, 2);
  const int64_t outputs = r.Pick(1, 2) * feature_groups * batch_groups;
  const std::string digits = spatial.size() == 1 ? "0" : "01";
  Dims input = {batch * batch_groups}, kernel = {kernel_inputs}, output = {batch};
  input.insert(input.end(), spatial.begin(), spatial.end());
  input.push_back(kernel_inputs * feature_groups);
  kernel.insert(kernel.end(), window.window.begin(), window.window.end());
  kernel.push_back(outputs);
  output.insert(output.end(), window.output.begin(), window.output.end());
  output.push_back(outputs);
  std::string text = window.text;
  if (r.Flip()) {
    text.insert(text.size() - 1, " rhs_reversal=" + std::string(spatial.size() == 1 ? "1" : "1x0"));
  }
  return {{F32(input), F32(kernel)},
          fmt::format("{} convolution(p0, p1), {}, dim_labels=b{}f_i{}o->b{}f, "
                      "feature_group_count={}, batch_group_count={}",
                      F32(output), text, digits, digits, digits, feature_groups, batch_groups),
          ""};
}

constexpr ProgramKind kPrograms[] = {
    {"dot", Dot, 200},
    // Which rows a group has depends on its size.
    {"ragged_dot", RaggedDot, 12, Never, 300},
    {"scaled_dot", ScaledDot, 40, Never, 12},
    // Kernel elements over padding count as read (indexing.md 2.5).
    {"convolution", Convolution, 250, OfOperand<1>},
};

}  // namespace

std::span<const ProgramKind> ContractionPrograms() { return kPrograms; }

}  // namespace hlo::testing
