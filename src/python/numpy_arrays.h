// numpy arrays as values of programs, and back.
#ifndef HLOKIT_PYTHON_NUMPY_ARRAYS_H_
#define HLOKIT_PYTHON_NUMPY_ARRAYS_H_

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "absl/status/statusor.h"
#include "ir/literal.h"
#include "ir/shape.h"

namespace hlo::python {

// `value`, an array in C order and native byte order or a tuple of them, as a literal. Element
// types are those numpy and ml_dtypes have; raw bytes (`V2`) become `expected`'s type of that
// width. Fails with kInvalidArgument for other types, with kResourceExhausted when the memory is
// not to be had.
absl::StatusOr<Literal> LiteralOf(const pybind11::handle& value, const Shape& expected);

// An array over the literal's own memory, which lives as long as the array does; a tuple of them;
// None for a token. Types that numpy lacks are those of ml_dtypes when it is there, else raw bytes.
pybind11::object ArrayOf(Literal literal);

}  // namespace hlo::python

#endif  // HLOKIT_PYTHON_NUMPY_ARRAYS_H_
