#include "testing/random_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <random>
#include <vector>

namespace hlo::testing {
namespace {

using Sizes = std::vector<int64_t>;

class Dice {
 public:
  explicit Dice(uint32_t seed) : generator_(seed) {}

  int64_t Below(int64_t end) {
    return static_cast<int64_t>(generator_() % static_cast<uint64_t>(end));
  }
  bool Chance(int64_t percent) { return Below(100) < percent; }
  template <typename T>
  T OneOf(std::initializer_list<T> items) {
    return items.begin()[Below(static_cast<int64_t>(items.size()))];
  }
  template <typename Items>
  void Shuffle(Items& items) {
    for (size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[static_cast<size_t>(Below(static_cast<int64_t>(i)))]);
    }
  }

 private:
  std::mt19937 generator_;
};

// Types of operands and result.
struct Types {
  std::string operand, result;
};

Types AnyProductTypes(Dice& dice) {
  return dice.OneOf<Types>({{"f32", "f32"},
                            {"f32", "f32"},
                            {"bf16", "bf16"},
                            {"bf16", "f32"},
                            {"f16", "f16"},
                            {"f32", "bf16"},
                            {"f64", "f64"},
                            {"s32", "s32"},
                            {"s8", "s32"},
                            {"u64", "u64"},
                            {"c64", "c64"},
                            {"f8e4m3fn", "f32"}});
}

std::string ProgramOf(const std::string& lhs, const std::string& rhs, const std::string& root) {
  return fmt::format(
      "HloModule random\n\nENTRY main {{\n  x = {} parameter(0)\n  y = {} parameter(1)\n"
      "  ROOT r = {}\n}}\n",
      lhs, rhs, root);
}

std::string ShapeOf(const std::string& type, const Sizes& sizes) {
  return fmt::format("{}[{}]", type, fmt::join(sizes, ","));
}

}  // namespace

std::string RandomDot(uint32_t seed) {
  Dice dice(seed);
  const Types types = AnyProductTypes(dice);
  // Each dimension has a role and a number in it; the order within an operand is any.
  struct Dimension {
    char role;
    int64_t number;
    int64_t size;
  };
  std::vector<Dimension> lhs, rhs;
  const auto add = [&](char role, int64_t count, bool in_lhs, bool in_rhs) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t large = role == 'b' ? 5 : dice.OneOf<int64_t>({20, 70, 150});
      const int64_t size = dice.Chance(15) ? 1 : dice.Chance(2) ? 0 : 1 + dice.Below(large);
      if (in_lhs) lhs.push_back({role, i, size});
      if (in_rhs) rhs.push_back({role, i, size});
    }
  };
  add('b', dice.OneOf<int64_t>({0, 0, 1, 2}), true, true);
  add('k', dice.OneOf<int64_t>({0, 1, 1, 1, 2}), true, true);
  add('m', dice.OneOf<int64_t>({0, 1, 1, 2}), true, false);
  add('n', dice.OneOf<int64_t>({0, 1, 1, 2}), false, true);
  dice.Shuffle(lhs);
  dice.Shuffle(rhs);
  const auto positions = [](const std::vector<Dimension>& side, char role) {
    std::map<int64_t, int64_t> by_number;
    for (size_t d = 0; d < side.size(); ++d) {
      if (side[d].role == role) by_number[side[d].number] = static_cast<int64_t>(d);
    }
    Sizes result;
    for (const auto& [number, position] : by_number) result.push_back(position);
    return result;
  };
  Sizes lhs_sizes, rhs_sizes, result_sizes;
  for (const Dimension& d : lhs) lhs_sizes.push_back(d.size);
  for (const Dimension& d : rhs) rhs_sizes.push_back(d.size);
  const Sizes lhs_batch = positions(lhs, 'b'), rhs_batch = positions(rhs, 'b');
  for (int64_t d : lhs_batch) result_sizes.push_back(lhs_sizes[static_cast<size_t>(d)]);
  for (const Dimension& d : lhs) {
    if (d.role == 'm') result_sizes.push_back(d.size);
  }
  for (const Dimension& d : rhs) {
    if (d.role == 'n') result_sizes.push_back(d.size);
  }
  std::string attributes;
  if (!lhs_batch.empty()) {
    attributes += fmt::format(", lhs_batch_dims={{{}}}, rhs_batch_dims={{{}}}",
                              fmt::join(lhs_batch, ","), fmt::join(rhs_batch, ","));
  }
  attributes +=
      fmt::format(", lhs_contracting_dims={{{}}}, rhs_contracting_dims={{{}}}",
                  fmt::join(positions(lhs, 'k'), ","), fmt::join(positions(rhs, 'k'), ","));
  return ProgramOf(ShapeOf(types.operand, lhs_sizes), ShapeOf(types.operand, rhs_sizes),
                   ShapeOf(types.result, result_sizes) + " dot(x, y)" + attributes);
}

std::string RandomConvolution(uint32_t seed) {
  Dice dice(seed);
  const Types types = AnyProductTypes(dice);
  const size_t rank = static_cast<size_t>(dice.OneOf<int64_t>({0, 1, 2, 2, 2, 3}));
  const int64_t groups = dice.OneOf<int64_t>({1, 1, 1, 2, 4});
  const bool has_feature_groups = dice.Chance(50);
  const int64_t feature_groups = has_feature_groups ? groups : 1;
  const int64_t batch_groups = has_feature_groups ? 1 : groups;
  std::map<char, int64_t> input, kernel, output;
  input['b'] = dice.OneOf<int64_t>({1, 2, 3}) * batch_groups;
  input['f'] = dice.OneOf<int64_t>({1, 3, 8, 20}) * feature_groups;
  kernel['i'] = input['f'] / feature_groups;
  kernel['o'] = dice.OneOf<int64_t>({1, 4, 16, 70}) * groups;
  output['b'] = input['b'] / batch_groups;
  output['f'] = kernel['o'];
  std::vector<std::string> sizes, strides, pads, lhs_dilations, rhs_dilations, reversals;
  std::string spatial;
  for (size_t d = 0; d < rank; ++d) {
    const char name = static_cast<char>('0' + d);
    spatial += name;
    input[name] = dice.OneOf<int64_t>({1, 4, 7, 12});
    kernel[name] = dice.OneOf<int64_t>({1, 2, 3});
    const int64_t stride = dice.OneOf<int64_t>({1, 1, 2});
    const int64_t low = dice.OneOf<int64_t>({0, 1, 2, -1});
    const int64_t high = dice.OneOf<int64_t>({0, 1, 2, -1});
    const int64_t lhs_dilation = dice.OneOf<int64_t>({1, 1, 2});
    const int64_t rhs_dilation = dice.OneOf<int64_t>({1, 1, 2});
    const int64_t total = (input[name] - 1) * lhs_dilation + 1 + low + high;
    const int64_t covered = (kernel[name] - 1) * rhs_dilation + 1;
    output[name] = total < covered ? 0 : (total - covered) / stride + 1;
    sizes.push_back(std::to_string(kernel[name]));
    strides.push_back(std::to_string(stride));
    pads.push_back(fmt::format("{}_{}", low, high));
    lhs_dilations.push_back(std::to_string(lhs_dilation));
    rhs_dilations.push_back(std::to_string(rhs_dilation));
    reversals.push_back(dice.Chance(30) ? "1" : "0");
  }
  const bool is_usual = dice.Chance(50);
  std::string input_labels = "b" + spatial + "f";
  std::string kernel_labels = spatial + "io";
  std::string output_labels = input_labels;
  if (dice.Chance(30)) {
    input_labels = output_labels = "bf" + spatial;
  } else if (!is_usual) {
    dice.Shuffle(input_labels);
    dice.Shuffle(kernel_labels);
    dice.Shuffle(output_labels);
  }
  const auto shape = [](const std::string& type, const std::string& labels,
                        std::map<char, int64_t>& by_label) {
    Sizes dims;
    for (char label : labels) dims.push_back(by_label[label]);
    return ShapeOf(type, dims);
  };
  std::string attributes;
  if (rank > 0) {
    attributes = fmt::format(
        ", window={{size={} stride={} pad={} lhs_dilate={} rhs_dilate={} rhs_reversal={}}}",
        fmt::join(sizes, "x"), fmt::join(strides, "x"), fmt::join(pads, "x"),
        fmt::join(lhs_dilations, "x"), fmt::join(rhs_dilations, "x"), fmt::join(reversals, "x"));
  }
  attributes += fmt::format(", dim_labels={}_{}->{}", input_labels, kernel_labels, output_labels);
  if (feature_groups > 1) attributes += fmt::format(", feature_group_count={}", feature_groups);
  if (batch_groups > 1) attributes += fmt::format(", batch_group_count={}", batch_groups);
  return ProgramOf(shape(types.operand, input_labels, input),
                   shape(types.operand, kernel_labels, kernel),
                   shape(types.result, output_labels, output) + " convolution(x, y)" + attributes);
}

}  // namespace hlo::testing
