// oneDNN is loaded on first use: most programs never need it, and its absence stops none. Its C
// interface only, found function by function.
//
// It shares work by OpenMP, whose threads by default spin for the next piece of work and take the
// processor from everybody else's, ours among them. That is read from the environment when OpenMP
// is loaded, so it has to stand there by then; a choice of the user's own is left alone.
//
// A primitive chooses how to block its sums by the number of threads it is made for, so results
// depend on that. Ours must not: all are made for as many threads as there are processors, and run
// on those that the device has. To a number of threads that is written in its code OpenMP keeps, so
// asking for fewer is of no use; but it heeds the limit of a team.
#include "interp/simd/onednn/library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "absl/cleanup/cleanup.h"
#include "interp/simd/instruction_set.h"
#include "support/thread_pool.h"

namespace hlo::simd::onednn {
namespace {

// The headers' major version is the number in the library's name.
#define HLO_TEXT(x) #x
#define HLO_TEXT_OF(x) HLO_TEXT(x)
constexpr const char* kFileName = "libdnnl.so." HLO_TEXT_OF(DNNL_VERSION_MAJOR);

class PassiveWaitScope {
 public:
  PassiveWaitScope() : is_set_here_(std::getenv(kName) == nullptr) {
    if (is_set_here_) setenv(kName, "passive", 0);
  }
  ~PassiveWaitScope() {
    if (is_set_here_) unsetenv(kName);
  }
  PassiveWaitScope(const PassiveWaitScope&) = delete;
  PassiveWaitScope& operator=(const PassiveWaitScope&) = delete;

 private:
  static constexpr const char* kName = "OMP_WAIT_POLICY";
  bool is_set_here_;
};

template <typename Function>
bool Find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  return function != nullptr;
}

bool FindAll(void* handle, Library& library) {
#define HLO_ONEDNN_FIND(name) Find(handle, #name, library.name)&&
  return HLO_ONEDNN_FUNCTIONS(HLO_ONEDNN_FIND)
             Find(handle, "omp_get_max_threads", library.omp_get_max_threads) &&
         Find(handle, "omp_set_num_threads", library.omp_set_num_threads) &&
         Find(handle, "GOMP_teams_reg", library.GOMP_teams_reg);
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
  void* handle = nullptr;
  {
    const PassiveWaitScope passive;
    handle = dlopen(kFileName, RTLD_LAZY | RTLD_LOCAL);
  }
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

void WithThreads(const Library& library, int64_t thread_limit, absl::FunctionRef<void()> work) {
  struct Call {
    absl::FunctionRef<void()> work;
    std::exception_ptr thrown;  // nothing may be thrown through OpenMP's frames
  };
  Call call = {work, nullptr};
  const auto run = [](void* data) {
    auto& call = *static_cast<Call*>(data);
    try {
      call.work();
    } catch (...) {
      call.thrown = std::current_exception();
    }
  };
  const int before = library.omp_get_max_threads();
  library.omp_set_num_threads(static_cast<int>(ThreadPool::ProcessorCount()));
  library.GOMP_teams_reg(run, &call, /*team_count=*/1, static_cast<unsigned>(thread_limit),
                         /*flags=*/0);
  library.omp_set_num_threads(before);
  if (call.thrown != nullptr) std::rethrow_exception(call.thrown);
}

void WithOneThread(const Library& library, absl::FunctionRef<void()> work) {
  const int before = library.omp_get_max_threads();
  library.omp_set_num_threads(1);
  const absl::Cleanup restore = [&] { library.omp_set_num_threads(before); };
  work();
}

}  // namespace hlo::simd::onednn
