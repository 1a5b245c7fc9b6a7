// A function that only compares its two values, compares its two places and selects among them
// depends on nothing but how these stand to each other; the smaller or larger of the two places is
// such a choice, too. So it is evaluated once for each way they can: what it chooses then is what
// it does.
#include "interp/plan/extreme_form.h"

#include <array>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "interp/plan/relation.h"

namespace hlo {
namespace {

constexpr size_t kMaxSteps = 32;

struct Case {
  Relation values, places;
  std::array<bool, 2> is_nan = {};  // the values
};

// What a step of the function makes in one case: a parameter as it is, or a truth value.
enum class Symbol : uint8_t { kValue0, kPlace0, kValue1, kPlace1, kFalse, kTrue };

Symbol Truth(bool value) { return value ? Symbol::kTrue : Symbol::kFalse; }
bool IsTruth(Symbol symbol) { return symbol == Symbol::kTrue || symbol == Symbol::kFalse; }
bool IsValue(Symbol symbol) { return symbol == Symbol::kValue0 || symbol == Symbol::kValue1; }
bool IsPlace(Symbol symbol) { return symbol == Symbol::kPlace0 || symbol == Symbol::kPlace1; }

// What the function chooses in one case; nothing when it does more than choose.
class Choice {
 public:
  Choice(const Plan& plan, const Region& region, const Case& way) : plan_(plan), way_(way) {
    for (size_t i = 0; i < region.parameters.size(); ++i) {
      symbols_[region.parameters[i].value] = static_cast<Symbol>(i);
    }
    for (const Step& step : region.steps) {
      const std::optional<Symbol> symbol = Evaluate(step);
      if (!symbol) return;
      symbols_[step.results[0].value] = *symbol;
    }
    value = Find(region.results[0]);
    place = Find(region.results[1]);
  }

  std::optional<Symbol> value, place;

 private:
  std::optional<Symbol> Find(SlotId slot) const {
    const auto found = symbols_.find(slot.value);
    return found == symbols_.end() ? std::nullopt : std::optional(found->second);
  }

  std::optional<Symbol> Evaluate(const Step& step) const {
    const Instruction& instruction = plan_.instruction(step);
    if (step.kind != StepKind::kKernel || step.opcode != instruction.opcode ||
        step.results.size() != 1) {
      return std::nullopt;
    }
    std::array<Symbol, 3> operands;
    if (step.operands.empty() || step.operands.size() > operands.size()) return std::nullopt;
    for (size_t i = 0; i < step.operands.size(); ++i) {
      const std::optional<Symbol> symbol = Find(step.operands[i]);
      if (!symbol) return std::nullopt;
      operands[i] = *symbol;
    }
    switch (step.opcode) {
      case Opcode::kCompare:
        return Compare(instruction, operands[0], operands[1]);
      case Opcode::kSelect:
        if (!IsTruth(operands[0])) return std::nullopt;
        return operands[0] == Symbol::kTrue ? operands[1] : operands[2];
      case Opcode::kNot:
        if (!IsTruth(operands[0])) return std::nullopt;
        return Truth(operands[0] == Symbol::kFalse);
      case Opcode::kAnd:
      case Opcode::kOr:
      case Opcode::kXor:
        return Combine(step.opcode, operands[0], operands[1]);
      case Opcode::kMinimum:
        return ChoosePlace(Relation::kLess, operands[0], operands[1]);
      case Opcode::kMaximum:
        return ChoosePlace(Relation::kGreater, operands[0], operands[1]);
      default:  // computes
        return std::nullopt;
    }
  }

  static std::optional<Symbol> Combine(Opcode opcode, Symbol a, Symbol b) {
    if (!IsTruth(a) || !IsTruth(b)) return std::nullopt;
    const bool left = a == Symbol::kTrue, right = b == Symbol::kTrue;
    if (opcode == Opcode::kXor) return Truth(left != right);
    return Truth(opcode == Opcode::kAnd ? left && right : left || right);
  }

  // The one of two places that has `relation` to the other.
  std::optional<Symbol> ChoosePlace(Relation relation, Symbol a, Symbol b) const {
    if (!IsPlace(a) || !IsPlace(b)) return std::nullopt;
    const bool is_first =
        a == Symbol::kPlace0 ? way_.places == relation : Turned(way_.places) == relation;
    return is_first || way_.places == Relation::kEqual ? a : b;
  }

  std::optional<Symbol> Compare(const Instruction& compare, Symbol a, Symbol b) const {
    if (IsTruth(a) || IsTruth(b) || IsValue(a) != IsValue(b) ||
        compare.Get<Attr::kCompareType>() == ComparisonType::kTotalOrder) {
      return std::nullopt;
    }
    const bool is_second = a == Symbol::kValue1 || a == Symbol::kPlace1;
    Relation relation = IsValue(a) ? way_.values : way_.places;
    if (is_second) relation = Turned(relation);
    if (a == b) {
      const bool is_nan = IsValue(a) && way_.is_nan[is_second ? 1 : 0];
      relation = is_nan ? Relation::kUnordered : Relation::kEqual;
    }
    return Truth(Holds(compare.Get<Attr::kDirection>(), relation));
  }

  const Plan& plan_;
  const Case way_;
  absl::flat_hash_map<size_t, Symbol> symbols_;  // by slot
};

class ExtremeRecogniser {
 public:
  ExtremeRecogniser(const Plan& plan, const Region& region) : plan_(plan), region_(region) {}

  FunctionForm Recognise() const {
    if (region_.parameters.size() != 4 || region_.results.size() != 2 ||
        region_.steps.size() > kMaxSteps || !HasTypes()) {
      return {};
    }
    FunctionForm form;
    form.kind = FunctionForm::Kind::kExtreme;
    form.element_type = TypeOf(region_.parameters[0]);
    // Without ties and NaN, whatever the places.
    const bool takes_larger = Chooses(Relation::kGreater, 0) && Chooses(Relation::kLess, 1);
    form.takes_smallest = Chooses(Relation::kLess, 0) && Chooses(Relation::kGreater, 1);
    if (!takes_larger && !form.takes_smallest) return {};
    if (IsFloat(form.element_type)) {
      const std::optional<FunctionForm::Nan> nan = RuleOfNan();
      if (!nan) return {};
      form.nan = *nan;
    }
    const Choice equal = At({Relation::kEqual, Relation::kEqual});
    const Choice before = At({Relation::kEqual, Relation::kLess});
    const Choice behind = At({Relation::kEqual, Relation::kGreater});
    if (equal.value != before.value || equal.value != behind.value || !equal.value) return {};
    form.takes_last_of_equal = equal.value == Symbol::kValue1;
    const bool first_before = before.place == Symbol::kPlace0;
    const bool first_behind = behind.place == Symbol::kPlace0;
    if (!before.place || !behind.place || (!first_before && first_behind)) return {};
    form.tie = first_before == first_behind
                   ? (first_before ? FunctionForm::Tie::kFirst : FunctionForm::Tie::kLast)
                   : FunctionForm::Tie::kSmallestPlace;
    const bool first_equal = equal.place == Symbol::kPlace0;
    if (!equal.place || (first_before == first_behind && first_equal != first_before)) return {};
    return form;
  }

 private:
  ElementType TypeOf(SlotId slot) const { return plan_.slot(slot).shape->element_type(); }

  // Both values have one type, both places another.
  bool HasTypes() const {
    const auto& parameters = region_.parameters;
    return TypeOf(parameters[0]) == TypeOf(parameters[2]) &&
           TypeOf(parameters[1]) == TypeOf(parameters[3]) && !IsComplex(TypeOf(parameters[0])) &&
           IsInteger(TypeOf(parameters[1])) &&
           TypeOf(region_.results[0]) == TypeOf(parameters[0]) &&
           TypeOf(region_.results[1]) == TypeOf(parameters[1]);
  }

  Choice At(const Case& way) const { return Choice(plan_, region_, way); }

  // Whether the pair `number` is chosen in that case.
  bool ChoosesAt(const Case& way, int number) const {
    const Choice choice = At(way);
    return choice.value == (number == 0 ? Symbol::kValue0 : Symbol::kValue1) &&
           choice.place == (number == 0 ? Symbol::kPlace0 : Symbol::kPlace1);
  }
  bool Chooses(Relation values, int number, std::array<bool, 2> is_nan = {}) const {
    for (const Relation places : kOrderedRelations) {
      if (!ChoosesAt({values, places, is_nan}, number)) return false;
    }
    return true;
  }

  std::optional<FunctionForm::Nan> RuleOfNan() const {
    // By whether only the first is NaN, only the second, or both.
    const auto chooses = [&](int first, int second, int both) {
      return Chooses(Relation::kUnordered, first, {true, false}) &&
             Chooses(Relation::kUnordered, second, {false, true}) &&
             Chooses(Relation::kUnordered, both, {true, true});
    };
    if (chooses(0, 1, 0)) return FunctionForm::Nan::kFirstNan;
    if (chooses(1, 1, 1)) return FunctionForm::Nan::kSecond;
    if (chooses(0, 0, 0)) return FunctionForm::Nan::kFirst;
    return std::nullopt;
  }

  const Plan& plan_;
  const Region& region_;
};

}  // namespace

FunctionForm RecogniseExtreme(const Plan& plan, const Region& region) {
  return ExtremeRecogniser(plan, region).Recognise();
}

}  // namespace hlo
