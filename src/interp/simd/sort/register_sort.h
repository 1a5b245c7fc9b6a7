// Highway's sort of 32 bits for processors on which storing compressed vectors takes long.
#ifndef HLOKIT_INTERP_SIMD_SORT_REGISTER_SORT_H_
#define HLOKIT_INTERP_SIMD_SORT_REGISTER_SORT_H_

#include <cstddef>
#include <cstdint>

namespace hlo::simd {

// Sorts integers in ascending order.
using RegisterSort = void (*)(uint32_t* integers, size_t count);

// Null where the library's own is the faster one.
RegisterSort GetRegisterSort();

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_SORT_REGISTER_SORT_H_
