// Calls that a run leaves out, for people to know.
#ifndef HLOKIT_TOOLS_SKIPPED_CALLS_H_
#define HLOKIT_TOOLS_SKIPPED_CALLS_H_

#include <string>

#include "ir/module.h"

namespace hlo::tools {

// Names the calls of Python functions that are there for their effects alone (jax.debug.print),
// with what their metadata says; empty when there are none.
std::string SkippedCallsText(const Module& module);

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_SKIPPED_CALLS_H_
