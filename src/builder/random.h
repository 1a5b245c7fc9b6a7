// Random numbers. Source: verifier.md 3.13, 4.
#ifndef HLOKIT_BUILDER_RANDOM_H_
#define HLOKIT_BUILDER_RANDOM_H_

#include "builder/op.h"
#include "ir/attribute_values.h"

namespace hlo::ops {

// Numbers of `shape`, an array of the parameters' element type, which are two scalars: floats of
// mean mu and standard deviation sigma, or anything between a (included) and b (not) (rng.*).
Op RngNormal(const Op& mu, const Op& sigma, const Shape& shape,
             SourceLocation at = SourceLocation::current());
Op RngUniform(const Op& a, const Op& b, const Shape& shape,
              SourceLocation at = SourceLocation::current());

// (new state, random bits): unsigned integers as wide as the element type of `shape`, an array of
// integers or floats (builder.rng-bit-shape, rng-bit-generator.*).
Op RngBitGenerator(RandomAlgorithm algorithm, const Op& initial_state, const Shape& shape,
                   SourceLocation at = SourceLocation::current());

}  // namespace hlo::ops

#endif  // HLOKIT_BUILDER_RANDOM_H_
