// Random programs of one dot whose operands have scales.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "testing/dice.h"
#include "testing/random_program.h"
#include "testing/random_shape.h"

namespace hlo::testing {
namespace {

// A side of a scaled dot: sizes by role, in any order, and how many places the scale has in each.
struct ScaledSide {
  Sizes sizes, scale;
  int64_t batch = -1, contracting = -1;

  std::string BatchText() const { return batch < 0 ? "" : fmt::format("{}", batch); }
};

ScaledSide RandomSide(Dice& dice, int64_t batch, int64_t terms, int64_t term_blocks) {
  Sizes order = {0, 1, 2};
  dice.Shuffle(order);
  ScaledSide side;
  const int64_t free = dice.OneOf<int64_t>({1, 4, 12, 30});
  for (const int64_t role : order) {
    if (role == 0 && batch == 0) continue;
    const auto d = static_cast<int64_t>(side.sizes.size());
    if (role == 0) side.batch = d;
    if (role == 1) side.contracting = d;
    side.sizes.push_back(role == 0 ? batch : role == 1 ? terms : free);
    side.scale.push_back(role == 1 ? term_blocks : dice.Chance(50) ? side.sizes.back() : 1);
  }
  return side;
}

std::string ScaleText(Dice& dice, const std::string& type, const ScaledSide& side) {
  return dice.Chance(20) ? type + "[]" : ShapeOf(type, side.scale);
}

}  // namespace

std::string RandomScaledDot(uint32_t seed) {
  Dice dice(seed);
  const auto type = dice.OneOf<std::string>({"f8e4m3fn", "f8e5m2", "bf16", "f32"});
  const auto scale_type = dice.OneOf<std::string>({"f8e8m0fnu", "f8e4m3fn", "bf16", "f32"});
  const auto result_type = dice.OneOf<std::string>({"f32", "bf16", "f16", "f64"});
  const int64_t batch = dice.Chance(50) ? 0 : 1 + dice.Below(3);
  const auto [terms, blocks] = dice.OneOf<std::pair<int64_t, int64_t>>(
      {{1, 1}, {6, 3}, {32, 1}, {64, 2}, {320, 10}, {30, 30}});
  const ScaledSide lhs = RandomSide(dice, batch, terms, blocks);
  const ScaledSide rhs = RandomSide(dice, batch, terms, dice.Chance(70) ? blocks : 1);
  Sizes result;
  if (batch > 0) result.push_back(batch);
  for (const ScaledSide& side : {lhs, rhs}) {
    for (int64_t d = 0; d < std::ssize(side.sizes); ++d) {
      if (d != side.batch && d != side.contracting) {
        result.push_back(side.sizes[static_cast<size_t>(d)]);
      }
    }
  }
  return fmt::format(
      "HloModule random\nENTRY main {{\n  x = {} parameter(0)\n  y = {} parameter(1)\n"
      "  s = {} parameter(2)\n  t = {} parameter(3)\n  ROOT r = {} scaled-dot(x, y, s, t), "
      "lhs_batch_dims={{{}}}, rhs_batch_dims={{{}}}, lhs_contracting_dims={{{}}}, "
      "rhs_contracting_dims={{{}}}\n}}\n",
      ShapeOf(type, lhs.sizes), ShapeOf(type, rhs.sizes), ShapeOf(scale_type, lhs.scale),
      ScaleText(dice, scale_type, rhs), ShapeOf(result_type, result), lhs.BatchText(),
      rhs.BatchText(), lhs.contracting, rhs.contracting);
}

}  // namespace hlo::testing
