// What is left to oneDNN beside the reference backend, wherever it can do it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_split.h"
#include "interp/backends.h"
#include "interp/simd/onednn/onednn.h"
#include "ir/element_traits.h"
#include "testing/compare_backends.h"
#include "testing/random_program.h"
#include "testing/run_module.h"

namespace hlo::testing {
namespace {

class LibraryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!simd::onednn::IsThere()) GTEST_SKIP() << "there is no oneDNN";
  }
};

bool IsLeftToLibrary(const std::string& text) {
  const absl::StatusOr<Module> module = ParseText("convolution", text);
  if (!module.ok()) return false;
  DiagnosticSink sink(module->source());
  const auto plan = PlanModule(
      *module, sink, {.backend = FindBackend("simd"), .library_use = LibraryUse::kWherePossible});
  return plan && PlanText(*plan).find("oneDNN") != std::string::npos;
}

void ExpectSameConvolutionsByLibrary(std::string (*make)(uint32_t seed), uint32_t count) {
  int64_t taken_count = 0;
  for (uint32_t seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    const std::string text = make(seed);
    if (!IsLeftToLibrary(text)) continue;
    ++taken_count;
    ExpectSameConvolution(text, {.library_use = LibraryUse::kWherePossible});
  }
  EXPECT_GT(taken_count, count / 25);
}

TEST_F(LibraryTest, RandomConvolutions) {
  ExpectSameConvolutionsByLibrary(RandomLibraryConvolution, 3000);
}
TEST_F(LibraryTest, RandomKernelGradients) {
  ExpectSameConvolutionsByLibrary(RandomKernelGradient, 2500);
}

void ExpectSameDotsByLibrary(std::string (*make)(uint32_t seed)) {
  int64_t taken_count = 0;
  for (uint32_t seed = 0; seed < 1500 && !::testing::Test::HasFailure(); ++seed) {
    const std::string text = make(seed);
    if (!IsLeftToLibrary(text)) continue;
    ++taken_count;
    ExpectSameDot(text, {.library_use = LibraryUse::kWherePossible});
  }
  EXPECT_GT(taken_count, 50);
}

TEST_F(LibraryTest, RandomDots) { ExpectSameDotsByLibrary(RandomDot); }
TEST_F(LibraryTest, RandomDotsOfReads) { ExpectSameDotsByLibrary(RandomDotOfReads); }

// Of operands and of the result, as oneDNN multiplies them.
struct DotTypes {
  std::string_view operands, result;
};

// [batch, rows, sum] by [batch, sum, columns]: the latter as it is said, or turned.
std::string DotText(DotTypes types, std::array<int, 4> sizes, bool is_turned) {
  const auto [batch, rows, sum, columns] = sizes;
  const std::string y =
      is_turned ? fmt::format("{},{}", columns, sum) : fmt::format("{},{}", sum, columns);
  return fmt::format(
      "HloModule m\nENTRY e {{\n  x = {0}[{2},{3},{4}] parameter(0)\n"
      "  y = {0}[{2},{6}] parameter(1)\n"
      "  ROOT r = {1}[{2},{3},{5}] dot(x, y), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, "
      "lhs_contracting_dims={{2}}, rhs_contracting_dims={{{7}}}\n}}\n",
      types.operands, types.result, batch, rows, sum, columns, y, is_turned ? 2 : 1);
}

// Several parts with shorter ones at the ends, of one entry and of many, packed and not.
TEST_F(LibraryTest, PartsOfDots) {
  for (const DotTypes types :
       {DotTypes{"f32", "f32"}, DotTypes{"bf16", "bf16"}, DotTypes{"s8", "s32"}}) {
    for (const auto& sizes :
         std::initializer_list<std::array<int, 4>>{{1, 530, 70, 710},
                                                   {1, 300, 333, 1000},
                                                   {1, 197, 200, 1000},
                                                   {37, 33, 100, 65},
                                                   {5, 260, 257, 300},
                                                   // Fewer rows than are worth a cut, or just more.
                                                   {1, 11, 512, 1000},
                                                   {1, 16, 512, 1000},
                                                   {1, 20, 512, 1000},
                                                   {1, 33, 300, 1000}}) {
      const std::string text = DotText(types, sizes, /*is_turned=*/true);
      // Not all processors multiply narrow types.
      EXPECT_TRUE(IsLeftToLibrary(text) || types.operands != "f32") << text;
      ExpectSameDot(text, {.library_use = LibraryUse::kWherePossible});
    }
  }
}

// Few rows by many columns of narrow types, which are cut alone: what a part makes moves to its
// place.
TEST_F(LibraryTest, FewRowsByManyColumns) {
  for (const DotTypes types :
       {DotTypes{"bf16", "bf16"}, DotTypes{"bf16", "f32"}, DotTypes{"s8", "s32"}}) {
    for (const auto& sizes : std::initializer_list<std::array<int, 4>>{
             {1, 3, 1100, 1000}, {1, 16, 520, 2100}, {1, 40, 1030, 1030}, {1, 64, 1100, 1000}}) {
      for (const bool is_turned : {false, true}) {
        for (const bool freezes : {false, true}) {
          ExpectSameDot(DotText(types, sizes, is_turned),
                        {.library_use = LibraryUse::kWherePossible, .freezes_arguments = freezes});
        }
      }
    }
  }
}

template <int8_t value>
void FillWith(std::vector<Literal>& arguments) {
  for (Literal& argument : arguments) std::ranges::fill(argument.elements<int8_t>(), value);
}

// Sums of 8-bit integers are exact where f32 is not, and wrap as those of 32 bits do.
TEST_F(LibraryTest, LargestSumsOfBytes) {
  for (const int terms : {1023, 1024, 1025, 1501, 150001}) {
    for (const bool is_turned : {false, true}) {
      for (const bool freezes : {false, true}) {
        for (const auto change : {FillWith<-128>, FillWith<-127>, FillWith<127>}) {
          ExpectSameDot(DotText({"s8", "s32"}, {1, 5, terms, 70}, is_turned),
                        {.library_use = LibraryUse::kWherePossible,
                         .freezes_arguments = freezes,
                         .change = change});
        }
      }
    }
  }
}

// Parts of rows with a kernel that is packed in pieces, of features, of images; gradients.
TEST_F(LibraryTest, PartsOfConvolutions) {
  for (const char* type : {"f32", "bf16"}) {
    for (const char* line : {
             "[1,29,28,32] [3,3,32,128] [1,29,28,128] size=3x3 pad=1_1x1_1",
             "[1,13,12,64] [1,1,64,256] [1,13,12,256] size=1x1",
             "[1,15,15,64] [1,1,64,256] [1,8,8,256] size=1x1 stride=2x2",
             "[1,7,7,128] [3,3,128,192] [1,7,7,192] size=3x3 pad=1_1x1_1",
             "[6,9,9,32] [3,3,32,64] [6,9,9,64] size=3x3 pad=1_1x1_1",
             "[1,9,9,64] [3,3,64,128] [1,17,17,128] size=3x3 pad=1_1x1_1 lhs_dilate=2x2",
             "[3,9,8,24] [4,4,24,3] [3,18,16,3] size=4x4 pad=2_2x2_2 lhs_dilate=2x2",
             "[2,9,9,40] [7,7,40,1] [2,23,23,1] size=7x7 pad=6_6x6_6 lhs_dilate=2x2",
         }) {
      const std::vector<std::string> words = absl::StrSplit(line, absl::MaxSplits(' ', 3));
      const std::string text = fmt::format(
          "HloModule m\nENTRY e {{\n  x = {0}{1} parameter(0)\n  y = {0}{2} parameter(1)\n"
          "  ROOT r = {0}{3} convolution(x, y), window={{{4}}}, dim_labels=b01f_01io->b01f\n}}\n",
          type, words[0], words[1], words[2], words[3]);
      EXPECT_TRUE(IsLeftToLibrary(text) || std::string_view(type) == "bf16") << text;
      ExpectSameConvolution(text, {.library_use = LibraryUse::kWherePossible});
    }
  }
}

// Single places of few pixels, by kernels that change: as dots, where that is faster.
TEST_F(LibraryTest, FewPixels) {
  for (const char* type : {"f32", "bf16"}) {
    for (const char* line : {
             "[1,7,7,64] [1,1,64,96] [1,7,7,96] b01f_01io->b01f size=1x1",
             "[1,7,7,64] [96,1,1,64] [1,7,7,96] b01f_o01i->b01f size=1x1",
             "[3,4,5,70] [1,1,33,70] [3,4,5,33] b01f_01oi->b01f size=1x1",
             "[7,7,2,64] [1,1,64,96] [7,7,2,96] 01bf_01io->01bf size=1x1",
             "[2,20,64] [1,64,48] [2,20,48] b0f_0io->b0f size=1",
             "[2,20,64] [1,64,48] [2,17,48] b0f_0io->b0f size=1 pad=0_-3",
         }) {
      const std::vector<std::string> words = absl::StrSplit(line, absl::MaxSplits(' ', 4));
      ExpectSameConvolution(fmt::format(
          "HloModule m\nENTRY e {{\n  x = {0}{1} parameter(0)\n  y = {0}{2} parameter(1)\n"
          "  ROOT r = {0}{3} convolution(x, y), window={{{5}}}, dim_labels={4}\n}}\n",
          type, words[0], words[1], words[2], words[3], words[4]));
    }
  }
}

// Gradients of kernels that are sums over some images each; a number of images that is prime.
TEST_F(LibraryTest, SumsOfKernelGradients) {
  for (const char* type : {"f32", "bf16"}) {
    for (const char* line : {
             "[8,15,15,8] [8,8,8,16] [3,3,8,16] f01b_i01o->01bf "
             "size=8x8 pad=1_1x1_1 rhs_dilate=2x2",
             "[12,14,14,32] [12,7,7,48] [1,1,32,48] f01b_i01o->01bf "
             "size=7x7 pad=0_-1x0_-1 rhs_dilate=2x2",
             "[24,20,20,3] [24,10,10,32] [7,7,3,32] f01b_i01o->01bf "
             "size=10x10 pad=3_2x3_2 rhs_dilate=2x2",
             "[11,13,13,16] [11,13,13,64] [3,3,16,64] f01b_i01o->01bf size=13x13 pad=1_1x1_1",
             "[16,64,16] [16,64,24] [5,16,24] f0b_i0o->0bf size=64 pad=2_2",
             "[16,5,6,7,8] [16,5,6,7,16] [1,3,1,8,16] f012b_i012o->012bf "
             "size=5x6x7 pad=0_0x1_1x0_0",
             "[8,16,12,12] [8,32,12,12] [32,16,3,3] fb01_io01->fb01 size=12x12 pad=1_1x1_1",
         }) {
      const std::vector<std::string> words = absl::StrSplit(line, absl::MaxSplits(' ', 4));
      const std::string text = fmt::format(
          "HloModule m\nENTRY e {{\n  x = {0}{1} parameter(0)\n  y = {0}{2} parameter(1)\n"
          "  ROOT r = {0}{3} convolution(x, y), window={{{5}}}, dim_labels={4}\n}}\n",
          type, words[0], words[1], words[2], words[3], words[4]);
      EXPECT_TRUE(IsLeftToLibrary(text) || std::string_view(type) == "bf16") << text;
      ExpectSameConvolution(text, {.library_use = LibraryUse::kWherePossible});
    }
  }
}

// Some elements of the images are infinite or NaN, in every fourth program some of the kernel's.
template <bool changes_kernel>
void MakeInfinite(std::vector<Literal>& arguments) {
  for (size_t i = 0; i < (changes_kernel ? 2 : 1); ++i) {
    DispatchElementType<kFloat>(arguments[i].shape().element_type(), [&]<typename T>() {
      const std::span<T> elements = arguments[i].elements<T>();
      for (size_t k = 7; k < elements.size(); k += 97) {
        elements[k] =
            k % 2 == 0 ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::quiet_NaN();
      }
    });
  }
}

TEST_F(LibraryTest, InfinitiesInConvolutions) {
  for (uint32_t seed = 0; seed < 2000 && !HasFailure(); ++seed) {
    const std::string text =
        seed % 3 == 0 ? RandomKernelGradient(seed) : RandomLibraryConvolution(seed);
    if (!IsLeftToLibrary(text)) continue;
    ExpectSameConvolution(text,
                          {.library_use = LibraryUse::kWherePossible,
                           .change = seed % 4 == 0 ? MakeInfinite<true> : MakeInfinite<false>});
  }
}

}  // namespace
}  // namespace hlo::testing
