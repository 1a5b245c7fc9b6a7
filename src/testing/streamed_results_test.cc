// Results that are large enough to go past the caches, of chains with rows and without, beside
// those that steps read: every element, those before and behind the last whole line among them.
#include <gtest/gtest.h>

#include "testing/run_module.h"

namespace hlo::testing {
namespace {

// 2098 rows of 1003 elements are 4 MiB of bf16 and 8 MiB of f32, neither whole lines. The values
// are numbers that arithmetic is exact on, so that sums in any order are the same.
constexpr std::string_view kProgram = R"(HloModule streamed
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[2098,1003] parameter(0)
  one = f32[] constant(1)
  zero = f32[] constant(0)
  ones = f32[2098,1003] broadcast(one), dimensions={}
  read = f32[2098,1003] add(x, ones)
  turned = f32[1003,2098] transpose(read), dimensions={1,0}
  output = f32[2098,1003] multiply(read, read)
  sums = f32[2098] reduce(x, zero), dimensions={1}, to_apply=sum
  shown = f32[2098,1003] broadcast(sums), dimensions={0}
  centered = f32[2098,1003] subtract(x, shown)
  narrow = bf16[2098,1003] convert(output)
  ROOT r = (f32[2098,1003], f32[1003,2098], f32[2098,1003], f32[2098,1003], bf16[2098,1003]) tuple(read, turned, output, centered, narrow)
}
)";

TEST(StreamedResults, AreThoseOfTheReference) {
  if (!IsInstructionSetThere()) GTEST_SKIP();
  absl::StatusOr<Module> module = ParseText("streamed", std::string(kProgram));
  ASSERT_TRUE(module.ok()) << module.status();
  absl::StatusOr<Literal> argument = Literal::Zeros(MakeShape("f32[2098,1003]"));
  ASSERT_TRUE(argument.ok()) << argument.status();
  const auto elements = argument->elements<float>();
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(i * 7 % 61) - 30;

  DeviceContext device;
  const auto expected = RunModule(*module, {&*argument, 1}, device, "reference");
  ASSERT_TRUE(expected.ok()) << expected.status();
  const auto actual = RunModule(*module, {&*argument, 1}, device, "simd");
  ASSERT_TRUE(actual.ok()) << actual.status();
  for (size_t i = 0; i < expected->tuple_elements().size(); ++i) {
    EXPECT_TRUE(actual->tuple_elements()[i] == expected->tuple_elements()[i]) << "result " << i;
  }
}

}  // namespace
}  // namespace hlo::testing
