// oneDNN is loaded on first use: most programs never need it, and its absence stops none. Its C
// interface only, found function by function.
//
// It would share work by OpenMP, and block its sums by the number of threads there are. Results
// must not depend on that, and OpenMP's threads would take the processors from ours, or sleep and
// have to be woken: so all of its primitives are for one thread, and ours run them side by side.
#include "interp/simd/onednn/library.h"

#include <dlfcn.h>

#include <optional>
#include <string_view>

#include "absl/cleanup/cleanup.h"
#include "interp/simd/instruction_set.h"

namespace hlo::simd::onednn {
namespace {

// The headers' major version is the number in the library's name.
#define HLO_TEXT(x) #x
#define HLO_TEXT_OF(x) HLO_TEXT(x)
constexpr const char* kFileName = "libdnnl.so." HLO_TEXT_OF(DNNL_VERSION_MAJOR);

template <typename Function>
bool Find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  return function != nullptr;
}

bool FindAll(void* handle, Library& library) {
#define HLO_ONEDNN_FIND(name) Find(handle, #name, library.name)&&
  return HLO_ONEDNN_FUNCTIONS(HLO_ONEDNN_FIND)
             Find(handle, "omp_get_max_threads", library.omp_get_max_threads) &&
         Find(handle, "omp_set_num_threads", library.omp_set_num_threads);
#undef HLO_ONEDNN_FIND
}

// What the library may use where ours were told what to use; nothing where it has no such kernels.
std::optional<dnnl_cpu_isa_t> AllowedInstructions() {
  const std::string_view forced = ForcedInstructionSet();
  if (forced.empty() || forced == "amx") return dnnl_cpu_isa_all;
  if (forced == "avx512") return dnnl_cpu_isa_avx512_core_bf16;
  if (forced == "avx2") return dnnl_cpu_isa_avx2;
  return std::nullopt;
}

const Library* Load() {
  const std::optional<dnnl_cpu_isa_t> instructions = AllowedInstructions();
  if (!instructions) return nullptr;
  void* const handle = dlopen(kFileName, RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) return nullptr;
  static Library library;
  if (!FindAll(handle, library)) return nullptr;
  if (*instructions != dnnl_cpu_isa_all) library.dnnl_set_max_cpu_isa(*instructions);
  if (library.dnnl_engine_create(&library.engine, dnnl_cpu, 0) != dnnl_success) return nullptr;
  return &library;
}

}  // namespace

const Library* FindLibrary() {
  static const Library* const library = Load();
  return library;
}

void WithOneThread(const Library& library, absl::FunctionRef<void()> work) {
  const int before = library.omp_get_max_threads();
  library.omp_set_num_threads(1);
  const absl::Cleanup restore = [&] { library.omp_set_num_threads(before); };
  work();
}

}  // namespace hlo::simd::onednn
