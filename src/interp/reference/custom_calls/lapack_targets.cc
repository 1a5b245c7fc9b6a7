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

// All arrays are batches of the same sizes, matrices or vectors, and the first one is of matrices.
absl::Status CheckArrays(const LapackCall& call, const LapackTarget& target) {
  if (call.array_count() <= target.matrix() || call.evaluation().results().empty() ||
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
  if (target.form == LapackForm::kSquare && dims[batch_rank] != dims[batch_rank + 1]) {
    return absl::InvalidArgumentError(fmt::format("its matrix of {} by {} is not square",
                                                  dims[batch_rank], dims[batch_rank + 1]));
  }
  return absl::OkStatus();
}

absl::Status Run(Evaluation& e) {
  return RunLapack(e, [](LapackRoutine routine, const LapackCall& call) { return routine(call); });
}
constexpr Kernel kLapackKernel = {
    .run = Run, .prepare = Prepare<PreparedLapack>, .scratch_byte_size = LapackScratchByteSize};

using Complex = std::complex<double>;
#define HLO_LAPACK_ROUTINE(Routine, form, matrix_count)                                     \
  constexpr LapackTarget k##Routine = {Routine<double>, Routine<Complex>, LapackForm::form, \
                                       matrix_count};

HLO_LAPACK_ROUTINE(Eigh, kSquare, 6)
HLO_LAPACK_ROUTINE(Gees, kSquare, 10)
HLO_LAPACK_ROUTINE(Geev, kSquare, 18)
HLO_LAPACK_ROUTINE(Gehrd, kSquare, 3)
HLO_LAPACK_ROUTINE(Geqp3, kAny, 5)
HLO_LAPACK_ROUTINE(Geqrf, kAny, 3)
HLO_LAPACK_ROUTINE(Gesdd, kAny, 10)
HLO_LAPACK_ROUTINE(Gesvdj, kAny, 10)
HLO_LAPACK_ROUTINE(Getrf, kAny, 2)
HLO_LAPACK_ROUTINE(Gtsv, kTridiagonal, 5)
HLO_LAPACK_ROUTINE(Gtsv2, kTridiagonal, 5)
HLO_LAPACK_ROUTINE(LuDecomposition, kAny, 3)
HLO_LAPACK_ROUTINE(Orgqr, kAny, 4)
HLO_LAPACK_ROUTINE(Potrf, kSquare, 2)
HLO_LAPACK_ROUTINE(Syevd, kSquare, 6)
HLO_LAPACK_ROUTINE(Sytrd, kSquare, 6)
HLO_LAPACK_ROUTINE(Trsm, kSquare, 3)
#undef HLO_LAPACK_ROUTINE

struct Row {
  std::string_view name;
  const LapackTarget& target;
};

// lapack_<type><routine> or blas_<type><routine>, with or without `_ffi`.
constexpr Row kLapackRoutines[] = {
    {"gees", kGees},   {"geev", kGeev},   {"gehrd", kGehrd}, {"geqp3", kGeqp3}, {"geqrf", kGeqrf},
    {"gesdd", kGesdd}, {"gesvd", kGesdd}, {"getrf", kGetrf}, {"gtsv", kGtsv},   {"heevd", kSyevd},
    {"hetrd", kSytrd}, {"orgqr", kOrgqr}, {"potrf", kPotrf}, {"syevd", kSyevd}, {"sytrd", kSytrd},
    {"trsm", kTrsm},   {"ungqr", kOrgqr},
};

// What JAX writes for GPUs: the same behind `cu` and `hip`. Older forms without `_ffi` keep their
// flags in bytes that only their library reads.
constexpr Row kGpuRoutines[] = {
    {"blas_geqrf_batched_ffi", kGeqrf}, {"blas_getrf_batched_ffi", kGetrf},
    {"hybrid_eig_comp", kGeev},         {"hybrid_eig_real", kGeev},
    {"hybrid_geqp3", kGeqp3},           {"solver_geqrf_ffi", kGeqrf},
    {"solver_gesvd_ffi", kGesdd},       {"solver_gesvdj_ffi", kGesvdj},
    {"solver_getrf_ffi", kGetrf},       {"solver_orgqr_ffi", kOrgqr},
    {"solver_potrf_ffi", kPotrf},       {"solver_syevd_ffi", kSyevd},
    {"solver_sytrd_ffi", kSytrd},       {"sparse_gtsv2_ffi", kGtsv2},
};

// What XLA's own passes make and take, and JAX writes for TPUs.
constexpr Row kXlaRoutines[] = {
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

const LapackTarget* FindIn(std::span<const Row> rows, std::string_view name) {
  for (const Row& row : rows) {
    if (row.name == name) return &row.target;
  }
  return nullptr;
}

}  // namespace

const LapackTarget* FindLapackTarget(std::string_view target) {
  if (const std::string_view name = LapackName(target); !name.empty()) {
    return FindIn(kLapackRoutines, name);
  }
  for (std::string_view maker : {"cu", "hip"}) {
    if (target.starts_with(maker)) return FindIn(kGpuRoutines, target.substr(maker.size()));
  }
  return FindIn(kXlaRoutines, target);
}

const Kernel* FindLapackCall(std::string_view target) {
  return FindLapackTarget(target) == nullptr ? nullptr : &kLapackKernel;
}

PreparedLapack::PreparedLapack(const OpView& op)
    : target(*FindLapackTarget(op.Get<Attr::kCustomCallTarget>())), flags(op) {}

absl::Status RunLapack(
    Evaluation& e,
    absl::FunctionRef<absl::Status(LapackRoutine routine, const LapackCall& call)> run) {
  const auto& [target, flags] = PreparedOf<PreparedLapack>(e);
  const LapackCall call(e, flags, target.matrix());
  HLO_RETURN_IF_ERROR(CheckArrays(call, target));
  if (call.matrix().element_count() == 0) return absl::OkStatus();
  return run(IsComplex(call.matrix().element_type) ? target.complex : target.real, call);
}

// Vectors and Eigen's memory are counted as matrices.
int64_t LapackScratchByteSize(const OpView& op) {
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
  const LapackTarget& target = *FindLapackTarget(op.Get<Attr::kCustomCallTarget>());
  return ByteSizeOf(target.matrix_count * largest * element_size);
}

}  // namespace hlo::reference
