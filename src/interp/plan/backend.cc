#include "interp/plan/backend.h"

namespace hlo {
namespace {

constexpr Backend kBackends[] = {
    {"reference", "the definition of every opcode's meaning: simple loops, one thread",
     /*fuse=*/nullptr, [](const Plan&, const Step&) -> const Kernel* { return nullptr; }},
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
