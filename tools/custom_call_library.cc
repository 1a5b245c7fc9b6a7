#include "tools/custom_call_library.h"

#include <dlfcn.h>

#include <vector>

#include <fmt/format.h>

namespace hlo::tools {
namespace {

using Target = void (*)(void* out, const void** in);

absl::Status CallTarget(Target target, Evaluation& e) {
  std::vector<const void*> in;
  for (const ArrayRef& operand : e.operands()) in.push_back(operand.bytes);
  std::vector<void*> out;
  for (const MutableArrayRef& result : e.results()) out.push_back(result.bytes);
  if (e.instruction().shape->IsTuple()) {
    target(out.data(), in.data());
  } else {
    target(out.empty() ? nullptr : out[0], in.data());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterLibraryTargets(const std::string& path, const Module& module,
                                    CustomCallRegistry& registry) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::UnavailableError(fmt::format("cannot load `{}`: {}", path, dlerror()));
  }
  for (const Instruction& instruction : module.instructions()) {
    if (instruction.opcode != Opcode::kCustomCall) continue;
    std::string name(instruction.Get<Attr::kCustomCallTarget>());
    if (void* symbol = dlsym(library, name.c_str())) {
      Target target = reinterpret_cast<Target>(symbol);
      registry.Register(name, [target](Evaluation& e) { return CallTarget(target, e); });
    }
  }
  return absl::OkStatus();
}

}  // namespace hlo::tools
