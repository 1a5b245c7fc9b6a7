// Generated inputs: the same whoever makes them, and alive after it.
#include "interp/arguments.h"

#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "testing/run_module.h"

namespace hlo {
namespace {

// Inputs of some megabytes, which lie together, with small ones and tuples between them.
constexpr char kProgram[] = R"(HloModule m
ENTRY main {
  a = f32[1000,1000] parameter(0)
  b = f32[3] parameter(1)
  c = (f64[300000], s32[], bf16[70000]) parameter(2)
  d = f32[1,500000] parameter(3)
  ROOT r = f32[3] negate(b)
}
)";

TEST(Arguments, DependOnTheirNumberAlone) {
  const absl::StatusOr<Module> module = testing::ParseText("arguments", kProgram);
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<Literal> all;
  {
    absl::StatusOr<std::vector<Literal>> made =
        ArgumentGenerator(*module, FakeKind::kRandom, 1).MakeAll();
    ASSERT_TRUE(made.ok()) << made.status();
    all = *std::move(made);
  }
  ASSERT_EQ(all.size(), 4u);
  for (size_t i = all.size(); i-- > 0;) {
    const ArgumentGenerator generator(*module, FakeKind::kRandom, 1);
    const absl::StatusOr<Literal> alone = generator.Make(static_cast<int64_t>(i));
    ASSERT_TRUE(alone.ok()) << alone.status();
    EXPECT_EQ(*alone, all[i]) << "input " << i;
    const Literal copy = all[i];
    all.pop_back();
    EXPECT_EQ(copy, *alone) << "input " << i;
  }
}

TEST(Arguments, ZerosAreZerosInUsedMemory) {
  const absl::StatusOr<Module> module = testing::ParseText("arguments", kProgram);
  ASSERT_TRUE(module.ok()) << module.status();
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(ArgumentGenerator(*module, FakeKind::kRandom, 1).MakeAll().ok());
    const auto zeros = ArgumentGenerator(*module, FakeKind::kZeros, 1).MakeAll();
    ASSERT_TRUE(zeros.ok()) << zeros.status();
    for (const float element : (*zeros)[0].elements<float>()) ASSERT_EQ(element, 0.0f);
  }
}

}  // namespace
}  // namespace hlo
