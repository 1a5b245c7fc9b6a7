// The terms of a ragged-dot with several contracting dimensions, one of which is ragged: those of a
// group lie in many places, some for each index of the dimensions before the ragged one. Packed
// copies of the operands have them side by side, in the order of the groups, so that a group is a
// range of terms.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_RAGGED_TERMS_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_RAGGED_TERMS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "interp/kernel/device.h"
#include "interp/kernel/scratch_pool.h"
#include "interp/reference/group_sizes.h"
#include "interp/simd/product/matrix_kernels.h"
#include "interp/simd/product/product_dimensions.h"

namespace hlo::simd {

// The operands of a product, and how its terms are counted: those of dimensions before the ragged
// one, its own, and behind it.
struct RaggedTermsForm {
  int64_t entry_count() const { return product.batch.count(); }
  int64_t term_count() const { return product.sum.count(); }
  // The same product of the packed copies, [batch, rows, terms] and [batch, terms, columns].
  ProductShape Packed() const;

  ProductShape product;
  int64_t outer, length, inner;
  int64_t group_count;
};

template <typename T>
class RaggedTerms {
 public:
  RaggedTerms() = default;
  RaggedTerms(ScratchPool& pool, const RaggedTermsForm& form);
  static double ByteSize(const RaggedTermsForm& form);

  // False if there are terms that several groups have: of lengths below 0.
  bool Find(const RaggedTermsForm& form, const reference::GroupSizes& groups);
  // After that. Fails with kCancelled.
  absl::Status Pack(const DeviceContext& device, const RaggedTermsForm& form, ProductData<T> lhs,
                    ProductData<T> rhs);

  // Where the terms of a group begin; behind the last group, where they end.
  int64_t Start(int64_t entry, int64_t group) const {
    return starts_[entry * (group_count_ + 1) + group];
  }
  const T* rows() const { return rows_.get(); }
  const T* columns() const { return columns_.get(); }

 private:
  int64_t group_count_ = 0;
  ScratchArray<int64_t> starts_;
  ScratchArray<int64_t> row_offsets_, column_offsets_;  // of the terms, by entries
  ScratchArray<T> rows_, columns_;
};

extern template class RaggedTerms<float>;
extern template class RaggedTerms<double>;
extern template class RaggedTerms<uint32_t>;
extern template class RaggedTerms<uint64_t>;

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_RAGGED_TERMS_H_
