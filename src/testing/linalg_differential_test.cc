// Linear algebra on the backends beside each other: dots, factors and transforms, held to the
// bounds of interp/simd/tolerance.def.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_split.h"
#include "ir/element_traits.h"
#include "testing/compare_backends.h"
#include "testing/random_program.h"

namespace hlo::testing {
namespace {

constexpr int64_t kMaxDotWork = int64_t{1} << 34;  // of one dot, few of which are large

void ExpectSameDots(std::string (*make)(uint32_t seed)) {
  for (uint32_t seed = 0; seed < SeedCount(400) && !::testing::Test::HasFailure(); ++seed) {
    ExpectSameDot(make(seed), {.max_work = kMaxDotWork, .library_use = LibraryUse::kNever});
  }
}

TEST(LinalgDifferential, RandomDots) { ExpectSameDots(RandomDot); }
TEST(LinalgDifferential, RandomDotsOfReads) { ExpectSameDots(RandomDotOfReads); }
TEST(LinalgDifferential, RandomSmallDots) { ExpectSameDots(RandomSmallDot); }
TEST(LinalgDifferential, RandomScaledDots) { ExpectSameDots(RandomScaledDot); }
TEST(LinalgDifferential, RandomRaggedDots) { ExpectSameDots(RandomRaggedDot); }

// Few rows by operands of types that products are not summed in, along either dimension: parts
// convert them, also to a narrower type of the result, and where the program converts them.
TEST(LinalgDifferential, DotsOfConvertedElements) {
  constexpr std::string_view kTypes[][2] = {
      {"f16", "f16"}, {"f16", "bf16"},       {"f8e4m3fn", "f32"}, {"f8e5m2", "bf16"},
      {"s8", "s32"},  {"u8", "s8"},          {"s4", "s32"},       {"s16", "u16"},
      {"s8", "f32"},  {"f8e5m2fnuz", "f16"}, {"s32", "bf16"},     {"s16", "s64"},
      {"f32", "f64"}, {"f32", "f16"},        {"f4e2m1fn", "f32"}, {"f8e8m0fnu", "bf16"}};
  constexpr const char* kForms[] = {
      "[3,130] [130,2000] [3,2000] lhs_contracting_dims={1}, rhs_contracting_dims={0}",
      "[40] [40,1300] [1300] lhs_contracting_dims={0}, rhs_contracting_dims={0}",
      "[3,300] [200,300] [3,200] lhs_contracting_dims={1}, rhs_contracting_dims={1}",
      "[700,90] [90] [700] lhs_contracting_dims={1}, rhs_contracting_dims={0}",
      "[30,5000] [2,5000] [30,2] lhs_contracting_dims={1}, rhs_contracting_dims={1}",
      "[2,5,33] [2,33,1100] [2,5,1100] lhs_batch_dims={0}, rhs_batch_dims={0}, "
      "lhs_contracting_dims={2}, rhs_contracting_dims={1}",
      "[90,2,40] [2,40,90] [90,2] lhs_batch_dims={0,1}, rhs_batch_dims={2,0}, "
      "lhs_contracting_dims={2}, rhs_contracting_dims={1}"};
  for (const auto& [type, result] : kTypes) {
    for (const char* form : kForms) {
      const std::vector<std::string> words = absl::StrSplit(form, absl::MaxSplits(' ', 3));
      for (const char* operands : {"  x = {0}{2} parameter(0)\n  y = {0}{3} parameter(1)\n",
                                   "  x = {1}{2} parameter(0)\n  narrow = {0}{3} parameter(1)\n"
                                   "  y = {1}{3} convert(narrow)\n",
                                   "  narrow = {0}{2} parameter(0)\n  y = {1}{3} parameter(1)\n"
                                   "  x = {1}{2} convert(narrow)\n"}) {
        const std::string text =
            "HloModule m\nENTRY e {\n" +
            fmt::format(fmt::runtime(operands), type, result, words[0], words[1]) +
            fmt::format("  ROOT r = {}{} dot(x, y), {}\n}}\n", result, words[2], words[3]);
        ExpectSameDot(text, {.max_work = kMaxDotWork, .library_use = LibraryUse::kNever});
      }
    }
  }
}

void MakeOneInfinite(std::vector<Literal>& arguments) {
  for (Literal& array : arguments) {
    if (array.element_count() < 6) continue;
    DispatchElementType<kComplex>(array.shape().element_type(), [&]<typename T>() {
      using Part = typename T::value_type;
      array.elements<T>()[5] = T(std::numeric_limits<Part>::infinity(), 0);
    });
    return;
  }
}

// Vectors by matrices with terms along either dimension, few rows and many, small products; with an
// infinite factor the reference kernel's bits.
TEST(LinalgDifferential, ComplexDots) {
  struct Case {
    std::string_view lhs, rhs, result, dims;
  };
  constexpr Case kCases[] = {
      {"70,130", "130", "70", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
      {"130,70", "130", "70", "lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
      {"130", "130,70", "70", "lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
      {"130", "70,130", "70", "lhs_contracting_dims={0}, rhs_contracting_dims={1}"},
      {"3,130", "130,2000", "3,2000", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
      {"3,130", "200,130", "3,200", "lhs_contracting_dims={1}, rhs_contracting_dims={1}"},
      {"2,50,60", "2,60,5", "2,50,5",
       "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
       "rhs_contracting_dims={1}"},
      {"40000", "40000", "", "lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
      {"30,9", "9,4", "30,4", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
      {"3000,3,3", "3000,3,3", "3000,3,3",
       "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
       "rhs_contracting_dims={1}"},
      {"3,3,700", "700,3,3", "700,3,3",
       "lhs_batch_dims={2}, rhs_batch_dims={0}, lhs_contracting_dims={0}, "
       "rhs_contracting_dims={2}"},
      {"70,2,4,4", "2,70,4", "70,2,4",
       "lhs_batch_dims={0,1}, rhs_batch_dims={1,0}, lhs_contracting_dims={2}, "
       "rhs_contracting_dims={2}"},
      {"20,30", "7,8", "20,30,7,8", "lhs_contracting_dims={}, rhs_contracting_dims={}"},
      {"2,2", "90,2,33", "2,90,33", "lhs_contracting_dims={1}, rhs_contracting_dims={1}"},
      {"3,4,2", "3,2,70", "3,4,70",
       "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
       "rhs_contracting_dims={1}"},
  };
  for (const Case& c : kCases) {
    for (const std::string_view type : {"c64", "c128"}) {
      const std::string text = fmt::format(
          "HloModule m\nENTRY e {{\n  x = {0}[{1}] parameter(0)\n  y = {0}[{2}] parameter(1)\n"
          "  ROOT r = {0}[{3}] dot(x, y), {4}\n}}\n",
          type, c.lhs, c.rhs, c.result, c.dims);
      ExpectSameDot(text);
      const std::optional<Comparison> infinite =
          Compare("infinite", text, {.change = MakeOneInfinite});
      ASSERT_TRUE(infinite) << text;
      ExpectEqual(*infinite);
      if (HasFailure()) {
        ADD_FAILURE() << text;
        return;
      }
    }
  }
}

// Bands of many rows and few, and columns in several parts.
TEST(LinalgDifferential, LargeRaggedDots) {
  for (const std::string type : {"f32", "bf16", "f64"}) {
    for (const std::string_view lengths :
         {"{500, 3, 0, 290}", "{0, 16, 17, 2}", "{-3, 600, 700, 0}"}) {
      ExpectSameDot(fmt::format(
          "HloModule rows\nENTRY main {{\n  x = {0}[800,70] parameter(0)\n"
          "  y = {0}[4,70,600] parameter(1)\n  g = s32[4] constant({1})\n"
          "  ROOT r = {0}[800,600] ragged-dot(x, y, g), lhs_contracting_dims={{1}}, "
          "rhs_contracting_dims={{1}}, lhs_ragged_dims={{0}}, rhs_group_dims={{0}}\n}}\n",
          type, lengths));
      ExpectSameDot(fmt::format(
          "HloModule terms\nENTRY main {{\n  x = {0}[800,70] parameter(0)\n"
          "  y = {0}[800,600] parameter(1)\n  g = s32[4] constant({1})\n"
          "  ROOT r = {0}[4,70,600] ragged-dot(x, y, g), lhs_contracting_dims={{0}}, "
          "rhs_contracting_dims={{0}}, lhs_ragged_dims={{0}}, rhs_group_dims={{}}\n}}\n",
          type, lengths));
    }
  }
}

// Few rows by columns, both in lines, of which groups have all terms, some, or none.
TEST(LinalgDifferential, RaggedTermsOfLines) {
  for (const std::string type : {"f32", "bf16", "s8", "f64"}) {
    for (const std::string_view lengths : {"{0, 300, 0}", "{1, 70, 229}", "{200, 0, 50}"}) {
      for (const int64_t rows : {2, 5, 16}) {
        ExpectSameDot(fmt::format(
            "HloModule lines\nENTRY main {{\n  x = {0}[{1},300] parameter(0)\n"
            "  y = {0}[24,300] parameter(1)\n  g = s32[3] constant({2})\n"
            "  ROOT r = {0}[3,{1},24] ragged-dot(x, y, g), lhs_contracting_dims={{1}}, "
            "rhs_contracting_dims={{1}}, lhs_ragged_dims={{1}}, rhs_group_dims={{}}\n}}\n",
            type, rows, lengths));
      }
    }
  }
}

// Columns in whole vectors and not, terms in whole groups and in several blocks, and parts of
// columns; and the same with terms side by side, in turns of some rows.
// Up to 16 rows read their columns in place, up to 256 pack them in parts.
TEST(LinalgDifferential, DotsOfFewRows) {
  std::vector<int> row_counts = {31, 50, 256, 257};
  for (int rows = 1; rows <= 17; ++rows) row_counts.push_back(rows);
  for (const char* type : {"f32", "bf16", "f64", "s32", "u8"}) {
    for (const int rows : row_counts) {
      for (const auto& [sum, columns] : std::initializer_list<std::array<int, 2>>{
               {1, 65}, {9, 1000}, {70, 64}, {530, 131}, {1100, 1601}}) {
        if ((rows % 4 != 3 || rows > 16) && columns == 1601) continue;
        for (const int columns_dim : {0, 1}) {
          const std::string text = fmt::format(
              "HloModule m\nENTRY e {{\n  x = {0}[{1},{2}] parameter(0)\n"
              "  y = {0}[{3}] parameter(1)\n"
              "  ROOT r = {0}[{1},{4}] dot(x, y), lhs_contracting_dims={{1}}, "
              "rhs_contracting_dims={{{5}}}\n}}\n",
              type, rows, sum,
              columns_dim == 1 ? fmt::format("{},{}", sum, columns)
                               : fmt::format("{},{}", columns, sum),
              columns, 1 - columns_dim);
          ExpectSameDot(text, {.library_use = LibraryUse::kNever});
          if (HasFailure()) return;
        }
      }
    }
  }
}

// Rows side by side, their terms far apart: in lines that are full and not, in one block of terms
// and in several, for columns that make it worth bringing them together and for fewer.
TEST(LinalgDifferential, DotsOfFarTerms) {
  for (const char* type : {"f32", "f64", "bf16", "s32", "u8", "s64"}) {
    for (const int rows : {16, 33, 300}) {
      for (const auto& [sum, columns] : std::initializer_list<std::array<int, 2>>{
               {2, 130}, {300, 200}, {1100, 131}, {700, 40}}) {
        ExpectSameDot(fmt::format("HloModule m\nENTRY e {{\n  x = {0}[2,{1},{2}] parameter(0)\n"
                                  "  y = {0}[2,{1},{3}] parameter(1)\n"
                                  "  ROOT r = {0}[2,{2},{3}] dot(x, y), lhs_batch_dims={{0}}, "
                                  "rhs_batch_dims={{0}}, lhs_contracting_dims={{1}}, "
                                  "rhs_contracting_dims={{1}}\n}}\n",
                                  type, sum, rows, columns),
                      {.library_use = LibraryUse::kNever});
        if (HasFailure()) return;
      }
    }
  }
}

TEST(LinalgDifferential, RandomCholeskys) { ExpectSame(RandomCholesky, 300); }
TEST(LinalgDifferential, RandomTriangularSolves) { ExpectSame(RandomTriangularSolve, 400); }

// The parts of an array of complex numbers, or the numbers of a real one.
std::vector<double> PartsOf(const Literal& array) {
  std::vector<double> parts;
  DispatchElementType<kAnyArray>(array.shape().element_type(), [&]<typename T>() {
    for (const T& element : array.elements<T>()) {
      if constexpr (kTypeClassOf<T> == kComplex) {
        parts.push_back(element.real());
        parts.push_back(element.imag());
      } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
        parts.push_back(element);
      }
    }
  });
  return parts;
}

// Both backends compute in doubles and round once: what they differ by is an error of doubles, or
// the rounding it tips.
TEST(LinalgDifferential, RandomFfts) {
  for (uint32_t seed = 0; seed < SeedCount(400) && !HasFailure(); ++seed) {
    const std::string text = RandomFft(seed);
    const std::optional<Comparison> c = Compare(fmt::format("fft {}", seed), text);
    ASSERT_TRUE(c) << text;
    const std::vector<double> found = PartsOf(*c->simd.result);
    const std::vector<double> expected = PartsOf(*c->reference.result);
    ASSERT_EQ(found.size(), expected.size());
    double largest = 0;
    for (const double part : expected) largest = std::max(largest, std::abs(part));
    const double unit = UnitOf(c->simd.result->shape().element_type());
    const double log_count = std::log2(2.0 * static_cast<double>(expected.size()));
    for (size_t i = 0; i < expected.size(); ++i) {
      const double bound = unit * std::abs(expected[i]) + 8 * 0x1p-52 * log_count * largest;
      ASSERT_LE(std::abs(found[i] - expected[i]), bound) << text << i;
    }
  }
}

// Several matrices for a thread and one, with batches of several dimensions.
TEST(LinalgDifferential, LapackBatches) {
  struct Case {
    std::string_view target;
    std::vector<std::string_view> operands;
    std::string_view result;
  };
  for (const Case& c : {
           Case{"lapack_sgeqrf_ffi", {"f32[3,40,5,4]"}, "(f32[3,40,5,4], f32[3,40,4])"},
           Case{"lapack_dgeqrf_ffi", {"f64[5,80,60]"}, "(f64[5,80,60], f64[5,60])"},
           Case{"lapack_sorgqr_ffi", {"f32[700,6,4]", "f32[700,4]"}, "f32[700,6,4]"},
           Case{"lapack_sgetrf_ffi", {"f32[900,4,4]"}, "(f32[900,4,4], s32[900,4], s32[900])"},
           Case{"lapack_spotrf_ffi", {"f32[900,3,3]"}, "(f32[900,3,3], s32[900])"},
           Case{"lapack_cheevd_ffi", {"c64[40,9,9]"}, "(c64[40,9,9], f32[40,9], s32[40])"},
           Case{"lapack_sgesdd_ffi",
                {"f32[50,7,5]"},
                "(f32[50,7,5], f32[50,5], f32[50,7,7], f32[50,5,5], s32[50])"},
           Case{"lapack_sgeev_ffi",
                {"f32[30,6,6]"},
                "(f32[30,6], f32[30,6], c64[30,6,6], c64[30,6,6], s32[30])"},
           Case{"lapack_strsm_ffi", {"f32[400,5,5]", "f32[400,5,3]"}, "f32[400,5,3]"},
           Case{"cusparse_gtsv2_ffi",
                {"f32[90,70]", "f32[90,70]", "f32[90,70]", "f32[90,70,1]"},
                "f32[90,70,1]"},
       }) {
    std::string parameters, names;
    for (size_t number = 0; number < c.operands.size(); ++number) {
      parameters += fmt::format("  p{0} = {1} parameter({0})\n", number, c.operands[number]);
      names += fmt::format("{}p{}", number == 0 ? "" : ", ", number);
    }
    const std::string text = fmt::format(
        "HloModule lapack\nENTRY main {{\n{}  ROOT r = {} custom-call({}), "
        "custom_call_target=\"{}\", api_version=API_VERSION_TYPED_FFI\n}}\n",
        parameters, c.result, names, c.target);
    const std::optional<Comparison> found = Compare("lapack", text);
    ASSERT_TRUE(found) << text;
    ExpectEqual(*found);
    if (HasFailure()) {
      ADD_FAILURE() << text;
      return;
    }
  }
}

}  // namespace
}  // namespace hlo::testing
