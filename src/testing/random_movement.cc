// Random programs of one instruction that walks over its operand in an order of its own.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "testing/dice.h"
#include "testing/random_program.h"
#include "testing/random_shape.h"

namespace hlo::testing {
namespace {

Sizes RandomSizes(Dice& dice, int64_t rank) {
  Sizes sizes;
  for (int64_t d = 0; d < rank; ++d) {
    sizes.push_back(dice.Chance(10) ? 1 : 1 + dice.Below(d + 1 == rank ? 40 : 9));
  }
  return sizes;
}

std::string BinaryFunction(const std::string& type, const std::string& opcode) {
  return fmt::format(
      "f {{\n  a = {0}[] parameter(0)\n  b = {0}[] parameter(1)\n  ROOT r = {0}[] {1}(a, b)\n}}\n",
      type, opcode);
}

// The fields of a window, one entry for each dimension.
struct WindowFields {
  std::vector<std::string> size, stride, pad, base_dilation, window_dilation;

  std::string Text() const {
    return fmt::format("window={{size={} stride={} pad={} lhs_dilate={} rhs_dilate={}}}",
                       fmt::join(size, "x"), fmt::join(stride, "x"), fmt::join(pad, "x"),
                       fmt::join(base_dilation, "x"), fmt::join(window_dilation, "x"));
  }

  void Add(int64_t size_, int64_t stride_, int64_t low, int64_t high, int64_t base,
           int64_t dilation) {
    size.push_back(fmt::format("{}", size_));
    stride.push_back(fmt::format("{}", stride_));
    pad.push_back(fmt::format("{}_{}", low, high));
    base_dilation.push_back(fmt::format("{}", base));
    window_dilation.push_back(fmt::format("{}", dilation));
  }
};

// Windows over dimensions of these sizes, some of which have none.
WindowFields RandomWindows(Dice& dice, const Sizes& sizes, int64_t chance_of_none) {
  WindowFields window;
  for (int64_t n : sizes) {
    if (dice.Chance(chance_of_none)) {
      window.Add(1, 1, 0, 0, 1, 1);
    } else if (dice.Chance(20)) {  // all of it
      const int64_t padding = dice.Below(3);
      window.Add(n + 2 * padding, 1, padding, padding, 1, 1);
    } else if (dice.Chance(30)) {  // cumulative, one way or the other
      const bool is_forward = dice.Chance(50);
      window.Add(n, 1, is_forward ? n - 1 : 0, is_forward ? 0 : n - 1, 1, 1);
    } else {
      window.Add(1 + dice.Below(5), 1 + dice.Below(3), dice.Below(5) - 1, dice.Below(5) - 1,
                 dice.Chance(30) ? 2 + dice.Below(4) : 1, dice.Chance(20) ? 2 : 1);
    }
  }
  return window;
}

}  // namespace

std::string RandomWindow(uint32_t seed, bool is_sum) {
  Dice dice(seed);
  const std::string type =
      is_sum ? dice.OneOf<std::string>(
                   {"f32", "f32", "f64", "bf16", "f16", "f8e4m3fnuz", "c64", "c128"})
             : dice.OneOf<std::string>({"f32", "bf16", "f64", "s32", "u8", "s64", "pred", "f16",
                                        "s4", "u2", "f8e5m2", "f4e2m1fn"});
  const bool is_float = type[0] == 'f' || type[0] == 'b';
  const std::string opcode =
      is_sum           ? "add"
      : type == "pred" ? dice.OneOf<std::string>({"and", "or"})
      : is_float       ? dice.OneOf<std::string>({"maximum", "minimum"})
                       : dice.OneOf<std::string>({"maximum", "minimum", "add", "and", "or"});
  Sizes sizes = RandomSizes(dice, 1 + dice.Below(4));
  const bool has_planes = dice.Chance(30);
  WindowFields window = RandomWindows(dice, sizes, has_planes ? 10 : 40);
  if (has_planes) {
    sizes.insert(sizes.begin(), 16 + dice.Below(150));
    window.size.insert(window.size.begin(), "1");
    window.stride.insert(window.stride.begin(), "1");
    window.pad.insert(window.pad.begin(), "0_0");
    window.base_dilation.insert(window.base_dilation.begin(), "1");
    window.window_dilation.insert(window.window_dilation.begin(), "1");
  }
  return fmt::format(
      "HloModule random\n\n{}\nENTRY main {{\n  x = {} parameter(0)\n  y = {}[] parameter(1)\n"
      "  ROOT r = reduce-window(x, y), {}, to_apply=f\n}}\n",
      BinaryFunction(type, opcode), ShapeOf(type, sizes), type, window.Text());
}

namespace {

// Of what is there and an update: by `opcode`, or the update alone.
std::string UpdateFunction(Dice& dice, const std::string& type, const std::string& opcode) {
  if (dice.Chance(70)) return BinaryFunction(type, opcode);
  return fmt::format("f {{\n  a = {0}[] parameter(0)\n  ROOT b = {0}[] parameter(1)\n}}\n", type);
}

}  // namespace

std::string RandomScatter(uint32_t seed) {
  Dice dice(seed);
  const auto type = dice.OneOf<std::string>(
      {"f32", "bf16", "s32", "f16", "s64", "f64", "s4", "u4", "f8e4m3fnuz", "f4e2m1fn", "c64"});
  const auto opcode = type == "c64"
                          ? dice.OneOf<std::string>({"add", "multiply"})
                          : dice.OneOf<std::string>({"add", "maximum", "minimum", "multiply"});
  const Sizes sizes = RandomSizes(dice, 1 + dice.Below(3));
  const auto rank = static_cast<int64_t>(sizes.size());
  const int64_t count = 1 + dice.Below(6);
  std::vector<std::string> starts;
  for (int64_t i = 0; i < count; ++i) {
    starts.push_back(fmt::format("{{{}}}", dice.Below(sizes[0] + 3) - 1));
  }
  // The first dimension is started somewhere; it is in the windows, or each takes one element.
  const bool has_first = dice.Chance(40);
  const bool scatter_last = dice.Chance(30);  // windows come before the number of the start
  Sizes window, inserted;
  if (!has_first) inserted.push_back(0);
  for (int64_t d = has_first ? 0 : 1; d < rank; ++d) {
    const int64_t size = sizes[static_cast<size_t>(d)];
    window.push_back(dice.Chance(60) ? size : 1 + dice.Below(size));
  }
  Sizes updates = window, window_dims;
  updates.insert(scatter_last ? updates.end() : updates.begin(), count);
  for (size_t d = 0; d < window.size(); ++d) {
    window_dims.push_back(static_cast<int64_t>(d) + (scatter_last ? 0 : 1));
  }
  return fmt::format(
      "HloModule random\n\n{}\nENTRY main {{\n  x = {} parameter(0)\n"
      "  i = s32[{},1] constant({{{}}})\n  u = {} parameter(1)\n"
      "  ROOT r = scatter(x, i, u), update_window_dims={{{}}}, inserted_window_dims={{{}}}, "
      "scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, to_apply=f\n}}\n",
      UpdateFunction(dice, type, opcode), ShapeOf(type, sizes), count, fmt::join(starts, ","),
      ShapeOf(type, updates), fmt::join(window_dims, ","), fmt::join(inserted, ","));
}

std::string RandomScatterOfRows(uint32_t seed) {
  Dice dice(seed);
  const auto type = dice.OneOf<std::string>({"f32", "f32", "bf16", "s32", "f64"});
  const auto opcode = dice.OneOf<std::string>({"add", "maximum"});
  const int64_t row = dice.Chance(20) ? 1 : 2 + dice.Below(100);
  Sizes sizes = {1 + (int64_t{1} << (17 + dice.Below(3))) / row};
  // The row's place may be two numbers.
  const bool has_two = dice.Chance(40);
  if (has_two) sizes = {1 + sizes[0] / 20, 20};
  const int64_t count = 1 + (int64_t{1} << 17) / row + dice.Below(5000);
  const std::string indices = ShapeOf("s32", {count, has_two ? 2 : 1});
  sizes.push_back(row);
  return fmt::format(
      "HloModule random\n\n{}\nENTRY main {{\n  x = {} parameter(0)\n  p = {} parameter(1)\n"
      "  c = s32[] constant({})\n  m = {} broadcast(c), dimensions={{}}\n"
      "  i = {} remainder(p, m)\n  u = {} parameter(2)\n"
      "  ROOT r = scatter(x, i, u), update_window_dims={{1}}, inserted_window_dims={{{}}}, "
      "scatter_dims_to_operand_dims={{{}}}, index_vector_dim=1, to_apply=f\n}}\n",
      UpdateFunction(dice, type, opcode), ShapeOf(type, sizes), indices, sizes[0] + 2, indices,
      indices, ShapeOf(type, {count, row}), has_two ? "0,1" : "0", has_two ? "0,1" : "0");
}

std::string RandomSort(uint32_t seed) {
  Dice dice(seed);
  const Sizes sizes = RandomSizes(dice, 1 + dice.Below(3));
  const auto operand_count = static_cast<size_t>(1 + dice.Below(3));
  const auto key = static_cast<size_t>(dice.Below(static_cast<int64_t>(operand_count)));
  std::string text, parameters, operands, shapes;
  std::string function = "less {\n";
  std::string key_type;
  for (size_t k = 0; k < operand_count; ++k) {
    const auto type = dice.OneOf<std::string>(
        {"f32", "bf16", "s32", "s8", "u8", "f16", "s64", "pred", "f8e5m2", "s4", "u32", "f64"});
    if (k == key) key_type = type;
    function += fmt::format("  a{0} = {1}[] parameter({2})\n  b{0} = {1}[] parameter({3})\n", k,
                            type, 2 * k, 2 * k + 1);
    const std::string shape = ShapeOf(type, sizes);
    // Roots of negative numbers are NaN.
    const bool has_nan = (type == "f32" || type == "bf16") && dice.Chance(30);
    parameters +=
        fmt::format("  {} = {} parameter({})\n",
                    has_nan ? "p" + std::to_string(k) : "x" + std::to_string(k), shape, k);
    if (has_nan) parameters += fmt::format("  x{0} = {1} sqrt(p{0})\n", k, shape);
    operands += fmt::format("{}x{}", k == 0 ? "" : ", ", k);
    shapes += (k == 0 ? "" : ", ") + shape;
  }
  const bool is_float = key_type[0] == 'f' || key_type[0] == 'b';
  const auto direction = dice.OneOf<std::string>({"LT", "GT"});
  const bool is_canonical = key_type != "f8e5m2" && is_float && dice.Chance(30);
  if (is_canonical) {
    function += fmt::format("  zero = {0}[] constant(0)\n  nans = {0}[] constant(nan)\n", key_type);
    for (const char side : {'a', 'b'}) {
      function += fmt::format(
          "  {0}0 = pred[] compare({1}, zero), direction=EQ\n  {0}1 = {2}[] select({0}0, zero, "
          "{1})\n"
          "  {0}2 = pred[] compare({0}1, {0}1), direction=NE\n"
          "  {0}3 = {2}[] select({0}2, nans, {0}1)\n",
          fmt::format("{}k", side), fmt::format("{}{}", side, key), key_type);
    }
    function +=
        "  ROOT l = pred[] compare(ak3, bk3), direction=" + direction + ", type=TOTALORDER\n}\n";
  } else {
    function += fmt::format("  ROOT l = pred[] compare(a{0}, b{0}), direction={1}{2}\n}}\n", key,
                            direction, is_float && dice.Chance(50) ? ", type=TOTALORDER" : "");
  }
  return fmt::format(
      "HloModule random\n\n{}\nENTRY main {{\n{}  ROOT r = {} sort({}), dimensions={{{}}}, "
      "is_stable=true, to_apply=less\n}}\n",
      function, parameters, operand_count == 1 ? shapes : "(" + shapes + ")", operands,
      dice.Below(static_cast<int64_t>(sizes.size())));
}

namespace {

// What a comparator of several keys asks of operand k: whether one comes before the other, and
// whether they are equal.
std::string KeyQuestions(Dice& dice, int64_t k, const std::string& type) {
  const bool is_float = type == "f32" || type == "f64" || type == "bf16";
  const bool is_total = is_float && dice.Chance(70);
  const bool is_canonical = is_total && dice.Chance(50);
  std::string text, a = fmt::format("a{}", k), b = fmt::format("b{}", k);
  if (is_canonical) {
    text = fmt::format("  zero{0} = {1}[] constant(0)\n  nans{0} = {1}[] constant(nan)\n", k, type);
    for (std::string* side : {&a, &b}) {
      text += fmt::format(
          "  {0}0 = pred[] compare({0}, zero{1}), direction=EQ\n"
          "  {0}1 = {2}[] select({0}0, zero{1}, {0})\n"
          "  {0}2 = pred[] compare({0}, {0}), direction=NE\n"
          "  {0}3 = {2}[] select({0}2, nans{1}, {0}1)\n",
          *side, k, type);
      *side += "3";
    }
  }
  if (dice.Chance(20)) std::swap(a, b);
  const std::string order = is_total ? ", type=TOTALORDER" : "";
  text += fmt::format("  less{0} = pred[] compare({1}, {2}), direction={3}{4}\n", k, a, b,
                      dice.OneOf<std::string>({"LT", "GT"}), order);
  return text + fmt::format("  equal{} = pred[] compare({}, {}), direction=EQ{}\n", k, a, b, order);
}

}  // namespace

std::string RandomSortByKeys(uint32_t seed) {
  Dice dice(seed);
  const Sizes sizes = RandomSizes(dice, 1 + dice.Below(3));
  const int64_t operand_count = 2 + dice.Below(3);
  Sizes order(static_cast<size_t>(operand_count));
  std::iota(order.begin(), order.end(), 0);
  dice.Shuffle(order);
  order.resize(static_cast<size_t>(2 + dice.Below(operand_count - 1)));
  std::string parameters, body, operands, shapes, function = "less {\n";
  for (int64_t k = 0; k < operand_count; ++k) {
    const auto type = dice.OneOf<std::string>({"f32", "f64", "bf16", "s32", "s64", "u8", "pred"});
    function += fmt::format("  a{0} = {1}[] parameter({2})\n  b{0} = {1}[] parameter({3})\n", k,
                            type, 2 * k, 2 * k + 1);
    if (std::ranges::find(order, k) != order.end()) body += KeyQuestions(dice, k, type);
    // Few different values; roots of negative numbers are NaN.
    const std::string numbers = ShapeOf("s32", sizes), shape = ShapeOf(type, sizes);
    parameters += fmt::format(
        "  p{0} = {1} parameter({0})\n  c{0} = s32[] constant({2})\n"
        "  m{0} = {1} broadcast(c{0}), dimensions={{}}\n  f{0} = {1} remainder(p{0}, m{0})\n"
        "  v{0} = {3} convert(f{0})\n  x{0} = {3} {4}(v{0})\n",
        k, numbers, 2 + dice.Below(6), shape,
        (type == "f32" || type == "f64") && dice.Chance(30) ? "sqrt" : "copy");
    operands += fmt::format("{}x{}", k == 0 ? "" : ", ", k);
    shapes += (k == 0 ? "" : ", ") + shape;
  }
  std::string decision = fmt::format("less{}", order.back());
  for (size_t i = order.size() - 1; i-- > 0;) {
    const int64_t k = order[i];
    body += dice.Chance(60)
                ? fmt::format(
                      "  both{0} = pred[] and(equal{0}, {1})\n"
                      "  d{0} = pred[] or(less{0}, both{0})\n",
                      k, decision)
                : fmt::format("  d{0} = pred[] select(equal{0}, {1}, less{0})\n", k, decision);
    decision = fmt::format("d{}", k);
  }
  return fmt::format(
      "HloModule random\n\n{}{}  ROOT l = pred[] copy({})\n}}\n\nENTRY main {{\n{}  ROOT r = ({}) "
      "sort({}), dimensions={{{}}}, is_stable=true, to_apply=less\n}}\n",
      function, body, decision, parameters, shapes, operands,
      dice.Below(static_cast<int64_t>(sizes.size())));
}

namespace {

// The select function of a select-and-scatter: mostly a comparison, else one that ignores an
// element or computes something, of elements of `type`.
std::string SelectFunction(Dice& dice, const std::string& type, bool is_float) {
  const auto direction = dice.OneOf<std::string>({"GE", "GT", "LE", "LT"});
  const std::string order = is_float && dice.Chance(40) ? ", type=TOTALORDER" : "";
  const std::string begin =
      fmt::format("g {{\n  a = {0}[] parameter(0)\n  b = {0}[] parameter(1)\n", type);
  if (dice.Chance(70)) {
    return begin + fmt::format("  ROOT p = pred[] compare({}), direction={}{}\n}}\n",
                               dice.OneOf<std::string>({"a, b", "b, a"}), direction, order);
  }
  if (dice.Chance(15)) {
    return begin + fmt::format("  ROOT p = pred[] constant({})\n}}\n",
                               dice.OneOf<std::string>({"true", "false"}));
  }
  return begin + fmt::format(
                     "  c = {0}[] constant({1})\n  d = {0}[] {2}(a, c)\n"
                     "  ROOT p = pred[] compare({3}), direction={4}{5}\n}}\n",
                     type, 1 + dice.Below(2),
                     dice.OneOf<std::string>({"multiply", "minimum", "subtract"}),
                     dice.OneOf<std::string>({"d, b", "b, d", "a, c", "c, b"}), direction, order);
}

std::string ScatterFunction(Dice& dice, const std::string& type) {
  if (dice.Chance(60)) return BinaryFunction(type, "add");
  const std::string body =
      dice.OneOf<std::string>({"maximum(a, b)", "multiply(a, b)", "subtract(b, a)", "copy(a)",
                               "copy(b)", "constant(3)", "negate(b)"});
  return fmt::format(
      "f {{\n  a = {0}[] parameter(0)\n  b = {0}[] parameter(1)\n  ROOT r = {0}[] {1}\n}}\n", type,
      body);
}

}  // namespace

std::string RandomSelectAndScatter(uint32_t seed) {
  Dice dice(seed);
  const auto type = dice.OneOf<std::string>({"f32", "f32", "bf16", "f16", "f64", "s32", "s8"});
  Sizes sizes, counts;
  WindowFields window;
  for (int64_t rank = 1 + dice.Below(4); rank > 0; --rank) {
    const int64_t n = 1 + dice.Below(rank == 1 ? 20 : 7);
    const bool has_window = dice.Chance(60);
    const int64_t size = has_window ? 1 + dice.Below(std::min<int64_t>(n, 3)) : 1;
    const int64_t stride = has_window ? 1 + dice.Below(3) : 1;
    const int64_t low = has_window ? dice.Below(2) : 0, high = has_window ? dice.Below(2) : 0;
    const int64_t dilation = has_window && size < n && dice.Chance(20) ? 2 : 1;
    window.Add(size, stride, low, high, 1, dilation);
    sizes.push_back(n);
    counts.push_back((n + low + high - ((size - 1) * dilation + 1)) / stride + 1);
  }
  // Roots of negative numbers are NaN.
  const bool is_float = type[0] != 's';
  const bool has_nan = is_float && dice.Chance(30);
  return fmt::format(
      "HloModule random\n\n{1}{2}\nENTRY main {{\n  y = {3} parameter(0)\n"
      "  x = {3} {4}(y)\n  s = {5} parameter(1)\n  i = {0}[] constant(1)\n"
      "  ROOT r = {3} select-and-scatter(x, s, i), {6}, select=g, scatter=f\n}}\n",
      type, SelectFunction(dice, type, is_float), ScatterFunction(dice, type), ShapeOf(type, sizes),
      has_nan ? "sqrt" : "negate", ShapeOf(type, counts), window.Text());
}

namespace {

// What folds one to three arrays of `sizes`: a function `f` of a few instructions, and the lines
// that make arrays and initial values.
class RandomFold {
 public:
  RandomFold(Dice& dice, const Sizes& sizes) : dice_(dice), arrays_(1 + dice.Below(3)) {
    for (int64_t k = 0; k < 2 * arrays_; ++k) AddParameter(k, sizes);
    WriteFunction();
  }

  // `instruction` over all arrays.
  std::string Program(const std::string& instruction, const std::string& attributes) const {
    return fmt::format(
        "HloModule random\n\n{}\nENTRY main {{\n{}  ROOT r = {}({}{}), {}, to_apply=f\n}}\n",
        function_, begin_, instruction, operands_, inits_, attributes);
  }

 private:
  void AddParameter(int64_t k, const Sizes& sizes) {
    if (k < arrays_) {
      types_.push_back(
          dice_.OneOf<std::string>({"f32", "s32", "bf16", "f64", "u8", "s4", "f8e4m3fnuz"}));
    }
    const std::string& type = types_[static_cast<size_t>(k % arrays_)];
    const char side = k < arrays_ ? 'a' : 'x';
    function_ += fmt::format("  {}{} = {}[] parameter({})\n", side, k % arrays_, type, k);
    if (k >= arrays_) return;
    begin_ += fmt::format("  in{0} = {1} parameter({0})\n  init{0} = {2}[] constant({3})\n", k,
                          ShapeOf(type, sizes), type, dice_.Below(3));
    operands_ += fmt::format("in{}, ", k);
    inits_ += fmt::format("{}init{}", k == 0 ? "" : ", ", k);
  }

  void WriteFunction() {
    // Who is chosen may depend on another array, as in argmax.
    const int64_t judge = dice_.Below(arrays_);
    std::string results;
    function_ += fmt::format("  p = pred[] compare(a{0}, x{0}), direction={1}\n", judge,
                             dice_.OneOf<std::string>({"LT", "GE", "EQ", "NE"}));
    for (int64_t k = 0; k < arrays_; ++k) {
      const std::string& type = types_[static_cast<size_t>(k)];
      function_ += fmt::format(
          "  c{0} = {1}[] constant({2})\n  t{0} = {1}[] {3}(x{0}, c{0})\n", k, type,
          1 + dice_.Below(5), dice_.OneOf<std::string>({"maximum", "add", "multiply", "subtract"}));
      const std::string result =
          dice_.Chance(10) ? fmt::format("copy({}{})", dice_.Chance(50) ? 'a' : 'x', k)
          : dice_.Chance(70)
              ? fmt::format("select(p, a{0}, t{0})", k)
              : fmt::format("{1}(t{0}, a{0})", k,
                            dice_.OneOf<std::string>({"minimum", "subtract", "maximum"}));
      function_ += fmt::format("  r{} = {}[] {}\n", k, type, result);
      results += fmt::format("{}r{}", k == 0 ? "" : ", ", k);
    }
    std::vector<std::string> scalars;
    for (const std::string& type : types_) scalars.push_back(type + "[]");
    function_ += arrays_ == 1 ? "  ROOT r = " + types_[0] + "[] copy(r0)\n}\n"
                              : fmt::format("  ROOT r = ({}) tuple({})\n}}\n",
                                            fmt::join(scalars, ", "), results);
  }

  Dice& dice_;
  int64_t arrays_;
  std::vector<std::string> types_;
  std::string function_ = "f {\n", begin_, operands_, inits_;
};

}  // namespace

std::string RandomReduce(uint32_t seed) {
  Dice dice(seed);
  Sizes sizes = RandomSizes(dice, 1 + dice.Below(4));
  // Few results, or one, and longer lines than are taken at a time.
  if (dice.Chance(20)) sizes[static_cast<size_t>(dice.Below(std::ssize(sizes)))] += 700;
  const int reduces = dice.Chance(30) ? 90 : 50;  // percent
  Sizes reduced;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (dice.Chance(reduces)) reduced.push_back(static_cast<int64_t>(d));
  }
  return RandomFold(dice, sizes)
      .Program("reduce", fmt::format("dimensions={{{}}}", fmt::join(reduced, ",")));
}

std::string RandomWindowByFunction(uint32_t seed) {
  Dice dice(seed);
  const Sizes sizes = RandomSizes(dice, 1 + dice.Below(4));
  const WindowFields window = RandomWindows(dice, sizes, /*chance_of_none=*/40);
  if (dice.Chance(80)) {
    return RandomFold(dice, sizes).Program("reduce-window", window.Text());
  }
  const auto type = dice.OneOf<std::string>({"f32", "f64", "bf16", "s32", "c64"});
  return fmt::format(
      "HloModule random\n\n{}\nENTRY main {{\n  x = {} parameter(0)\n  y = {}[] parameter(1)\n"
      "  ROOT r = reduce-window(x, y), {}, to_apply=f\n}}\n",
      BinaryFunction(type, "multiply"), ShapeOf(type, sizes), type, window.Text());
}

std::string RandomTranspose(uint32_t seed) {
  Dice dice(seed);
  const auto type = dice.OneOf<std::string>({"u8", "bf16", "f32", "f64", "c64", "c128", "pred"});
  const bool has_short_dimensions = dice.Chance(25);  // and many of them, such as of qubits
  Sizes permutation(static_cast<size_t>(has_short_dimensions ? 6 + dice.Below(9) : dice.Below(6)));
  std::iota(permutation.begin(), permutation.end(), 0);
  dice.Shuffle(permutation);
  Sizes operand(permutation.size()), result(permutation.size());
  int64_t room = int64_t{1} << 17;  // elements
  for (int64_t& size : operand) {
    const int64_t most = has_short_dimensions ? dice.OneOf<int64_t>({2, 4, 7})
                                              : dice.OneOf<int64_t>({3, 20, 70, 200});
    const int64_t large = std::min(room, most);
    size = dice.Chance(2) ? 0 : 1 + dice.Below(large);
    room = std::max<int64_t>(1, room / std::max<int64_t>(1, size));
  }
  dice.Shuffle(operand);
  for (size_t d = 0; d < result.size(); ++d) {
    result[d] = operand[static_cast<size_t>(permutation[d])];
  }
  return fmt::format(
      "HloModule random\nENTRY main {{\n  x = {} parameter(0)\n  ROOT r = {} transpose(x), "
      "dimensions={{{}}}\n}}\n",
      ShapeOf(type, operand), ShapeOf(type, result), fmt::join(permutation, ","));
}

namespace {

// Sizes with this product.
Sizes RandomFactors(Dice& dice, int64_t product) {
  Sizes factors;
  while (product > 1) {
    int64_t factor = 1;
    for (int64_t prime : {2, 2, 3, 5}) {
      if (product % (factor * prime) == 0 && dice.Chance(60)) factor *= prime;
    }
    factors.push_back(factor > 1 || dice.Chance(20) ? factor : product);
    product /= factors.back();
  }
  dice.Shuffle(factors);
  return factors;
}

std::string RandomLayout(Dice& dice, size_t rank) {
  Sizes order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  if (dice.Chance(70)) dice.Shuffle(order);
  return fmt::format("{{{}}}", fmt::join(order, ","));
}

}  // namespace

std::string RandomBitcast(uint32_t seed) {
  Dice dice(seed);
  const auto types = dice.OneOf<std::array<std::string, 2>>({{"u8", "s8"},
                                                             {"bf16", "f16"},
                                                             {"f32", "f32"},
                                                             {"f64", "u64"},
                                                             {"c64", "c64"},
                                                             {"pred", "pred"},
                                                             {"pred", "u8"},
                                                             {"s4", "s4"}});
  const int64_t count = dice.OneOf<int64_t>({1, 30, 480, 3600, 64800});
  const Sizes from = RandomFactors(dice, count);
  const Sizes to = dice.Chance(30) ? from : RandomFactors(dice, count);
  return fmt::format(
      "HloModule random\nENTRY main {{\n  x = {}{} parameter(0)\n"
      "  ROOT r = {}{} bitcast(x)\n}}\n",
      ShapeOf(types[0], from), RandomLayout(dice, from.size()), ShapeOf(types[1], to),
      RandomLayout(dice, to.size()));
}

std::string RandomFft(uint32_t seed) {
  Dice dice(seed);
  const auto fft_type = dice.OneOf<std::string>({"FFT", "IFFT", "RFFT", "IRFFT"});
  const bool is_double = dice.Chance(50);
  const std::string complex = is_double ? "c128" : "c64", real = is_double ? "f64" : "f32";
  const int64_t rank = 1 + dice.Below(3);
  Sizes lengths, whole;
  for (int64_t rest = dice.Below(3); rest > 0; --rest) whole.push_back(1 + dice.Below(12));
  const int64_t large = rank == 1 ? 3000 : rank == 2 ? 70 : 20;
  for (int64_t a = 0; a < rank; ++a) {
    lengths.push_back(dice.Chance(30) ? dice.OneOf<int64_t>({1, 8, 16, 17, 31, 37})
                                      : 1 + dice.Below(large));
    // Long lines of small and of large factors.
    if (rank == 1 && dice.Chance(20)) {
      lengths[0] = dice.OneOf<int64_t>({1024, 1536, 2000, 4096, 3125, 32768, 40000, 4099});
      whole.resize(std::min<size_t>(whole.size(), 1));
    }
  }
  whole.insert(whole.end(), lengths.begin(), lengths.end());
  Sizes half = whole;
  half.back() = half.back() / 2 + 1;
  return fmt::format(
      "HloModule random\n\nENTRY main {{\n  x = {} parameter(0)\n  ROOT r = {} fft(x), "
      "fft_type={}, fft_length={{{}}}\n}}\n",
      fft_type == "IRFFT" ? ShapeOf(complex, half)
                          : ShapeOf(fft_type == "RFFT" ? real : complex, whole),
      fft_type == "IRFFT" ? ShapeOf(real, whole)
                          : ShapeOf(complex, fft_type == "RFFT" ? half : whole),
      fft_type, fmt::join(lengths, ","));
}

std::string RandomBits(uint32_t seed) {
  Dice dice(seed);
  const auto type = dice.OneOf<std::string>({"u32", "u64", "s32", "s64", "f32", "f64", "u8", "u16",
                                             "s4", "u2", "bf16", "f8e5m2", "f6e2m3fn"});
  const bool is_threefry = dice.Chance(50);
  Sizes sizes = RandomSizes(dice, dice.Below(4));
  if (dice.Chance(20)) sizes.push_back(1000 + dice.Below(1000));
  const int64_t words = is_threefry ? 2 : 2 + dice.Below(2);
  const auto word = [&] {
    return dice.OneOf<std::string>({"0", "1", "42", "18446744073709551615", "18446744073709551600",
                                    "4294967290", "81985529216486895"});
  };
  std::string state = word() + ", " + word();
  if (words == 3) state += ", " + word();
  return fmt::format(
      "HloModule random\n\nENTRY main {{\n  k = u64[{0}] constant({{{1}}})\n"
      "  ROOT r = (u64[{0}], {2}) rng-bit-generator(k), algorithm={3}\n}}\n",
      words, state, ShapeOf(type, sizes), is_threefry ? "rng_three_fry" : "rng_philox");
}

}  // namespace hlo::testing
