// Custom-call targets from shared libraries.
#ifndef HLOKIT_TOOLS_CUSTOM_CALL_LIBRARY_H_
#define HLOKIT_TOOLS_CUSTOM_CALL_LIBRARY_H_

#include <string>

#include "absl/status/status.h"
#include "interp/kernel/device.h"
#include "ir/module.h"

namespace hlo::tools {

// Loads the library `path`, a file or else a name the system knows, and registers every target of
// the module's custom calls that it exports. A target is a C function
//   void target(void* out, const void** in);
// `in[i]` is the i-th array of the operands, dense and row-major, tuples flattened. `out` is the
// result's array; of a tuple it is a `void**` with one entry for each array. The library stays
// loaded. Fails when it cannot be loaded.
absl::Status RegisterLibraryTargets(const std::string& path, const Module& module,
                                    CustomCallRegistry& registry);

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_CUSTOM_CALL_LIBRARY_H_
