// Random chains of elementwise instructions on elements of 32 and 64 bits: arrays, rows that
// repeat, one element for each row and one for all, whole groups of vectors and what is left behind
// them, values that are wanted again, what comparisons choose, several results. What the simd
// backend makes of them in registers is what the reference backend says, bit for bit but for the
// sign and payload of NaN; functions have the bits that they have alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ir/element_traits.h"
#include "testing/dice.h"
#include "testing/element_values.h"
#include "testing/run_module.h"

namespace hlo::testing {
namespace {

struct Size {
  int64_t rows;
  int64_t length;
};
// Some are too short for chains that go by rows, and some for short chains.
constexpr Size kSizes[] = {{24, 64}, {9, 128}, {40, 63}, {7, 100}, {3, 777}, {2, 9001},
                           {1, 517}, {4, 64},  {2, 101}, {1, 130}, {30, 196}};

std::string Text(std::string_view element, Size size) {
  return fmt::format("{}[{},{}]", element, size.rows, size.length);
}
template <typename T>
std::string_view Name() {
  return ElementTypeName(kElementTypeOf<T>);
}

// --- Programs

// Instructions on x and y, arrays of T, an element for each row, one for each column, and a scalar.
// Arrays that are made before may give their memory to results.
template <typename T>
class Writer {
 public:
  Writer(Dice& dice, Size size) : dice_(dice), size_(size), type_(Text(Name<T>(), size)) {
    text_ = fmt::format(
        "HloModule chain\nENTRY main {{\n  x.given = {0} parameter(0)\n"
        "  y.given = {0} parameter(1)\n  row = {1}[{2}] parameter(2)\n"
        "  column = {1}[{3}] parameter(3)\n  all = {1}[] parameter(4)\n"
        "  flags = {4} parameter(5)\n  row_flags = pred[{2}] parameter(6)\n"
        "  column_flags = pred[{3}] parameter(7)\n  flag = pred[] parameter(8)\n",
        type_, Name<T>(), size.rows, size.length, Text("pred", size));
    const bool are_made = dice.Chance(50);
    for (const std::string_view name : {"x", "y"}) {
      text_ += are_made
                   ? fmt::format("  {0} = {1} reverse({0}.given), dimensions={{0}}\n", name, type_)
                   : fmt::format("  {0} = {1} bitcast({0}.given)\n", name, type_);
    }
  }

  // An operand of T.
  std::string Any() {
    const int64_t choice = dice_.Below(10);
    if (choice == 0) return Broadcast("row", "0", Name<T>());
    if (choice == 1) return Broadcast("column", "1", Name<T>());
    if (choice == 2) return Broadcast("all", "", Name<T>());
    if (choice < 5 || values_.empty()) return dice_.OneOf<std::string>({"x", "y"});
    return values_[static_cast<size_t>(dice_.Below(std::ssize(values_)))];
  }
  std::string Last() const { return values_.empty() ? "x" : values_.back(); }
  // Truth values.
  std::string AnyMask() {
    const int64_t choice = dice_.Below(10);
    if (choice == 0) return Broadcast("row_flags", "0", "pred");
    if (choice == 1) return Broadcast("column_flags", "1", "pred");
    if (choice == 2) return Broadcast("flag", "", "pred");
    if (choice == 3 || masks_.empty()) return "flags";
    return masks_[static_cast<size_t>(dice_.Below(std::ssize(masks_)))];
  }
  std::string AddMask(std::string_view definition) {
    return masks_.emplace_back(AddOf("pred", definition));
  }
  // One number for all elements.
  std::string Splat(int64_t number) {
    const std::string name = fmt::format("k{}", count_++);
    text_ += fmt::format("  {} = {}[] constant({})\n", name, Name<T>(), number);
    return Broadcast(name, "", Name<T>());
  }

  std::string Add(std::string_view definition) {
    return values_.emplace_back(AddOf(Name<T>(), definition));
  }
  // What is no operand of Any.
  std::string AddOf(std::string_view element, std::string_view definition) {
    const std::string name = fmt::format("v{}", count_++), shape = Text(element, size_);
    text_ += fmt::format("  {} = {} {}\n", name, shape, definition);
    last_ = {name, shape};
    if (dice_.Chance(15)) AddResult();
    return name;
  }

  // A value for each row in another type.
  std::string AddRow(std::string_view element) {
    const std::string name = fmt::format("r{}", count_++);
    text_ += fmt::format("  {} = {}[{}] convert(row)\n", name, element, size_.rows);
    return AddOf(element, fmt::format("broadcast({}), dimensions={{0}}", name));
  }

  // With what was added last among the results.
  std::string Finish() {
    AddResult();
    return text_ + fmt::format("  ROOT r = ({}) tuple({})\n}}\n", shapes_, names_);
  }

 private:
  std::string Broadcast(std::string_view operand, std::string_view dimensions,
                        std::string_view element) {
    const std::string name = fmt::format("b{}", count_++);
    text_ += fmt::format("  {} = {} broadcast({}), dimensions={{{}}}\n", name, Text(element, size_),
                         operand, dimensions);
    return name;
  }
  void AddResult() {
    const std::string_view separator = names_.empty() ? "" : ", ";
    names_ += fmt::format("{}{}", separator, last_.first);
    shapes_ += fmt::format("{}{}", separator, last_.second);
  }

  Dice& dice_;
  Size size_;
  std::string type_;
  std::string text_, names_, shapes_;
  std::pair<std::string, std::string> last_;  // name, shape
  std::vector<std::string> values_, masks_;
  int64_t count_ = 0;
};

template <typename T>
std::string AnyBinary(Dice& dice) {
  if constexpr (std::is_floating_point_v<T>) {
    return dice.OneOf<std::string>(
        {"add", "subtract", "multiply", "divide", "divide", "maximum", "minimum"});
  } else {
    return dice.OneOf<std::string>(
        {"add", "subtract", "multiply", "and", "or", "xor", "maximum", "minimum"});
  }
}
template <typename T>
std::string AnyUnary(Dice& dice) {
  if constexpr (std::is_floating_point_v<T>) {
    return dice.OneOf<std::string>(
        {"abs", "negate", "sign", "sqrt", "rsqrt", "floor", "ceil", "round-nearest-even"});
  } else {
    // popcnt is no link: chains around it.
    return dice.OneOf<std::string>(
        {"not", "negate", std::is_signed_v<T> ? "abs" : "not", "popcnt"});
  }
}

// What comparisons choose.
template <typename T>
void AddChoice(Writer<T>& writer, Dice& dice) {
  if (dice.Chance(70)) {
    writer.AddMask(fmt::format("compare({}, {}), direction={}", writer.Any(),
                               dice.Chance(50) ? writer.Last() : writer.Any(),
                               dice.OneOf<std::string>({"EQ", "NE", "LT", "LE", "GT", "GE"})));
  }
  if (dice.Chance(30)) {
    writer.AddMask(fmt::format("{}({}, {})", dice.OneOf<std::string>({"and", "or", "xor"}),
                               writer.AnyMask(), writer.AnyMask()));
  }
  if (dice.Chance(15)) writer.AddMask(fmt::format("not({})", writer.AnyMask()));
  if constexpr (std::is_floating_point_v<T>) {
    if (dice.Chance(15)) writer.AddMask(fmt::format("is-finite({})", writer.Last()));
  }
  if (dice.Chance(15)) writer.Add(fmt::format("convert({})", writer.AnyMask()));
  const std::string last = writer.Last(), other = writer.Any(), mask = writer.AnyMask();
  writer.Add(dice.Chance(50) ? fmt::format("select({}, {}, {})", mask, last, other)
                             : fmt::format("select({}, {}, {})", mask, other, last));
}

// Shifts, both joined, and rounds of Threefry; rotations where both amounts are as many as bits.
template <typename T>
void AddShifts(Writer<T>& writer, Dice& dice) {
  constexpr int64_t kBits = 8 * sizeof(T);
  const auto amount = [&](int64_t number) {
    return dice.Chance(80) ? writer.Splat(number) : writer.Any();
  };
  if (dice.Chance(30)) {
    writer.Add(fmt::format(
        "{}({}, {})",
        dice.OneOf<std::string>({"shift-left", "shift-right-logical", "shift-right-arithmetic"}),
        writer.Last(), amount(dice.Below(kBits + 4))));
    return;
  }
  for (int64_t rounds = 1 + dice.Below(3); rounds > 0; --rounds) {
    std::string number = writer.Last(), addend = writer.Any();
    if (dice.Chance(30)) std::swap(number, addend);
    const bool is_round = dice.Chance(70), is_sum_first = dice.Chance(50);
    const auto add = [&] { return writer.Add(fmt::format("add({}, {})", addend, number)); };
    const int64_t left = dice.Below(kBits + 1);
    const int64_t right = dice.Chance(80) ? kBits - left : dice.Below(kBits);
    std::string sum = is_round && is_sum_first ? add() : "";
    const std::string by_left = amount(left), by_right = amount(right);
    const std::string up = writer.Add(fmt::format("shift-left({}, {})", number, by_left));
    const std::string down =
        writer.Add(fmt::format("shift-right-logical({}, {})", number, by_right));
    const std::string turned = writer.Add(dice.Chance(50) ? fmt::format("or({}, {})", up, down)
                                                          : fmt::format("or({}, {})", down, up));
    if (is_round && !is_sum_first) sum = add();
    if (is_round) writer.Add(fmt::format("xor({}, {})", turned, sum));
  }
}

// Through a narrower float, by way of an integer, or shifts.
template <typename T>
void AddOther(Writer<T>& writer, Dice& dice) {
  if constexpr (std::is_floating_point_v<T>) {
    const std::string_view narrow_type = std::is_same_v<T, double> ? "f32" : "bf16";
    std::string narrow = dice.Chance(20)
                             ? writer.AddRow(narrow_type)
                             : writer.AddOf(narrow_type, fmt::format("convert({})", writer.Any()));
    if (dice.Chance(30)) {
      narrow = writer.AddOf("s32", fmt::format("convert({})", writer.Last()));
    } else if (dice.Chance(30)) {
      narrow = writer.AddOf("s32", fmt::format("convert({})", narrow));
    } else if (dice.Chance(50)) {
      narrow = writer.AddOf(narrow_type, fmt::format("multiply({0}, {0})", narrow));
    }
    writer.Add(fmt::format("convert({})", narrow));
  } else {
    AddShifts(writer, dice);
  }
}

template <typename T>
std::string RandomChain(uint32_t seed, Size size) {
  Dice dice(seed);
  Writer<T> writer(dice, size);
  for (int64_t rest = 2 + dice.Below(20); rest > 0; --rest) {
    const std::string last = writer.Last(), other = dice.Chance(10) ? last : writer.Any();
    if (dice.Chance(20)) {
      writer.Add(fmt::format("{}({})", AnyUnary<T>(dice), last));
    } else if (dice.Chance(10)) {
      const std::string high = writer.Any();
      writer.Add(dice.Chance(70) ? fmt::format("clamp({}, {}, {})", other, last, high)
                                 : fmt::format("clamp({}, {}, {})", last, other, high));
    } else if (dice.Chance(10)) {
      AddOther(writer, dice);
    } else if (dice.Chance(15)) {
      AddChoice(writer, dice);
    } else if (dice.Chance(30)) {
      writer.Add(fmt::format("{}({}, {})", AnyBinary<T>(dice), other, last));
    } else {
      writer.Add(fmt::format("{}({}, {})", AnyBinary<T>(dice), last, other));
    }
  }
  return writer.Finish();
}

// --- Numbers

// Of ordinary size; in large arrays some of any bits and some special ones.
template <typename T>
T Number(Dice& dice, bool is_any) {
  const auto small = static_cast<T>(dice.Below(4001) - 2000);
  const uint64_t bits = static_cast<uint64_t>(dice.Below(int64_t{1} << 32)) << 32 |
                        static_cast<uint64_t>(dice.Below(int64_t{1} << 32));
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    using Limits = std::numeric_limits<T>;
    constexpr T kInfinity = Limits::infinity();
    if (is_any && dice.Chance(10)) return std::bit_cast<T>(static_cast<Bits>(bits));
    if (is_any && dice.Chance(10)) {
      return dice.OneOf<T>({T(0), -T(0), kInfinity, -kInfinity, Limits::quiet_NaN(), Limits::max(),
                            Limits::min(), -Limits::denorm_min()});
    }
    return small / T(7);
  } else {
    return is_any && dice.Chance(50) ? static_cast<T>(bits) : small;
  }
}

template <typename T>
Literal Numbers(const std::string& shape, Dice& dice, bool is_any) {
  Literal literal = *Literal::Zeros(MakeShape(shape));
  for (T& element : literal.elements<T>()) element = Number<T>(dice, is_any);
  return literal;
}

// Where `is_any` is not set, numbers that divisions have a short way for.
template <typename T>
std::vector<Literal> Arguments(Dice& dice, Size size, bool is_any) {
  std::vector<Literal> arguments;
  for (int i = 0; i < 2; ++i) {
    arguments.push_back(Numbers<T>(Text(Name<T>(), size), dice, is_any));
  }
  arguments.push_back(Numbers<T>(fmt::format("{}[{}]", Name<T>(), size.rows), dice, is_any));
  arguments.push_back(Numbers<T>(fmt::format("{}[{}]", Name<T>(), size.length), dice, is_any));
  arguments.push_back(Numbers<T>(fmt::format("{}[]", Name<T>()), dice, is_any));
  for (const std::string& dims :
       {fmt::format("{},{}", size.rows, size.length), fmt::format("{}", size.rows),
        fmt::format("{}", size.length), std::string()}) {
    Literal& flags =
        arguments.emplace_back(*Literal::Zeros(MakeShape(fmt::format("pred[{}]", dims))));
    for (bool& flag : flags.elements<bool>()) flag = dice.Chance(50);
  }
  return arguments;
}

template <typename T>
void ExpectSameNumbers(const Literal& actual, const Literal& expected) {
  const auto found = actual.elements<T>(), wanted = expected.elements<T>();
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto a = static_cast<double>(found[i]), b = static_cast<double>(wanted[i]);
    if (a != a && b != b) continue;
    ASSERT_EQ(std::memcmp(&found[i], &wanted[i], sizeof(T)), 0)
        << "element " << i << ": " << a << ", not " << b;
  }
}

void ExpectSameElements(const Literal& actual, const Literal& expected) {
  switch (expected.shape().element_type()) {
    case ElementType::kBf16:
      return ExpectSameNumbers<Bf16>(actual, expected);
    case ElementType::kF32:
      return ExpectSameNumbers<float>(actual, expected);
    case ElementType::kF64:
      return ExpectSameNumbers<double>(actual, expected);
    default:
      EXPECT_TRUE(actual == expected);
  }
}

Literal Run(const std::string& text, std::span<const Literal> arguments, std::string_view backend) {
  absl::StatusOr<Module> module = ParseText("chains", text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  DeviceContext device;
  absl::StatusOr<Literal> result = RunModule(*module, arguments, device, backend);
  EXPECT_TRUE(result.ok()) << result.status() << "\n" << text;
  return *std::move(result);
}

// --- Tests

template <typename T>
class Chains : public ::testing::Test {};
using Types = ::testing::Types<float, double, int32_t, uint32_t, int64_t, uint64_t>;
TYPED_TEST_SUITE(Chains, Types);

TYPED_TEST(Chains, AreTheReferences) {
  if (!IsInstructionSetThere()) GTEST_SKIP();
  for (uint32_t seed = 0; seed < 400 && !this->HasFailure(); ++seed) {
    const Size size = kSizes[seed % std::size(kSizes)];
    const std::string text = RandomChain<TypeParam>(seed, size);
    SCOPED_TRACE(text);
    Dice dice(seed);
    const std::vector<Literal> arguments = Arguments<TypeParam>(dice, size, dice.Chance(60));
    const Literal expected = Run(text, arguments, "reference");
    const Literal actual = Run(text, arguments, "simd");
    for (size_t i = 0; i < expected.tuple_elements().size(); ++i) {
      SCOPED_TRACE(fmt::format("result {}", i));
      ExpectSameElements(actual.tuple_elements()[i], expected.tuple_elements()[i]);
    }
  }
}

// Images with pixels last: elements for each channel, one of several rows of them chosen at run
// time, and for each image. Lengths of rows that tiles have whole, and in parts.
std::string ChannelText(std::string_view element, std::string_view image) {
  return fmt::format(R"(HloModule channels
ENTRY main {{
  x = {0}[3,5,{1}] parameter(0)
  scales = {0}[4,5] parameter(1)
  shift = {0}[3] parameter(2)
  layer = s32[] parameter(3)
  zero = s32[] constant(0)
  row = {0}[1,5] dynamic-slice(scales, layer, zero), dynamic_slice_sizes={{1,5}}
  scale = {0}[5] reshape(row)
  by_channel = {0}[3,5,{1}] broadcast(scale), dimensions={{1}}
  by_image = {0}[3,5,{1}] broadcast(shift), dimensions={{0}}
  product = {0}[3,5,{1}] multiply(x, by_channel)
  less = pred[3,5,{1}] compare(product, by_image), direction=LT
  sum = {0}[3,5,{1}] add(product, by_image)
  chosen = {0}[3,5,{1}] select(less, by_channel, sum)
  difference = {0}[3,5,{1}] subtract(sum, x)
  ROOT r = ({0}[3,5,{1}], {0}[3,5,{1}]) tuple(chosen, difference)
}}
)",
                     element, image);
}

// Small whole numbers: all types have them, and what is made of them, exactly.
Literal SmallNumbers(std::string_view element, std::string_view dims) {
  Dice dice(static_cast<uint32_t>(dims.size()));
  const Shape shape = MakeShape(fmt::format("{}[{}]", element, dims));
  std::vector<Complex> numbers(static_cast<size_t>(*ElementCount(shape)));
  for (Complex& number : numbers) number = static_cast<double>(dice.Below(9) - 4);
  Literal literal = *Literal::Zeros(shape);
  const Literal line = MakeLiteral(shape.element_type(), numbers);
  std::memcpy(literal.bytes(), line.bytes(), static_cast<size_t>(line.byte_size()));
  return literal;
}

void ExpectSameByChannel(std::string_view element, std::string_view image) {
  const std::string text = ChannelText(element, image);
  SCOPED_TRACE(text);
  std::vector<Literal> arguments;
  arguments.push_back(SmallNumbers(element, fmt::format("3,5,{}", image)));
  arguments.push_back(SmallNumbers(element, "4,5"));
  arguments.push_back(SmallNumbers(element, "3"));
  arguments.push_back(SmallNumbers("s32", ""));
  EXPECT_TRUE(Run(text, arguments, "simd") == Run(text, arguments, "reference"));
}

TEST(ChannelChains, AreTheReferences) {
  if (!IsInstructionSetThere()) GTEST_SKIP();
  for (const std::string_view element : {"f32", "f64", "bf16", "f16", "s32", "s64", "s8"}) {
    for (const std::string_view image : {"8,16", "14,14", "64,64", "96,96", "5,40,7"}) {
      ExpectSameByChannel(element, image);
    }
  }
}

template <typename T>
class ChainsOfFunctions : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ChainsOfFunctions, Floats);

// f(x), alone or between others.
template <typename T>
std::string FunctionText(std::string_view call, Size size, bool is_alone) {
  constexpr std::string_view kBefore = "HloModule f\nENTRY main {{\n  x = {0} parameter(0)\n";
  if (is_alone) {
    return fmt::format(fmt::runtime(std::string(kBefore) + "  ROOT f = {0} {1}\n}}\n"),
                       Text(Name<T>(), size), call);
  }
  return fmt::format(fmt::runtime(std::string(kBefore) +
                                  "  f = {0} {1}\n  s = {0} add(f, x)\n  p = {0} multiply(s, f)\n"
                                  "  ROOT r = ({0}, {0}) tuple(f, p)\n}}\n"),
                     Text(Name<T>(), size), call);
}

TYPED_TEST(ChainsOfFunctions, HaveTheBitsOfFunctionsAlone) {
  if (!IsInstructionSetThere()) GTEST_SKIP();
  constexpr std::string_view kCalls[] = {"acos(x)",
                                         "acosh(x)",
                                         "asin(x)",
                                         "asinh(x)",
                                         "atanh(x)",
                                         "cbrt(x)",
                                         "cosine(x)",
                                         "cosh(x)",
                                         "erf(x)",
                                         "exponential(x)",
                                         "exponential-minus-one(x)",
                                         "log(x)",
                                         "log-plus-one(x)",
                                         "logistic(x)",
                                         "sine(x)",
                                         "sinh(x)",
                                         "tan(x)",
                                         "tanh(x)",
                                         "power(x, x)"};
  constexpr Size kSize = {5, 777};
  for (const std::string_view call : kCalls) {
    SCOPED_TRACE(call);
    Dice dice(7);
    for (const TypeParam scale : {TypeParam(1), TypeParam(1) / 2000}) {
      std::vector<Literal> arguments;
      arguments.push_back(Numbers<TypeParam>(Text(Name<TypeParam>(), kSize), dice, scale == 1));
      for (TypeParam& x : arguments[0].template elements<TypeParam>()) x *= scale;
      const Literal alone = Run(FunctionText<TypeParam>(call, kSize, true), arguments, "simd");
      const Literal both = Run(FunctionText<TypeParam>(call, kSize, false), arguments, "simd");
      ExpectSameNumbers<TypeParam>(both.tuple_elements()[0], alone);
    }
  }
}

}  // namespace
}  // namespace hlo::testing
