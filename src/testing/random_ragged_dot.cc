// Ragged dots: dimensions are drawn with their roles, in any order, and one of those of the lhs is
// ragged. Lengths of groups are constants, so that these take most of it, not all and not always.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "testing/dice.h"
#include "testing/random_program.h"
#include "testing/random_shape.h"

namespace hlo::testing {
namespace {

class RaggedDotWriter {
 public:
  explicit RaggedDotWriter(uint32_t seed) : dice_(seed) {
    Add('b', dice_.OneOf<int64_t>({0, 0, 1, 2}), true, true);
    Add('k', dice_.OneOf<int64_t>({1, 1, 1, 2}), true, true);
    Add('m', dice_.OneOf<int64_t>({0, 1, 1, 2}), true, false);
    Add('n', dice_.OneOf<int64_t>({0, 1, 1, 2}), false, true);
    dice_.Shuffle(lhs_);
    ragged_ = lhs_[static_cast<size_t>(dice_.Below(std::ssize(lhs_)))];
    group_count_ = dice_.Chance(5) ? 0 : 1 + dice_.Below(dice_.Chance(20) ? 40 : 5);
    if (ragged_.role == 'm') rhs_.push_back({'g', 0, group_count_});
    dice_.Shuffle(rhs_);
  }

  std::string Write() {
    struct Types {
      std::string operand, result;
    };
    const Types types = dice_.OneOf<Types>({{"f32", "f32"},
                                            {"f32", "f32"},
                                            {"bf16", "bf16"},
                                            {"bf16", "f32"},
                                            {"f16", "f16"},
                                            {"f32", "bf16"},
                                            {"f64", "f64"},
                                            {"s8", "s32"},
                                            {"s32", "s32"},
                                            {"u64", "u64"},
                                            {"c64", "c64"}});
    Sizes result;
    if (ragged_.role == 'k') result.push_back(group_count_);
    for (int64_t d : Positions(lhs_, 'b')) result.push_back(lhs_[static_cast<size_t>(d)].size);
    for (const Dimension& d : lhs_) {
      if (d.role == 'm') result.push_back(d.size);
    }
    for (const Dimension& d : rhs_) {
      if (d.role == 'n') result.push_back(d.size);
    }
    return fmt::format(
        "HloModule random\nENTRY main {{\n  x = {} parameter(0)\n  y = {} parameter(1)\n{}"
        "  ROOT r = {} ragged-dot(x, y, g), {}\n}}\n",
        ShapeOf(types.operand, SizesOf(lhs_)), ShapeOf(types.operand, SizesOf(rhs_)), Groups(),
        ShapeOf(types.result, result), Attributes());
  }

 private:
  struct Dimension {
    char role;
    int64_t number;  // in its role
    int64_t size;
  };
  using Side = std::vector<Dimension>;

  void Add(char role, int64_t count, bool in_lhs, bool in_rhs) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t large = std::min(room_, role == 'b' ? 5 : dice_.OneOf<int64_t>({20, 70, 150}));
      const int64_t size = dice_.Chance(15) ? 1 : dice_.Chance(2) ? 0 : 1 + dice_.Below(large);
      room_ = std::max<int64_t>(1, room_ / std::max<int64_t>(1, size));
      if (in_lhs) lhs_.push_back({role, i, size});
      if (in_rhs) rhs_.push_back({role, i, size});
    }
  }

  static Sizes SizesOf(const Side& side) {
    Sizes sizes;
    for (const Dimension& d : side) sizes.push_back(d.size);
    return sizes;
  }
  // By number.
  static Sizes Positions(const Side& side, char role) {
    std::map<int64_t, int64_t> by_number;
    for (size_t d = 0; d < side.size(); ++d) {
      if (side[d].role == role) by_number[side[d].number] = static_cast<int64_t>(d);
    }
    Sizes result;
    for (const auto& [number, position] : by_number) result.push_back(position);
    return result;
  }

  // The sizes of those before the ragged one: batch dimensions, then others of its role.
  Sizes Prefix() const {
    Sizes sizes;
    const auto add = [&](const Sizes& positions) {
      for (int64_t p : positions) {
        const Dimension& d = lhs_[static_cast<size_t>(p)];
        if (d.role == ragged_.role && d.number == ragged_.number) return;
        sizes.push_back(d.size);
      }
    };
    add(Positions(lhs_, 'b'));
    if (ragged_.role == 'k') add(Positions(lhs_, 'k'));
    if (ragged_.role != 'm') return sizes;
    Sizes free;
    for (size_t d = 0; d < lhs_.size(); ++d) {
      if (lhs_[d].role == 'm') free.push_back(static_cast<int64_t>(d));
    }
    add(free);
    return sizes;
  }

  std::string Groups() {
    Sizes dims = dice_.Chance(50) ? Prefix() : Sizes();
    int64_t row_count = 1;
    for (int64_t size : dims) row_count *= size;
    dims.push_back(group_count_);
    Sizes lengths;
    for (int64_t row = 0; row < row_count; ++row) {
      for (int64_t g = 0; g < group_count_; ++g) {
        const int64_t even = ragged_.size / group_count_;
        lengths.push_back(dice_.Chance(15)  ? 0
                          : dice_.Chance(5) ? -dice_.Below(4)
                                            : dice_.Below(2 * even + 2));
      }
    }
    return fmt::format("  f = s32[{}] constant({{{}}})\n  g = {} reshape(f)\n", lengths.size(),
                       fmt::join(lengths, ", "), ShapeOf("s32", dims));
  }

  std::string Attributes() const {
    std::string text;
    if (const Sizes batch = Positions(lhs_, 'b'); !batch.empty()) {
      text = fmt::format("lhs_batch_dims={{{}}}, rhs_batch_dims={{{}}}, ", fmt::join(batch, ","),
                         fmt::join(Positions(rhs_, 'b'), ","));
    }
    const auto is_ragged = [&](const Dimension& d) {
      return d.role == ragged_.role && d.number == ragged_.number;
    };
    const auto ragged = std::ranges::find_if(lhs_, is_ragged) - lhs_.begin();
    return fmt::format(
        "{}lhs_contracting_dims={{{}}}, rhs_contracting_dims={{{}}}, lhs_ragged_dims={{{}}}, "
        "rhs_group_dims={{{}}}",
        text, fmt::join(Positions(lhs_, 'k'), ","), fmt::join(Positions(rhs_, 'k'), ","), ragged,
        fmt::join(Positions(rhs_, 'g'), ","));
  }

  Dice dice_;
  int64_t room_ = int64_t{1} << 22;  // products
  Side lhs_, rhs_;
  Dimension ragged_;
  int64_t group_count_;
};

}  // namespace

std::string RandomRaggedDot(uint32_t seed) { return RaggedDotWriter(seed).Write(); }

}  // namespace hlo::testing
