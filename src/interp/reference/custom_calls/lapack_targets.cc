// Which targets mean which routine. What they have in common with LAPACK are the routines' results,
// not always their order or their flags; the operands say their type themselves.
#include <algorithm>

#include <fmt/format.h>

#include "interp/kernel/prepared.h"
#include "interp/reference/custom_calls/custom_calls.h"
#include "interp/reference/custom_calls/lapack.h"
#include "interp/reference/scratch.h"
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

// What a routine holds at most: so many matrices as large as the largest of its arrays, vectors and
// Eigen's memory counted as such.
template <int kMatrixCount>
int64_t ScratchByteSize(const OpView& op) {
  std::vector<const Shape*> arrays = OperandArrays(op);
  bool is_complex = false;
  for (const Shape* operand : arrays) is_complex |= IsComplex(operand->element_type());
  const std::vector<const Shape*> results = ResultArrays(op);
  arrays.insert(arrays.end(), results.begin(), results.end());
  size_t rank = 2;
  for (const Shape* array : arrays) rank = std::max(rank, array->dims().size());
  double largest = 0;
  for (const Shape* array : arrays) {
    if (array->dims().size() < rank) continue;
    largest = std::max(largest, SizeProduct(array->dims().last(2)));
  }
  const double element_size = is_complex ? sizeof(std::complex<double>) : sizeof(double);
  return ByteSizeOf(kMatrixCount * largest * element_size);
}

using Complex = std::complex<double>;
#define HLO_LAPACK_KERNEL(Routine, form, matrix_count)                                      \
  constexpr Kernel k##Routine = {.run = Run<Routine<double>, Routine<Complex>, Form::form>, \
                                 .prepare = Prepare<LapackFlags>,                           \
                                 .scratch_byte_size = ScratchByteSize<matrix_count>};

HLO_LAPACK_KERNEL(Eigh, kSquare, 6)
HLO_LAPACK_KERNEL(Gees, kSquare, 10)
HLO_LAPACK_KERNEL(Geev, kSquare, 18)
HLO_LAPACK_KERNEL(Gehrd, kSquare, 3)
HLO_LAPACK_KERNEL(Geqp3, kAny, 5)
HLO_LAPACK_KERNEL(Geqrf, kAny, 3)
HLO_LAPACK_KERNEL(Gesdd, kAny, 10)
HLO_LAPACK_KERNEL(Gesvdj, kAny, 10)
HLO_LAPACK_KERNEL(Getrf, kAny, 2)
HLO_LAPACK_KERNEL(Gtsv, kTridiagonal, 5)
HLO_LAPACK_KERNEL(Gtsv2, kTridiagonal, 5)
HLO_LAPACK_KERNEL(LuDecomposition, kAny, 3)
HLO_LAPACK_KERNEL(Orgqr, kAny, 4)
HLO_LAPACK_KERNEL(Potrf, kSquare, 2)
HLO_LAPACK_KERNEL(Syevd, kSquare, 6)
HLO_LAPACK_KERNEL(Sytrd, kSquare, 6)
HLO_LAPACK_KERNEL(Trsm, kSquare, 3)
#undef HLO_LAPACK_KERNEL

// lapack_<type><routine> or blas_<type><routine>, with or without `_ffi`.
constexpr CustomCall kLapackRoutines[] = {
    {"gees", kGees},   {"geev", kGeev},   {"gehrd", kGehrd}, {"geqp3", kGeqp3}, {"geqrf", kGeqrf},
    {"gesdd", kGesdd}, {"gesvd", kGesdd}, {"getrf", kGetrf}, {"gtsv", kGtsv},   {"heevd", kSyevd},
    {"hetrd", kSytrd}, {"orgqr", kOrgqr}, {"potrf", kPotrf}, {"syevd", kSyevd}, {"sytrd", kSytrd},
    {"trsm", kTrsm},   {"ungqr", kOrgqr},
};

// What JAX writes for GPUs: the same behind `cu` and `hip`. Older forms without `_ffi` keep their
// flags in bytes that only their library reads.
constexpr CustomCall kGpuRoutines[] = {
    {"blas_geqrf_batched_ffi", kGeqrf}, {"blas_getrf_batched_ffi", kGetrf},
    {"hybrid_eig_comp", kGeev},         {"hybrid_eig_real", kGeev},
    {"hybrid_geqp3", kGeqp3},           {"solver_geqrf_ffi", kGeqrf},
    {"solver_gesvd_ffi", kGesdd},       {"solver_gesvdj_ffi", kGesvdj},
    {"solver_getrf_ffi", kGetrf},       {"solver_orgqr_ffi", kOrgqr},
    {"solver_potrf_ffi", kPotrf},       {"solver_syevd_ffi", kSyevd},
    {"solver_sytrd_ffi", kSytrd},       {"sparse_gtsv2_ffi", kGtsv2},
};

// What XLA's own passes make and take, and JAX writes for TPUs.
constexpr CustomCall kXlaRoutines[] = {
    {"Eigh", kEigh},
    {"LuDecomposition", kLuDecomposition},
    {"ProductOfElementaryHouseholderReflectors", kOrgqr},
    {"Qr", kGeqrf},
    {"householder_product", kOrgqr},
};

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

}  // namespace

const Kernel* FindLapackCall(std::string_view target) {
  if (const std::string_view name = LapackName(target); !name.empty()) {
    return FindIn(kLapackRoutines, name);
  }
  for (std::string_view maker : {"cu", "hip"}) {
    if (target.starts_with(maker)) return FindIn(kGpuRoutines, target.substr(maker.size()));
  }
  return FindIn(kXlaRoutines, target);
}

}  // namespace hlo::reference
