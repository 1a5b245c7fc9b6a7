// Convolutions on the backends beside each other, without oneDNN: held to the bounds of
// interp/simd/tolerance.def, or to equality where sums take the order of the definition.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_split.h"
#include "ir/element_traits.h"
#include "testing/compare_backends.h"
#include "testing/random_program.h"

namespace hlo::testing {
namespace {

TEST(ConvolutionDifferential, RandomConvolutions) {
  for (uint32_t seed = 0; seed < SeedCount(400) && !HasFailure(); ++seed) {
    ExpectSameConvolution(RandomConvolution(seed), {.library_use = LibraryUse::kNever});
  }
}

// Sums of few features in each group take the order of the definition, but those of the parts of
// complex numbers.
void ExpectSameThinConvolutions(uint32_t count, const CompareOptions& options) {
  for (uint32_t seed = 0; seed < SeedCount(count) && !::testing::Test::HasFailure(); ++seed) {
    const std::string text = RandomThinConvolution(seed);
    if (text.find("c64") != text.npos || text.find("c128") != text.npos) {
      ExpectSameConvolution(text, options);
      continue;
    }
    const std::optional<Comparison> c = Compare("thin convolution", text, options);
    ASSERT_TRUE(c) << text;
    ExpectEqual(*c);
    if (::testing::Test::HasFailure()) ADD_FAILURE() << text;
  }
}

TEST(ConvolutionDifferential, RandomThinConvolutions) {
  ExpectSameThinConvolutions(800, {.library_use = LibraryUse::kNever});
  ExpectSameThinConvolutions(100, {.library_use = LibraryUse::kNever, .freezes_arguments = true});
}

// Enough work for many parts: of rows, of features, of pixels of one line, of lanes; by what each
// of them arranges, what all do, and where the input lies.
TEST(ConvolutionDifferential, PartsOfThinConvolutions) {
  struct Sizes {
    const char* input;
    const char* kernel;
    const char* result;
    const char* attributes;
  };
  for (const Sizes& sizes : std::initializer_list<Sizes>{
           {"3,50,41,40", "3,3,1,40", "3,50,41,40",
            "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=40"},
           {"3,50,41,40", "3,3,1,120", "3,48,39,120",
            "window={size=3x3}, dim_labels=b01f_01io->b01f, feature_group_count=40"},
           {"2,45,50,50", "90,1,3,3", "2,90,25,25",
            "window={size=3x3 stride=2x2 pad=0_1x0_1}, dim_labels=bf01_oi01->bf01, "
            "feature_group_count=45"},
           {"3,50,41,40", "3,3,1,40", "3,40,50,41",
            "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->bf01, feature_group_count=40"},
           {"1,7000,65", "7,1,65", "1,7000,65",
            "window={size=7 pad=6_0}, dim_labels=b0f_0io->b0f, feature_group_count=65"},
           {"1,2,70000", "2,1,5", "1,2,70002",
            "window={size=5 pad=3_3}, dim_labels=bf0_oi0->bf0, feature_group_count=2"},
           {"3,30,31,50", "3,28,29,50", "1,3,3,50",
            "window={size=28x29}, dim_labels=f01b_i01o->b01f, batch_group_count=50"},
           {"3,30,31,50", "3,30,31,50", "1,3,3,50",
            "window={size=30x31 pad=1_1x1_1}, dim_labels=f01b_i01o->b01f, batch_group_count=50"},
           {"3,50,30,31", "3,50,30,31", "1,50,3,3",
            "window={size=30x31 pad=1_1x1_1}, dim_labels=fb01_io01->bf01, batch_group_count=50"},
           {"2,30,31,32", "3,3,4,32", "2,30,31,32",
            "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=8"},
           {"2,30,31,30", "3,3,15,14", "2,15,16,14",
            "window={size=3x3 stride=2x2 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, "
            "feature_group_count=2"},
           {"2,64,20,21", "64,32,3,3", "2,64,20,21",
            "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01, feature_group_count=2"},
           {"4,20,21,16", "4,20,21,32", "3,3,4,32",
            "window={size=20x21 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf, batch_group_count=4"},
           {"2,9,14,15,24", "3,3,3,2,12", "2,9,14,15,12",
            "window={size=3x3x3 pad=1_1x1_1x1_1}, dim_labels=b012f_012io->b012f, "
            "feature_group_count=12"},
           {"3,1,70,71", "1,1,11,11", "3,1,60,61",
            "window={size=11x11}, dim_labels=bf01_oi01->bf01"},
           {"2,50,51,3", "7,7,3,3", "2,50,51,3",
            "window={size=7x7 pad=3_3x3_3}, dim_labels=b01f_01io->b01f"},
           {"2,60,40,41", "4,60,3,3", "2,4,20,21",
            "window={size=3x3 stride=2x2 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01"},
           {"2,1,20,21,22", "1,1,5,5,5", "2,1,16,17,18",
            "window={size=5x5x5}, dim_labels=bf012_oi012->bf012"}}) {
    for (const char* type : {"f32", "f16", "f64", "s32"}) {
      const std::string text = fmt::format(
          "HloModule parts\nENTRY main {{\n  x = {0}[{1}] parameter(0)\n  y = {0}[{2}] "
          "parameter(1)\n  ROOT r = {0}[{3}] convolution(x, y), {4}\n}}\n",
          type, sizes.input, sizes.kernel, sizes.result, sizes.attributes);
      const std::optional<Comparison> c =
          Compare("parts", text, {.library_use = LibraryUse::kNever});
      ASSERT_TRUE(c) << text;
      ExpectEqual(*c);
      ASSERT_FALSE(HasFailure()) << text;
    }
  }
}

// Vectors of pixels of one line, of the end of one and the begin of the next, and of many; the last
// ones reach beyond the array.
TEST(ConvolutionDifferential, LinesOfPixels) {
  for (const int64_t width : {2, 3, 4, 5, 7, 8, 9, 14, 17, 28, 33, 60}) {
    for (const char* type : {"f32", "f64", "f16", "s32", "u64"}) {
      for (const bool has_padding : {false, true}) {
        const std::string text = fmt::format(
            "HloModule lines\nENTRY main {{\n  x = {0}[2,12,9,{1}] parameter(0)\n"
            "  y = {0}[17,12,3,2] parameter(1)\n  ROOT r = {0}[2,17,{2},{3}] convolution(x, y), "
            "window={{size=3x2{4}}}, dim_labels=bf01_oi01->bf01\n}}\n",
            type, width, has_padding ? 9 : 7, has_padding ? width : width - 1,
            has_padding ? " pad=1_1x0_1" : "");
        ExpectSameConvolution(text, {.library_use = LibraryUse::kNever});
        ASSERT_FALSE(HasFailure()) << text;
      }
    }
  }
}

TEST(ConvolutionDifferential, RandomKernelGradients) {
  const CompareOptions options = {.library_use = LibraryUse::kNever};
  for (uint32_t seed = 0; seed < SeedCount(300) && !HasFailure(); ++seed) {
    const std::string text = RandomKernelGradient(seed);
    if (!Compare("kernel gradient", text, options)) continue;  // results without a window
    ExpectSameConvolution(text, options);
  }
}

std::string KernelGradient(std::string_view type, const std::string& line) {
  const std::vector<std::string> words = absl::StrSplit(line, absl::MaxSplits(' ', 3));
  return fmt::format(
      "HloModule gradient\nENTRY main {{\n  x = {0}[{1}] parameter(0)\n"
      "  y = {0}[{2}] parameter(1)\n  ROOT r = {0}[{3}] convolution(x, y), window={{{4}}}, "
      "dim_labels=f01b_i01o->01bf\n}}\n",
      type, words[0], words[1], words[2], words[3]);
}

// Sums far longer than there are rows and columns, which parts make some terms of; rows that lie
// side by side some at a time, no whole lines of the cache, beside enough columns and few.
TEST(ConvolutionDifferential, LongSumsOfKernelGradients) {
  for (const char* type : {"f32", "bf16", "f64", "s32", "u8"}) {
    for (const char* line : {
             "16,30,29,20 16,30,29,24 3,3,20,24 size=30x29 pad=1_1x1_1",
             "9,60,60,3 9,30,30,40 7,7,3,40 size=30x30 pad=3_2x3_2 rhs_dilate=2x2",
             "20,24,25,18 20,24,25,136 1,1,18,136 size=24x25",
             "32,24,24,40 32,24,24,32 3,3,40,32 size=24x24 pad=1_1x1_1",
             "2,20,21,50 2,20,21,130 3,3,50,130 size=20x21 pad=1_1x1_1",
         }) {
      ExpectSameConvolution(KernelGradient(type, line), {.library_use = LibraryUse::kNever});
      ASSERT_FALSE(HasFailure()) << type << ' ' << line;
    }
  }
}

void MakeFirstInfinite(std::vector<Literal>& arguments) {
  arguments[1].elements<float>()[0] = std::numeric_limits<float>::infinity();
}

// Padding never meets what the kernel holds: sums at the upper and left edges leave its infinite
// first element out. Small kernels are packed as a whole, those of few pixels by each part, others
// before.
TEST(ConvolutionDifferential, PaddingBesideInfinities) {
  for (const auto& [size, inputs, outputs] :
       std::initializer_list<std::array<int, 3>>{{4, 8, 16}, {14, 64, 96}, {20, 64, 96}}) {
    const std::string text = fmt::format(R"(HloModule padding
ENTRY main {{
  x = f32[1,{0},{0},{1}] parameter(0)
  y = f32[3,3,{1},{2}] parameter(1)
  ROOT r = f32[1,{0},{0},{2}] convolution(x, y), window={{size=3x3 pad=1_1x1_1}}, dim_labels=b01f_01io->b01f
}}
)",
                                         size, inputs, outputs);
    for (const bool freezes_arguments : {false, true}) {
      ExpectSameConvolution(text, {.library_use = LibraryUse::kNever,
                                   .freezes_arguments = freezes_arguments,
                                   .change = MakeFirstInfinite});
    }
  }
}

// The same of any type that has infinities.
void MakeSomeInfinite(std::vector<Literal>& arguments) {
  DispatchElementType<kAnyArray>(arguments[1].shape().element_type(), [&]<typename T>() {
    if constexpr (kTypeClassOf<T> == kFloat || kTypeClassOf<T> == kComplex) {
      const std::span<T> kernel = arguments[1].elements<T>();
      for (size_t i = 0; i < kernel.size(); i += 7) {
        kernel[i] = static_cast<T>(std::numeric_limits<float>::infinity());
      }
    }
  });
}

// The same where the product is so small that nothing is packed.
TEST(ConvolutionDifferential, PaddingBesideInfinitiesOfFewFeatures) {
  for (const char* type : {"f32", "bf16"}) {
    const std::string text = fmt::format(R"(HloModule padding
ENTRY main {{
  x = {0}[1,40,2] parameter(0)
  y = {0}[4,2,4] parameter(1)
  ROOT r = {0}[1,40,4] convolution(x, y), window={{size=4 pad=3_0}}, dim_labels=b0f_0io->b0f
}}
)",
                                         type);
    for (const bool freezes_arguments : {false, true}) {
      ExpectSameConvolution(text, {.library_use = LibraryUse::kNever,
                                   .freezes_arguments = freezes_arguments,
                                   .change = MakeSomeInfinite});
    }
  }
}

// The same where each part of the sums looks at what it packs.
TEST(ConvolutionDifferential, PaddingBesideInfinitiesOfLongSums) {
  const std::string text =
      KernelGradient("f32", "16,30,29,20 16,30,29,24 3,3,20,24 size=30x29 pad=1_1x1_1");
  for (const bool freezes_arguments : {false, true}) {
    ExpectSameConvolution(text, {.library_use = LibraryUse::kNever,
                                 .freezes_arguments = freezes_arguments,
                                 .change = MakeFirstInfinite});
  }
}

TEST(ConvolutionDifferential, ThinConvolutionsByInfinities) {
  ExpectSameThinConvolutions(200, {.library_use = LibraryUse::kNever, .change = MakeSomeInfinite});
}

// All elements the lowest integers, or the largest where these are 0.
void MakeLargest(std::vector<Literal>& arguments) {
  for (Literal& argument : arguments) {
    DispatchElementType<kAnyArray>(argument.shape().element_type(), [&]<typename T>() {
      if constexpr (IntegerElement<T>) {
        const auto value = kIsSigned<T> ? IntegerTraits<T>::kMin : IntegerTraits<T>::kMax;
        std::ranges::fill(argument.elements<T>(), T(value));
      }
    });
  }
}

// Sums that 32 bits do not hold saturate all the same; 16 bits leave room for one product or two.
TEST(ConvolutionDifferential, LargeSumsSaturate) {
  for (const char* type : {"s8", "u8", "s16", "u16", "s4"}) {
    for (const int64_t terms : {1, 2, 40, 140000}) {
      for (const std::string_view attributes :
           {"dim_labels=b0f_0io->b0f", "dim_labels=b0f_0io->bf0"}) {
        const bool has_last_features = attributes.ends_with("b0f");
        const int64_t pixels = terms > 1000 ? 3 : 20;
        const std::string text = fmt::format(
            "HloModule saturates\nENTRY main {{\n  x = {0}[1,{4},{1}] parameter(0)\n"
            "  y = {0}[1,{1},17] parameter(1)\n  ROOT r = {0}[1,{2}] convolution(x, y), "
            "window={{size=1}}, {3}\n}}\n",
            type, terms,
            has_last_features ? fmt::format("{},17", pixels) : fmt::format("17,{}", pixels),
            attributes, pixels);
        ExpectSameConvolution(text, {.library_use = LibraryUse::kNever, .change = MakeLargest});
      }
    }
  }
}

// Sums of parts, with pixels and with features side by side in the result, by a kernel that is
// multiplied as it is and by one with an infinite number.
TEST(ConvolutionDifferential, ComplexConvolutions) {
  const std::string_view last_features =
      "  x = {0}[2,20,21,30] parameter(0)\n  y = {0}[3,3,30,36] parameter(1)\n"
      "  ROOT r = {0}[2,20,21,36] convolution(x, y), window={{size=3x3 pad=1_1x1_1}}, "
      "dim_labels=b01f_01io->b01f\n";
  const std::string_view last_pixels =
      "  x = {0}[2,30,20,21] parameter(0)\n  y = {0}[36,15,3,3] parameter(1)\n"
      "  ROOT r = {0}[2,36,10,11] convolution(x, y), window={{size=3x3 stride=2x2 pad=1_1x1_1}}, "
      "dim_labels=bf01_oi01->bf01, feature_group_count=2\n";
  const std::string_view single =
      "  x = {0}[2,300,40] parameter(0)\n  y = {0}[40,1,50] parameter(1)\n"
      "  ROOT r = {0}[2,300,50] convolution(x, y), window={{size=1}}, dim_labels=b0f_i0o->b0f\n";
  const std::string_view dense_terms =
      "  x = {0}[2,300,40] parameter(0)\n  y = {0}[50,1,40] parameter(1)\n"
      "  ROOT r = {0}[2,300,50] convolution(x, y), window={{size=1}}, dim_labels=b0f_o0i->b0f\n";
  const std::string_view depthwise =
      "  x = {0}[3,40,41,40] parameter(0)\n  y = {0}[3,3,1,40] parameter(1)\n"
      "  ROOT r = {0}[3,40,41,40] convolution(x, y), window={{size=3x3 pad=1_1x1_1}}, "
      "dim_labels=b01f_01io->b01f, feature_group_count=40\n";
  const std::string_view depthwise_pixels =
      "  x = {0}[3,40,41,40] parameter(0)\n  y = {0}[40,1,3,3] parameter(1)\n"
      "  ROOT r = {0}[3,40,19,20] convolution(x, y), window={{size=3x3 stride=2x2}}, "
      "dim_labels=b01f_oi01->bf01, feature_group_count=40\n";
  for (const char* type : {"c64", "c128"}) {
    for (const std::string_view form :
         {last_features, last_pixels, single, dense_terms, depthwise, depthwise_pixels}) {
      const std::string text = fmt::format("HloModule complex\nENTRY main {{\n{}}}\n",
                                           fmt::format(fmt::runtime(form), type));
      ExpectSameConvolution(text, {.library_use = LibraryUse::kNever});
      ExpectSameConvolution(text, {.library_use = LibraryUse::kNever, .change = MakeSomeInfinite});
    }
  }
}

}  // namespace
}  // namespace hlo::testing
