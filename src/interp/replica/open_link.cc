// One module needs MPI, and it is loaded when somebody asks for it: programs start without, and
// where there is none. It is looked for from where the running program lies, not in the system's
// places, and never unloaded, as the link's code is in it.
#include "interp/replica/open_link.h"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace hlo {
namespace {

std::string ModulePath() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path prefix = program.parent_path().parent_path();
  return (prefix / "lib" / "hlokit" / "hlokit_mpi.so").string();
}

}  // namespace

absl::StatusOr<std::unique_ptr<ProcessLink>> OpenMpiLink() {
  const std::string path = ModulePath();
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    return absl::UnavailableError(fmt::format(
        "this build has no MPI: {}; it is built where libopenmpi-dev is installed", dlerror()));
  }
  const auto open = reinterpret_cast<OpenProcessLink>(dlsym(module, kOpenLinkName));
  if (open == nullptr) {
    return absl::UnavailableError(fmt::format("{} is no module for links", path));
  }
  std::string why_not;
  ProcessLink* link = open(&why_not);
  if (link == nullptr) return absl::UnavailableError(why_not);
  return std::unique_ptr<ProcessLink>(link);
}

}  // namespace hlo
