// Which values say no more than their absence does: the printer leaves them out, and modules
// with and without them are equal.
#ifndef HLOKIT_IR_ATTRIBUTE_DEFAULT_H_
#define HLOKIT_IR_ATTRIBUTE_DEFAULT_H_

#include "ir/attribute_map.h"
#include "ir/opcode.h"

namespace hlo {

// Whether `value` is what `attr` means when it is absent. `use` is how the opcode (or the module
// line) takes it; null for common attributes.
bool IsDefaultValue(const AttributeUse* use, Attr attr, const AttributeValue& value);

// How the module line takes `attr`.
const AttributeUse* FindModuleAttributeUse(Attr attr);

}  // namespace hlo

#endif  // HLOKIT_IR_ATTRIBUTE_DEFAULT_H_
