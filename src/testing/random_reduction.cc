// Random programs of one reduce by one opcode.
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

}  // namespace

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
