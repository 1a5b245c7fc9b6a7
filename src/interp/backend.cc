#include "interp/backend.h"

#include "interp/reference/eval.h"
#include "interp/reference/scratch.h"
#include "interp/reference/work.h"

namespace hlo {
namespace {

constexpr Backend kBackends[] = {
    {"reference", "the definition of every opcode's meaning: simple loops, one thread",
     [](const OpView&) -> Kernel { return nullptr; }},
};

}  // namespace

std::span<const Backend> Backends() { return kBackends; }

const Backend* FindBackend(std::string_view name) {
  for (const Backend& backend : kBackends) {
    if (backend.name == name) return &backend;
  }
  return nullptr;
}

Kernel SelectKernel(const Backend& backend, const OpView& op) {
  if (Kernel kernel = backend.find_kernel(op)) return kernel;
  return reference::FindKernel(op.opcode());
}

int64_t ScratchByteSize(const Backend& backend, const OpView& op) {
  return backend.find_kernel(op) == nullptr ? reference::ScratchByteSize(op) : 0;
}

int64_t KernelWork(const OpView& op) { return reference::Work(op); }

}  // namespace hlo
