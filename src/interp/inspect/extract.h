// Parts of a module as programs of their own: to run them without the rest.
#ifndef HLOKIT_INTERP_INSPECT_EXTRACT_H_
#define HLOKIT_INTERP_INSPECT_EXTRACT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "ir/module.h"

namespace hlo {

// A module whose result is that of the instruction; its operands are parameters. What has a start
// and an end is taken whole, whichever of its instructions is asked for. Fails with kUnimplemented
// for send and recv, which have a partner elsewhere, and for parameters.
absl::StatusOr<Module> ExtractInstruction(const Module& module, InstructionId id);

// A module whose entry is the computation.
Module ExtractComputation(const Module& module, ComputationId id);

// How large a collective may be that is to be run somewhere smaller than it was made for.
struct CollectiveLimits {
  int64_t participants = 16;
  int64_t dimension = 64;
};
// The collective with these operands and groups: as many of its groups as have participants, of a
// larger group its first members, all numbered anew; of longer dimensions the first elements, the
// one along which blocks are exchanged being a multiple of the group. `how` says in words what was
// cut. Fails with kUnimplemented for instructions that are no collectives or cannot be cut.
absl::StatusOr<Module> ExtractCutCollective(const Module& module, InstructionId id,
                                            const CollectiveLimits& limits, std::string* how);

}  // namespace hlo

#endif  // HLOKIT_INTERP_INSPECT_EXTRACT_H_
