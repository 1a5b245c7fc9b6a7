// Sorts by comparators of any sense: their results show which comparisons were made.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "testing/dice.h"
#include "testing/random_program.h"
#include "testing/random_shape.h"

namespace hlo::testing {
namespace {

bool IsFloatType(const std::string& type) { return type[0] == 'f' || type[0] == 'b'; }

// A type of the same size that shows the bits of `type`; or nothing.
std::string BitsOf(const std::string& type) {
  if (type == "f32") return "s32";
  if (type == "bf16" || type == "f16") return "u16";
  if (type == "f64") return "s64";
  if (type == "f8e5m2") return "s8";
  if (type == "u32") return "f32";
  return "";
}

// Another float type that a comparator may take elements of `type` as.
std::string ParameterType(Dice& dice, const std::string& type) {
  if (!IsFloatType(type) || dice.Chance(80)) return type;
  return dice.OneOf<std::string>({"f32", "bf16", "f64", "f16"});
}

// The instructions of a comparator, as text.
class ComparatorWriter {
 public:
  explicit ComparatorWriter(Dice& dice) : dice_(dice) {}

  // Of parameters of `type`.
  void AddOperand(const std::string& type) {
    const size_t k = types_.size();
    text_ += fmt::format("  a{0} = {1}[] parameter({2})\n  b{0} = {1}[] parameter({3})\n", k, type,
                         2 * k, 2 * k + 1);
    types_.push_back(type);
  }

  std::string Finish() {
    // Some answer the same of all elements.
    std::string answer = dice_.Chance(97) ? Question() : Add("pred", "constant(true)");
    for (int64_t more = dice_.Below(3); more > 0; --more) answer = Combination(answer, Question());
    return fmt::format("before {{\n{}  ROOT answer = pred[] copy({})\n}}\n", text_, answer);
  }

 private:
  std::string Add(const std::string& type, const std::string& value) {
    const std::string name = fmt::format("v{}", value_count_++);
    text_ += fmt::format("  {} = {}[] {}\n", name, type, value);
    return name;
  }

  // Compares what is made of the two elements of an operand, mostly the same of both.
  std::string Question() {
    const auto k = static_cast<size_t>(dice_.Below(static_cast<int64_t>(types_.size())));
    const int64_t kind = dice_.Below(10);
    function_ = dice_.OneOf<std::string>(
        {"tanh", "exponential", "sine", "logistic", "cbrt", "log-plus-one", "erf", "tan", "acosh"});
    std::string type = types_[k];
    const std::string first = Key(fmt::format("a{}", k), type, kind);
    type = types_[k];
    std::string second = Key(fmt::format("b{}", k), type, kind);
    if (dice_.Chance(10)) second = first;
    const bool is_ordered = type[0] != 'c';
    const auto direction = is_ordered && dice_.Chance(90)
                               ? dice_.OneOf<std::string>({"LT", "GT", "LT", "GT", "LE", "GE"})
                               : dice_.OneOf<std::string>({"EQ", "NE"});
    const bool is_total = IsFloatType(type) && dice_.Chance(30);
    return Add("pred", fmt::format("compare({}, {}), direction={}{}", first, second, direction,
                                   is_total ? ", type=TOTALORDER" : ""));
  }

  // What is compared instead of `name`; changes `type` to that of it.
  std::string Key(const std::string& name, std::string& type, int64_t kind) {
    if (type == "pred") return kind < 3 ? name : Add(type, fmt::format("not({})", name));
    if (type[0] == 'c') {
      if (kind == 0) return name;
      type = type == "c64" ? "f32" : "f64";
      return Add(type, fmt::format("{}({})", kind < 3 ? "real" : "imag", name));
    }
    switch (kind) {
      case 0:
        return type[0] == 'u' ? name : Add(type, fmt::format("abs({})", name));
      case 1: {
        const std::string two = Add(type, "constant(2)");
        return Add(type, fmt::format("remainder({}, {})", name, two));
      }
      case 2: {
        const std::string one = Add(type, "constant(1)");
        return Add(type, fmt::format("subtract({}, {})", one, name));
      }
      case 3: {
        type = type == "f32" ? "bf16" : "f32";
        return Add(type, fmt::format("convert({})", name));
      }
      case 4: {
        if (!IsFloatType(type) || type[0] == 'b' || type == "f8e5m2") return name;
        type[0] = 's';
        return Add(type, fmt::format("bitcast-convert({})", name));
      }
      case 5:
        return IsFloatType(type) ? Add(type, fmt::format("{}({})", function_, name)) : name;
      case 6: {
        // The bits of what is no parameter.
        const std::string made = Add(type, fmt::format("add({0}, {0})", name));
        const auto bits = BitsOf(type);
        if (bits.empty()) return made;
        type = bits;
        return Add(type, fmt::format("bitcast-convert({})", made));
      }
      default:
        return name;
    }
  }

  std::string Combination(const std::string& first, const std::string& second) {
    if (dice_.Chance(30)) {
      return Add("pred", fmt::format("select({}, {}, {})", first, second, Question()));
    }
    return Add("pred", fmt::format("{}({}, {})", dice_.OneOf<std::string>({"and", "or", "xor"}),
                                   first, second));
  }

  Dice& dice_;
  std::string function_;  // of floats
  std::vector<std::string> types_;
  std::string text_;
  int64_t value_count_ = 0;
};

Sizes RandomLines(Dice& dice, size_t dimension) {
  Sizes sizes;
  for (int64_t rank = static_cast<int64_t>(dimension) + 1 + dice.Below(2); rank > 0; --rank) {
    sizes.push_back(1 + dice.Below(dice.Chance(20) ? 30 : 4));
  }
  sizes[dimension] = 1 + dice.Below(dice.Chance(60) ? 40 : dice.Chance(80) ? 600 : 6000);
  return sizes;
}

}  // namespace

std::string RandomSortByComparator(uint32_t seed) {
  Dice dice(seed);
  const auto dimension = static_cast<size_t>(dice.Below(3));
  const Sizes sizes = RandomLines(dice, dimension);
  const std::string numbers = ShapeOf("s32", sizes);
  ComparatorWriter comparator(dice);
  std::string text, operands, shapes;
  for (int64_t k = 0, count = 1 + dice.Below(3); k < count; ++k) {
    const auto type =
        dice.OneOf<std::string>({"f32", "f32", "bf16", "f16", "f64", "s32", "s8", "u8", "u32",
                                 "s64", "pred", "c64", "c128", "s4", "f8e5m2"});
    const std::string shape = ShapeOf(type, sizes);
    // Few or many different values; roots of negative numbers are NaN.
    text += fmt::format(
        "  p{0} = {1} parameter({0})\n  c{0} = s32[] constant({2})\n"
        "  m{0} = {1} broadcast(c{0}), dimensions={{}}\n  f{0} = {1} remainder(p{0}, m{0})\n"
        "  v{0} = {3} convert(f{0})\n  x{0} = {3} {4}(v{0})\n",
        k, numbers, dice.Chance(50) ? 5 : 100000, shape,
        IsFloatType(type) && dice.Chance(40) ? "sqrt" : "copy");
    comparator.AddOperand(ParameterType(dice, type));
    operands += fmt::format("x{}, ", k);
    shapes += shape + ", ";
  }
  comparator.AddOperand("s32");
  return fmt::format(
      "HloModule random\n\n{}\nENTRY main {{\n{}  i = {} iota(), iota_dimension={}\n"
      "  ROOT r = ({}{}) sort({}i), dimensions={{{}}}, is_stable=true, to_apply=before\n}}\n",
      comparator.Finish(), text, numbers, dimension, shapes, numbers, operands, dimension);
}

}  // namespace hlo::testing
