// Random programs of one factorization, or of one solution of a triangular system.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "testing/dice.h"
#include "testing/random_program.h"
#include "testing/random_shape.h"

namespace hlo::testing {
namespace {

// Few elements, rows around the numbers that kernels take at a time, and many rows.
int64_t RandomSize(Dice& dice) {
  if (dice.Chance(5)) return dice.Below(2);
  return 1 + dice.Below(dice.OneOf<int64_t>({6, 20, 70, 150}));
}

Sizes RandomBatch(Dice& dice, int64_t size) {
  Sizes batch;
  for (int64_t rest = dice.Below(3); rest > 0; --rest) {
    batch.push_back(1 + dice.Below(size < 20 ? 30 : 3));
  }
  return batch;
}

Sizes MatricesOf(Sizes batch, int64_t rows, int64_t columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

std::string RandomType(Dice& dice) {
  return dice.OneOf<std::string>({"f32", "f32", "f64", "c64", "c128", "bf16", "f16"});
}

// `x` with another diagonal, beside which the rest of a row is small, as matrix `a`; now and then
// as it is: such have no factor, and solutions leave all bounds.
std::string MatrixText(Dice& dice, const std::string& type, const Sizes& sizes) {
  const auto rank = static_cast<int64_t>(sizes.size());
  if (dice.Chance(10)) return fmt::format("  a = {} copy(x)\n", ShapeOf(type, sizes));
  const std::string size = fmt::format("{}", 2 + 2 * sizes.back());
  return fmt::format(
      "  i = {0} iota(), iota_dimension={1}\n  j = {0} iota(), iota_dimension={2}\n"
      "  p = {3} compare(i, j), direction=EQ\n  c = {4}[] constant({5})\n"
      "  d = {6} broadcast(c), dimensions={{}}\n  a = {6} select(p, d, x)\n",
      ShapeOf("s32", sizes), rank - 2, rank - 1, ShapeOf("pred", sizes), type,
      type[0] == 'c' ? fmt::format("({}, 0)", size) : size, ShapeOf(type, sizes));
}

std::string Flag(Dice& dice) { return dice.Chance(50) ? "true" : "false"; }

}  // namespace

std::string RandomCholesky(uint32_t seed) {
  Dice dice(seed);
  const std::string type = RandomType(dice);
  const int64_t size = RandomSize(dice);
  const Sizes sizes = MatricesOf(RandomBatch(dice, size), size, size);
  const std::string matrix = MatrixText(dice, type, sizes);
  return fmt::format(
      "HloModule random\nENTRY main {{\n  x = {0} parameter(0)\n{1}"
      "  ROOT r = {0} cholesky(a), lower={2}\n}}\n",
      ShapeOf(type, sizes), matrix, Flag(dice));
}

std::string RandomTriangularSolve(uint32_t seed) {
  Dice dice(seed);
  const std::string type = RandomType(dice);
  const int64_t size = RandomSize(dice), width = RandomSize(dice);
  const Sizes batch = RandomBatch(dice, std::max(size, width));
  const Sizes sizes = MatricesOf(batch, size, size);
  const bool left_side = dice.Chance(50);
  const Sizes result = left_side ? MatricesOf(batch, size, width) : MatricesOf(batch, width, size);
  const std::string matrix = MatrixText(dice, type, sizes);
  return fmt::format(
      "HloModule random\nENTRY main {{\n  x = {0} parameter(0)\n  b = {1} parameter(1)\n{2}"
      "  ROOT r = {1} triangular-solve(a, b), left_side={3}, lower={4}, unit_diagonal={5}, "
      "transpose_a={6}\n}}\n",
      ShapeOf(type, sizes), ShapeOf(type, result), matrix, left_side, Flag(dice),
      dice.Chance(20) ? "true" : "false",
      dice.OneOf<std::string>({"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}));
}

}  // namespace hlo::testing
