// Structural equality of modules, with the first difference in words. Values compare through
// their own ==, which the attribute table reaches by type; a value that says what its absence
// says counts as absent. Instructions are the same when they stand at the same place of the same
// computation: their ids depend on how the text nests them.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ir/attribute_default.h"
#include "ir/module.h"

namespace hlo {
namespace {

// Instruction ids to places, counted through all computations.
std::vector<uint32_t> NumberPlaces(const Module& module) {
  std::vector<uint32_t> places(module.instructions().size(), UINT32_MAX);
  uint32_t next = 0;
  for (const Computation& computation : module.computations()) {
    for (InstructionId id : computation.instructions) places[id.value] = next++;
  }
  return places;
}

class Comparison {
 public:
  Comparison(const Module& a, const Module& b)
      : a_(a), b_(b), a_places_(NumberPlaces(a)), b_places_(NumberPlaces(b)) {}

  std::string Describe() const {
    if (a_.name() != b_.name()) return fmt::format("modules `{}` and `{}`", a_.name(), b_.name());
    std::string text = DescribeAttributes(a_.attributes(), b_.attributes(), FindModuleAttributeUse);
    if (!text.empty()) return "module attribute " + text;
    if (!(a_.stack_frames() == b_.stack_frames())) return "the stack-frame tables differ";
    if (a_.entry_id() != b_.entry_id()) return "the entry computations differ";
    if (a_.computations().size() != b_.computations().size()) {
      return fmt::format("{} and {} computations", a_.computations().size(),
                         b_.computations().size());
    }
    for (size_t i = 0; i < a_.computations().size(); ++i) {
      text = DescribeComputation(a_.computations()[i], b_.computations()[i]);
      if (!text.empty()) return text;
    }
    return "";
  }

 private:
  bool Same(InstructionId a, InstructionId b) const {
    return a.valid() && b.valid() ? a_places_[a.value] == b_places_[b.value] : a == b;
  }
  template <typename Ids>
  bool SameIds(const Ids& a, const Ids& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [this](InstructionId x, InstructionId y) { return Same(x, y); });
  }

  template <typename T>
  bool SameValue(const T& a, const T& b) const {
    return a == b;
  }
  bool SameValue(const InstructionList& a, const InstructionList& b) const { return SameIds(a, b); }
  bool SameValues(const Attribute& a, const Attribute& b) const {
    switch (a.attr) {
#define HLO_ATTRIBUTE(Name, text, Type) \
  case Attr::k##Name:                   \
    return SameValue(a.value.Get<Type>(), b.value.Get<Type>());
#include "ir/attributes.def"
    }
    HLO_UNREACHABLE();
  }

  // Attributes match by key: the order in the text means nothing.
  template <typename FindUse>
  std::string DescribeAttributes(const AttributeMap& a, const AttributeMap& b,
                                 FindUse find_use) const {
    for (const Attribute& attribute : a) {
      const Attribute* other = b.Find(attribute.attr);
      if (other == nullptr) {
        if (IsDefaultValue(find_use(attribute.attr), attribute.attr, attribute.value)) continue;
        return fmt::format("`{}` is missing", AttributeName(attribute.attr));
      }
      if (!SameValues(attribute, *other)) {
        return fmt::format("`{}` differs", AttributeName(attribute.attr));
      }
    }
    for (const Attribute& attribute : b) {
      if (a.Has(attribute.attr)) continue;
      if (IsDefaultValue(find_use(attribute.attr), attribute.attr, attribute.value)) continue;
      return fmt::format("`{}` is new", AttributeName(attribute.attr));
    }
    return "";
  }

  std::string DescribeInstruction(const Instruction& a, const Instruction& b) const {
    if (a.name != b.name) return fmt::format("is called `{}`", b.name);
    if (a.opcode != b.opcode) return fmt::format("has opcode `{}`", OpcodeName(b.opcode));
    if (!(*a.shape == *b.shape)) {
      return fmt::format("has shape {} and {}", ShapeTextWithLayout(*a.shape),
                         ShapeTextWithLayout(*b.shape));
    }
    const bool same_operands =
        std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(), b.operands.end(),
                   [this](const Operand& x, const Operand& y) { return Same(x.id, y.id); });
    if (!same_operands) return "has other operands";
    return DescribeAttributes(a.attributes, b.attributes,
                              [&](Attr attr) { return FindAttributeUse(a.opcode, attr); });
  }

  std::string DescribeFrame(const Computation& a, const Computation& b) const {
    if (a.name != b.name) return fmt::format("is called `{}`", b.name);
    if (a.instructions.size() != b.instructions.size()) {
      return fmt::format("has {} and {} instructions", a.instructions.size(),
                         b.instructions.size());
    }
    if (!SameIds(a.parameters, b.parameters)) return "has other parameters";
    if (!Same(a.root, b.root)) return "has another root";
    if (a.execution_thread != b.execution_thread) return "has another execution thread";
    return "";
  }

  std::string DescribeComputation(const Computation& a, const Computation& b) const {
    std::string text = DescribeFrame(a, b);
    if (!text.empty()) return fmt::format("computation `{}` {}", a.name, text);
    for (size_t i = 0; i < a.instructions.size(); ++i) {
      const Instruction& instruction = a_.instruction(a.instructions[i]);
      text = DescribeInstruction(instruction, b_.instruction(b.instructions[i]));
      if (!text.empty()) return fmt::format("instruction `{}` {}", instruction.name, text);
    }
    return "";
  }

  const Module& a_;
  const Module& b_;
  std::vector<uint32_t> a_places_;
  std::vector<uint32_t> b_places_;
};

}  // namespace

std::string DescribeDifference(const Module& a, const Module& b) {
  return Comparison(a, b).Describe();
}

bool EqualModules(const Module& a, const Module& b) { return DescribeDifference(a, b).empty(); }

}  // namespace hlo
