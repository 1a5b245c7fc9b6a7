// Random programs of one reduce by one opcode for each array.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "testing/dice.h"
#include "testing/random_program.h"
#include "testing/random_shape.h"

namespace hlo::testing {
namespace {

// Some of them long: sums go in groups, in several pieces, and on several threads.
Sizes SizesOfReduction(Dice& dice) {
  Sizes sizes;
  int64_t room = int64_t{1} << (dice.Chance(20) ? 20 : 12);  // elements
  for (int64_t rank = 1 + dice.Below(4); rank > 0; --rank) {
    const int64_t large = std::min(room, dice.OneOf<int64_t>({1, 5, 20, 300, 100'000}));
    sizes.push_back(1 + dice.Below(large));
    room = std::max<int64_t>(1, room / sizes.back());
  }
  dice.Shuffle(sizes);
  return sizes;
}

std::string ReduceByOpcode(Dice& dice, const std::string& type, const std::string& opcode) {
  const Sizes sizes = SizesOfReduction(dice);
  Sizes reduced, kept;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (dice.Chance(50)) {
      reduced.push_back(static_cast<int64_t>(d));
    } else {
      kept.push_back(sizes[d]);
    }
  }
  return fmt::format(
      "HloModule random\n\nf {{\n  a = {0}[] parameter(0)\n  b = {0}[] parameter(1)\n  ROOT r = "
      "{0}[] {1}(a, b)\n}}\n\nENTRY main {{\n  x = {2} parameter(0)\n  y = {0}[] parameter(1)\n"
      "  ROOT r = {3} reduce(x, y), dimensions={{{4}}}, to_apply=f\n}}\n",
      type, opcode, ShapeOf(type, sizes), ShapeOf(type, kept), fmt::join(reduced, ","));
}

// A type, an opcode that combines its elements, and where these come from: sums of whole numbers
// are the same in any order.
struct Combination {
  std::string type, opcode, source;
};
Combination RandomCombination(Dice& dice) {
  const auto type =
      dice.OneOf<std::string>({"f32", "f64", "bf16", "s32", "u8", "s64", "pred", "c64"});
  if (type == "pred") return {type, dice.OneOf<std::string>({"and", "or", "xor"}), type};
  if (type == "c64") return {type, "add", "s8"};
  const bool is_float = type[0] == 'f' || type[0] == 'b';
  const auto opcode =
      is_float ? dice.OneOf<std::string>({"maximum", "minimum", "add"})
               : dice.OneOf<std::string>({"maximum", "minimum", "add", "multiply", "xor"});
  return {type, opcode, is_float && opcode == "add" ? "s8" : type};
}

}  // namespace

std::string RandomReduceOfArrays(uint32_t seed) {
  Dice dice(seed);
  const int64_t arrays = 2 + dice.Below(2);
  const Sizes sizes = SizesOfReduction(dice);
  Sizes reduced;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (dice.Chance(70)) reduced.push_back(static_cast<int64_t>(d));
  }
  std::string function, results, begin, operands, inits;
  std::vector<std::string> scalars;
  for (int64_t k = 0; k < arrays; ++k) {
    const auto [type, opcode, source] = RandomCombination(dice);
    function += fmt::format(
        "  a{0} = {1}[] parameter({0})\n  b{0} = {1}[] parameter({2})\n  r{0} = {1}[] {3}(a{0}, "
        "b{0})\n",
        k, type, arrays + k, opcode);
    results += fmt::format("{}r{}", k == 0 ? "" : ", ", k);
    scalars.push_back(type + "[]");
    begin += fmt::format(
        "  p{0} = {1} parameter({0})\n  x{0} = {2} convert(p{0})\n  one{0} = s8[] constant(1)\n"
        "  i{0} = {3}[] convert(one{0})\n",
        k, ShapeOf(source, sizes), ShapeOf(type, sizes), type);
    operands += fmt::format("x{}, ", k);
    inits += fmt::format("{}i{}", k == 0 ? "" : ", ", k);
  }
  return fmt::format(
      "HloModule random\n\nf {{\n{}  ROOT t = ({}) tuple({})\n}}\n\nENTRY main {{\n{}  ROOT r = "
      "reduce({}{}), dimensions={{{}}}, to_apply=f\n}}\n",
      function, fmt::join(scalars, ", "), results, begin, operands, inits, fmt::join(reduced, ","));
}

std::string RandomSum(uint32_t seed) {
  Dice dice(seed);
  const auto type =
      dice.OneOf<std::string>({"c64", "c64", "c128", "f32", "f64", "bf16", "f16", "f8e5m2"});
  return ReduceByOpcode(dice, type, "add");
}

std::string RandomReduceByOpcode(uint32_t seed) {
  Dice dice(seed);
  const auto type = dice.OneOf<std::string>(
      {"c64", "c128", "f32", "f64", "bf16", "f16", "s32", "u64", "u8", "s4", "pred", "f8e5m2"});
  if (type[0] == 'c') return ReduceByOpcode(dice, type, "multiply");
  if (type == "pred") {
    return ReduceByOpcode(dice, type, dice.OneOf<std::string>({"and", "or", "xor"}));
  }
  if (type[0] == 's' || type[0] == 'u') {
    return ReduceByOpcode(dice, type,
                          dice.OneOf<std::string>({"multiply", "maximum", "minimum", "xor"}));
  }
  return ReduceByOpcode(dice, type, dice.OneOf<std::string>({"multiply", "maximum", "minimum"}));
}

}  // namespace hlo::testing
