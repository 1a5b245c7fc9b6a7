// Only names that the module calls are looked up, so any library will do, and targets that it does
// not export are left to others. The handle is not kept: no library is ever unloaded, and what is
// registered stays valid.
#include "tools/custom_call_library.h"

#include <dlfcn.h>

#include <filesystem>
#include <string_view>
#include <system_error>
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

// A name without slash would be looked for among the system's libraries only.
std::string FileName(const std::string& path) {
  std::error_code ignored;
  const bool is_file =
      path.find('/') == std::string::npos && std::filesystem::exists(path, ignored);
  return is_file ? "./" + path : path;
}

// Why the last library could not be loaded, without the name that dlerror puts before it.
std::string LoadError(const std::string& name) {
  std::string_view error = dlerror();
  if (error.starts_with(name + ": ")) error.remove_prefix(name.size() + 2);
  return std::string(error);
}

}  // namespace

absl::Status RegisterLibraryTargets(const std::string& path, const Module& module,
                                    CustomCallRegistry& registry) {
  const std::string name = FileName(path);
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::UnavailableError(fmt::format("cannot load `{}`: {}", path, LoadError(name)));
  }
  for (const Instruction& instruction : module.instructions()) {
    if (instruction.opcode != Opcode::kCustomCall) continue;
    std::string target_name(instruction.Get<Attr::kCustomCallTarget>());
    if (void* symbol = dlsym(library, target_name.c_str())) {
      Target target = reinterpret_cast<Target>(symbol);
      registry.Register(target_name, [target](Evaluation& e) { return CallTarget(target, e); });
    }
  }
  return absl::OkStatus();
}

}  // namespace hlo::tools
