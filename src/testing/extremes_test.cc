// argmax and argmin over any dimensions, of places that count and of others: many equal values,
// zeros of both signs, a few NaN, so that it matters who comes first. Both backends give the same
// bits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>

#include "interp/backends.h"
#include "testing/compare_backends.h"
#include "testing/run_module.h"

namespace hlo::testing {
namespace {

// What choose functions do (Function). {0}: type of values, {1}: of places, {2}: how a value is
// better.
constexpr std::string_view kSmallestPlace = R"(
  better = pred[] compare(a, b), direction={2}
  undefined = pred[] compare(a, a), direction=NE
  stays = pred[] or(better, undefined)
  equal = pred[] compare(a, b), direction=EQ
  before = pred[] compare(i, j), direction=LT
  first = pred[] and(equal, before)
  place_stays = pred[] or(stays, first)
  v = {0}[] select(stays, a, b)
  p = {1}[] select(place_stays, i, j)
)";
constexpr std::string_view kLast = R"(
  better = pred[] compare(a, b), direction={2}
  undefined = pred[] compare(a, a), direction=NE
  stays = pred[] or(better, undefined)
  v = {0}[] select(stays, a, b)
  p = {1}[] select(stays, i, j)
)";
// As XLA's own argmax is: with NaN it is the second.
constexpr std::string_view kSecondOfNan = R"(
  stays = pred[] compare(a, b), direction={2}
  v = {0}[] select(stays, a, b)
  equal = pred[] compare(a, b), direction=EQ
  least = {1}[] minimum(i, j)
  q = {1}[] select(stays, i, j)
  p = {1}[] select(equal, least, q)
)";
constexpr std::string_view kFirstOfNan = R"(
  follows = pred[] compare(b, a), direction={2}
  v = {0}[] select(follows, b, a)
  p = {1}[] select(follows, j, i)
)";

// A pair (a, i) and the one after it, (b, j), of which `body` makes (v, p).
std::string Function(std::string_view body, std::string_view values, std::string_view places,
                     std::string_view direction) {
  constexpr std::string_view kParameters = R"(choose {{
  a = {0}[] parameter(0)
  i = {1}[] parameter(1)
  b = {0}[] parameter(2)
  j = {1}[] parameter(3))";
  return fmt::format(kParameters, values, places) +
         fmt::format(fmt::runtime(body), values, places, direction) +
         fmt::format("  ROOT t = ({0}[], {1}[]) tuple(v, p)\n}}\n", values, places);
}

struct Search {
  std::string_view name, values, places, direction, function;

  friend void PrintTo(const Search& search, std::ostream* out) { *out << search.name; }
};
constexpr Search kSearches[] = {
    {"LargestF32", "f32", "s32", "GT", kSmallestPlace},
    {"SmallestF32", "f32", "s64", "LT", kSmallestPlace},
    {"LastLargestF32", "f32", "u32", "GT", kLast},
    {"LargestF64", "f64", "s64", "GT", kSmallestPlace},
    {"LastSmallestF64", "f64", "s32", "LT", kLast},
    {"LargestBF16", "bf16", "s32", "GT", kSmallestPlace},
    {"LastSmallestF16", "f16", "s64", "LT", kLast},
    {"SmallestS32", "s32", "s32", "LT", kSmallestPlace},
    {"LastLargestU8", "u8", "s64", "GT", kLast},
    {"SecondOfNanF32", "f32", "s32", "GE", kSecondOfNan},
    {"SecondOfNanSmallestF64", "f64", "s64", "LE", kSecondOfNan},
    {"SecondOfNanBF16", "bf16", "s32", "GE", kSecondOfNan},
    {"SecondOfNanS32", "s32", "s32", "GE", kSecondOfNan},
    {"FirstOfNanF32", "f32", "s32", "GT", kFirstOfNan},
    {"FirstOfNanSmallestF16", "f16", "s32", "LT", kFirstOfNan},
    {"LastFirstOfNanF64", "f64", "u32", "GE", kFirstOfNan},
};

constexpr struct Form {
  std::string_view shape, dimensions, result;
  int place_dimension;
  bool is_counted;
} kForms[] = {
    {"40,300", "1", "40", 1, true},
    {"300,40", "0", "40", 0, true},
    {"70000", "0", "", 0, true},
    {"7,60,33", "1", "7,33", 1, true},
    {"3,600,40", "1", "3,40", 1, true},
    {"1,50,1,17", "1", "1,1,17", 1, true},
    // Places of one of two dimensions, and of another; few columns; short lines.
    {"9,20,4,16", "1,2", "9,16", 1, false},
    {"40,300", "1", "40", 0, false},
    {"5,90,5", "1", "5,5", 1, false},
    {"2,9", "1", "2", 1, false},
};

std::string Text(const Search& search, const Form& form, bool counts_back) {
  const std::string shape(form.shape);
  std::string text = "HloModule extremes\n";
  text += Function(search.function, search.values, search.places, search.direction);
  constexpr std::string_view kEntry = R"(ENTRY main {{
  x = s32[{2}] parameter(0)
  five = s32[] constant(5)
  fives = s32[{2}] broadcast(five), dimensions={{}}
  rest = s32[{2}] remainder(x, fives)
  number = {0}[{2}] convert(rest)
  eight = s32[] constant(8)
  eights = s32[{2}] broadcast(eight), dimensions={{}}
  bit = s32[{2}] and(x, eights)
  is_set = pred[{2}] compare(bit, eights), direction=EQ
  negative = {0}[{2}] negate(number)
  signed = {0}[{2}] select(is_set, negative, number)
  many = s32[] constant(9973)
  manies = s32[{2}] broadcast(many), dimensions={{}}
  seldom = s32[{2}] remainder(x, manies)
  rare = s32[{2}] divide(fives, seldom)
  zero = s32[] constant(0)
  zeros = s32[{2}] broadcast(zero), dimensions={{}}
  is_rare = pred[{2}] compare(seldom, zeros), direction=EQ
  none = {0}[{2}] subtract(signed, signed)
  undefined = {0}[{2}] divide(none, none)
  v = {0}[{2}] select(is_rare, undefined, signed)
  count = {1}[{2}] iota(), iota_dimension={6}
  back = {1}[{2}] negate(count)
  least = {0}[] constant({7})
  begin = {1}[] constant(3)
  ROOT r = ({0}[{4}], {1}[{4}]) reduce(v, {5}, least, begin), dimensions={{{3}}}, to_apply=choose
}}
)";
  return text + fmt::format(kEntry, search.values, search.places, shape, form.dimensions,
                            form.result, counts_back ? "back" : "count", form.place_dimension,
                            search.direction[0] == 'G' ? "0" : "4");
}

class Extremes : public ::testing::TestWithParam<Search> {};

TEST_P(Extremes, AreTheReferences) {
  for (const auto& form : kForms) {
    for (const bool counts_back : {false, true}) {
      const std::string text = Text(GetParam(), form, counts_back);
      SCOPED_TRACE(text);
      const auto found = Compare("extremes", text);
      ASSERT_TRUE(found.has_value());
      ExpectEqual(*found);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Extremes, ::testing::ValuesIn(kSearches),
                         [](const auto& info) { return std::string(info.param.name); });

// Whether a step of `region`, or of those in it, says so.
bool Says(const Region& region, std::string_view text) {
  return std::ranges::any_of(region.steps, [&](const Step& step) {
    return step.program != nullptr && step.program->Text().find(text) != std::string::npos;
  });
}

// With NaN in many places, and in all of them, so that parts of lines and columns begin with it.
TEST(Extremes, OfMuchNan) {
  constexpr std::string_view kText = R"(ENTRY main {{
  x = f32[{0}] parameter(0)
  limit = f32[] constant({2})
  limits = f32[{0}] broadcast(limit), dimensions={{}}
  none = f32[] constant(nan)
  nones = f32[{0}] broadcast(none), dimensions={{}}
  is_none = pred[{0}] compare(x, limits), direction=LT
  v = f32[{0}] select(is_none, nones, x)
  count = s32[{0}] iota(), iota_dimension=0
  least = f32[] constant({3})
  begin = s32[] constant(0)
  ROOT r = (f32[{1}], s32[{1}]) reduce(v, count, least, begin), dimensions={{0}}, to_apply=choose
}}
)";
  for (const std::string_view function : {kSmallestPlace, kSecondOfNan, kFirstOfNan}) {
    for (const std::string_view shape : {"150000", "900,20"}) {
      for (const std::string_view limit : {"-0.999", "0", "0.999", "inf"}) {
        for (const std::string_view init : {"-inf", "nan"}) {
          const std::string_view columns = shape == "900,20" ? "20" : "";
          const std::string text = "HloModule extremes\n" + Function(function, "f32", "s32", "GT") +
                                   fmt::format(kText, shape, columns, limit, init);
          SCOPED_TRACE(text);
          const auto found = Compare("extremes", text);
          ASSERT_TRUE(found.has_value());
          ExpectEqual(*found);
        }
      }
    }
  }
}

void ExpectCounted(const std::string& text, bool is_counted) {
  SCOPED_TRACE(text);
  const auto found = Compare("extremes", text);
  ASSERT_TRUE(found.has_value());
  ExpectEqual(*found);
  DiagnosticSink sink(found->module->source());
  const auto plan = PlanModule(*found->module, sink, {.backend = FindBackend("simd")});
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(Says(*plan->entry, "places are counted"), is_counted);
}

TEST(Extremes, CountPlaces) {
  for (const Form& form : kForms) {
    ExpectCounted(Text(kSearches[0], form, /*counts_back=*/false), form.is_counted);
  }
}

// Of all pixels of an image, whose numbers are another shape of one counter.
TEST(Extremes, CountPlacesOfSeveralDimensions) {
  constexpr std::string_view kText = R"(ENTRY main {
  x = f32[9,20,4,16] parameter(0)
  numbers = s32[80] iota(), iota_dimension=0
  pixels = s32[20,4] reshape(numbers)
  places = s32[9,20,4,16] broadcast(pixels), dimensions={1,2}
  least = f32[] constant(-inf)
  begin = s32[] constant(0)
  ROOT r = (f32[9,16], s32[9,16]) reduce(x, places, least, begin), dimensions={1,2}, to_apply=choose
}
)";
  ExpectCounted(
      "HloModule extremes\n" + Function(kSmallestPlace, "f32", "s32", "GT") + std::string(kText),
      /*is_counted=*/true);
}

}  // namespace
}  // namespace hlo::testing
