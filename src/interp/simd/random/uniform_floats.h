// Generated floats, many at once: the numbers of a RandomStream.
#ifndef HLOKIT_INTERP_SIMD_RANDOM_UNIFORM_FLOATS_H_
#define HLOKIT_INTERP_SIMD_RANDOM_UNIFORM_FLOATS_H_

#include <cstdint>

#include "interp/kernel/random_stream.h"

namespace hlo::simd {

// (factor * u + offset) / divisor, where u are the stream's numbers in [0, 1).
struct UniformRange {
  double factor;  // a power of two
  double offset;
  double divisor;  // within 2^40 of 1

  double Next(RandomStream& stream) const {
    return (factor * stream.NextUnit() + offset) / divisor;
  }
};

// What as many calls of Next give, as T: float or double.
template <typename T>
void FillUniform(const UniformRange& range, RandomStream stream, T* to, int64_t count);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_RANDOM_UNIFORM_FLOATS_H_
