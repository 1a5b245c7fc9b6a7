// Small random programs that run, for comparing backends.
#ifndef HLOKIT_TESTING_RANDOM_PROGRAM_H_
#define HLOKIT_TESTING_RANDOM_PROGRAM_H_

#include <cstdint>
#include <string>

namespace hlo::testing {

// One dot of arrays of any ranks, dimension numbers and types.
std::string RandomDot(uint32_t seed);
// One convolution: windows, labels, groups of all forms, rank 0 to 3.
std::string RandomConvolution(uint32_t seed);

// Elementwise instructions of many types, with broadcasts, slices, conversions, reductions of rows
// and several results. Where it `is_exact` there is nothing in it that backends may round in
// different ways; otherwise nothing that makes a small difference large.
std::string RandomElementwise(uint32_t seed, bool is_exact);

}  // namespace hlo::testing

#endif  // HLOKIT_TESTING_RANDOM_PROGRAM_H_
