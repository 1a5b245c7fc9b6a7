// How long a kernel takes, as far as shapes say: so that a run can have a limit that means the same
// on every machine, and that one long step cannot get past.
#ifndef HLOKIT_INTERP_REFERENCE_WORK_H_
#define HLOKIT_INTERP_REFERENCE_WORK_H_

#include <cstdint>

#include "ir/op_view.h"

namespace hlo::reference {

// About how often the innermost loops of `op`'s kernel run, never far below: each element that is
// read or written counts 1, each product of a contraction too. Dynamic dimensions count with their
// bounds, a call of a function as one. INT64_MAX where that leaves 63 bits, here and below.
int64_t Work(const OpView& op);

// The same for an instruction of a function that is called for each element: what it reads is in
// registers.
int64_t WorkOfCall(const OpView& op);

// About how often `op`'s kernel calls its functions, where it has some.
int64_t CallCount(const OpView& op);

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_WORK_H_
