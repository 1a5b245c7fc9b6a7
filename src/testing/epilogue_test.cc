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
#include "interp/simd/onednn/onednn.h"
#include "interp/simd/product/byte_products.h"
#include "interp/simd/product/epilogue.h"
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
  std::string separate;  // it is a result, too, behind the others
};

// Writes elementwise instructions behind a product `r` of some shape.
class Follower {
 public:
  Follower(std::string type, std::string dims, uint32_t seed)
      : dice_(seed), type_(std::move(type)), dims_(std::move(dims)) {
    for (size_t at = 0; !dims_.empty() && at <= dims_.size();) {
      const size_t end = std::min(dims_.find(',', at), dims_.size());
      sizes_.push_back(dims_.substr(at, end - at));
      at = end + 1;
    }
  }

  // Returns the root's operands.
  std::vector<std::string> Write() {
    std::vector<std::string> results;
    if (dice_.Chance(40)) Convert();
    if (!sizes_.empty() && dice_.Chance(80)) AddBias();
    if (dice_.Chance(50)) {
      Add("o", fmt::format("parameter({})", parameter_++));
      last_ = Add("t", fmt::format("add(o, {})", last_));
    }
    if (dice_.Chance(30)) last_ = Add("u", fmt::format("multiply({0}, {0})", last_));
    lines_ += fmt::format("  z = {}[] constant(0)\n", type_);
    Add("zz", "broadcast(z), dimensions={}");
    results.push_back(Add("e", fmt::format("maximum({}, zz)", last_)));
    if (dice_.Chance(20)) {
      lines_ += fmt::format("  d = pred[{}] compare({}, zz), direction=GT\n", dims_, last_);
      results.push_back("d");
    }
    return results;
  }
  const std::string& lines() const { return lines_; }
  std::string ShapeOf(std::string_view result) const {
    return fmt::format("{}[{}]", result == "d" ? "pred" : type_, dims_);
  }

 private:
  std::string Add(std::string_view name, const std::string& what) {
    lines_ += fmt::format("  {} = {}[{}] {}\n", name, type_, dims_, what);
    return std::string(name);
  }

  // To types of the same size, narrower and wider ones.
  void Convert() {
    type_ = dice_.OneOf<std::string_view>({"f32", "f32", "bf16", "f16", "s32", "u32", "f64", "s8"});
    last_ = Add("c", fmt::format("convert({})", last_));
  }

  void AddBias() {
    const int64_t dim = dice_.Below(std::ssize(sizes_));
    lines_ += fmt::format("  b = {}[{}] parameter({})\n", type_, sizes_[static_cast<size_t>(dim)],
                          parameter_++);
    Add("bb", fmt::format("broadcast(b), dimensions={{{}}}", dim));
    last_ = Add("s", fmt::format("{}({}, bb)", dice_.Chance(50) ? "add" : "multiply", last_));
  }

  Dice dice_;
  std::string type_, dims_;
  std::vector<std::string> sizes_;
  std::string last_ = "r", lines_;
  int64_t parameter_ = 2;
};

// `text`, whose root is a product `r`, with elementwise instructions behind it.
FollowedProduct Follow(const std::string& text, uint32_t seed) {
  constexpr std::string_view kRoot = "ROOT r = ";
  const size_t begin = text.find(kRoot) + kRoot.size();
  const std::string shape = text.substr(begin, text.find_first_of("{ ", begin) - begin);
  const size_t bracket = shape.find('[');
  Follower follower(shape.substr(0, bracket), shape.substr(bracket + 1, shape.size() - bracket - 2),
                    seed);
  std::vector<std::string> results = follower.Write();
  std::vector<std::string> shapes;
  for (const std::string& result : results) shapes.push_back(follower.ShapeOf(result));
  const auto tuple = [&] {
    return fmt::format("  ROOT f = ({}) tuple({})\n}}\n", fmt::join(shapes, ", "),
                       fmt::join(results, ", "));
  };
  const std::string open =
      absl::StrReplaceAll(text.substr(0, text.rfind('}')), {{"ROOT r =", "r ="}}) +
      follower.lines();
  const std::string fused = open + tuple();
  results.push_back("r");
  shapes.push_back(shape);
  return {fused, open + tuple()};
}

// Whether the arrays of `fused` are the first ones of `separate`.
bool AreFirst(const Literal& fused, const Literal& separate) {
  const auto results = Arrays(fused), more = Arrays(separate);
  for (size_t i = 0; i < results.size(); ++i) {
    if (!AreSameBits(*results[i], *more[i])) return false;
  }
  return true;
}

// Whether a step of the plan is a product and what follows it, by the library or by ourselves.
bool HasEpilogue(const Plan& plan, LibraryUse library_use) {
  return std::ranges::any_of(plan.entry->steps, [&](const Step& step) {
    const auto* product = dynamic_cast<const simd::ProductProgram*>(step.program.get());
    if (product == nullptr || !product->epilogue()) return false;
    const bool is_librarys = product->Text().find("oneDNN") != std::string::npos;
    return is_librarys == (library_use != LibraryUse::kNever);
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
  EXPECT_TRUE(AreFirst(*fused->simd.result, *separate->simd.result))
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
constexpr CompareOptions kLibraryFrozen = {.library_use = LibraryUse::kWherePossible,
                                           .freezes_arguments = true};
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
TEST(OwnEpilogueTest, RandomThinConvolutions) {
  ExpectSameBitsOfMany(RandomThinConvolution, 1000, kOwn);
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

// Such as are dots to the library, if it has AVX-512.
TEST_F(EpilogueTest, FewPixels) {
  const std::string single = "window={size=1x1}, dim_labels=b01f_01io->b01f";
  for (const std::string& text : {
           Convolution("f32[1,7,7,64]", "f32[1,1,64,96]", "f32[1,7,7,96]", single),
           Convolution("f32[2,9,20,64]", "f32[1,1,64,256]", "f32[2,9,20,256]", single),
           Convolution("bf16[1,7,7,64]", "bf16[1,1,64,96]", "bf16[1,7,7,96]", single),
       }) {
    int64_t taken_count = 0;
    for (uint32_t seed = 0; seed < 6; ++seed) {
      if (ExpectSameBits(text, seed, CompareOptions())) ++taken_count;
    }
    // Not all processors have the library multiply bf16.
    EXPECT_TRUE(taken_count > 0 || text.find("bf16") != std::string::npos) << text;
  }
}

// Bands of rows that several parts make, bands of one part each, kernels that are packed before and
// by the parts that read them, entries of a batch, parts of long sums.
TEST(OwnEpilogueTest, PartsOfProducts) {
  const std::string padded = "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f";
  const std::string single = "window={size=1x1}, dim_labels=b01f_01io->b01f";
  for (const std::string& text : {
           Convolution("f32[1,28,29,64]", "f32[1,1,64,200]", "f32[1,28,29,200]", single),
           Convolution("f32[1,40,41,24]", "f32[3,3,24,40]", "f32[1,40,41,40]", padded),
           Convolution("bf16[1,40,41,24]", "bf16[3,3,24,40]", "bf16[1,40,41,40]", padded),
           Convolution("f32[1,7,7,256]", "f32[3,3,256,256]", "f32[1,7,7,256]", padded),
           Convolution("f32[1,12,12,512]", "f32[3,3,512,100]", "f32[1,12,12,100]", padded),
           Convolution("bf16[20,24,25,18]", "bf16[20,24,25,136]", "bf16[1,1,18,136]",
                       "window={size=24x25}, dim_labels=f01b_i01o->01bf"),
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

// Bands that several parts make, bands of one part each, small entries of a batch, and long sums.
std::vector<std::string> ByteDots() {
  const std::string plain = "lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  const std::string batched =
      "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}";
  return {ByteDot("s8[1001,200]", "s8[200,600]", "s32[1001,600]", plain),
          ByteDot("s8[1500,300]", "s8[300,70]", "s32[1500,70]", plain),
          ByteDot("u8[9,40,130]", "u8[9,130,50]", "s32[9,40,50]", batched),
          ByteDot("s8[70,30000]", "s8[30000,40]", "s32[70,40]", plain)};
}

// The library has those of signed ones where four products are summed at a time.
TEST_F(EpilogueTest, ProductsOfBytes) {
  const bool has_fours = simd::AvailableByteProducts() == simd::ByteProducts::kFour;
  for (const std::string& text : ByteDots()) {
    const bool is_taken = has_fours && text.find("u8") == std::string::npos;
    for (uint32_t seed = 0; seed < 3; ++seed) {
      EXPECT_EQ(ExpectSameBits(text, seed, kLibrary), is_taken) << text;
      EXPECT_EQ(ExpectSameBits(text, seed, kLibraryFrozen), is_taken) << text;
    }
  }
}

// In matrix registers, or where bytes are multiplied four at a time.
TEST(OwnEpilogueTest, ProductsOfBytes) {
  for (const std::string& text : ByteDots()) {
    for (uint32_t seed = 0; seed < 3; ++seed) {
      EXPECT_TRUE(ExpectSameBits(text, seed, kOwn)) << text;
      EXPECT_TRUE(ExpectSameBits(text, seed, kOwnFrozen)) << text;
    }
  }
}

// What follows takes whole rows of the product at a time, and makes as many elements, in its place
// or narrower ones, or one of each row.
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
  part = f32[1000,100] divide(r, totals)
  narrow = bf16[1000,100] convert(part)
)";
  const std::vector<std::pair<std::string, std::string>> results = {
      {"part", "f32[1000,100]"}, {"narrow", "bf16[1000,100]"}, {"total", "f32[1000]"}};
  for (const auto& [name, shape] : results) {
    const FollowedProduct followed = {
        fmt::format("{}  ROOT f = ({}) tuple({})\n}}\n", product, shape, name),
        fmt::format("{}  ROOT f = ({}, f32[1000,100]) tuple({}, r)\n}}\n", product, shape, name)};
    EXPECT_TRUE(ExpectSameBits(followed, kOwn)) << name;
    EXPECT_TRUE(ExpectSameBits(followed, kOwnFrozen)) << name;
  }
}

}  // namespace
}  // namespace hlo::testing
