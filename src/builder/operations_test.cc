// Every operation makes the HLO that the builder table of verifier.md 4 says, and docs/builder.md
// lists just these operations.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "builder/operation_examples.h"
#include "ir/opcode.h"
#include "testing/built_program.h"

namespace hlo::testing {

using namespace ops;

namespace {

// An element type that the opcode takes.
ElementType TypeFor(Opcode opcode) {
  const TypeSet domain = GetOpcodeInfo(opcode).domain.value_or(kAnyArray);
  if (domain & kFloat) return ElementType::kF32;
  return domain & kInteger ? ElementType::kU8 : ElementType::kPred;
}

// The root is `opcode` of the parameters.
void ExpectPlain(HloBuilder& builder, const Op& root, Opcode opcode, std::string_view operands) {
  const std::string shape = ShapeText(root.shape());
  EXPECT_EQ(EntryText(builder.Build(root)),
            fmt::format("ROOT {0} = {1} {0}({2})\n", OpcodeName(opcode), shape, operands));
}

Op ScalarParameter(HloBuilder& builder, int64_t number, ElementType type) {
  return Parameter(builder, number, Shape::Scalar(type), fmt::format("p{}", number));
}

void ExpectUnary(Opcode opcode, Op (*function)(const Op&)) {
  HloBuilder builder("m");
  const Op x = ScalarParameter(builder, 0, TypeFor(opcode));
  ExpectPlain(builder, function(x), opcode, "p0");
}

void ExpectBinary(Opcode opcode, Op (*function)(const Op&, const Op&), ElementType type) {
  HloBuilder builder("m");
  const Op x = ScalarParameter(builder, 0, type);
  const Op y = ScalarParameter(builder, 1, type);
  ExpectPlain(builder, function(x, y), opcode, "p0, p1");
}

void ExpectComparison(ComparisonDirection direction, Op (*function)(const Op&, const Op&),
                      bool is_total) {
  HloBuilder builder("m");
  const Op x = ScalarParameter(builder, 0, ElementType::kF64);
  const Op y = ScalarParameter(builder, 1, ElementType::kF64);
  EXPECT_EQ(EntryText(builder.Build(function(x, y))),
            fmt::format("ROOT compare = pred[] compare(p0, p1), direction={}{}\n",
                        EnumText(direction), is_total ? ", type=TOTALORDER" : ""));
}

TEST(Operations, ElementwiseOnesAreOneOpcode) {
#define HLO_UNARY_OPERATION(Name, opcode) \
  ExpectUnary(Opcode::k##opcode, [](const Op& x) { return Name(x); });
#define HLO_TRANSCENDENTAL_OPERATION HLO_UNARY_OPERATION
#define HLO_BINARY_OPERATION(Name, opcode)                                    \
  ExpectBinary(                                                               \
      Opcode::k##opcode, [](const Op& x, const Op& y) { return Name(x, y); }, \
      TypeFor(Opcode::k##opcode));
#define HLO_LOGICAL_OPERATION(Name, opcode) \
  ExpectBinary(                             \
      Opcode::k##opcode, [](const Op& x, const Op& y) { return Name(x, y); }, ElementType::kPred);
#define HLO_COMPARISON_OPERATION(Name, TotalOrderName, direction)                             \
  ExpectComparison(                                                                           \
      ComparisonDirection::k##direction, [](const Op& x, const Op& y) { return Name(x, y); }, \
      false);                                                                                 \
  ExpectComparison(                                                                           \
      ComparisonDirection::k##direction,                                                      \
      [](const Op& x, const Op& y) { return TotalOrderName(x, y); }, true);
#include "builder/elementwise.def"
}

TEST(Operations, EachMakesItsInstructions) {
  for (const OperationExample& example : AllExamples()) {
    HloBuilder builder("m");
    const Op root = example.build(builder);
    EXPECT_EQ("\n" + EntryText(root.valid() ? builder.Build(root) : builder.Build()), example.text)
        << example.operation;
  }
}

// Of the spec's builder table (verifier.md 4), the operations that it lists in addition (builder.md
// 3), and how it spells some that go by another name here.
const std::map<std::string, std::string> kOtherNames = {
    {"Concatenate", "ConcatInDim"}, {"PartitionID", "PartitionId"}, {"RecvToHost", "RecvFromHost"}};
// What is no operation: types and metadata.
const std::set<std::string> kNoOperations = {"OpMetadata", "WithFrontendAttributes"};

// The words of `text` such as "MulHi"; with `all` also such as "Sort".
std::set<std::string> CamelCaseWords(const std::string& text, bool all) {
  static const std::regex word(R"(\b[A-Z][a-z][A-Za-z0-9]*\b)");
  std::set<std::string> words;
  for (std::sregex_iterator i(text.begin(), text.end(), word), end; i != end; ++i) {
    const std::string found = i->str();
    const bool is_compound = std::ranges::count_if(found, [](char c) { return c <= 'Z'; }) > 1;
    if (all || is_compound) words.insert(found);
  }
  return words;
}

std::string FileText(const std::string& path) {
  std::ifstream file(HLOKIT_SOURCE_DIR "/" + path);
  return (std::stringstream() << file.rdbuf()).str();
}

std::string Section(const std::string& text, const std::string& heading) {
  const size_t begin = text.find(heading) + heading.size();
  return text.substr(begin, text.find("\n## ", begin) - begin);
}

// The operations in the first column of a table.
std::set<std::string> NamesInTable(const std::string& table) {
  std::set<std::string> names;
  std::stringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ") || line.starts_with("| *")) continue;
    if (line.starts_with("| Builder operation |")) continue;
    if (line.find("| no builder form") != line.npos) continue;
    std::string cell = line.substr(2, line.find(" |", 2) - 2);
    cell =
        std::regex_replace(cell, std::regex(R"(\([^)]*\)| on arrays.*| on tuples| with .*)"), "");
    names.merge(CamelCaseWords(cell, /*all=*/true));
  }
  return names;
}

TEST(Operations, ThoseOfTheSpecAreThere) {
  std::set<std::string> names =
      NamesInTable(Section(FileText("docs/spec/verifier.md"), "## 4 Builder-level operations"));
  EXPECT_GT(names.size(), 100u);
  names.merge(CamelCaseWords(Section(FileText("docs/spec/builder.md"), "## 3. Operations that"),
                             /*all=*/false));
  const std::set<std::string> ours = OperationNames();
  for (const std::string& name : names) {
    if (kNoOperations.contains(name)) continue;
    const auto other = kOtherNames.find(name);
    EXPECT_TRUE(ours.contains(other == kOtherNames.end() ? name : other->second)) << name;
  }
}

// Opcodes that compilers insert, and those of other representations of what operations make.
bool IsOfCompilers(Opcode opcode) {
  const std::string_view name = OpcodeName(opcode);
  return name.ends_with("-start") ||
         (name.ends_with("-done") && !name.starts_with("send") && !name.starts_with("recv")) ||
         name == "async-update" || opcode == Opcode::kAddDependency || opcode == Opcode::kDomain ||
         opcode == Opcode::kFusion || opcode == Opcode::kRngGetAndUpdateState;
}

TEST(Operations, EveryOpcodeIsMadeByOne) {
  std::set<Opcode> made;
#define HLO_UNARY_OPERATION(Name, opcode) made.insert(Opcode::k##opcode);
#define HLO_TRANSCENDENTAL_OPERATION HLO_UNARY_OPERATION
#define HLO_BINARY_OPERATION HLO_UNARY_OPERATION
#include "builder/elementwise.def"
  for (const OperationExample& example : AllExamples()) {
    HloBuilder builder("m");
    const Op root = example.build(builder);
    const absl::StatusOr<Module> module = root.valid() ? builder.Build(root) : builder.Build();
    ASSERT_TRUE(module.ok()) << example.operation;
    for (const Instruction& instruction : module->instructions()) made.insert(instruction.opcode);
  }
  for (int i = 0; i < kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    EXPECT_NE(made.contains(opcode), IsOfCompilers(opcode)) << OpcodeName(opcode);
  }
}

// The names in backticks in the first column of the tables under "## Operations".
std::set<std::string> DocumentedOperations() {
  std::ifstream file(HLOKIT_SOURCE_DIR "/docs/builder.md");
  std::set<std::string> names;
  std::string line;
  bool is_list = false;
  while (std::getline(file, line)) {
    if (line.starts_with("## ")) is_list = line == "## Operations";
    if (!is_list || !line.starts_with("| `")) continue;
    const std::string cell = line.substr(0, line.find('|', 1));
    for (size_t begin = cell.find('`'); begin != std::string::npos;) {
      const size_t end = cell.find('`', begin + 1);
      names.insert(cell.substr(begin + 1, end - begin - 1));
      begin = cell.find('`', end + 1);
    }
  }
  return names;
}

TEST(Operations, TheDocumentListsThemAll) { EXPECT_EQ(DocumentedOperations(), OperationNames()); }

TEST(Operations, TheDocumentShowsTheFirstExample) {
  const std::string program = FileText("examples/first_program.cc");
  EXPECT_NE(FileText("docs/builder.md").find("```cpp\n" + program + "```\n"), std::string::npos);
}

}  // namespace
}  // namespace hlo::testing
