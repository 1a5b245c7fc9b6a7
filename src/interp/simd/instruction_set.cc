// To Highway amx is avx512: matrix registers are allowed or forbidden beside it, and sums of
// products of bytes, which avx512 has or has not (tile_kernels.h). scalar runs on every processor,
// whatever Highway says of it.
#include "interp/simd/instruction_set.h"

#include <algorithm>
#include <array>

#include "interp/simd/product/byte_products.h"
#include "interp/simd/product/tile_kernels.h"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/targets.h"

namespace hlo::simd {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"amx", "avx512", "avx2", "sse4", "scalar"};
constexpr std::array<int64_t, 5> kTargets = {HWY_AVX3, HWY_AVX3, HWY_AVX2, HWY_SSE4, HWY_SCALAR};

std::string_view forced_name;  // like Highway's switch, for the whole process

// Asked for once: Highway asks the processor each time, which takes some microseconds in a virtual
// machine.
int64_t& SupportedTargets() {
  static int64_t targets = hwy::SupportedTargets();
  return targets;
}

}  // namespace

std::span<const std::string_view> InstructionSetNames() { return kNames; }

bool ForceInstructionSet(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return false;
  const int64_t target = kTargets[static_cast<size_t>(found - kNames.begin())];
  if (found == kNames.begin()) {
    if (!HasMatrixRegisters()) return false;
  } else {
    ForbidMatrixRegisters();
  }
  if (target != HWY_AVX3) {
    LimitByteProducts(target == HWY_AVX2 ? ByteProducts::kTwo : ByteProducts::kNone);
  }
  if (target != HWY_SCALAR && (SupportedTargets() & target) == 0) return false;
  // Highway's own switch; it has no other.
  hwy::SetSupportedTargetsForTest(target);
  SupportedTargets() = hwy::SupportedTargets();
  hwy::GetChosenTarget().Update(SupportedTargets());
  forced_name = *found;
  return true;
}

std::string_view ForcedInstructionSet() { return forced_name; }

bool HasAvx512() { return (SupportedTargets() & HWY_AVX3) != 0; }

bool HasFastBf16Products() { return HasMatrixRegisters() || HasBf16Vectors(); }

bool HasBf16Vectors() {
#if defined(__x86_64__)
  return HasAvx512() && !HasMatrixRegisters() && __builtin_cpu_supports("avx512bf16") != 0 &&
         !__builtin_cpu_is("intel");
#else
  return false;
#endif
}

bool GathersFast() {
#if defined(__x86_64__)
  static const bool is_young = __builtin_cpu_is("intel") &&
                               __builtin_cpu_supports("avx512bf16") != 0 &&
                               __builtin_cpu_supports("avx512vbmi2") != 0;
  return is_young;
#else
  return false;
#endif
}

}  // namespace hlo::simd

// When it is loaded, Highway's library measures how fine the processor's clock is, for benchmarks
// that nobody makes here: 2 ms, half of a small run. A program's own definition comes first, and
// nothing but these benchmarks asks for the answer. Weak, for programs with Highway linked in.
namespace hwy::platform {
uint64_t TimerResolution();
__attribute__((weak)) uint64_t TimerResolution() { return 1; }
}  // namespace hwy::platform
