// Elements of any type as complex f64 numbers: what tests over all element types compare.
#ifndef HLOKIT_TESTING_ELEMENT_VALUES_H_
#define HLOKIT_TESTING_ELEMENT_VALUES_H_

#include <complex>
#include <string>
#include <vector>

#include "ir/literal.h"

namespace hlo::testing {

using Complex = std::complex<double>;

// Every element type that arrays have, in the order of the table.
std::vector<ElementType> ArrayTypes();

// A vector of `type`, the values rounded to it.
Literal MakeLiteral(ElementType type, const std::vector<Complex>& values);
// The elements that are there at run time.
std::vector<Complex> Values(const Literal& literal);

// What `type` makes of an exact number: integers wrap, of pred everything but 0 is true. Floats are
// left as they are.
Complex InType(ElementType type, Complex exact);

// Checks that `found`, of `type`, is the value `expected` to within rounding: some distances of
// neighbouring numbers, at `least_magnitude` or where the value is, if that is farther out, and of
// the smallest numbers besides. Where the type has no number for the value
// (a pole, a complex root, a sign it lacks), anything that is no number will do.
void ExpectNear(ElementType type, Complex found, Complex expected, const std::string& what,
                double least_magnitude = 0);

}  // namespace hlo::testing

#endif  // HLOKIT_TESTING_ELEMENT_VALUES_H_
