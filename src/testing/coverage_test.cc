// Walks the tables and fails for every opcode, attribute and element type that no golden reaches.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>

#include "ir/module.h"
#include "parser/parser.h"

namespace hlo {
namespace {

struct Reached {
  std::set<Opcode> opcodes;
  std::set<Attr> attributes;
  std::set<ElementType> element_types;

  void AddShape(const Shape& shape) {
    element_types.insert(shape.element_type());
    for (const Shape& element : shape.elements()) AddShape(element);
  }

  void AddModule(const Module& module) {
    for (const Attribute& attribute : module.attributes()) attributes.insert(attribute.attr);
    for (const Instruction& instruction : module.instructions()) {
      opcodes.insert(instruction.opcode);
      AddShape(*instruction.shape);
      for (const Attribute& attribute : instruction.attributes) attributes.insert(attribute.attr);
    }
  }
};

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Reached WalkGoldens() {
  Reached reached;
  const auto folder = std::filesystem::path(HLOKIT_SOURCE_DIR) / "testdata";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".hlo") continue;
    auto source = std::make_shared<SourceText>(entry.path().string(), ReadFile(entry.path()));
    DiagnosticSink sink(source);
    // Goldens of errors do not parse: they reach nothing.
    if (std::optional<Module> module = ParseModule(source, sink)) reached.AddModule(*module);
  }
  return reached;
}

const Reached& Goldens() {
  static const Reached reached = WalkGoldens();
  return reached;
}

TEST(Coverage, EveryOpcodeHasAGolden) {
  for (int i = 0; i < kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    EXPECT_TRUE(Goldens().opcodes.contains(opcode)) << OpcodeName(opcode);
  }
}

TEST(Coverage, EveryAttributeHasAGolden) {
  for (int i = 0; i < kAttributeCount; ++i) {
    const auto attr = static_cast<Attr>(i);
    EXPECT_TRUE(Goldens().attributes.contains(attr)) << AttributeName(attr) << " (row " << i << ")";
  }
}

TEST(Coverage, EveryElementTypeHasAGolden) {
  for (int i = 0; i <= static_cast<int>(ElementType::kBuffer); ++i) {
    EXPECT_TRUE(Goldens().element_types.contains(static_cast<ElementType>(i)))
        << "row " << i << " " << ElementTypeName(static_cast<ElementType>(i));
  }
}

}  // namespace
}  // namespace hlo
