// Structural equality of modules, with the first difference in words. Values compare through
// their own ==, which the attribute table reaches by type; a value that says what its absence
// says counts as absent. Instructions are the same when they stand at the same place of the same
// computation: their ids depend on how the text nests them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/attribute_default.h"
#include "ir/module.h"

namespace hlo {
namespace {

// Computations in an order that does not depend on where the text has inline bodies: those with a
// name, then the bodies that `X-start` stands for, in the order in which they are called. Numbers
// instructions through all of it.
class Places {
 public:
  explicit Places(const Module& module)
      : computation_places_(module.computations().size(), kNone),
        instruction_places_(module.instructions().size(), kNone) {
    for (size_t i = 0; i < module.computations().size(); ++i) {
      if (!IsAsyncBody(module.computations()[i])) Add(ComputationId(i));
    }
    for (size_t i = 0; i < order_.size(); ++i) AddAsyncBodies(module, order_[i]);
  }

  static bool IsAsyncBody(const Computation& computation) {
    return computation.spelling == Spelling::kAsyncSugar;
  }

  const std::vector<ComputationId>& order() const { return order_; }
  uint32_t of(ComputationId id) const { return id.valid() ? computation_places_[id.value] : kNone; }
  uint32_t of(InstructionId id) const { return id.valid() ? instruction_places_[id.value] : kNone; }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  void Add(ComputationId id) {
    if (computation_places_[id.value] != kNone) return;
    computation_places_[id.value] = static_cast<uint32_t>(order_.size());
    order_.push_back(id);
  }

  void AddAsyncBodies(const Module& module, ComputationId caller) {
    for (InstructionId id : module.computation(caller).instructions) {
      instruction_places_[id.value] = instruction_count_++;
      const auto* calls = module.instruction(id).attributes.GetIf<Attr::kCalls>();
      if (calls != nullptr && IsAsyncBody(module.computation(*calls))) Add(*calls);
    }
  }

  std::vector<ComputationId> order_;
  std::vector<uint32_t> computation_places_;
  std::vector<uint32_t> instruction_places_;
  uint32_t instruction_count_ = 0;
};

class Comparison {
 public:
  Comparison(const Module& a, const Module& b) : a_(a), b_(b), a_places_(a), b_places_(b) {}

  std::string Describe() const {
    if (a_.name() != b_.name()) return fmt::format("modules `{}` and `{}`", a_.name(), b_.name());
    std::string text = DescribeAttributes(a_.attributes(), b_.attributes(), FindModuleAttributeUse);
    if (!text.empty()) return "module attribute " + text;
    if (!(a_.stack_frames() == b_.stack_frames())) return "the stack-frame tables differ";
    if (!Same(a_.entry_id(), b_.entry_id())) return "the entry computations differ";
    const std::vector<ComputationId>& a_order = a_places_.order();
    const std::vector<ComputationId>& b_order = b_places_.order();
    if (a_order.size() != b_order.size()) {
      return fmt::format("{} and {} computations", a_order.size(), b_order.size());
    }
    for (size_t i = 0; i < a_order.size(); ++i) {
      text = DescribeComputation(a_.computation(a_order[i]), b_.computation(b_order[i]));
      if (!text.empty()) return text;
    }
    return "";
  }

 private:
  template <typename Id>
  bool Same(Id a, Id b) const {
    return a_places_.of(a) == b_places_.of(b);
  }
  template <typename Ids>
  bool SameIds(const Ids& a, const Ids& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [this](auto x, auto y) { return this->Same(x, y); });
  }

  template <typename T>
  bool SameValue(const T& a, const T& b) const {
    return a == b;
  }
  bool SameValue(const InstructionList& a, const InstructionList& b) const { return SameIds(a, b); }
  bool SameValue(ComputationId a, ComputationId b) const { return Same(a, b); }
  bool SameValue(const ComputationList& a, const ComputationList& b) const { return SameIds(a, b); }
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
    // The body behind `X-start` has no name that a text would say.
    const bool is_named = !Places::IsAsyncBody(a) || !Places::IsAsyncBody(b);
    if (is_named && a.name != b.name) return fmt::format("is called `{}`", b.name);
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
  Places a_places_;
  Places b_places_;
};

}  // namespace

std::string DescribeDifference(const Module& a, const Module& b) {
  return Comparison(a, b).Describe();
}

bool EqualModules(const Module& a, const Module& b) { return DescribeDifference(a, b).empty(); }

}  // namespace hlo
