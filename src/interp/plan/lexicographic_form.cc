// A function that only compares keys, each of them with that of the other side, and combines the
// answers depends on nothing but how the keys stand to each other. So it is evaluated for every way
// they can: a key is the first if less and greater decide whatever the others do, the second if it
// does so where the first ones are equal, and so on.
#include "interp/plan/lexicographic_form.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "interp/plan/comparator_key.h"
#include "interp/plan/relation.h"

namespace hlo {
namespace {

constexpr size_t kMaxSteps = 128;
constexpr size_t kMaxKeys = 5;  // 3^5 ways

using Relations = std::vector<Relation>;  // by key, of the first of two values to the second

// A truth value that the function makes.
struct Node {
  Opcode opcode;                        // compare, and, or, xor, not, select
  std::array<size_t, 3> operands = {};  // nodes; compare: the key
  ComparisonDirection direction = ComparisonDirection::kEq;
  bool is_turned = false;  // compare: the second value stands first
};

class LexicographicRecogniser {
 public:
  LexicographicRecogniser(const Plan& plan, const Region& region)
      : plan_(plan), region_(region), comparator_keys_(plan, region) {}

  FunctionForm Recognise() {
    if (region_.results.size() != 1 || region_.steps.size() > kMaxSteps ||
        TypeOf(region_.results[0]) != ElementType::kPred) {
      return {};
    }
    for (const Step& step : region_.steps) AddNode(step);
    const auto root = places_.find(region_.results[0].value);
    if (root == places_.end() || keys_.empty()) return {};
    // What comes behind the root is not in the way: steps are in order.
    nodes_.resize(root->second + 1);
    return FormOf(OrderKeys());
  }

 private:
  ElementType TypeOf(SlotId slot) const { return plan_.slot(slot).shape->element_type(); }

  // Steps that make no truth value out of keys and other such are left out.
  void AddNode(const Step& step) {
    const Instruction& instruction = plan_.instruction(step);
    if (step.kind != StepKind::kKernel || step.opcode != instruction.opcode ||
        step.results.size() != 1 || TypeOf(step.results[0]) != ElementType::kPred) {
      return;
    }
    std::optional<Node> node =
        step.opcode == Opcode::kCompare ? Comparison(instruction, step) : Combination(step);
    if (!node) return;
    places_[step.results[0].value] = nodes_.size();
    nodes_.push_back(*node);
  }

  std::optional<Node> Comparison(const Instruction& instruction, const Step& step) {
    const std::optional<ComparatorKey> left = comparator_keys_.Find(step.operands[0]);
    const std::optional<ComparatorKey> right = comparator_keys_.Find(step.operands[1]);
    const ElementType type = TypeOf(step.operands[0]);
    if (!left || !right || left->parameter == right->parameter ||
        left->parameter / 2 != right->parameter / 2 || TypeOf(step.operands[1]) != type ||
        IsComplex(type)) {
      return std::nullopt;
    }
    FunctionForm::Key key = {.parameter = left->parameter / 2, .element_type = type};
    key.total_order =
        IsFloat(type) && instruction.Get<Attr::kCompareType>() == ComparisonType::kTotalOrder;
    key.is_canonical = left->IsCanonical();
    const bool is_canonical = left->IsCanonical() && right->IsCanonical() && key.total_order;
    if (!is_canonical && !(left->IsPlain() && right->IsPlain())) return std::nullopt;
    const std::optional<size_t> number = NumberOf(key);
    if (!number) return std::nullopt;
    return Node{Opcode::kCompare,
                {*number},
                instruction.Get<Attr::kDirection>(),
                left->parameter > right->parameter};
  }

  // The number of a key; nothing if there are too many, or values are compared in two ways.
  std::optional<size_t> NumberOf(const FunctionForm::Key& key) {
    const auto found = std::ranges::find(keys_, key.parameter, &FunctionForm::Key::parameter);
    if (found == keys_.end()) {
      if (keys_.size() == kMaxKeys) return std::nullopt;
      keys_.push_back(key);
      return keys_.size() - 1;
    }
    const bool is_same =
        found->total_order == key.total_order && found->is_canonical == key.is_canonical;
    return is_same ? std::optional<size_t>(found - keys_.begin()) : std::nullopt;
  }

  std::optional<Node> Combination(const Step& step) const {
    const Opcode opcode = step.opcode;
    if (opcode != Opcode::kAnd && opcode != Opcode::kOr && opcode != Opcode::kXor &&
        opcode != Opcode::kNot && opcode != Opcode::kSelect) {
      return std::nullopt;
    }
    Node node = {opcode};
    if (step.operands.size() > node.operands.size()) return std::nullopt;
    for (size_t i = 0; i < step.operands.size(); ++i) {
      const auto found = places_.find(step.operands[i].value);
      if (found == places_.end()) return std::nullopt;
      node.operands[i] = found->second;
    }
    return node;
  }

  bool Evaluate(const Relations& relations) {
    truths_.clear();
    for (const Node& node : nodes_) truths_.push_back(IsTrue(node, relations) ? 1 : 0);
    return truths_.back() != 0;
  }
  // By the truths of the nodes before.
  bool IsTrue(const Node& node, const Relations& relations) const {
    const auto operand = [&](size_t k) { return truths_[node.operands[k]] != 0; };
    switch (node.opcode) {
      case Opcode::kCompare: {
        const Relation relation = relations[node.operands[0]];
        return Holds(node.direction, node.is_turned ? Turned(relation) : relation);
      }
      case Opcode::kAnd:
        return operand(0) && operand(1);
      case Opcode::kOr:
        return operand(0) || operand(1);
      case Opcode::kXor:
        return operand(0) != operand(1);
      case Opcode::kNot:
        return !operand(0);
      default:  // select
        return operand(0) ? operand(1) : operand(2);
    }
  }

  // What comes out whatever the keys `free` are; nothing if it depends on them.
  std::optional<bool> Constant(Relations relations, std::span<const size_t> free) {
    if (free.empty()) return Evaluate(relations);
    std::optional<bool> result;
    for (const Relation relation : kOrderedRelations) {
      relations[free[0]] = relation;
      const std::optional<bool> next = Constant(relations, free.subspan(1));
      if (!next || (result && *result != *next)) return std::nullopt;
      result = next;
    }
    return result;
  }

  // The keys in the order they decide in; none if it is no lexicographic order.
  std::vector<FunctionForm::Key> OrderKeys() {
    std::vector<FunctionForm::Key> ordered;
    Relations relations(keys_.size(), Relation::kEqual);
    std::vector<size_t> free(keys_.size());
    for (size_t k = 0; k < free.size(); ++k) free[k] = k;
    for (bool is_found = true; is_found && !free.empty();) {
      is_found = false;
      for (size_t i = 0; i < free.size() && !is_found; ++i) {
        const size_t key = free[i];
        std::vector<size_t> others = free;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        relations[key] = Relation::kLess;
        const std::optional<bool> less = Constant(relations, others);
        relations[key] = Relation::kGreater;
        const std::optional<bool> greater = Constant(relations, others);
        relations[key] = Relation::kEqual;
        is_found = less && greater && *less != *greater;
        if (!is_found) continue;
        ordered.push_back(keys_[key]);
        ordered.back().ascending = *less;
        free = std::move(others);
      }
    }
    // Equal ones are not before each other.
    if (Constant(relations, free) != false) ordered.clear();
    return ordered;
  }

  // A single key in a total order is compared as by one instruction. Floats by value are not: not
  // less is greater, equal or NaN.
  static FunctionForm FormOf(std::vector<FunctionForm::Key> keys) {
    FunctionForm form;
    if (keys.empty()) return form;
    form.kind = keys.size() == 1 && !keys[0].IsFloatByValue() ? FunctionForm::Kind::kComparator
                                                              : FunctionForm::Kind::kLexicographic;
    form.keys = std::move(keys);
    return form;
  }

  const Plan& plan_;
  const Region& region_;
  const ComparatorKeys comparator_keys_;
  std::vector<FunctionForm::Key> keys_;  // as found
  std::vector<Node> nodes_;
  absl::flat_hash_map<size_t, size_t> places_;  // of slots among nodes
  std::vector<uint8_t> truths_;
};

}  // namespace

FunctionForm RecogniseLexicographic(const Plan& plan, const Region& region) {
  return LexicographicRecogniser(plan, region).Recognise();
}

}  // namespace hlo
