// What the simd backend leaves to reference kernels: for each opcode and element type the number of
// such steps in all programs of a folder, and of those that touch many elements, which are what
// makes a program slow. The lists are data beside the goldens; they are to become shorter, and
// HLO_UPDATE_GOLDENS=1 rewrites them. Functions that are called per element are not counted, nor
// are custom calls that nobody knows and that therefore fail; oneDNN is left out, so that the lists
// do not depend on what is installed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>

#include "interp/backends.h"
#include "interp/reference/custom_calls/custom_calls.h"
#include "testing/run_module.h"
#include "testing/xla_cases.h"

namespace hlo::testing {
namespace {

constexpr int64_t kManyElements = 4096;

struct Count {
  int64_t steps = 0;
  int64_t large_steps = 0;
};

class Fallbacks {
 public:
  // Programs that are not for one device, or not right, have no plan and count nothing.
  void Add(const std::string& name, std::string text) {
    const absl::StatusOr<Module> module = ParseText(name, std::move(text));
    if (!module.ok()) return;
    DiagnosticSink sink(module->source());
    const auto plan = PlanModule(
        *module, sink, {.backend = FindBackend("simd"), .library_use = LibraryUse::kNever});
    if (plan) AddRegion(*plan, *plan->entry);
  }

  // "sort f32: 3 steps, 1 large", by name.
  std::string Text() const {
    std::string text;
    for (const auto& [name, count] : counts_) {
      text += fmt::format("{}: {} steps, {} large\n", name, count.steps, count.large_steps);
    }
    return text;
  }

 private:
  void AddRegion(const Plan& plan, const Region& region) {
    if (region.role == Region::Role::kFunction) return;
    for (const Step& step : region.steps) {
      if (step.program != nullptr) continue;  // steps and regions of it are not run one by one
      if (step.is_fallback && CanRun(plan, step)) AddStep(plan, step);
      for (const auto& nested : step.regions) AddRegion(plan, *nested);
    }
  }

  static bool CanRun(const Plan& plan, const Step& step) {
    return step.opcode != Opcode::kCustomCall ||
           reference::FindCustomCall(plan.instruction(step).Get<Attr::kCustomCallTarget>()) !=
               nullptr;
  }

  void AddStep(const Plan& plan, const Step& step) {
    std::string name(OpcodeName(step.opcode));
    const auto& slots = step.operands.empty() ? step.results : step.operands;
    if (!slots.empty()) {
      name += fmt::format(" {}", ElementTypeName(plan.slot(slots[0]).shape->element_type()));
    }
    Count& count = counts_[name];
    ++count.steps;
    if (step.work >= kManyElements) ++count.large_steps;
  }

  std::map<std::string, Count> counts_;
};

std::string ReadFile(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void ExpectListed(const Fallbacks& fallbacks, const std::string& list) {
  const std::filesystem::path path =
      std::filesystem::path(HLOKIT_SOURCE_DIR) / "testdata/fallbacks" / list;
  if (std::getenv("HLO_UPDATE_GOLDENS") != nullptr) {
    std::ofstream(path, std::ios::binary) << fallbacks.Text();
    return;
  }
  EXPECT_EQ(fallbacks.Text(), ReadFile(path)) << path;
}

TEST(Fallbacks, OfGoldensAreListed) {
  Fallbacks fallbacks;
  const std::filesystem::path folder = std::filesystem::path(HLOKIT_SOURCE_DIR) / "testdata/run";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".hlo") continue;
    fallbacks.Add(entry.path().filename().string(), ReadFile(entry.path()));
  }
  ExpectListed(fallbacks, "goldens.txt");
}

// The answers beside the project name the modules.
void ExpectListedOfAnswers(const std::string& name) {
  const std::filesystem::path folder = AnswersFolder(name);
  const auto answers = LoadAnswers(folder);
  if (answers.empty()) GTEST_SKIP() << folder << " is not there";
  Fallbacks fallbacks;
  for (const nlohmann::json& answer : answers) {
    const std::string file = answer["file"];
    fallbacks.Add(file, ReadModuleText(folder / file, answer["module"]));
  }
  ExpectListed(fallbacks, name + ".txt");
}

TEST(Fallbacks, OfTheCorpusAreListed) { ExpectListedOfAnswers("corpus"); }

}  // namespace
}  // namespace hlo::testing
