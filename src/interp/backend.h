// Backends: who supplies the kernels. A backend is data, and the plan stores its choices.
#ifndef HLOKIT_INTERP_BACKEND_H_
#define HLOKIT_INTERP_BACKEND_H_

#include <span>
#include <string_view>

#include "interp/evaluation.h"
#include "ir/op_view.h"

namespace hlo {

struct Backend {
  std::string_view name;
  std::string_view description;  // one line, for lists
  // A kernel for the instruction, or null to mean the reference one.
  Kernel (*find_kernel)(const OpView& op);
};

// All backends; the first one is the default.
std::span<const Backend> Backends();
// The backend called `name`, or null.
const Backend* FindBackend(std::string_view name);

// The kernel `backend` evaluates `op` with. `op` is not of a kRouted opcode.
Kernel SelectKernel(const Backend& backend, const OpView& op);
// The bytes that kernel holds at most besides the instruction's arrays; see reference/scratch.h.
int64_t ScratchByteSize(const Backend& backend, const OpView& op);
// About how many elements the reference kernel of `op` touches; see reference/work.h.
int64_t KernelWork(const OpView& op);

}  // namespace hlo

#endif  // HLOKIT_INTERP_BACKEND_H_
