// Concatenations of what blocks make of arrays that they read in all orders: of two to five pieces
// along any dimension, which lie side by side in the result or in rows of it, some of them read
// elsewhere, twice, or made by nobody. Both backends give the same bits.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "interp/backends.h"
#include "testing/compare_backends.h"
#include "testing/dice.h"
#include "testing/run_module.h"

namespace hlo::testing {
namespace {

using Sizes = std::vector<int64_t>;

class Program {
 public:
  explicit Program(uint32_t seed) : dice_(seed) {
    type_ = dice_.OneOf<std::string>({"f32", "f32", "f64", "bf16", "s32", "u8"});
    const int64_t rank = 1 + dice_.Below(4);
    constexpr int64_t kMostElements = 1 << 15;
    int64_t count = 1;
    for (int64_t d = 0; d < rank; ++d) {
      const auto size = dice_.OneOf<int64_t>({1, 2, 3, 5, 8, 16, 33, 64, 128});
      sizes_.push_back(count * size > kMostElements ? 2 : size);
      count *= sizes_.back();
    }
    dimension_ = static_cast<size_t>(dice_.Below(rank));
  }

  std::string Text() {
    Sizes whole = sizes_;
    whole[dimension_] = 0;
    std::vector<std::string> pieces;
    for (int64_t i = 2 + dice_.Below(4); i > 0; --i) {
      const bool is_like_before = i == 1 || dice_.Chance(80);
      if (!is_like_before) sizes_[dimension_] = 1 + dice_.Below(7);
      pieces.push_back(dice_.Chance(5) && !pieces.empty() && is_like_before ? pieces.back()
                                                                            : Piece());
      whole[dimension_] += sizes_[dimension_];
    }
    const std::string joined = Add(whole, fmt::format("concatenate({}), dimensions={{{}}}",
                                                      fmt::join(pieces, ", "), dimension_));
    return fmt::format("HloModule pieces\n\nENTRY main {{\n{}{}{}}}\n", parameters_, body_,
                       Result(whole, joined, pieces.front()));
  }

 private:
  std::string Shape(const Sizes& sizes) const {
    return fmt::format("{}[{}]", type_, fmt::join(sizes, ","));
  }
  std::string Add(const Sizes& sizes, const std::string& instruction) {
    const std::string name = fmt::format("v{}_", number_++);
    shapes_.push_back(Shape(sizes));
    body_ += fmt::format("  {} = {} {}\n", name, Shape(sizes), instruction);
    return name;
  }
  std::string Parameter(const Sizes& sizes) {
    const std::string name = fmt::format("p{}_", parameter_count_);
    parameters_ += fmt::format("  {} = {} parameter({})\n", name, Shape(sizes), parameter_count_++);
    return name;
  }

  // An array, part of one, with strides or without, one whose dimensions are in another order, or
  // elements that some dimensions repeat.
  std::string Operand() {
    switch (dice_.Below(6)) {
      case 0:
      case 1:
        return Slice();
      case 2:
        return Repeated();
      case 3:
        return Transposed();
      default:
        return Parameter(sizes_);
    }
  }

  std::string Slice() {
    Sizes wide;
    std::string ranges;
    for (size_t d = 0; d < sizes_.size(); ++d) {
      const int64_t begin = dice_.Chance(50) ? dice_.Below(3) : 0;
      const int64_t stride = dice_.Chance(20) ? 2 : 1;
      const int64_t end = begin + (sizes_[d] - 1) * stride + 1;
      wide.push_back(end + dice_.Below(2));
      ranges += fmt::format("{}[{}:{}:{}]", d == 0 ? "" : ",", begin, end, stride);
    }
    return Add(sizes_, fmt::format("slice({}), slice={{{}}}", Parameter(wide), ranges));
  }

  std::string Repeated() {
    Sizes dimensions, own;
    for (size_t d = 0; d < sizes_.size(); ++d) {
      if (dice_.Chance(40)) continue;
      dimensions.push_back(static_cast<int64_t>(d));
      own.push_back(sizes_[d]);
    }
    return Add(sizes_, fmt::format("broadcast({}), dimensions={{{}}}", Parameter(own),
                                   fmt::join(dimensions, ",")));
  }

  // By a rotation of the dimensions, or of those before the last.
  std::string Transposed() {
    const size_t rank = sizes_.size();
    const size_t turned = dice_.Chance(60) && rank > 1 ? rank - 1 : rank;
    Sizes permutation, own(rank);
    for (size_t d = 0; d < rank; ++d) {
      const size_t from = d < turned ? (d + 1) % turned : d;
      permutation.push_back(static_cast<int64_t>(from));
      own[from] = sizes_[d];
    }
    return Add(sizes_, fmt::format("transpose({}), dimensions={{{}}}", Parameter(own),
                                   fmt::join(permutation, ",")));
  }

  std::string Piece() {
    if (dice_.Chance(5)) return Operand();
    std::string value = Operand();
    for (int64_t i = 1 + dice_.Below(3); i > 0; --i) {
      const auto opcode = dice_.OneOf<std::string>({"add", "subtract", "maximum"});
      value = Add(sizes_, fmt::format("{}({}, {})", opcode, value, Operand()));
    }
    return value;
  }

  std::string Result(const Sizes& whole, const std::string& joined, const std::string& piece) {
    const std::string shape = Shape(whole);
    switch (dice_.Below(4)) {
      case 0:
        return fmt::format("  ROOT r = {} negate({})\n", shape, joined);
      case 1: {
        const std::string negated = Add(whole, fmt::format("negate({})", joined));
        return fmt::format("  ROOT r = ({0}, {0}) tuple({1}, {2})\n", shape, joined, negated);
      }
      case 2:
        if (piece.starts_with("v")) {
          const std::string& of_piece = shapes_[std::stoul(piece.substr(1))];
          return fmt::format("  ROOT r = ({}, {}) tuple({}, {})\n", shape, of_piece, joined, piece);
        }
        [[fallthrough]];
      default:
        return fmt::format("  ROOT r = ({}) tuple({})\n", shape, joined);
    }
  }

  Dice dice_;
  std::string type_;
  Sizes sizes_;
  size_t dimension_;
  std::string parameters_, body_;
  std::vector<std::string> shapes_;  // of values
  int parameter_count_ = 0, number_ = 0;
};

TEST(PiecesTest, AreTheReferences) {
  ExpectSame([](uint32_t seed) { return Program(seed).Text(); }, SeedCount(600));
}

// Rotary embeddings, as JAX writes them: one step, which puts both halves where they belong.
TEST(PiecesTest, HalvesAreOneStep) {
  const absl::StatusOr<Module> module = ParseText("test", R"(HloModule m
ENTRY main {
  x = f32[4,32,6,128] parameter(0)
  cosines = f32[4,32,64] parameter(1)
  sines = f32[4,32,64] parameter(2)
  first = f32[4,32,6,64] slice(x), slice={[0:4], [0:32], [0:6], [0:64]}
  second = f32[4,32,6,64] slice(x), slice={[0:4], [0:32], [0:6], [64:128]}
  c = f32[4,32,6,64] broadcast(cosines), dimensions={0,1,3}
  s = f32[4,32,6,64] broadcast(sines), dimensions={0,1,3}
  fc = f32[4,32,6,64] multiply(first, c)
  ss = f32[4,32,6,64] multiply(second, s)
  left = f32[4,32,6,64] subtract(fc, ss)
  sc = f32[4,32,6,64] multiply(second, c)
  fs = f32[4,32,6,64] multiply(first, s)
  right = f32[4,32,6,64] add(sc, fs)
  ROOT y = f32[4,32,6,128] concatenate(left, right), dimensions={3}
})");
  ASSERT_TRUE(module.ok()) << module.status();
  DiagnosticSink sink(module->source());
  const std::optional<Plan> plan = PlanModule(*module, sink, {.backend = FindBackend("simd")});
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(CountSteps(*plan), 1) << PlanText(*plan);
}

}  // namespace
}  // namespace hlo::testing
