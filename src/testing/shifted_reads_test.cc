// Blocks that read arrays at several places at once, as difference schemes do: slices of all
// offsets, static or not, arrays turned around an edge, and rows that a dimension in the middle
// repeats, of rows longer and shorter than tiles.
// Both backends give the same bits.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "testing/compare_backends.h"
#include "testing/dice.h"

namespace hlo::testing {
namespace {

using Sizes = std::vector<int64_t>;

class Program {
 public:
  explicit Program(uint32_t seed) : dice_(seed) {
    type_ = dice_.OneOf<std::string>({"f32", "f32", "f64", "bf16", "s32", "s64", "u8", "c64"});
    const int64_t rank = 1 + dice_.Below(3);
    const int64_t row =
        dice_.OneOf<int64_t>({31, 64, 96, 100, 127, 128, 130, 256, 510, 1000, 2048, 5000, 12289});
    for (int64_t d = 0; d + 1 < rank; ++d) sizes_.push_back(1 + dice_.Below(rank == 2 ? 40 : 9));
    sizes_.push_back(row);
    for (const int64_t size : sizes_) wide_sizes_.push_back(size + 2);
  }

  std::string Text() {
    const int64_t term_count = 2 + dice_.Below(5);
    std::string sum = Term();
    for (int64_t t = 1; t < term_count; ++t) sum = Combined(sum, Term());
    std::string text = fmt::format(
        "HloModule shifted\n\nlarger {{\n  a = {0}[] parameter(0)\n  b = {0}[] parameter(1)\n"
        "  ROOT m = {0}[] {1}(a, b)\n}}\n\nENTRY main {{\n  x = {2} parameter(0)\n"
        "  wide = {3} parameter(1)\n  row = {0}[{4}] parameter(2)\n  one = s32[] constant(1)\n"
        "  far = s32[] constant({5})\n",
        type_, type_ == "c64" ? "multiply" : "maximum", Shape(sizes_), Shape(wide_sizes_),
        sizes_.back(), dice_.Below(4));
    if (HasMiddle()) {
      text += fmt::format("  planes = {} parameter(3)\n", Shape({sizes_.front(), sizes_.back()}));
    }
    return text + body_ + Result(sum) + "}\n";
  }

 private:
  std::string Shape(const Sizes& sizes) const {
    return fmt::format("{}[{}]", type_, fmt::join(sizes, ","));
  }

  std::string Add(const Sizes& sizes, const std::string& instruction) {
    const std::string name = fmt::format("v{}_", number_++);
    body_ += fmt::format("  {} = {} {}\n", name, Shape(sizes), instruction);
    return name;
  }

  std::string Slice(std::string_view array, const Sizes& begins, const Sizes& sizes) {
    std::string ranges;
    for (size_t d = 0; d < sizes.size(); ++d) {
      ranges += fmt::format("{}[{}:{}]", d == 0 ? "" : ",", begins[d], begins[d] + sizes[d]);
    }
    return Add(sizes, fmt::format("slice({}), slice={{{}}}", array, ranges));
  }

  bool HasMiddle() const { return sizes_.size() == 3; }

  std::string Term() {
    switch (dice_.Below(6)) {
      case 0:
        return "x";
      case 1:
        return Turned();
      case 2:
        return Add(sizes_, fmt::format("broadcast(row), dimensions={{{}}}", sizes_.size() - 1));
      case 3: {
        std::string starts;
        for (size_t d = 0; d < sizes_.size(); ++d) {
          starts += dice_.Chance(50) ? ", one" : ", far";
        }
        return Add(sizes_, fmt::format("dynamic-slice(wide{}), dynamic_slice_sizes={{{}}}", starts,
                                       fmt::join(sizes_, ",")));
      }
      case 4:
        if (HasMiddle()) return Add(sizes_, "broadcast(planes), dimensions={0,2}");
        [[fallthrough]];
      default: {
        Sizes begins;
        for (size_t d = 0; d < sizes_.size(); ++d) begins.push_back(dice_.Below(3));
        return Slice("wide", begins, sizes_);
      }
    }
  }

  // The elements from one on along a dimension, then those before it.
  std::string Turned() {
    const auto d = static_cast<size_t>(dice_.Below(std::ssize(sizes_)));
    if (sizes_[d] == 1) return "x";
    const int64_t by = 1 + dice_.Below(dice_.Chance(70) ? 1 : sizes_[d] - 1);
    Sizes zeros(sizes_.size()), begins = zeros, front = sizes_, back = sizes_;
    begins[d] = by;
    front[d] -= by;
    back[d] = by;
    const std::string first = Slice("x", begins, front), second = Slice("x", zeros, back);
    return Add(sizes_, fmt::format("concatenate({}, {}), dimensions={{{}}}", first, second, d));
  }

  std::string Combined(const std::string& a, const std::string& b) {
    const auto opcode = type_ == "c64"
                            ? dice_.OneOf<std::string>({"add", "subtract"})
                            : dice_.OneOf<std::string>({"add", "subtract", "maximum", "multiply"});
    return Add(sizes_, fmt::format("{}({}, {})", opcode, a, b));
  }

  // As it is, with the largest element of each row, or beside another value.
  std::string Result(const std::string& value) {
    const Sizes rows(sizes_.begin(), sizes_.end() - 1);
    const std::string result = Shape(sizes_);
    const bool is_exact = type_ != "c64";  // in any order
    switch (dice_.Below(is_exact ? 3 : 2)) {
      case 0:
        return fmt::format("  ROOT r = {} negate({})\n", result, value);
      case 1:
        return fmt::format("  other = {0} add(x, {1})\n  ROOT r = ({0}, {0}) tuple(other, {1})\n",
                           result, value);
      default:
        return fmt::format(
            "  init = {0}[] constant(0)\n  m = {1} reduce({2}, init), dimensions={{{3}}}, "
            "to_apply=larger\n  ROOT r = ({4}, {1}) tuple({2}, m)\n",
            type_, Shape(rows), value, rows.size(), result);
    }
  }

  Dice dice_;
  std::string type_;
  Sizes sizes_, wide_sizes_;
  std::string body_;
  int number_ = 0;
};

TEST(ShiftedReadsTest, AreTheReferences) {
  ExpectSame([](uint32_t seed) { return Program(seed).Text(); }, 300);
}

}  // namespace
}  // namespace hlo::testing
