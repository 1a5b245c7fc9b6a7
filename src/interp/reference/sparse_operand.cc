// The specification leaves the indices of `sparsity=NxB dimension=d stride=s idx=k` open. Operand k
// is an integer array of the sparse operand's sizes that says for each element where in its block
// it belongs, 0 to B - 1; XLA's evaluator reads s32[2,1] {{1}, {3}} beside f32[2,1] under `1x4` as
// positions 1 and 4 + 3 of 8. With a stride the elements of a block stand that far apart, so that
// element (block * N + n) * s + lane along dimension d is element (block * B + index) * s + lane of
// the dense array.
#include "interp/reference/sparse_operand.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "fmt/format.h"
#include "interp/kernel/device.h"
#include "interp/reference/converted_array.h"
#include "interp/reference/strided.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

int64_t StrideOf(const SparsityDescriptor& sparsity) {
  return sparsity.has_stride ? sparsity.stride : 1;
}

// The array that operand `i`'s descriptor names.
absl::StatusOr<ArrayRef> IndicesOf(const Evaluation& e, size_t i,
                                   const SparsityDescriptor& sparsity) {
  const auto operand_count = static_cast<int64_t>(e.operands().size());
  if (!sparsity.has_index || sparsity.index < 2 || sparsity.index >= operand_count) {
    return absl::InvalidArgumentError("a sparse operand has no indices");
  }
  const ArrayRef& indices = e.operand(static_cast<size_t>(sparsity.index));
  if (!std::ranges::equal(indices.dims, e.operand(i).dims) || !IsInteger(indices.element_type)) {
    return absl::InvalidArgumentError(
        "the indices of a sparse operand are an integer array of its sizes");
  }
  return indices;
}

// The coordinate in the dense array that coordinate `at` with index `index` stands for.
int64_t DenseCoordinate(const SparsityDescriptor& sparsity, int64_t at, int64_t index) {
  const int64_t stride = StrideOf(sparsity);
  const int64_t block = at / stride / sparsity.nonzeros;
  return (block * sparsity.block + index) * stride + at % stride;
}

}  // namespace

SparsityDescriptor SparsityOf(const OpView& op, size_t i) {
  if (!op.Has(Attr::kSparsityConfig)) return {};
  const SparsityConfig& config = op.Get<Attr::kSparsityConfig>();
  SparsityDescriptor sparsity = i == 0 ? config.lhs : config.rhs;
  sparsity.present &= sparsity.has_sparsity;
  return sparsity;
}

absl::StatusOr<Index> DenseSizes(const SparsityDescriptor& sparsity,
                                 std::span<const int64_t> dims) {
  Index dense(dims.begin(), dims.end());
  const int64_t dimension = sparsity.dimension;
  const int64_t stride = StrideOf(sparsity);
  const bool is_sound = dimension >= 0 && dimension < static_cast<int64_t>(dims.size()) &&
                        stride >= 1 && sparsity.nonzeros >= 1 &&
                        sparsity.block >= sparsity.nonzeros;
  const std::optional<int64_t> kept = CheckedMul(sparsity.nonzeros, stride);
  if (!is_sound || !kept || dims[dimension] % *kept != 0) {
    return absl::InvalidArgumentError("the sparsity does not fit the sizes of its operand");
  }
  const std::optional<int64_t> size =
      CheckedMul(dims[dimension] / sparsity.nonzeros, sparsity.block);
  if (!size) return absl::InvalidArgumentError("a sparse operand stands for 2^63 elements or more");
  dense[dimension] = *size;
  return dense;
}

absl::StatusOr<Index> DenseOperand::Sizes(const Evaluation& e, size_t i) {
  const std::span<const int64_t> dims = e.operand(i).dims;
  const SparsityDescriptor sparsity = SparsityOf(e.op(), i);
  if (!sparsity.present) return Index(dims.begin(), dims.end());
  return DenseSizes(sparsity, dims);
}

absl::StatusOr<DenseOperand> DenseOperand::Make(Evaluation& e, size_t i) {
  const ArrayRef& operand = e.operand(i);
  DenseOperand result;
  result.element_type_ = operand.element_type;
  result.dims_.assign(operand.dims.begin(), operand.dims.end());
  result.bytes_ = operand.bytes;
  const SparsityDescriptor sparsity = SparsityOf(e.op(), i);
  if (!sparsity.present) return result;

  HLO_ASSIGN_OR_RETURN(result.dims_, DenseSizes(sparsity, operand.dims));
  HLO_ASSIGN_OR_RETURN(const ArrayRef indices, IndicesOf(e, i, sparsity));
  const auto element_size = static_cast<size_t>(ElementByteSize(operand.element_type));
  const std::optional<int64_t> element_count = CheckedProduct(AsSpan(result.dims_));
  if (!element_count || !CheckedMul(*element_count, static_cast<int64_t>(element_size)))
    return absl::InvalidArgumentError("a sparse operand is too large");
  const int64_t byte_size = *element_count * static_cast<int64_t>(element_size);
  result.storage_ = ScratchArray<std::byte>(e.device().scratch(), byte_size);
  std::memset(result.storage_.get(), 0, static_cast<size_t>(byte_size));
  result.bytes_ = result.storage_.get();
  const Strides strides = DenseStrides(AsSpan(result.dims_));
  int64_t from = 0;
  for (const Index& at : IndexSpace(operand.dims)) {
    const int64_t index = IntegerAt(indices, from);
    if (index < 0 || index >= sparsity.block) {
      return absl::InvalidArgumentError(fmt::format(
          "index {} of a sparse operand is outside of its block of {}", index, sparsity.block));
    }
    int64_t to = 0;
    for (size_t d = 0; d < at.size(); ++d) {
      const bool is_sparse = static_cast<int64_t>(d) == sparsity.dimension;
      to += strides[d] * (is_sparse ? DenseCoordinate(sparsity, at[d], index) : at[d]);
    }
    std::memcpy(result.storage_.get() + static_cast<size_t>(to) * element_size,
                operand.bytes + static_cast<size_t>(from) * element_size, element_size);
    ++from;
  }
  return result;
}

}  // namespace hlo::reference
