// The computations an instruction names in its attributes.
#ifndef HLOKIT_IR_CALLED_COMPUTATIONS_H_
#define HLOKIT_IR_CALLED_COMPUTATIONS_H_

#include <type_traits>

#include "ir/module.h"

namespace hlo {

// Calls `visit(attr, computation)` for every computation that `instruction` names, in the order of
// the text; lists item by item.
template <typename Visit>
void ForEachCalledComputation(const Instruction& instruction, Visit visit) {
  for (const Attribute& attribute : instruction.attributes) {
    switch (attribute.attr) {
#define HLO_ATTRIBUTE(Name, ...)                                                          \
  case Attr::k##Name:                                                                     \
    if constexpr (std::is_same_v<AttributeType<Attr::k##Name>, ComputationId>) {          \
      visit(attribute.attr, attribute.value.Get<ComputationId>());                        \
    } else if constexpr (std::is_same_v<AttributeType<Attr::k##Name>, ComputationList>) { \
      for (ComputationId id : attribute.value.Get<ComputationList>()) {                   \
        visit(attribute.attr, id);                                                        \
      }                                                                                   \
    }                                                                                     \
    break;
#include "ir/attributes.def"
    }
  }
}

}  // namespace hlo

#endif  // HLOKIT_IR_CALLED_COMPUTATIONS_H_
