// Random small instructions of every kind: the image of each map is the dependence that running the
// instruction shows, both ways. What changes is seen by changing elements (tools/index_check.h).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "indexing/op_maps.h"
#include "testing/index_program.h"
#include "testing/run_module.h"
#include "tools/index_check.h"

namespace hlo::testing {
namespace {

std::vector<ProgramKind> AllPrograms() {
  std::vector<ProgramKind> all;
  for (const auto& family :
       {ElementwisePrograms(), DataMovementPrograms(), ReductionPrograms(), ContractionPrograms(),
        IndexingPrograms(), LinalgPrograms(), CollectivePrograms()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

class Exactness : public ::testing::TestWithParam<ProgramKind> {};

void CheckProgram(const ProgramKind& kind, uint32_t seed, bool sound) {
  RandomOp random(seed);
  const std::string text = TextOf(kind.make(random));
  SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
  const absl::StatusOr<Module> module = ParseText("random", text);
  ASSERT_TRUE(module.ok()) << module.status().message();
  const Instruction& root = module->root(module->entry());
  const int64_t outputs = indexing::OutputCount(*root.shape);
  for (size_t operand = 0; operand < root.operands.size(); ++operand) {
    for (int64_t output = 0; output < outputs; ++output) {
      for (bool to_input : {true, false}) {
        tools::CheckOptions options;
        options.sound = sound;
        options.seed = seed;
        options.rounds = kind.rounds;
        const int64_t number = static_cast<int64_t>(operand);
        const absl::StatusOr<tools::CheckResult> result =
            tools::CheckMaps(*module, module->entry().root, to_input, output, number, options);
        SCOPED_TRACE(fmt::format("operand {} output {} {}", operand, output,
                                 to_input ? "to input" : "to output"));
        if (absl::IsUnimplemented(result.status()) && !sound) continue;
        ASSERT_TRUE(result.ok()) << result.status().message();
        EXPECT_EQ(result->missed, 0) << result->example;
        if (sound && !kind.is_wide(to_input, number)) {
          EXPECT_EQ(result->overestimated, 0) << result->example;
        }
      }
    }
  }
}

TEST_P(Exactness, ImageIsTheDependence) {
  const ProgramKind& kind = GetParam();
  for (int seed = 0; seed < kind.programs && !HasFailure(); ++seed) {
    CheckProgram(kind, static_cast<uint32_t>(seed), /*sound=*/true);
  }
}

INSTANTIATE_TEST_SUITE_P(Opcodes, Exactness, ::testing::ValuesIn(AllPrograms()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hlo::testing
