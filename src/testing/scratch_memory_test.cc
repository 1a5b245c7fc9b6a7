// What a plan says of scratch memory holds: no run takes more, on as many threads as there are
// processors, than the kernel that takes most by its own account.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "interp/backends.h"
#include "interp/executor.h"
#include "interp/run_limits.h"
#include "support/thread_pool.h"
#include "testing/run_module.h"
#include "testing/scratch_programs.h"

namespace hlo::testing {
namespace {

int64_t CountedByteSize(const Plan& plan, const Region& region);

// What the kernel of a step takes, or those of the regions it has.
int64_t CountedByteSize(const Plan& plan, const Step& step) {
  int64_t most = 0;
  if (step.program != nullptr) {
    most = step.program->ScratchByteSize();
  } else if (step.kernel != nullptr && step.kernel->scratch_byte_size != nullptr) {
    most = step.kernel->scratch_byte_size(OpView(*plan.module, plan.instruction(step)));
  }
  for (const auto& region : step.regions) most = std::max(most, CountedByteSize(plan, *region));
  return most;
}

int64_t CountedByteSize(const Plan& plan, const Region& region) {
  int64_t most = 0;
  for (const Step& step : region.steps) most = std::max(most, CountedByteSize(plan, step));
  return most;
}

class ScratchMemoryTest : public ::testing::TestWithParam<std::string> {
 protected:
  // Runs the module with random arguments; no limit where `max_work` is negative.
  absl::Status Run(const Module& module, int64_t max_work) {
    DiagnosticSink sink(module.source());
    const std::optional<Plan> plan = PlanModule(module, sink, {.backend = FindBackend(GetParam())});
    if (!plan) return absl::InvalidArgumentError("it is not planned");
    DiagnosticSink limit(module.source());
    if (!FitsMemory(*plan, /*participants=*/1, int64_t{1} << 32, limit)) {
      return absl::ResourceExhaustedError("it takes too much memory");
    }
    const auto arguments = ArgumentGenerator(module, FakeKind::kRandom, 1).MakeAll();
    if (!arguments.ok()) return arguments.status();
    std::vector<const Literal*> pointers;
    for (const Literal& argument : *arguments) pointers.push_back(&argument);
    DeviceContext device;
    device.set_thread_pool(&threads_);
    device.set_max_iterations(10'000);
    device.set_max_work(max_work);
    const auto executor = Executor::Create(*plan, device);
    if (!executor.ok()) return executor.status();
    const absl::Status status = (*executor)->RunOn(pointers);
    EXPECT_LE(device.scratch().most_in_use() - ScratchPool::kUncounted,
              CountedByteSize(*plan, *plan->entry));
    return status;
  }

 private:
  ThreadPool threads_{ThreadPool::ProcessorCount()};
};

TEST_P(ScratchMemoryTest, LargeArrays) {
  for (const NamedProgram& program : ScratchPrograms()) {
    SCOPED_TRACE(program.name);
    const absl::StatusOr<Module> module = ParseText(program.name, program.text);
    ASSERT_TRUE(module.ok()) << module.status();
    const absl::Status status = Run(*module, /*max_work=*/-1);
    EXPECT_TRUE(status.ok()) << status;
  }
}

TEST_P(ScratchMemoryTest, Testdata) {
  for (const char* folder : {"run", "models"}) {
    const auto path = std::filesystem::path(HLOKIT_SOURCE_DIR) / "testdata" / folder;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      if (entry.path().extension() != ".hlo") continue;
      SCOPED_TRACE(entry.path().string());
      std::ifstream file(entry.path());
      const absl::StatusOr<Module> module =
          ParseText(entry.path().filename().string(), {std::istreambuf_iterator<char>(file), {}});
      if (module.ok()) Run(*module, int64_t{1} << 24).IgnoreError();  // some are made to fail
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, ScratchMemoryTest, ::testing::Values("reference", "simd"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace hlo::testing
