// How one number stands to another, and what comparisons make of it.
#ifndef HLOKIT_INTERP_PLAN_RELATION_H_
#define HLOKIT_INTERP_PLAN_RELATION_H_

#include <cstdint>

#include "ir/attribute_values.h"

namespace hlo {

enum class Relation : uint8_t { kLess, kEqual, kGreater, kUnordered };

// All that there are where numbers have an order.
inline constexpr Relation kOrderedRelations[] = {Relation::kLess, Relation::kEqual,
                                                 Relation::kGreater};

// How the second stands to the first.
constexpr Relation Turned(Relation relation) {
  if (relation == Relation::kLess) return Relation::kGreater;
  return relation == Relation::kGreater ? Relation::kLess : relation;
}

// What a comparison of the first with the second says (semantics.md 4.2).
constexpr bool Holds(ComparisonDirection direction, Relation relation) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return relation == Relation::kEqual;
    case ComparisonDirection::kNe:
      return relation != Relation::kEqual;
    case ComparisonDirection::kLt:
      return relation == Relation::kLess;
    case ComparisonDirection::kLe:
      return relation == Relation::kLess || relation == Relation::kEqual;
    case ComparisonDirection::kGt:
      return relation == Relation::kGreater;
    case ComparisonDirection::kGe:
      return relation == Relation::kGreater || relation == Relation::kEqual;
  }
  return false;
}

}  // namespace hlo

#endif  // HLOKIT_INTERP_PLAN_RELATION_H_
