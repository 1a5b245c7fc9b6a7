// A dot or convolution that is one step with the elementwise work behind it, of oneDNN or of ours:
// the same bits as where somebody else reads the product too, so that these are two steps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "interp/backends.h"
#include "interp/simd/epilogue.h"
#include "interp/simd/onednn/onednn.h"
#include "testing/compare_backends.h"
#include "testing/dice.h"
#include "testing/random_program.h"
#include "testing/run_module.h"

namespace hlo::testing {
namespace {

class EpilogueTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!simd::onednn::IsThere()) GTEST_SKIP() << "there is no oneDNN";
  }
};

struct FollowedProduct {
  std::string fused;     // nobody else reads the product
  std::string separate;  // it is a second result
};

// `text`, whose root is a product `r`, with elementwise instructions behind it.
FollowedProduct Follow(const std::string& text, uint32_t seed) {
  Dice dice(seed);
  constexpr std::string_view kRoot = "ROOT r = ";
  const size_t begin = text.find(kRoot) + kRoot.size();
  const std::string shape = text.substr(begin, text.find('{', begin) < text.find(' ', begin)
                                                   ? text.find('{', begin) - begin
                                                   : text.find(' ', begin) - begin);
  const std::string type = shape.substr(0, shape.find('['));
  const std::string dims = shape.substr(type.size() + 1, shape.size() - type.size() - 2);
  std::vector<std::string> sizes;
  for (size_t at = 0; !dims.empty() && at <= dims.size();) {
    const size_t end = std::min(dims.find(',', at), dims.size());
    sizes.push_back(dims.substr(at, end - at));
    at = end + 1;
  }
  std::string last = "r", lines;
  const auto add = [&](std::string_view name, const std::string& what) {
    lines += fmt::format("  {} = {} {}\n", name, shape, what);
    return std::string(name);
  };
  int64_t parameter = 2;
  if (!sizes.empty() && dice.Chance(80)) {
    const int64_t dim = dice.Below(std::ssize(sizes));
    lines += fmt::format("  b = {}[{}] parameter({})\n", type, sizes[static_cast<size_t>(dim)],
                         parameter++);
    add("bb", fmt::format("broadcast(b), dimensions={{{}}}", dim));
    last = add("s", fmt::format("{}({}, bb)", dice.Chance(50) ? "add" : "multiply", last));
  }
  if (dice.Chance(50)) {
    add("o", fmt::format("parameter({})", parameter++));
    last = add("t", fmt::format("add(o, {})", last));
  }
  if (dice.Chance(30)) last = add("u", fmt::format("multiply({0}, {0})", last));
  lines += fmt::format("  z = {}[] constant(0)\n", type);
  add("zz", "broadcast(z), dimensions={}");
  add("e", fmt::format("maximum({}, zz)", last));
  const std::string open =
      absl::StrReplaceAll(text.substr(0, text.rfind('}')), {{"ROOT r =", "r ="}});
  return {open + absl::StrReplaceAll(lines, {{"  e =", "  ROOT e ="}}) + "}\n",
          open + lines + fmt::format("  ROOT f = ({0}, {0}) tuple(e, r)\n}}\n", shape)};
}

const Literal& First(const Literal& result) { return *Arrays(result)[0]; }

// Whether a step of the plan is a product and what follows it, by the library or by ourselves.
bool HasEpilogue(const Plan& plan, LibraryUse library_use) {
  return std::ranges::any_of(plan.entry->steps, [&](const Step& step) {
    const auto* product = dynamic_cast<const simd::ProductProgram*>(step.program.get());
    if (product == nullptr || !product->epilogue()) return false;
    const bool is_librarys = product->Text().find("oneDNN") != std::string::npos;
    return is_librarys == (library_use == LibraryUse::kWherePossible);
  });
}

// Whether there was an epilogue.
bool ExpectSameBits(const FollowedProduct& followed, const CompareOptions& options) {
  const absl::StatusOr<Module> module = ParseText("followed", followed.fused);
  if (!module.ok()) return false;
  DiagnosticSink sink(module->source());
  const auto plan = PlanModule(
      *module, sink, {.backend = FindBackend("simd"), .library_use = options.library_use});
  if (!plan) return false;
  if (!HasEpilogue(*plan, options.library_use)) return false;
  const auto fused = Compare("fused", followed.fused, options);
  const auto separate = Compare("separate", followed.separate, options);
  if (!fused || !separate || !fused->simd.result || !separate->simd.result) return false;
  EXPECT_TRUE(AreSameBits(First(*fused->simd.result), First(*separate->simd.result)))
      << followed.fused << PlanText(*plan);
  return true;
}

bool ExpectSameBits(const std::string& text, uint32_t seed, const CompareOptions& options) {
  return ExpectSameBits(Follow(text, seed), options);
}

void ExpectSameBitsOfMany(std::string (*make)(uint32_t seed), uint32_t count,
                          const CompareOptions& options) {
  int64_t taken_count = 0;
  for (uint32_t seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    if (ExpectSameBits(make(seed), seed, options)) ++taken_count;
  }
  EXPECT_GT(taken_count, count / 25);
}

constexpr CompareOptions kLibrary = {.library_use = LibraryUse::kWherePossible};
constexpr CompareOptions kOwn = {.library_use = LibraryUse::kNever};
constexpr CompareOptions kOwnFrozen = {.library_use = LibraryUse::kNever,
                                       .freezes_arguments = true};

TEST_F(EpilogueTest, RandomConvolutions) {
  ExpectSameBitsOfMany(RandomLibraryConvolution, 2000, kLibrary);
}
TEST_F(EpilogueTest, RandomDots) { ExpectSameBitsOfMany(RandomDot, 1500, kLibrary); }
TEST_F(EpilogueTest, RandomDotsOfReads) { ExpectSameBitsOfMany(RandomDotOfReads, 1500, kLibrary); }

TEST(OwnEpilogueTest, RandomConvolutions) {
  ExpectSameBitsOfMany(RandomConvolution, 1000, kOwn);
  ExpectSameBitsOfMany(RandomConvolution, 500, kOwnFrozen);
}
TEST(OwnEpilogueTest, RandomDots) {
  ExpectSameBitsOfMany(RandomDot, 300, kOwn);
  ExpectSameBitsOfMany(RandomDot, 200, kOwnFrozen);
}
TEST(OwnEpilogueTest, RandomDotsOfReads) { ExpectSameBitsOfMany(RandomDotOfReads, 300, kOwn); }

void MakeKernelInfinite(std::vector<Literal>& arguments) {
  if (arguments[1].shape().element_type() != ElementType::kF32) return;
  const std::span<float> kernel = arguments[1].elements<float>();
  for (size_t k = 3; k < kernel.size(); k += 31) kernel[k] = std::numeric_limits<float>::infinity();
}

// The reference kernel takes over where padding meets them, and the epilogue follows it.
TEST_F(EpilogueTest, InfiniteKernels) {
  ExpectSameBitsOfMany(RandomLibraryConvolution, 1000,
                       {.library_use = LibraryUse::kWherePossible, .change = MakeKernelInfinite});
}
TEST(OwnEpilogueTest, InfiniteKernels) {
  for (const bool freezes_arguments : {false, true}) {
    ExpectSameBitsOfMany(RandomConvolution, 500,
                         {.library_use = LibraryUse::kNever,
                          .freezes_arguments = freezes_arguments,
                          .change = MakeKernelInfinite});
  }
}

std::string Convolution(std::string_view input, std::string_view kernel, std::string_view result,
                        std::string_view attributes) {
  return fmt::format(
      "HloModule m\nENTRY e {{\n  x = {} parameter(0)\n  y = {} parameter(1)\n"
      "  ROOT r = {} convolution(x, y), {}\n}}\n",
      input, kernel, result, attributes);
}

// Parts of rows, images, features and groups; rows that no group of vectors ends with.
TEST_F(EpilogueTest, PartsOfConvolutions) {
  const std::string padded = "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f";
  for (const std::string& text : {
           Convolution("f32[1,29,31,48]", "f32[3,3,48,48]", "f32[1,29,31,48]", padded),
           Convolution("f32[1,7,7,256]", "f32[3,3,256,256]", "f32[1,7,7,256]", padded),
           Convolution("f32[6,15,14,32]", "f32[1,1,32,96]", "f32[6,15,14,96]",
                       "window={size=1x1}, dim_labels=b01f_01io->b01f"),
           Convolution("f32[2,64,20,20]", "f32[64,64,3,3]", "f32[2,64,20,20]",
                       "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01"),
           Convolution("f32[1,33,33,96]", "f32[3,3,1,96]", "f32[1,33,33,96]",
                       padded + ", feature_group_count=96"),
       }) {
    for (uint32_t seed = 0; seed < 6; ++seed) {
      EXPECT_TRUE(ExpectSameBits(text, seed, kLibrary)) << text;
    }
  }
}

// Bands of rows that several parts make, bands of one part each, kernels that are packed before and
// by the parts that read them, entries of a batch.
TEST(OwnEpilogueTest, PartsOfProducts) {
  const std::string padded = "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f";
  const std::string single = "window={size=1x1}, dim_labels=b01f_01io->b01f";
  for (const std::string& text : {
           Convolution("f32[1,28,29,64]", "f32[1,1,64,200]", "f32[1,28,29,200]", single),
           Convolution("f32[1,40,41,24]", "f32[3,3,24,40]", "f32[1,40,41,40]", padded),
           Convolution("bf16[1,40,41,24]", "bf16[3,3,24,40]", "bf16[1,40,41,40]", padded),
           Convolution("f32[1,7,7,256]", "f32[3,3,256,256]", "f32[1,7,7,256]", padded),
           Convolution("f32[5,64,20,20]", "f32[64,64,3,3]", "f32[5,64,20,20]",
                       "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01"),
       }) {
    for (uint32_t seed = 0; seed < 6; ++seed) {
      EXPECT_TRUE(ExpectSameBits(text, seed, kOwn)) << text;
      EXPECT_TRUE(ExpectSameBits(text, seed, kOwnFrozen)) << text;
    }
  }
}

std::string ByteDot(std::string_view lhs, std::string_view rhs, std::string_view result,
                    std::string_view dimensions) {
  return fmt::format(
      "HloModule m\nENTRY e {{\n  x = {} parameter(0)\n  y = {} parameter(1)\n"
      "  ROOT r = {} dot(x, y), {}\n}}\n",
      lhs, rhs, result, dimensions);
}

// Bands that several parts make, bands of one part each, small entries of a batch, and long sums:
// in matrix registers, or where bytes are multiplied four at a time.
TEST(OwnEpilogueTest, ProductsOfBytes) {
  const std::string plain = "lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  const std::string batched =
      "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}";
  for (const std::string& text : {
           ByteDot("s8[1001,200]", "s8[200,600]", "s32[1001,600]", plain),
           ByteDot("s8[1500,300]", "s8[300,70]", "s32[1500,70]", plain),
           ByteDot("u8[9,40,130]", "u8[9,130,50]", "s32[9,40,50]", batched),
           ByteDot("s8[70,30000]", "s8[30000,40]", "s32[70,40]", plain),
       }) {
    for (uint32_t seed = 0; seed < 3; ++seed) {
      EXPECT_TRUE(ExpectSameBits(text, seed, kOwn)) << text;
      EXPECT_TRUE(ExpectSameBits(text, seed, kOwnFrozen)) << text;
    }
  }
}

// What follows takes whole rows of the product at a time.
TEST(OwnEpilogueTest, ReductionsOfRows) {
  const std::string product = R"(HloModule m
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e {
  x = f32[1000,64] parameter(0)
  y = f32[64,100] parameter(1)
  r = f32[1000,100] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  zero = f32[] constant(0)
  total = f32[1000] reduce(r, zero), dimensions={1}, to_apply=sum
  totals = f32[1000,100] broadcast(total), dimensions={0}
)";
  const FollowedProduct followed = {product + "  ROOT e = f32[1000,100] divide(r, totals)\n}\n",
                                    product + R"(  e = f32[1000,100] divide(r, totals)
  ROOT f = (f32[1000,100], f32[1000,100]) tuple(e, r)
}
)"};
  EXPECT_TRUE(ExpectSameBits(followed, kOwn));
  EXPECT_TRUE(ExpectSameBits(followed, kOwnFrozen));
}

}  // namespace
}  // namespace hlo::testing
