// Blocks that read arrays which are repeated as a whole, such as masks and embeddings of places, in
// batches of what tiles have several rows of: by themselves, beside reductions of rows that are
// broadcast back, and behind products, whose parts begin anywhere. Both backends give the same
// bits.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/compare_backends.h"
#include "testing/dice.h"

namespace hlo::testing {
namespace {

class Program {
 public:
  explicit Program(uint32_t seed) : dice_(seed) {
    rows_ = dice_.OneOf<int64_t>({5, 8, 12, 37, 64, 100, 197, 256});
    row_ = dice_.OneOf<int64_t>({33, 64, 100, 128, 500, 512, 768});
    while (rows_ * row_ > kMostElements / 2) rows_ /= 2;
    batch_ = 2 + dice_.Below(kMostElements / (rows_ * row_) - 1) % 5;
    heads_ = 1 + dice_.Below(3);
    // Sums of products are exact in integers alone.
    is_of_product_ = dice_.Chance(30);
    type_ = is_of_product_ ? "s32" : dice_.OneOf<std::string>({"f32", "f32", "f64", "bf16", "s32"});
  }

  std::string Text() {
    std::string value = Made();
    for (int64_t i = 1 + dice_.Below(3); i > 0; --i) {
      const auto opcode = dice_.OneOf<std::string>({"add", "subtract", "maximum"});
      value = Add(fmt::format("{}({}, {})", opcode, value, Repeated()));
      if (dice_.Chance(30)) value = Chosen(value);
    }
    if (dice_.Chance(50)) value = Add(fmt::format("subtract({}, {})", value, LargestOfRow(value)));
    return fmt::format(
        "HloModule repeated\n\nlarger {{\n  a = {0}[] parameter(0)\n  b = {0}[] parameter(1)\n"
        "  ROOT m = {0}[] maximum(a, b)\n}}\n\nENTRY main {{\n{1}  ROOT r = {2} negate({3})\n}}\n",
        type_, body_, Shape(type_), value);
  }

 private:
  static constexpr int64_t kMostElements = 1 << 17;

  std::string Shape(const std::string& type) const {
    return fmt::format("{}[{},{},{},{}]", type, batch_, heads_, rows_, row_);
  }
  std::string Put(const std::string& shape, const std::string& instruction) {
    const std::string name = fmt::format("v{}_", value_count_++);
    body_ += fmt::format("  {} = {} {}\n", name, shape, instruction);
    return name;
  }
  std::string Add(const std::string& instruction) { return Put(Shape(type_), instruction); }
  std::string Parameter(const std::string& shape) {
    return Put(shape, fmt::format("parameter({})", parameter_count_++));
  }

  std::string Made() {
    if (!is_of_product_) return Parameter(Shape(type_));
    const int64_t terms = dice_.OneOf<int64_t>({1, 3, 16, 40});
    const std::string lhs =
        Parameter(fmt::format("s32[{},{},{},{}]", batch_, heads_, rows_, terms));
    const std::string rhs = Parameter(fmt::format("s32[{},{}]", terms, row_));
    return Add(fmt::format("dot({}, {}), lhs_contracting_dims={{3}}, rhs_contracting_dims={{0}}",
                           lhs, rhs));
  }

  // Of the last dimensions, or without the heads.
  std::string Repeated(const std::string& type) {
    struct Form {
      std::vector<int64_t> sizes, dimensions;
    };
    const auto form = dice_.OneOf<Form>({{{rows_, row_}, {2, 3}},
                                         {{heads_, rows_, row_}, {1, 2, 3}},
                                         {{batch_, rows_, row_}, {0, 2, 3}},
                                         {{row_}, {3}}});
    const std::string array = Parameter(fmt::format("{}[{}]", type, fmt::join(form.sizes, ",")));
    return Put(Shape(type), fmt::format("broadcast({}), dimensions={{{}}}", array,
                                        fmt::join(form.dimensions, ",")));
  }
  std::string Repeated() { return Repeated(type_); }

  std::string Chosen(const std::string& value) {
    const std::string mask = Repeated("pred");
    return Add(fmt::format("select({}, {}, {})", mask, value, Repeated()));
  }

  std::string LargestOfRow(const std::string& value) {
    const std::string least = Put(type_ + "[]", "constant(0)");
    const std::string largest =
        Put(fmt::format("{}[{},{},{}]", type_, batch_, heads_, rows_),
            fmt::format("reduce({}, {}), dimensions={{3}}, to_apply=larger", value, least));
    return Add(fmt::format("broadcast({}), dimensions={{0,1,2}}", largest));
  }

  Dice dice_;
  std::string type_, body_;
  int64_t batch_, heads_, rows_, row_;
  bool is_of_product_;
  int64_t value_count_ = 0, parameter_count_ = 0;
};

TEST(RepeatedReadsTest, AreTheReferences) {
  ExpectSame([](uint32_t seed) { return Program(seed).Text(); }, 300);
}

}  // namespace
}  // namespace hlo::testing
