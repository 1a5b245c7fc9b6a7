// Dots and convolutions: dimensions are drawn with their roles, in any order, and shapes of results
// follow from them, so that every program verifies.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "testing/dice.h"
#include "testing/random_program.h"
#include "testing/random_shape.h"

namespace hlo::testing {
namespace {

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
                            {"u8", "s32"},
                            {"u64", "u64"},
                            {"c64", "c64"},
                            {"c128", "c128"},
                            {"f8e4m3fn", "f32"}});
}

// Of results of less than 32 bits, which sums of dots wrap to and those of convolutions saturate.
Types NarrowProductTypes(Dice& dice) {
  return dice.OneOf<Types>({{"s8", "s8"},
                            {"u8", "u8"},
                            {"s8", "u8"},
                            {"u4", "s16"},
                            {"s16", "s16"},
                            {"s4", "s4"},
                            {"pred", "pred"},
                            {"pred", "f32"}});
}

std::string ProgramOf(const std::string& lhs, const std::string& rhs, const std::string& root) {
  return fmt::format(
      "HloModule random\n\nENTRY main {{\n  x = {} parameter(0)\n  y = {} parameter(1)\n"
      "  ROOT r = {}\n}}\n",
      lhs, rhs, root);
}

// Where an array of some sizes comes from: instructions, last ones first, and what they begin with.
class Origin {
 public:
  Origin(Dice& dice, std::string type, std::string name, Sizes sizes)
      : dice_(dice), type_(std::move(type)), name_(std::move(name)), sizes_(std::move(sizes)) {
    for (int64_t count = dice_.Below(4); count > 0; --count) {
      const int64_t kind = dice_.Below(3);
      kind == 0 ? AddTranspose() : kind == 1 ? AddSlice() : AddBroadcast();
    }
  }

  std::string Text(int64_t number) const {
    return fmt::format("  {} = {} parameter({})\n{}", name_, ShapeOf(type_, sizes_), number, text_);
  }

 private:
  // `call` is the opcode and what follows; its operand has `sizes`.
  void Add(Sizes sizes, std::string_view opcode, std::string_view attributes) {
    const std::string operand = name_ + "_";
    text_ = fmt::format("  {} = {} {}({}), {}\n{}", name_, ShapeOf(type_, sizes_), opcode, operand,
                        attributes, text_);
    name_ = operand;
    sizes_ = std::move(sizes);
  }

  void AddTranspose() {
    Sizes permutation(sizes_.size());
    std::iota(permutation.begin(), permutation.end(), 0);
    dice_.Shuffle(permutation);
    Sizes operand(sizes_.size());
    for (size_t d = 0; d < sizes_.size(); ++d) {
      operand[static_cast<size_t>(permutation[d])] = sizes_[d];
    }
    Add(operand, "transpose", fmt::format("dimensions={{{}}}", fmt::join(permutation, ",")));
  }

  void AddSlice() {
    Sizes operand;
    std::vector<std::string> ranges;
    for (int64_t size : sizes_) {
      const int64_t start = dice_.Below(3);
      const int64_t stride = size > 0 ? dice_.OneOf<int64_t>({1, 1, 1, 2}) : 1;
      const int64_t limit = size == 0 ? start : start + (size - 1) * stride + 1;
      operand.push_back(limit + dice_.Below(3));
      ranges.push_back(fmt::format("[{}:{}:{}]", start, limit, stride));
    }
    Add(operand, "slice", fmt::format("slice={{{}}}", fmt::join(ranges, ",")));
  }

  void AddBroadcast() {
    Sizes operand, dimensions;
    for (size_t d = 0; d < sizes_.size(); ++d) {
      if (dice_.Chance(30)) continue;
      operand.push_back(sizes_[d]);
      dimensions.push_back(static_cast<int64_t>(d));
    }
    Add(operand, "broadcast", fmt::format("dimensions={{{}}}", fmt::join(dimensions, ",")));
  }

  Dice& dice_;
  std::string type_, name_, text_;
  Sizes sizes_;
};

enum class DotKind { kPlain, kOfReads, kSmall };
std::string MakeDot(uint32_t seed, DotKind kind);

}  // namespace

std::string RandomDot(uint32_t seed) { return MakeDot(seed, DotKind::kPlain); }
std::string RandomDotOfReads(uint32_t seed) { return MakeDot(seed, DotKind::kOfReads); }
std::string RandomSmallDot(uint32_t seed) { return MakeDot(seed, DotKind::kSmall); }

namespace {

// The largest size of a dimension of such a role.
int64_t LargestSize(Dice& dice, DotKind kind, char role) {
  if (kind != DotKind::kSmall) return role == 'b' ? 5 : dice.OneOf<int64_t>({20, 70, 150});
  if (role == 'b') return 20;
  return role == 'm' ? dice.OneOf<int64_t>({6, 40}) : 6;
}

std::string MakeDot(uint32_t seed, DotKind kind) {
  Dice dice(seed);
  // Tests of reads want some that the library takes.
  const bool is_narrow = kind != DotKind::kOfReads && dice.Chance(30);
  const Types types = is_narrow ? NarrowProductTypes(dice) : AnyProductTypes(dice);
  // Each dimension has a role and a number in it; the order within an operand is any.
  struct Dimension {
    char role;
    int64_t number;
    int64_t size;
  };
  std::vector<Dimension> lhs, rhs;
  const auto add = [&](char role, int64_t count, bool in_lhs, bool in_rhs) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t large = LargestSize(dice, kind, role);
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
  const std::string root = ShapeOf(types.result, result_sizes) + " dot(x, y)" + attributes;
  if (kind == DotKind::kOfReads) {
    return fmt::format("HloModule random\nENTRY main {{\n{}{}  ROOT r = {}\n}}\n",
                       Origin(dice, types.operand, "x", lhs_sizes).Text(0),
                       Origin(dice, types.operand, "y", rhs_sizes).Text(1), root);
  }
  return ProgramOf(ShapeOf(types.operand, lhs_sizes), ShapeOf(types.operand, rhs_sizes), root);
}

// The shape whose dimensions are called `labels`, one letter each.
std::string LabelledShape(const std::string& type, const std::string& labels,
                          const std::map<char, int64_t>& by_label) {
  Sizes dims;
  for (char label : labels) dims.push_back(by_label.at(label));
  return ShapeOf(type, dims);
}

// kThinGroups: channels that stand alone, or few output features in each group.
enum class ConvolutionUse { kAny, kLibrary, kThinGroups };

Types ConvolutionTypes(Dice& dice, ConvolutionUse use) {
  if (use == ConvolutionUse::kLibrary) {
    return dice.OneOf<Types>({{"f32", "f32"}, {"f32", "f32"}, {"bf16", "bf16"}, {"bf16", "f32"}});
  }
  if (use == ConvolutionUse::kThinGroups && dice.Chance(20)) {
    return dice.OneOf<Types>(
        {{"f8e5m2", "bf16"}, {"f64", "f16"}, {"s4", "s64"}, {"s32", "f8e5m2"}});
  }
  return dice.Chance(30) ? NarrowProductTypes(dice) : AnyProductTypes(dice);
}

std::string ConvolutionOf(Dice& dice, ConvolutionUse use) {
  const bool is_library = use == ConvolutionUse::kLibrary;
  const bool is_thin = use == ConvolutionUse::kThinGroups;
  const Types types = ConvolutionTypes(dice, use);
  const size_t rank = static_cast<size_t>(is_library ? dice.OneOf<int64_t>({1, 2, 2, 2, 3})
                                                     : dice.OneOf<int64_t>({0, 1, 2, 2, 2, 3}));
  const bool is_gradient = is_library && dice.Chance(40);
  const bool is_depthwise = is_library && dice.Chance(20);
  const int64_t groups = is_depthwise ? dice.OneOf<int64_t>({8, 16, 32, 33, 64})
                         : is_thin    ? dice.OneOf<int64_t>({2, 3, 8, 17, 33, 70})
                                      : dice.OneOf<int64_t>({1, 1, 1, 2, 4});
  const bool has_feature_groups = dice.Chance(50) || is_library;
  const int64_t feature_groups = has_feature_groups ? groups : 1;
  const int64_t batch_groups = has_feature_groups ? 1 : groups;
  std::map<char, int64_t> input, kernel, output;
  input['b'] = dice.OneOf<int64_t>({1, 2, 3}) * batch_groups;
  input['f'] = feature_groups * (is_depthwise ? 1
                                 : is_thin    ? dice.OneOf<int64_t>({1, 1, 1, 2, 5})
                                 : is_library ? dice.OneOf<int64_t>({3, 8, 16, 20, 32, 40, 64})
                                              : dice.OneOf<int64_t>({1, 3, 8, 20}));
  kernel['i'] = input['f'] / feature_groups;
  kernel['o'] = groups * (is_depthwise ? 1
                          : is_thin    ? dice.OneOf<int64_t>({1, 1, 2, 3})
                          : is_library ? dice.OneOf<int64_t>({4, 16, 32, 48, 70})
                                       : dice.OneOf<int64_t>({1, 4, 16, 70}));
  output['b'] = input['b'] / batch_groups;
  output['f'] = kernel['o'];
  std::vector<std::string> sizes, strides, pads, lhs_dilations, rhs_dilations, reversals;
  std::string spatial;
  for (size_t d = 0; d < rank; ++d) {
    const char name = static_cast<char>('0' + d);
    spatial += name;
    input[name] = is_thin && rank < 3
                      ? dice.OneOf<int64_t>({1, 4, 7, 12, 19, 30, 30, dice.Chance(10) ? 0 : 40})
                      : dice.OneOf<int64_t>({1, 4, 7, 12});
    kernel[name] = is_thin ? dice.OneOf<int64_t>({1, 2, 3, 3, 5}) : dice.OneOf<int64_t>({1, 2, 3});
    const int64_t stride = is_gradient ? 1
                           : is_thin   ? dice.OneOf<int64_t>({1, 1, 2, 3})
                                       : dice.OneOf<int64_t>({1, 1, 2});
    const int64_t least = input[name] <= 1 ? 0 : -1;  // the window must have somewhere to stand
    const int64_t low = std::max(least, dice.OneOf<int64_t>({0, 1, 2, -1}));
    const int64_t high = std::max(least, dice.OneOf<int64_t>({0, 1, 2, -1}));
    const int64_t lhs_dilation = is_library && !is_gradient ? 1 : dice.OneOf<int64_t>({1, 1, 2});
    const int64_t rhs_dilation = dice.OneOf<int64_t>({1, 1, 2});
    const int64_t held = input[name] == 0 ? 0 : (input[name] - 1) * lhs_dilation + 1;
    const int64_t total = held + low + high;
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
  return ProgramOf(
      LabelledShape(types.operand, input_labels, input),
      LabelledShape(types.operand, kernel_labels, kernel),
      LabelledShape(types.result, output_labels, output) + " convolution(x, y)" + attributes);
}

}  // namespace

std::string RandomConvolution(uint32_t seed) {
  Dice dice(seed);
  return ConvolutionOf(dice, ConvolutionUse::kAny);
}

std::string RandomThinConvolution(uint32_t seed) {
  Dice dice(seed);
  return ConvolutionOf(dice, ConvolutionUse::kThinGroups);
}

std::string RandomLibraryConvolution(uint32_t seed) {
  Dice dice(seed);
  return ConvolutionOf(dice, ConvolutionUse::kLibrary);
}

// Images and the gradient of what a convolution makes of them; labels are named by the roles that
// dimensions have in that convolution, and change names where they are written.
std::string RandomKernelGradient(uint32_t seed) {
  Dice dice(seed);
  const Types types =
      dice.OneOf<Types>({{"f32", "f32"}, {"f32", "f32"}, {"bf16", "bf16"}, {"bf16", "f32"}});
  const int64_t groups = dice.OneOf<int64_t>({1, 1, 1, 1, 2, 16, 32, 80});
  const bool is_depthwise = groups > 2;
  std::map<char, int64_t> image, result, kernel;
  image['b'] = result['b'] = dice.OneOf<int64_t>({1, 2, 3});
  image['f'] = groups * (is_depthwise ? 1 : dice.OneOf<int64_t>({3, 16}));
  result['f'] = groups * (is_depthwise ? 1 : dice.OneOf<int64_t>({4, 16, 33, 96}));
  kernel['i'] = image['f'] / groups;
  kernel['o'] = result['f'];
  std::vector<std::string> sizes, strides, pads, dilations;
  std::string spatial;
  const int64_t rank = dice.OneOf<int64_t>({1, 2, 2, 2, 3});
  for (int64_t d = 0; d < rank; ++d) {
    const char name = static_cast<char>('0' + d);
    spatial += name;
    image[name] = rank == 3 ? dice.OneOf<int64_t>({3, 5}) : dice.OneOf<int64_t>({5, 8, 13});
    kernel[name] = dice.OneOf<int64_t>({1, 2, 3});
    const int64_t stride = dice.OneOf<int64_t>({1, 1, 2});
    const int64_t dilation = dice.OneOf<int64_t>({1, 1, 1, 2});
    const int64_t reach = (kernel[name] - 1) * dilation;
    const int64_t low = dice.Below(reach + 1);
    result[name] = (image[name] + low + dice.Below(reach + 1) - reach - 1) / stride + 1;
    // As much as the result has windows for.
    const int64_t high = (result[name] - 1) * stride + reach + 1 - image[name] - low;
    sizes.push_back(std::to_string(result[name]));
    strides.push_back(std::to_string(dilation));
    pads.push_back(fmt::format("{}_{}", low, high));
    dilations.push_back(std::to_string(stride));
  }
  std::string image_order = "b" + spatial + "f", result_order = image_order,
              kernel_order = spatial + "io";
  if (dice.Chance(30)) image_order = result_order = "bf" + spatial;
  if (dice.Chance(20)) {
    dice.Shuffle(image_order);
    dice.Shuffle(result_order);
    dice.Shuffle(kernel_order);
  }
  const auto written = [](std::string order, std::string_view from, std::string_view to) {
    for (char& role : order) {
      if (const size_t i = from.find(role); i != from.npos) role = to[i];
    }
    return order;
  };
  std::string attributes =
      fmt::format(", window={{size={} stride={} pad={} rhs_dilate={}}}, dim_labels={}_{}->{}",
                  fmt::join(sizes, "x"), fmt::join(strides, "x"), fmt::join(pads, "x"),
                  fmt::join(dilations, "x"), written(image_order, "bf", "fb"),
                  written(result_order, "bf", "io"), written(kernel_order, "io", "bf"));
  if (groups > 1) attributes += fmt::format(", batch_group_count={}", groups);
  return ProgramOf(
      LabelledShape(types.operand, image_order, image),
      LabelledShape(types.operand, result_order, result),
      LabelledShape(types.result, kernel_order, kernel) + " convolution(x, y)" + attributes);
}

}  // namespace hlo::testing
