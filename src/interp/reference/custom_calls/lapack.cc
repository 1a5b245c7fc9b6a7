// The calls of LAPACK routines: their arrays and flags. Which target means which routine stands in
// lapack_targets.cc.
#include "interp/reference/custom_calls/lapack.h"

#include <cstring>

#include "interp/reference/converted_array.h"
#include "interp/reference/custom_calls/custom_calls.h"
#include "interp/reference/strided.h"
#include "ir/element_conversion.h"

namespace hlo::reference {

LapackFlags::LapackFlags(const OpView& op) {
  constexpr std::string_view kKeys[kCount] = {
      "compute_left", "compute_right", "diag", "lower", "side", "trans_x", "transposed", "uplo"};
  const std::string_view config = op.Get<Attr::kBackendConfig>().text;
  for (size_t i = 0; i < kCount; ++i) values[i] = ConfigInteger(config, kKeys[i]);
  const size_t first = config.find_first_not_of(" \"");
  is_eigh_lower = first == std::string_view::npos || config[first] != '0';
}

LapackCall::LapackCall(Evaluation& e, const LapackFlags& flags, size_t matrix)
    : e_(e), flags_(flags), matrix_(matrix) {
  for (const MutableArrayRef& result : e.results()) {
    std::memset(result.bytes, 0, static_cast<size_t>(result.byte_size()));
  }
  // Flags and sizes, and the factor alpha of the older trsm.
  while (first_array_ < e.operands().size() && e.operand(first_array_).dims.empty()) {
    ++first_array_;
  }
  if (array_count() <= matrix) return;
  const std::span<const int64_t> dims = this->matrix().dims;
  if (dims.size() >= 2) end_ = Product(dims.first(dims.size() - 2));
}

int64_t LapackCall::Flag(LapackFlag flag, size_t position, int64_t default_value) const {
  if (const auto& value = flags_.values[static_cast<size_t>(flag)]) return *value;
  const bool is_operand = position < first_array_ && IsInteger(e_.operand(position).element_type);
  return is_operand ? IntegerAt(e_.operand(position), 0) : default_value;
}

bool LapackCall::IsLower(size_t position) const {
  const int64_t flag = Flag(LapackFlag::kUplo, position, Flag(LapackFlag::kLower, position, 'L'));
  return flag == 'L' || flag == 1;
}

template <typename S>
Matrix<S> LapackCall::Load(size_t k, int64_t b) const {
  const std::span<const int64_t> dims = array(k).dims;
  Matrix<S> matrix(pool(), dims[dims.size() - 2], dims[dims.size() - 1]);
  const int64_t count = matrix.rows() * matrix.columns();
  ConvertElements(array(k).element_type,
                  array(k).bytes + b * count * ElementByteSize(array(k).element_type),
                  kElementTypeOf<S>, reinterpret_cast<std::byte*>(matrix.elements().data()), count);
  return matrix;
}

template <typename S>
ScratchVector<S> LapackCall::LoadVector(size_t k, int64_t b) const {
  const int64_t count = array(k).dims.back();
  ScratchVector<S> vector(static_cast<size_t>(count), pool());
  ConvertElements(array(k).element_type,
                  array(k).bytes + b * count * ElementByteSize(array(k).element_type),
                  kElementTypeOf<S>, reinterpret_cast<std::byte*>(vector.data()), count);
  return vector;
}

template <typename S>
void LapackCall::StoreElements(size_t i, int64_t b, std::span<const S> elements) const {
  if (i >= e_.results().size()) return;
  const MutableArrayRef& to = e_.result(i);
  const auto count = static_cast<int64_t>(elements.size());
  if ((b + 1) * count > to.element_count()) return;
  ConvertElements(kElementTypeOf<S>, reinterpret_cast<const std::byte*>(elements.data()),
                  to.element_type, to.bytes + b * count * ElementByteSize(to.element_type), count);
}

using Complex = std::complex<double>;

template Matrix<double> LapackCall::Load(size_t, int64_t) const;
template Matrix<Complex> LapackCall::Load(size_t, int64_t) const;
template ScratchVector<double> LapackCall::LoadVector(size_t, int64_t) const;
template ScratchVector<Complex> LapackCall::LoadVector(size_t, int64_t) const;
template void LapackCall::StoreElements(size_t, int64_t, std::span<const double>) const;
template void LapackCall::StoreElements(size_t, int64_t, std::span<const Complex>) const;
template void LapackCall::StoreElements(size_t, int64_t, std::span<const int32_t>) const;

}  // namespace hlo::reference
