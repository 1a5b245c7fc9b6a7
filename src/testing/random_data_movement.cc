// Random programs of one instruction that moves elements: broadcast, concatenate, dynamic-slice,
// dynamic-update-slice, gather, pad, reverse, slice.
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

std::string RandomType(Dice& dice) {
  return dice.OneOf<std::string>({"u8", "bf16", "f32", "f32", "f64", "c64", "c128", "pred", "s4"});
}

// Now and then without elements, now and then of more than one thread's share.
Sizes RandomSizes(Dice& dice, int64_t rank) {
  Sizes sizes;
  int64_t room = dice.Chance(10) ? int64_t{1} << 19 : int64_t{1} << 13;  // elements
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t large = std::min(room, dice.OneOf<int64_t>({2, 5, 20, 300, 100000}));
    sizes.push_back(dice.Chance(2) ? 0 : dice.Chance(15) ? 1 : 1 + dice.Below(large));
    room = std::max<int64_t>(1, room / std::max<int64_t>(1, sizes.back()));
  }
  dice.Shuffle(sizes);
  return sizes;
}

std::string Entry(const std::string& body) {
  return fmt::format("HloModule random\nENTRY main {{\n{}}}\n", body);
}

std::string RandomPad(Dice& dice, const std::string& type, const Sizes& sizes) {
  std::vector<std::string> edges;
  for (const int64_t size : sizes) {
    const int64_t interior = dice.Chance(30) ? dice.Below(4) : 0;
    const int64_t whole = size == 0 ? 0 : size + (size - 1) * interior;
    const int64_t low = dice.Chance(50) ? 0 : dice.Below(6) - std::min<int64_t>(2, whole / 2);
    const int64_t high = dice.Chance(50) ? 0 : dice.Below(6) - std::min<int64_t>(2, whole / 2);
    edges.push_back(fmt::format("{}_{}_{}", low, high, interior));
  }
  return Entry(
      fmt::format("  x = {} parameter(0)\n  z = {}[] parameter(1)\n"
                  "  ROOT r = pad(x, z), padding={}\n",
                  ShapeOf(type, sizes), type, fmt::join(edges, "x")));
}

std::string RandomConcatenate(Dice& dice, const std::string& type, Sizes sizes) {
  const auto dimension = static_cast<size_t>(dice.Below(static_cast<int64_t>(sizes.size())));
  const int64_t count = 1 + dice.Below(5);
  std::string parameters, operands;
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0 && dice.Chance(70)) sizes[dimension] = dice.Below(sizes[dimension] + 3);
    parameters += fmt::format("  x{0} = {1} parameter({0})\n", i, ShapeOf(type, sizes));
    operands += fmt::format("{}x{}", i == 0 ? "" : ", ", i);
  }
  return Entry(fmt::format("{}  ROOT r = concatenate({}), dimensions={{{}}}\n", parameters,
                           operands, dimension));
}

std::string RandomReverse(Dice& dice, const std::string& type, const Sizes& sizes) {
  Sizes dimensions;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (dice.Chance(50)) dimensions.push_back(static_cast<int64_t>(d));
  }
  return Entry(fmt::format("  x = {} parameter(0)\n  ROOT r = reverse(x), dimensions={{{}}}\n",
                           ShapeOf(type, sizes), fmt::join(dimensions, ",")));
}

std::string RandomSlice(Dice& dice, const std::string& type, const Sizes& sizes) {
  std::vector<std::string> ranges;
  Sizes result;
  for (const int64_t size : sizes) {
    const int64_t start = dice.Chance(50) ? 0 : dice.Below(size + 1);
    const int64_t limit = dice.Chance(50) ? size : start + dice.Below(size - start + 1);
    const int64_t stride = dice.Chance(60) ? 1 : 1 + dice.Below(4);
    ranges.push_back(fmt::format("[{}:{}:{}]", start, limit, stride));
    result.push_back((limit - start + stride - 1) / stride);
  }
  return Entry(fmt::format("  x = {} parameter(0)\n  ROOT r = {} slice(x), slice={{{}}}\n",
                           ShapeOf(type, sizes), ShapeOf(type, result), fmt::join(ranges, ", ")));
}

std::string RandomBroadcast(Dice& dice, const std::string& type, const Sizes& sizes) {
  Sizes operand, dimensions;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (dice.Chance(50)) continue;
    operand.push_back(sizes[d]);
    dimensions.push_back(static_cast<int64_t>(d));
  }
  return Entry(fmt::format("  x = {} parameter(0)\n  ROOT r = {} broadcast(x), dimensions={{{}}}\n",
                           ShapeOf(type, operand), ShapeOf(type, sizes),
                           fmt::join(dimensions, ",")));
}

// Starts lie outside, too.
std::string RandomDynamicSlice(Dice& dice, const std::string& type, const Sizes& sizes) {
  Sizes box;
  std::string starts, names;
  const auto index_type = dice.OneOf<std::string>({"s32", "s64", "s8"});
  for (const int64_t size : sizes) {
    box.push_back(dice.Chance(40) ? size : dice.Below(size + 1));
    const int64_t start = std::min<int64_t>(127, dice.Below(size + 4) - 2);
    starts += fmt::format("  i{} = {}[] constant({})\n", box.size(), index_type, start);
    names += fmt::format(", i{}", box.size());
  }
  if (dice.Chance(50)) {
    return Entry(fmt::format(
        "  x = {} parameter(0)\n{}  ROOT r = {} dynamic-slice(x{}), dynamic_slice_sizes={{{}}}\n",
        ShapeOf(type, sizes), starts, ShapeOf(type, box), names, fmt::join(box, ",")));
  }
  // With and without the operand's memory.
  const std::string operand =
      dice.Chance(50) ? "  a = {0} reverse(x), dimensions={{0}}\n" : "  a = {0} copy(x)\n";
  return Entry(fmt::format(
      "  x = {} parameter(0)\n  u = {} parameter(1)\n{}{}  ROOT r = dynamic-update-slice(a, u{})\n",
      ShapeOf(type, sizes), ShapeOf(type, box), starts,
      fmt::format(fmt::runtime(operand), ShapeOf(type, sizes)), names));
}

std::string RandomMovement(uint32_t seed) {
  Dice dice(seed);
  const std::string type = RandomType(dice);
  const Sizes sizes = RandomSizes(dice, 1 + dice.Below(4));
  switch (dice.Below(6)) {
    case 0:
      return RandomPad(dice, type, sizes);
    case 1:
      return RandomConcatenate(dice, type, sizes);
    case 2:
      return RandomReverse(dice, type, sizes);
    case 3:
      return RandomSlice(dice, type, sizes);
    case 4:
      return RandomBroadcast(dice, type, sizes);
  }
  return RandomDynamicSlice(dice, type, sizes);
}

// The dimensions of the operand of a gather by what is done with them.
struct GatherSides {
  Sizes operand, box, windowed, collapsed, batching, map;
};

GatherSides RandomSides(Dice& dice, int64_t batch_size) {
  GatherSides sides;
  const int64_t rank = 1 + dice.Below(4);
  for (int64_t d = 0; d < rank; ++d) {
    int64_t size = 1 + dice.Below(d + 1 == rank ? 40 : 6), box = 1;
    if (sides.batching.empty() && batch_size > 0 && dice.Chance(30)) {
      size = batch_size;
      sides.batching.push_back(d);
    } else {
      if (dice.Chance(40)) {
        sides.collapsed.push_back(d);
      } else {
        box = dice.Chance(50) ? size : dice.Below(size) + 1;
        sides.windowed.push_back(box);
      }
      if (dice.Chance(60)) sides.map.push_back(d);
    }
    sides.operand.push_back(size);
    sides.box.push_back(box);
  }
  dice.Shuffle(sides.map);
  return sides;
}

}  // namespace

std::string RandomDataMovement(uint32_t seed) { return RandomMovement(seed); }

std::string RandomGather(uint32_t seed) {
  Dice dice(seed);
  const std::string type = RandomType(dice);
  Sizes batch;
  for (int64_t rank = dice.Below(4); rank > 0; --rank) {
    batch.push_back(1 + dice.Below(batch.empty() && dice.Chance(20) ? 700 : 6));
  }
  const GatherSides sides = RandomSides(dice, batch.empty() ? 0 : batch[0]);
  // Vectors stand along any dimension of the indices.
  const int64_t vector_dim = dice.Below(static_cast<int64_t>(batch.size()) + 1);
  Sizes indices = batch;
  indices.insert(indices.begin() + vector_dim, static_cast<int64_t>(sides.map.size()));
  // Windows come before, behind and between the batch.
  Sizes is_window(batch.size(), 0);
  is_window.resize(batch.size() + sides.windowed.size(), 1);
  dice.Shuffle(is_window);
  Sizes offset_dims;
  for (size_t d = 0; d < is_window.size(); ++d) {
    if (is_window[d] != 0) offset_dims.push_back(static_cast<int64_t>(d));
  }
  const std::string batching =
      sides.batching.empty()
          ? ""
          : fmt::format("operand_batching_dims={{{}}}, start_indices_batching_dims={{{}}}, ",
                        sides.batching[0], vector_dim == 0 ? 1 : 0);
  // Random indices beside small ones: most are clamped otherwise.
  const auto index_type = dice.OneOf<std::string>({"s32", "s32", "s64", "u8", "u64"});
  const std::string shape = ShapeOf(index_type, indices);
  return Entry(
      fmt::format("  x = {} parameter(0)\n  i = {} parameter(1)\n  c = {}[] constant({})\n"
                  "  m = {} broadcast(c), dimensions={{}}\n  j = {} remainder(i, m)\n"
                  "  ROOT r = gather(x, j), offset_dims={{{}}}, collapsed_slice_dims={{{}}}, "
                  "start_index_map={{{}}}, {}index_vector_dim={}, slice_sizes={{{}}}\n",
                  ShapeOf(type, sides.operand), shape, index_type, 1 + dice.Below(60), shape, shape,
                  fmt::join(offset_dims, ","), fmt::join(sides.collapsed, ","),
                  fmt::join(sides.map, ","), batching, vector_dim, fmt::join(sides.box, ",")));
}

}  // namespace hlo::testing
