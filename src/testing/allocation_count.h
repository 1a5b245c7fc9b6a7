// How often a program has allocated memory with `new`, as everything in the standard library does.
#ifndef HLOKIT_TESTING_ALLOCATION_COUNT_H_
#define HLOKIT_TESTING_ALLOCATION_COUNT_H_

#include <cstdint>

namespace hlo::testing {

int64_t AllocationCount();

}  // namespace hlo::testing

#endif  // HLOKIT_TESTING_ALLOCATION_COUNT_H_
