// A row is all there is to a backend, and the first row is the default. `reference` names no
// functions: where a backend has no kernel for a step, the step has the reference one.
#include "interp/backends.h"

#include "interp/simd/simd.h"

namespace hlo {
namespace {

constexpr Backend kBackends[] = {
    {"simd", "vector kernels on all cores; the reference kernel where there is none",
     simd::FuseSteps, simd::FindKernel},
    {"reference", "the definition of every opcode's meaning: simple loops, one thread",
     /*fuse=*/nullptr, /*find_kernel=*/nullptr},
};

}  // namespace

std::span<const Backend> Backends() { return kBackends; }

const Backend* FindBackend(std::string_view name) {
  for (const Backend& backend : kBackends) {
    if (backend.name == name) return &backend;
  }
  return nullptr;
}

}  // namespace hlo
