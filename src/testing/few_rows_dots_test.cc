// Dots one side of which has few rows, as a few tokens by the weights of a layer have: how they are
// made depends on how few, on which dimension is summed, and on how elements lie. Sums are near
// those of the reference backend, of sizes around those of vectors, panels and blocks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testing/compare_backends.h"

namespace hlo::testing {
namespace {

struct Types {
  std::string_view operands, result;
};
constexpr Types kTypes[] = {{"f32", "f32"}, {"bf16", "bf16"}, {"bf16", "f32"}, {"f64", "f64"},
                            {"s32", "s32"}, {"s8", "s32"},    {"u8", "s16"}};

struct Sizes {
  int64_t rows, terms, columns;
};
constexpr Sizes kSizes[] = {
    {2, 70, 131},   {3, 300, 65},   {4, 129, 1100}, {5, 64, 300},   {8, 257, 259}, {9, 70, 1060},
    {11, 1030, 67}, {16, 129, 320}, {17, 300, 131}, {32, 65, 1030}, {33, 70, 259}, {48, 260, 97},
    {63, 40, 400},  {64, 129, 530}, {65, 300, 70},  {130, 70, 270}, {6, 64, 400},  {8, 256, 640},
    {40, 128, 208}, {64, 1024, 96}, {20, 192, 1003}};

// Dots of all types and sizes, with the larger side on the left and on the right, summed over its
// first dimension and over its last.
void ExpectSameDots(std::string (*text)(const Types&, const Sizes&, bool is_left, bool is_turned)) {
  for (const Types& types : kTypes) {
    for (const Sizes& sizes : kSizes) {
      for (const bool is_left : {false, true}) {
        for (const bool is_turned : {false, true}) {
          ExpectSameDot(text(types, sizes, is_left, is_turned));
          if (::testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

std::string PlainDot(const Types& types, const Sizes& sizes, bool is_left, bool is_turned) {
  const auto [first, second] =
      is_turned ? std::pair(sizes.columns, sizes.terms) : std::pair(sizes.terms, sizes.columns);
  const auto [m, n] =
      is_left ? std::pair(sizes.columns, sizes.rows) : std::pair(sizes.rows, sizes.columns);
  const int summed = is_turned ? 1 : 0;
  return fmt::format(
      "HloModule m\nENTRY main {{\n  x = {0}[{1},{2}] parameter(0)\n  y = {0}[{3},{4}] "
      "parameter(1)\n  ROOT r = {5}[{6},{7}] dot({8}), lhs_contracting_dims={{{9}}}, "
      "rhs_contracting_dims={{{10}}}\n}}\n",
      types.operands, sizes.rows, sizes.terms, first, second, types.result, m, n,
      is_left ? "y, x" : "x, y", is_left ? summed : 1, is_left ? 1 : summed);
}

TEST(FewRowsDots, SumsAreNear) { ExpectSameDots(PlainDot); }

// Bytes of all kinds, the least one among them.
void FillWithAnyBytes(std::vector<Literal>& arguments) {
  int64_t number = 0;
  for (Literal& literal : arguments) {
    if (literal.shape().element_type() != ElementType::kS8) continue;
    for (int8_t& element : literal.elements<int8_t>()) {
      element = static_cast<int8_t>(number * 37 % 256 - 128);
      ++number;
    }
  }
}

// Terms of both sides side by side, with ends of all lengths, of as many rows as are multiplied
// together and more: the library, which takes many of them, leaves them to ours.
TEST(FewRowsDots, OfLines) {
  for (const Types& types : {Types{"bf16", "bf16"}, {"bf16", "f32"}, {"s8", "s32"}}) {
    for (int64_t rows = 1; rows <= 18; ++rows) {
      for (const int64_t terms : {63, 64, 65, 127, 160, 257}) {
        for (const int64_t columns : {19, 24, 300}) {
          ExpectSameDot(
              PlainDot(types, {rows, terms, columns}, /*is_left=*/false, /*is_turned=*/true),
              {.library_use = LibraryUse::kNever, .change = FillWithAnyBytes});
          if (::testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

// Columns of more elements than caches hold, in lines that parts of the sum read whole.
TEST(FewRowsDots, OfLongLines) {
  for (const Types& types : kTypes) {
    ExpectSameDot(PlainDot(types, {3, 4100, 4099}, /*is_left=*/false, /*is_turned=*/false));
  }
}

// Some rows by columns that are so many that they are not packed: a part is some of the terms, or
// some of the columns, the last of which fill no vectors.
TEST(FewRowsDots, ByManyColumns) {
  for (const Types& types : kTypes) {
    for (const Sizes& sizes : {Sizes{13, 2050, 1030}, {35, 2083, 1087}, {64, 1025, 2113}}) {
      ExpectSameDot(PlainDot(types, sizes, /*is_left=*/false, /*is_turned=*/false));
    }
  }
}

// Weights of heads, as attention has: the columns lie side by side for one head after the other,
// each with all terms.
constexpr int64_t kHeads = 2;

std::string ToHeads(const Types& types, const Sizes& sizes, bool is_left, bool is_turned) {
  const auto [first, second] =
      is_turned ? std::pair(sizes.columns, sizes.terms) : std::pair(sizes.terms, sizes.columns);
  const int summed = is_turned ? 2 : 1;
  const std::string heads = fmt::format("{},{}", kHeads, sizes.columns);
  return fmt::format(
      "HloModule m\nENTRY main {{\n  x = {0}[{1},{2}] parameter(0)\n  y = {0}[{3},{4},{5}] "
      "parameter(1)\n  ROOT r = {6}[{7}] dot({8}), lhs_contracting_dims={{{9}}}, "
      "rhs_contracting_dims={{{10}}}\n}}\n",
      types.operands, sizes.rows, sizes.terms, kHeads, first, second, types.result,
      is_left ? fmt::format("{},{}", heads, sizes.rows) : fmt::format("{},{}", sizes.rows, heads),
      is_left ? "y, x" : "x, y", is_left ? summed : 1, is_left ? 1 : summed);
}

TEST(FewRowsDots, ToHeads) { ExpectSameDots(ToHeads); }

TEST(FewRowsDots, ToManyColumnsOfHeads) {
  for (const Types& types : kTypes) {
    for (const bool is_left : {false, true}) {
      for (const Sizes& sizes : {Sizes{1, 2050, 550}, {3, 2083, 515}, {14, 2050, 530}}) {
        ExpectSameDot(ToHeads(types, sizes, is_left, /*is_turned=*/false));
      }
    }
  }
}

// And back: the sum is over two dimensions, named in the other order than they lie in.
std::string FromHeads(const Types& types, const Sizes& sizes, bool is_left, bool is_turned) {
  const std::string y = is_turned ? fmt::format("[{},{},{}]", sizes.columns, kHeads, sizes.terms)
                                  : fmt::format("[{},{},{}]", kHeads, sizes.terms, sizes.columns);
  const auto [m, n] =
      is_left ? std::pair(sizes.columns, sizes.rows) : std::pair(sizes.rows, sizes.columns);
  const std::string_view summed = is_turned ? "2,1" : "1,0";
  return fmt::format(
      "HloModule m\nENTRY main {{\n  x = {0}[{1},{2},{3}] parameter(0)\n  y = {0}{4} "
      "parameter(1)\n  ROOT r = {5}[{6},{7}] dot({8}), lhs_contracting_dims={{{9}}}, "
      "rhs_contracting_dims={{{10}}}\n}}\n",
      types.operands, sizes.rows, kHeads, sizes.terms, y, types.result, m, n,
      is_left ? "y, x" : "x, y", is_left ? summed : "2,1", is_left ? "2,1" : summed);
}

TEST(FewRowsDots, FromHeads) { ExpectSameDots(FromHeads); }

// Two batch entries, whose dimension is the last of the smaller side, and sums over two dimensions
// that do not lie one behind the other there.
std::string BatchedDot(const Types& types, const Sizes& sizes, bool is_left, bool is_turned) {
  const std::string large = is_turned ? fmt::format("[2,{},3,{}]", sizes.columns, sizes.terms)
                                      : fmt::format("[2,3,{},{}]", sizes.terms, sizes.columns);
  const auto [m, n] =
      is_left ? std::pair(sizes.columns, sizes.rows) : std::pair(sizes.rows, sizes.columns);
  const std::string_view y = is_turned ? "2,3" : "1,2";
  return fmt::format(
      "HloModule m\nENTRY main {{\n  x = {0}[{1},{2},3,2] parameter(0)\n  y = {0}{3} "
      "parameter(1)\n  ROOT r = {4}[2,{5},{6}] dot({7}), lhs_batch_dims={{{8}}}, "
      "rhs_batch_dims={{{9}}}, lhs_contracting_dims={{{10}}}, rhs_contracting_dims={{{11}}}\n}}\n",
      types.operands, sizes.rows, sizes.terms, large, types.result, m, n, is_left ? "y, x" : "x, y",
      is_left ? 0 : 3, is_left ? 3 : 0, is_left ? y : "2,1", is_left ? "2,1" : y);
}

TEST(FewRowsDots, InBatches) { ExpectSameDots(BatchedDot); }

}  // namespace
}  // namespace hlo::testing
