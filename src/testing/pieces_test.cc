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
#include "testing/reading_program.h"
#include "testing/run_module.h"

namespace hlo::testing {
namespace {

class Program {
 public:
  explicit Program(uint32_t seed) : program_(seed) {
    Dice& dice = program_.dice();
    const int64_t rank = 1 + dice.Below(4);
    constexpr int64_t kMostElements = 1 << 15;
    int64_t count = 1;
    for (int64_t d = 0; d < rank; ++d) {
      const auto size = dice.OneOf<int64_t>({1, 2, 3, 5, 8, 16, 33, 64, 128});
      sizes_.push_back(count * size > kMostElements ? 2 : size);
      count *= sizes_.back();
    }
    dimension_ = static_cast<size_t>(dice.Below(rank));
  }

  std::string Text() {
    Dice& dice = program_.dice();
    Sizes whole = sizes_;
    whole[dimension_] = 0;
    std::vector<std::string> pieces;
    for (int64_t i = 2 + dice.Below(4); i > 0; --i) {
      const bool is_like_before = i == 1 || dice.Chance(80);
      if (!is_like_before) sizes_[dimension_] = 1 + dice.Below(7);
      pieces.push_back(dice.Chance(5) && !pieces.empty() && is_like_before ? pieces.back()
                                                                           : Piece());
      whole[dimension_] += sizes_[dimension_];
    }
    const std::string joined = program_.Add(
        whole,
        fmt::format("concatenate({}), dimensions={{{}}}", fmt::join(pieces, ", "), dimension_));
    return Text(whole, joined, pieces.front());
  }

 private:
  // What a few instructions make of reads, or a read by itself.
  std::string Piece() {
    Dice& dice = program_.dice();
    std::string value = program_.Read(sizes_, 1);
    if (dice.Chance(5)) return value;
    for (int64_t i = 1 + dice.Below(3); i > 0; --i) {
      const auto opcode = dice.OneOf<std::string>({"add", "subtract", "maximum"});
      value =
          program_.Add(sizes_, fmt::format("{}({}, {})", opcode, value, program_.Read(sizes_, 1)));
    }
    return value;
  }

  std::string Text(const Sizes& whole, const std::string& joined, const std::string& piece) {
    const std::string shape = program_.Shape(whole);
    switch (program_.dice().Below(4)) {
      case 0:
        return program_.Text("", shape, fmt::format("negate({})", joined));
      case 1: {
        const std::string negated = program_.Add(whole, fmt::format("negate({})", joined));
        return program_.Text("", fmt::format("({0}, {0})", shape),
                             fmt::format("tuple({}, {})", joined, negated));
      }
      case 2:
        return program_.Text(
            "", fmt::format("({}, {})", shape, program_.Shape(program_.SizesOf(piece))),
            fmt::format("tuple({}, {})", joined, piece));
      default:
        return program_.Text("", fmt::format("({})", shape), fmt::format("tuple({})", joined));
    }
  }

  ReadingProgram program_;
  Sizes sizes_;
  size_t dimension_;
};

TEST(PiecesTest, AreTheReferences) {
  ExpectSame([](uint32_t seed) { return Program(seed).Text(); }, 600);
}

// Of 4 MiB and more, which go past the caches in rows of whole lines: pieces of 640 bytes each, and
// of 632 and 648.
TEST(PiecesTest, LargeOnesAreTheReferences) {
  static constexpr int64_t kRow = 320;  // elements
  ExpectSame(
      [](uint32_t seed) {
        const int64_t left = seed % 2 == 0 ? kRow / 2 : kRow / 2 - 2;
        const std::string shape = fmt::format("f32[4096,{}]", kRow);
        return fmt::format(R"(HloModule m
ENTRY main {{
  x = {0} parameter(0)
  a = f32[4096,{1}] slice(x), slice={{[0:4096], [0:{1}]}}
  b = f32[4096,{2}] slice(x), slice={{[0:4096], [{1}:{3}]}}
  aa = f32[4096,{1}] multiply(a, a)
  bb = f32[4096,{2}] add(b, b)
  ROOT y = {0} concatenate(aa, bb), dimensions={{1}}
}})",
                           shape, left, kRow - left, kRow);
      },
      2);
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
