// Targets: lapack_<type><routine> or blas_<type><routine>, with or without `_ffi`. The type letter
// is ignored, operands say their type themselves.
#include "interp/reference/custom_calls/lapack.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "interp/reference/converted_array.h"
#include "interp/reference/custom_calls/custom_calls.h"
#include "interp/reference/strided.h"
#include "ir/element_conversion.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

enum class Form { kAny, kSquare };

// All arrays are batches of the same sizes, matrices or vectors, and the first one is of matrices.
absl::Status CheckArrays(const LapackCall& call, Form form) {
  if (call.array_count() == 0 || call.evaluation().results().empty() ||
      call.array(0).dims.size() < 2) {
    return absl::InvalidArgumentError("a LAPACK call needs a matrix and a result");
  }
  const std::span<const int64_t> dims = call.array(0).dims;
  const size_t batch_rank = dims.size() - 2;
  for (size_t k = 1; k < call.array_count(); ++k) {
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
  const LapackCall call(e);
  HLO_RETURN_IF_ERROR(CheckArrays(call, kForm));
  if (call.array(0).element_count() == 0) return absl::OkStatus();
  return IsComplex(call.array(0).element_type) ? kComplexRoutine(call) : kRealRoutine(call);
}

struct Routine {
  std::string_view name;
  RunKernel kernel;
};

using Complex = std::complex<double>;
#define HLO_LAPACK_ROUTINE(text, Function, form) \
  { text, Run<Function<double>, Function<Complex>, Form::form> }
constexpr Routine kRoutines[] = {
    HLO_LAPACK_ROUTINE("gees", Gees, kSquare),   HLO_LAPACK_ROUTINE("geev", Geev, kSquare),
    HLO_LAPACK_ROUTINE("gehrd", Gehrd, kSquare), HLO_LAPACK_ROUTINE("geqrf", Geqrf, kAny),
    HLO_LAPACK_ROUTINE("gesdd", Gesdd, kAny),    HLO_LAPACK_ROUTINE("gesvd", Gesdd, kAny),
    HLO_LAPACK_ROUTINE("getrf", Getrf, kAny),    HLO_LAPACK_ROUTINE("heevd", Syevd, kSquare),
    HLO_LAPACK_ROUTINE("hetrd", Sytrd, kSquare), HLO_LAPACK_ROUTINE("orgqr", Orgqr, kAny),
    HLO_LAPACK_ROUTINE("potrf", Potrf, kSquare), HLO_LAPACK_ROUTINE("syevd", Syevd, kSquare),
    HLO_LAPACK_ROUTINE("sytrd", Sytrd, kSquare), HLO_LAPACK_ROUTINE("trsm", Trsm, kSquare),
    HLO_LAPACK_ROUTINE("ungqr", Orgqr, kAny),
};
#undef HLO_LAPACK_ROUTINE

// The routine's name without library, type letter and interface, or nothing.
std::string_view RoutineName(std::string_view target) {
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

LapackCall::LapackCall(Evaluation& e) : e_(e) {
  for (const MutableArrayRef& result : e.results()) {
    std::memset(result.bytes, 0, static_cast<size_t>(result.byte_size()));
  }
  // Flags and sizes, and the factor alpha of the older trsm.
  while (first_array_ < e.operands().size() && e.operand(first_array_).dims.empty()) {
    ++first_array_;
  }
}

int64_t LapackCall::batch_count() const {
  const std::span<const int64_t> dims = array(0).dims;
  return Product(dims.first(dims.size() - 2));
}

int64_t LapackCall::Flag(std::string_view key, size_t position, int64_t default_value) const {
  if (std::optional<int64_t> value = ConfigInteger(e_.Get<Attr::kBackendConfig>().text, key)) {
    return *value;
  }
  const bool is_operand = position < first_array_ && IsInteger(e_.operand(position).element_type);
  return is_operand ? IntegerAt(e_.operand(position), 0) : default_value;
}

bool LapackCall::IsLower(size_t position) const {
  const int64_t flag = Flag("uplo", position, 'L');
  return flag == 'L' || flag == 1;
}

template <typename S>
Matrix<S> LapackCall::Load(size_t k, int64_t b) const {
  const std::span<const int64_t> dims = array(k).dims;
  Matrix<S> matrix(dims[dims.size() - 2], dims[dims.size() - 1]);
  const int64_t count = matrix.rows() * matrix.columns();
  ConvertElements(array(k).element_type,
                  array(k).bytes + b * count * ElementByteSize(array(k).element_type),
                  kElementTypeOf<S>, reinterpret_cast<std::byte*>(matrix.elements().data()), count);
  return matrix;
}

template <typename S>
std::vector<S> LapackCall::LoadVector(size_t k, int64_t b) const {
  const int64_t count = array(k).dims.back();
  std::vector<S> vector(static_cast<size_t>(count));
  ConvertElements(array(k).element_type,
                  array(k).bytes + b * count * ElementByteSize(array(k).element_type),
                  kElementTypeOf<S>, reinterpret_cast<std::byte*>(vector.data()), count);
  return vector;
}

template <typename S>
void LapackCall::Store(size_t i, int64_t b, const std::vector<S>& elements) const {
  if (i >= e_.results().size()) return;
  const MutableArrayRef& to = e_.result(i);
  const auto count = static_cast<int64_t>(elements.size());
  if ((b + 1) * count > to.element_count()) return;
  ConvertElements(kElementTypeOf<S>, reinterpret_cast<const std::byte*>(elements.data()),
                  to.element_type, to.bytes + b * count * ElementByteSize(to.element_type), count);
}

template Matrix<double> LapackCall::Load(size_t, int64_t) const;
template Matrix<Complex> LapackCall::Load(size_t, int64_t) const;
template std::vector<double> LapackCall::LoadVector(size_t, int64_t) const;
template std::vector<Complex> LapackCall::LoadVector(size_t, int64_t) const;
template void LapackCall::Store(size_t, int64_t, const std::vector<double>&) const;
template void LapackCall::Store(size_t, int64_t, const std::vector<Complex>&) const;
template void LapackCall::Store(size_t, int64_t, const std::vector<int32_t>&) const;

RunKernel FindLapackCall(std::string_view target) {
  const std::string_view name = RoutineName(target);
  for (const Routine& routine : kRoutines) {
    if (routine.name == name) return routine.kernel;
  }
  return nullptr;
}

}  // namespace hlo::reference
