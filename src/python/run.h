// A module run from Python.
#ifndef HLOKIT_PYTHON_RUN_H_
#define HLOKIT_PYTHON_RUN_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>

#include "ir/module.h"
#include "support/diagnostic.h"

namespace hlo::python {

struct RunSettings {
  std::string backend;  // empty: the default one
  std::string cast;     // a CastRule's name
  std::string fake;  // a FakeKind's name: arguments that are not given; empty: there must be none
  uint64_t seed = 42;
  std::optional<int64_t> max_byte_size;  // nothing: DefaultMemoryLimit()
  std::optional<int64_t> threads;        // nothing: one for each processor
  pybind11::object trace;  // called with a name and an array for each instruction; or None
  bool first_nan = false;
};

// Runs `module` on `arguments`, for each parameter in order a pair of an array (or tuple of arrays)
// and whether its element type is only Python's guess, which then gives way to the parameter's.
// Constants that the text elides get values. Returns what ArrayOf makes of the result; what is
// wrong with the program or the arguments is reported to `sink`, and None is returned. The
// interpreter is free for other threads meanwhile; a signal whose handler raises, as Ctrl-C's does,
// stops the run.
pybind11::object Run(Module& module, const pybind11::tuple& arguments, const RunSettings& settings,
                     DiagnosticSink& sink);

}  // namespace hlo::python

#endif  // HLOKIT_PYTHON_RUN_H_
