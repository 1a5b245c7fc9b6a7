// Generated floats, many at once: the numbers of a RandomStream.
#ifndef HLOKIT_INTERP_SIMD_RANDOM_UNIFORM_FLOATS_H_
#define HLOKIT_INTERP_SIMD_RANDOM_UNIFORM_FLOATS_H_

#include <cstddef>
#include <cstdint>

#include "interp/kernel/random_stream.h"
#include "ir/element_type.h"

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

// What as many calls of Next give, as elements of a float or complex type, whose real part comes
// first; of those narrower than f32, what an f32 is converted to.
void FillUniform(ElementType type, const UniformRange& range, RandomStream stream, std::byte* to,
                 int64_t count);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_RANDOM_UNIFORM_FLOATS_H_
