// What blocks read through other instructions: arrays that arrive as parts of parts, turned,
// repeated, padded, reshaped or joined, in rows shorter and longer than tiles, several of them
// together. Both backends give the same bits.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/compare_backends.h"
#include "testing/reading_program.h"

namespace hlo::testing {
namespace {

class Program {
 public:
  explicit Program(uint32_t seed) : program_(seed) {
    Dice& dice = program_.dice();
    constexpr int64_t kMostElements = 1 << 14;
    int64_t count = dice.OneOf<int64_t>({1, 7, 32, 64, 65, 96, 128, 130, 256, 1000, 4100});
    sizes_.push_back(count);
    for (int64_t rank = 1 + dice.Below(4); rank > 1; --rank) {
      const auto size = dice.OneOf<int64_t>({1, 2, 3, 4, 6, 9, 16});
      sizes_.insert(sizes_.begin(), count * size > kMostElements ? 1 : size);
      count *= sizes_.front();
    }
  }

  std::string Text() {
    Dice& dice = program_.dice();
    std::vector<std::string> results;
    for (int64_t i = 1 + dice.Below(3); i > 0; --i) results.push_back(Value());
    if (dice.Chance(30)) results.back() = Reduced(results.back());
    std::vector<std::string> shapes;
    for (const std::string& result : results) {
      shapes.push_back(program_.Shape(program_.SizesOf(result)));
    }
    return program_.Text(fmt::format("larger {{\n  a = {0} parameter(0)\n  b = {0} parameter(1)\n"
                                     "  ROOT m = {0} maximum(a, b)\n}}\n\n",
                                     program_.Shape({})),
                         fmt::format("({})", fmt::join(shapes, ", ")),
                         fmt::format("tuple({})", fmt::join(results, ", ")));
  }

 private:
  std::string Value() {
    Dice& dice = program_.dice();
    std::string value = Operand();
    for (int64_t i = 1 + dice.Below(3); i > 0; --i) {
      const auto opcode = dice.OneOf<std::string>({"add", "subtract", "maximum", "multiply"});
      value = program_.Add(sizes_, fmt::format("{}({}, {})", opcode, value, Operand()));
    }
    return value;
  }

  // What several read, too.
  std::string Operand() {
    Dice& dice = program_.dice();
    if (!operands_.empty() && dice.Chance(30)) {
      return operands_[static_cast<size_t>(dice.Below(static_cast<int64_t>(operands_.size())))];
    }
    operands_.push_back(program_.Read(sizes_, 3));
    return operands_.back();
  }

  // The largest squares: of zeros with both signs either may be the largest.
  std::string Reduced(const std::string& value) {
    Sizes dimensions, kept;
    for (size_t d = 0; d < sizes_.size(); ++d) {
      if (program_.dice().Chance(50)) {
        dimensions.push_back(static_cast<int64_t>(d));
      } else {
        kept.push_back(sizes_[d]);
      }
    }
    const std::string square = program_.Add(sizes_, fmt::format("multiply({0}, {0})", value));
    return program_.Add(kept,
                        fmt::format("reduce({}, {}), dimensions={{{}}}, to_apply=larger", square,
                                    program_.Add({}, "constant(0)"), fmt::join(dimensions, ",")));
  }

  ReadingProgram program_;
  Sizes sizes_;
  std::vector<std::string> operands_;
};

TEST(ReadsTest, AreTheReferences) {
  ExpectSame([](uint32_t seed) { return Program(seed).Text(); }, 2000);
}

}  // namespace
}  // namespace hlo::testing
