// The backends beside each other. Programs of one instruction are held to the bounds of
// interp/simd/tolerance.def; whole programs, in which errors travel on, must agree bit for bit when
// nothing in them has a row there, and to within what a few such errors make otherwise. Whatever
// the number of threads, results are the same bits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "ir/element_traits.h"
#include "testing/compare_backends.h"
#include "testing/random_program.h"
#include "testing/run_module.h"
#include "testing/xla_cases.h"

namespace hlo::testing {
namespace {

constexpr int64_t kMaxFileWork = int64_t{1} << 26;  // of one run of a file, of which there are many

// The largest finite magnitude in an array; remembered while it is asked for the same one.
class LargestMagnitude {
 public:
  double operator()(const Literal& array) {
    if (array_ == &array) return largest_;
    array_ = &array;
    largest_ = 0;
    for (int64_t i = 0; i < array.element_count(); ++i) {
      const double magnitude = std::abs(ValueAt(array, i));
      if (std::isfinite(magnitude)) largest_ = std::max(largest_, magnitude);
    }
    return largest_;
  }

 private:
  const Literal* array_ = nullptr;
  double largest_ = 0;
};

// --- Single instructions -------------------------------------------------------------------------

// Bit for bit, but for the sign and payload of NaN, and of zeros, either of which a reduction may
// take for the least of both (tolerance.def).
TEST(Differential, RandomExactElementwise) {
  for (uint32_t seed = 0; seed < SeedCount(5000) && !HasFailure(); ++seed) {
    const std::string text = RandomElementwise(seed, /*is_exact=*/true);
    const std::optional<Comparison> c = Compare(fmt::format("elementwise {}", seed), text);
    ASSERT_TRUE(c) << text;
    ExpectNear(*c->simd.result, *c->reference.result, 0,
               [](const Literal&, int64_t) { return std::numeric_limits<double>::denorm_min(); });
    if (HasFailure()) ADD_FAILURE() << text;
  }
}

// Some ULP at every step, of the largest magnitude there is: all functions here are flat.
TEST(Differential, RandomElementwise) {
  for (uint32_t seed = 0; seed < SeedCount(3000) && !HasFailure(); ++seed) {
    const std::string text = RandomElementwise(seed, /*is_exact=*/false);
    const std::optional<Comparison> c = Compare(fmt::format("elementwise {}", seed), text);
    ASSERT_TRUE(c) << text;
    LargestMagnitude largest;
    ExpectNear(*c->simd.result, *c->reference.result, 2, [&](const Literal& array, int64_t) {
      // bf16 may have become a wider type.
      return largest(array) * 0x1p-6;
    });
    if (HasFailure()) ADD_FAILURE() << text;
  }
}

// Bases and exponents in registers, in memory and as one number for all, of sizes around those of
// vectors, groups of them and tiles.
TEST(Differential, Powers) {
  for (const std::string_view type : {"f32", "f64", "bf16", "f16"}) {
    for (const int count : {1, 3, 16, 67, 513, 5000}) {
      for (const std::string_view power :
           {"power(x, y)", "power(p, y)", "power(y, p)", "power(x, x)", "power(p, s)",
            "power(s, x)", "power(p, two)", "power(x, two)", "power(x, half)", "power(x, less)",
            "power(x, three)"}) {
        const std::string text = fmt::format(R"(HloModule powers
ENTRY main {{
  x = {0}[{1}] parameter(0)
  y = {0}[{1}] parameter(1)
  t = {0}[] parameter(2)
  s = {0}[{1}] broadcast(t), dimensions={{}}
  a = {0}[] constant(2)
  two = {0}[{1}] broadcast(a), dimensions={{}}
  b = {0}[] constant(0.5)
  half = {0}[{1}] broadcast(b), dimensions={{}}
  c = {0}[] constant(-1)
  less = {0}[{1}] broadcast(c), dimensions={{}}
  d = {0}[] constant(3)
  three = {0}[{1}] broadcast(d), dimensions={{}}
  p = {0}[{1}] abs(x)
  w = {0}[{1}] {2}
  ROOT r = {0}[{1}] negate(w)
}}
)",
                                             type, count, power);
        const std::optional<Comparison> c = Compare("powers", text);
        ASSERT_TRUE(c) << text;
        ExpectNear(*c->simd.result, *c->reference.result, RowFor(*c->module)->ulp,
                   [](const Literal&, int64_t) { return 0; });
        if (HasFailure()) {
          ADD_FAILURE() << text;
          return;
        }
      }
    }
  }
}

// `x`: what the functions of c64 are taken of, so many numbers.
void ExpectSameComplexFunctions(size_t count, const std::string& x) {
  for (const std::string_view opcode :
       {"abs", "cosine", "exponential", "log", "rsqrt", "sign", "sine", "sqrt", "tan", "tanh"}) {
    const std::string text = fmt::format(
        "HloModule functions\nENTRY main {{\n  x = c64[{0}] {1}\n  ROOT r = {2}[{0}] {3}(x)\n}}\n",
        count, x, opcode == "abs" ? "f32" : "c64", opcode);
    const std::optional<Comparison> c = Compare("functions", text);
    ASSERT_TRUE(c) << text;
    const simd::OpcodeTolerance* row = RowFor(*c->module);
    ExpectNear(*c->simd.result, *c->reference.result, row == nullptr ? 0 : row->ulp,
               [](const Literal&, int64_t) { return 0; });
    if (::testing::Test::HasFailure()) ADD_FAILURE() << opcode;
  }
}

TEST(Differential, ComplexFunctions) {
  for (const size_t count : {1, 3, 8, 13, 5000}) {
    ExpectSameComplexFunctions(count, "parameter(0)");
  }
}

// Parts of all kinds with parts of all kinds, in vectors among each other and alone.
TEST(Differential, ComplexFunctionsOfOddParts) {
  constexpr std::string_view kParts[] = {
      "0",    "-0",   "1",    "-1",        "0.5",  "inf",        "-inf", "nan",  "1e-45", "1e38",
      "88.5", "89.2", "-104", "3.1415927", "1e30", "0.99999994", "-2.5", "-0.6", "0.8"};
  std::string numbers;
  for (const std::string_view real : kParts) {
    for (const std::string_view imag : kParts) {
      numbers += fmt::format("{}({}, {})", numbers.empty() ? "" : ", ", real, imag);
    }
  }
  ExpectSameComplexFunctions(std::size(kParts) * std::size(kParts),
                             fmt::format("constant({{{}}})", numbers));
}

TEST(Differential, RandomLoops) { ExpectSame(RandomLoop, 2000); }
TEST(Differential, RandomWindows) {
  ExpectSame([](uint32_t seed) { return RandomWindow(seed, /*is_sum=*/false); }, 600);
}
TEST(Differential, RandomBatchNorms) { ExpectSame(RandomBatchNorm, 300); }
TEST(Differential, RandomWindowsByFunctions) { ExpectSame(RandomWindowByFunction, 400); }
TEST(Differential, RandomSelectAndScatters) { ExpectSame(RandomSelectAndScatter, 400); }
TEST(Differential, RandomScatters) { ExpectSame(RandomScatter, 300); }
TEST(Differential, RandomScattersOfBoxes) { ExpectSame(RandomScatterOfBoxes, 600); }
TEST(Differential, RandomScattersOfRows) { ExpectSame(RandomScatterOfRows, 25); }
TEST(Differential, RandomSorts) { ExpectSame(RandomSort, 400); }
TEST(Differential, RandomSortsByKeys) { ExpectSame(RandomSortByKeys, 400); }
TEST(Differential, RandomSortsByComparators) { ExpectSame(RandomSortByComparator, 400); }
TEST(Differential, RandomSortsOfBits) { ExpectSame(RandomSortOfBits, 150); }
TEST(Differential, RandomTopKs) { ExpectSame(RandomTopK, 150); }
TEST(Differential, RandomReductionsByOpcode) { ExpectSame(RandomReduceByOpcode, 300); }
TEST(Differential, RandomReductionsOfArrays) { ExpectSame(RandomReduceOfArrays, 100); }
TEST(Differential, RandomReductions) { ExpectSame(RandomReduce, 500); }
TEST(Differential, RandomTransposes) { ExpectSame(RandomTranspose, 300); }
TEST(Differential, RandomBitcasts) { ExpectSame(RandomBitcast, 300); }
TEST(Differential, RandomDataMovement) { ExpectSame(RandomDataMovement, 1500); }
TEST(Differential, RandomGathers) { ExpectSame(RandomGather, 600); }
TEST(Differential, RandomBits) { ExpectSame(RandomBits, 200); }

void ExpectSumsNear(std::string (*make)(uint32_t seed), uint32_t count) {
  for (uint32_t seed = 0; seed < SeedCount(count) && !::testing::Test::HasFailure(); ++seed) {
    const std::string text = make(seed);
    const std::optional<Comparison> c = Compare(fmt::format("seed {}", seed), text);
    if (!c) continue;  // windows larger than what they are to lie in
    const OpView op(*c->module, c->module->root(c->module->entry()));
    const Shape& terms = op.operand_shape(0);
    // Sums of windows of narrow floats round at every step, in the order of the definition.
    if (op.opcode() == Opcode::kReduceWindow && BitWidth(terms.element_type()) <= 16) {
      ExpectEqual(*c);
      if (::testing::Test::HasFailure()) ADD_FAILURE() << text;
    } else {
      ExpectProductNear(*c, text, ElementCount(terms).value());
    }
  }
}

TEST(Differential, RandomSums) { ExpectSumsNear(RandomSum, 400); }
TEST(Differential, RandomSumsOfWindows) {
  ExpectSumsNear([](uint32_t seed) { return RandomWindow(seed, /*is_sum=*/true); }, 600);
}

// Elements of another width, of parts of bytes and of more than a piece.
TEST(Differential, BitcastConverts) {
  for (const auto& [from, to] : std::initializer_list<std::array<std::string_view, 2>>{
           {"u32[5,7]", "u8[5,7,4]"},
           {"u8[3,11,8]", "f64[3,11]"},
           {"bf16[300000,2]", "f32[300000]"},
           {"f8e5m2[6,2]", "f16[6]"},
           {"f64[9]", "u16[9,4]"},
           {"u8[7,2]", "s16[7]"},
           {"s16[6]", "pred[6,2]"},
           {"u8[9]", "s4[9,2]"},
           {"u4[4,8]", "u32[4]"},
           {"f32[0,3]", "u8[0,3,4]"},
       }) {
    const std::string text = fmt::format(
        "HloModule m\nENTRY main {{\n  x = {} parameter(0)\n  ROOT r = {} "
        "bitcast-convert(x)\n}}\n",
        from, to);
    const std::optional<Comparison> c = Compare("bitcast-convert", text);
    ASSERT_TRUE(c) << text;
    ASSERT_TRUE(AreSameBits(*c->simd.result, *c->reference.result)) << text;
  }
}

// Results of tens of megabytes are written past the caches.
TEST(Differential, LargeMovements) {
  for (const std::string_view body : {
           "ROOT r = f32[90000,100] reverse(x), dimensions={1}",
           "ROOT r = f32[90000,100] reverse(x), dimensions={0}",
           "ROOT r = f32[180000,100] concatenate(x, x), dimensions={0}",
           "ROOT r = f32[90000,200] concatenate(x, x), dimensions={1}",
           "ROOT r = f32[90000,203] pad(x, z), padding=0_0x3_1_1",
           "ROOT r = f32[90000,97] dynamic-slice(x, i, i), dynamic_slice_sizes={90000,97}",
           "ROOT r = f32[100000,90] gather(x, j), offset_dims={1}, collapsed_slice_dims={0}, "
           "start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,90}",
       }) {
    const std::optional<Comparison> c = Compare(
        "large", fmt::format("HloModule large\nENTRY main {{\n  x = f32[90000,100] parameter(0)\n"
                             "  z = f32[] constant(7)\n  i = s32[] constant(2)\n"
                             "  j = s32[100000,2] parameter(1)\n  {}\n}}\n",
                             body));
    ASSERT_TRUE(c) << body;
    ASSERT_TRUE(AreSameBits(*c->simd.result, *c->reference.result)) << body;
  }
}

// Sizes around tiles and parts; constants, functions of the C library and narrow types among what a
// call computes.
TEST(Differential, MapsByFunctions) {
  for (const char* type : {"f32", "f64", "bf16", "f8e4m3fn"}) {
    for (const int64_t count : {1, 255, 256, 257, 40000}) {
      const std::string text = fmt::format(R"(HloModule maps
f {{
  a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  half = {0}[] constant(0.5)
  c = {0}[] multiply(a, half)
  d = {0}[] exponential(c)
  p = pred[] compare(d, b), direction=LT
  ROOT r = {0}[] select(p, b, d)
}}
ENTRY main {{
  x = {0}[{1}] parameter(0)
  y = {0}[{1}] parameter(1)
  ROOT r = {0}[{1}] map(x, y), dimensions={{0}}, to_apply=f
}}
)",
                                           type, count);
      const std::optional<Comparison> c = Compare("maps", text);
      ASSERT_TRUE(c) << text;
      ExpectEqual(*c);
      ASSERT_FALSE(HasFailure()) << text;
    }
  }
}

// Lines of more elements than are sorted by their places at a time, strides that are not sorted at
// all, rows that are too long to stay in the caches between two dimensions, lines with holes.
TEST(Differential, LongWindows) {
  struct Case {
    std::string_view type, from, window, to, opcode = "maximum";
  };
  for (const Case& c : {
           Case{"f32", "3,9000", "size=1x3 stride=1x2", "3,4499"},
           Case{"f32", "3,9000", "size=1x3 stride=1x2 pad=0_0x1_1", "3,4500"},
           Case{"f32", "2,9000", "size=1x2 stride=1x3 rhs_dilate=1x5", "2,2999"},
           Case{"bf16", "2,9001", "size=1x3 stride=1x2 pad=0_0x2_0", "2,4501"},
           Case{"u8", "2,9001", "size=1x7 stride=1x5 pad=0_0x3_3", "2,1801"},
           Case{"f64", "2,9001", "size=1x3 stride=1x1 pad=0_0x1_1", "2,9001"},
           Case{"s16", "2,9001", "size=1x3 stride=1x4 pad=0_0x-1_-2", "2,2249"},
           Case{"f32", "2,9001", "size=1x3 stride=1x1500", "2,6"},
           Case{"f32", "2,9001", "size=1x3 stride=1x2 lhs_dilate=1x2", "2,9000"},
           Case{"f32", "2,9001", "size=1x2 stride=1x2 rhs_dilate=1x3000", "2,3001"},
           Case{"f32", "5,40000", "size=3x3 stride=2x2", "2,19999"},
           Case{"f32", "5,31,33", "size=3x3x1 stride=1x2x1 pad=1_1x0_1x0_0", "5,15,33"},
           Case{"s32", "2,3,40,41", "size=1x1x2x2 stride=1x1x2x2", "2,3,20,20"},
           Case{"f32", "2,9001", "size=1x3 pad=0_0x2_1 lhs_dilate=1x2", "2,18002"},
           Case{"bf16", "2,5001", "size=1x5 stride=1x2 pad=0_0x2_2 lhs_dilate=1x6", "2,15001"},
           Case{"u8", "9000", "size=2 lhs_dilate=40", "359960"},
           Case{"c128", "2,9001", "size=1x3 stride=1x3", "2,3000", "add"},
           Case{"c128", "2,4001", "size=1x3 pad=0_0x1_1 lhs_dilate=1x3", "2,12001", "add"},
           Case{"c128", "2,4001", "size=1x2 stride=1x2 lhs_dilate=1x3", "2,6000", "add"},
       }) {
    const std::string text = fmt::format(R"(HloModule windows
combine {{
  a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  ROOT m = {0}[] {4}(a, b)
}}
ENTRY main {{
  x = {0}[{1}] parameter(0)
  one = s32[] constant(1)
  i = {0}[] convert(one)
  ROOT r = {0}[{3}] reduce-window(x, i), window={{{2}}}, to_apply=combine
}}
)",
                                         c.type, c.from, c.window, c.to, c.opcode);
    const std::optional<Comparison> found = Compare("windows", text);
    ASSERT_TRUE(found) << text;
    ASSERT_TRUE(AreSameBits(*found->simd.result, *found->reference.result)) << text;
  }
}

// More elements than are sorted at a time, of lines that go from thread to thread.
TEST(Differential, LongSortsByComparators) {
  for (const std::string_view dims : {"5,60000", "300000"}) {
    const std::string text = fmt::format(R"(HloModule sorts
nearer {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  x = f32[] abs(a)
  y = f32[] abs(b)
  ROOT r = pred[] compare(x, y), direction=LT
}}
ENTRY main {{
  x = f32[{0}] parameter(0)
  y = s32[{0}] parameter(1)
  ROOT r = (f32[{0}], s32[{0}]) sort(x, y), dimensions={{{1}}}, to_apply=nearer
}}
)",
                                         dims, std::ranges::count(dims, ','));
    const std::optional<Comparison> found = Compare("sorts", text);
    ASSERT_TRUE(found) << text;
    ASSERT_TRUE(AreSameBits(*found->simd.result, *found->reference.result)) << text;
  }
}

// Half of the elements are NaN, one in ten, or all but a few, in lines that threads share or not.
TEST(Differential, SortsOfManyNan) {
  for (const std::string_view dims : {"300000", "7,2000", "3000,5", "2,140000"}) {
    for (const std::string_view type : {"f32", "bf16", "f64"}) {
      for (const std::string_view limit : {"0", "-1.2", "2.5"}) {
        const std::string text =
            fmt::format(R"(HloModule sorts
before {{
  a = {1}[] parameter(0)
  b = {1}[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction={4}
}}
ENTRY main {{
  x = {1}[{0}] parameter(0)
  y = s32[{0}] parameter(1)
  l = {1}[] constant({2})
  m = {1}[{0}] broadcast(l), dimensions={{}}
  n = {1}[] constant(nan)
  o = {1}[{0}] broadcast(n), dimensions={{}}
  p = pred[{0}] compare(x, m), direction=LT
  q = {1}[{0}] select(p, o, x)
  ROOT r = ({1}[{0}], s32[{0}]) sort(q, y), dimensions={{{3}}}, to_apply=before
}}
)",
                        dims, type, limit, dims == "7,2000" ? 1 : 0, limit == "0" ? "GT" : "LT");
        const std::optional<Comparison> found = Compare("sorts", text);
        ASSERT_TRUE(found) << text;
        ASSERT_TRUE(AreSameBits(*found->simd.result, *found->reference.result)) << text;
      }
    }
  }
}

// A step of seconds ends soon after it is asked to.
TEST(Simd, LongStepsCanBeInterrupted) {
  absl::StatusOr<Module> module = ParseText("long", R"(HloModule long
ENTRY main {
  x = u64[1536,1536] parameter(0)
  ROOT r = u64[1536,1536] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)");
  ASSERT_TRUE(module.ok());
  auto arguments = ArgumentGenerator(*module, FakeKind::kOnes, 1).MakeAll();
  ASSERT_TRUE(arguments.ok());
  DeviceContext device;
  ThreadPool pool(2);
  device.set_thread_pool(&pool);
  std::thread interrupter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    device.Interrupt();
  });
  const auto start = std::chrono::steady_clock::now();
  const absl::StatusOr<Literal> result = RunModule(*module, *arguments, device, "simd");
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  interrupter.join();
  EXPECT_TRUE(absl::IsCancelled(result.status())) << result.status();
  EXPECT_LT(elapsed.count(), 5) << "seconds";
}

// --- Whole programs ------------------------------------------------------------------------------

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Parts of files that are split by lines `// -----`.
std::vector<std::string> Parts(const std::string& text) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (;;) {
    const size_t end = text.find("\n// -----", begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return parts;
    begin = text.find('\n', end + 1);
    if (begin == std::string::npos) return parts;
  }
}

void CompareFile(const std::filesystem::path& path) {
  size_t number = 0;
  for (const std::string& part : Parts(ReadFile(path))) {
    const std::string name = fmt::format("{}#{}", path.filename().string(), number++);
    SCOPED_TRACE(name);
    const std::optional<Comparison> c = Compare(name, part, {.max_work = kMaxFileWork});
    if (!c) continue;
    const bool is_exact = RowFor(*c->module) == nullptr;
    LargestMagnitude largest;
    ExpectNear(*c->simd.result, *c->reference.result, is_exact ? 0 : 16,
               [&](const Literal& array, int64_t) {
                 if (is_exact) return 0.0;
                 const ElementTypeInfo& info = GetElementTypeInfo(array.shape().element_type());
                 return largest(array) * 64 * std::ldexp(1.0, -info.format.mantissa_bits);
               });
  }
}

class FolderTest : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(FolderTest, BackendsAgree) {
  const std::filesystem::path& folder = GetParam();
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "there is no " << folder;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".hlo") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  const bool runs_large = std::getenv("HLOKIT_LARGE_TESTS") != nullptr;
  for (const std::filesystem::path& file : files) {
    if (std::filesystem::file_size(file) > (1 << 20) && !runs_large) continue;
    CompareFile(file);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, FolderTest,
    ::testing::Values(std::filesystem::path(HLOKIT_SOURCE_DIR) / "testdata" / "run",
                      std::filesystem::path(HLOKIT_SOURCE_DIR) / "testdata" / "models",
                      std::filesystem::path(HLOKIT_SOURCE_DIR) / "testdata" / "verify",
                      AnswersFolder("xla_tests") / "exec", AnswersFolder("xla_tests") / "evaluator",
                      AnswersFolder("corpus") / "lit"),
    [](const auto& info) {
      return info.param.parent_path().filename().string() + "_" + info.param.filename().string();
    });

}  // namespace
}  // namespace hlo::testing
