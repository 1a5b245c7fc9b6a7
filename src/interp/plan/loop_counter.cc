// Slots tell it all. Condition and body see the loop's state in different slots, its results and
// the body's parameters, in one order; what the body hands on as it is stays constant. Sums have
// 128 bits up to the last check: a counter that leaves its type wraps around, and such a loop is
// not counted.
#include "interp/plan/loop_counter.h"

#include <algorithm>
#include <limits>

#include "ir/attribute_enums.h"
#include "ir/element_traits.h"

namespace hlo {
namespace {

const Step* Producer(const Region& region, SlotId slot) {
  for (const Step& step : region.steps) {
    if (std::ranges::find(step.results, slot) != step.results.end()) return &step;
  }
  return nullptr;
}

bool Holds(ElementType type, __int128 value) {
  return DispatchElementType<kInteger>(type, [&]<typename T>() {
    return value >= static_cast<__int128>(std::numeric_limits<T>::min()) &&
           value <= static_cast<__int128>(std::numeric_limits<T>::max());
  });
}

std::optional<int64_t> IntegerOf(const Literal& literal) {
  const Shape& shape = literal.shape();
  if (!shape.IsArray() || !IsInteger(shape.element_type()) || literal.element_count() != 1) {
    return std::nullopt;
  }
  return DispatchElementType<kInteger>(shape.element_type(),
                                       [&]<typename T>() -> std::optional<int64_t> {
                                         const T element = literal.elements<T>()[0];
                                         if constexpr (std::is_same_v<T, uint64_t>) {
                                           if (element > static_cast<uint64_t>(INT64_MAX))
                                             return std::nullopt;
                                         }
                                         return static_cast<int64_t>(element);
                                       });
}

// One loop, its state seen from inside and outside.
class Loop {
 public:
  Loop(const Plan& plan, const Step& loop)
      : plan_(plan), loop_(loop), condition_(*loop.regions[0]), body_(*loop.regions[1]) {}

  std::optional<int64_t> Count() const {
    if (condition_.results.empty()) return std::nullopt;
    const Step* compare = Producer(condition_, condition_.results[0]);
    if (compare == nullptr || compare->opcode != Opcode::kCompare) return std::nullopt;
    ComparisonDirection direction = plan_.instruction(*compare).Get<Attr::kDirection>();
    std::optional<size_t> counter = CarriedBy(compare->operands[0]);
    std::optional<int64_t> limit = ConstantAt(compare->operands[1]);
    if (!counter || !limit || !StepOf(*counter)) {
      counter = CarriedBy(compare->operands[1]);
      limit = ConstantAt(compare->operands[0]);
      direction = Mirrored(direction);
    }
    if (!counter || !limit) return std::nullopt;
    const std::optional<int64_t> begin = InitialValue(*counter);
    const std::optional<int64_t> step = StepOf(*counter);
    if (!begin || !step) return std::nullopt;
    const std::optional<int64_t> count = CountSteps(*begin, *limit, *step, direction);
    const ElementType type = plan_.slot(loop_.results[*counter]).shape->element_type();
    if (!count || !Holds(type, __int128{*begin} + __int128{*count} * *step)) return std::nullopt;
    return count;
  }

 private:
  static ComparisonDirection Mirrored(ComparisonDirection direction) {
    switch (direction) {
      case ComparisonDirection::kLt:
        return ComparisonDirection::kGt;
      case ComparisonDirection::kLe:
        return ComparisonDirection::kGe;
      case ComparisonDirection::kGt:
        return ComparisonDirection::kLt;
      case ComparisonDirection::kGe:
        return ComparisonDirection::kLe;
      default:
        return direction;
    }
  }

  // How often begin + k * step compares with limit before it does not, k = 0, 1 ...
  static std::optional<int64_t> CountSteps(int64_t begin, int64_t limit, int64_t step,
                                           ComparisonDirection direction) {
    using Wide = __int128;
    const bool is_up =
        direction == ComparisonDirection::kLt || direction == ComparisonDirection::kLe;
    const bool is_down =
        direction == ComparisonDirection::kGt || direction == ComparisonDirection::kGe;
    Wide distance = is_down ? Wide{begin} - limit : Wide{limit} - begin;
    Wide stride = is_down ? -Wide{step} : Wide{step};
    if (direction == ComparisonDirection::kLe || direction == ComparisonDirection::kGe) ++distance;
    if (direction == ComparisonDirection::kNe && distance != 0) {
      if (step == 0 || distance % step != 0 || distance / step < 0) return std::nullopt;
      return static_cast<int64_t>(distance / step);
    }
    if (!is_up && !is_down && direction != ComparisonDirection::kNe) return std::nullopt;
    if (distance <= 0) return 0;
    if (stride <= 0) return std::nullopt;
    const Wide count = (distance + stride - 1) / stride;
    return count > INT64_MAX ? std::nullopt : std::optional<int64_t>(static_cast<int64_t>(count));
  }

  // Which array of the state `slot` is, as condition or body see it.
  std::optional<size_t> CarriedBy(SlotId slot) const {
    for (std::span<const SlotId> seen :
         {loop_.results, std::span<const SlotId>(body_.parameters)}) {
      const auto found = std::ranges::find(seen, slot);
      if (found != seen.end()) return static_cast<size_t>(found - seen.begin());
    }
    return std::nullopt;
  }

  std::optional<int64_t> InitialValue(size_t carried) const {
    for (const Move& move : loop_.moves) {
      if (move.to == loop_.results[carried]) return LiteralAt(move.from);
    }
    return std::nullopt;
  }

  std::optional<int64_t> LiteralAt(SlotId slot) const {
    const Literal* literal = plan_.slot(slot).literal;
    return literal == nullptr ? std::nullopt : IntegerOf(*literal);
  }

  // A literal, or an array of the state that begins as one and stays what it is.
  std::optional<int64_t> ConstantAt(SlotId slot) const {
    if (const std::optional<int64_t> value = LiteralAt(slot)) return value;
    const std::optional<size_t> carried = CarriedBy(slot);
    if (!carried || CarriedBy(body_.results[*carried]) != carried) return std::nullopt;
    return InitialValue(*carried);
  }

  // What an iteration adds to that array of the state.
  std::optional<int64_t> StepOf(size_t carried) const {
    const Step* producer = Producer(body_, body_.results[carried]);
    if (producer == nullptr || producer->operands.size() != 2) return std::nullopt;
    const auto is_counter = [&](size_t i) { return CarriedBy(producer->operands[i]) == carried; };
    if (producer->opcode == Opcode::kAdd && is_counter(0)) return ConstantAt(producer->operands[1]);
    if (producer->opcode == Opcode::kAdd && is_counter(1)) return ConstantAt(producer->operands[0]);
    if (producer->opcode != Opcode::kSubtract || !is_counter(0)) return std::nullopt;
    const std::optional<int64_t> step = ConstantAt(producer->operands[1]);
    return step && *step != INT64_MIN ? std::optional<int64_t>(-*step) : std::nullopt;
  }

  const Plan& plan_;
  const Step& loop_;
  const Region& condition_;
  const Region& body_;
};

}  // namespace

std::optional<int64_t> CountTrips(const Plan& plan, const Step& loop) {
  return Loop(plan, loop).Count();
}

}  // namespace hlo
