// Which targets mean which routine. What they have in common with LAPACK are the routines' results,
// not always their order or their flags; the operands say their type themselves.
#include <algorithm>

#include <fmt/format.h>

#include "interp/reference/custom_calls/custom_calls.h"
#include "interp/reference/custom_calls/lapack.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

// kTridiagonal: three vectors stand before the matrix.
enum class Form { kAny, kSquare, kTridiagonal };

// All arrays are batches of the same sizes, matrices or vectors, and the first one is of matrices.
absl::Status CheckArrays(const LapackCall& call, size_t matrix, Form form) {
  if (call.array_count() <= matrix || call.evaluation().results().empty() ||
      call.matrix().dims.size() < 2) {
    return absl::InvalidArgumentError("a LAPACK call needs a matrix and a result");
  }
  const std::span<const int64_t> dims = call.matrix().dims;
  const size_t batch_rank = dims.size() - 2;
  for (size_t k = 0; k < call.array_count(); ++k) {
    const std::span<const int64_t> other = call.array(k).dims;
    if (other.size() <= batch_rank ||
        !std::ranges::equal(other.first(batch_rank), dims.first(batch_rank))) {
      return absl::InvalidArgumentError("its operands have different batch dimensions");
    }
  }
  if (form == Form::kSquare && dims[batch_rank] != dims[batch_rank + 1]) {
    return absl::InvalidArgumentError(fmt::format("its matrix of {} by {} is not square",
                                                  dims[batch_rank], dims[batch_rank + 1]));
  }
  return absl::OkStatus();
}

template <LapackRoutine kRealRoutine, LapackRoutine kComplexRoutine, Form kForm>
absl::Status Run(Evaluation& e) {
  constexpr size_t kMatrix = kForm == Form::kTridiagonal ? 3 : 0;
  const LapackCall call(e, kMatrix);
  HLO_RETURN_IF_ERROR(CheckArrays(call, kMatrix, kForm));
  if (call.matrix().element_count() == 0) return absl::OkStatus();
  return IsComplex(call.matrix().element_type) ? kComplexRoutine(call) : kRealRoutine(call);
}

struct Routine {
  std::string_view name;
  RunKernel kernel;
};

using Complex = std::complex<double>;
#define HLO_LAPACK_ROUTINE(text, Function, form) \
  { text, Run<Function<double>, Function<Complex>, Form::form> }

// lapack_<type><routine> or blas_<type><routine>, with or without `_ffi`.
constexpr Routine kLapackRoutines[] = {
    HLO_LAPACK_ROUTINE("gees", Gees, kSquare),      HLO_LAPACK_ROUTINE("geev", Geev, kSquare),
    HLO_LAPACK_ROUTINE("gehrd", Gehrd, kSquare),    HLO_LAPACK_ROUTINE("geqp3", Geqp3, kAny),
    HLO_LAPACK_ROUTINE("geqrf", Geqrf, kAny),       HLO_LAPACK_ROUTINE("gesdd", Gesdd, kAny),
    HLO_LAPACK_ROUTINE("gesvd", Gesdd, kAny),       HLO_LAPACK_ROUTINE("getrf", Getrf, kAny),
    HLO_LAPACK_ROUTINE("gtsv", Gtsv, kTridiagonal), HLO_LAPACK_ROUTINE("heevd", Syevd, kSquare),
    HLO_LAPACK_ROUTINE("hetrd", Sytrd, kSquare),    HLO_LAPACK_ROUTINE("orgqr", Orgqr, kAny),
    HLO_LAPACK_ROUTINE("potrf", Potrf, kSquare),    HLO_LAPACK_ROUTINE("syevd", Syevd, kSquare),
    HLO_LAPACK_ROUTINE("sytrd", Sytrd, kSquare),    HLO_LAPACK_ROUTINE("trsm", Trsm, kSquare),
    HLO_LAPACK_ROUTINE("ungqr", Orgqr, kAny),
};

// What JAX writes for GPUs: the same behind `cu` and `hip`. Older forms without `_ffi` keep their
// flags in bytes that only their library reads.
constexpr Routine kGpuRoutines[] = {
    HLO_LAPACK_ROUTINE("blas_geqrf_batched_ffi", Geqrf, kAny),
    HLO_LAPACK_ROUTINE("blas_getrf_batched_ffi", Getrf, kAny),
    HLO_LAPACK_ROUTINE("hybrid_eig_comp", Geev, kSquare),
    HLO_LAPACK_ROUTINE("hybrid_eig_real", Geev, kSquare),
    HLO_LAPACK_ROUTINE("hybrid_geqp3", Geqp3, kAny),
    HLO_LAPACK_ROUTINE("solver_geqrf_ffi", Geqrf, kAny),
    HLO_LAPACK_ROUTINE("solver_gesvd_ffi", Gesdd, kAny),
    HLO_LAPACK_ROUTINE("solver_gesvdj_ffi", Gesvdj, kAny),
    HLO_LAPACK_ROUTINE("solver_getrf_ffi", Getrf, kAny),
    HLO_LAPACK_ROUTINE("solver_orgqr_ffi", Orgqr, kAny),
    HLO_LAPACK_ROUTINE("solver_potrf_ffi", Potrf, kSquare),
    HLO_LAPACK_ROUTINE("solver_syevd_ffi", Syevd, kSquare),
    HLO_LAPACK_ROUTINE("solver_sytrd_ffi", Sytrd, kSquare),
    HLO_LAPACK_ROUTINE("sparse_gtsv2_ffi", Gtsv2, kTridiagonal),
};

// What XLA's own passes make and take, and JAX writes for TPUs.
constexpr Routine kXlaRoutines[] = {
    HLO_LAPACK_ROUTINE("Eigh", Eigh, kSquare),
    HLO_LAPACK_ROUTINE("LuDecomposition", LuDecomposition, kAny),
    HLO_LAPACK_ROUTINE("ProductOfElementaryHouseholderReflectors", Orgqr, kAny),
    HLO_LAPACK_ROUTINE("Qr", Geqrf, kAny),
    HLO_LAPACK_ROUTINE("householder_product", Orgqr, kAny),
};
#undef HLO_LAPACK_ROUTINE

// The routine's name without library, type letter and interface, or nothing.
std::string_view LapackName(std::string_view target) {
  constexpr std::string_view kInterface = "_ffi";
  if (target.ends_with(kInterface)) target.remove_suffix(kInterface.size());
  for (std::string_view library : {"lapack_", "blas_"}) {
    if (!target.starts_with(library)) continue;
    target.remove_prefix(library.size());
    const bool has_type =
        !target.empty() && std::string_view("sdcz").find(target[0]) != std::string_view::npos;
    return has_type ? target.substr(1) : std::string_view();
  }
  return {};
}

RunKernel FindIn(std::span<const Routine> routines, std::string_view name) {
  const auto found = std::ranges::find(routines, name, &Routine::name);
  return found == routines.end() ? nullptr : found->kernel;
}

}  // namespace

RunKernel FindLapackCall(std::string_view target) {
  if (const std::string_view name = LapackName(target); !name.empty()) {
    return FindIn(kLapackRoutines, name);
  }
  for (std::string_view maker : {"cu", "hip"}) {
    if (target.starts_with(maker)) return FindIn(kGpuRoutines, target.substr(maker.size()));
  }
  return FindIn(kXlaRoutines, target);
}

}  // namespace hlo::reference
