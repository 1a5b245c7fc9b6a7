// Numbers of the text to elements of a literal, range checked (grammar.md 7.8, 1.7).
#ifndef HLOKIT_PARSER_STORE_ELEMENT_H_
#define HLOKIT_PARSER_STORE_ELEMENT_H_

#include <cstddef>
#include <cstdint>

#include "ir/element_type.h"

namespace hlo {

enum class StoreResult : uint8_t {
  kOk,
  kOutOfRange,
  kNoNan,         // the type has neither NaN nor infinity
  kPayloadRange,  // the NaN payload has too many bits
  kNoPayload,     // the type's NaN has no payload
};

struct NanValue {
  bool negative = false;
  int64_t payload = 0;  // 0: the type's default
};

// How elements of one type are written to memory; for complex types their components, real part
// first. Functions that a type cannot use are null.
struct ElementStore {
  StoreResult (*integer)(int64_t value, std::byte* element);
  StoreResult (*decimal)(double value, std::byte* element);  // finite or infinite
  StoreResult (*nan)(NanValue nan, std::byte* element);
  int byte_size;
};
// The way of storing into `type`, which is an array type; of a complex one the components.
const ElementStore& GetElementStore(ElementType type);

}  // namespace hlo

#endif  // HLOKIT_PARSER_STORE_ELEMENT_H_
