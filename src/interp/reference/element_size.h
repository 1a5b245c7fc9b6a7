// Dispatch on the size of an element, for kernels that only move bits.
#ifndef HLOKIT_INTERP_REFERENCE_ELEMENT_SIZE_H_
#define HLOKIT_INTERP_REFERENCE_ELEMENT_SIZE_H_

#include <cstdint>

#include "support/check.h"

namespace hlo::reference {

struct Element16 {
  uint64_t words[2];
};

// Calls function.operator()<T>() with T a type of `byte_size` bytes: 1, 2, 4, 8 or 16.
template <typename Function>
void DispatchElementSize(int64_t byte_size, Function&& function) {
  switch (byte_size) {
    case 1:
      return function.template operator()<uint8_t>();
    case 2:
      return function.template operator()<uint16_t>();
    case 4:
      return function.template operator()<uint32_t>();
    case 8:
      return function.template operator()<uint64_t>();
    case 16:
      return function.template operator()<Element16>();
  }
  HLO_UNREACHABLE();
}

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_ELEMENT_SIZE_H_
