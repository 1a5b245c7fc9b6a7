// Values as JSON, for scripts.
#ifndef HLOKIT_VALUES_VALUE_JSON_H_
#define HLOKIT_VALUES_VALUE_JSON_H_

#include <string>

#include "ir/literal.h"

namespace hlo {

// An array as {"type": "f32", "dims": [2,3], "values": [...]} with its elements in row-major order
// and its sizes at run time; a tuple as a list; a token as null. Numbers read back as the same
// ones; what JSON has no numbers for are the strings "NaN", "Infinity" and "-Infinity". Complex
// numbers are pairs, pred is true or false.
std::string ValueJson(const Literal& value);

}  // namespace hlo

#endif  // HLOKIT_VALUES_VALUE_JSON_H_
