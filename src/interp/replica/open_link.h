// Links between processes, by the name of what carries them.
#ifndef HLOKIT_INTERP_REPLICA_OPEN_LINK_H_
#define HLOKIT_INTERP_REPLICA_OPEN_LINK_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "interp/replica/process_link.h"

namespace hlo {

// Loads the module that has MPI, which lies in ../lib/hlokit beside the running program's folder,
// and joins the processes that mpirun has started. Call once. Fails with kUnavailable when the
// module is not there.
absl::StatusOr<std::unique_ptr<ProcessLink>> OpenMpiLink();

}  // namespace hlo

#endif  // HLOKIT_INTERP_REPLICA_OPEN_LINK_H_
