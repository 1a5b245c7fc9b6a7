// A run allocates nothing, once there have been some: what kernels need besides their arrays was
// prepared or is scratch memory that an earlier run gave back. Allocations are counted in the
// programs of testdata/run and in some with large arrays, on one device without other threads. What
// goes into queues is memory of its own, and so is what oneDNN takes, and what is prepared anew
// whenever a loop begins: plans here do without both.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "interp/backends.h"
#include "interp/executor.h"
#include "interp/run_limits.h"
#include "testing/allocation_count.h"
#include "testing/run_module.h"
#include "testing/scratch_programs.h"

namespace hlo::testing {
namespace {

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool MayAllocate(const Instruction& instruction) {
  return GetOpcodeInfo(instruction.opcode).family == OpcodeFamily::kEffects;
}

// The allocations of a run after two others; nothing when the program does not run alone, does not
// run long enough to matter here, or may allocate.
std::optional<int64_t> CountAllocations(const Module& module, const Backend* backend,
                                        int64_t max_work) {
  if (std::ranges::any_of(module.instructions(), MayAllocate)) return std::nullopt;
  DiagnosticSink sink(module.source());
  const std::optional<Plan> plan =
      PlanModule(module, sink,
                 {.backend = backend, .keeps_in_loops = false, .library_use = LibraryUse::kNever});
  DiagnosticSink limit(module.source());
  if (!plan || !FitsMemory(*plan, /*participants=*/1, int64_t{1} << 32, limit)) return std::nullopt;
  const auto arguments = ArgumentGenerator(module, FakeKind::kRandom, 1).MakeAll();
  if (!arguments.ok()) return std::nullopt;
  std::vector<const Literal*> pointers;
  for (const Literal& argument : *arguments) pointers.push_back(&argument);
  DeviceContext device;
  device.set_max_iterations(10'000);
  device.set_max_work(max_work);
  const auto executor = Executor::Create(*plan, device);
  if (!executor.ok()) return std::nullopt;
  for (int run = 0; run < 2; ++run) {
    if (!(*executor)->RunOn(pointers).ok()) return std::nullopt;
  }
  const int64_t before = AllocationCount();
  const absl::Status status = (*executor)->RunOn(pointers);
  return status.ok() ? std::optional(AllocationCount() - before) : std::nullopt;
}

// Opcodes whose reference kernels prepare or need scratch memory, those with queues excepted.
std::set<std::string_view> OpcodesOfInterest() {
  std::set<std::string_view> opcodes;
#define HLO_OPCODE(Name, text, family, arity, shape, traits, ...) \
  if constexpr (((traits) & (kPrepares | kTakesScratch)) != 0 &&  \
                OpcodeFamily::family != OpcodeFamily::kEffects) { \
    opcodes.insert(text);                                         \
  }
#include "ir/opcodes.def"
  return opcodes;
}

class AllocationTest : public ::testing::TestWithParam<std::string> {};

TEST_P(AllocationTest, RunsAllocateNothing) {
  const Backend* backend = FindBackend(GetParam());
  std::set<std::string_view> not_seen = OpcodesOfInterest();
  const auto folder = std::filesystem::path(HLOKIT_SOURCE_DIR) / "testdata" / "run";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".hlo") continue;
    const absl::StatusOr<Module> module =
        ParseText(entry.path().filename().string(), ReadFile(entry.path()));
    if (!module.ok()) continue;
    const std::optional<int64_t> count = CountAllocations(*module, backend, int64_t{1} << 24);
    if (!count) continue;
    EXPECT_EQ(*count, 0) << entry.path().filename();
    for (const Instruction& instruction : module->instructions()) {
      not_seen.erase(OpcodeName(instruction.opcode));
    }
  }
  EXPECT_TRUE(not_seen.empty()) << "no program has " << *not_seen.begin();
}

TEST_P(AllocationTest, RunsOverLargeArraysAllocateNothing) {
  for (const NamedProgram& program : ScratchPrograms()) {
    const absl::StatusOr<Module> module = ParseText(program.name, program.text);
    ASSERT_TRUE(module.ok()) << program.name << ": " << module.status();
    const std::optional<int64_t> count =
        CountAllocations(*module, FindBackend(GetParam()), /*max_work=*/-1);
    ASSERT_TRUE(count.has_value()) << program.name << " does not run";
    EXPECT_EQ(*count, 0) << program.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, AllocationTest, ::testing::Values("reference", "simd"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace hlo::testing
