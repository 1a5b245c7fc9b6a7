// What is left to oneDNN beside the reference backend, wherever it can do it.
#include <fmt/format.h>
#include <gtest/gtest.h>

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

// Several parts with shorter ones at the ends, of one entry and of many, packed and not.
TEST_F(LibraryTest, PartsOfDots) {
  for (const char* type : {"f32", "bf16"}) {
    for (const auto& [batch, rows, sum, columns] :
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
      const std::string text = fmt::format(
          "HloModule m\nENTRY e {{\n  x = {0}[{1},{2},{3}] parameter(0)\n"
          "  y = {0}[{1},{4},{3}] parameter(1)\n"
          "  ROOT r = {0}[{1},{2},{4}] dot(x, y), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, "
          "lhs_contracting_dims={{2}}, rhs_contracting_dims={{2}}\n}}\n",
          type, batch, rows, sum, columns);
      // Not all processors multiply bf16.
      EXPECT_TRUE(IsLeftToLibrary(text) || std::string_view(type) == "bf16") << text;
      ExpectSameDot(text, {.library_use = LibraryUse::kWherePossible});
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
