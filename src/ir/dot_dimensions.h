// The dimensions of a dot's operand by role (semantics.md 10.1).
#ifndef HLOKIT_IR_DOT_DIMENSIONS_H_
#define HLOKIT_IR_DOT_DIMENSIONS_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "ir/op_view.h"

namespace hlo {

struct DotDimensions {
  std::vector<int64_t> batch;
  std::vector<int64_t> contracting;
  std::vector<int64_t> free;  // the others, in order

  DotDimensions(int64_t rank, std::span<const int64_t> batch_dims,
                std::span<const int64_t> contracting_dims)
      : batch(batch_dims.begin(), batch_dims.end()),
        contracting(contracting_dims.begin(), contracting_dims.end()) {
    for (int64_t d = 0; d < rank; ++d) {
      if (std::ranges::find(batch, d) == batch.end() &&
          std::ranges::find(contracting, d) == contracting.end()) {
        free.push_back(d);
      }
    }
  }

  // Of operand 0 or 1 of a dot, scaled-dot or ragged-dot.
  static DotDimensions Of(const OpView& op, int64_t operand) {
    const int64_t rank = op.operand_shape(operand).rank();
    return operand == 0 ? DotDimensions(rank, op.Get<Attr::kLhsBatchDims>(),
                                        op.Get<Attr::kLhsContractingDims>())
                        : DotDimensions(rank, op.Get<Attr::kRhsBatchDims>(),
                                        op.Get<Attr::kRhsContractingDims>());
  }
};

}  // namespace hlo

#endif  // HLOKIT_IR_DOT_DIMENSIONS_H_
