// Operands of a convolution that keep N elements of each block of B and say which
// (grammar.md 5.12).
#ifndef HLOKIT_INTERP_REFERENCE_SPARSE_OPERAND_H_
#define HLOKIT_INTERP_REFERENCE_SPARSE_OPERAND_H_

#include <cstddef>
#include <span>

#include "absl/status/statusor.h"
#include "interp/kernel/evaluation.h"
#include "interp/kernel/scratch_pool.h"
#include "ir/attribute_values.h"
#include "ir/index_space.h"

namespace hlo::reference {

// The sizes of an operand of sizes `dims` with the elements that were left out. Fails when the
// descriptor does not fit the sizes.
absl::StatusOr<Index> DenseSizes(const SparsityDescriptor& sparsity, std::span<const int64_t> dims);

// An operand of a convolution as a dense array: itself, or a copy with zeros for what was left out.
class DenseOperand {
 public:
  // The sizes that operand `i` of `e` has when it is dense. Fails when the descriptor does not fit.
  static absl::StatusOr<Index> Sizes(const Evaluation& e, size_t i);
  // Operand `i` (0: input, 1: kernel) of `e`. Fails when indices or the descriptor do not fit.
  static absl::StatusOr<DenseOperand> Make(Evaluation& e, size_t i);

  ArrayRef ref() const {
    return {element_type_, std::span<const int64_t>(dims_.data(), dims_.size()), bytes_};
  }

 private:
  ElementType element_type_ = ElementType::kF32;
  Index dims_;
  ScratchArray<std::byte> storage_;
  const std::byte* bytes_ = nullptr;
};

// What the descriptors of a convolution say of operand `i`; not `present`: nothing.
SparsityDescriptor SparsityOf(const OpView& op, size_t i);

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_SPARSE_OPERAND_H_
