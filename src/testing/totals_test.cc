// Reductions of rows longer than a tile, of all elements at most, and of columns, whose elements
// other instructions make: parts of rows are reduced before rows are, columns over some tiles
// before they are over all. Elements are integers and so few that sums are exact, so both backends
// give the same bits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "interp/backends.h"
#include "testing/compare_backends.h"
#include "testing/run_module.h"

namespace hlo::testing {
namespace {

struct Reduction {
  std::string_view name;
  std::string_view type;
  std::string_view opcode;
  std::string_view init;
};

constexpr Reduction kReductions[] = {
    {"SumF32", "f32", "add", "3"},          {"MaximumF32", "f32", "maximum", "-inf"},
    {"MinimumF32", "f32", "minimum", "2"},  {"SumF64", "f64", "add", "-7"},
    {"SumBF16", "bf16", "add", "1"},        {"MaximumBF16", "bf16", "maximum", "-3"},
    {"SumF16", "f16", "add", "0"},          {"SumS32", "s32", "add", "5"},
    {"ProductS32", "s32", "multiply", "3"}, {"ParityU32", "u32", "xor", "9"},
    {"AndU8", "u8", "and", "254"},          {"OrS64", "s64", "or", "1"},
};

bool HasFallback(const Region& region) {
  return std::ranges::any_of(region.steps, [](const Step& step) {
    return step.is_fallback ||
           (step.program == nullptr && std::ranges::any_of(step.regions, [](const auto& nested) {
              return nested->role != Region::Role::kFunction && HasFallback(*nested);
            }));
  });
}

// Both backends say the same, and no step of simd is the reference kernel's.
void ExpectSameInBlocks(const std::string& text) {
  const auto c = Compare("totals", text);
  ASSERT_TRUE(c.has_value());
  ExpectEqual(*c);
  DiagnosticSink sink(c->module->source());
  const auto plan = PlanModule(*c->module, sink, {.backend = FindBackend("simd")});
  ASSERT_TRUE(plan.has_value());
  EXPECT_FALSE(HasFallback(*plan->entry)) << text;
}

class TotalsOf : public ::testing::TestWithParam<Reduction> {};

// `made` is an array of `shape` out of elements from -3 to 9.
std::string Text(const Reduction& reduction, std::string_view shape, std::string_view dimensions,
                 std::string_view result) {
  constexpr std::string_view kText = R"(HloModule totals
combine {{
  a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  ROOT c = {0}[] {1}(a, b)
}}
ENTRY main {{
  x = s32[{3}] parameter(0)
  seven = s32[] constant(7)
  sevens = s32[{3}] broadcast(seven), dimensions={{}}
  small = s32[{3}] remainder(x, sevens)
  three = s32[] constant(3)
  threes = s32[{3}] broadcast(three), dimensions={{}}
  more = s32[{3}] add(small, threes)
  made = {0}[{3}] convert(more)
  zeros = {0}[{3}] subtract(made, made)
  same = {0}[{3}] add(zeros, made)
  init = {0}[] constant({2})
  total = {0}[{5}] reduce(same, init), dimensions={{{4}}}, to_apply=combine
  again = {0}[{5}] reduce(made, init), dimensions={{{4}}}, to_apply=combine
  ROOT t = ({0}[{5}], {0}[{5}]) tuple(total, again)
}}
)";
  return fmt::format(kText, reduction.type, reduction.opcode, reduction.init, shape, dimensions,
                     result);
}

constexpr struct {
  std::string_view shape, dimensions, result;
} kForms[] = {{"16384", "0", ""},
              {"6,50,48", "0,1,2", ""},
              {"3,12000", "1", "3"},
              {"2,2,9216", "2", "2,2"},
              {"99991", "0", ""},
              {"40,1,3072", "0,2", "1"},
              {"300,64", "0", "64"},
              {"4,50,3,48", "0,1", "3,48"},
              {"700,1,20", "0", "1,20"},
              {"9000,16,1", "0", "16,1"},
              {"128,128", "0", "128"},
              {"64,8200", "0", "8200"},
              {"9,5,40,3", "0,2,3", "5"},
              {"20,3,1,9216", "0,3", "3,1"},
              // Of the entries of a batch: few to a tile and many, cut into pieces and not.
              {"3,49,128", "1", "3,128"},
              {"2,7,7,300", "1,2", "2,300"},
              {"50,16,17", "1", "50,17"},
              {"2,5000,40", "1", "2,40"},
              {"2,3,197,64", "2", "2,3,64"},
              {"3,20,2,40", "1,3", "3,2"},
              {"2,3,70,1,64", "0,2", "3,1,64"}};

TEST_P(TotalsOf, AreTheReferences) {
  if (!IsInstructionSetThere()) GTEST_SKIP();
  for (const auto& form : kForms) {
    SCOPED_TRACE(form.shape);
    ExpectSameInBlocks(Text(GetParam(), form.shape, form.dimensions, form.result));
  }
}

// `turned` lies in memory and is read by a block, whose result may take its place.
TEST_P(TotalsOf, OfOperandsAreTheReferences) {
  if (!IsInstructionSetThere()) GTEST_SKIP();
  for (const auto& form : kForms) {
    SCOPED_TRACE(form.shape);
    std::string text = Text(GetParam(), form.shape, form.dimensions, form.result);
    const auto replace = [&](std::string_view from, std::string_view to) {
      text.replace(text.find(from), from.size(), to);
    };
    replace("zeros = ", fmt::format("turned = {}[{}] reverse(made), dimensions={{0}}\n  zeros = ",
                                    GetParam().type, form.shape));
    replace("subtract(made, made)", "subtract(turned, turned)");
    replace("add(zeros, made)", "add(zeros, turned)");
    replace("reduce(made", "reduce(turned");
    replace("ROOT t = (", fmt::format("ROOT t = ({}[{}], ", GetParam().type, form.shape));
    replace("tuple(", "tuple(same, ");
    ExpectSameInBlocks(text);
  }
}

// What loops over rows widen by themselves, and what is the same for all tiles.
TEST(Totals, OfWidenedAndOfConstants) {
  if (!IsInstructionSetThere()) GTEST_SKIP();
  ExpectSameInBlocks(R"(HloModule totals
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] maximum(a, b) }
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY main {
  x = bf16[3,8192,4] parameter(0)
  y = bf16[] parameter(1)
  wide = f32[3,8192,4] convert(x)
  twice = f32[3,8192,4] add(wide, wide)
  low = f32[] constant(-inf)
  largest = f32[3] reduce(wide, low), dimensions={1,2}, to_apply=max
  again = f32[3] reduce(twice, low), dimensions={1,2}, to_apply=max
  same = f32[] convert(y)
  all = f32[3,8192,4] broadcast(same), dimensions={}
  more = f32[3,8192,4] add(all, all)
  zero = f32[] constant(0)
  sum = f32[3] reduce(more, zero), dimensions={1,2}, to_apply=add
  ROOT t = (f32[3], f32[3], f32[3]) tuple(largest, again, sum)
}
)");
}

// More elements than caches hold, whose columns are summed some thousands at a time.
TEST(Totals, OfColumnsFromMemory) {
  if (!IsInstructionSetThere()) GTEST_SKIP();
  ExpectSameInBlocks(R"(HloModule totals
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY main {
  x = u8[2100,4099] parameter(0)
  narrow = bf16[2100,4099] convert(x)
  turned = bf16[2100,4099] reverse(narrow), dimensions={0}
  wide = f32[2100,4099] convert(turned)
  zero = f32[] constant(0)
  ROOT sums = f32[4099] reduce(wide, zero), dimensions={0}, to_apply=add
}
)");
}

// As many columns as rows: what is made of these is no value by row.
TEST(Totals, OfSquares) {
  if (!IsInstructionSetThere()) GTEST_SKIP();
  ExpectSameInBlocks(R"(HloModule totals
add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = s32[] add(a, b) }
ENTRY main {
  x = s32[128,128] parameter(0)
  squares = s32[128,128] multiply(x, x)
  zero = s32[] constant(0)
  rows = s32[128] reduce(squares, zero), dimensions={1}, to_apply=add
  columns = s32[128] reduce(squares, zero), dimensions={0}, to_apply=add
  sum = s32[128] add(rows, columns)
  all.rows = s32[128,128] broadcast(sum), dimensions={0}
  all.columns = s32[128,128] broadcast(columns), dimensions={1}
  product = s32[128,128] multiply(squares, all.columns)
  difference = s32[128,128] subtract(product, all.rows)
  again = s32[128] reduce(difference, zero), dimensions={0}, to_apply=add
  ROOT t = (s32[128,128], s32[128], s32[128]) tuple(difference, again, columns)
}
)");
}

// Batches of which one's entries are parts of the other's, and a batch beside one of other entries.
// Rows of weights that are read again and again repeat at other places than entries begin.
TEST(Totals, OfSeveralBatches) {
  if (!IsInstructionSetThere()) GTEST_SKIP();
  ExpectSameInBlocks(R"(HloModule totals
add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = s32[] add(a, b) }
ENTRY main {
  x = s32[6,4,25,32] parameter(0)
  w = s32[5,32] parameter(1)
  weights = s32[120,5,32] broadcast(w), dimensions={1,2}
  of_all = s32[6,4,25,32] reshape(weights)
  y = s32[6,4,25,32] multiply(x, of_all)
  zero = s32[] constant(0)
  two = s32[4,32] reduce(y, zero), dimensions={0,2}, to_apply=add
  inner = s32[6,4,32] reduce(y, zero), dimensions={2}, to_apply=add
  middle = s32[6,32] reduce(y, zero), dimensions={1,2}, to_apply=add
  all = s32[32] reduce(y, zero), dimensions={0,1,2}, to_apply=add
  other = s32[4,150,32] reshape(y)
  fourths = s32[4,32] reduce(other, zero), dimensions={1}, to_apply=add
  ROOT t = (s32[4,32], s32[6,4,32], s32[6,32], s32[32], s32[4,32])
    tuple(two, inner, middle, all, fourths)
}
)");
}

// What is kept of each round of a loop: results lie in larger arrays.
TEST(Totals, OfRounds) {
  if (!IsInstructionSetThere()) GTEST_SKIP();
  ExpectSameInBlocks(R"(HloModule totals
add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = s32[] add(a, b) }
go_on {
  t = (s32[], s32[10], s32[10,1024], s32[10,64], s32[10,64,1024]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  ten = s32[] constant(10)
  ROOT p = pred[] compare(i, ten), direction=LT
}
round {
  t = (s32[], s32[10], s32[10,1024], s32[10,64], s32[10,64,1024]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  totals = s32[10] get-tuple-element(t), index=1
  columns = s32[10,1024] get-tuple-element(t), index=2
  rows = s32[10,64] get-tuple-element(t), index=3
  all = s32[10,64,1024] get-tuple-element(t), index=4
  zero = s32[] constant(0)
  slice = s32[1,64,1024] dynamic-slice(all, i, zero, zero), dynamic_slice_sizes={1,64,1024}
  x = s32[64,1024] reshape(slice)
  squares = s32[64,1024] multiply(x, x)
  total = s32[] reduce(squares, zero), dimensions={0,1}, to_apply=add
  one_total = s32[1] reshape(total)
  new_totals = s32[10] dynamic-update-slice(totals, one_total, i)
  y = s32[64,1024] negate(x)
  by_column = s32[1024] reduce(y, zero), dimensions={0}, to_apply=add
  one_column = s32[1,1024] reshape(by_column)
  new_columns = s32[10,1024] dynamic-update-slice(columns, one_column, i, zero)
  z = s32[64,1024] abs(x)
  by_row = s32[64] reduce(z, zero), dimensions={1}, to_apply=add
  one_row = s32[1,64] reshape(by_row)
  new_rows = s32[10,64] dynamic-update-slice(rows, one_row, i, zero)
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT r = (s32[], s32[10], s32[10,1024], s32[10,64], s32[10,64,1024]) tuple(
    j, new_totals, new_columns, new_rows, all)
}
ENTRY main {
  all = s32[10,64,1024] parameter(0)
  totals = s32[10] parameter(1)
  columns = s32[10,1024] parameter(2)
  rows = s32[10,64] parameter(3)
  zero = s32[] constant(0)
  t = (s32[], s32[10], s32[10,1024], s32[10,64], s32[10,64,1024]) tuple(
    zero, totals, columns, rows, all)
  w = (s32[], s32[10], s32[10,1024], s32[10,64], s32[10,64,1024]) while(t), condition=go_on, body=round
  a = s32[10] get-tuple-element(w), index=1
  b = s32[10,1024] get-tuple-element(w), index=2
  c = s32[10,64] get-tuple-element(w), index=3
  ROOT r = (s32[10], s32[10,1024], s32[10,64]) tuple(a, b, c)
}
)");
}

INSTANTIATE_TEST_SUITE_P(Reductions, TotalsOf, ::testing::ValuesIn(kReductions),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace hlo::testing
