// File names that a golden cannot show.
#include "interp/inspect/dump.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "ir/module_builder.h"

namespace hlo {
namespace {

// The names that instructions called `names` have, all in one computation.
std::vector<std::string> NamesOf(const std::vector<std::string>& names) {
  ModuleBuilder builder("m");
  const ComputationId main = builder.AddComputation("Main");
  std::vector<InstructionId> ids;
  for (const std::string& name : names) {
    ids.push_back(builder.AddParameter(main, Shape::Scalar(ElementType::kF32), name));
  }
  builder.SetRoot(main, ids.back());
  builder.SetEntry(main);
  const Module module = std::move(builder).Finish();
  const absl::flat_hash_map<InstructionId, std::string> files = FileNames(module);
  std::vector<std::string> result;
  for (InstructionId id : ids) result.push_back(files.at(id));
  return result;
}

TEST(FileNamesTest, PlainNamesStay) {
  EXPECT_EQ(NamesOf({"add.2", "Relu_1-x"}), (std::vector<std::string>{"add.2", "Relu_1-x"}));
}

TEST(FileNamesTest, CaseIsMarkedWhereItIsAllThatDiffers) {
  EXPECT_EQ(NamesOf({"Add", "add", "Sub"}),
            (std::vector<std::string>{"%41dd@%4dain", "add@%4dain", "Sub"}));
}

TEST(FileNamesTest, LongNamesAreCutAndStayDifferent) {
  const std::string prefix(300, 'n');
  const std::vector<std::string> names = NamesOf({prefix + "1", prefix + "2"});
  EXPECT_NE(names[0], names[1]);
  for (const std::string& name : names) EXPECT_LE(name.size(), 180u);
}

}  // namespace
}  // namespace hlo
