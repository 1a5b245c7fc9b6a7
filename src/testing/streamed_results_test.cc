// Results that are large enough to go past the caches, of chains with rows and without, beside
// those that steps read: every element, those before and behind the last whole line among them.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "absl/strings/str_replace.h"
#include "testing/run_module.h"

namespace hlo::testing {
namespace {

// 2098 rows of 1003 elements are 4 MiB of bf16, 8 of f32 and 16 of f64, neither whole lines. The
// values are numbers that arithmetic is exact on, so that sums in any order are the same.
constexpr std::string_view kProgram = R"(HloModule streamed
sum {
  a = TYPE[] parameter(0)
  b = TYPE[] parameter(1)
  ROOT s = TYPE[] add(a, b)
}
ENTRY main {
  x = TYPE[2098,1003] parameter(0)
  one = TYPE[] constant(1)
  zero = TYPE[] constant(0)
  ones = TYPE[2098,1003] broadcast(one), dimensions={}
  read = TYPE[2098,1003] add(x, ones)
  turned = TYPE[1003,2098] transpose(read), dimensions={1,0}
  output = TYPE[2098,1003] multiply(read, read)
  sums = TYPE[2098] reduce(x, zero), dimensions={1}, to_apply=sum
  shown = TYPE[2098,1003] broadcast(sums), dimensions={0}
  centered = TYPE[2098,1003] subtract(x, shown)
  narrow = NARROW[2098,1003] convert(output)
  ROOT r = (TYPE[2098,1003], TYPE[1003,2098], TYPE[2098,1003], TYPE[2098,1003], NARROW[2098,1003]) tuple(read, turned, output, centered, narrow)
}
)";

template <typename T>
void ExpectSameResults(const std::string& narrow) {
  if (!IsInstructionSetThere()) GTEST_SKIP();
  const std::string type(ElementTypeName(kElementTypeOf<T>));
  absl::StatusOr<Module> module = ParseText(
      "streamed", absl::StrReplaceAll(std::string(kProgram), {{"TYPE", type}, {"NARROW", narrow}}));
  ASSERT_TRUE(module.ok()) << module.status();
  absl::StatusOr<Literal> argument = Literal::Zeros(MakeShape(type + "[2098,1003]"));
  ASSERT_TRUE(argument.ok()) << argument.status();
  const auto elements = argument->elements<T>();
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<T>(i * 7 % 61) - 30;

  DeviceContext device;
  const auto expected = RunModule(*module, {&*argument, 1}, device, "reference");
  ASSERT_TRUE(expected.ok()) << expected.status();
  const auto actual = RunModule(*module, {&*argument, 1}, device, "simd");
  ASSERT_TRUE(actual.ok()) << actual.status();
  for (size_t i = 0; i < expected->tuple_elements().size(); ++i) {
    EXPECT_TRUE(actual->tuple_elements()[i] == expected->tuple_elements()[i]) << "result " << i;
  }
}

TEST(StreamedResults, OfF32) { ExpectSameResults<float>("bf16"); }
TEST(StreamedResults, OfF64) { ExpectSameResults<double>("f32"); }

}  // namespace
}  // namespace hlo::testing
